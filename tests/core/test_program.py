"""A question that is worked out is answered by a program, written in one call beside the rest."""

from pathlib import Path

import pytest

from agent.agents.program import code_in, only_states
from agent.obs.events import StepTaken, ToolFinished
from tests.core.engine import good, good_reply, run
from tests.servers.behaviours import Behaviour, Reply
from tests.servers.ollama import ScriptedOllama
from tests.servers.script import Request

PUZZLE = "How many letters has the word 'lighthouse'?"
RIGHT = "```python\nprint(len('lighthouse'))\n```"
BROKEN = "```python\nprint(len('lighthouse')\n```"


def test_its_output_is_the_answer_after_one_call(tmp_path: Path) -> None:
    with ScriptedOllama([Reply(RIGHT)]) as server:
        outcome = run(server, tmp_path, PUZZLE)
        [request] = server.chats
    assert (outcome.result.answer, outcome.result.llm_calls) == ("10", 1)
    assert request.messages[-1]["content"] == PUZZLE
    [step] = outcome.of(StepTaken)
    assert (step.role, step.action) == ("code_agent", "python_repl")
    assert step.args == {"code": "print(len('lighthouse'))"}
    assert step.thought and step.verdict == "progress"


def test_one_that_fails_is_corrected_once(tmp_path: Path) -> None:
    with ScriptedOllama([Reply(BROKEN), Reply(RIGHT)]) as server:
        outcome = run(server, tmp_path, PUZZLE)
        last = server.chats[-1].messages
    assert (outcome.result.answer, outcome.result.llm_calls) == ("10", 2)
    assert last[-2]["content"] == BROKEN
    assert "was never closed" in last[-1]["content"]
    assert [event.ok for event in outcome.of(ToolFinished)] == [False, True]


@pytest.mark.parametrize("reply", ["I cannot tell.", "```json\n{}\n```", BROKEN])
def test_where_there_is_none_that_runs_the_work_is_done_step_by_step(
    reply: str, tmp_path: Path
) -> None:
    def no_author(request: Request) -> Behaviour:
        return good(request) if request.schema else Reply(reply)

    with ScriptedOllama(no_author) as server:
        outcome = run(server, tmp_path, "What is 17*23, to the nearest whole?")
    assert outcome.result.answer == "391"
    assert outcome.of(StepTaken)[-1].action == "calculator"


@pytest.mark.parametrize(
    ("code", "question", "answer"),
    [
        ("print(0.1 * 3 * 100)", "How much is it?", "30"),
        ("print(97.2)", "How many dorrins is it?", "97.2"),
        ("print(408 / 2)", "What does it cost?", "204"),
        ("for word in 'sea air lot'.split(): print(word[0])", "Which word is it?", "sal"),
        ("print(['b', 'a'])", "Give 'b' and 'a' as a comma separated list.", "b, a"),
        ("total = 4 * 25", "How many letters are in '100 letters'?", "100"),
    ],
)
def test_what_it_gives_is_brought_into_form(
    code: str, question: str, answer: str, tmp_path: Path
) -> None:
    with ScriptedOllama([Reply(f"```python\n{code}\n```")]) as server:
        outcome = run(server, tmp_path, f"{question} Take 3 and 5.")
    assert (outcome.result.answer, outcome.result.llm_calls) == (answer, 1)


def test_a_list_where_one_thing_is_asked_is_no_answer_yet(tmp_path: Path) -> None:
    def lists(request: Request) -> Behaviour:
        if request.schema:
            return Reply(good_reply(request, args={"answer": "plum"}, answer="plum"))
        return Reply("```python\nprint(sorted(['plum', 'fig']))\n```")

    with ScriptedOllama(lists) as server:
        outcome = run(server, tmp_path, "Sort the words 'plum' and 'fig'. Which word is second?")
    assert outcome.result.answer == "plum"
    assert outcome.result.llm_calls > 1


def test_what_it_prints_in_several_lines_is_read_as_a_step(tmp_path: Path) -> None:
    def author(request: Request) -> Behaviour:
        if request.schema:
            return Reply(good_reply(request, args={"answer": "plum"}, answer="plum"))
        return Reply("```python\nfor word in sorted(['plum', 'fig']): print(word)\n```")

    with ScriptedOllama(author) as server:
        outcome = run(server, tmp_path, "Sort the words 'plum' and 'fig'. Which word is second?")
        asides = [not request.schema for request in server.chats]
    assert (outcome.result.answer, asides) == ("plum", [True, False])


def test_an_attached_program_is_run_where_its_output_is_asked_for(tmp_path: Path) -> None:
    program = tmp_path / "sum.py"
    program.write_text("if __name__ == '__main__':\n    print(sum(range(11)))\n")
    with ScriptedOllama(good) as server:
        outcome = run(server, tmp_path / "c", "What number does the program print?", [program])
    assert (outcome.result.answer, outcome.result.llm_calls) == ("55", 0)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("```python\nprint(1)\n```", "print(1)"),
        ("Here:\n```\nx = 1\nprint(x)\n```\nDone.", "x = 1\nprint(x)"),
        ("```python\nprint(1)", "print(1)"),
        ("print(1)", "print(1)"),
        ("red", ""),
        ('```json\n{"answer": 1}\n```\nI hope this helps.', ""),
        ("", ""),
    ],
)
def test_the_code_is_taken_from_a_reply(reply: str, code: str) -> None:
    assert code_in(reply) == code


@pytest.mark.parametrize(
    "question",
    ["From which wood is the body of it made?", "Who built the hall of 1931 in Varnholt?"],
)
def test_what_is_to_be_looked_up_is_not_made_up_by_a_program(question: str, tmp_path: Path) -> None:
    """There is no network here, and what a program prints unasked is what its author believes."""

    def knows_all(request: Request) -> Behaviour:
        if not request.schema:
            return Reply("```python\nbuilder = 'Ada Rook'\nprint(builder)\n```")
        args = {"query": "hall", "expression": "hall", "code": "hall", "answer": "Ada Rook"}
        return Reply(good_reply(request, args=args, answer="Ada Rook", next="code_agent"))

    with ScriptedOllama(knows_all) as server:
        outcome = run(server, tmp_path, question)
    assert (outcome.result.status, outcome.result.answer) == ("failed", "")
    assert "network" in outcome.result.stop_reason


@pytest.mark.parametrize(
    ("code", "states"),
    [
        ("print('Ada Rook')", True),
        ("a = 'Ada'\nb = 1931\nprint(a, b)", True),
        ("print(f'{1931}')", True),
        ("", True),
        ("print(1931 - 1871)", False),
        ("print(len('Ada'))", False),
        ("print('ada'[::-1])", False),
        ("for n in range(3): print(n)", False),
        ("print(", False),
    ],
)
def test_a_program_that_works_nothing_out_is_known(code: str, states: bool) -> None:
    assert only_states(code) is states
