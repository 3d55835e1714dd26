"""Run a reader in a child process, so that a hostile file can neither hang, fill nor crash the app.

PDFium is also not safe in threads: in a process of its own it has one.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from base64 import b64decode
from dataclasses import asdict

from agent.budget import RunStopped
from agent.config import PROJECT_DIR
from agent.tools.readers.model import Ask, File, Picture, Unreadable

_POLL_S = 0.1
_SOFT = 0.75
"""Share of the time after which a reader hands over what it has."""
_HARD = 0.95
"""Share of the time after which it is killed."""
_PASSED_ON = (
    "PATH HOME LANG LC_ALL TMPDIR TEMP TMP SYSTEMROOT VIRTUAL_ENV "
    "HTTPS_PROXY https_proxy SSL_CERT_FILE HF_ENDPOINT"
)
"""Environment variables that the child gets: no keys, no tokens."""


def read_in_child(file: File, ask: Ask, seconds: float, stop: threading.Event) -> str:
    """The text of the file, as ``model.collect`` bounds it.

    Raises:
        Picture: it is an image.
        Unreadable: it cannot be read, or not in ``seconds``.
        RunStopped: ``stop`` was set.
    """
    options = {name: value for name, value in asdict(ask).items() if name != "until"}
    request = json.dumps({**options, "name": file.name, "seconds": seconds * _SOFT})
    with tempfile.TemporaryFile() as given:
        given.write(request.encode() + b"\n" + file.data)
        given.seek(0)
        child = subprocess.Popen(
            [sys.executable, "-m", "agent.tools.readers"],
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=PROJECT_DIR,
            env={k: os.environ[k] for k in _PASSED_ON.split() if k in os.environ},
        )
    with child:
        try:
            return _answer(_output(child, seconds * _HARD, stop), child.returncode)
        finally:
            child.kill()


def _output(child: subprocess.Popen[bytes], seconds: float, stop: threading.Event) -> bytes:
    until = time.monotonic() + seconds
    while not stop.is_set():
        try:
            return child.communicate(timeout=_POLL_S)[0]
        except subprocess.TimeoutExpired:
            if time.monotonic() > until:
                raise Unreadable(
                    "timeout",
                    f"took more than {seconds:.0f} seconds to read: ask for one sheet, page or "
                    "member.",
                ) from None
    raise RunStopped


def _answer(printed: bytes, code: int) -> str:
    try:
        answer = json.loads(printed)
    except ValueError:
        raise Unreadable("crashed", f"made its reader fail (exit code {code}).") from None
    if "jpeg" in answer:
        raise Picture(answer["what"], b64decode(answer["jpeg"]))
    if "text" not in answer:
        raise Unreadable(answer["kind"], answer["message"])
    text: str = answer["text"]
    return text
