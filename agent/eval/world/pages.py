"""A page of the world: markdown under a title, with other names that it is known by."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from agent.eval.errors import BenchmarkError
from agent.eval.world.text import plain

_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_ALIASES = "aliases:"
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
FILES = "files/"
"""How a link to one of the world's files begins."""


class WorldError(BenchmarkError):
    """The folder is no world; the message is one sentence that names the file and the line."""


@dataclass(frozen=True)
class Page:
    """``slug`` is its place in addresses and links, ``text`` its markdown below title and aliases,
    whose first line is line ``first_line`` of the file."""

    slug: str
    title: str
    aliases: tuple[str, ...]
    text: str
    first_line: int

    @property
    def names(self) -> tuple[str, ...]:
        """The title and the aliases."""
        return (self.title, *self.aliases)

    @property
    def markdown(self) -> str:
        """The text under its title."""
        return f"# {self.title}\n\n{self.text}"

    @cached_property
    def plain(self) -> str:
        """The text without its markup, one line a paragraph, row or heading."""
        return plain(self.text)

    @property
    def links(self) -> list[tuple[int, str]]:
        """Line and target of each link into the world: a slug, or ``files/<name>``."""
        lines = enumerate(self.text.split("\n"), self.first_line)
        found = [(number, link[1]) for number, line in lines for link in _LINK.finditer(line)]
        return [(number, target) for number, target in found if is_inside(target)]


def is_inside(target: str) -> bool:
    """Whether a link leads into the world, not to another site or a place on the same page."""
    return ":" not in target and not target.startswith("#")


def read_page(path: Path) -> Page:
    """The page in a file: ``# Title``, a line of ``aliases: A, B`` if there are any, then markdown.

    Raises:
        WorldError: it is not of that form.
    """
    if not _SLUG.fullmatch(path.stem):
        raise WorldError(f"{path}: its name must be letters, digits, dashes and underscores.")
    first, *rest = read_text(path).split("\n")
    title = first.removeprefix("# ").strip()
    if not first.startswith("# ") or not title:
        raise WorldError(f"{path}, line 1: a page begins with its title, such as '# Harbour'.")
    aliases: tuple[str, ...] = ()
    first_line = 2
    if rest and rest[0].lower().startswith(_ALIASES):
        names = (name.strip() for name in rest.pop(0)[len(_ALIASES) :].split(","))
        aliases = tuple(filter(None, names))
        first_line = 3
    text = "\n".join(rest)
    if not text.strip():
        raise WorldError(f"{path}, line {first_line}: the page has no text.")
    return Page(path.stem, title, aliases, text, first_line)


def read_text(path: Path) -> str:
    """A file's text.

    Raises:
        WorldError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise WorldError(f"{path}: it is not UTF-8 text (byte {error.start + 1}).") from error
    except OSError as error:
        raise WorldError(f"{path}: it cannot be read ({error.strerror or error}).") from error
