"""Where the evidence came from, as links whose destination is in plain sight."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from agent.obs.events import Source
from agent.ui.markup import line, render

_DOUBTFUL = frozenset('\\ <>"@')
"""Characters that browsers and libraries read differently, or that hide the true host."""


def sources(found: Iterable[Source]) -> str:
    """Numbered sources: a link where the address is a plain http(s) one, else its name alone."""
    lines = [
        {"url": s.url, "title": line(s.title or s.url), "domain": domain(s.url)} for s in found
    ]
    return render("sources.html", sources=lines)


def domain(url: str) -> str:
    """The host that a browser would go to, or nothing where that is in doubt or not http(s)."""
    scheme, separator, rest = url.partition("://")
    authority = rest.split("/", 1)[0]
    if not separator or scheme.lower() not in ("http", "https"):
        return ""
    if not url.isprintable() or _DOUBTFUL.intersection(authority):
        return ""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
