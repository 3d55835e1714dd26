"""The application's side: starts the child, watches it, ends it, and tells what came of it."""

import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

PROJECT_DIR = Path(__file__).resolve().parents[3]
MEMORY_BYTES = 1 << 30
FILE_BYTES = 32 << 20
FOLDER_BYTES = 64 << 20
"""What may be written, beyond what was copied into the folder."""
FOLDER_ENTRIES = 1_000
OUTPUT_BYTES = 200_000
REPORT_BYTES = 200_000

_START = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    " from agent.tools.sandbox.child import main; main()"
)
_POLL_S = 0.05

Ending = Literal["finished", "timed_out", "stopped", "too_much_output", "too_much_disk", "died"]


class Outcome(BaseModel):
    """What came of running some code.

    ``value`` is the ``repr`` of the last line where that is an expression, ``assigned`` of what it
    works out and assigns to a name, ``error`` and ``line`` (of the code, from 1) what it failed
    with, ``ending`` how the process ended. ``layers`` are those of ``confine`` that were applied,
    by the child's own word. All text is untrusted.
    """

    model_config = ConfigDict(frozen=True)

    stdout: str = ""
    value: str | None = None
    assigned: str | None = None
    error: str = ""
    line: int | None = None
    ending: Ending = "finished"
    signal: int = 0
    """The signal that it died of, if any."""
    layers: tuple[str, ...] = ()


def run(
    code: str,
    *,
    files: Iterable[tuple[Path, Path]] = (),
    timeout_s: float,
    stop: threading.Event | None = None,
    required: Iterable[str] = (),
) -> Outcome:
    """Run ``code`` in a confined child whose working folder holds copies of ``files``.

    ``files`` are pairs of a file and its relative path in the folder. ``timeout_s`` is wall-clock
    seconds; ``stop`` ends the run as well. Without all of the ``required`` layers the code is not
    run at all. Returns in any case with the child and its process group gone.
    """
    give_up = time.monotonic() + timeout_s
    with _folder() as folder:
        for source, name in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, folder / name)
        request = {
            "code": code,
            "site_paths": [p for p in sys.path if p.endswith(("site-packages", "dist-packages"))],
            "required": list(required),
            "limits": {
                "cpu_s": math.ceil(max(timeout_s, 0)) + 1,
                "memory_bytes": MEMORY_BYTES,
                "file_bytes": FILE_BYTES,
            },
        }
        process = _start(folder)
        try:
            printed = _Reader(process.stdout, OUTPUT_BYTES)
            report = _Reader(process.stderr, REPORT_BYTES)
            with suppress(BrokenPipeError), process.stdin as stdin:  # type: ignore[union-attr]
                stdin.write(json.dumps(request).encode())
            ending = _watch(process, printed, report, folder, give_up, stop or threading.Event())
        finally:
            _kill(process)
        return _outcome(printed, report, ending, process.returncode, folder)


def _start(folder: Path) -> subprocess.Popen[bytes]:
    """A Python of its own session, with nothing inherited: no variable, descriptor or path."""
    environment = {
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
    if sys.platform == "win32":
        environment["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c", _START, str(PROJECT_DIR)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=environment,
        start_new_session=True,
    )


class _Reader(threading.Thread):
    """Keeps the first ``most`` bytes of a pipe; ``full`` says that there were more."""

    def __init__(self, pipe: IO[bytes] | None, most: int) -> None:
        super().__init__(daemon=True)
        assert pipe is not None
        self._pipe, self._most = pipe, most
        self.data = bytearray()
        self.full = False
        self.start()

    def run(self) -> None:
        with self._pipe:
            while piece := os.read(self._pipe.fileno(), 65536):
                self.full = len(self.data) + len(piece) > self._most
                self.data += piece[: self._most - len(self.data)]
                if self.full:
                    return

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", errors="replace")


def _watch(
    process: subprocess.Popen[bytes],
    printed: _Reader,
    report: _Reader,
    folder: Path,
    give_up: float,
    stop: threading.Event,
) -> Ending:
    """Wait until the process has closed its pipes or must be ended."""
    most = _size(folder, math.inf) + FOLDER_BYTES
    while True:
        (printed if printed.is_alive() else report).join(_POLL_S)
        if printed.full:
            return "too_much_output"
        if not (printed.is_alive() or report.is_alive()):
            return "finished"
        if stop.is_set():
            return "stopped"
        if time.monotonic() > give_up:
            return "timed_out"
        if _size(folder, most) > most or _written(process.pid) > FOLDER_BYTES:
            return "too_much_disk"


def _size(folder: Path, most: float) -> float:
    """Bytes of the files below a folder; infinite if they are more than ``most`` or than
    ``FOLDER_ENTRIES`` files, or cannot be counted."""
    total, entries, folders = 0, 0, [os.fspath(folder)]
    while folders:
        try:
            with os.scandir(folders.pop()) as found:
                for entry in found:
                    entries += 1
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
                    if entries > FOLDER_ENTRIES or total > most:
                        return math.inf
        except FileNotFoundError:  # removed while it was being counted
            continue
        except OSError:  # locked, or nested too deep
            return math.inf
    return total


def _written(pid: int) -> int:
    """Bytes that a process has written to anything, files that it has removed again among them; 0
    where the system does not tell."""
    try:
        counters = Path(f"/proc/{pid}/io").read_text()
        return int(dict(line.split(": ") for line in counters.splitlines())["wchar"])
    except (OSError, ValueError, KeyError):
        return 0


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the process and its group. It has not been waited for: its number is still its own."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _outcome(
    printed: _Reader, report: _Reader, ending: Ending, returncode: int, folder: Path
) -> Outcome:
    printed.join()
    report.join()
    try:
        told = Outcome.model_validate_json(report.text)
    except ValidationError:
        told = Outcome()
    if ending == "finished" and returncode != 0:
        ending = "died"
    here = str(folder)
    return told.model_copy(
        update={
            "stdout": printed.text.replace(here, "."),
            "value": told.value and told.value.replace(here, "."),
            "assigned": told.assigned and told.assigned.replace(here, "."),
            "error": told.error.replace(here, "."),
            "ending": ending,
            "signal": max(-returncode, 0) if ending == "died" else 0,
        }
    )


@contextmanager
def _folder() -> Iterator[Path]:
    """A temporary folder that is gone afterwards, whatever was put into it."""
    folder = Path(tempfile.mkdtemp(prefix="code-")).resolve()
    try:
        yield folder
    finally:
        try:
            shutil.rmtree(folder)
        except (OSError, RecursionError):  # nested deeper than Python can follow, or locked
            subprocess.run(["rm", "-rf", "--", folder], check=False, capture_output=True)
