"""A run's answers on disk: one JSON file a task, written the moment it is answered.

Everything that shows, scores or submits a run reads this folder, and nothing else::

    cache/bench/<key>/about.json       which run this is
                      tasks/<id>.json  one record a task
                      state.json       how its latest run stands
                      set-aside/       files that could not be used, kept
                      sent/            submissions and their receipts
                      run.lock         held by the process that runs it
"""

import hashlib
import json
import logging
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError

from agent.config import Settings
from agent.eval.errors import BenchmarkError
from agent.eval.files import write_atomically
from agent.eval.progress import Progress, State
from agent.eval.questions import Benchmark, Task
from agent.eval.record import VERSION, TaskRecord

_THAT_MATTER = (
    "num_ctx",
    "num_predict",
    "max_llm_calls",
    "max_tool_calls",
    "max_tokens",
    "max_cost",
    "max_supervisor_steps",
    "max_web_iterations",
    "max_code_iterations",
    "per_question_timeout_s",
    "per_call_timeout_s",
    "observation_tokens",
)
"""Settings that change answers: a run with other values has a cache of its own."""

_log = logging.getLogger(__name__)


class CacheBusyError(BenchmarkError):
    """Another run works on this cache; the message is one sentence."""


class About(BaseModel):
    """Which run a cache belongs to; its key is made of exactly this."""

    model_config = ConfigDict(frozen=True)

    source: str
    user: str
    model: str
    settings: dict[str, float]

    @property
    def key(self) -> str:
        """The name of the folder."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]


class Cache:
    """The folder of one run. Any number of readers; writers hold ``lock``."""

    def __init__(self, folder: Path, about: About | None = None) -> None:
        self.folder = folder
        self._about = about
        self.tasks = folder / "tasks"
        self.progress = Progress(folder)
        self.warnings: list[str] = []
        """One sentence for each file that was set aside by this object."""

    @classmethod
    def of(cls, benchmark: Benchmark, user: str, model: str, settings: Settings) -> "Cache":
        """The cache of this run, made when something is written. ``model`` is a whole name."""
        values = {name: float(getattr(settings, name)) for name in _THAT_MATTER}
        about = About(source=benchmark.source, user=user, model=model, settings=values)
        return cls(settings.cache_dir / "bench" / about.key, about)

    @property
    def about(self) -> About | None:
        """Which run this is, or None where that cannot be told any more."""
        if self._about is None:
            with suppress(OSError, ValidationError):
                self._about = About.model_validate_json((self.folder / "about.json").read_bytes())
        return self._about

    def lock(self) -> FileLock:
        """Take the right to run; ``release()`` it afterwards. The system frees it with the process.

        Raises:
            CacheBusyError: somebody else has it.
            OSError: the folder cannot be written.
        """
        self.tasks.mkdir(parents=True, exist_ok=True)
        lock = self._lock()
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise CacheBusyError(
                "This benchmark is being run already, in another window or process: "
                "follow it there, or stop it first."
            ) from None
        for part in self.tasks.glob(".*.part"):  # of a writer that was killed
            part.unlink(missing_ok=True)
        if self._about and not (self.folder / "about.json").exists():
            write_atomically(
                self.folder / "about.json", self._about.model_dump_json(indent=2).encode()
            )
        return lock

    def is_locked(self) -> bool:
        """Whether somebody runs it now, here or in another process."""
        if not (self.folder / "run.lock").exists():
            return False
        try:
            with self._lock().acquire(timeout=0):
                return False
        except Timeout:
            return True

    def state(self) -> State | None:
        """How its latest run stands; None before the first."""
        return self.progress.read(is_alive=self.is_locked())

    def keep(self, record: TaskRecord, *, over_answers: bool = True) -> None:
        """Keep a record; it is on disk when this returns.

        Asking again never costs what there was: a record without an answer does not replace one
        that has one, nor a stopped task one that was tried to the end. Without ``over_answers``
        nothing replaces an answer.

        Raises:
            OSError: it could not be written.
        """
        path = self._path(record.task_id)
        with suppress(OSError, ValidationError):
            old = TaskRecord.model_validate_json(path.read_bytes())
            is_worse = bool(old.answer) and not (record.answer and over_answers)
            is_worse |= old.is_done and not record.is_done
            if is_worse and old.question == record.question:
                return
        write_atomically(path, record.model_dump_json(indent=2).encode())

    def records(self, tasks: Iterable[Task]) -> dict[str, TaskRecord]:
        """What is kept of these tasks, by their id. Files that cannot be used are set aside."""
        found = {}
        for task in tasks:
            if record := self._read(task):
                found[task.task_id] = record
        return found

    def _read(self, task: Task) -> TaskRecord | None:
        path = self._path(task.task_id)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._warn(f"{path.name} cannot be read: {error}")
            return None
        try:
            record = TaskRecord.model_validate_json(data)
        except ValidationError:
            self._set_aside(path, _why_unusable(data))
            return None
        if record.question != task.question or record.task_id != task.task_id:
            self._set_aside(path, "it answers another question")
            return None
        return record

    def _set_aside(self, path: Path, why: str) -> None:
        target = self.folder / "set-aside" / f"{path.stem}-{time.time_ns()}.json"
        self._warn(f"{path.name} was set aside and its task counts as not asked: {why}.")
        with suppress(OSError):
            target.parent.mkdir(exist_ok=True)
            path.rename(target)

    def _warn(self, sentence: str) -> None:
        self.warnings.append(sentence)
        _log.warning("%s: %s", self.folder, sentence)

    def _path(self, task_id: str) -> Path:
        return self.tasks / f"{task_id}.json"

    def _lock(self) -> FileLock:
        # Taken by the thread that starts a run, released by the one that ends it.
        return FileLock(self.folder / "run.lock", thread_local=False)


def caches(settings: Settings, source: str) -> list[Cache]:
    """All caches of one benchmark's runs, the newest first."""
    found = [Cache(path.parent) for path in (settings.cache_dir / "bench").glob("*/about.json")]
    of_source = [cache for cache in found if cache.about and cache.about.source == source]
    return sorted(of_source, key=lambda cache: cache.tasks.stat().st_mtime, reverse=True)


def _why_unusable(data: bytes) -> str:
    try:
        content: Any = json.loads(data)
    except ValueError:
        return "it is damaged"
    version = content.get("version", 0) if isinstance(content, dict) else 0
    return "it is damaged" if version == VERSION else f"it is of version {version}"
