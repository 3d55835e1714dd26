"""What a submitted answer would lose points for where scorers compare the exact text."""

import re

from agent.core import answer_text
from agent.core.answer_form import AnswerForm, Kind
from agent.core.answer_number import NumberForm
from agent.core.answer_numeral import decimals_of, is_numeral, read_measure
from agent.core.answer_units import unit_of

_SENTENCE = "It is a sentence where the bare answer is asked for."
_LIST = "It is a list where one item is asked for."
_WORDS = re.compile(r"[^\W\d_]+(?:\s[^\W\d_]+)*")
_SINGLE: tuple[Kind, ...] = ("year", "code", "choice", "chess move", "date")


def lint(answer: str, form: AnswerForm) -> list[str]:
    """One sentence for each fault of ``answer``; none for a bare answer in the form asked for."""
    text = answer.strip()
    if not text:
        return ["The answer is empty."]
    if answer_text.is_refusal(text):
        return ["The answer says that there is none."]
    faults = _wrapping_faults(answer, form)
    return faults if _SENTENCE in faults else [*faults, *_form_faults(form.peel(text), form)]


def _wrapping_faults(answer: str, form: AnswerForm) -> list[str]:
    """Faults around the answer, whatever its kind."""
    text = answer.strip()
    unmarked = answer_text.strip_latex(answer_text.strip_markdown(text))
    unprefixed = answer_text.strip_prefix(unmarked)
    unquoted = unprefixed if form.quotes else answer_text.strip_quotes(unprefixed)
    unended = unquoted if form.kind == "quotation" else answer_text.strip_period(unquoted)
    found = {
        "There is space before or after it.": answer != text,
        "It has a line break.": "\n" in text,
        "It has markdown or LaTeX marks.": unmarked != text,
        'It begins with a prefix such as "The answer is".': unprefixed != unmarked,
        "It is in quotation marks.": unquoted != unprefixed,
        "It ends with a full stop.": unended != unquoted,
        _SENTENCE: form.is_wordy(unended),
    }
    return [sentence for sentence, is_fault in found.items() if is_fault]


def _form_faults(text: str, form: AnswerForm) -> list[str]:
    """Faults against the form that the question asks for."""
    if form.kind == "number":
        return _number_faults(text, form.number)
    if form.kind == "list":
        return _list_faults(text, form)
    if form.fits(text):
        return []
    if form.kind in _SINGLE and re.search("[,;] ", text):
        return [_LIST]
    return [f"It is not in the form asked for: {form.describe()}."]


def _list_faults(text: str, form: AnswerForm) -> list[str]:
    if form.listing.separator.strip() not in text:
        return ["It is one item where a list is asked for."]
    if form.shape(text) != text:
        return [f"Its members do not stand as asked for: {form.describe()}."]
    return [] if form.fits(text) else [f"A member is not in the form asked for: {form.describe()}."]


def _number_faults(text: str, number: NumberForm) -> list[str]:
    measure = read_measure(text)
    marks = measure.marks if measure else []
    if measure is None or not all(unit_of(mark) or _WORDS.fullmatch(mark) for mark in marks):
        is_list = re.search("[,;] ", text)
        return [_LIST if is_list else "It is no number where a number is asked for."]
    grouped = not is_numeral(measure.numeral)
    decimals = decimals_of(measure.numeral)
    found = {
        "It has a unit or currency mark that is not asked for.": (
            bool(marks) and not number.unit and not (marks == ["%"] and number.asks_percent)
        ),
        "It lacks the unit that is asked for.": not marks and bool(number.unit),
        "It has thousands separators that are not asked for.": grouped and not number.grouped,
        f"It should have {number.decimals} decimals.": number.decimals not in (None, decimals),
        "It has decimals where a whole number is asked for.": number.whole and bool(decimals),
    }
    return [sentence for sentence, is_fault in found.items() if is_fault]
