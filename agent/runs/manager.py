"""The run manager: a thread a run, each with its events on disk, its turn and a Stop.

Nothing that shows a run takes part in it. A browser tab, a terminal or a test starts a run, then
follows its file; when it goes away the run goes on.
"""

import logging
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from filelock import BaseFileLock

from agent.budget import Limits, RunStopped
from agent.config import Settings
from agent.llm.names import AskedModel
from agent.obs.events import Event, RunResult, RunStarted
from agent.obs.log import LOG_NAME
from agent.obs.trace import follow_trace, new_run_id
from agent.runs.line import Lines, Place
from agent.runs.record import RunRecord
from agent.runs.store import RunStore

_log = logging.getLogger(__name__)


class Answer(Protocol):
    """Whatever answers a question: emits ``run_started`` first and ``run_finished`` last."""

    def __call__(
        self,
        question: str,
        files: Sequence[Path] = (),
        *,
        model: AskedModel = "",
        limits: Limits | None = None,
        task_id: str = "",
        run_id: str = "",
        emit: Callable[[Event], None],
        stop: threading.Event | None = None,
        total_left_s: float | None = None,
    ) -> RunResult: ...


@dataclass(eq=False)
class _Run:
    run_id: str
    question: str
    files: tuple[Path, ...]
    model: AskedModel
    limits: Limits | None
    record: RunRecord
    claim: BaseFileLock
    place: Place
    stop: threading.Event = field(default_factory=threading.Event)


class RunManager:
    """Starts, stops and follows runs. Waiting for its turn costs a run nothing of its budget."""

    def __init__(self, settings: Settings, answer: Answer) -> None:
        self.store = RunStore(settings.runs_dir)
        self.answer = answer
        """What answers; for the benchmark, whose runs have threads of their own."""
        self.lines = Lines(settings)
        """Where runs wait; the benchmark's wait there too."""
        self._runs: dict[str, _Run] = {}

    def start(
        self,
        question: str,
        files: Sequence[Path] = (),
        model: AskedModel = "",
        limits: Limits | None = None,
    ) -> str:
        """Start a run in a thread of its own and return its id at once.

        Raises:
            OSError: the cache folder cannot be written.
        """
        run_id = new_run_id()
        claim = self.store.claim(run_id)
        record = RunRecord(self.store.path(run_id), run_id, question)
        record(RunStarted(run_id=run_id, question=question, files=tuple(map(str, files))))
        place = self.lines.of(model).join()
        run = _Run(run_id, question, tuple(files), model, limits, record, claim, place)
        self._runs[run_id] = run
        threading.Thread(target=self._work, args=(run,), name=f"run-{run_id}", daemon=True).start()
        return run_id

    def stop(self, run_id: str) -> None:
        """Ask a run of this process to stop; nothing happens if it has ended."""
        if run := self._runs.get(run_id):
            run.stop.set()

    def active(self) -> list[str]:
        """The ids of this process's runs, under way or waiting, in the order they came."""
        return list(self._runs)

    def is_alive(self, run_id: str) -> bool:
        """Whether a run is under way or waiting, in this process or another."""
        return run_id in self.active() or self.store.is_claimed(run_id)

    def follow(self, run_id: str, offset: int = 0) -> AsyncIterator[list[Event]]:
        """Batches of a run's events, from byte ``offset`` of its trace, as they are written.

        Ends when the run has finished or its process is gone.

        Raises:
            UnknownRun: ``run_id`` is not of the form of an id.
        """
        path = self.store.path(run_id)
        return follow_trace(path, offset, is_alive=lambda: self.is_alive(run_id))

    def _work(self, run: _Run) -> None:
        try:
            with run.place:
                run.place.wait(run.stop, run.record)
                self.answer(
                    run.question,
                    run.files,
                    model=run.model,
                    limits=run.limits,
                    run_id=run.run_id,
                    emit=run.record,
                    stop=run.stop,
                )
        except RunStopped:
            run.record.finish("stopped", "It was stopped before its turn came.")
        except Exception as error:
            _log.exception("Run %s failed", run.run_id)
            reason = (
                f"The program failed unexpectedly ({type(error).__name__}). "
                f"Details are in {LOG_NAME} in the cache folder; please report it."
            )
            run.record.finish("failed", reason, error=f"{type(error).__name__}: {error}")
        finally:
            del self._runs[run.run_id]
            run.record.close()
            self.store.release(run.claim)
