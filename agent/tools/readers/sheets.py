"""What workbooks of all formats share: which sheets are meant, how a value is written."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from agent.tools.readers.model import Unreadable


def pick(names: Sequence[str], wanted: str) -> list[str]:
    """The sheets meant by a name in any case, by a number from 1, or by nothing: all.

    Raises:
        Unreadable: there is no such sheet; the message names those there are.
    """
    key = wanted.strip().casefold()
    if not key:
        return list(names)
    for name in names:
        if name.strip().casefold() == key:
            return [name]
    if key.isdecimal() and 0 < int(key[:9]) <= len(names):
        return [names[int(key) - 1]]
    raise Unreadable("invalid_args", f"has no sheet '{wanted}'; its sheets are: {_list(names)}.")


def contents(states: dict[str, str]) -> str:
    """One line that names all sheets; ``states`` gives ``visible`` or how each is hidden."""
    shown = (f"'{n}'" + (f" ({s})" if s != "visible" else "") for n, s in states.items())
    return f"{len(states)} sheets: {', '.join(shown)}.\n"


def show(value: Any, number_format: str = "") -> str:
    """A cell's value as its reader sees it: ``10`` and ``12.5%``, dates in ISO form."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).upper()
        case int() | float() if number_format.endswith("%"):
            return _plain(value * 100) + "%"
        case float():
            return _plain(value)
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case datetime():
            return value.isoformat(" ", "seconds")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return str(value)
    return str(value)


def _plain(value: float) -> str:
    """15 significant digits, as spreadsheets show them, and no ``.0``."""
    return str(int(value)) if abs(value) < 1e15 and value == int(value) else f"{value:.15g}"


def _list(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
