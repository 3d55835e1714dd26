"""What is kept of one task."""

import time
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from agent.eval.questions import Task
from agent.obs.events import RunResult, Status
from agent.obs.metrics import TaskMetric

VERSION = 1
"""Of ``TaskRecord``. Records of another version are set aside, and their tasks asked again."""


class TaskRecord(BaseModel):
    """What became of one task. ``at`` is Unix time in seconds, ``missing_file`` the name of an
    attachment that could not be had and ``missing_because`` the reason where one was given,
    ``run_id`` the name of its trace."""

    model_config = ConfigDict(frozen=True)

    version: Literal[1] = 1
    task_id: str
    question: str
    answer: str
    status: Status
    reason: str
    model: str
    run_id: str
    at: float
    missing_file: str = ""
    missing_because: str = ""
    failures: dict[str, int] = {}
    """How often what failed on the way: ``tool rate_limited``, ``model timed_out``."""
    metric: TaskMetric

    @property
    def is_answered(self) -> bool:
        """Answered as it should be: what a second run leaves alone, whatever it is asked."""
        return self.status == "answered" and bool(self.answer)

    @property
    def is_done(self) -> bool:
        """Tried to the end, well or not; a stopped task was not."""
        return self.status != "stopped"

    @classmethod
    def of(
        cls,
        task: Task,
        result: RunResult,
        status: Status,
        *,
        failures: Mapping[str, int],
        missing_file: str = "",
        missing_because: str = "",
    ) -> "TaskRecord":
        """The record of a result, written now. ``status`` is the task's, which may differ from the
        result's: a question that the run's end cut short was stopped. What a stopped one had so
        far is no answer."""
        taken = TaskMetric.model_fields.keys() & RunResult.model_fields.keys() - {"status"}
        values = {name: getattr(result, name) for name in taken}
        return cls(
            task_id=task.task_id,
            question=task.question,
            answer="" if status == "stopped" else result.answer,
            status=status,
            reason=result.stop_reason,
            model=result.model,
            run_id=result.run_id,
            at=time.time(),
            missing_file=missing_file,
            missing_because=missing_because,
            failures=dict(failures),
            metric=TaskMetric(task_id=task.task_id, status=status, **values),
        )
