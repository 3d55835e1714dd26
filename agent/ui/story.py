"""The story of a run, told by its events: what each step thought, did and learnt.

Everything that the screen shows is read from here, so that a run that is replayed from disk looks
as it did while it was going.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from agent.obs.events import (
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


@dataclass
class ToolUse:
    """One tool call and, once it has ended, its result."""

    started: ToolStarted
    finished: ToolFinished | None = None


@dataclass
class Step:
    """One model call, or a rule's step without one, and what followed from it."""

    number: int
    role: str = ""
    thought: str = ""
    taken: StepTaken | None = None
    record: CallRecord | None = None
    tools: list[ToolUse] = field(default_factory=list)
    hints: list[Reflected] = field(default_factory=list)

    @property
    def by_rule(self) -> bool:
        """Whether no model call was made for it."""
        return self.number < 0


@dataclass
class Story:
    """A run as far as its events go.

    ``waiting`` is the last word on a model being fetched or a turn being waited for, until the
    first call; ``spent_at`` and ``last_at`` are the Unix times of ``spent`` and of the last event;
    ``interrupted`` says that the run's process is gone although it never finished.
    """

    run_id: str = ""
    question: str = ""
    files: tuple[str, ...] = ()
    started_at: float = 0.0
    model: str = ""
    notice: str = ""
    waiting: ModelProgress | None = None
    steps: list[Step] = field(default_factory=list)
    spent: BudgetSnapshot | None = None
    spent_at: float = 0.0
    last_at: float = 0.0
    sources: list[Source] = field(default_factory=list)
    result: RunResult | None = None
    interrupted: bool = False

    @classmethod
    def of(cls, events: Iterable[Event]) -> "Story":
        """The story that these events tell."""
        story = cls()
        for event in events:
            story.add(event)
        return story

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return self.result is not None or self.interrupted

    def seconds(self, now: float) -> float:
        """Seconds spent by ``now`` (Unix time); while the run goes on they pass without an event,
        and an interrupted one spent them until its last."""
        if self.result:
            return self.result.seconds
        if self.spent is None:
            return 0.0
        until = self.last_at if self.interrupted else now
        return self.spent.seconds + max(until - self.spent_at, 0.0)

    def add(self, event: Event) -> None:
        """Take in the next event."""
        self.last_at = event.at
        match event:
            case RunStarted():
                self.run_id, self.question = event.run_id, event.question
                self.files, self.started_at = event.files, event.at
            case ModelProgress():
                self.waiting = event
            case ModelReady():
                self.model, self.notice, self.waiting = event.model, event.notice, None
            case CallStarted():
                self._step(event.step).role = event.role
                self.waiting = None
            case Thinking():
                self._step(event.step).thought += event.text
            case StepTaken():
                step = self._step(event.step)
                step.taken, step.role = event, event.role
                step.thought = event.thought or step.thought
            case CallFinished():
                self._step(event.step).record = event.record
            case ToolStarted():
                self._step(event.step).tools.append(ToolUse(event))
            case ToolFinished():
                self._finish_tool(event)
            case Reflected():
                self._step(event.step).hints.append(event)
            case BudgetChanged():
                self.spent, self.spent_at = event.snapshot, event.at
            case RunFinished():
                self.result = event.result
                if event.result.sources:
                    self.sources = list(event.result.sources)

    def _step(self, number: int) -> Step:
        for step in reversed(self.steps):
            if step.number == number:
                return step
        self.steps.append(Step(number))
        return self.steps[-1]

    def _finish_tool(self, event: ToolFinished) -> None:
        tools = self._step(event.step).tools
        pending = [use for use in tools if use.finished is None and use.started.name == event.name]
        if not pending:  # a repeat is answered without being started
            started = ToolStarted(at=event.at, step=event.step, name=event.name, args={})
            pending = [ToolUse(started)]
            tools.extend(pending)
        pending[0].finished = event
        self._cite(event.sources)

    def _cite(self, sources: Iterable[Source]) -> None:
        for source in sources:
            if all(source.url != known.url for known in self.sources):
                self.sources.append(source)
