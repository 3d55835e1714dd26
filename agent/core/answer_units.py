"""Units beside a number: which one it is, and whether it says more than the question did."""

import re

from agent.core.answer_text import word_set

_UNITS: dict[str, dict[str, str]] = {
    "currency": {
        "dollar": "$|us$|usd|dollar|dollars|us dollar|us dollars|u.s. dollars",
        "euro": "€|eur|euro|euros",
        "sterling": "£|gbp|pounds sterling",
        "yen": "¥|jpy|yen",
        "rupee": "₹|rs|rs.|inr|rupee|rupees",
        "rouble": "₽|rub|rouble|roubles|ruble|rubles",
        "won": "₩|krw",
        "franc": "chf|franc|francs",
        "cent": "cent|cents|¢",
    },
    "length": {
        "millimetre": "mm|millimetre|millimetres|millimeter|millimeters",
        "centimetre": "cm|centimetre|centimetres|centimeter|centimeters",
        "metre": "m|metre|metres|meter|meters",
        "kilometre": "km|kms|kilometre|kilometres|kilometer|kilometers",
        "inch": "inch|inches",
        "foot": "ft|foot|feet",
        "yard": "yd|yards|yard",
        "mile": "mi|mile|miles",
        "light-year": "ly|light-year|light-years|light years",
    },
    "area": {
        "square metre": "m²|m2|sq m|square metres|square meters",
        "square kilometre": "km²|km2|sq km|square kilometres|square kilometers",
        "square mile": "sq mi|square miles",
        "square foot": "sq ft|square feet",
        "acre": "acre|acres",
        "hectare": "ha|hectare|hectares",
    },
    "volume": {
        "millilitre": "ml|millilitre|millilitres|milliliter|milliliters",
        "litre": "l|litre|litres|liter|liters",
        "cubic metre": "m³|m3|m^3|cubic metres|cubic meters",
        "gallon": "gal|gallon|gallons",
    },
    "mass": {
        "milligram": "mg|milligram|milligrams",
        "gram": "g|gram|grams",
        "kilogram": "kg|kgs|kilogram|kilograms",
        "tonne": "tonne|tonnes|ton|tons",
        "pound": "lb|lbs|pound|pounds",
        "ounce": "oz|ounce|ounces",
    },
    "time": {
        "millisecond": "ms|millisecond|milliseconds",
        "second": "s|sec|secs|second|seconds",
        "minute": "min|mins|minute|minutes",
        "hour": "h|hr|hrs|hour|hours",
        "day": "day|days",
        "week": "week|weeks",
        "month": "month|months",
        "year": "yr|yrs|year|years|years old",
    },
    "speed": {
        "km/h": "km/h|kph|kmh|kilometres per hour|kilometers per hour",
        "mph": "mph|miles per hour",
        "m/s": "m/s|metres per second|meters per second",
    },
    "temperature": {
        "celsius": "°c|celsius|degrees celsius|degrees c",
        "fahrenheit": "°f|fahrenheit|degrees fahrenheit|degrees f",
        "kelvin": "kelvin|kelvins",
    },
    "angle": {"degree": "°|degree|degrees", "radian": "rad|radian|radians"},
    "share": {"percent": "%|percent|per cent|pct|percentage|percentages"},
}
"""Units by kind: name and spellings. A spelling of one letter may also stand for "million" and
the like, so it counts only where the question names the unit."""
_UNIT_OF = {
    spelling: (kind, name)
    for kind, names in _UNITS.items()
    for name, spellings in names.items()
    for spelling in spellings.split("|")
}

MAGNITUDES = word_set(
    "dozen dozens hundred hundreds thousand thousands million millions billion billions trillion "
    "trillions"
)
VALUE_WORDS = MAGNITUDES | word_set(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
    "half quarter third double twice first second"
)
DOUBT = word_set(
    "about above almost approximately around at below between cannot estimated fewer least less "
    "likely may maybe might minus more most nearly never no not or over perhaps plus possibly "
    "power probably roughly squared cubed than t times to under unknown"
)
"""Words that make a number mean something else; ``t`` is what "aren't" leaves."""


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 3 else word


_CHANGE_THE_VALUE = DOUBT | {_singular(word) for word in VALUE_WORDS}
_WORDS = re.compile(r"[^\W\d_]+(?:[\s'’-]+[^\W\d_]+)*")
SPELLED_OUT = "|".join(
    re.escape(spelling) for spelling in sorted(_UNIT_OF, key=len, reverse=True) if len(spelling) > 1
)
"""All spellings of more than one letter, for use in a regular expression."""


def names_unit(question: str, name: str) -> bool:
    """Whether the question names this unit, as ``percent``."""
    return name in {unit for _, unit in _units_in(question)}


def unit_of(mark: str) -> tuple[str, str] | None:
    """Kind and name of a unit, from one of its spellings."""
    if len(mark) == 1 and mark.isupper():
        return None
    return _UNIT_OF.get(mark.lower()) or _UNIT_OF.get(mark.lower().rstrip("."))


def is_named(mark: str, question: str) -> bool:
    """Whether the question itself names what stands beside a number: a unit, or what it counts."""
    if unit := unit_of(mark):
        return unit in _units_in(question)
    words = {_singular(word) for word in re.findall(r"[^\W\d_]+", mark.lower())}
    counted = {_singular(word) for word in re.findall(r"[^\W\d_]{2,}", question.lower())}
    return bool(_WORDS.fullmatch(mark)) and words <= counted - _CHANGE_THE_VALUE


def unit_can_go(mark: str, question: str) -> bool:
    """Whether a mark beside a number adds nothing to it: the question names it, or it is a unit
    and the question names no other of its kind. A share keeps its mark: 5 % is not 5."""
    kind, _ = unit_of(mark) or ("", "")
    if kind == "share":
        return False
    is_letter = len(mark) == 1 and mark.isalpha()
    contradicted = any(kind == asked for asked, _ in _units_in(question))
    return is_named(mark, question) or bool(kind and not is_letter and not contradicted)


def _units_in(question: str) -> set[tuple[str, str]]:
    lowered = question.lower()
    return {
        unit
        for spelling, unit in _UNIT_OF.items()
        if (len(spelling) > 1 or not spelling.isalpha())
        and re.search(rf"(?<!\w){re.escape(spelling)}(?!\w)", lowered)
    }
