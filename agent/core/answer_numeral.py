"""Numerals in a text: found beside their marks, read exactly, rounded in decimal arithmetic."""

import re
from decimal import Decimal, localcontext
from typing import NamedTuple

from agent.core.answer_units import DOUBT, VALUE_WORDS, is_named, unit_can_go

GROUP_MARK = "[,\u00a0\u202f]"
_GROUPED = rf"[0-9]{{1,3}}(?:{GROUP_MARK}[0-9]{{2,3}})*{GROUP_MARK}[0-9]{{3}}"
_NUMERAL = (
    rf"[-+−]?(?:(?:{_GROUPED}|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]{{1,2}})?(?![0-9])"
)
_MEASURE = re.compile(
    rf"(?P<sign>[-−]?)(?P<before>(?:[^\W\d_]+\.?)?[$€£¥₹₽₩]?)(?P<space>(?:(?<=[\w.$€£¥₹₽₩])\s)?)"
    rf"(?P<numeral>{_NUMERAL})(?P<gap>\s?)(?P<after>(?:\D.*)?)"
)
_NUMBER_INSIDE = re.compile(
    rf"(?<![\w.,:/-])(?P<currency>[$€£]?)(?P<numeral>{_NUMERAL})(?![\w:/%]|[.,-]\w)"
)
_LINKED = re.compile(
    r"(?:\b(?:is|are|was|were|equals|has|have|had|total of|exactly)\s+|[:=]\s*)\Z", re.IGNORECASE
)


class Measure(NamedTuple):
    """A number with the marks around it: ``-$5 m`` is ``-``, ``$``, ``5``, ``m``, and spaces."""

    sign: str
    before: str
    space: str
    numeral: str
    gap: str
    after: str

    @property
    def marks(self) -> list[str]:
        """What stands beside the number."""
        return [mark for mark in (self.before, self.after) if mark]


def read_measure(text: str) -> Measure | None:
    """The text as one number with at most words or marks around it, else ``None``."""
    match = _MEASURE.fullmatch(text)
    if not match or (match["sign"] and match["numeral"][0] in "-+−"):
        return None
    return Measure(**match.groupdict())


def to_decimal(numeral: str) -> Decimal:
    """The value of a numeral, whatever its thousands separators and minus sign."""
    return Decimal(re.sub(GROUP_MARK, "", numeral).replace("−", "-"))


def is_numeral(text: str, *, grouped: bool = False) -> bool:
    """Whether the text is a number and nothing else; with separators only if ``grouped``."""
    return bool(re.fullmatch(_NUMERAL, text)) and (grouped or not re.search(GROUP_MARK, text))


def round_numeral(numeral: str, *, decimals: int | None, nearest: int | None, rounding: str) -> str:
    """The number rounded and padded to ``decimals``, or to a multiple of ``nearest``.

    Decimal arithmetic, so that 2.675 becomes 2.68. A number already in form is not rewritten. One
    smaller than ``nearest`` is left alone: it may well be given in that very unit.
    """
    value = to_decimal(numeral)
    with localcontext(prec=len(numeral) + 150):
        if nearest is not None and abs(value) >= nearest:
            if not value % nearest and decimals_of(numeral) == 0:
                return numeral
            rounded = (value / nearest).quantize(Decimal(1), rounding) * nearest
        elif decimals is not None and decimals_of(numeral) != decimals:
            rounded = value.quantize(Decimal(1).scaleb(-decimals), rounding)
        else:
            return numeral
        rounded = rounded or abs(rounded)
        return f"{rounded:,f}" if "," in numeral else f"{rounded:f}"


def decimals_of(numeral: str) -> int | None:
    """How many digits stand behind the point; ``None`` with an exponent."""
    if "e" in numeral.lower():
        return None
    return len(numeral.partition(".")[2])


def number_in_sentence(text: str, question: str, *, is_year: bool = False) -> str | None:
    """The one number that a sentence states, where there is no doubt which it is.

    It must follow "is", "=" or the like (a year also "in"), what comes after it must be the thing
    counted or the unit asked for, no word may qualify it, and all other numbers of the sentence
    must be the question's own ("17 times 23 is 391.").
    """
    found = list(_NUMBER_INSIDE.finditer(text))
    given = {to_decimal(match["numeral"]) for match in _NUMBER_INSIDE.finditer(question)}
    fresh = [match for match in found if to_decimal(match["numeral"]) not in given]
    words = set(re.findall(r"[^\W\d_]+", text.lower()))
    if len(fresh) != 1 or fresh[0] != found[-1] or words & (VALUE_WORDS | DOUBT):
        return None
    match = fresh[0]
    before, after = text[: match.start()], text[match.end() :].strip(" .")
    linked = _LINKED.search(before) or (is_year and before.lower().endswith(" in "))
    currency = match["currency"]
    if not linked or (after and not is_named(after, question)):
        return None
    return match["numeral"] if not currency or unit_can_go(currency, question) else None
