"""Records, as JSON and XML hold them, written as tables: every name once, and one row a record."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agent.tools.readers.model import Ask, Block, span
from agent.tools.readers.table import blocks

_FEWEST = 2
"""Records that make a table; one is better read as it is."""


def tables(value: Any, ask: Ask) -> Iterator[Block] | None:
    """A list of records, or an object with nothing in it but plain values and lists of records, as
    lines and tables; None where ``value`` is something else.

    ``ask.rows`` counts the rows of each table, its header among them.
    """
    parts = value if isinstance(value, Mapping) else {"": value}
    lists = {name: rows for name, part in parts.items() if (rows := _rows(part)) is not None}
    plain = {name: part for name, part in parts.items() if name not in lists}
    if not lists or any(isinstance(part, Mapping | list) for part in plain.values()):
        return None
    return _blocks(plain, lists, ask)


def _blocks(
    plain: Mapping[str, Any], lists: Mapping[str, list[list[str]]], ask: Ask
) -> Iterator[Block]:
    if plain:
        yield Block("".join(f"{name}: {text(value)}\n" for name, value in plain.items()) + "\n")
    for name, rows in lists.items():
        if name:
            yield Block(f"## {name}\n\n")
        yield from blocks(enumerate(rows, 1), span(ask.rows, "rows", len(rows)), "")
        yield Block("\n")


def _rows(value: Any) -> list[list[str]] | None:
    """The table of a list of records, its header first."""
    if not isinstance(value, list) or len(value) < _FEWEST:
        return None
    if not all(isinstance(record, Mapping) and _is_flat(record) for record in value):
        return None
    flat = [_flat(record) for record in value]
    names = list(dict.fromkeys(name for row in flat for name in row))
    return [names, *([row.get(name, "") for name in names] for row in flat)] if names else None


def _is_flat(record: Mapping[str, Any]) -> bool:
    """Whether a record is one row: plain values, lists of them, and records of them."""
    return all(
        not any(isinstance(part, Mapping | list) for part in _parts(value))
        for value in record.values()
    )


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()


def _flat(record: Mapping[str, Any]) -> dict[str, str]:
    row: dict[str, str] = {}
    for name, value in record.items():
        if isinstance(value, Mapping):
            row |= {f"{name} {inner}": text(part) for inner, part in value.items()}
        else:
            row[name] = ", ".join(map(text, value)) if isinstance(value, list) else text(value)
    return row


def text(value: Any) -> str:
    """A plain value as it is written in JSON, text without its quotation marks."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
