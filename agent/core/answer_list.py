"""Lists as answers: the members of a text, and the orders that need no knowledge to be checked."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self

from agent.core.answer_numeral import is_numeral, to_decimal
from agent.core.answer_text import strip_quotes
from agent.core.answer_words import has_article

Order = Literal[
    "", "alphabetical", "reverse alphabetical", "surname", "ascending", "descending",
    "chronological", "as given",
]  # fmt: skip

_BRACKETS = {"[": "]", "(": ")", "{": "}"}
_GROUPING_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_JOINT = re.compile(r"\A(?:and|&)\s+(?=\S)")
_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}-[0-9]{2})?")
_LIST_ASKED = re.compile(
    r"\b(?:comma|semicolon)s?[- ](?:separated|delimited)\b|\b(?:separated|delimited) (?:\w+ )?by "
    r"(?:a )?(?:comma|semicolon)s?\b|\b(?:separate|delimit)\b[^.?!]{0,200}\bwith (?:a )?"
    r"(?:comma|semicolon)|\bas a list\b"
    r"|(?:\A|[.?!]\s+)(?:please )?list (?:all|the|every|each|them|only|their)\b",
    re.IGNORECASE,
)
_SEMICOLON = re.compile(r"\bsemicolon", re.IGNORECASE)
_NO_SPACES = re.compile(r"\b(?:no|without)(?: any)? (?:white)?spaces?\b", re.IGNORECASE)
_BY_ITSELF = r"\b(?!(?: numerical| numeric)?(?: order)?\s+(?:by|of|based|according)\b)"
_ORDERS: tuple[tuple[Order, str], ...] = (
    ("reverse alphabetical", r"\breverse alphabetical"),
    ("surname", r"\balphabeti\w+[^.?!]{0,200}\bby (?:last name|surname|family name)"),
    ("alphabetical", rf"\balphabeti[cz]\w*{_BY_ITSELF}"),
    ("descending", rf"\b(?:descending|decreasing){_BY_ITSELF}"),
    ("ascending", rf"\b(?:ascending|increasing|numerical order){_BY_ITSELF}"),
    ("chronological", r"\bchronological"),
    ("as given", r"\border (?:in (?:the|which)|(?:that )?they|given|listed|of appearance|as)\b"),
)
"""The first whose pattern the question has. An order by something else is not for a rule."""
_TIE_BREAK = re.compile(
    r"\b(?:(?:first|last)(?! names?\b)|tie|tied|earliest)\b[^.?!]{0,200}\b(?:alphabet|order)", re.I
)


@dataclass(frozen=True)
class ListForm:
    """How a list is to be written: its members' order, and what stands between them."""

    order: Order = ""
    separator: str = ", "

    @classmethod
    def read(cls, question: str) -> Self | None:
        """The form of the list that the question asks for; ``None`` if it asks for none."""
        if not _LIST_ASKED.search(question):
            return None
        mark = ";" if _SEMICOLON.search(question) else ","
        return cls(_read_order(question), mark if _NO_SPACES.search(question) else f"{mark} ")

    def describe(self) -> str:
        """The form in words."""
        order = {
            "": "",
            "as given": ", in the order given",
            "surname": ", in alphabetical order of surnames",
        }.get(self.order, f", in {self.order} order")
        return f'a list separated by "{self.separator}"{order}'

    def shape(self, text: str, shape_member: Callable[[str], str]) -> str:
        """The same members in this form, or the text on one line where it is not certain."""
        mark = self.separator.strip()
        if mark == ";" and not re.search("[;\n]", text):
            return text
        items = members(text)
        if items is None or any(mark in item for item in items):
            return " ".join(text.split())
        items = [shape_member(" ".join(item.split())) for item in items]
        return self.separator.join(in_order(items, self.order))


def _read_order(question: str) -> Order:
    if _TIE_BREAK.search(question):
        return ""
    return next((o for o, pattern in _ORDERS if re.search(pattern, question, re.I)), "")


def members(text: str) -> list[str] | None:
    """The members of a list written with lines, semicolons or commas; ``None`` where the text
    can be read in two ways, as "1,234, 5,678" can."""
    text = _unbracket(text)
    if "\n" in text:
        first, *others = re.split(r"[,;]?[ \t]*\n", text)
        parts = others if first.endswith(":") else [first, *others]
    elif ";" in text:
        parts = text.split(";")
    elif ", " in text and _GROUPING_COMMA.search(text):
        return None
    else:
        parts = text.split(",")
    parts = [part.strip() for part in parts]
    found = [strip_quotes(_JOINT.sub("", part)) if place else strip_quotes(part)
             for place, part in enumerate(parts)]  # fmt: skip
    return [member for member in found if member]


def _unbracket(text: str) -> str:
    """The text without one pair of brackets around all of it."""
    closing = _BRACKETS.get(text[:1])
    inside = text[1:-1]
    if closing and text.endswith(closing) and not set(inside) & {text[0], closing}:
        return inside.strip()
    return text


def in_order(items: list[str], order: Order) -> list[str]:
    """The members in the order asked for, or as they are where a rule cannot tell."""
    key = _sort_key(items, order)
    reverse = order in ("reverse alphabetical", "descending")
    return sorted(items, key=key, reverse=reverse) if key else items


def _sort_key(items: list[str], order: Order) -> Callable[[str], Any] | None:
    if order in ("alphabetical", "reverse alphabetical"):
        return None if any(map(has_article, items)) else _letters
    if order == "surname":
        return lambda item: (_letters(item.split()[-1]), _letters(item))
    if order in ("ascending", "descending") and all(map(is_numeral, items)):
        return to_decimal
    if order == "chronological" and all(map(_DATE.fullmatch, items)):
        return str
    return None


def _letters(text: str) -> str:
    """Case and accents aside."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))
