"""A bare answer out of a sentence, by what the sentence says beyond the question.

Small models answer in sentences, and a sentence scores nothing. "The hall of Varnholt has 640
seats", asked how many seats the hall has, says 640 and nothing else that is new. Where more than
one thing is new there is no telling which is meant, and nothing is taken.
"""

import calendar
import re
from datetime import date

from agent.core.answer_form import AnswerForm
from agent.core.answer_text import is_refusal, word_set

_MONTHS = [name.lower() for name in calendar.month_name[1:]]
_DATE = re.compile(
    rf"\b(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m1>{'|'.join(_MONTHS)})"
    rf"|(?P<m2>{'|'.join(_MONTHS)}) (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?),? (?P<year>\d{{4}})\b",
    re.IGNORECASE,
)
_STYLES = {"YYYY": "%Y", "YY": "%y", "MM": "%m", "DD": "%d"}
_DATE_PART = "|".join(_STYLES)
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?!\w)")
_WORD = re.compile(r"[^\W_][\w'\u2019.&-]*")
_FILLERS = word_set(
    "a an the is are was were be been being has have had did does do it its he she they his her "
    "their there this that these those which who whom whose what where when as at by for from in "
    "into of on to with and or than then so such very named called known made given answer found "
    "one also only"
)
"""Words that hold a sentence together; an answer neither begins nor ends with one."""
_MOST_WORDS = 6


def distil(text: str, question: str, form: AnswerForm) -> str:
    """The answer that ``text`` states, in the form asked for; empty where that is in doubt."""
    sentence = form.peel(text)
    if "\n" in sentence or is_refusal(sentence):
        return ""
    match form.kind:
        case "number" | "year":
            found = _number(sentence, question)
        case "date":
            found = _date(sentence, form.looks)
        case "text":
            found = _part_of_name(_news(sentence, question), form.words.name_part)
        case "list":
            items = form.shape(sentence).split(form.listing.separator)
            found = form.listing.separator.join(_item(item, form) for item in items)
        case _:
            return ""
    shaped = form.shape(found)
    return shaped if found and form.accepts(shaped) else ""


def _number(sentence: str, question: str) -> str:
    """The only number that the question does not hold itself."""
    given = {numeral.replace(",", "") for numeral in _NUMBER.findall(question)}
    stated = {numeral.replace(",", "").rstrip(".") for numeral in _NUMBER.findall(sentence)}
    fresh = stated - given
    return fresh.pop() if len(fresh) == 1 else ""


def _date(sentence: str, looks: str) -> str:
    """The only date, written as it is to look, such as "a date as DD/MM/YYYY"."""
    found = list(_DATE.finditer(sentence))
    if len(found) != 1:
        return ""
    match = found[0]
    month = _MONTHS.index((match["m1"] or match["m2"]).lower()) + 1
    try:
        day = date(int(match["year"]), month, int(match["d1"] or match["d2"]))
    except ValueError:
        return ""
    return re.sub(_DATE_PART, lambda part: day.strftime(_STYLES[part[0]]), looks.split()[-1])


def _news(sentence: str, question: str) -> str:
    """The only run of words that the question does not hold."""
    known = {_stem(word) for word in _WORD.findall(question)} - {_stem(word) for word in _FILLERS}
    runs: list[list[re.Match[str]]] = [[]]
    for word in _WORD.finditer(sentence):
        if _stem(word[0]) in known:
            runs.append([])
        else:
            runs[-1].append(word)
    told = [run for run in map(_without_fillers, runs) if run]
    if len(told) != 1 or len(told[0]) > _MOST_WORDS:
        return ""
    return sentence[told[0][0].start() : told[0][-1].end()].rstrip(".")


def _without_fillers(run: list[re.Match[str]]) -> list[re.Match[str]]:
    while run and run[0][0].lower() in _FILLERS:
        run = run[1:]
    while run and run[-1][0].lower().rstrip(".") in _FILLERS:
        run = run[:-1]
    return run


def _stem(word: str) -> str:
    plain = re.sub(r"['\u2019]s$|\W+$", "", word.casefold())
    return re.sub(r"(?:ed|es|s|d)$", "", plain) if len(plain) > 4 else plain


def _item(item: str, form: AnswerForm) -> str:
    """What is asked of an item: a part of a name, or its last word, which says what it is."""
    if form.words.one_word:
        return item.split()[-1] if item else item
    return _part_of_name(item, form.words.name_part)


def _part_of_name(text: str, part: str) -> str:
    """The part asked for of a name of two words; with more there is no telling which is which."""
    words = text.split()
    if not part or len(words) != 2 or not all(word[:1].isupper() for word in words):
        return text
    return words[0] if part == "first name" else words[1]
