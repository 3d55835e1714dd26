"""Where a benchmark's questions come from: the course's API, a GAIA folder, or a file of one's own.

Nothing of a benchmark is shipped with this project: its authors ask that it not be copied.
"""

import hashlib
import json
import logging
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, field_validator

from agent.config import Settings
from agent.eval.errors import BenchmarkError
from agent.eval.files import write_atomically
from agent.eval.scoring_api import ScoringAPI, ScoringError

METADATA = "metadata.jsonl"
"""The name of the file of questions in a folder of GAIA's."""

_TASK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_log = logging.getLogger(__name__)


class QuestionsError(BenchmarkError):
    """There are no questions to ask; the message is one sentence that says what to do."""


class Task(BaseModel):
    """One question. ``answer`` is the true answer where it is known; ``file`` is its attachment
    where that lies beside the questions; ``workspace`` names the folder of its files here."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True, extra="ignore")

    task_id: str
    question: str = Field(validation_alias=AliasChoices("question", "Question"), min_length=1)
    level: str = Field("", validation_alias=AliasChoices("level", "Level"))
    file_name: str = ""
    answer: str | None = Field(None, validation_alias=AliasChoices("answer", "Final answer"))
    file: Path | None = None
    workspace: str = ""

    @field_validator("file_name", mode="before")
    @classmethod
    def _none_is_empty(cls, name: Any) -> Any:
        return name or ""

    @field_validator("task_id")
    @classmethod
    def _is_a_name(cls, task_id: str) -> str:
        """It names files, here and on servers."""
        if not _TASK_ID.fullmatch(task_id):
            raise ValueError("must be 1 to 100 letters, digits, dashes or underscores")
        return task_id


@dataclass(frozen=True)
class Benchmark:
    """Questions and where they are from. ``source`` is an address or a path, ``notice`` what the
    user should know about them."""

    kind: Literal["course", "gaia", "file"]
    source: str
    tasks: tuple[Task, ...]
    notice: str = ""


def load(source: str, settings: Settings, *, refresh: bool = False) -> Benchmark:
    """The questions at ``source``: empty for the course's API, a folder, or a JSONL file.

    The API's are kept on disk; ``refresh`` asks it again.

    Raises:
        QuestionsError: there are none, or they cannot be read.
    """
    if not source:
        return _from_api(settings, refresh)
    path = Path(source).resolve()
    if path.is_dir():
        return Benchmark("gaia", str(path), _from_lines(path / METADATA, ""))
    prefix = f"{hashlib.sha256(str(path).encode()).hexdigest()[:8]}-"
    return Benchmark("file", str(path), _from_lines(path, prefix))


def _from_api(settings: Settings, refresh: bool) -> Benchmark:
    api = ScoringAPI(settings)
    name = hashlib.sha256(api.url.encode()).hexdigest()[:16]
    kept = settings.cache_dir / "bench" / "questions" / f"{name}.json"
    stored = _read_kept(kept)
    if stored and not refresh:
        return Benchmark("course", api.url, stored)
    try:
        questions = api.questions()
    except ScoringError as error:
        if stored:
            day = time.strftime("%d %b %H:%M", time.localtime(kept.stat().st_mtime))
            notice = f"{error} The questions as they were on {day} are used."
            return Benchmark("course", api.url, stored, notice)
        raise QuestionsError(str(error)) from error
    tasks = _parse(enumerate(questions, 1), api.url)
    write_atomically(kept, json.dumps(questions).encode())
    return Benchmark("course", api.url, tasks)


def _read_kept(path: Path) -> tuple[Task, ...]:
    try:
        return _parse(enumerate(json.loads(path.read_bytes()), 1), str(path))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, TypeError, QuestionsError) as error:
        _log.warning("The kept questions cannot be used: %s", error)
        return ()


def _from_lines(path: Path, prefix: str) -> tuple[Task, ...]:
    """One JSON object a line; attachments lie beside the file. Workspaces get ``prefix``, because
    two files of one's own may both number their questions from 1."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionsError(f"{path} cannot be read: {error}") from error
    entries: list[tuple[int, Any]] = []
    for number, line in enumerate(text.split("\n"), 1):
        try:
            if line.strip():
                entries.append((number, json.loads(line)))
        except ValueError as error:
            raise QuestionsError(f"{path}, line {number}: it is not JSON ({error}).") from error
    return tuple(_with_file(task, path.parent, prefix) for task in _parse(entries, str(path)))


def _with_file(task: Task, folder: Path, prefix: str) -> Task:
    beside = folder / Path(task.file_name).name
    there = bool(task.file_name) and beside.is_file()
    return task.model_copy(
        update={"workspace": prefix + task.task_id, "file": beside if there else None}
    )


def _parse(numbered: Iterable[tuple[int, Any]], where: str) -> tuple[Task, ...]:
    tasks: dict[str, Task] = {}
    for number, entry in numbered:
        try:
            task = Task.model_validate(entry)
        except ValidationError as error:
            fault = error.errors()[0]
            field = ".".join(map(str, fault["loc"])) or "entry"
            raise QuestionsError(f"{where}, entry {number}: {field}: {fault['msg']}.") from error
        key = task.task_id.casefold()  # some file systems take no notice of case
        if key in tasks:
            raise QuestionsError(f"{where}, entry {number}: task_id {task.task_id} is there twice.")
        # An entry may not say which file of this machine is its attachment.
        tasks[key] = task.model_copy(update={"workspace": task.task_id, "file": None})
    if not tasks:
        raise QuestionsError(f"{where} has no questions.")
    return tuple(tasks.values())
