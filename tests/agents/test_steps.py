"""Which actions a step offers, and what its schema then makes impossible."""

import json
from dataclasses import replace
from typing import Any

import pytest

from agent.agents.settled import settles
from agent.agents.steps import FINISH, Offer, offer, schema_for
from agent.agents.work import Observation
from agent.llm.structured import ReplyError
from agent.tools.registry import Tool, get_tools
from agent.tools.result import ToolResult
from tests.servers.schema import valid_for


def tool(name: str) -> Tool:
    return next(tool for tool in get_tools() if tool.name == name)


CALCULATOR, SEARCH = tool("calculator"), tool("web_search")
TOOLS = (SEARCH, CALCULATOR)
QUESTION = "What is 17*23?"


def seen(
    name: str, *, ok: bool = True, text: str = "391", expression: str = "17*23"
) -> Observation:
    result = ToolResult(ok=True, text=text) if ok else ToolResult.failure("network", "It failed.")
    args = {"expression": expression} if name == "calculator" else {"query": "x"}
    return Observation("agent", name, args, f"{name} {args}", result)


AGAIN = replace(seen("web_search"), repeated=True)


@pytest.mark.parametrize(
    ("observations", "left", "names"),
    [
        ([], 3, ("web_search", "calculator")),
        ([], 1, ("web_search", "calculator")),
        ([seen("web_search", ok=False)], 2, ("web_search", "calculator")),
        ([seen("web_search", text=" ")], 2, ("web_search", "calculator")),
        ([seen("web_search")], 2, (FINISH,)),
        ([seen("web_search")], 1, (FINISH,)),
        ([seen("calculator"), seen("web_search")], 2, (FINISH,)),
        ([seen("web_search"), AGAIN], 2, ("web_search", "calculator", FINISH)),
        ([seen("web_search"), AGAIN], 1, (FINISH,)),
        ([seen("calculator"), seen("calculator", ok=False)], 2, (*[t.name for t in TOOLS], FINISH)),
    ],
)
def test_what_is_on_offer(
    observations: list[Observation], left: int, names: tuple[str, ...]
) -> None:
    assert offer(TOOLS, observations, left, lacking=False).names == names


def test_who_says_that_the_results_lack_the_answer_must_look_further() -> None:
    def names(left: int, tools: tuple[Tool, ...] = TOOLS) -> tuple[str, ...]:
        return offer(tools, [seen("web_search")], left, lacking=True).names

    assert names(left=2) == ("web_search", "calculator")
    assert names(left=1) == (FINISH,)
    assert names(left=2, tools=()) == (FINISH,)


@pytest.mark.parametrize(
    ("question", "expression", "settled"),
    [
        (QUESTION, "17*23", True),
        (QUESTION, "23*17+0", True),
        (QUESTION, "17*2", False),
        ("How many are 1,000 and 5?", "1000+5", True),
        ("How high is it?", "1+1", False),
        ("A coat of 240 is marked down by 15 percent.", "240 - (240 * 0.15)", True),
        ("A coat of 240 is marked down by 15 percent.", "240 * 0.85", True),
        ("A coat of 240 is marked down by 15 percent.", "240 * 0.25", False),
    ],
)
def test_a_calculation_with_every_number_of_the_question_settles_it(
    question: str, expression: str, settled: bool
) -> None:
    assert settles(seen("calculator", expression=expression), question) is settled
    assert not settles(seen("calculator", expression=expression, ok=False), question)
    assert not settles(seen("web_search"), question)


def test_with_no_tool_left_a_result_can_still_be_finished_with() -> None:
    assert offer((), [seen("web_search")], 3, lacking=False).names == (FINISH,)
    assert offer((), [], 3, lacking=False).names == ()


def branches(offered: Offer, *, first: bool) -> dict[str, dict[str, Any]]:
    wire = schema_for(offered, first=first).wire
    found = wire.get("anyOf", [wire])
    return {branch["properties"]["action"]["const"]: branch["properties"] for branch in found}


def test_before_anything_was_tried_nobody_can_be_stuck_or_done() -> None:
    check = branches(Offer(TOOLS, finish=False), first=True)["calculator"]["progress_check"]
    assert check["properties"]["verdict"] == {"const": "progress", "type": "string"}


def test_later_the_verdict_is_the_models() -> None:
    for properties in branches(Offer(TOOLS, finish=True), first=False).values():
        verdict = properties["progress_check"]["properties"]["verdict"]
        assert verdict["enum"] == ["progress", "stuck", "done"]


def test_the_reflection_comes_before_the_action() -> None:
    for properties in branches(Offer(TOOLS, finish=True), first=False).values():
        assert list(properties) == ["thought", "progress_check", "action", "args"]


@pytest.mark.parametrize("action", ["web_search", "calculator", FINISH])
@pytest.mark.parametrize("first", [True, False])
def test_what_the_schema_allows_can_be_read(action: str, first: bool) -> None:
    schema = schema_for(Offer(TOOLS, finish=True), first=first)
    reply = valid_for(schema.wire, action=action, query="x", expression="1+1")
    step = schema.read(json.dumps(reply))
    assert step.action == action
    assert step.args.model_dump() == {**step.args.model_dump(), **reply["args"]}


@pytest.mark.parametrize("action", ["python_repl", FINISH, "telepathy"])
def test_an_action_that_is_not_on_offer_cannot_be_read(action: str) -> None:
    schema = schema_for(Offer(TOOLS, finish=False), first=True)
    with pytest.raises(ReplyError, match="action must be one of: web_search, calculator"):
        schema.read(json.dumps({"thought": "x", "action": action, "args": {}}))


def test_the_arguments_are_those_of_the_action() -> None:
    schema = schema_for(Offer(TOOLS, finish=False), first=True)
    reply = {"thought": "x", "action": "calculator", "args": {"query": "x"}}
    with pytest.raises(ReplyError, match="expression"):
        schema.read(json.dumps(reply))
