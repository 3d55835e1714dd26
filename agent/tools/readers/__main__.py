"""The child process that reads one file: request and bytes on stdin, one JSON object on stdout.

It is given no path, no secret and, where the platform can, a limit on memory.
"""

import json
import os
import sys
import time
from base64 import b64encode
from typing import Any

from agent.tools.readers.catalog import read
from agent.tools.readers.model import Ask, File, Picture, Unreadable, collect

MAX_MEMORY = 2_000_000_000
"""Bytes of private memory. A 50 MB file at its worst takes less; a hostile one is stopped."""


def main() -> None:
    """Read the request line and the file, and print ``{"text"}``, or ``{"what", "jpeg"}`` of an
    image, or ``{"kind", "message"}``."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints is no answer
    _limit_memory()
    request = json.loads(sys.stdin.buffer.readline())
    seconds = request.pop("seconds")
    file = File(request.pop("name"), sys.stdin.buffer.read())
    json.dump(_outcome(file, Ask(**request, until=time.monotonic() + seconds)), answer)
    answer.close()


def _outcome(file: File, ask: Ask) -> dict[str, Any]:
    try:
        return {"text": collect(read(file, ask), ask)}
    except Picture as picture:
        return {"what": picture.what, "jpeg": b64encode(picture.jpeg).decode()}
    except Unreadable as error:
        return {"kind": error.kind, "message": error.message}
    except MemoryError:
        return {"kind": "too_large", "message": "takes more memory to read than it may have."}
    except ImportError as error:
        message = f"cannot be read: the package '{error.name}' is not installed."
        return {"kind": "unavailable", "message": message}


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY, MAX_MEMORY))


if __name__ == "__main__":
    main()
