"""The form of an answer: read from the question, enforced on a text, and nothing damaged."""

import re
from decimal import Decimal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agent.core.answer_form import read_form

NUMBER = "How many lighthouses stand on the island of Vell?"
TEXT = "Which town lies at the mouth of the river Orn?"
LIST = "Name the rivers of Vell as a comma-separated list."
SORTED = "Name the rivers of Vell as a comma-separated list, in alphabetical order."
YEAR = "In what year did the lighthouse of Vell open?"
MOVE = "White to move. Give the winning move in algebraic notation."
YES_NO = "Is the lighthouse of Vell taller than its church?"
PERCENT = "What percentage of the islanders keep goats?"
DOLLARS = "What did the lantern cost, in USD, to two decimal places?"
QUOTATION = "What are the exact words that the keeper wrote in his log?"


@pytest.mark.parametrize(
    ("question", "described"),
    [
        (TEXT, "a name or a few words, no sentence"),
        (NUMBER, "a whole number, no unit, no comma"),
        ("What is 12*31?", "a number, no unit, no comma"),
        ("How many kilometres is it to Orn?", "a number, no unit, no comma"),
        (DOLLARS, "a number with 2 decimals, no unit, no comma"),
        ("How heavy is it? Give the unit.", "a name or a few words, no sentence"),
        ("How much does it weigh? Give the unit.", "a number, with its unit, no comma"),
        (
            "How many people live there? Use thousands separators.",
            "a whole number, no unit, with thousands separators",
        ),
        (
            "How many people live there? Do not use thousands separators.",
            "a whole number, no unit, no comma",
        ),
        (
            "How many people live there, to the nearest thousand?",
            "a whole number rounded to the nearest 1000, no unit, no comma",
        ),
        (
            "What is the population of Vell in thousands?",
            "a number, counted in thousands, no unit, no comma",
        ),
        (
            "What is the average depth, rounded to the nearest tenth?",
            "a number with 1 decimal, no unit, no comma",
        ),
        ("What is the mean depth to the nearest integer?", "a whole number, no unit, no comma"),
        ("How far is it in miles?", "a number, no unit, no comma"),
        (LIST, 'a list separated by ", "'),
        (SORTED, 'a list separated by ", ", in alphabetical order'),
        (
            "List all the keepers, separated by semicolons, in chronological order.",
            'a list separated by "; ", in chronological order',
        ),
        (
            "Give the page numbers as a comma-delimited list without spaces in ascending order.",
            'a list separated by ",", in ascending order',
        ),
        (
            "List the keepers, separated by commas, alphabetically by last name.",
            'a list separated by ", ", in alphabetical order of surnames',
        ),
        (
            "Give a comma-separated list of ships in the order they appear.",
            'a list separated by ", ", in the order given',
        ),
        (
            "Give only the last names, comma-separated, in alphabetical order.",
            'a list separated by ", ", in alphabetical order, last name only',
        ),
        (
            "Give a comma-separated list of ships in the order in the text.",
            'a list separated by ", ", in the order given',
        ),
        (
            "Give a comma-separated list of towns in alphabetical order of their rivers.",
            'a list separated by ", "',
        ),
        (YEAR, "a year and nothing else"),
        ("When did it open? Give the date as YYYY-MM-DD.", "a date as YYYY-MM-DD"),
        ("When did it open? Use the ISO 8601 format.", "a date as YYYY-MM-DD"),
        ("When did it open? Use MM/DD/YYYY.", "a date as MM/DD/YYYY"),
        ("When did it open? Answer as Month D, YYYY.", "a date as Month D, YYYY"),
        ("Give the IOC code of the country as your answer.", "the IOC code of 3 letters"),
        ("What is the two-letter code of the state?", "the code of 2 letters"),
        (
            "Which city has the airport with the IATA code ZZQ?",
            "a name or a few words, no sentence",
        ),
        (MOVE, "one chess move in algebraic notation"),
        (YES_NO, "yes or no"),
        ("Is the church or the lighthouse taller?", "a name or a few words, no sentence"),
        ("The tower is taller. True or false?", "true or false"),
        (QUOTATION, "the exact words and nothing else"),
        (
            "Who kept the light? Give only the first name.",
            "a name or a few words, no sentence, first name only",
        ),
        (
            "What is the surname of the keeper?",
            "a name or a few words, no sentence, last name only",
        ),
        (
            "Which ship sank? Answer in upper case, without articles or abbreviations.",
            "a name or a few words, no sentence, in upper case, without articles, "
            "without abbreviations",
        ),
        (
            "Which town is it? Write it without abbreviations, in one word.",
            "a name or a few words, no sentence, one word, without abbreviations",
        ),
        (
            "Which line is on the stone? Put your answer in quotation marks.",
            "a name or a few words, no sentence, in quotation marks",
        ),
        ("Who kept the light, and how many years?", "a name or a few words, no sentence"),
        ("What is the number of the boat that sank?", "a name or a few words, no sentence"),
        (
            "If keepers tie, return the first in alphabetical order.",
            "a name or a few words, no sentence",
        ),
    ],
)
def test_reads_the_form_from_the_question(question: str, described: str) -> None:
    assert read_form(question).describe() == described


@pytest.mark.parametrize(
    ("question", "text", "shaped"),
    [
        (TEXT, "FINAL ANSWER: Ornmouth", "Ornmouth"),
        (TEXT, "The answer is Ornmouth.", "Ornmouth"),
        (TEXT, "So the answer is: **Ornmouth**.", "Ornmouth"),
        (TEXT, "Final answer - Ornmouth", "Ornmouth"),
        (TEXT, "**Answer:** Ornmouth", "Ornmouth"),
        (TEXT, "I looked at two maps.\n\nAnswer: Ornmouth", "Ornmouth"),
        (TEXT, '"Ornmouth."', "Ornmouth"),
        (TEXT, "“Ornmouth”", "Ornmouth"),
        (TEXT, "`Ornmouth`", "Ornmouth"),
        (TEXT, "```text\nOrnmouth\n```", "Ornmouth"),
        (TEXT, "# Ornmouth", "Ornmouth"),
        (TEXT, "- Ornmouth", "Ornmouth"),
        (TEXT, "[Ornmouth](https://example.org/Orn_(river))", "Ornmouth"),
        (TEXT, r"\boxed{\text{Ornmouth}}", "Ornmouth"),
        (TEXT, "  Orn\n mouth ", "Orn mouth"),
        (NUMBER, "There are 17 lighthouses on the island.", "17"),
        (NUMBER, "17 lighthouses", "17"),
        (NUMBER, "17.0", "17"),
        (NUMBER, "$17$", "17"),
        (NUMBER, "1,234,567", "1234567"),
        (NUMBER, "12,34,567", "1234567"),
        (NUMBER, "−5", "-5"),
        ("What is 12*31?", "12 * 31 = 372", "372"),
        ("What is 12*31?", "12*31=372", "372"),
        ("How much did it cost? Include the currency symbol.", "Rs 5,000", "Rs 5000"),
        ("What is the mean height, to the nearest hundred?", "1200.0", "1200"),
        ("What is the mean height, to the nearest hundred?", "1250", "1300"),
        ("What is 12*31?", "The product of 12 and 31 is 372.", "372"),
        (DOLLARS, "$1,234.5", "1234.50"),
        (DOLLARS, "USD 1234.565", "1234.57"),
        (DOLLARS, "-$2.675", "-2.68"),
        (DOLLARS, "12 dollars", "12.00"),
        ("How much did it cost?", "Rs. 5", "5"),
        ("How much did it cost? Include the currency symbol.", "$5,000", "$5000"),
        ("How many people live there? Use thousands separators.", "1,234", "1,234"),
        ("How many people live there, to the nearest thousand?", "1,234,567", "1235000"),
        ("How many thousand people live there, to the nearest 1000?", "17 thousand people", "17"),
        ("How far is it in metres?", "12 m", "12"),
        ("How far is it in metres, rounded up to the nearest ten?", "121 metres", "130"),
        (PERCENT + " Give one decimal place.", "5.25%", "5.3%"),
        (PERCENT + " Answer without the percent sign.", "5%", "5"),
        (LIST, "Orn and Vey, Sill", "Orn and Vey, Sill"),
        (LIST, "Orn,Vey,and Sill.", "Orn, Vey, Sill"),
        (LIST, "- Orn\n- Vey\n- Sill", "Orn, Vey, Sill"),
        (LIST, "1. Orn\n2. Vey", "Orn, Vey"),
        (LIST, "The rivers are:\n* Orn\n* Vey", "Orn, Vey"),
        (LIST, '["Orn", "Vey"]', "Orn, Vey"),
        (LIST, "Orn; Vey", "Orn, Vey"),
        (LIST, "1,234", "1, 234"),
        (SORTED, "vey, Sill, Örn", "Örn, Sill, vey"),
        ("List all pages, separated by commas, in descending order.", "9, 10, -1", "10, 9, -1"),
        ("List all years, separated by commas, chronologically.", "1999, 1889", "1889, 1999"),
        (
            "List the keepers, separated by commas, alphabetically by surname.",
            "Ada Zell, Zoe Abel",
            "Zoe Abel, Ada Zell",
        ),
        (YEAR, "It opened in 1889.", "1889"),
        (MOVE, "1... Rd5+.", "Rd5+"),
        (YES_NO, "Yes, it is.", "Yes"),
        ("Which ship sank? Answer without articles.", "The Orn", "Orn"),
        ("Which ship sank? Answer in upper case.", "Orn", "ORN"),
        (QUOTATION, '"The lamp is out."', "The lamp is out."),
        (QUOTATION, "Extinguished.", "Extinguished"),
    ],
)
def test_shapes_where_the_rule_is_certain(question: str, text: str, shaped: str) -> None:
    form = read_form(question)
    assert form.shape(text) == shaped
    assert form.shape(shaped) == shaped


BARE = r"""
St. Petersburg|U.S.A.|Orn Inc.|Louis C.K.|A. Einstein|J. K. R.|10 Downing St.|Ph.D.|a.m.|e.g.|No. 5
3.10|3:10|-5|- 5|+5|.5|5.0|1/2|½|1.5e3|2,5|5%|1,234|1 234|007|5"|$5|€5|-$5|R$ 5|17 km|17–18|~5|> 5
1999|1990s|44 BC|5th|six|B12|v1.2.3|50/50|12:30 p.m.|978-3-16-148410-0|+1 555 0100
The Beatles|AC/DC|Apollo 11|Boeing 747|O'Brien|dogs'|'Tis the Season|rock 'n' roll|Orn and Vey
"Hello" and "Bye"|Who's Afraid of Virginia Woolf?|Yahoo!|Wait...|The Answer|What Is the Answer
Mrs. Dalloway|The Moon Is a Harsh Mistress|I Can't Get No Satisfaction|https://example.org/a_(b)
Rd5+|Qxf7#|O-O|e4 e5 2. Nf3|C#|#5|A*|M*A*S*H|2*3*4|__init__|*args|x_1|a_b_c|f(x)|[1]|{a}|C:\temp
"""
BARE_TEXTS = re.split(r"[|\n]", BARE.strip())


@pytest.mark.parametrize("text", BARE_TEXTS)
def test_leaves_a_bare_text_alone(text: str) -> None:
    assert read_form(TEXT).shape(text) == text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        *((NUMBER, text) for text in BARE_TEXTS if text not in ("1,234", "5.0")),
        (NUMBER, "17 or 18"),
        (NUMBER, "about 17"),
        (NUMBER, "1.5 million"),
        (NUMBER, "17 dozen lighthouses"),
        (NUMBER, "Five of the 12 lighthouses stand on the island"),
        (NUMBER, "Perhaps there are 17 lighthouses"),
        (NUMBER, "It isn't so that there are 17 lighthouses"),
        (NUMBER, "Besides seven ruins there are 17 lighthouses"),
        (NUMBER, "In 1889 many lighthouses stood there"),
        (NUMBER, "The keeper was 61 years old"),
        (NUMBER, "More than 17 lighthouses"),
        (NUMBER, "17!"),
        (NUMBER, "1.234,56"),
        ("How far is it in kilometres?", "5 miles"),
        ("How much was it in euros?", "$5"),
        ("How much was it in euros?", "The price is $5"),
        ("How much was it?", "$5 million"),
        ("How much was it?", "5 m"),
        (NUMBER + " Round to two decimals.", "2,5"),
        ("What is the mean of the heights, to the nearest 1000?", "17"),
        (PERCENT, "5%"),
        (LIST, "1,234, 5,678"),
        (LIST, "Orn, Vell; Vey, Sill"),
        (LIST, "Trinidad and Tobago"),
        (SORTED, "The Wash, Orn"),
        ("Give the towns separated by semicolons.", "Orn, Vell"),
        (YEAR, "The keeper was born in May 1889"),
        (YEAR, "44 BC"),
        (YES_NO, "Yes, but only by an inch"),
        ("Who was it? Give only the last name.", "Vincent van Gogh"),
        ("Answer in quotation marks: what did he say?", '"Out"'),
    ],
)  # fmt: skip
def test_leaves_alone_what_a_rule_cannot_tell(question: str, text: str) -> None:
    assert read_form(question).shape(text) == text


@pytest.mark.parametrize(
    ("question", "accepted", "refused"),
    [
        (TEXT, "Ornmouth", "The town is called Ornmouth, I think."),
        (TEXT, "St. Petersburg", "Ornmouth\nIt is a port."),
        (TEXT, "I Can't Get No Satisfaction", "I don't know"),
        (TEXT, "**Ornmouth**", "N/A"),
        (TEXT, "No. 5", "Unable to determine"),
        (TEXT, "Mrs. Dalloway", "It could not be found."),
        (TEXT, "The Moon Is a Harsh Mistress", " "),
        (NUMBER, "17 lighthouses", "seventeen"),
        (NUMBER, "There are 17.", "17.5"),
        (DOLLARS, "$3", "€3"),
        (PERCENT, "5%", "5 goats"),
        ("How much does it weigh? Give the unit.", "5 kg", "5"),
        (LIST, "- Orn\n- Vey", "Orn"),
        (LIST, "Orn, Vey", "The river is the Orn, and it is long"),
        (YEAR, "1889", "May 1889"),
        (YEAR, "44 BC", "nineteen"),
        (MOVE, "1. Nxe4", "Move the knight"),
        (YES_NO, "No.", "Perhaps"),
        ("When did it open? Give the date as YYYY-MM-DD.", "1889-05-01", "1 May 1889"),
        ("Give the IOC code of the country.", "VEL", "Vell"),
        ("Who was it? Give only the first name.", "Ada", "Ada Zell"),
        ("Who was it? Give only the last name.", "van Gogh", "Vincent van Gogh"),
        ("Which town? Do not use abbreviations.", "Saint Orn", "St. Orn"),
        (QUOTATION, "The lamp is out.", ""),
    ],
)
def test_accepts_only_what_can_be_copied(question: str, accepted: str, refused: str) -> None:
    form = read_form(question)
    assert form.accepts(accepted)
    assert not form.accepts(refused)


questions = st.sampled_from(
    [NUMBER, TEXT, LIST, SORTED, YEAR, MOVE, YES_NO, PERCENT, DOLLARS, QUOTATION]
)
pieces = st.sampled_from(
    [*"-*#`$%,.;:\"'“”‘’()[]{}|\\ \n\t_=5017", "The answer is ", "FINAL ANSWER: ", "\\boxed{",
     "Orn", "**", "and ", "is ", "1,234", "3.10", "U.S.", "Inc.", "million", "km", "1. ", "Yes, "]
)  # fmt: skip
messy = st.one_of(st.text(max_size=60), st.lists(pieces, max_size=25).map("".join))


@settings(deadline=None)
@given(questions, messy)
def test_shaping_is_idempotent_and_adds_nothing(question: str, text: str) -> None:
    form = read_form(question)
    shaped = form.shape(text)
    assert form.shape(shaped) == shaped
    assert isinstance(form.accepts(text), bool)
    assert "\n" not in shaped
    if question != DOLLARS:
        assert not added_characters(shaped, text.replace("−", "-"))


def added_characters(shaped: str, text: str) -> str:
    """What ``shaped`` has more of than ``text``, list separators aside."""
    return "".join(
        char
        for char in set(shaped)
        if char not in ", " and not char.isspace() and shaped.count(char) > text.count(char)
    )


@settings(deadline=None)
@given(st.text(), messy)
def test_any_question_can_be_read(question: str, text: str) -> None:
    form = read_form(question)
    assert form.describe()
    assert form.shape(form.shape(text)) == form.shape(text)


numbers = st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9),
                      max_value=10**9)  # fmt: skip
wrappings = st.sampled_from(
    ["{}", "{}.", "**{}**", "The answer is {}.", "${}$", "`{}`", '"{}"', r"\boxed{{{}}}",
     "{} lighthouses", "There are {} lighthouses."]
)  # fmt: skip


@settings(deadline=None)
@given(numbers, wrappings, st.booleans())
def test_a_number_keeps_its_value(number: Decimal, wrapping: str, grouped: bool) -> None:
    written = f"{number:,f}" if grouped else f"{number:f}"
    shaped = read_form(NUMBER).shape(wrapping.format(written))
    assert Decimal(shaped) == number
    assert "," not in shaped


@settings(deadline=None)
@given(numbers)
def test_rounding_is_off_by_half_a_unit_at_most(number: Decimal) -> None:
    shaped = read_form(DOLLARS).shape(f"${number:,f}" if number >= 0 else f"-${-number:,f}")
    assert re.fullmatch(r"-?\d+\.\d\d", shaped)
    assert abs(Decimal(shaped) - number) <= Decimal("0.005")


members = st.lists(
    st.from_regex(r"[A-Z][a-z]{1,8}( [a-z]{2,6})?", fullmatch=True), min_size=2, max_size=8
)
layouts = st.sampled_from([", ".join, ",".join, "; ".join, "\n".join, "\n- ".join])


@settings(deadline=None)
@given(members, layouts, st.booleans())
def test_a_list_keeps_its_members(items: list[str], join, in_order: bool) -> None:  # type: ignore[no-untyped-def]
    assume(not any(re.search(r"\b(?:a|an|the|and|answer)\b", item, re.I) for item in items))
    shaped = read_form(SORTED if in_order else LIST).shape(join(items)).split(", ")
    assert shaped == (sorted(items, key=str.casefold) if in_order else items)
