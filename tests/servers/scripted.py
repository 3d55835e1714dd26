"""A model server that does to each chat request what its script says, whatever the protocol."""

import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self

import h11

from tests.servers.behaviours import (
    Behaviour,
    Cut,
    Drip,
    ErrorInStream,
    Garbage,
    HangUp,
    HttpError,
    Load,
    NoDone,
    Refuse,
    Reply,
    Silence,
    Text,
    WhitespaceForEver,
    as_text,
)
from tests.servers.connection import ClientGone, Connection
from tests.servers.listener import Listener
from tests.servers.script import Request, Script, ScriptLike, estimate_tokens


class ScriptedServer(ABC):
    """Listens on a free port of 127.0.0.1 while entered; leaves no thread behind.

    ``script`` is an iterable of behaviours, one for each chat request, or a callable that is asked
    at each. A chat that the protocol itself objects to, such as one with a model that is not among
    ``models``, is counted but takes no behaviour. Everything is sent at once unless a behaviour
    says otherwise.
    """

    chat_path: str
    stream_type: str

    def __init__(
        self, script: ScriptLike[Behaviour], *, models: Iterable[str], repeat_last: bool = True
    ) -> None:
        self.models = list(models)
        self.url = ""
        self._script: Script[Behaviour] = Script(script, repeat_last=repeat_last)
        self._changed = threading.Condition()
        self._requests: list[Request] = []
        self._closed_early = 0
        self._stopping = False

    def __enter__(self) -> Self:
        self._listener = Listener(self._serve)
        self.url = f"http://127.0.0.1:{self._listener.port}"
        if self._script.refuses_next:
            self._listener.go_down()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stopping = True
        self._listener.go_down()
        self._listener.join()

    @property
    def requests(self) -> tuple[Request, ...]:
        """Every request so far, in the order in which they came."""
        with self._changed:
            return tuple(self._requests)

    @property
    def chats(self) -> tuple[Request, ...]:
        """The chat requests among them, those that only load a model aside."""
        return tuple(r for r in self.requests if r.path == self.chat_path and r.messages)

    @property
    def chat_count(self) -> int:
        """How many chat requests were received, whatever became of them."""
        return len(self.chats)

    @property
    def closed_early(self) -> int:
        """How many responses the client abandoned. Noticed at the next pause or byte."""
        with self._changed:
            return self._closed_early

    def wait_for(self, n: int, timeout: float = 30.0) -> None:
        """Return when ``n`` chat requests have been received. Raises TimeoutError."""
        self.wait_until(lambda: self.chat_count >= n, timeout)

    def wait_until(self, condition: Callable[[], bool], timeout: float = 30.0) -> None:
        """Return when ``condition``, about this server's counts, holds. Raises TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(condition, timeout):
                raise TimeoutError(f"Not within {timeout} seconds; requests: {self._requests}")

    # What each protocol says in its own way

    @abstractmethod
    def route(self, connection: Connection, request: Request) -> None:
        """Answer anything but a chat."""

    @abstractmethod
    def objection(self, request: Request) -> HttpError | None:
        """What the protocol has against this chat request, whatever the script says."""

    @abstractmethod
    def frame(self, request: Request, content: str = "", *, thinking: str = "") -> bytes:
        """A piece of the answer, or of the thoughts before it."""

    @abstractmethod
    def ending(self, request: Request, reply: Reply, generated: int) -> bytes:
        """The end of an answer of ``generated`` tokens: its reason and its counts."""

    @abstractmethod
    def error_frame(self, message: str) -> bytes:
        """An error inside a stream."""

    @abstractmethod
    def error_body(self, status: int, message: str) -> dict[str, Any]:
        """The body of an error response."""

    @abstractmethod
    def loaded(self, connection: Connection, request: Request) -> None:
        """Answer that the model was, or is being, loaded."""

    @abstractmethod
    def token_limit(self, request: Request) -> int | None:
        """How many tokens the request lets the answer have; None if it does not say."""

    # What all of them do alike

    def play(self, connection: Connection, request: Request, behaviour: Behaviour) -> None:
        """Do to this request what the script says."""
        match behaviour:
            case Reply():
                self._stream(connection, self._frames(request, behaviour), behaviour.pause or None)
            case HttpError(status, body, headers):
                content = self.error_body(status, body) if isinstance(body, str) else body
                self.respond(connection, status, content, headers)
            case Silence(seconds, then):
                connection.wait(seconds)
                self.play(connection, request, then)
            case Drip(text, seconds_per_byte):
                whole = b"".join(self._frames(request, Reply(text)))
                self._stream(connection, (bytes([byte]) for byte in whole), seconds_per_byte)
            case Cut(text, after, reset):
                self.begin_stream(connection)
                for frame in self._pieces(request, as_text(text)[:after]):
                    connection.write(frame)
                connection.drop(reset=reset)
            case HangUp():
                connection.drop(reset=False)
            case NoDone(text):
                self._stream(connection, self._pieces(request, text))
            case Load():
                self.loaded(connection, request)
            case Garbage(data):
                self._stream(connection, [data])
            case ErrorInStream(message, text):
                good = self._pieces(request, text)
                self._stream(connection, [*good, self.error_frame(message)])
            case WhitespaceForEver(limit):
                self._stream(connection, self._whitespace(request, limit), pause=0)
            case Refuse():
                self._listener.go_down()

    def respond(
        self,
        connection: Connection,
        status: int,
        body: bytes | dict[str, Any],
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """A whole response: JSON, or text if ``body`` is bytes."""
        kind, content = (
            ("text/plain", body)
            if isinstance(body, bytes)
            else ("application/json", json.dumps(body).encode())
        )
        own = {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(content))}
        connection.begin(status, {**own, **(headers or {})})
        connection.write(content)
        connection.end()

    def begin_stream(self, connection: Connection) -> None:
        """The head of a response in frames."""
        connection.begin(200, {"Content-Type": self.stream_type})

    def _stream(
        self, connection: Connection, frames: Iterable[bytes], pause: float | None = None
    ) -> None:
        """A response in frames; each is sent alone, after ``pause`` seconds, if that is given."""
        self.begin_stream(connection)
        for frame in frames:
            if pause is not None:
                connection.wait(pause)
            connection.write(frame)
        connection.end()

    def _frames(self, request: Request, reply: Reply) -> Iterator[bytes]:
        if reply.thinking:
            yield self.frame(request, thinking=reply.thinking)
        yield from self._pieces(request, reply.text, reply.chunk)
        yield self.ending(request, reply, estimate_tokens(reply.thinking + as_text(reply.text)))

    def _pieces(self, request: Request, text: Text, chunk: int = 64) -> Iterator[bytes]:
        content = as_text(text)
        for start in range(0, len(content), chunk):
            yield self.frame(request, content[start : start + chunk])

    def _whitespace(self, request: Request, limit: int) -> Iterator[bytes]:
        tokens = min(self.token_limit(request) or limit, limit)
        yield self.frame(request, "{")
        for _ in range(tokens - 1):
            yield self.frame(request, "\n")
        yield self.ending(request, Reply("", done_reason="length"), tokens)

    def _serve(self, connection: Connection) -> None:
        try:
            while received := connection.receive():
                self._answer(connection, self._record(*received))
        except ClientGone:
            with self._changed:
                self._closed_early += not self._stopping
                self._changed.notify_all()

    def _answer(self, connection: Connection, request: Request) -> None:
        if request.path != self.chat_path or request.method != "POST":
            self.route(connection, request)
        elif refusal := self.objection(request):
            self.play(connection, request, refusal)
        elif not request.messages:
            self.loaded(connection, request)
        else:
            behaviour = self._script.take(request)
            if self._script.refuses_next:
                connection.last = True
                self._listener.go_down(but=connection)
            self.play(connection, request, behaviour)

    def _record(self, head: h11.Request, body: bytes) -> Request:
        try:
            parsed = json.loads(body or b"{}")
        except ValueError:
            parsed = {}
        request = Request(
            method=head.method.decode(),
            path=head.target.decode(),
            body=parsed if isinstance(parsed, dict) else {},
            headers={name.decode(): value.decode() for name, value in head.headers},
            at=time.monotonic(),
        )
        with self._changed:
            self._requests.append(request)
            self._changed.notify_all()
        return request
