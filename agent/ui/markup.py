"""Markup from the templates, and the small words that all of them use.

Models, tools, pages and files are strangers: Jinja escapes all they say, so nothing they write can
name an image, a script or a style.
"""

import json
import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape

_MAX_LINE = 120
_CODE = re.compile(r"`([^`\n]+)`")


def render(template: str, **values: Any) -> str:
    """The HTML of a file in ``templates/``, with everything in ``values`` escaped."""
    return _environment().get_template(template).render(values)


def words(name: str) -> str:
    """An identifier as words: ``web_agent`` is ``web agent``."""
    return name.replace("_", " ")


def count(number: int, noun: str) -> str:
    """``1 call``, ``2 calls``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def line(text: str) -> str:
    """A text as one line of bounded length."""
    text = " ".join(text.split())
    return text if len(text) <= _MAX_LINE else f"{text[: _MAX_LINE - 1]}…"


def flat(value: Any) -> str:
    """An argument as a person would write it: a string bare, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _code(text: str) -> Markup:
    """Escape a text and set its `quoted` commands as code."""
    return Markup(_CODE.sub(r'<code class="inline">\1</code>', str(escape(text))))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("agent.ui"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["code"] = _code
    return environment
