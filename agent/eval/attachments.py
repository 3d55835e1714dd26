"""A task's attachment on this machine: where it is, and how a person gives it."""

from pathlib import Path

from agent.config import Settings
from agent.eval.errors import BenchmarkError
from agent.eval.files import write_atomically
from agent.eval.questions import Task
from agent.tools.readers import folder
from agent.tools.readers.model import MAX_BYTES


class AttachmentError(BenchmarkError):
    """The file cannot be taken; the message is one sentence."""


def files(settings: Settings, task: Task) -> list[Path]:
    """What was fetched or given before, else what lies beside the questions; empty if nothing."""
    there = list(folder.files(settings.files_dir / task.workspace).values())
    return there or ([task.file] if task.file else [])


def attach(settings: Settings, task: Task, path: Path, name: str = "") -> str:
    """Give a task its file by hand; returns the name it has from now on.

    A file that was there under another name stays beside it.

    Raises:
        AttachmentError: it is too large.
        OSError: it cannot be read or written.
    """
    if path.stat().st_size > MAX_BYTES:
        raise AttachmentError(f"{path} is larger than {MAX_BYTES / 1e6:.0f} MB.")
    kept = folder.safe_name(name or task.file_name or path.name, otherwise="attachment")
    write_atomically(settings.files_dir / task.workspace / kept, path.read_bytes())
    return kept
