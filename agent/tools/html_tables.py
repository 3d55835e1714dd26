"""HTML tables with their row and column spans unfolded, so that each row is complete."""

from copy import deepcopy
from itertools import product
from typing import Any

_MAX_ROWSPAN, _MAX_COLSPAN = 500, 50
_MAX_CELLS = 50_000
"""Cells of one table, up to one span more; what a page asks for beyond is left out."""


def grid(table: Any) -> list[list[Any]]:
    """The cells of an lxml ``table`` by row, each repeated in all places that it spans."""
    rows = _rows(table)
    places: dict[tuple[int, int], Any] = {}
    for y, row in enumerate(rows):
        x = 0
        for cell in (child for child in row if child.tag in ("td", "th")):
            while (y, x) in places:
                x += 1
            left = _MAX_CELLS - len(places)
            width = min(_span(cell, "colspan", _MAX_COLSPAN), left)
            height = min(_span(cell, "rowspan", _MAX_ROWSPAN), left, len(rows) - y)
            for dy, dx in product(range(height), range(width)):
                places.setdefault((y + dy, x + dx), cell)
            x += width
    lines: list[list[Any]] = [[] for _ in rows]
    for y, x in sorted(places):
        lines[y].append(places[y, x])
    return lines


def unfold_spans(table: Any) -> None:
    """Rewrite an lxml ``table`` without spans, for extractors that would leave gaps."""
    for row, cells in zip(_rows(table), grid(table), strict=True):
        row[:] = [_single(cell) for cell in cells]


def _rows(table: Any) -> list[Any]:
    """The rows of the table itself, not those of tables in its cells."""
    return list(table.xpath("./tr | ./thead/tr | ./tbody/tr | ./tfoot/tr"))


def _span(cell: Any, attribute: str, most: int) -> int:
    value = (cell.get(attribute) or "1").strip()
    return min(max(int(value), 1), most) if value.isdecimal() and len(value) < 7 else 1


def _single(cell: Any) -> Any:
    copy = deepcopy(cell)
    copy.tail = None
    for attribute in ("rowspan", "colspan"):
        copy.attrib.pop(attribute, None)
    return copy
