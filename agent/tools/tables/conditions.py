"""Which rows of a table a question means: those with a cell that it names, and those on one side
of a number that it gives."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from agent.tools.passages import terms
from agent.tools.tables.model import Column, Table, number

_MOST_WORDS = 6
"""Of a cell that a question may name; longer ones are prose."""
_TRUE, _FALSE = frozenset({"true", "yes"}), frozenset({"false", "no"})
_NUMERAL = r"\d+(?:,\d{3})*(?:\.\d+)?"
_YEAR = re.compile(r"1\d{3}|20\d\d")
_MORE = (
    "more|higher|taller|longer|larger|greater|bigger|heavier|deeper|wider|over|above|exceeding"
    "|after|later"
)
_LESS = "less|fewer|lower|shorter|smaller|lighter|shallower|narrower|under|below|before|earlier"
_COMPARED = re.compile(
    rf"\b(?:(?P<more>{_MORE})|(?P<less>{_LESS})|(?P<least>at least|since|from)"
    rf"|(?P<most>at most|until|up to))(?: than)?(?: the year)? (?P<number>{_NUMERAL})(?!\w)",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    rf"\b(?:between|from) (?P<low>{_NUMERAL}) (?:and|to) (?P<high>{_NUMERAL})(?!\w)", re.IGNORECASE
)
_OF_TIME = re.compile(r"(?:before|after|earlier|later|since|until|from|between)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.,;:?!]\s|\b(?:and|but|or|which|that|who|whose)\b", re.IGNORECASE)
_NEGATION = frozenset({"not", "no", "without", "never"})


class Doubtful(Exception):
    """The question sets a bound, and it is not clear on which column."""


@dataclass(frozen=True)
class Condition:
    """What a row's cell in ``column`` must be, and that in words."""

    column: Column
    says: str
    holds: Callable[[str], bool]


def conditions(table: Table, question: str) -> list[Condition]:
    """All that ``question`` says of the rows of ``table``; every one of them must hold.

    Raises:
        Doubtful: it sets a bound that belongs to no column, or to several.
    """
    bounds = list(_bounds(table, question))
    rest = _WITHIN.sub(" ", question)
    rest = _COMPARED.sub(" ", rest)
    bounded = {bound.column.name for bound in bounds}
    open_columns = [column for column in table.columns if column.name not in bounded]
    return [*_named(open_columns, rest), *bounds]


def rows_that_fit(table: Table, wanted: list[Condition]) -> list[int]:
    """The positions of the rows of which every condition holds."""
    return [
        row
        for row in range(len(table))
        if all(condition.holds(condition.column.cells[row]) for condition in wanted)
    ]


def _named(columns: list[Column], question: str) -> Iterator[Condition]:
    """Columns of which the question names a cell, or the column itself where it says yes or no."""
    asked = terms(question)
    for column in columns:
        values = {cell for cell in column.cells if cell}
        if {value.casefold() for value in values} <= _TRUE | _FALSE:
            if values and (at := _position(asked, sorted(column.words)[:1])) is not None:
                wanted = _FALSE if at and asked[at - 1] in _NEGATION else _TRUE
                yield _cell_in(column, {v for v in values if v.casefold() in wanted})
        elif found := _mentioned(values, column, asked, question):
            yield _cell_in(column, found)


def _mentioned(values: set[str], column: Column, asked: list[str], question: str) -> set[str]:
    """The cells that the question names, but for those that are only a part of a longer one."""
    spans: dict[str, tuple[int, int]] = {}
    for value in values:
        words = terms(value)
        at = _position(asked, words)
        if at is None or len(words) > _MOST_WORDS:
            continue
        needs_name = len(value) == 1 or number(value) is not None
        if needs_name and not _names_column(column, asked, at, value, question):
            continue
        spans[value] = (at, at + len(words))
    return {
        value
        for value, (start, end) in spans.items()
        if not any((s, e) != (start, end) and s <= start and end <= e for s, e in spans.values())
    }


def _names_column(column: Column, asked: list[str], at: int, value: str, question: str) -> bool:
    """Whether a letter or a number is said to be one of this column: "quay B", "launched in 1931".

    A letter must follow the column's name, and be written as it is in the cell.
    """
    if len(value) == 1 and value.isalpha():
        return at > 0 and asked[at - 1] in column.words and f" {value}" in question
    return bool(column.words & set(asked[max(0, at - 3) : at + 2]) - {asked[at]})


def _cell_in(column: Column, values: set[str]) -> Condition:
    return Condition(column, f"{column.name}: {' or '.join(sorted(values))}", values.__contains__)


def _position(words: list[str], part: list[str]) -> int | None:
    """Where ``part`` stands in ``words`` in one piece."""
    found = (i for i in range(len(words)) if part and words[i : i + len(part)] == part)
    return next(found, None)


def _bounds(table: Table, question: str) -> Iterator[Condition]:
    for match in _WITHIN.finditer(question):
        low, high = _decimal(match["low"]), _decimal(match["high"])
        column = _column_of(match, table, question, match["low"])
        yield _bound(column, f"from {low} to {high}", _between(low, high))
    for match in _COMPARED.finditer(_WITHIN.sub(lambda m: " " * len(m[0]), question)):
        column = _column_of(match, table, question, match["number"])
        yield _bound(column, match[0].lower(), _test(match, _decimal(match["number"])))


def _between(low: Decimal, high: Decimal) -> Callable[[Decimal], bool]:
    return lambda n: low <= n <= high


def _decimal(numeral: str) -> Decimal:
    return Decimal(numeral.replace(",", ""))


def _test(match: re.Match[str], limit: Decimal) -> Callable[[Decimal], bool]:
    if match["more"]:
        return lambda n: n > limit
    if match["less"]:
        return lambda n: n < limit
    return (lambda n: n >= limit) if match["least"] else (lambda n: n <= limit)


def _bound(column: Column, says: str, test: Callable[[Decimal], bool]) -> Condition:
    def holds(cell: str) -> bool:
        value = number(cell)
        return value is not None and test(value)

    return Condition(column, f"{column.name} {says}", holds)


def _column_of(match: re.Match[str], table: Table, question: str, limit: str) -> Column:
    """The column that a bound is about: the one that the word after it or its clause names, or
    the only one there is.

    A number that can be a year is one after a word of time, and after others where the clause names
    no column of something else.
    """
    before, after = _clause(question, match)
    said = set(terms(f"{before} {match[0]} {after}"))
    years = [c for c in table.columns if c.is_of_years]
    others = [c for c in table.columns if c.is_numeric and not c.is_of_years]
    is_time = _OF_TIME.match(match[0]) or not any(c.words & said for c in others)
    if _YEAR.fullmatch(limit) and years and is_time:
        others = years
    unit = set(terms(after)[:1])
    measured = [c for c in others if c.words & unit] or others
    most = max((len(c.words & said) for c in measured), default=0)
    best = [c for c in measured if len(c.words & said) == most]
    if len(best) != 1:
        raise Doubtful
    return best[0]


def _clause(question: str, match: re.Match[str]) -> tuple[str, str]:
    """The words before and after a bound, as far as the next bound, comma or "and"."""
    others = [m.span() for m in _COMPARED.finditer(question)]
    start = max((end for _, end in others if end <= match.start()), default=0)
    stop = min((begin for begin, _ in others if begin >= match.end()), default=len(question))
    before = _CLAUSE_END.split(question[start : match.start()])[-1]
    return before, _CLAUSE_END.split(question[match.end() : stop])[0]
