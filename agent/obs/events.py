"""The typed events of a run. Whatever shows, stores or replays a run does so from these alone.

A run is a sequence of events in one JSONL file, the first ``run_started``, the last
``run_finished`` (missing if the process died). Steps are numbered by the model call that made
them, from 1; those that a rule made without a call are -1, -2 and so on.
"""

import time
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from agent.obs.metrics import BudgetSnapshot, CallRecord, PriceBasis, Timing

Status = Literal["answered", "budget_spent", "timed_out", "stopped", "failed"]
Verdict = Literal["progress", "stuck", "done"]


class Source(BaseModel):
    """A page or file that a result was taken from."""

    model_config = ConfigDict(frozen=True)

    url: str
    title: str = ""


class RunResult(BaseModel):
    """The outcome of one question.

    ``answer`` is bare, or empty when there is none; it is never the text of an error.
    ``stop_reason`` is one sentence on why the run ended, ``completed`` one line for each thing that
    was done, and ``trace`` the path of the run's events. ``simulated_cost`` is US dollars reckoned
    by ``price_basis``: at the simulated price, or at the provider's list price.
    """

    model_config = ConfigDict(frozen=True)

    run_id: str
    question: str
    answer: str
    status: Status
    stop_reason: str
    llm_calls: int
    tool_calls: int
    tokens_in: int
    tokens_cached: int
    tokens_out: int
    seconds: float
    simulated_cost: float
    price_basis: PriceBasis = "simulated"
    timing: Timing = Timing()
    sources: tuple[Source, ...] = ()
    completed: tuple[str, ...] = ()
    calls: tuple[CallRecord, ...] = ()
    model: str = ""
    error: str = ""
    error_kind: str = ""
    """``no_model`` when no model could be used at all, else the kind of the model's error."""
    trace: str = ""


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True)

    at: float = Field(default_factory=time.time)
    """Unix time, seconds."""


class RunStarted(_Event):
    """A question was accepted."""

    type: Literal["run_started"] = "run_started"
    run_id: str
    question: str
    files: tuple[str, ...] = ()
    task_id: str = ""


class ModelProgress(_Event):
    """The model is being fetched or loaded, or the run waits for its turn."""

    type: Literal["model_progress"] = "model_progress"
    text: str
    fraction: float | None = None
    """0 to 1, or None where it is not known."""


class ModelReady(_Event):
    """Which model answers, and what the user should know about it."""

    type: Literal["model_ready"] = "model_ready"
    model: str
    notice: str = ""


class CallStarted(_Event):
    """A model call was charged and sent."""

    type: Literal["call_started"] = "call_started"
    step: int
    role: str


class Thinking(_Event):
    """A further piece of the thought of a call that is being written."""

    type: Literal["thinking"] = "thinking"
    step: int
    text: str


class CallFinished(_Event):
    """A model call ended, well or not; the record is its line of the ledger."""

    type: Literal["call_finished"] = "call_finished"
    step: int
    record: CallRecord


class StepTaken(_Event):
    """What the model decided in one call, or a rule without one.

    ``action`` is a tool's name, ``finish``, a specialist's name, ``FINISH`` or ``answer``; ``args``
    are its arguments.
    """

    type: Literal["step_taken"] = "step_taken"
    step: int
    role: str
    thought: str = ""
    evidence: str = ""
    verdict: Verdict | None = None
    action: str
    args: dict[str, Any] = {}


class ToolStarted(_Event):
    """A tool call was charged and started."""

    type: Literal["tool_started"] = "tool_started"
    step: int
    name: str
    args: dict[str, Any]


class ToolFinished(_Event):
    """A tool call ended. ``text`` is the observation as the model will read it, error or not."""

    type: Literal["tool_finished"] = "tool_finished"
    step: int
    name: str
    ok: bool
    text: str
    error_kind: str = ""
    elapsed_s: float = 0.0
    cached: bool = False
    sources: tuple[Source, ...] = ()


class Reflected(_Event):
    """A rule noticed something, at no call, and added ``hint`` to what the model reads next."""

    type: Literal["reflected"] = "reflected"
    step: int
    rule: str
    hint: str


class BudgetChanged(_Event):
    """Something was charged."""

    type: Literal["budget_changed"] = "budget_changed"
    snapshot: BudgetSnapshot


class RunFinished(_Event):
    """The last event."""

    type: Literal["run_finished"] = "run_finished"
    result: RunResult


Event = Annotated[
    RunStarted
    | ModelProgress
    | ModelReady
    | CallStarted
    | Thinking
    | CallFinished
    | StepTaken
    | ToolStarted
    | ToolFinished
    | Reflected
    | BudgetChanged
    | RunFinished,
    Field(discriminator="type"),
]

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
"""Reads any event from JSON: ``EVENT.validate_json(line)``."""
