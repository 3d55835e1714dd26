"""What the Benchmark tab does: it finds the run that is meant, reads it from disk, and acts on it.

A run works in threads of the app's process and writes to disk; nothing here waits for it.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agent.config import Settings
from agent.eval.answering import Answer
from agent.eval.archive import export_run, import_run
from agent.eval.attachments import attach, files
from agent.eval.cache import About, Cache, caches
from agent.eval.errors import BenchmarkError
from agent.eval.progress import State
from agent.eval.questions import Benchmark, Task, load
from agent.eval.record import TaskRecord
from agent.eval.runner import BenchmarkRunner, Rerun, to_ask
from agent.eval.scoring_api import ScoringAPI
from agent.eval.submit import Receipt, Submission, SubmitError, prepare, receipts, send
from agent.obs.trace import read_trace
from agent.runs.line import Lines
from agent.runs.store import RunStore
from agent.ui.story import Story

_POLL_S = 0.05


@dataclass(frozen=True)
class Choice:
    """Which run is meant. ``source`` is empty for the course, ``model`` for the automatic one,
    ``limit`` 0 for all questions."""

    user: str = ""
    source: str = ""
    model: str = ""
    limit: int = 0


@dataclass(frozen=True)
class Standing:
    """How a run stands on disk. ``tasks`` are those that a run would take, ``live`` the stories of
    the questions under way by task id, ``is_pausing`` that a pause was asked for."""

    benchmark: Benchmark
    model: str
    tasks: tuple[Task, ...]
    records: Mapping[str, TaskRecord]
    state: State | None
    is_pausing: bool = False
    receipts: tuple[Receipt, ...] = ()
    live: Mapping[str, Story] = field(default_factory=dict)

    @property
    def is_running(self) -> bool:
        """Whether somebody runs it now, a paused one included."""
        return self.state is not None and self.state.phase in {"running", "paused"}

    @property
    def left(self) -> list[Task]:
        """What is still to ask."""
        return to_ask(self.tasks, dict(self.records), "nothing")

    @property
    def failed(self) -> list[Task]:
        """What was tried and has no proper answer."""
        again = to_ask(self.tasks, dict(self.records), "failed")
        return [task for task in again if task not in self.left]


@dataclass(frozen=True)
class Found:
    """The questions, the cache and the whole model name that a choice leads to."""

    benchmark: Benchmark
    cache: Cache
    model: str
    tasks: tuple[Task, ...]

    def task(self, task_id: str) -> Task:
        """The task of that id.

        Raises:
            BenchmarkError: there is none.
        """
        for task in self.benchmark.tasks:
            if task.task_id == task_id:
                return task
        raise BenchmarkError("There is no such task in these questions.")


class Bench:
    """Acts on benchmark runs. What cannot be done is a ``BenchmarkError`` or an ``OSError``."""

    def __init__(self, settings: Settings, answer: Answer, lines: Lines) -> None:
        self._settings = settings
        self._answer, self._lines = answer, lines
        self._store = RunStore(settings.runs_dir)
        self._runners: dict[Path, BenchmarkRunner] = {}

    def find(self, choice: Choice, *, refresh: bool = False) -> Found:
        """The run that is meant; may ask the scoring API, and takes seconds where it is away.

        Raises:
            BenchmarkError: there are no questions.
            ModelNameError: the model's name cannot be understood.
        """
        from agent.llm.names import ModelName
        from agent.llm.status import model_status

        benchmark = load(choice.source, self._settings, refresh=refresh)
        asked = choice.model or self._settings.model
        model = str(ModelName.parse(asked)) if asked else model_status(self._settings).model
        cache = self._cache(benchmark, choice.user, model)
        tasks = benchmark.tasks[: choice.limit or None]
        return Found(benchmark, cache, model, tasks)

    def _cache(self, benchmark: Benchmark, user: str, model: str) -> Cache:
        """The user's; else nobody's, who may name themselves later; to nobody, the latest one."""
        own = Cache.of(benchmark, user, model, self._settings)
        if own.folder.exists() or own.about is None:
            return own
        wanted = own.about.model_copy(update={"user": ""})
        for other in caches(self._settings, benchmark.source):
            about = other.about
            if about is None or (user and about.user):
                continue
            if about.model_copy(update={"user": ""}) == wanted:
                return other
        return own

    def standing(self, found: Found) -> Standing:
        """How it stands on disk now."""
        state = found.cache.state()
        return Standing(
            benchmark=found.benchmark,
            model=found.model,
            tasks=found.tasks,
            records=found.cache.records(found.benchmark.tasks),
            state=state,
            is_pausing=found.cache.progress.is_paused,
            receipts=tuple(receipts(found.cache)),
            live=self._live(state),
        )

    def start(self, found: Found, rerun: Rerun = "nothing") -> None:
        """Run what is to be asked."""
        self._start(found, found.tasks, rerun)

    def ask_again(self, found: Found, task_id: str) -> None:
        """Ask one task, whatever became of it before; returns when it is under way or done."""
        runner = self._start(found, (found.task(task_id),), "all")
        while not runner.wait(_POLL_S):
            state = found.cache.state()
            if state and task_id in state.working:
                return

    def _start(self, found: Found, tasks: tuple[Task, ...], rerun: Rerun) -> BenchmarkRunner:
        line = self._lines.of(found.model)
        runner = BenchmarkRunner(
            self._settings, found.cache, self._answer, line=line, model=found.model
        )
        runner.start(tasks, rerun)
        self._runners[found.cache.folder] = runner
        return runner

    def pause(self, found: Found) -> None:
        """Let the question under way end and ask no further one."""
        found.cache.progress.pause()

    def resume(self, found: Found) -> None:
        """Go on after a pause."""
        found.cache.progress.resume()

    def end(self, found: Found) -> None:
        """End a run of this process; a question under way stays to be asked."""
        runner = self._runners.get(found.cache.folder)
        if runner is None:
            raise BenchmarkError("This run is another process's: stop it there.")
        runner.stop()

    def clear(self, found: Found) -> int:
        """Delete the answers, not their traces and receipts; returns how many."""
        with found.cache.lock():
            kept = list(found.cache.tasks.glob("*.json"))
            for path in kept:
                path.unlink()
        return len(kept)

    def attach(self, found: Found, task_id: str, path: Path) -> str:
        """Give a task its file; returns the name it has from now on."""
        return attach(self._settings, found.task(task_id), path)

    def files(self, task: Task) -> list[str]:
        """The names of a task's files that are here."""
        return [path.name for path in files(self._settings, task)]

    def run_of(self, found: Found, task_id: str) -> str:
        """The run that answers a task now, else the one that did; empty if there is none."""
        state = found.cache.state()
        if state and (run_id := state.working.get(task_id)):
            return run_id
        record = found.cache.records([found.task(task_id)]).get(task_id)
        return record.run_id if record else ""

    def export(self, found: Found) -> Path:
        """The run as a zip, in a temporary folder."""
        if not (found.cache.folder / "about.json").exists():
            raise BenchmarkError("There is nothing to download yet: run the benchmark first.")
        path = Path(tempfile.mkdtemp()) / f"benchmark-{found.cache.folder.name}.zip"
        export_run(found.cache, self._settings, path)
        return path

    def take(self, path: Path, choice: Choice) -> About:
        """Take a run out of a zip; returns whose it is."""
        source = str(Path(choice.source).resolve()) if choice.source else ""
        about = import_run(path, self._settings, source).about
        assert about is not None  # read from the zip, or the import would have failed
        return about

    def review(self, found: Found, user: str, code: str) -> Submission:
        """What would be sent now."""
        records = found.cache.records(found.benchmark.tasks)
        return prepare(found.benchmark, records, self._settings, username=user, agent_code=code)

    def send(self, found: Found, user: str, code: str, digest: str, *, again: bool) -> Receipt:
        """Send what was reviewed under ``digest``, once."""
        submission = self.review(found, user, code)
        if submission.digest != digest:
            raise SubmitError("The answers have changed since you reviewed them: look again.")
        return send(submission, found.cache, ScoringAPI(self._settings), again=again)

    def _live(self, state: State | None) -> dict[str, Story]:
        live = {}
        for task_id, run_id in (state.working if state else {}).items():
            if self._store.exists(run_id):
                events, _ = read_trace(self._store.path(run_id))
                live[task_id] = Story.of(events)
        return live
