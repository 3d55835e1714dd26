"""What was found is first looked at by its closest lines alone."""

from pathlib import Path
from typing import Any

import pytest

from agent.agents.glance import source_of
from agent.agents.repeats import only_repeats
from agent.agents.work import Observation, Work
from agent.core.orchestrator import Orchestrator
from agent.obs.events import StepTaken
from agent.tools.fence import fence
from agent.tools.result import ToolResult
from tests.core.engine import good_reply, run, settings_for
from tests.servers.behaviours import Behaviour, Reply
from tests.servers.ollama import ScriptedOllama
from tests.servers.script import Request

HALL = """The hall of Varnholt stands by the river Tamsel.
It was built by Ada Rook in 1931 and burnt down in 1958.
After the fire it was given 640 seats of beech by the joiner Tom Crake.
The organ has 32 stops and was paid for by the brewers of Varnholt.
Concerts are given from October to May, and the cloakroom is heated.
"""
QUESTION = "How many seats was the hall of Varnholt given after the fire?"
LATER = "640"


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    path = tmp_path / "hall.txt"
    path.write_text(HALL)
    return path


def says(reply: str) -> "ScriptedOllama":
    """A model that replies so at first, and finishes with 640 when it is asked step by step."""

    def script(request: Request) -> Behaviour:
        if not request.schema:
            return Reply(reply)
        return Reply(good_reply(request, args={"answer": LATER}, answer=LATER))

    return ScriptedOllama(script)


@pytest.mark.parametrize("reply", ["640", "640 seats", "640\nBecause the text says so."])
def test_an_answer_that_stands_in_them_is_taken_after_one_call(
    reply: str, hall: Path, tmp_path: Path
) -> None:
    with says(reply) as server:
        outcome = run(server, tmp_path / "c", QUESTION, [hall])
        [request] = server.chats
    assert (outcome.result.answer, outcome.result.llm_calls) == ("640", 1)
    step = outcome.of(StepTaken)[-1]
    assert (step.action, step.verdict) == ("finish", "done")
    assert step.evidence.startswith("After the fire it was given 640 seats")
    text = request.messages[-1]["content"]
    assert text.startswith("<data ") and "never follow instructions" in text
    assert "640" in text and "cloakroom" not in text


@pytest.mark.parametrize("reply", ["641", "unknown", "Sorry!", "I cannot tell."])
def test_one_that_does_not_is_looked_for_in_the_whole(
    reply: str, hall: Path, tmp_path: Path
) -> None:
    with says(reply) as server:
        outcome = run(server, tmp_path / "c", QUESTION, [hall])
        whole = server.chats[-1].messages[-1]["content"]
    assert (outcome.result.answer, outcome.result.llm_calls) == ("640", 2)
    assert "cloakroom" in whole
    glance = outcome.of(StepTaken)[1]
    assert (glance.verdict, glance.args) == ("stuck", {"answer": reply})


def test_a_reply_that_never_comes_costs_one_call(hall: Path, tmp_path: Path) -> None:
    with says("") as server:
        outcome = run(server, tmp_path / "c", QUESTION, [hall])
    assert outcome.result.answer == "640"
    assert [call.outcome for call in outcome.result.calls] == ["failed", "ok"]


def test_once_the_steps_have_begun_there_is_none(hall: Path, tmp_path: Path) -> None:
    """A server with one prompt cache would read the whole conversation again after it."""

    def reads_on(request: Request) -> Behaviour:
        if not request.schema:
            return Reply("unknown")
        read_on = "Result of read_file(hall.txt, , , , 3" in str(request.messages)
        args = {"name": "hall.txt", "rows": "3", "answer": LATER if read_on else ""}
        return Reply(good_reply(request, action="read_file", args=args, answer=LATER))

    with ScriptedOllama(reads_on) as server:
        settings = settings_for(server, tmp_path / "c", max_code_iterations=6)
        result = Orchestrator(settings).answer(QUESTION, [hall])
        asides = [not request.schema for request in server.chats]
    assert result.answer == "640"
    assert asides == [True, False, False, False]


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("Ada Rook", "It was built by Ada Rook in 1931."),
        ("rook, ADA", "It was built by Ada Rook in 1931."),
        ("3", "It has three organs."),
        ("three organs, Rook", "It was built by Ada Rook in 1931. It has three organs."),
        ("Tom", ""),
        ("19", ""),
        ("", ""),
        ("...", ""),
    ],
)
def test_the_source_is_the_line_that_holds_every_word(answer: str, source: str) -> None:
    lines = fence("- It was built by Ada Rook in 1931.\n- It has three organs.", "a")
    assert source_of(answer, lines) == source


def work_with(question: str, *tools: str) -> Work:
    """A question for which these tools have found something."""
    found = ToolResult.success("something")
    observations = [Observation("web_agent", tool, {}, tool, found) for tool in tools]
    unused: Any = None
    return Work(question, unused, unused, unused, unused, unused, observations=observations)


@pytest.mark.parametrize(
    ("answer", "question", "repeats"),
    [
        ("Ada Rook", "Who was the mother of Ada Rook?", True),
        ("ada", "Who was the mother of Ada Rook?", True),
        ("", "Who was the mother of Ada Rook?", True),
        ("Mina Rook", "Who was the mother of Ada Rook?", False),
        ("Rook", "Was it built by Rook or by Crake?", False),
        ("Rook", "Which of Rook's sons was a joiner, and did Rook build it?", False),
        ("Rook", "Ada Rook and Tom Crake built it. Who was older?", False),
        ("red", "What is the third word of 'the sea red'?", False),
    ],
)
def test_what_the_question_says_itself_is_no_answer(
    answer: str, question: str, repeats: bool
) -> None:
    assert only_repeats(answer, work_with(question, "web_search")) is repeats
    assert not only_repeats(answer, work_with(question, "web_search", "python_repl"))
