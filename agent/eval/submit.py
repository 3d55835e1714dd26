"""Submitting: a deliberate act that reads the cache, shows what it will send, and sends it once."""

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError

from agent.config import Settings
from agent.core.answer_form import read_form
from agent.core.answer_lint import lint
from agent.eval.cache import Cache
from agent.eval.errors import BenchmarkError
from agent.eval.files import write_atomically
from agent.eval.questions import Benchmark, Task
from agent.eval.record import TaskRecord
from agent.eval.scoring_api import MayHaveArrivedError, Score, ScoringAPI, ScoringError

LEADERBOARD = "https://huggingface.co/spaces/agents-course/Students_leaderboard"
MIN_AGENT_CODE = 10
"""Characters, as the API demands."""


class SubmitError(BenchmarkError):
    """Nothing was submitted, or nobody knows; the message is one sentence or two."""


@dataclass(frozen=True)
class Line:
    """One answer exactly as it will be sent, with what the lint says of it."""

    task: Task
    answer: str
    faults: tuple[str, ...]


@dataclass(frozen=True)
class Submission:
    """What would be sent, and the tasks that have no answer."""

    username: str
    agent_code: str
    lines: tuple[Line, ...]
    missing: tuple[Task, ...]

    @property
    def payload(self) -> dict[str, Any]:
        """The body of ``POST /submit``."""
        answers = [
            {"task_id": line.task.task_id, "submitted_answer": line.answer} for line in self.lines
        ]
        return {"username": self.username, "agent_code": self.agent_code, "answers": answers}

    @property
    def digest(self) -> str:
        """The same for the same payload, and for no other."""
        return hashlib.sha256(json.dumps(self.payload, sort_keys=True).encode()).hexdigest()[:24]


class Receipt(BaseModel):
    """What became of one payload. ``sending`` that stays was cut off: it may have arrived."""

    model_config = ConfigDict(frozen=True)

    state: Literal["sending", "received", "refused"]
    at: float
    payload: dict[str, Any]
    score: Score | None = None
    said: str = ""


def prepare(
    benchmark: Benchmark,
    records: Mapping[str, TaskRecord],
    settings: Settings,
    *,
    username: str,
    agent_code: str = "",
) -> Submission:
    """What would be sent now. ``agent_code`` is by default the link of the Space this runs on.

    Raises:
        SubmitError: it cannot or must not be sent; the message says why.
    """
    if benchmark.kind != "course":
        raise SubmitError("Only the course's own questions can be submitted; `score` works here.")
    if not username.strip():
        raise SubmitError("Give your Hugging Face user name, exactly as on your profile.")
    code = agent_code.strip() or space_link(settings)
    if len(code) < MIN_AGENT_CODE:
        raise SubmitError(
            "Give the address of your agent's code, such as "
            "https://huggingface.co/spaces/YOU/SPACE/tree/main."
        )
    answered = {id_: record.answer for id_, record in records.items() if record.answer}
    if not answered:
        raise SubmitError("There are no answers yet: run the benchmark first.")
    if len(answered) == 1 and len(benchmark.tasks) > 1:
        raise SubmitError(
            "One answer alone is not submitted: its score would tell whether it is right, and so "
            "give the benchmark's answers away. Run the other questions first."
        )
    lines = tuple(
        Line(task, answer, tuple(lint(answer, read_form(task.question))))
        for task in benchmark.tasks
        if (answer := answered.get(task.task_id))
    )
    missing = tuple(task for task in benchmark.tasks if task.task_id not in answered)
    return Submission(username.strip(), code, lines, missing)


def space_link(settings: Settings) -> str:
    """The public code of the Space this runs on; empty anywhere else."""
    space_id = settings.space_id
    return f"https://huggingface.co/spaces/{space_id}/tree/main" if space_id else ""


def send(submission: Submission, cache: Cache, api: ScoringAPI, *, again: bool = False) -> Receipt:
    """Send it once and keep the receipt.

    The same payload is not sent twice: not by a double click, not by another process, and only with
    ``again`` if an earlier sending may have arrived.

    Raises:
        SubmitError: it was sent before, refused, or nobody knows.
        OSError: the record that guards against sending twice cannot be written; nothing was sent.
    """
    folder = cache.folder / "sent"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{submission.digest}.json"
    try:
        with FileLock(folder / "submit.lock").acquire(timeout=0):
            _check_not_sent(_read(path), again)
            return _send(submission.payload, path, api)
    except Timeout:
        raise SubmitError("A submission is under way already: wait for it.") from None


def receipts(cache: Cache) -> list[Receipt]:
    """What was sent from this cache, the newest first."""
    found = [_read(path) for path in (cache.folder / "sent").glob("*.json")]
    return sorted((r for r in found if r), key=lambda receipt: receipt.at, reverse=True)


def _send(payload: dict[str, Any], path: Path, api: ScoringAPI) -> Receipt:
    def keep(state: Literal["sending", "received", "refused"], **found: Any) -> Receipt:
        receipt = Receipt(state=state, at=time.time(), payload=payload, **found)
        write_atomically(path, receipt.model_dump_json(indent=2).encode())
        return receipt

    keep("sending")  # before the first byte leaves, so that a crash cannot forget it
    try:
        score = api.submit(payload)
    except MayHaveArrivedError as error:
        raise SubmitError(f"{error} {_may_have_arrived()}") from error
    except ScoringError as error:
        keep("refused", said=str(error))
        raise SubmitError(str(error)) from error
    try:
        return keep("received", score=score)
    except OSError as error:  # the score is at hand, and "sending" still guards it
        return Receipt(
            state="received", at=time.time(), payload=payload, score=score, said=str(error)
        )


def _check_not_sent(earlier: Receipt | None, again: bool) -> None:
    if earlier is None or earlier.state == "refused":
        return
    if earlier.state == "received" and earlier.score:
        raise SubmitError(
            f"Exactly these answers were submitted on {_when(earlier)}: "
            f"{earlier.score.score:g} %. They are not sent twice."
        )
    if not again:
        raise SubmitError(f"These answers were sent on {_when(earlier)}. {_may_have_arrived()}")


def _may_have_arrived() -> str:
    return (
        f"The submission may have arrived: look for your name at {LEADERBOARD} before you send it "
        "again (the best score counts)."
    )


def _when(receipt: Receipt) -> str:
    return time.strftime("%d %b %H:%M", time.localtime(receipt.at))


def _read(path: Path) -> Receipt | None:
    """The receipt, or None where there is none. One that is damaged was of something sent."""
    try:
        return Receipt.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError:
        return Receipt(state="sending", at=path.stat().st_mtime, payload={})
