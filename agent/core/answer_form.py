"""The form that a question asks its answer to have: read, stated, enforced and checked by rule.

Scorers compare text, so "17 albums" where "17" is meant is a wrong answer. All of this costs no
model call, and none of it changes what an answer says.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Literal

from agent.core.answer_list import ListForm
from agent.core.answer_number import NumberForm
from agent.core.answer_numeral import number_in_sentence
from agent.core.answer_text import is_refusal, is_sentence, peel
from agent.core.answer_words import WordForm

Kind = Literal[
    "text", "number", "year", "list", "date", "choice", "code", "chess move", "quotation"
]

_YEAR = re.compile(r"[0-9]{3,4}(?:\s(?:BCE?|CE|AD))?|AD\s[0-9]{1,4}|[0-9]{1,4}\sBCE?")
_CHESS_MOVE = re.compile(
    r"(?:O-O(?:-O)?|0-0(?:-0)?|[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=?[QRBN])?)[+#]?"
)
_MOVE_NUMBER = re.compile(r"\A\d{1,3}\.{1,3}\s*(?=[KQRBNOa-h0])")
_CHOICE = re.compile(r"\A(yes|no|true|false)\b(?=[,.;:!—–-])(.*)\Z", re.IGNORECASE | re.DOTALL)
_RESERVE = re.compile(r"\b(?:but|unless|except|however|although|though|only|if)\b", re.IGNORECASE)

_ASKING = r"\b(?:who|which|what|where|when|how (?:many|much))\b"
_SEVERAL_ASKED = re.compile(rf"{_ASKING}[^.?!]{{0,200}},? and (?:in )?{_ASKING}", re.IGNORECASE)
_YEAR_ASKED = re.compile(
    r"\b(?:what|which) year\b(?!['’]s)|\b(?:only|just) the year\b|\byear only\b"
    r"|\b(?:give|write|answer with|provide) (?:only |just )?the (?:\w+ )?year\b",
    re.IGNORECASE,
)
_MONTHS = (
    "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DATE_FORMATS = (
    (r"MM/DD/YYYY", r"\d{2}/\d{2}/\d{4}"),
    (r"DD/MM/YYYY", r"\d{2}/\d{2}/\d{4}"),
    (r"MM/DD/YY", r"\d{2}/\d{2}/\d{2}"),
    (r"DD/MM/YY", r"\d{2}/\d{2}/\d{2}"),
    (r"YYYY-MM-DD", r"\d{4}-\d{2}-\d{2}"),
    (r"DD-MM-YYYY", r"\d{2}-\d{2}-\d{4}"),
    (r"DD\.MM\.YYYY", r"\d{2}\.\d{2}\.\d{4}"),
    (r"Month D{1,2}, Y{4}", rf"{_MONTHS} \d{{1,2}}, \d{{4}}"),
    (r"D{1,2} Month Y{4}", rf"\d{{1,2}} {_MONTHS} \d{{4}}"),
    (r"Month Y{4}", rf"{_MONTHS} \d{{4}}"),
)
_ISO_DATE = re.compile(r"\bISO(?: 8601)?(?:[- ]date)?[- ]format|\bISO 8601\b|\bISO date\b")
_CODE = re.compile(
    r"\b(?i:give|provide|return|what(?: is|'s)|using|use|as|write|answer|report|express|state)\b"
    r"[^.?!]{0,200}?\b((?P<known>IOC|IATA|ICAO|FIFA|ISO 3166(?:-1)? alpha-[23])"
    r"|(?P<letters>two|three|four)-letter)\b[^.?!]{0,20}?"
    r"(?:\bcodes?\b|\babbreviation\b|(?<=alpha-[23]))(?!\s+[\"“']?[A-Z]{2,4}\b)",
)
_CODE_LETTERS = {"IOC": 3, "IATA": 3, "ICAO": 4, "FIFA": 3, "two": 2, "three": 3, "four": 4}
_CHESS_ASKED = re.compile(r"\balgebraic (?:chess )?notation\b", re.IGNORECASE)
_YES_NO = re.compile(r"\byes(?: or |/|-)no\b", re.IGNORECASE)
_TRUE_FALSE = re.compile(r"\btrue(?: or |/)false\b", re.IGNORECASE)
_AUXILIARY = re.compile(
    r"(?:is|are|was|were|do|does|did|has|have|had)\s(?!you\b|anyone\b|someone\b)[^.?!]*\?\Z",
    re.IGNORECASE,
)
_QUOTATION_ASKED = re.compile(
    r"\bverbatim\b|\bexact (?:words|phrase|quote|wording|sentence)\b|\bword[- ]for[- ]word\b"
    r"|\bquote the\b",
    re.IGNORECASE,
)
_QUOTES_ASKED = re.compile(
    r"\b(?:answer|give|put|write|enclosed?|provide|return)\b[^.?!]{0,200}(?<!without )"
    r"\b(?:in|with|inside|within) (?:double |single )?(?:quotation marks|quotes)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class AnswerForm:
    """What a question asks of its answer's form. What it does not speak of stays unset.

    Attributes:
        number, listing: in detail, where ``kind`` is number or list.
        looks: a date, code or choice in words, and ``pattern`` as a regular expression.
        words: what is asked of names and words, whatever the kind.
        quotes: whether quotation marks are asked for.
    """

    kind: Kind = "text"
    number: NumberForm = field(default_factory=NumberForm)
    listing: ListForm = field(default_factory=ListForm)
    pattern: str = ""
    looks: str = ""
    words: WordForm = field(default_factory=WordForm)
    quotes: bool = False

    def describe(self) -> str:
        """One short line that tells a model the form."""
        quotes = ["in quotation marks"] * self.quotes
        return ", ".join([self._describe_kind(), *self.words.describe(), *quotes])

    def _describe_kind(self) -> str:
        match self.kind:
            case "number":
                return self.number.describe()
            case "list":
                return self.listing.describe()
            case "date" | "code" | "choice":
                return self.looks
            case "year":
                return "a year and nothing else"
            case "chess move":
                return "one chess move in algebraic notation"
            case "quotation":
                return "the exact words and nothing else"
            case _:
                return "a name or a few words, no sentence"

    def shape(self, text: str) -> str:
        """The text in this form, as far as rules are certain; otherwise the text as it is.

        Applied until nothing changes, so ``shape(shape(text)) == shape(text)``.
        """
        while (shaped := self._shape_once(text)) != text:
            text = shaped
        return text

    def _shape_once(self, text: str) -> str:
        text = self.peel(text)
        if self.kind == "list":
            return self.listing.shape(text, self.words.shape)
        return self._shape_kind(self.words.shape(" ".join(text.split())))

    def peel(self, text: str) -> str:
        """The text without prefix, markdown, quotes and full stop, its lines kept."""
        whole_sentence = self.kind == "quotation" and len(text.split()) > 1
        return peel(text, keep_quotes=self.quotes, keep_period=whole_sentence)

    def _shape_kind(self, text: str) -> str:
        match self.kind:
            case "number":
                return self.number.shape(text)
            case "year":
                year = number_in_sentence(text, self.number.question, is_year=True) or ""
                return year if _YEAR.fullmatch(year) else text
            case "chess move":
                return _MOVE_NUMBER.sub("", text)
            case "choice":
                choice = _CHOICE.match(text)
                return choice[1] if choice and not _RESERVE.search(choice[2]) else text
            case _:
                return text

    def accepts(self, text: str) -> bool:
        """Whether the shaped text is a bare answer in this form, fit to be copied as it is."""
        if "\n" in self.peel(text) and self.kind != "list":
            return False
        shaped = self.shape(text)
        is_answer = bool(shaped) and not is_refusal(shaped) and not self.is_wordy(shaped)
        return is_answer and self.fits(shaped)

    def is_wordy(self, text: str) -> bool:
        """Whether the text, or a member of the list, is a sentence where none is asked for."""
        parts = text.split(self.listing.separator) if self.kind == "list" else [text]
        return self.kind != "quotation" and any(map(is_sentence, parts))

    def fits(self, text: str) -> bool:
        """Whether a bare text is of the kind asked for, whatever it says."""
        match self.kind:
            case "number":
                return self.number.fits(text)
            case "year":
                return bool(_YEAR.fullmatch(text))
            case "list":
                items = text.split(self.listing.separator)
                return len(items) > 1 and all(map(self.words.fits, items))
            case "chess move":
                return bool(_CHESS_MOVE.fullmatch(text))
            case "date" | "code" | "choice":
                return bool(re.fullmatch(self.pattern, text, re.IGNORECASE))
            case _:
                return self.words.fits(text)


def read_form(question: str) -> AnswerForm:
    """The form that the question asks for, by rule; plain text where it asks for none."""
    return replace(
        _read_kind(question),
        words=WordForm.read(question),
        quotes=bool(_QUOTES_ASKED.search(question)),
    )


def _read_kind(question: str) -> AnswerForm:
    if _CHESS_ASKED.search(question):
        return AnswerForm("chess move")
    if listing := ListForm.read(question):
        return AnswerForm("list", listing=listing)
    if _QUOTATION_ASKED.search(question):
        return AnswerForm("quotation")
    if code := _CODE.search(question):
        return _read_code(code)
    if date := _read_date(question):
        return date
    number = NumberForm.read(question)
    year = _YEAR_ASKED.search(question)
    if _SEVERAL_ASKED.search(question) or (number and year):
        return AnswerForm()
    if year:
        return AnswerForm("year", number=NumberForm(question))
    if number:
        return AnswerForm("number", number=number)
    return _read_choice(question)


def _read_code(code: re.Match[str]) -> AnswerForm:
    known, letters = code["known"], code["letters"]
    count = _CODE_LETTERS.get(known or letters) or int(known[-1])
    name = f"{known} code" if known else "code"
    return AnswerForm("code", pattern=f"[A-Z]{{{count}}}", looks=f"the {name} of {count} letters")


def _read_date(question: str) -> AnswerForm | None:
    if _ISO_DATE.search(question):
        question += " YYYY-MM-DD"
    for written, pattern in _DATE_FORMATS:
        if found := re.search(rf"(?<!\w){written}(?!\w)", question):
            return AnswerForm("date", pattern=pattern, looks=f"a date as {found[0]}")
    return None


def _read_choice(question: str) -> AnswerForm:
    last = re.split(r"(?<=[.?!])\s+", question.strip())[-1]
    if _TRUE_FALSE.search(question):
        return AnswerForm("choice", pattern="true|false", looks="true or false")
    if _YES_NO.search(question) or (_AUXILIARY.match(last) and " or " not in last):
        return AnswerForm("choice", pattern="yes|no", looks="yes or no")
    return AnswerForm()
