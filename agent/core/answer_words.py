"""Words as answers: which part of a name, which case, with or without articles."""

import re
from dataclasses import dataclass
from typing import Self

_GIVE = (
    r"\b(?:(?:what (?:is|are|was|were)|give|provide|state|list|write|using?"
    r"|(?:answer|respond|reply) with)(?: me)?(?: only| just)?"
    r"|(?:only|just)(?: use| give| write)?)(?: the| their| his| her)? "
)
_NAME_PARTS = {
    part: re.compile(
        rf"{_GIVE}(?:{names})s?\b(?!,? (?:and|or)\b)|\b(?:{names})s? only\b", re.IGNORECASE
    )
    for part, names in (
        ("first name", "first name|given name|forename"),
        ("last name", "last name|surname|family name"),
    )
}
_UPPER = re.compile(
    r"\bin (?:all )?(?:upper[- ]?case|caps|capitals|capital letters)\b|\bin all[- ]caps\b", re.I
)
_LOWER = re.compile(r"\bin (?:all )?lower[- ]?case\b", re.IGNORECASE)
_NO_ARTICLES = re.compile(
    r"\b(?:without|omit(?:ting)?|exclud(?:e|ing)|leav(?:e|ing) out|not (?:use|include)"
    r"|(?:with|use) no) (?:(?:any|the|definite|indefinite|leading|initial|or|and) )*articles?\b",
    re.IGNORECASE,
)
_NO_ABBREVIATIONS = re.compile(
    r"\b(?:without|no|not use|avoid|never use)\b[^.?!]{0,200}\babbreviations?\b|\bunabbreviated\b"
    r"|\b(?:do not|don['’]t) abbreviate\b",
    re.IGNORECASE,
)
_ONE_WORD = re.compile(
    r"\b(?:in|with|as) (?:just |only )?(?:one|a single) word\b|\b(?:one|single)[- ]word answer\b"
    r"|\bone word only\b|\bonly one word\b",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\A(?:an?|the)\s+(?=\S)", re.IGNORECASE)


def has_article(text: str) -> bool:
    """Whether the text begins with "a", "an" or "the"."""
    return bool(_ARTICLE.match(text))


@dataclass(frozen=True)
class WordForm:
    """What is asked of names and words.

    Attributes:
        name_part: ``first name``, ``last name`` or empty.
        case: ``upper``, ``lower`` or empty.
        articles, abbreviations: whether they may stand.
        one_word: whether one word is asked for.
    """

    name_part: str = ""
    case: str = ""
    articles: bool = True
    abbreviations: bool = True
    one_word: bool = False

    @classmethod
    def read(cls, question: str) -> Self:
        """What the question asks of words."""
        parts = (part for part, asked in _NAME_PARTS.items() if asked.search(question))
        upper, lower = _UPPER.search(question), _LOWER.search(question)
        return cls(
            name_part=next(parts, ""),
            case="upper" if upper else "lower" if lower else "",
            articles=not _NO_ARTICLES.search(question),
            abbreviations=not _NO_ABBREVIATIONS.search(question),
            one_word=bool(_ONE_WORD.search(question)),
        )

    def describe(self) -> list[str]:
        """Each demand in a few words."""
        said = {
            f"{self.name_part} only": bool(self.name_part),
            f"in {self.case} case": bool(self.case),
            "one word": self.one_word,
            "without articles": not self.articles,
            "without abbreviations": not self.abbreviations,
        }
        return [words for words, asked in said.items() if asked]

    def shape(self, text: str) -> str:
        """The text without its article and in the case asked for. A name is never cut: which of
        its words are the surname is not for a rule to say."""
        if not self.articles:
            text = _ARTICLE.sub("", text)
        return {"upper": text.upper(), "lower": text.lower()}.get(self.case, text)

    def fits(self, text: str) -> bool:
        """Whether the text keeps to all of it, as far as can be seen."""
        words = text.split()
        if self.one_word or self.name_part == "first name":
            return len(words) == 1
        if self.name_part == "last name":
            return len(words) == 1 or words[0].islower()
        return self.abbreviations or not re.search(r"[^\W\d_]\.", text)
