"""What an answer would lose points for, named fault by fault."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.core.answer_form import read_form
from agent.core.answer_lint import lint

TEXT = "Which town lies at the mouth of the river Orn?"
NUMBER = "How many lighthouses stand on the island of Vell?"
LIST = "Name the rivers of Vell as a comma-separated list in alphabetical order."
TOWNS = "Name the towns as a comma-separated list, without abbreviations."
YEAR = "In what year did the lighthouse of Vell open?"
DOLLARS = "What did the lantern cost, in USD, to two decimal places?"
PERCENT = "What percentage of the islanders keep goats?"
WEIGHT = "How much does the lamp weigh? Give the unit."
FIRST_NAME = "Who kept the light? Give only the first name."
QUOTATION = "What are the exact words that the keeper wrote in his log?"

EMPTY = "The answer is empty."
REFUSAL = "The answer says that there is none."
SPACE = "There is space before or after it."
BREAK = "It has a line break."
MARKDOWN = "It has markdown or LaTeX marks."
PREFIX = 'It begins with a prefix such as "The answer is".'
QUOTES = "It is in quotation marks."
PERIOD = "It ends with a full stop."
SENTENCE = "It is a sentence where the bare answer is asked for."
UNIT = "It has a unit or currency mark that is not asked for."
NO_UNIT = "It lacks the unit that is asked for."
COMMA = "It has thousands separators that are not asked for."
TWO_DECIMALS = "It should have 2 decimals."
WHOLE = "It has decimals where a whole number is asked for."
NO_NUMBER = "It is no number where a number is asked for."
IS_LIST = "It is a list where one item is asked for."
NO_LIST = "It is one item where a list is asked for."


@pytest.mark.parametrize(
    ("question", "answer", "faults"),
    [
        (TEXT, "", [EMPTY]),
        (TEXT, " \n", [EMPTY]),
        (TEXT, "I don't know.", [REFUSAL]),
        (TEXT, "Unable to determine", [REFUSAL]),
        (TEXT, "N/A", [REFUSAL]),
        (TEXT, " Ornmouth", [SPACE]),
        (TEXT, "Ornmouth\n", [SPACE]),
        (TEXT, "Orn\nmouth", [BREAK]),
        (TEXT, "**Ornmouth**", [MARKDOWN]),
        (TEXT, r"\boxed{Ornmouth}", [MARKDOWN]),
        (TEXT, "FINAL ANSWER: Ornmouth", [PREFIX]),
        (TEXT, "The answer is Ornmouth.", [PREFIX, PERIOD]),
        (TEXT, '"Ornmouth"', [QUOTES]),
        (TEXT, "“Ornmouth.”", [QUOTES, PERIOD]),
        (TEXT, "Ornmouth.", [PERIOD]),
        (TEXT, "The town is called Ornmouth", [SENTENCE]),
        (NUMBER, "There are 17 lighthouses.", [PERIOD, SENTENCE]),
        (NUMBER, "17 lighthouses", [UNIT]),
        (NUMBER, "$17", [UNIT]),
        (NUMBER, "5%", [UNIT]),
        (NUMBER, "1,234", [COMMA]),
        (NUMBER, "17.5", [WHOLE]),
        (NUMBER, "seventeen", [NO_NUMBER]),
        (NUMBER, "17 (about)", [NO_NUMBER]),
        (NUMBER, "Orn, Vey", [IS_LIST]),
        (DOLLARS, "$1,234.5", [UNIT, COMMA, TWO_DECIMALS]),
        (DOLLARS, "3", [TWO_DECIMALS]),
        (WEIGHT, "5", [NO_UNIT]),
        (LIST, "Orn", [NO_LIST]),
        (YEAR, "1889, 1890", [IS_LIST]),
    ],
)
def test_names_each_fault(question: str, answer: str, faults: list[str]) -> None:
    assert lint(answer, read_form(question)) == faults


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        (LIST, "Vey, Orn", "Its members do not stand as asked for"),
        (LIST, "Orn,Vey", "Its members do not stand as asked for"),
        (YEAR, "May 1889", "It is not in the form asked for: a year"),
        (FIRST_NAME, "Ada Zell", "first name only"),
        (TOWNS, "Orn, St. Vey", "A member is not in the form asked for"),
    ],
)
def test_tells_the_form_that_was_missed(question: str, answer: str, said: str) -> None:
    (fault,) = lint(answer, read_form(question))
    assert said in fault


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (TEXT, "St. Petersburg"),
        (TEXT, "Orn Inc."),
        (TEXT, "U.S.A."),
        (TEXT, "'Tis the Season"),
        (TEXT, "The Moon Is a Harsh Mistress"),
        (TEXT, "Orn, on the Vey"),
        (NUMBER, "-17"),
        (DOLLARS, "1234.50"),
        (PERCENT, "5%"),
        (PERCENT, "5"),
        (WEIGHT, "5 kg"),
        (LIST, "Orn, Sill, Vey"),
        (YEAR, "44 BC"),
        (FIRST_NAME, "Ada"),
        (QUOTATION, "The lamp is out."),
    ],
)
def test_finds_nothing_in_a_bare_answer(question: str, answer: str) -> None:
    assert lint(answer, read_form(question)) == []


@settings(deadline=None)
@given(st.sampled_from([TEXT, NUMBER, LIST, YEAR, DOLLARS, FIRST_NAME, QUOTATION]), st.text())
def test_what_is_accepted_has_no_fault_once_shaped(question: str, text: str) -> None:
    form = read_form(question)
    if form.accepts(text):
        assert lint(form.shape(text), form) == []
