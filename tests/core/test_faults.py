"""Every way a model server misbehaves: what it costs, how it ends, and that it ends in time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agent.obs.events import CallFinished, Reflected
from tests.core.engine import after, good, good_reply, run
from tests.servers.behaviours import (
    Behaviour,
    Cut,
    Drip,
    Empty,
    ErrorInStream,
    Garbage,
    HangUp,
    HttpError,
    Load,
    NoDone,
    Refuse,
    Reply,
    Silence,
    WhitespaceForEver,
)
from tests.servers.ollama import BUSY, OUT_OF_MEMORY, ScriptedOllama
from tests.servers.script import Request

Script = Callable[[Request], Behaviour]
_QUICK = {"per_call_timeout_s": 1, "per_question_timeout_s": 3}
_GRACE_S = 2.0
"""How much later than its deadline a run may end."""


@dataclass(frozen=True)
class Row:
    """A misbehaviour, and what must come of it."""

    name: str
    script: Callable[[], Script]
    status: str
    answer: str
    outcomes: tuple[str, ...]
    limits: dict[str, Any] = field(default_factory=dict)
    rules: tuple[str, ...] = ()


def _changing(change: Callable[[dict[str, Any]], Any]) -> Callable[[], Script]:
    """A model whose every reply is a near-miss of a good one."""

    def script(request: Request) -> Behaviour:
        return Reply(change(good_reply(request)))

    return lambda: script


def _always(behaviour: Behaviour) -> Callable[[], Script]:
    return lambda: lambda request: behaviour


def _once(*faults: Behaviour) -> Callable[[], Script]:
    return lambda: after(*faults)


def _chatty(reply: Any) -> str:
    import json

    return f"Sure! Here is the JSON:\n```json\n{json.dumps(reply)}\n```\nI hope this helps."


def _near_miss(reply: Any) -> Any:
    if isinstance(reply, str):
        return reply
    renamed = {key.upper() if key in {"action", "next"} else key: v for key, v in reply.items()}
    if "ACTION" in renamed:
        renamed["ACTION"] = str(renamed["ACTION"]).title()
    if isinstance(args := renamed.get("args"), dict) and "answer" in args:
        renamed["args"] = {"answer": 391}
    return renamed


def _late_program() -> Script:
    replies = iter([good, lambda request: Silence(60)])
    return lambda request: next(replies, good)(request)


def _first_step(change: Callable[[dict[str, Any]], Any]) -> Script:
    """A model whose reply to a specialist's first step alone is changed: the third of a run, after
    the supervisor's and the call for a program."""
    changed = iter([good, good, lambda request: Reply(change(good_reply(request)))])
    return lambda request: next(changed, good)(request)


def _ping_pong(request: Request) -> Behaviour:
    """A supervisor that always sends somebody on, and specialists that repeat a failing call."""
    expression = {"expression": "seventeen", "query": "seventeen", "url": "seventeen"}
    return Reply(good_reply(request, args=expression, code="seventeen", verdict="progress"))


def _endless(request: Request) -> Behaviour:
    """Always the same calculation, whatever is on offer: an enforced schema would forbid it."""
    if "next" in request.schema.get("properties", {}):
        return good(request)
    check = {"evidence": "", "verdict": "progress"}
    args = {"expression": "17*2"}
    step = {"thought": "Again.", "progress_check": check, "action": "calculator", "args": args}
    return Reply(step)


OK3 = ("ok", "ok", "ok")
ROWS = [
    Row("a good model", lambda: good, "answered", "391", OK3),
    Row("503 busy, then fine", _once(BUSY), "answered", "391", ("failed", *OK3)),
    Row("500 once", _once(HttpError(500, "boom")), "answered", "391", ("failed", *OK3)),
    Row("500 out of memory", _always(OUT_OF_MEMORY), "failed", "", ("failed",)),
    Row("400", _always(HttpError(400, "invalid options")), "failed", "", ("failed",)),
    Row("404 model", _always(HttpError(404, "model not found")), "failed", "", ("failed",)),
    Row(
        "first token after the deadline",
        lambda: _late_program(),
        "answered",
        "391",
        ("ok", "timed_out", "ok"),
        {"per_call_timeout_s": 1},
    ),
    Row(
        "never a token",
        _always(Silence(60)),
        "timed_out",
        "",
        ("timed_out",) * 3,
        _QUICK,
    ),
    Row(
        "one byte a second",
        _always(Drip("{}" * 100, 1)),
        "timed_out",
        "",
        ("timed_out",) * 3,
        _QUICK,
    ),
    Row("cut in mid-stream", _once(Cut("{" * 50, 10)), "answered", "391", ("failed", *OK3)),
    Row("hung up", _once(HangUp()), "answered", "391", ("failed", *OK3)),
    Row("end without done", _once(NoDone("{}")), "answered", "391", ("failed", *OK3)),
    Row(
        "done_reason length",
        _once(Reply('{"progress_check": {"evidence": "x', done_reason="length")),
        "answered",
        "391",
        ("truncated", *OK3),
    ),
    Row("done_reason load", _once(Load()), "answered", "391", ("failed", *OK3)),
    Row(
        "an error in the stream", _once(ErrorInStream("boom")), "answered", "391", ("failed", *OK3)
    ),
    Row("an empty message", _once(Empty()), "answered", "391", ("failed", *OK3)),
    Row("not JSON", _once(Reply("I think it is 391.")), "answered", "391", ("unparsable", *OK3)),
    Row(
        "JSON of the wrong shape",
        _once(Reply({"answer": 42})),
        "answered",
        "391",
        ("unparsable", *OK3),
    ),
    Row("not the protocol", _once(Garbage(b"\xff\x00<html>")), "answered", "391", ("failed", *OK3)),
    Row("near-miss names and types", _changing(_near_miss), "answered", "391", OK3),
    Row("fenced and chatty", _changing(_chatty), "answered", "391", OK3),
    Row(
        "whitespace without end",
        _once(WhitespaceForEver(5000)),
        "answered",
        "391",
        ("truncated", *OK3),
    ),
    Row(
        "think text",
        lambda: lambda request: Reply(good_reply(request), thinking='Maybe {"action": "no"}?'),
        "answered",
        "391",
        OK3,
    ),
    Row(
        "the same action for ever",
        lambda: _endless,
        "failed",
        "",
        ("ok", "ok", "ok", "unparsable", "unparsable", "ok", "unparsable", "unparsable"),
    ),
    Row(
        "an unknown tool",
        lambda: _first_step(lambda reply: {**reply, "action": "telepathy"}),
        "answered",
        "391",
        ("ok", "ok", "unparsable", "ok"),
    ),
    Row(
        "arguments of 10 kB",
        lambda: _first_step(lambda reply: {**reply, "args": {"expression": "1+" * 5000 + "1"}}),
        "answered",
        "391",
        ("ok", "ok", "ok", "ok"),
        rules=("tool_error",),
    ),
    Row(
        "supervisor ping-pong",
        lambda: _ping_pong,
        "failed",
        "",
        ("ok",) * 5,
        rules=("repeat", "no_new_evidence", "withdrawn"),
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_fault_table(row: Row, tmp_path: Path) -> None:
    with ScriptedOllama(row.script()) as server:
        outcome = run(server, tmp_path, **row.limits)
        requests = server.chat_count
    result = outcome.result
    assert (result.status, result.answer) == (row.status, row.answer)
    assert tuple(call.outcome for call in result.calls) == row.outcomes
    assert result.llm_calls == len(row.outcomes) == requests
    assert [e.record.outcome for e in outcome.of(CallFinished)] == list(row.outcomes)
    assert set(row.rules) <= {event.rule for event in outcome.of(Reflected)}
    assert outcome.seconds < row.limits.get("per_question_timeout_s", 180) + _GRACE_S


def test_a_server_that_goes_away_in_mid_run_is_charged_and_named(tmp_path: Path) -> None:
    check = {"evidence": "nothing tried yet", "verdict": "progress"}
    step = {"progress_check": check, "next": "code_agent", "task": "Go.", "candidate_answer": ""}
    with ScriptedOllama([Reply(step), Refuse()]) as server:
        outcome = run(server, tmp_path)
    result = outcome.result
    assert [call.outcome for call in result.calls] == ["ok", "failed"]
    assert (result.status, result.answer) == ("failed", "")
    assert "No Ollama answers" in result.stop_reason and "ollama serve" in result.stop_reason


def test_the_kind_of_a_fatal_error_is_in_the_result(tmp_path: Path) -> None:
    with ScriptedOllama([OUT_OF_MEMORY]) as server:
        outcome = run(server, tmp_path)
    assert outcome.result.error_kind == "out_of_memory"


def test_a_bad_reply_after_two_pauses_is_the_last_attempt(tmp_path: Path) -> None:
    with ScriptedOllama(after(BUSY, BUSY, Reply("no JSON here"))) as server:
        outcome = run(server, tmp_path)
    assert [call.outcome for call in outcome.result.calls][:3] == ["failed", "failed", "unparsable"]
    assert outcome.result.status != "failed" or outcome.result.stop_reason.startswith("No answer")
