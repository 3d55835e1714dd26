"""Operators, functions and constants of the calculator. Each refuses at once what it cannot do."""

import ast
import math
import operator
import statistics
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any

from agent.tools.arithmetic.numbers import (
    MAX_BITS,
    MAX_DIGITS,
    ExpressionError,
    Number,
    bounded,
    exact_decimal,
    too_large,
    whole,
)


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, float) or isinstance(exponent, float) or exponent.denominator != 1:
        if base < 0 and exponent != int(exponent):
            raise ExpressionError("A fractional power of a negative number has no real value.")
        return _double_power(base, exponent)
    size = max(abs(base.numerator), base.denominator)
    if size > 1 and math.log2(size) * abs(exponent) > MAX_BITS:
        if base.denominator == 1:
            raise too_large()
        return _double_power(base, exponent)
    power = base**exponent.numerator
    long_decimal = base.denominator > 1 and exact_decimal(base) and not exact_decimal(power)
    if long_decimal and _TINY < abs(power) < _HUGE:
        return Fraction(repr(float(base) ** exponent.numerator))
    return power


def _double_power(base: Number, exponent: Number) -> float:
    power = math.pow(base, exponent)
    if power == 0 and base != 0:
        raise ExpressionError("A power in the expression is too small to work with.", "too_large")
    return power


_TINY, _HUGE = Fraction(1, 10**300), Fraction(10**300)
"""Between these a double has its full precision."""


def _root(value: Number) -> Number:
    if isinstance(value, Fraction) and value >= 0:
        root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
        if root * root == value:
            return root
    return math.sqrt(value)


def _factorial(value: Number) -> Fraction:
    n = whole(value)
    if n < 0:
        raise ExpressionError("A negative number has no factorial.")
    if n > _MAX_FACTORIAL:
        raise too_large()
    return Fraction(math.factorial(n))


_MAX_FACTORIAL = 1400
"""1400! has 12,640 bits."""


def _choose(n: Number, k: Number) -> Fraction:
    chosen = min(whole(k), max(whole(n) - whole(k), 0))
    _check_product(whole(n), chosen)
    return Fraction(math.comb(whole(n), whole(k)))


def _arrange(n: Number, k: Number | None = None) -> Fraction:
    if k is None:
        return _factorial(n)
    _check_product(whole(n), whole(k))
    return Fraction(math.perm(whole(n), whole(k)))


def _check_product(factor: int, count: int) -> None:
    """Refuse a product of ``count`` whole numbers up to ``factor`` before it is worked out."""
    if count > MAX_BITS or count * factor.bit_length() > 2 * MAX_BITS:
        raise too_large()


def _round(value: Number, digits: Number = Fraction(0)) -> Fraction:
    """Halves go away from zero, as at school."""
    places = whole(digits)
    if abs(places) > MAX_DIGITS:
        raise too_large()
    unit = Fraction(10) ** -places
    units = math.floor(abs(Fraction(value)) / unit + Fraction(1, 2))
    return units * unit if value >= 0 else -units * unit


def _log(value: Number, base: Number | None = None) -> float:
    return math.log(value) if base is None else math.log(value) / math.log(base)


_NOISE_DIGITS = 15
"""Decimal places kept of a sine or cosine, so that sin(pi) is 0."""


def _sin(angle: Number) -> float:
    return round(math.sin(angle), _NOISE_DIGITS)


def _cos(angle: Number) -> float:
    return round(math.cos(angle), _NOISE_DIGITS)


def _folded(function: Callable[[Any, Any], Number]) -> Callable[..., Number]:
    """A function of two numbers, for many: refused as soon as it grows too large."""
    return lambda *values: reduce(lambda a, b: bounded(function(a, b)), values)


_sum = _folded(operator.add)


def _mean(*values: Number) -> Number:
    return _sum(*values) / len(values)


def _real(function: Callable[..., float]) -> Callable[..., Number]:
    """A function of doubles as one of our numbers."""
    return lambda *values: function(*map(float, values))


def _exact(function: Callable[..., int]) -> Callable[..., Number]:
    """A function to a whole number as one of our numbers."""
    return lambda value: Fraction(function(value))


OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda left, right: Fraction(left // right),
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
POSTFIX: dict[str, Callable[[Number], Number]] = {
    "percent": lambda value: value / 100,
    "factorial": _factorial,
    "degrees": lambda value: math.radians(value),
}
CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau}
_MANY = 10_000
FUNCTIONS: dict[str, tuple[int, int, Callable[..., Number]]] = {
    "sqrt": (1, 1, _root),
    "cbrt": (1, 1, _real(math.cbrt)),
    "abs": (1, 1, abs),
    "round": (1, 2, _round),
    "floor": (1, 1, _exact(math.floor)),
    "ceil": (1, 1, _exact(math.ceil)),
    "trunc": (1, 1, _exact(math.trunc)),
    "int": (1, 1, _exact(math.trunc)),
    "exp": (1, 1, math.exp),
    "ln": (1, 1, math.log),
    "log": (1, 2, _log),
    "log2": (1, 1, math.log2),
    "log10": (1, 1, math.log10),
    "sin": (1, 1, _sin),
    "cos": (1, 1, _cos),
    "tan": (1, 1, lambda angle: _sin(angle) / _cos(angle)),
    "asin": (1, 1, math.asin),
    "acos": (1, 1, math.acos),
    "atan": (1, 1, math.atan),
    "atan2": (2, 2, math.atan2),
    "sinh": (1, 1, math.sinh),
    "cosh": (1, 1, math.cosh),
    "tanh": (1, 1, math.tanh),
    "degrees": (1, 1, math.degrees),
    "radians": (1, 1, math.radians),
    "hypot": (2, _MANY, math.hypot),
    "pow": (2, 2, _power),
    "mod": (2, 2, operator.mod),
    "factorial": (1, 1, _factorial),
    "gcd": (1, _MANY, _folded(lambda a, b: Fraction(math.gcd(whole(a), whole(b))))),
    "lcm": (1, _MANY, _folded(lambda a, b: Fraction(math.lcm(whole(a), whole(b))))),
    "comb": (2, 2, _choose),
    "choose": (2, 2, _choose),
    "ncr": (2, 2, _choose),
    "perm": (1, 2, _arrange),
    "npr": (2, 2, _arrange),
    "min": (1, _MANY, lambda *values: min(values)),
    "max": (1, _MANY, lambda *values: max(values)),
    "sum": (1, _MANY, _sum),
    "mean": (1, _MANY, _mean),
    "average": (1, _MANY, _mean),
    "avg": (1, _MANY, _mean),
    "median": (1, _MANY, lambda *values: statistics.median(values)),
}
