"""The events: each survives the way to disk and back, and none can be changed afterwards."""

from typing import get_args

import pytest
from pydantic import BaseModel, ValidationError

from agent.obs.events import (
    EVENT,
    BudgetChanged,
    CallFinished,
    CallStarted,
    Event,
    ModelProgress,
    ModelReady,
    Reflected,
    RunFinished,
    RunResult,
    RunStarted,
    Source,
    StepTaken,
    Thinking,
    ToolFinished,
    ToolStarted,
)
from agent.obs.metrics import BudgetSnapshot, CallRecord

TYPES: list[type[BaseModel]] = list(get_args(get_args(Event)[0]))
AWKWARD = 'line one\nline two \u2028 "quoted" \\ é 😀 \x00'
RECORD = CallRecord(role="supervisor", outcome="ok", tokens_in=7, prompt_seconds=1.5, note=AWKWARD)
SOURCES = (Source(url="https://example.org/?q=é", title=AWKWARD),)
SNAPSHOT = BudgetSnapshot(
    llm_calls=1,
    tool_calls=2,
    tokens_in=3,
    tokens_cached=2,
    tokens_out=4,
    seconds=5.5,
    cost=0.000123,
    limits={"llm_calls": 10},
)
RESULT = RunResult(
    run_id="1",
    question=AWKWARD,
    answer="391",
    status="answered",
    stop_reason="The team found an answer.",
    llm_calls=1,
    tool_calls=0,
    tokens_in=1,
    tokens_cached=0,
    tokens_out=1,
    seconds=1.25,
    simulated_cost=0.0002,
    sources=SOURCES,
    completed=("calculator(17*23): ok",),
    calls=(RECORD,),
)
EVENTS: list[Event] = [
    RunStarted(run_id="1", question=AWKWARD, files=("a b.xlsx",), task_id="t"),
    ModelProgress(text="Loading", fraction=0.5),
    ModelReady(model="embedded:qwen", notice=AWKWARD),
    CallStarted(step=1, role="supervisor"),
    Thinking(step=1, text=AWKWARD),
    CallFinished(step=1, record=RECORD),
    StepTaken(step=1, role="code_agent", action="calculator", args={"x": [1, None, {"y": "é"}]}),
    ToolStarted(step=1, name="calculator", args={"expression": "17*23"}),
    ToolFinished(step=1, name="calculator", ok=True, text=AWKWARD, sources=SOURCES),
    Reflected(step=1, rule="repeat", hint=AWKWARD),
    BudgetChanged(snapshot=SNAPSHOT),
    RunFinished(result=RESULT),
]


def test_there_is_an_example_of_every_event_under_a_name_of_its_own() -> None:
    assert [type(event) for event in EVENTS] == TYPES
    assert len({event.type for event in EVENTS}) == len(TYPES)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.type)
def test_every_event_survives_the_way_to_disk_and_back(event: Event) -> None:
    line = event.model_dump_json()
    assert "\n" not in line
    assert EVENT.validate_json(line) == event


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.type)
def test_an_event_cannot_be_changed(event: Event) -> None:
    with pytest.raises(ValidationError):
        event.at = 0.0


def test_an_event_knows_when_it_was() -> None:
    first = Thinking(step=1, text="a")
    assert first.at <= Thinking(step=1, text="b").at


def test_records_of_older_traces_are_read() -> None:
    record = CallRecord.model_validate({"role": "supervisor", "outcome": "ok", "tokens_in": 7})
    assert (record.prompt_seconds, record.generation_seconds, record.note) == (0, 0, "")
