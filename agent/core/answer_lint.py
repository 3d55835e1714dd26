"""What a submitted answer would lose points for where scorers compare the exact text."""

import re

from agent.core import answer_text
from agent.core.answer_form import AnswerForm
from agent.core.answer_numeral import (
    GROUP_MARK,
    decimals_of,
    is_numeral,
    number_in_sentence,
    read_measure,
)


def lint(answer: str, form: AnswerForm) -> list[str]:
    """One sentence for each fault of ``answer``; none for a bare answer in the form asked for."""
    text = answer.strip()
    if not text:
        return ["The answer is empty."]
    if answer_text.is_refusal(text):
        return ["The answer says that there is none."]
    return [*_wrapping_faults(answer, form), *_form_faults(form.peel(text), form)]


def _wrapping_faults(answer: str, form: AnswerForm) -> list[str]:
    """Faults around the answer, whatever its kind."""
    text = answer.strip()
    unmarked = answer_text.strip_latex(answer_text.strip_markdown(text))
    unprefixed = answer_text.strip_prefix(unmarked)
    unquoted = unprefixed if form.quotes else answer_text.strip_quotes(unprefixed)
    is_verbatim = form.kind == "quotation"
    found = {
        "There is space before or after it.": answer != text,
        "It has a line break.": "\n" in text,
        "It has markdown or LaTeX marks.": unmarked != text,
        'It begins with a prefix such as "The answer is".': unprefixed != unmarked,
        "It is in quotation marks.": unquoted != unprefixed,
        "It ends with a full stop.": (
            not is_verbatim and answer_text.strip_period(unquoted) != unquoted
        ),
        "It is a sentence where the bare answer is asked for.": (
            not is_verbatim and answer_text.is_sentence(unquoted)
        ),
    }
    return [sentence for sentence, is_fault in found.items() if is_fault]


def _form_faults(text: str, form: AnswerForm) -> list[str]:
    """Faults against the kind of answer that the question asks for."""
    if form.kind == "number":
        return _number_faults(text, form)
    if form.kind == "list" and form.listing.separator.strip() not in text:
        return ["It is one item where a list is asked for."]
    if form.kind in ("year", "code", "choice", "chess move", "date") and re.search("[,;] ", text):
        if not form.fits(text):
            return ["It is a list where one item is asked for."]
    if form.fits(text) and form.kind != "list":
        return []
    if form.kind == "list" and form.shape(text) == text and form.fits(text):
        return []
    return [f"It is not in the form asked for: {form.describe()}."]


def _number_faults(text: str, form: AnswerForm) -> list[str]:
    number = form.number
    measure = read_measure(text)
    if measure is None:
        if re.search("[,;] ", text) and not number_in_sentence(text, number.question):
            return ["It is a list where one number is asked for."]
        return ["It is no number where a number is asked for."]
    marks = [mark for mark in (measure.before, measure.after) if mark]
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
