"""What readers take and give: a file's bytes and a request in, blocks of text out."""

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from agent.tools.passages import CUT

MAX_BYTES = 50_000_000
"""Bytes of a file, or of one member of a zip, that are looked at."""
MAX_CHARS = 395_000
"""Characters of text that one reading returns: with its notes, within ``passages.MAX_TEXT``."""

Refusal = Literal["unsupported", "too_large", "invalid_args", "unavailable", "timeout", "crashed"]

_CONTROL = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])


class Unreadable(Exception):
    """The file, or the part asked for, cannot be read. ``message`` is one sentence that says why.

    It starts with a verb or "is", so that a file's name can go before it.
    """

    def __init__(self, kind: Refusal, message: str) -> None:
        super().__init__(message)
        self.kind: Refusal = kind
        self.message = message


class Picture(Unreadable):
    """An image, of which nothing can be read but what it is. ``jpeg`` is a copy for somebody who
    sees, empty where none was asked for."""

    def __init__(self, what: str, jpeg: bytes = b"") -> None:
        super().__init__("unsupported", f"cannot be read: cannot see images (this is {what}).")
        self.what, self.jpeg = what, jpeg


@dataclass(frozen=True)
class File:
    """A file from outside: its name, which is only ever a hint, and its bytes."""

    name: str
    data: bytes

    @property
    def suffix(self) -> str:
        """The name's suffix in lower case with its dot, or nothing."""
        return "." + self.name.rpartition(".")[2].lower() if "." in self.name else ""


@dataclass(frozen=True)
class Ask:
    """Which part of a file is wanted. Empty means all of it.

    ``page`` counts pages or slides, ``rows`` counts table rows (the header is row 1) or lines; both
    are written ``3``, ``3-7`` or ``3-``. ``member`` is a path inside a zip. ``until`` is the
    ``time.monotonic()`` instant at which to stop with what there is. ``speech_model`` is a speech
    model's size or folder and ``models_dir`` where it may be kept; ``depth`` is how many archives
    the file lies in; ``images`` asks for a copy of an image.
    """

    sheet: str = ""
    page: str = ""
    member: str = ""
    rows: str = ""
    colors: bool = False
    until: float = float("inf")
    speech_model: str = "base"
    models_dir: str = ""
    depth: int = 0
    images: bool = False

    def in_time(self) -> bool:
        """Whether there is time for more."""
        return time.monotonic() < self.until


@dataclass(frozen=True)
class Block:
    """A piece of text and the arguments of ``read_file`` that ask for what starts with it."""

    text: str
    more: str = ""


def span(text: str, what: str, last: int | None = None) -> range:
    """The numbers, from 1, that ``3``, ``3-7``, ``3-`` or nothing (all) stand for.

    ``last`` is the highest number there is, None if that is not known.

    Raises:
        Unreadable: there is no number in it, or none of them exists.
    """
    end = last if last is not None else 2**31
    if not text.strip():
        return range(1, end + 1)
    numbers = [int(digits[:9]) for digits in re.findall(r"\d+", text)]
    if not numbers:
        raise Unreadable("invalid_args", f"{what} must be a number or a range such as 2-5.")
    if len(numbers) == 1 and not text.rstrip().endswith(("-", "–")):
        numbers.append(numbers[0])
    first, until = min(numbers), max(numbers) if len(numbers) > 1 else end
    if first > end or until < 1:
        raise Unreadable("invalid_args", f"has no {what} {text.strip()}: the last one is {end}.")
    return range(max(first, 1), min(until, end) + 1)


def collect(blocks: Iterable[Block], ask: Ask) -> str:
    """Join whole blocks while there is room and time.

    How to ask for the rest is said right after the first block, the file's heading, because the
    beginning is what a model surely gets to read.
    """
    parts: list[str] = []
    note = ""
    room = MAX_CHARS
    for block in blocks:
        text = block.text.translate(_CONTROL)
        if len(text) > room or not ask.in_time():
            why = f"of {MAX_CHARS // 1000} kB" if ask.in_time() else "that could be read in time"
            note = f" {CUT} {why} is here."
            note += f" For the rest call again with {block.more}." if block.more else ""
            break
        parts.append(text)
        room -= len(text)
    heading, *rest = parts or [""]
    text = "".join([heading.rstrip(), note, heading[len(heading.rstrip()) :], *rest])
    return text.strip().encode("utf-8", "replace").decode()
