"""What has been done on one question so far. Every role of the team reads and adds to it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from agent.budget import Budget
from agent.llm.conversation import Conversation
from agent.obs.events import Event, Source
from agent.tools.registry import ToolContext
from agent.tools.result import ToolResult

ReportStatus = Literal["finished", "stuck", "exhausted", "failed"]


@dataclass(frozen=True)
class Observation:
    """One tool call and what came of it. ``key`` is the same for calls that mean the same;
    ``repeated`` says that it was answered with the result of an earlier one."""

    agent: str
    tool: str
    args: dict[str, Any]
    key: str
    result: ToolResult
    repeated: bool = False

    @property
    def is_evidence(self) -> bool:
        """Whether it brought text to answer from."""
        return self.result.ok and bool(self.result.text.strip())

    @property
    def is_news(self) -> bool:
        """Whether it brought text that was not there before."""
        return self.is_evidence and not self.repeated

    @property
    def call(self) -> str:
        """The call in short, such as ``web_search(who built the hall)``."""
        shown = ", ".join(str(value) for value in self.args.values())
        return f"{self.tool}({shown[:80]})"

    def __str__(self) -> str:
        outcome = "ok" if self.result.ok else self.result.error and self.result.error.kind
        return f"{self.call}: {outcome}"


@dataclass(frozen=True)
class Report:
    """What a specialist hands back: a candidate answer if it has one, and how it ended.

    ``evidence`` is how many pieces of evidence the team had by then.
    """

    agent: str
    task: str
    status: ReportStatus
    evidence: int
    candidate: str = ""
    why: str = ""


@dataclass
class Work:
    """One question under way.

    ``budget`` is the scope of everything but the finalizer, which spends from ``question_budget``.
    """

    question: str
    conversation: Conversation
    budget: Budget
    question_budget: Budget
    tools: ToolContext
    emit: Callable[[Event], None]
    form: str = ""
    """How the answer must look, in words."""
    looks_up: bool = False
    """Whether the question's words call for looking up: then a program that works nothing out would
    only print what its author believes."""
    observations: list[Observation] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    rule_steps: int = 0
    """Steps that a rule took without a call of the model."""
    candidate: str = ""
    """The best answer so far, as it was written by whoever proposed it last."""
    said: str = ""
    """The thought with which it was proposed: small models say there what they then garble."""

    def next_rule_step(self) -> int:
        """The number of a step that no model call made: -1, -2 and so on."""
        self.rule_steps += 1
        return -self.rule_steps

    @property
    def evidence(self) -> list[Observation]:
        """The observations that hold text to answer from."""
        return [observation for observation in self.observations if observation.is_evidence]

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where the evidence came from, each once, in order."""
        found = [source for o in self.evidence for source in o.result.sources]
        return tuple(dict.fromkeys(found))

    @property
    def completed(self) -> tuple[str, ...]:
        """One line for each thing that was done."""
        return tuple(str(observation) for observation in self.observations)
