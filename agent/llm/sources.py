"""The two ways in which a model file travels: an HTTP transfer that resumes, and pip."""

import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

_CHUNK = 1 << 16
_CONNECT_S, _READ_S = 8.0, 30.0

_PIP = """
import os, runpy, threading
threading.Thread(target=lambda: (os.read(0, 1), os._exit(1)), daemon=True).start()
runpy.run_module("pip", run_name="__main__")
"""
"""pip, but gone as soon as the process at the other end of its standard input is."""

_DOWNLOAD = (
    *("download", "--no-deps", "--no-cache-dir", "--no-input", "--quiet", "--retries=2"),
    *("--disable-pip-version-check", "--only-binary=:all:"),
)
"""Wheels alone: to look at a source distribution, pip would run its code."""


class SourceError(Exception):
    """A place does not give the file; the message says why, as in "the hub cannot be reached"."""


def download_file(url: str, part: Path, size: int, given_up: threading.Event) -> None:
    """Bring ``part`` to ``size`` bytes, resuming as long as each connection brings some.

    Returns early once ``given_up`` is set.

    Raises:
        SourceError: the place cannot be reached, refuses, stalls, or has another file.
    """
    import requests

    while (have := size_of(part)) < size and not given_up.is_set():
        try:
            _download_rest(url, part, size, given_up)
        except requests.Timeout as error:
            raise SourceError("does not answer in time") from error
        except requests.RequestException as error:
            if size_of(part) <= have:
                raise SourceError("cannot be reached") from error


def _download_rest(url: str, part: Path, size: int, given_up: threading.Event) -> None:
    import requests

    have = size_of(part)
    headers = {"Range": f"bytes={have}-", "Accept-Encoding": "identity"}
    with requests.get(url, headers=headers, stream=True, timeout=(_CONNECT_S, _READ_S)) as response:
        if not response.ok:
            raise SourceError(f"answered {response.status_code} {response.reason}")
        resumed = response.status_code == requests.codes.partial_content
        offered = int(response.headers.get("Content-Length", 0)) + (have if resumed else 0)
        if offered != size:
            raise SourceError(f"offers a file of {offered} bytes instead of {size}")
        with part.open("ab" if resumed else "wb") as file:
            for chunk in response.iter_content(_CHUNK):
                if given_up.is_set():
                    return
                file.write(chunk)


def start_pip(requirement: str, folder: Path, output: BinaryIO) -> "subprocess.Popen[bytes]":
    """Start downloading one wheel into ``folder``, with pip's own configuration."""
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _PIP, *_DOWNLOAD, f"--dest={folder}", requirement],
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=subprocess.STDOUT,
        env={**os.environ, "TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)},
    )


def last_error(log: Path) -> str:
    """The last thing that pip had to say."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1].removeprefix("ERROR: ")[:200] if lines else "no reason given"


def size_of(path: Path) -> int:
    """Bytes of a file; 0 if there is none."""
    return path.stat().st_size if path.exists() else 0


def size_of_tree(folder: Path) -> int:
    """Bytes of the files in a folder where another process makes and removes some meanwhile."""
    sizes = 0
    for place, _, names in os.walk(folder):  # which passes over folders that are gone
        for name in names:
            with suppress(FileNotFoundError):
                sizes += (Path(place) / name).stat().st_size
    return sizes
