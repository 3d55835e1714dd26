"""What a scripted model server does with one chat request. The same words for every protocol.

``text`` may be a dict everywhere: it is then sent as JSON. All seconds are wall-clock; what waits
ends early when the client closes the connection or the server is stopped.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Text = str | dict[str, Any]


def as_text(text: Text) -> str:
    """The text as it goes into the message."""
    return text if isinstance(text, str) else json.dumps(text)


@dataclass(frozen=True)
class Reply:
    """A whole answer: ``chunk`` characters a frame, ``pause`` seconds before each of them.

    ``thinking`` is sent as the protocol sends a reasoning model's thoughts. ``prompt_tokens`` is
    what the server says it read (None: a quarter of the prompt's characters), ``cached_tokens``
    the part of it that it had read before, where the protocol can tell.
    """

    text: Text
    chunk: int = 64
    pause: float = 0.0
    done_reason: str = "stop"
    thinking: str = ""
    prompt_tokens: int | None = None
    cached_tokens: int = 0


@dataclass(frozen=True)
class Empty(Reply):
    """A well-formed answer that says nothing."""

    text: Text = ""


@dataclass(frozen=True)
class HttpError:
    """An error status. A str is wrapped as the protocol wraps its errors, other bodies go as is."""

    status: int
    body: str | bytes | dict[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Silence:
    """Not a byte for so long, headers included, then something else."""

    seconds: float
    then: "Behaviour" = Empty()


@dataclass(frozen=True)
class Drip:
    """A whole answer of which every byte comes alone, so that no read ever times out."""

    text: Text
    seconds_per_byte: float


@dataclass(frozen=True)
class Cut:
    """The connection breaks after so many characters of the answer.

    ``reset`` as when a network path breaks; otherwise closed, as when a server's process dies.
    """

    text: Text
    after: int
    reset: bool = True


@dataclass(frozen=True)
class HangUp:
    """The connection is closed without any response."""


@dataclass(frozen=True)
class NoDone:
    """The response ends well as HTTP, but the frame that says how the answer ended is missing."""

    text: Text


@dataclass(frozen=True)
class Load:
    """The model was loaded and nothing generated; where the protocol has no such reply, 503."""


@dataclass(frozen=True)
class Garbage:
    """These bytes as the body of a response that is otherwise in order."""

    data: bytes


@dataclass(frozen=True)
class ErrorInStream:
    """An error frame after a good beginning (``text``) under status 200."""

    message: str
    text: Text = ""


@dataclass(frozen=True)
class WhitespaceForEver:
    """An open brace, then newlines until the request's token limit, or ``limit`` if it has none."""

    limit: int = 10_000


@dataclass(frozen=True)
class Refuse:
    """The server is down: from here on every connection is refused.

    The listener closes as soon as the script comes to this, so the client sees a refused
    connection and the server no request. A script ends with it.
    """


Behaviour = (
    Reply
    | HttpError
    | Silence
    | Drip
    | Cut
    | HangUp
    | NoDone
    | Load
    | Garbage
    | ErrorInStream
    | WhitespaceForEver
    | Refuse
)
