"""How a run stands, in its cache's folder, so that any tab or process can show and pause it."""

import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from agent.eval.files import write_atomically

Phase = Literal["running", "paused", "finished", "stopped", "halted", "interrupted"]


class State(BaseModel):
    """``tasks`` are the ids that this run set out to ask, ``working`` the run ids of those under
    way by task id, ``reason`` one sentence on why it ended, ``at`` Unix time in seconds.

    ``halted`` ended because no other task would have fared better, ``interrupted`` with its
    process.
    """

    model_config = ConfigDict(frozen=True)

    phase: Phase
    reason: str = ""
    tasks: tuple[str, ...] = ()
    working: dict[str, str] = {}
    at: float = 0.0


class Progress:
    """The state of the run in one folder; only the process that runs it writes."""

    def __init__(self, folder: Path) -> None:
        self._file, self._pause = folder / "state.json", folder / "pause"
        self._lock = threading.RLock()
        self._state = State(phase="finished")

    def read(self, *, is_alive: bool) -> State | None:
        """The state on disk, or None before the first run; ``is_alive``: somebody runs it now."""
        try:
            state = State.model_validate_json(self._file.read_bytes())
        except (OSError, ValidationError):
            return None
        if state.phase in {"running", "paused"} and not is_alive:
            return state.model_copy(update={"phase": "interrupted", "working": {}})
        return state

    def note(self, **changed: Any) -> None:
        """Write what has changed. Showing is not worth a run: a failure to write is passed over."""
        with self._lock:
            self._state = self._state.model_copy(update={**changed, "at": time.time()})
            with suppress(OSError):
                data = self._state.model_dump_json().encode()
                write_atomically(self._file, data, durable=False)

    def begin(self, task_id: str, run_id: str) -> None:
        """A task is under way."""
        with self._lock:
            self.note(working={**self._state.working, task_id: run_id})

    def end(self, task_id: str) -> None:
        """It no longer is."""
        with self._lock:
            working = self._state.working
            self.note(working={key: id_ for key, id_ in working.items() if key != task_id})

    def pause(self) -> None:
        """Let the questions under way end, and ask no further one until ``resume``."""
        self._pause.touch()

    def resume(self) -> None:
        """Go on after ``pause``."""
        self._pause.unlink(missing_ok=True)

    @property
    def is_paused(self) -> bool:
        """Whether somebody has asked for a pause."""
        return self._pause.exists()
