"""Tables as data, read from markdown."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from agent.tools.markdown import cells
from agent.tools.passages import terms

_NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_YEARS = range(1000, 2101)
_MOSTLY = 0.8
"""The share of cells that make a column one of numbers; the rest may be notes such as "closed"."""


def number(cell: str) -> Decimal | None:
    """The number that a cell holds and nothing else, its thousands parted by commas or not."""
    return Decimal(cell.replace(",", "")) if _NUMBER.fullmatch(cell) else None


@dataclass(frozen=True)
class Column:
    """One column: its name and its cells, top to bottom."""

    name: str
    cells: tuple[str, ...]

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its name, in the form in which a question's words are compared."""
        return frozenset(terms(self.name))

    @cached_property
    def numbers(self) -> tuple[Decimal | None, ...]:
        """Its cells as numbers, None where one is not."""
        return tuple(map(number, self.cells))

    @cached_property
    def is_numeric(self) -> bool:
        """Whether nearly all cells that are filled hold numbers."""
        filled = sum(bool(cell) for cell in self.cells)
        return filled > 0 and sum(n is not None for n in self.numbers) >= _MOSTLY * filled

    @cached_property
    def is_of_years(self) -> bool:
        """Whether its numbers are years: written without a comma, under a name without a unit."""
        if not self.is_numeric or "(" in self.name or any("," in cell for cell in self.cells):
            return False
        found = [n for n in self.numbers if n is not None]
        return all(n == int(n) and int(n) in _YEARS for n in found)


@dataclass(frozen=True)
class Table:
    """Columns of equal length; the first one names what a row is about."""

    columns: tuple[Column, ...]

    def __len__(self) -> int:
        return len(self.columns[0].cells)


def tables_in(text: str) -> Iterator[Table]:
    """The markdown tables of a text, but for infoboxes, which have no names of columns."""
    rows: list[list[str]] = []
    for line in [*text.split("\n"), ""]:
        if line.startswith("|"):
            if row := cells(line):
                rows.append(row)
            continue
        if table := _table(rows):
            yield table
        rows = []


def _table(rows: list[list[str]]) -> Table | None:
    if len(rows) < 3 or len(rows[0]) < 2 or not all(rows[0]):
        return None
    header, *body = rows
    padded = [[*row, *[""] * len(header)] for row in body]
    return Table(
        tuple(Column(name, tuple(row[i] for row in padded)) for i, name in enumerate(header))
    )
