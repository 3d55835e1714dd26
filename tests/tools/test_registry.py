"""The registry: a tool more is one registration more, and no tool ever raises at the model."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field

from agent.agents.toolset import relevant_tools
from agent.budget import Budget, BudgetExceededError, Limits, RunStopped
from agent.config import Settings
from agent.obs.events import Source
from agent.tools import registry
from agent.tools.registry import Describe, Tool, ToolContext, get_tools, tool
from agent.tools.result import NEXT_STEP, ErrorKind, ToolResult


class EchoArgs(BaseModel):
    """Arguments of the tool that the tests add."""

    text: str = Field(max_length=20)


@pytest.fixture
def forget(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test registers is gone after it."""
    get_tools()
    monkeypatch.setattr(registry, "_TOOLS", dict(registry._TOOLS))
    yield


def context(folder: Path, **fields: Any) -> ToolContext:
    return ToolContext(Settings(_env_file=None, cache_dir=folder), folder, **fields)


def tool_that(run: Any) -> Tool:
    return Tool("echo", "python", "Echoes.", EchoArgs, run)


def test_a_registered_tool_is_offered_to_who_holds_its_capability(
    forget: None, tmp_path: Path
) -> None:
    @tool("echo", capability="python", args=EchoArgs, description="Echoes.")
    def echo(args: EchoArgs, context: ToolContext) -> ToolResult:
        return ToolResult.success(args.text)

    assert "echo" in [t.name for t in get_tools("python")]
    assert "echo" not in [t.name for t in get_tools("search", "files")]
    assert "echo" in [t.name for t in relevant_tools(("python",), ["a question"], tmp_path)]


def test_wrong_arguments_come_back_as_an_error_that_names_them(tmp_path: Path) -> None:
    echo = tool_that(lambda args, context: ToolResult.success(args.text))
    for wrong in ({}, {"text": 5}, {"text": "x" * 21}):
        result = echo.invoke(wrong, context(tmp_path))
        assert result.error and result.error.kind == "invalid_args"
        assert "text" in result.error.message


def test_a_crash_comes_back_as_an_error(tmp_path: Path) -> None:
    def crash(args: EchoArgs, context: ToolContext) -> ToolResult:
        raise RuntimeError("boom")

    result = tool_that(crash).invoke({"text": "x"}, context(tmp_path))
    assert result.error and result.error.kind == "crashed" and "boom" in result.error.message


def test_a_tool_that_hangs_is_given_up_at_its_deadline(tmp_path: Path) -> None:
    never = threading.Event()
    hangs = tool_that(lambda args, context: never.wait(60))
    settings = Settings(_env_file=None, cache_dir=tmp_path, tool_timeout_s=0.2)
    result = hangs.invoke({"text": "x"}, ToolContext(settings, tmp_path))
    never.set()
    assert result.error and result.error.kind == "timeout"


@pytest.mark.parametrize(
    ("may_look", "describe"), [(True, None), (False, lambda jpeg: ""), (True, lambda jpeg: "")]
)
def test_a_tool_that_looks_gets_the_time_of_a_model_call_on_top(
    may_look: bool, describe: Describe | None, tmp_path: Path
) -> None:
    def looks_long(args: EchoArgs, context: ToolContext) -> ToolResult:
        threading.Event().wait(0.6)
        return ToolResult.success("seen")

    looks = replace(tool_that(looks_long), may_look=may_look)
    settings = Settings(_env_file=None, tool_timeout_s=0.2, per_call_timeout_s=30)
    result = looks.invoke({"text": "x"}, ToolContext(settings, tmp_path, describe=describe))
    assert result.ok == bool(may_look and describe)


def test_stop_does_not_wait_for_a_tool_that_hangs(tmp_path: Path) -> None:
    never, stop = threading.Event(), threading.Event()
    stop.set()
    with pytest.raises(RunStopped):
        tool_that(lambda args, context: never.wait(60)).invoke(
            {"text": "x"}, context(tmp_path, stop=stop)
        )
    never.set()


def test_a_spent_budget_passes_through(tmp_path: Path) -> None:
    budget = Budget(Limits(), total_left_s=0)

    def spends(args: EchoArgs, context: ToolContext) -> ToolResult:
        budget.tool_call("echo")
        raise AssertionError("the budget was spent")

    with pytest.raises(BudgetExceededError):
        tool_that(spends).invoke({"text": "x"}, context(tmp_path))


def test_long_untrusted_text_is_cut_to_what_matters_and_fenced(tmp_path: Path) -> None:
    filler = "\n\n".join(f"Paragraph {n} is about nothing in particular." for n in range(500))
    page = f"{filler}\n\nThe lighthouse keeper was called Oda Brandt.\n\n{filler}"
    source = Source(url="https://example.org/a")
    long = tool_that(
        lambda args, context: ToolResult.success(page, sources=(source,), untrusted=True)
    )
    asked = context(tmp_path, question="What was the lighthouse keeper called?")
    result = long.invoke({"text": "x"}, asked)
    assert "Oda Brandt" in result.text
    assert len(result.text) < 5 * asked.settings.observation_tokens
    assert result.text.startswith("<data ") and "https://example.org/a" in result.text


@pytest.mark.parametrize("kind", list(NEXT_STEP))
def test_every_kind_of_error_tells_the_model_what_to_do(kind: ErrorKind) -> None:
    text = ToolResult.failure(kind, "It failed.").for_model()
    assert text.startswith(f"ERROR ({kind}): It failed. ") and text.endswith(".")


def test_a_tool_is_not_started_when_its_time_is_over(tmp_path: Path) -> None:
    started = threading.Event()
    result = tool_that(lambda args, context: started.set()).invoke(
        {"text": "x"}, context(tmp_path, deadline=0.0)
    )
    assert result.error and result.error.kind == "timeout"
    assert not started.is_set()
