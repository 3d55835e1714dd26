"""Each bound alone ends a run whose other bounds were lifted, and the result says which it was."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.budget import Limits
from agent.core.orchestrator import Orchestrator
from agent.obs.events import EVENT, BudgetChanged, CallFinished, RunFinished, RunStarted
from agent.obs.trace import TraceWriter, read_trace
from tests.core.engine import MODEL, QUESTION, good_reply, is_final, run, settings_for
from tests.servers.behaviours import (
    Behaviour,
    Cut,
    Empty,
    ErrorInStream,
    Garbage,
    HangUp,
    HttpError,
    Load,
    NoDone,
    Reply,
)
from tests.servers.ollama import BUSY, OUT_OF_MEMORY, ScriptedOllama
from tests.servers.script import Request

LIFTED: dict[str, Any] = {
    "max_llm_calls": 1000,
    "max_tool_calls": 1000,
    "max_tokens": 10**9,
    "max_cost": 1e9,
    "max_supervisor_steps": 1000,
    "per_question_timeout_s": 60,
}


def never_satisfied(pause: float = 0.0) -> Callable[[Request], Behaviour]:
    """A team that works for ever: always another task, another sum, and never an answer."""
    numbers: Iterator[int] = itertools.count(1)

    def script(request: Request) -> Behaviour:
        number = next(numbers)
        reply = good_reply(
            request,
            task=f"Try number {number}.",
            args={"expression": f"{number}+{number}", "answer": ""},
            answer="",
        )
        return Reply(reply, chunk=10_000, pause=pause)

    return script


BOUNDS = [
    ({"max_llm_calls": 5}, "budget_spent", "limit of 5 model calls"),
    ({"max_tool_calls": 2}, "budget_spent", "limit of 2 tool calls"),
    ({"max_tokens": 2000}, "budget_spent", "limit of 2000 tokens"),
    ({"max_cost": 0.001}, "budget_spent", "limit of $0.001 simulated cost"),
    ({"max_supervisor_steps": 3}, "budget_spent", "limit of 3 supervisor steps"),
    ({"per_question_timeout_s": 1.5}, "timed_out", "limit of 1.5 seconds"),
    ({"total_budget_s": 1.5}, "timed_out", "limit of 1.5 seconds"),
]


@pytest.mark.parametrize(("bound", "status", "reason"), BOUNDS, ids=lambda value: str(value))
def test_each_bound_alone_ends_the_run(
    bound: dict[str, float], status: str, reason: str, tmp_path: Path
) -> None:
    slow = 0.2 if status == "timed_out" else 0.0
    with ScriptedOllama(never_satisfied(slow)) as server:
        outcome = run(server, tmp_path, **{**LIFTED, **bound})
        assert outcome.result.llm_calls == server.chat_count
    assert outcome.result.status == status
    assert reason in outcome.result.stop_reason
    assert outcome.result.completed, "what was done is reported"


def test_the_recursion_limit_is_a_backstop(tmp_path: Path) -> None:
    class ShortGraph(Limits):
        @property
        def recursion_limit(self) -> int:
            return 6

    with ScriptedOllama(never_satisfied()) as server:
        orchestrator = Orchestrator(settings_for(server, tmp_path))
        result = orchestrator.answer(QUESTION, limits=ShortGraph(**LIFTED))
    assert result.status == "budget_spent"
    assert "6 steps of the graph" in result.stop_reason
    assert result.completed


def test_a_specialist_never_steps_more_often_than_its_spec_says(tmp_path: Path) -> None:
    numbers = itertools.count(1)

    def curious(request: Request) -> Behaviour:
        """Always another program to run, though it could finish."""
        code = f"print([{next(numbers)}])"
        return Reply(good_reply(request, action="python_repl", args={"code": code, "answer": "x"}))

    with ScriptedOllama(curious) as server:
        changed = settings_for(server, tmp_path, max_code_iterations=2)
        result = Orchestrator(changed).answer("Think about 17 and 23.", limits=Limits(**LIFTED))
    roles = [call.role for call in result.calls]
    visits = [len(list(visit)) for role, visit in itertools.groupby(roles) if role == "code_agent"]
    assert visits and max(visits) <= 2


def test_the_reserved_call_is_left_for_the_finalizer(tmp_path: Path) -> None:
    def no_candidate_until_the_end(request: Request) -> Behaviour:
        if is_final(request):
            return Reply(good_reply(request))
        return never(request)

    never = never_satisfied()
    with ScriptedOllama(no_candidate_until_the_end) as server:
        outcome = run(server, tmp_path, max_llm_calls=4)
    assert [call.role for call in outcome.result.calls][-1] == "finalizer"
    assert (outcome.result.answer, outcome.result.status) == ("391", "budget_spent")
    assert outcome.result.llm_calls == 4


FAULTS: list[Behaviour] = [
    BUSY,
    OUT_OF_MEMORY,
    HttpError(500, "boom"),
    HttpError(400, "no"),
    Cut("{" * 40, 8),
    HangUp(),
    NoDone("{}"),
    Load(),
    Garbage(b"\xff<html>"),
    ErrorInStream("boom"),
    Empty(),
    Reply("no JSON here"),
    Reply({"action": "finish", "args": {"answer": ""}}),
    Reply('{"thought": "cut', done_reason="length"),
]
STEPS = st.one_of(
    st.sampled_from(FAULTS),
    st.builds(
        lambda **wanted: wanted,
        next=st.sampled_from(["code_agent", "web_agent", "FINISH"]),
        task=st.sampled_from(["again", "once more", ""]),
        action=st.sampled_from(["calculator", "finish"]),
        args=st.builds(
            lambda expression, answer: {"expression": expression, "answer": answer},
            st.sampled_from(["17*23", "1+1", "2/0", "x"]),
            st.sampled_from(["", "391", "I do not know.", "a\nb"]),
        ),
        verdict=st.sampled_from(["progress", "stuck", "done"]),
    ),
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(script=st.lists(STEPS, max_size=14))
def test_any_script_ends_within_ten_calls_and_every_request_is_in_the_ledger(
    script: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("run")
    rest = iter(script)

    def behave(request: Request) -> Behaviour:
        step = next(rest, {})
        return Reply(good_reply(request, **step)) if isinstance(step, dict) else step

    with ScriptedOllama(behave) as server, TraceWriter(folder / "trace.jsonl") as trace:
        orchestrator = Orchestrator(settings_for(server, folder))
        result = orchestrator.answer(QUESTION, model=MODEL, emit=trace)
        requests = server.chat_count
    assert result.llm_calls == requests == len(result.calls) <= 10
    assert "\n" not in result.answer
    events, _ = read_trace(folder / "trace.jsonl")
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunFinished) and events[-1].result == result
    finished = [event.record for event in events if isinstance(event, CallFinished)]
    assert tuple(finished) == result.calls
    last = [event for event in events if isinstance(event, BudgetChanged)]
    assert not last or last[-1].snapshot.tokens_in == result.tokens_in
    assert all(EVENT.validate_json(event.model_dump_json()) == event for event in events)
