"""The rules that notice, at no call, that a loop is going wrong."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.agents.reflection import (
    FAILURES_TO_WITHDRAW,
    HOPELESS,
    call_key,
    earlier_result,
    network_is_down,
    reflect,
    withdrawn,
)
from agent.agents.work import Observation
from agent.tools.registry import get_tools
from agent.tools.result import ErrorKind, ToolResult

TOOLS = {tool.name: tool for tool in get_tools()}


def seen(
    name: str = "web_search",
    args: dict[str, Any] | None = None,
    *,
    text: str = "found it",
    error: ErrorKind | None = None,
    repeated: bool = False,
) -> Observation:
    given = {"query": "height of K2"} if args is None else args
    result = ToolResult.failure(error, "It failed.") if error else ToolResult(ok=True, text=text)
    key = call_key(TOOLS[name], given)
    return Observation("agent", name, given, key, result, repeated)


def rules(*observations: Observation) -> list[str]:
    return [reflection.rule for reflection in reflect(observations[-1], observations[:-1])]


OTHER = {"query": "who climbed Everest first"}


@pytest.mark.parametrize(
    ("observations", "expected"),
    [
        ([seen()], []),
        ([seen(), seen(args=OTHER)], []),
        ([seen(error="timeout")], ["tool_error"]),
        ([seen(error="empty")], ["empty_result"]),
        ([seen(text="  \n")], ["empty_result"]),
        ([seen(), seen(repeated=True)], ["repeat"]),
        ([seen(repeated=True)], []),
        ([seen(), seen(args={"query": "the height of K2"})], []),
        (
            [seen(args={"query": "a b c d e"}), seen(args={"query": "a b c d e."})],
            ["near_duplicate"],
        ),
        ([seen(args={"query": "a b c d"}), seen(args={"query": "d c b a"})], ["near_duplicate"]),
        ([seen(), seen("wikipedia", {"query": "height of K2"})], []),
        ([seen(error="empty"), seen(args=OTHER, error="empty")], []),
    ],
)
def test_what_the_rules_notice(observations: list[Observation], expected: list[str]) -> None:
    found = set(rules(*observations)) - {"no_new_evidence", "withdrawn"}
    assert found >= set(expected)
    if not expected:
        assert not found - {"empty_result"}


def test_two_steps_without_anything_new_are_noticed() -> None:
    failed = seen(error="timeout")
    assert "no_new_evidence" not in rules(failed)
    assert "no_new_evidence" in rules(failed, seen("wikipedia", OTHER, error="empty"))
    assert "no_new_evidence" in rules(seen(), seen(repeated=True), seen(repeated=True))
    assert "no_new_evidence" not in rules(seen(), failed)


@pytest.mark.parametrize("kind", sorted(HOPELESS))
def test_one_hopeless_failure_withdraws_a_tool(kind: ErrorKind) -> None:
    failed = seen(error=kind)
    assert rules(failed)[-1] == "withdrawn"
    assert withdrawn([], [failed]) == {"web_search"}


def test_a_file_that_cannot_be_heard_says_nothing_of_the_next_file() -> None:
    sound = seen("read_file", {"name": "talk.mp3"}, error="unavailable")
    assert withdrawn([sound], [sound]) == set()


def test_other_failures_withdraw_a_tool_when_they_come_in_a_row() -> None:
    first, second = seen(error="timeout"), seen(args=OTHER, error="crashed")
    assert FAILURES_TO_WITHDRAW == 2
    assert withdrawn([first], []) == set()
    assert withdrawn([first, second], []) == {"web_search"}
    assert withdrawn([first, seen(), second], []) == set()
    assert withdrawn([first, seen("wikipedia", OTHER), second], []) == {"web_search"}


def test_a_withdrawal_is_said_once() -> None:
    failures = [seen(args={"query": str(n)}, error="timeout") for n in range(4)]
    said = ["withdrawn" in rules(*failures[: n + 1]) for n in range(4)]
    assert said == [False, True, False, False]


def test_a_success_between_failures_keeps_a_tool() -> None:
    assert withdrawn([seen(error="timeout"), seen(), seen(error="timeout")], []) == set()


def test_the_network_is_down_when_two_tools_found_none_and_none_reached_it() -> None:
    from agent.obs.events import Source

    search, wikipedia = seen(error="network"), seen("wikipedia", OTHER, error="network")
    reached = seen()
    source = (Source(url="https://example.org"),)
    result = reached.result.model_copy(update={"sources": source})
    reached = Observation("agent", reached.tool, reached.args, reached.key, result)
    assert not network_is_down([search, search])
    assert network_is_down([search, wikipedia])
    assert not network_is_down([reached, search, wikipedia])


def test_hints_are_one_line_each() -> None:
    failures = [seen(error="network"), seen(args=OTHER, error="network")]
    for reflection in reflect(failures[1], failures[:1]):
        assert reflection.hint
        assert "\n" not in reflection.hint


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=30), st.sampled_from([" ", "  ", "\n", "\t"]))
def test_calls_that_differ_in_spacing_and_case_are_the_same(query: str, space: str) -> None:
    search = TOOLS["web_search"]
    key = call_key(search, {"query": f"a {query} b"})
    assert call_key(search, {"query": f"{space}A{space}{query}{space}B "}) == key


def test_case_counts_where_it_means_something() -> None:
    python = TOOLS["python_repl"]
    assert python.case_matters
    assert call_key(python, {"code": "x"}) != call_key(python, {"code": "X"})


def test_defaults_and_the_order_of_arguments_do_not_count() -> None:
    tool = TOOLS["web_search"]
    defaults = {
        name: field.get_default()
        for name, field in tool.args.model_fields.items()
        if not field.is_required()
    }
    key = call_key(tool, {"query": "x"})
    assert call_key(tool, {**defaults, "query": "x"}) == key
    assert call_key(TOOLS["wikipedia"], {"query": "x"}) != key


def test_the_latest_of_equal_calls_is_the_earlier_result() -> None:
    first, second = seen(text="old"), seen(text="new")
    assert earlier_result(first.key, [first, second, seen(args=OTHER)]) is second
    assert earlier_result("other", [first]) is None


def test_what_the_disk_remembers_is_news_to_this_run() -> None:
    """A second run is served from the result cache; that is no repeat."""
    from dataclasses import replace

    stored = [
        replace(o, result=o.result.model_copy(update={"cached": True}))
        for o in (seen(), seen("wikipedia", OTHER))
    ]
    assert rules(*stored) == []
