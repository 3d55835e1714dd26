"""What follows from a table for a question, in one line."""

import re
from collections import Counter
from decimal import Decimal
from typing import NamedTuple

from agent.tools.passages import terms
from agent.tools.tables.conditions import Doubtful, conditions, rows_that_fit
from agent.tools.tables.model import Column, Table, tables_in

_MAX_NAMES = 8
"""Names of rows, or parts of a total, that are written out."""
_COUNTED = re.compile(r"\b(?:how many|number of) (\w+(?: \w+)?)", re.IGNORECASE)
_TOTAL = re.compile(
    r"\b(?:total|sum|together|altogether|combined|in all|how much|come to)\b", re.IGNORECASE
)
_AVERAGE = re.compile(r"\b(?:average|mean)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_WHO = re.compile(r"\b(?:who|which|whose)\b", re.IGNORECASE)
_OFTEN = re.compile(r"\b(?:most often|most frequent\w*|most common\w*|most times)\b", re.IGNORECASE)
_SO_OFTEN = re.compile(
    r"\b(?:(?P<twice>twice|two times)|(?P<thrice>three times)|more than once)\b", re.IGNORECASE
)
_OF_TIME = {
    "latest": max, "newest": max, "last": max, "youngest": max,
    "earliest": min, "first": min, "oldest": min,
}  # fmt: skip
_OF_SIZE = {
    "most": max, "highest": max, "largest": max, "tallest": max, "longest": max, "greatest": max,
    "biggest": max, "heaviest": max, "deepest": max, "widest": max, "maximum": max,
    "least": min, "fewest": min, "lowest": min, "smallest": min, "shortest": min, "lightest": min,
    "minimum": min,
}  # fmt: skip
_OF_COUNTS = frozenset({"most", "least", "fewest"})
"""Superlatives of the word that follows them."""
_SUPERLATIVE = re.compile(rf"\b(?:{'|'.join([*_OF_TIME, *_OF_SIZE])})\b", re.IGNORECASE)


class Finding(NamedTuple):
    """What follows, in a line; and the value that is asked for, where that is certain."""

    line: str
    value: str = ""


def worked_out(text: str, question: str) -> Finding | None:
    """What the table that ``question`` speaks of says to it, if one does.

    Of several tables that say something, the one that takes up most of the question is heard.
    """
    best: Finding | None = None
    most = 0
    for table in tables_in(text):
        try:
            reading = _Reading(table, question)
        except Doubtful:
            continue
        if reading.weight > most and (finding := reading.finding()):
            best = finding if reading.heeds_every_number else Finding(finding.line)
            most = reading.weight
    return best


class _Reading:
    """One table in the light of one question."""

    def __init__(self, table: Table, question: str) -> None:
        self.table, self.question = table, question
        self.conditions = conditions(table, question)
        self.rows = rows_that_fit(table, self.conditions)
        used = {condition.column for condition in self.conditions}
        said = set(terms(question))
        self.asked = [c for c in table.columns if c.words & said and c not in used]
        self.names = _names(table, used)

    @property
    def weight(self) -> int:
        """How much of the question the table's names and cells take up."""
        return 2 * len(self.conditions) + len(self.asked)

    @property
    def heeds_every_number(self) -> bool:
        """Whether each number of the question is in a condition: one that is not may be another."""
        heeded = " ".join(condition.says for condition in self.conditions)
        return set(_NUMBER.findall(self.question)) <= set(_NUMBER.findall(heeded))

    def finding(self) -> Finding | None:
        """What follows, if anything does."""
        if not self.rows:
            return None
        if _OFTEN.search(self.question):
            return self._most_frequent()
        if so_often := _SO_OFTEN.search(self.question):
            return self._that_come_back(so_often)
        if extreme := self._extreme():
            return extreme
        if not self.conditions:
            return None
        return (self._cells() if len(self.rows) == 1 else None) or self._aggregate()

    def _cells(self) -> Finding | None:
        """What is asked of the only row that fits."""
        row = self.rows[0]
        about = [c.column for c in self.conditions if not c.column.is_numeric]
        name = [*self.names, *about, *self.table.columns][0].cells[row]
        cells = [f"{column.name}: {column.cells[row]}" for column in self.asked]
        value = self.asked[0].cells[row] if len(self.asked) == 1 else ""
        return Finding(f"{name}, {'; '.join(cells)}", value) if cells else None

    def _aggregate(self) -> Finding | None:
        """The number of the rows that fit, or the total or average of what is asked of them."""
        measures = [c for c in self.asked if c.is_numeric and not c.is_of_years]
        counted = _COUNTED.search(self.question)
        named = [c for c in measures if counted and c.words & set(terms(counted[1]))]
        if _TOTAL.search(self.question) and len(measures) == 1:
            named = measures
        if _AVERAGE.search(self.question) and len(measures) == 1:
            values = self._values(measures[0])
            mean = _plain(sum(values, Decimal(0)) / len(values))
            return Finding(f"{self._which()}. Average {measures[0].name}: {mean}", mean)
        if len(named) == 1:
            values = self._values(named[0])
            parts = " + ".join(map(_plain, values)) if len(values) <= _MAX_NAMES else ""
            total = _plain(sum(values, Decimal(0)))
            worked = " = ".join(filter(None, [parts, total]))
            return Finding(f"{self._which()}. Total {named[0].name}: {worked}", total)
        if not counted or any(_is_key(condition.column) for condition in self.conditions):
            return None
        count = str(len(self.rows))
        return Finding(f"{self._which()}. Number of rows that fit: {count}", count)

    def _extreme(self) -> Finding | None:
        """The row with the most or the least of what a superlative is said of; one that is in the
        name of a column, such as "first lit", says nothing of a row."""
        for match in _SUPERLATIVE.finditer(self.question):
            column = self._measured(match)
            if column is None or match[0].lower() in terms(column.name):
                continue
            choose = {**_OF_TIME, **_OF_SIZE}[match[0].lower()]
            values = {r: n for r in self.rows if (n := column.numbers[r]) is not None}
            holders = [r for r, n in values.items() if n == choose(values.values())]
            if len(values) > 1 and len(holders) == 1:
                shown = dict.fromkeys([column, *self.names, *self.asked])
                cells = [f"{c.name}: {c.cells[holders[0]]}" for c in shown]
                value = self._asked_of_extreme(column, holders[0])
                return Finding(f"{match[0].capitalize()} {'; '.join(cells)}", value)
        return None

    def _asked_of_extreme(self, measured: Column, row: int) -> str:
        """The only other thing that is asked; or who or which it is; or the measure itself."""
        others = [c for c in self.asked if c is not measured and c not in self.names]
        if others:
            return others[0].cells[row] if len(others) == 1 else ""
        told = [*self.names, measured] if _WHO.search(self.question) else [measured]
        return told[0].cells[row]

    def _measured(self, superlative: re.Match[str]) -> Column | None:
        """The column of numbers that is named beside the superlative, or by it."""
        words = self.question.split()
        at = len(self.question[: superlative.start()].split())
        is_count = superlative[0].lower() in _OF_COUNTS
        around = words[at + 1 : at + 3] if is_count else words[max(0, at - 2) : at + 4]
        beside = set(terms(" ".join(around)))
        of_years = superlative[0].lower() in _OF_TIME
        able = [c for c in self.table.columns if c.is_numeric and c.is_of_years == of_years]
        named = [c for c in able if c.words & beside]
        return named[0] if len(named) == 1 else None

    def _most_frequent(self) -> Finding | None:
        """The entry that comes back most often, in the first column where one does."""
        for column in self.table.columns:
            counts = Counter(column.cells[r] for r in self.rows if column.cells[r])
            ranked = counts.most_common(2)
            if column.is_numeric or len(ranked) < 2 or ranked[0][1] == ranked[1][1]:
                continue
            entry, times = ranked[0]
            line = f"{self._which()}. Most frequent {column.name}: {entry}, {times} times"
            return Finding(line, entry)
        return None

    def _that_come_back(self, so_often: re.Match[str]) -> Finding | None:
        """The entries that stand in two or three rows, in the first column where any do."""
        wanted = (
            {2} if so_often["twice"] else {3} if so_often["thrice"] else range(2, len(self.rows))
        )
        for column in self.table.columns:
            counts = Counter(column.cells[r] for r in self.rows if column.cells[r])
            entries = [entry for entry, times in counts.items() if times in wanted]
            if entries and not column.is_numeric:
                listed = ", ".join(entries)
                return Finding(f"{self._which()}. {column.name} {so_often[0]}: {listed}", listed)
        return None

    def _which(self) -> str:
        """The rows that fit: why, and which they are."""
        said = "; ".join(condition.says for condition in self.conditions) or "all"
        names = [column.cells[row] for column in self.names for row in self.rows]
        listed = f" ({', '.join(names)})" if 0 < len(names) <= _MAX_NAMES else ""
        return f"Rows with {said}{listed}"

    def _values(self, column: Column) -> list[Decimal]:
        return [n for n in (column.numbers[row] for row in self.rows) if n is not None]


def _names(table: Table, used: set[Column]) -> list[Column]:
    """The column, if there is one, that names each row differently and is not a condition."""
    return [c for c in table.columns if c not in used and _is_key(c)][:1]


def _is_key(column: Column) -> bool:
    """Whether it gives every row a name of its own."""
    return not column.is_numeric and len(set(column.cells)) == len(column.cells)


def _plain(value: Decimal) -> str:
    """A number as people write it, a fraction to six digits."""
    return f"{int(value)}" if value == int(value) else f"{value.normalize():.6g}"
