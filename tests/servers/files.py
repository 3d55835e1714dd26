"""A server of files that says what it is told: right, wrong, slowly, or not to the end."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import h11

from tests.servers.connection import ClientGone, Connection
from tests.servers.listener import Listener


@dataclass(frozen=True)
class Answer:
    """One response. ``pause`` is seconds before each byte of the body, sent one by one.

    ``declared`` is the Content-Length that is claimed, where it is not the true one; the connection
    is then closed after the body.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pause: float = 0.0
    declared: int | None = None


def attachment(body: bytes, disposition: str) -> Answer:
    """A file as a web framework's FileResponse sends it."""
    return Answer(body, headers={"Content-Disposition": disposition})


@dataclass
class FileServer:
    """What is served, by path, and what was asked for: ``requests`` are paths and
    headers, whose names are in lower case."""

    url: str
    answers: Mapping[str, Answer]
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        """The paths asked for so far."""
        return [path for path, _ in self.requests]


@contextmanager
def file_server(answers: Mapping[str, Answer]) -> Iterator[FileServer]:
    """Serve ``answers`` on a free port of 127.0.0.1; 404 with a ``detail`` for other paths."""

    def serve(connection: Connection) -> None:
        while received := connection.receive():
            request, _ = received
            path = request.target.decode()
            sent = {name.decode(): value.decode() for name, value in request.headers}
            server.requests.append((path, sent))
            answer = server.answers.get(path, _NOT_FOUND)
            try:
                _send(connection, answer)
            except (ClientGone, h11.LocalProtocolError):
                return

    listener = Listener(serve)
    server = FileServer(f"http://127.0.0.1:{listener.port}", answers)
    try:
        yield server
    finally:
        listener.go_down()
        listener.join()


_NOT_FOUND = Answer(b'{"detail":"No file path associated with task_id"}', status=404)


def _send(connection: Connection, answer: Answer) -> None:
    declared = len(answer.body) if answer.declared is None else answer.declared
    connection.begin(answer.status, {"Content-Length": str(declared), **answer.headers})
    if answer.pause:
        for at in range(len(answer.body)):
            connection.wait(answer.pause)
            connection.write(answer.body[at : at + 1])
    else:
        connection.write(answer.body)
    if declared != len(answer.body):
        connection.drop(reset=False)
    else:
        connection.end()
