"""The trace of one task: a run like any other, so that the list of runs shows it."""

from collections import Counter
from types import TracebackType
from typing import cast

from agent.config import Settings
from agent.eval.questions import Task
from agent.obs.events import (
    CallFinished,
    Event,
    RunFinished,
    RunResult,
    RunStarted,
    Status,
    ToolFinished,
)
from agent.obs.trace import new_run_id, read_trace
from agent.runs.record import RunRecord
from agent.runs.store import RunStore
from agent.tools.result import NEXT_STEP, ErrorKind


class TaskTrace:
    """Writes a task's events while its run's lock is held, and counts what failed on the way."""

    def __init__(self, settings: Settings, task: Task) -> None:
        self.run_id = new_run_id()
        self.failures: Counter[str] = Counter()
        """How often what failed: ``model timed_out``, ``tool rate_limited``."""
        self.no_file_because = ""
        """Why the task's attachment could not be fetched when that was last tried."""
        self._store = RunStore(settings.runs_dir)
        self._path = self._store.path(self.run_id)
        self._claim = self._store.claim(self.run_id)
        self._record = RunRecord(self._path, self.run_id, task.question)
        started = RunStarted(run_id=self.run_id, question=task.question, task_id=task.workspace)
        self._record(started)

    def __call__(self, event: Event) -> None:
        """Write an event."""
        match event:
            case CallFinished() if event.record.outcome != "ok":
                self.failures[f"model {event.record.outcome}"] += 1
            case ToolFinished() if not event.ok:
                self.failures[f"tool {event.error_kind}"] += 1
                if event.name == "download_task_file":
                    self.no_file_because = _for_people(event)
        self._record(event)

    def fail(self, error: str) -> RunResult:
        """End the run whose answerer raised an exception, with what it is known to have spent."""
        self.failures["program"] += 1
        return self._finish("failed", f"The program failed at this task: {error}", error)

    def stop(self) -> RunResult:
        """End the run whose turn never came."""
        return self._finish("stopped", "It was stopped before its turn came.")

    def _finish(self, status: Status, reason: str, error: str = "") -> RunResult:
        self._record.finish(status, reason, error)
        events, _ = read_trace(self._path)
        last = events[-1]
        assert isinstance(last, RunFinished)
        return last.result

    def __enter__(self) -> "TaskTrace":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self._record.close()
        finally:
            self._store.release(self._claim)


def _for_people(event: ToolFinished) -> str:
    """A tool's error without what is only said to the model."""
    kind = cast(ErrorKind, event.error_kind)
    text = event.text.removeprefix(f"ERROR ({kind}): ")
    return text.removesuffix(NEXT_STEP.get(kind, "")).strip()
