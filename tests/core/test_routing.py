"""Whom a question calls for, by rule."""

from pathlib import Path

import pytest

from agent.core.routing import called_for, names
from agent.obs.events import StepTaken
from tests.core.engine import good, run
from tests.servers.ollama import ScriptedOllama

LOOKED_UP = (
    "How many seats does the hall of Varnholt have?",
    "Who composed the opera The Salt Ledger?",
    "What does the page https://varnholt.example/fees say a visit costs?",
    "In which year was the oldest lighthouse of the coast lit?",
    "how high is the tower",
    "Which poets won the Halvesk Prize twice between 1931 and 1969?",
)
WORKED_OUT = (
    "A coat that costs 240 crowns is marked down by 15 percent. What is the new price?",
    "Which word do the first letters of these words give?",
    "Write 'lanterns in the harbour of Varnholt' backwards.",
    "What is the sum of all prime numbers between 50 and 150?",
    "What is 5!?",
    "How much is 17*23 at the hall of Varnholt?",
    "If today is a Monday, which day is it in 10 days, and in 100?",
)
LEFT_TO_THE_MODEL = (
    "Anna of Varnholt buys 3 apples, 4 pears and 5 plums. How many fruits are that?",
    "The hall of Varnholt has 17 rows of 23 seats. How many seats are 17 rows?",
)


@pytest.mark.parametrize("question", LOOKED_UP)
def test_what_has_a_name_or_no_content_of_its_own_is_looked_up(question: str) -> None:
    assert called_for(question, has_files=False) == "search"


@pytest.mark.parametrize("question", WORKED_OUT)
def test_what_names_nothing_is_worked_out(question: str) -> None:
    assert called_for(question, has_files=False) == "python"


@pytest.mark.parametrize("question", LEFT_TO_THE_MODEL)
def test_names_among_many_numbers_are_left_to_the_model(question: str) -> None:
    assert called_for(question, has_files=False) is None


@pytest.mark.parametrize("question", LOOKED_UP)
def test_an_attachment_is_read(question: str) -> None:
    assert called_for(question, has_files=True) == "python"


def test_what_is_no_name_is_not_taken_for_one() -> None:
    assert names("Is it true? Who was it, NASA or 'Old Adit'? Monday, in May, as YYYY.") == []
    assert names("Is the Old Adit in Hessolt's valley?") == ["Old", "Adit", "Hessolt"]


def test_an_attachment_is_read_before_the_model_is_asked(tmp_path: Path) -> None:
    attached = tmp_path / "seats.csv"
    attached.write_text("row,seats\n1,640\n")
    with ScriptedOllama(good) as server:
        outcome = run(server, tmp_path, "How many seats are listed?", [attached])
    first = outcome.of(StepTaken)[0]
    assert (first.step, first.action, first.args) == (-1, "read_file", {"name": "seats.csv"})
    assert "640" in server.chats[0].messages[-1]["content"]
    assert outcome.result.completed[0] == "read_file(seats.csv): ok"


def test_a_look_up_searches_for_the_question_before_the_model_is_asked(tmp_path: Path) -> None:
    with ScriptedOllama(good) as server:
        outcome = run(server, tmp_path, "Who founded  the\nOstrel Quarterly?")
    first = outcome.of(StepTaken)[0]
    assert (first.step, first.role, first.action) == (-1, "web_agent", "web_search")
    assert first.args == {"query": "Who founded the Ostrel Quarterly?"}


def test_a_question_that_is_a_sum_is_worked_out_before_the_model_is_asked(tmp_path: Path) -> None:
    with ScriptedOllama(good) as server:
        outcome = run(server, tmp_path, "What is 17*23?")
    first = outcome.of(StepTaken)[0]
    assert (first.action, first.args) == ("calculator", {"expression": "17*23"})
    assert (outcome.result.answer, outcome.result.llm_calls) == ("391", 0)
    assert outcome.result.stop_reason.endswith("without the model: calculator(17*23)")


def test_what_an_attached_table_says_is_worked_out_without_the_model(tmp_path: Path) -> None:
    attached = tmp_path / "trees.csv"
    attached.write_text("Tree,Kind,Yield\nT1,pear,95\nT2,fig,40\nT3,pear,30\n")
    asked = "What is the total yield of the pear trees in the attached list?"
    with ScriptedOllama(good) as server:
        outcome = run(server, tmp_path / "c", asked, [attached])
    assert (outcome.result.answer, outcome.result.llm_calls) == ("125", 0)
    assert outcome.result.stop_reason.endswith("(T1, T3). Total Yield: 95 + 30 = 125")
