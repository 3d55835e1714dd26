"""A run's events on disk: append, read, follow. One JSON object a line.

The file is the run's only record while it is under way: whoever wants to show it reads it from any
offset, and a process that dies takes nothing with it that was written.
"""

import asyncio
import secrets
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from pydantic import ValidationError

from agent.obs.events import EVENT, Event, RunFinished

_POLL_S = 0.05


def new_run_id() -> str:
    """An id that sorts by time (UTC, to the microsecond) and cannot be guessed."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}-{secrets.token_hex(8)}"


class TraceWriter:
    """Appends events to a run's file, from any thread."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._file = path.open("a", encoding="utf-8")
        self._lock = threading.Lock()
        if _ends_in_mid_line(path):
            self._file.write("\n")

    def __call__(self, event: Event) -> None:
        """Write one event; it is in the file when this returns."""
        with self._lock:
            self._file.write(event.model_dump_json() + "\n")
            self._file.flush()

    def __enter__(self) -> "TraceWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()


def read_trace(path: Path, offset: int = 0) -> tuple[list[Event], int]:
    """The whole events after byte ``offset``, and the offset after the last of them.

    A line that is being written is left for the next time; one that cannot be read (a process died
    while writing it, say) is passed over.
    """
    with path.open("rb") as file:
        file.seek(offset)
        data = file.read()
    complete = data[: data.rfind(b"\n") + 1]
    return list(_parse(complete)), offset + len(complete)


async def follow_trace(
    path: Path, offset: int = 0, *, is_alive: Callable[[], bool] | None = None
) -> AsyncIterator[list[Event]]:
    """Yield events in batches as they are written, until ``run_finished``.

    Ends as well when ``is_alive`` says that nobody writes any more (the run's process died).
    """
    while True:
        alive = is_alive is None or is_alive()
        events, offset = read_trace(path, offset) if path.exists() else ([], offset)
        if events:
            yield events
        if any(isinstance(event, RunFinished) for event in events) or not (alive or events):
            return
        await asyncio.sleep(_POLL_S)


def _parse(data: bytes) -> Iterator[Event]:
    for line in data.splitlines():
        try:
            yield EVENT.validate_json(line)
        except ValidationError:
            continue


def _ends_in_mid_line(path: Path) -> bool:
    """Whether an earlier writer died while it wrote."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - 1, 0))
        return file.read() not in {b"", b"\n"}
