"""Runs on disk: which there are, what became of each, and whether somebody still writes one.

A run is ``<id>.jsonl``. Whoever writes it holds a lock beside it for as long, and the system frees
that lock with the process: a trace without ``run_finished`` whose lock is free was interrupted,
however its process ended.
"""

import os
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Literal

from filelock import BaseFileLock, FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError

from agent.obs.events import EVENT, Event, RunFinished, RunStarted, Status

RunStatus = Status | Literal["running", "interrupted"]

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
_BLOCK = 65_536


class UnknownRun(LookupError):
    """There is no run of that name; the message says so in a sentence."""


class RunSummary(BaseModel):
    """One line of the list of runs. ``at`` is Unix time in seconds of its start."""

    model_config = ConfigDict(frozen=True)

    run_id: str
    question: str
    status: RunStatus
    at: float
    answer: str = ""


class RunStore:
    """The runs in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, run_id: str) -> Path:
        """Where a run's events are, or will be.

        Raises:
            UnknownRun: ``run_id`` is not of the form of an id (it may come from a stranger).
        """
        if not _ID.fullmatch(run_id):
            raise UnknownRun("That is not the id of a run.")
        return self.folder / f"{run_id}.jsonl"

    def exists(self, run_id: str) -> bool:
        """Whether there is a trace of that run."""
        return bool(_ID.fullmatch(run_id)) and self.path(run_id).is_file()

    def claim(self, run_id: str) -> FileLock:
        """Take the lock that says a run is being written; give it to ``release`` at its end."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = self._lock(run_id)
        lock.acquire(timeout=0)
        return lock

    def release(self, lock: BaseFileLock) -> None:
        """Give a run's lock back and leave no file of it behind."""
        lock.release()
        Path(lock.lock_file).unlink(missing_ok=True)

    def is_claimed(self, run_id: str) -> bool:
        """Whether a living process, this one or another, is writing that run."""
        if not Path(self._lock(run_id).lock_file).exists():
            return False
        try:
            with self._lock(run_id).acquire(timeout=0):
                return False
        except Timeout:
            return True

    def runs(self, limit: int = 200, only: Collection[str] | None = None) -> list[RunSummary]:
        """The newest runs first, or the newest among those with the ids ``only``.

        Of each file the beginning and the end alone are read.
        """
        found = (p for p in self.folder.glob("*.jsonl") if only is None or p.stem in only)
        paths = sorted(found, key=lambda path: path.name, reverse=True)
        return list(self._summaries(paths[:limit]))

    def started(self, run_id: str) -> RunStarted:
        """What a run was asked.

        Raises:
            UnknownRun: there is no such run.
        """
        if self.exists(run_id):
            with self.path(run_id).open("rb") as file:
                first = _parse(file.readline())
            if isinstance(first, RunStarted):
                return first
        raise UnknownRun("There is no such run here.")

    def _summaries(self, paths: list[Path]) -> Iterator[RunSummary]:
        for path in paths:
            with suppress(OSError, UnknownRun):
                if summary := self._summary(path):
                    yield summary

    def _summary(self, path: Path) -> RunSummary | None:
        """What its first and last events say, or None if it does not begin as a run does."""
        with path.open("rb") as file:
            first = _parse(file.readline())
            last = _parse(_last_line(file))
        if not isinstance(first, RunStarted):
            return None
        if isinstance(last, RunFinished):
            status: RunStatus = last.result.status
            answer = last.result.answer
        else:
            status, answer = "running" if self.is_claimed(path.stem) else "interrupted", ""
        return RunSummary(
            run_id=path.stem, question=first.question, status=status, at=first.at, answer=answer
        )

    def _lock(self, run_id: str) -> FileLock:
        # Taken by the thread that starts a run, released by the one that ends it.
        return FileLock(self.path(run_id).with_suffix(".lock"), thread_local=False)


def _last_line(file: BinaryIO) -> bytes:
    """The last whole line of an open file, found from its end."""
    end = file.seek(0, os.SEEK_END)
    start, data = end, b""
    while start and data.rstrip(b"\n").count(b"\n") < 1:
        start = max(start - _BLOCK, 0)
        file.seek(start)
        data = file.read(end - start)
    lines = data[: data.rfind(b"\n") + 1].splitlines()
    return lines[-1] if lines else b""


def _parse(line: bytes) -> Event | None:
    try:
        return EVENT.validate_json(line)
    except ValidationError:
        return None
