"""A bare answer out of a sentence, and nothing where there is doubt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.answer_form import read_form
from agent.core.distil import distil

HEIGHT = "What is the height in metres of the lighthouse of Tarn Ness?"
LAUNCH = "On what date was the Corrin, built by Hask, launched? Give the date as YYYY-MM-DD."
SEATS = "How many seats does the hall of Varnholt have?"
WOOD = "From which wood is the body of the instrument called orrule made?"
FOUNDER = "Who founded the yard of Quill?"
POETS = "Who won twice? Give only the surnames, as a comma separated list in alphabetical order."
THINGS = "What must a runner carry? Answer with one word for each, as a comma separated list."
TOLD = (
    (HEIGHT, "The height of the lighthouse of Tarn Ness is 39 m.", "39"),
    (SEATS, "The hall of Varnholt has 640 seats.", "640"),
    (SEATS, "It was rebuilt with 1,640 seats", "1640"),
    ("How much is 17 and 23?", "17 and 23 are 40 together.", "40"),
    (LAUNCH, "The Corrin was launched on 9 March 1962.", "1962-03-09"),
    (LAUNCH, "March 9th, 1962", "1962-03-09"),
    (LAUNCH.replace("YYYY-MM-DD", "DD/MM/YYYY"), "9 March 1962", "09/03/1962"),
    (WOOD, "The body of the orrule is made of pearwood.", "pearwood"),
    (FOUNDER, "The yard was founded by Irma Dovrel.", "Irma Dovrel"),
    (f"{FOUNDER} Give only the first name.", "The yard was founded by Irma Dovrel.", "Irma"),
    (f"{FOUNDER} Give only the surname.", "Irma Dovrel", "Dovrel"),
    (POETS, "Mina Oslane, Yva Carr, Hanne Brock", "Brock, Carr, Oslane"),
    (THINGS, "an unboiled egg, a lit lantern, ten fathoms of rope", "egg, lantern, rope"),
    ("In which year did the tunnel open?", "The tunnel was opened in 1995.", "1995"),
)
IN_DOUBT = (
    (SEATS, "It has 640 seats and 32 stops."),
    (SEATS, "The hall of Varnholt has many seats."),
    (LAUNCH, "Launched on 9 March 1962, it sailed on 1 May 1962."),
    (LAUNCH, "It was launched on 31 February 1962."),
    (FOUNDER, "The yard was founded by Irma Dovrel after the yard of Otto Hask had burnt."),
    (FOUNDER, "I could not find it."),
    (FOUNDER, "The founder of the yard is unknown."),
    (f"{FOUNDER} Give only the surname.", "Irma van der Dovrel"),
    (FOUNDER, ""),
    (POETS, "Mina Oslane, Irma van der Dovrel"),
    (POETS, "I could not find it."),
)


@pytest.mark.parametrize(("question", "sentence", "answer"), TOLD)
def test_the_only_news_in_a_sentence_is_the_answer(
    question: str, sentence: str, answer: str
) -> None:
    assert distil(sentence, question, read_form(question)) == answer


@pytest.mark.parametrize(("question", "sentence"), IN_DOUBT)
def test_where_there_is_doubt_nothing_is_taken(question: str, sentence: str) -> None:
    assert distil(sentence, question, read_form(question)) == ""


@given(st.text(max_size=200), st.text(max_size=200))
def test_what_is_taken_was_said_and_is_in_form(sentence: str, question: str) -> None:
    form = read_form(question)
    answer = distil(sentence, question, form)
    assert not answer or form.accepts(answer)
    assert distil(sentence, question, form) == answer


@given(st.integers(0, 10**6), st.sampled_from(["It has {} seats.", "{}", "Of seats, {} are here"]))
def test_a_single_number_is_found_wherever_it_stands(number: int, sentence: str) -> None:
    assert distil(sentence.format(number), SEATS, read_form(SEATS)) == str(number)
