"""Numbers of the calculator: exact fractions where possible, else doubles; and their text.

A result that is a whole number, or a decimal of at most 17 significant digits, is shown in full.
Any other is rounded to 12 significant digits, which also hides the rounding noise of doubles.
"""

import math
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from typing import Literal

Number = Fraction | float

MAX_BITS = 13_000
"""Size of the largest intermediate value: 3,900 digits, below the 4,300 of Python's ``str``."""
MAX_DIGITS = 1000
"""Digits, or decimal places, that a written number may have."""
MAX_SHOWN_DIGITS = 500
"""Digits of the longest whole number that is written out."""
MAX_SHOWN_DENOMINATOR = 1000
"""Up to here a fraction is named beside its rounded decimal: "exactly 1/3"."""

_EXACT = Context(prec=17, traps=[Inexact])
_ROUNDED = Context(prec=12)


class ExpressionError(ValueError):
    """The expression has no value here; ``kind`` says whether it is wrong or only too large."""

    def __init__(
        self, message: str, kind: Literal["invalid_args", "too_large"] = "invalid_args"
    ) -> None:
        super().__init__(message)
        self.kind = kind


def too_large() -> ExpressionError:
    """The error for a number out of bounds."""
    return ExpressionError("A number in the expression is too large to work with.", "too_large")


def parse(digits: str) -> Fraction:
    """The exact value of a decimal number such as ``1.5e3``."""
    mantissa, _, exponent = digits.partition("e")
    if len(mantissa) > MAX_DIGITS or len(exponent) > 9 or abs(int(exponent or 0)) > MAX_DIGITS:
        raise too_large()
    return Fraction(digits)


def bounded(value: Number) -> Number:
    """The value itself, unless it is too large to go on with or not a number."""
    if isinstance(value, float):
        if math.isnan(value):
            raise ExpressionError("The expression has no real value.")
        if math.isinf(value):
            raise too_large()
    elif max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise too_large()
    return value


def whole(value: Number) -> int:
    """The value as an ``int``; an error if it is not whole."""
    if value != int(value):
        raise ExpressionError(f"A whole number is needed, not {show(value)[0]}.")
    return int(value)


def show(value: Number) -> tuple[str, str]:
    """The value as text, and a remark where the text alone would mislead (else empty)."""
    if isinstance(value, float):
        return f"{value + 0.0:.12g}", ""
    if value.denominator == 1:
        digits = str(value.numerator)
        if len(digits) <= MAX_SHOWN_DIGITS:
            return digits, ""
        return f"{_rounded(value):e}", f"rounded: the whole number has {len(digits)} digits"
    exact = exact_decimal(value)
    if exact is not None:
        return (f"{exact:f}" if exact.adjusted() > -20 else f"{exact:e}"), ""
    small = value.denominator <= MAX_SHOWN_DENOMINATOR
    return f"{_rounded(value):.12g}", f"exactly {value}" if small else ""


def exact_decimal(value: Fraction) -> Decimal | None:
    """The value as a decimal of at most 17 significant digits, or None if it is not one."""
    try:
        return _EXACT.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()
    except Inexact:
        return None


def _rounded(value: Fraction) -> Decimal:
    return _ROUNDED.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()
