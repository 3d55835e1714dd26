"""Who works next: by rule where that is certain, and never the same again for nothing."""

from itertools import groupby
from pathlib import Path

import pytest

from agent.obs.events import Reflected
from tests.core.engine import Outcome, good, good_reply, run
from tests.servers.behaviours import Behaviour, Reply
from tests.servers.ollama import ScriptedOllama
from tests.servers.script import Request

UNDECIDED = "Which of the films of 1979, 1981 and 1983 is by Tarkovsky?"
"""Names and numbers: no rule knows whom to send."""


def roles(outcome: Outcome) -> list[str]:
    """The roles in the order in which they worked, each visit once."""
    return [role for role, _ in groupby(call.role for call in outcome.result.calls)]


@pytest.mark.parametrize(
    ("question", "workers"),
    [("What is 17*23?", []), ("What is 17*23, to the nearest whole?", ["code_agent"])],
)
def test_written_arithmetic_goes_straight_to_who_calculates(
    question: str, workers: list[str], tmp_path: Path
) -> None:
    with ScriptedOllama(good) as server:
        outcome = run(server, tmp_path, question)
    assert (outcome.result.answer, roles(outcome)) == ("391", workers)


def test_a_candidate_in_form_is_copied_with_no_further_call(tmp_path: Path) -> None:
    with ScriptedOllama(good) as server:
        outcome = run(server, tmp_path)
    assert roles(outcome) == ["supervisor", "code_agent"]
    assert outcome.result.llm_calls == 3


def test_without_a_network_the_run_ends_early_and_says_so(tmp_path: Path) -> None:
    def searches(request: Request) -> Behaviour:
        """Looks things up where it can, and guesses where it may."""
        args = {"query": "stalker film director", "expression": "film", "code": "film"}
        args["answer"] = "Andrei Tarkovsky"
        return Reply(good_reply(request, next="web_agent", action="web_search", args=args))

    with ScriptedOllama(searches) as server:
        outcome = run(server, tmp_path, "Who directed the film Stalker?")
    result = outcome.result
    assert (result.status, result.answer) == ("failed", "")
    assert "the network cannot be reached" in result.stop_reason
    assert roles(outcome) == ["web_agent"]
    assert result.llm_calls <= 3


def test_somebody_new_works_before_somebody_who_found_nothing(tmp_path: Path) -> None:
    def stuck(request: Request) -> Behaviour:
        args = {"expression": "film", "query": "film", "code": "film"}
        check = {"evidence": "", "verdict": "stuck"}
        return Reply(good_reply(request, next="code_agent", args=args, progress_check=check))

    with ScriptedOllama(stuck) as server:
        outcome = run(server, tmp_path, UNDECIDED)
    assert roles(outcome)[:3] == ["supervisor", "code_agent", "web_agent"]


def test_nobody_gets_the_same_task_twice_without_news(tmp_path: Path) -> None:
    def undecided(request: Request) -> Behaviour:
        """Calculates, but never says what the answer is."""
        args = {"expression": "1+1", "answer": ""}
        return Reply(good_reply(request, task="Think.", args=args, answer=""))

    with ScriptedOllama(undecided) as server:
        outcome = run(server, tmp_path, UNDECIDED)
    assert "same_task" in [event.rule for event in outcome.of(Reflected)]
    assert roles(outcome) == ["supervisor", "code_agent", "supervisor", "finalizer"]


def test_a_member_of_the_team_is_no_answer(tmp_path: Path) -> None:
    def confused(request: Request) -> Behaviour:
        """Calculates, and takes the name of who did it for the answer."""
        args = {"expression": "1+1", "answer": ""}
        return Reply(good_reply(request, args=args, answer="", candidate_answer="code_agent"))

    with ScriptedOllama(confused) as server:
        outcome = run(server, tmp_path, UNDECIDED)
    assert (outcome.result.status, outcome.result.answer) == ("failed", "")
