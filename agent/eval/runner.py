"""The benchmark's runner: one task after another, each written to disk before the next begins.

It works in threads of its own and takes no part in showing itself: a tab, a terminal or another
process follows the cache's folder, so that a run goes on when whoever started it goes away.
"""

import logging
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Literal

from filelock import BaseFileLock

from agent.budget import RunStopped
from agent.config import Settings
from agent.eval.answering import HOPELESS, Answer, HopelessError
from agent.eval.attachments import files
from agent.eval.cache import Cache
from agent.eval.files import explain, is_disk_full
from agent.eval.questions import Task
from agent.eval.record import TaskRecord
from agent.eval.trace import TaskTrace
from agent.obs.events import RunResult, Status
from agent.obs.log import LOG_NAME
from agent.obs.metrics import TaskMetric
from agent.runs.line import Line, Place

Rerun = Literal["nothing", "failed", "all"]

_POLL_S = 0.1
_log = logging.getLogger(__name__)


class BenchmarkRunner:
    """Runs tasks into a cache. ``start`` may be called again when a run has ended."""

    def __init__(
        self,
        settings: Settings,
        cache: Cache,
        answer: Answer,
        *,
        line: Line,
        model: str = "",
        workers: int = 1,
    ) -> None:
        """Each question takes its turn in ``line``, and there are never more ``workers`` than that
        serves at once: a local model is asked one question at a time."""
        self.cache = cache
        self._settings, self._answer, self._model = settings, answer, model
        self._line = line
        self._workers = min(workers, line.capacity)
        self._turn, self._clock = threading.Lock(), threading.Lock()
        self._stop = threading.Event()
        self._ended = threading.Event()
        self._deadline: float | None = None
        self._reason = ""

    def build_prompt(self, task: Task) -> str:
        """The question, and where its attachment is not here yet, how to get it."""
        if not task.file_name or files(self._settings, task):
            return task.question
        return (
            f"{task.question}\n\nThis task has an attached file, {task.file_name}: "
            "call download_task_file to get it, then read it with read_file."
        )

    def run_one(self, task: Task) -> tuple[TaskRecord, TaskMetric]:
        """Ask one question when its turn comes, within what is left of time then; nothing is kept
        but its trace.

        An exception costs this task alone: it is in the record.

        Raises:
            HopelessError: the model cannot be used, by this task or any other.
            OSError: the disk is full.
        """
        left_s = self._left_s()
        with TaskTrace(self._settings, task) as trace, self._line.join() as place:
            self.cache.progress.begin(task.task_id, trace.run_id)
            try:
                self._wait_for_turn(place, trace)
                left_s = self._left_s()
                result = self._answer(
                    self.build_prompt(task),
                    files(self._settings, task),
                    model=self._model,
                    task_id=task.workspace,
                    run_id=trace.run_id,
                    emit=trace,
                    stop=self._stop,
                    total_left_s=left_s,
                )
            except RunStopped:
                result = trace.stop()
            except Exception as error:
                if isinstance(error, OSError) and is_disk_full(error):
                    raise
                _log.exception("Task %s failed", task.task_id)
                result = trace.fail(f"{type(error).__name__}: {error} (see {LOG_NAME})")
            finally:
                self.cache.progress.end(task.task_id)
        if result.error_kind in HOPELESS:
            raise HopelessError(result.error or result.stop_reason)
        missing = bool(task.file_name) and not files(self._settings, task)
        record = TaskRecord.of(
            task,
            result,
            self._status(result, left_s),
            failures=trace.failures,
            missing_file=task.file_name if missing else "",
            missing_because=trace.no_file_because if missing else "",
        )
        return record, record.metric

    def start(self, tasks: Sequence[Task], rerun: Rerun = "nothing") -> list[Task]:
        """Run those of ``tasks`` that are to be asked, in threads; returns them at once.

        Raises:
            CacheBusyError: this cache is being run already.
            OSError: its folder cannot be written.
        """
        lock = self.cache.lock()
        todo = to_ask(tasks, self.cache.records(tasks), rerun)
        self._stop.clear()
        self._ended.clear()
        self._reason = ""
        self._deadline = time.monotonic() + self._settings.total_budget_s
        self.cache.progress.resume()
        ids = tuple(task.task_id for task in todo)
        self.cache.progress.note(phase="running", reason="", tasks=ids, working={})
        threading.Thread(target=self._run, args=(todo, lock), name="bench", daemon=True).start()
        return todo

    def pause(self) -> None:
        """Let the questions under way end, and ask no further one until ``resume``."""
        self.cache.progress.pause()

    def resume(self) -> None:
        """Go on after ``pause``."""
        self.cache.progress.resume()

    def stop(self) -> None:
        """End the run soon: a question under way is broken off and stays to be asked."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the run's end, at most so long; whether it has come."""
        return self._ended.wait(seconds)

    @property
    def reason(self) -> str:
        """One sentence on why the run ended before its tasks did; empty if it did not."""
        return self._reason

    def _run(self, todo: list[Task], lock: BaseFileLock) -> None:
        queue = self._turns(iter(todo))
        workers = [
            threading.Thread(target=self._work, args=(queue,), name=f"bench-{n}", daemon=True)
            for n in range(self._workers)
        ]
        try:
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
        finally:
            phase = "halted" if self._reason else "stopped" if self._stop.is_set() else "finished"
            self.cache.progress.note(phase=phase, reason=self._reason, working={})
            lock.release()
            self._ended.set()

    def _work(self, queue: Iterator[Task]) -> None:
        while task := self._next(queue):
            try:
                record, _ = self.run_one(task)
                self.cache.keep(record)
            except HopelessError as error:
                self._halt(str(error))
            except OSError as error:
                self._halt(explain(error, self.cache.folder))
            except Exception as error:
                _log.exception("The run broke off at task %s", task.task_id)
                self._halt(f"The program failed ({type(error).__name__}): see {LOG_NAME}.")

    def _next(self, queue: Iterator[Task]) -> Task | None:
        with self._turn:
            return next(queue, None)

    def _turns(self, tasks: Iterator[Task]) -> Iterator[Task]:
        """Each task when its turn comes, until the run is to end."""
        for task in tasks:
            self._while_paused()
            if self._stop.is_set():
                return
            if not self._left_s():
                total_s = self._settings.total_budget_s
                self._halt(f"The run's {total_s:g} seconds are spent: the rest is still to ask.")
                return
            yield task

    def _while_paused(self) -> None:
        """Wait for as long as a pause lasts; it costs the run no time."""
        if not self.cache.progress.is_paused:
            return
        since = time.monotonic()
        self.cache.progress.note(phase="paused")
        while self.cache.progress.is_paused and not self._stop.wait(_POLL_S):
            pass
        self._give_back(time.monotonic() - since)
        self.cache.progress.note(phase="running")

    def _wait_for_turn(self, place: Place, trace: TaskTrace) -> None:
        """Wait in line; it costs the run no time. One waiting worker costs it that one's share."""
        since = time.monotonic()
        place.wait(self._stop, trace)
        self._give_back((time.monotonic() - since) / self._workers)

    def _give_back(self, seconds: float) -> None:
        with self._clock:
            if self._deadline is not None:
                self._deadline += seconds

    def _halt(self, reason: str) -> None:
        self._reason = self._reason or reason
        self._stop.set()

    def _left_s(self) -> float:
        """What the run has left; outside of a run, all of it."""
        if self._deadline is None:
            return self._settings.total_budget_s
        return max(self._deadline - time.monotonic(), 0.0)

    def _status(self, result: RunResult, left_s: float) -> Status:
        """The task's status: where not its own time was the limit but the run's, it was stopped."""
        own_s = self._settings.per_question_timeout_s
        cut_short = result.status == "timed_out" and not result.answer and left_s < own_s
        return "stopped" if cut_short else result.status


def to_ask(tasks: Sequence[Task], records: dict[str, TaskRecord], rerun: Rerun) -> list[Task]:
    """The tasks to ask: those not tried to the end; ``failed`` adds those that have no answer or
    did not end well, ``all`` takes every one."""

    def is_to_ask(task: Task) -> bool:
        record = records.get(task.task_id)
        if record is None or rerun == "all" or not record.is_done:
            return True
        return rerun == "failed" and not record.is_answered

    return [task for task in tasks if is_to_ask(task)]
