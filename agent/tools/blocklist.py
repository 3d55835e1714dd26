"""Addresses that are neither shown as search results nor opened."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from urllib.parse import unquote, urlsplit


def is_blocked(url: str, patterns: Iterable[str]) -> bool:
    """Whether ``url`` matches one of ``patterns``, in any case, percent-encoded or not.

    A pattern without a slash is a host and stands for all that is below it, subdomains included;
    one with a slash is matched against host, path and query. ``*`` matches anything.
    """
    try:
        parts = urlsplit(unquote(url).lower())
        host = (parts.hostname or "").removeprefix("www.").rstrip(".")
    except ValueError:
        return False
    place = f"{host}{parts.path or '/'}?{parts.query}"
    return any(fnmatchcase(place, form) for p in patterns for form in _forms(p.lower()))


def _forms(pattern: str) -> tuple[str, ...]:
    return (f"{pattern}*",) if "/" in pattern else (f"{pattern}/*", f"*.{pattern}/*")
