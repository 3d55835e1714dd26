"""Numbers as answers: how the question wants one written, and one written so."""

import re
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP
from typing import Self

from agent.core.answer_numeral import (
    GROUP_MARK,
    decimals_of,
    is_numeral,
    number_in_sentence,
    read_measure,
    round_numeral,
)
from agent.core.answer_units import (
    MAGNITUDES,
    SPELLED_OUT,
    is_named,
    names_unit,
    unit_can_go,
    unit_of,
)

_COUNT_WORDS = ("zero", "one", "two", "three", "four", "five", "six")
_FRACTIONS = {
    "tenth": 1, "hundredth": 2, "thousandth": 3, "cent": 2, "integer": 0, "whole": 0, "unit": 0,
    "number": 0, "percent": 0, "0.1": 1, "0.01": 2, "0.001": 3, "1": 0,
}  # fmt: skip
_MULTIPLES = {"ten": 10, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_DECIMALS = re.compile(
    r"\b(\w+)(?:[- ]decimals?\b|[- ](?:digits?|places?|figures?) (?:after|behind) the "
    r"(?:decimal|point))",
    re.IGNORECASE,
)
_NEAREST = re.compile(
    r"\b(?:to|round\w*)(?: \w+){0,4}? nearest (?:(ten|hundred) (?=thousand|million|billion))?"
    r"([\w.,]*\w)",
    re.IGNORECASE,
)
_ROUND_ONE_WAY = re.compile(r"\bround(?:ed|ing)?(?: \w+){0,3} (up|down)\b", re.IGNORECASE)
_MAGNITUDE = re.compile(
    r"\b(?:in|how many|number of) (thousand|million|billion|trillion)s?\b(?! years)", re.IGNORECASE
)
_QUANTITY = (
    r"(?:(?:total |exact |average |combined |maximum |minimum )?number of (?!the\b)|sum of\b"
    r"|total (?:of|population|cost|amount|price|area|distance|score|weight|length|value)\b"
    r"|average\b|mean\b|median\b|percentage\b|population of\b)"
)
_ARITHMETIC = r"[-(\d][\d\s.,()]*[-+*/×÷^%][-\d\s.,()+*/×÷^%]*\d"
_NUMBER_ASKED = re.compile(
    r"\bhow (?:many|much|old)\b|\bwhat (?:percentage|percent|number of)\b"
    rf"|\bwhat(?: is|'s| are| was| were)? the {_QUANTITY}"
    rf"|\b(?:what is|what's|calculate|compute|evaluate|how much is)\s+{_ARITHMETIC}"
    rf"|\bin (?:{SPELLED_OUT})(?=[?.,;)]|\Z| (?:to|with|rounded|of)\b)",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"\bhow many\b(?: (\S*\w))?", re.IGNORECASE)
_INTEGER_ASKED = re.compile(
    r"\b(?:as|be|with|give|just|only|answer) (?:an?|the)? ?(?:single )?(?:integer|whole number)\b"
    r"|\b(?:no|without) decimals?\b|\bwhat integer\b",
    re.IGNORECASE,
)
_NUMBER_ONLY = re.compile(
    r"\b(?:just|only) (?:give |write |provide |answer with |return )?(?:the|a) number\b(?! of)"
    r"|\bas a number\b|\b(?:a|the) number only\b|\bnumeric(?:al)? (?:answer|value)\b",
    re.IGNORECASE,
)
_MARKS = (
    r"(?:(?:the|its|their|your|any|an?|correct|appropriate|proper) )*"
    r"(?:(?:measurement )?units?|(?:currency|dollar|percent|percentage|euro|pound|unit) "
    r"(?:symbols?|signs?|marks?))\b(?! of (?!measure))"
)
_UNIT_ASKED = re.compile(
    rf"\b(?:with|include|including|give|state|specify|write|add) {_MARKS}", re.IGNORECASE
)
_UNIT_FORBIDDEN = re.compile(
    rf"\b(?:without|no|omit|exclude|excluding|leave out|not (?:include|use|write)"
    rf"|don['’]t (?:include|use|write)) {_MARKS}",
    re.IGNORECASE,
)
_GROUPED_ASKED = re.compile(
    r"(?P<not>\b(?:no|not|without|avoid|omit)\b[^.?!]{0,40}?)?\b(?:thousands? separators?"
    r"|commas? (?:as|for|to separate) (?:the )?thousands)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class NumberForm:
    """How a number is to be written. What the question does not speak of stays unset.

    Attributes:
        question: for its units, for the things it counts and for the numbers it gives.
        whole: a whole number is meant, so ``17.0`` is written ``17``; nothing is rounded.
        decimals: digits behind the point to round or pad to.
        nearest: round to a multiple of this, as 1000.
        rounding: one of the decimal module's rounding modes.
        magnitude: ``thousand`` or the like, where the question counts in them.
        unit: whether the unit is to be written; ``None``: the question does not say, so no.
        grouped: whether thousands separators are asked for.
    """

    question: str = ""
    whole: bool = False
    decimals: int | None = None
    nearest: int | None = None
    rounding: str = ROUND_HALF_UP
    magnitude: str = ""
    unit: bool | None = None
    grouped: bool = False

    @classmethod
    def read(cls, question: str) -> Self | None:
        """The form of the number that the question asks for; ``None`` if it asks for none."""
        decimals, nearest = _read_rounding(question)
        whole = bool(_INTEGER_ASKED.search(question))
        rounded = decimals is not None or nearest is not None
        if not (
            rounded or whole or _NUMBER_ASKED.search(question) or _NUMBER_ONLY.search(question)
        ):
            return None
        magnitude = _MAGNITUDE.search(question)
        grouped = _GROUPED_ASKED.search(question)
        return cls(
            question=question,
            whole=decimals is None and (whole or _counts_things(question)),
            decimals=decimals,
            nearest=nearest,
            rounding=_read_direction(question),
            magnitude=magnitude[1].lower() if magnitude else "",
            unit=_read_unit(question),
            grouped=bool(grouped and not grouped["not"]),
        )

    def describe(self) -> str:
        """The form in words, fit to follow "Answer with"."""
        text = "a whole number" if self.whole or self.decimals == 0 else "a number"
        if self.decimals:
            text += f" with {self.decimals} decimal{'s' * (self.decimals > 1)}"
        if self.nearest:
            text += f" rounded to the nearest {self.nearest}"
        if self.magnitude:
            text += f", counted in {self.magnitude}s"
        text += ", with its unit" if self.unit else ", no unit"
        return text + (", with thousands separators" if self.grouped else ", no comma")

    def shape(self, text: str) -> str:
        """The number in this form, or the text as it is where it is not certain."""
        measure = read_measure(text)
        if measure is None or (measure.before and measure.after):
            return number_in_sentence(text, self.question) or text
        before, after = self._mark(measure.before, stands_before=True), self._mark(measure.after)
        if before is None or after is None:
            return number_in_sentence(text, self.question) or text
        numeral = (measure.sign + measure.numeral).replace("−", "-")
        if not self.grouped:
            numeral = re.sub(GROUP_MARK, "", numeral)
        if self.whole:
            numeral = re.sub(r"\.0+\Z", "", numeral)
        numeral = round_numeral(
            numeral,
            decimals=self.decimals,
            nearest=None if self.magnitude else self.nearest,
            rounding=self.rounding,
        )
        return (
            before
            + (measure.space if before else "")
            + numeral
            + (measure.gap if after else "")
            + after
        )

    def fits(self, text: str) -> bool:
        """Whether the text is a number as asked for and nothing else."""
        measure = read_measure(text)
        if measure is None or not is_numeral(measure.numeral, grouped=self.grouped):
            return False
        marks = measure.marks
        allowed = 1 if self.unit or (marks == ["%"] and self.asks_percent) else 0
        if len(marks) != allowed:
            return False
        decimals = decimals_of(measure.numeral)
        return not (self.whole and decimals) and self.decimals in (None, decimals)

    @property
    def asks_percent(self) -> bool:
        """Whether a percent sign may stand: the question asks in percent and does not forbid it."""
        return self.unit is not False and names_unit(self.question, "percent")

    def _mark(self, mark: str, *, stands_before: bool = False) -> str | None:
        """What is to be written of a mark beside a number; ``None`` leaves the number alone."""
        counted_in, _, rest = mark.partition(" ")
        if self.magnitude and counted_in.lower().removesuffix("s") == self.magnitude:
            mark = rest
        _, name = unit_of(mark) or ("", "")
        if not mark or (name == "percent" and self.unit is False):
            return ""
        if self.unit or (name == "percent" and self.asks_percent):
            return mark if name else None
        if not name and (stands_before or names_unit(self.question, "percent")):
            return None
        can_go = is_named if _counts_things(self.question) else unit_can_go
        return "" if can_go(mark, self.question) else None


def _read_rounding(question: str) -> tuple[int | None, int | None]:
    """Decimals, and the number to whose multiples to round."""
    if match := _NEAREST.search(question):
        factor, word = match[1], match[2].lower().replace(",", "")
        if word in _FRACTIONS or unit_of(word):
            return _FRACTIONS.get(word, 0), None
        if word in _MULTIPLES or re.fullmatch("[1-9][0-9]{1,11}", word):
            multiple = _MULTIPLES.get(word) or int(word)
            return None, multiple * (_MULTIPLES[factor.lower()] if factor else 1)
    for match in _DECIMALS.finditer(question):
        word = match[1].lower()
        if word in _COUNT_WORDS:
            return _COUNT_WORDS.index(word), None
        if re.fullmatch("1?[0-9]", word):
            return int(word), None
    return None, None


def _read_direction(question: str) -> str:
    match = _ROUND_ONE_WAY.search(question)
    if not match:
        return ROUND_HALF_UP
    return ROUND_CEILING if match[1].lower() == "up" else ROUND_FLOOR


def _counts_things(question: str) -> bool:
    """Whether the question asks how many there are of what comes in whole numbers."""
    counted = (match[1] or "" for match in _HOW_MANY.finditer(question))
    return any(not unit_of(word) and word.lower() not in MAGNITUDES for word in counted)


def _read_unit(question: str) -> bool | None:
    if _UNIT_FORBIDDEN.search(question) or _NUMBER_ONLY.search(question):
        return False
    return True if _UNIT_ASKED.search(question) else None
