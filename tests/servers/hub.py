"""A model hub and a package index in one, which cut, stall, refuse and lie as they are told."""

import random
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO

from agent.llm.catalogue import EmbeddedModel, WheelPart
from tests.servers.connection import ClientGone, Connection
from tests.servers.listener import Listener

DATA = random.Random(1).randbytes(3_000_000)
"""The bytes of the file that the catalogue entry below is about."""


def _part(number: int) -> WheelPart:
    member = f"tiny_part{number}/data/part0{number}.bin"
    return WheelPart(f"tiny-part{number}", "1.0", member, size=1_500_000)


TINY = EmbeddedModel(
    name="tiny",
    repo="someone/tiny-gguf",
    file="tiny.gguf",
    size=len(DATA),
    sha256=sha256(DATA).hexdigest(),
    memory=10_000_000,
    licence="Apache-2.0",
    mirror=(_part(1), _part(2)),
)
HUB_PATH = f"/{TINY.repo}/resolve/main/{TINY.file}"


@dataclass(frozen=True)
class Fault:
    """What is wrong with one path. ``cut_after`` and ``stall_after`` count bytes of one response;
    a stall ends when the site's ``resume`` is set or the client leaves."""

    status: int = 200
    cut_after: int | None = None
    stall_after: int | None = None
    offered: int | None = None
    ranges: bool = True


@dataclass
class Site:
    """``files`` by path, their ``faults``, and what was asked for: paths and ``Range`` headers."""

    url: str
    files: dict[str, bytes]
    faults: dict[str, Fault] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    resume: threading.Event = field(default_factory=threading.Event)
    left: threading.Event = field(default_factory=threading.Event)
    """Set when a client leaves in mid-response."""

    @property
    def index_url(self) -> str:
        """What pip calls an index."""
        return f"{self.url}/simple"

    def asked(self, path: str) -> list[str]:
        """The ``Range`` headers of the requests for a path, in order."""
        return [range_ for asked, range_ in self.requests if asked == path]


@contextmanager
def site() -> Iterator[Site]:
    """A site that has the tiny model twice: as a file of the hub, and as wheels of the index."""

    def serve(connection: Connection) -> None:
        while received := connection.receive():
            request, _ = received
            headers = {name.decode(): value.decode() for name, value in request.headers}
            path, range_ = request.target.decode(), headers.get("range", "")
            served.requests.append((path, range_))
            try:
                _answer(served, connection, path, range_)
            except ClientGone:
                served.left.set()
                return

    listener = Listener(serve)
    served = Site(f"http://127.0.0.1:{listener.port}", {HUB_PATH: DATA, **_index()})
    try:
        yield served
    finally:
        served.resume.set()
        listener.go_down()
        listener.join()


def wheel_path(number: int) -> str:
    """Where a wheel of the tiny model is on the site."""
    return f"/files/tiny_part{number}-1.0-py3-none-any.whl"


def wheel(number: int, piece: bytes) -> bytes:
    """A wheel that pip takes for one, with ``piece`` as its data."""
    info = f"tiny_part{number}-1.0.dist-info"
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(TINY.mirror[number - 1].member, piece)
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-part{number}\nVersion: 1.0\n"
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return buffer.getvalue()


def _index() -> dict[str, bytes]:
    half = len(DATA) // 2
    files = {}
    for number, piece in ((1, DATA[:half]), (2, DATA[half:])):
        link = wheel_path(number)
        files[link] = wheel(number, piece)
        page = f'<!DOCTYPE html><a href="{link}">{link.rsplit("/", 1)[1]}</a>'
        files[f"/simple/tiny-part{number}/"] = page.encode()
    return files


def _answer(site: Site, connection: Connection, path: str, range_: str) -> None:
    fault = site.faults.get(path, Fault())
    status, body = fault.status, site.files.get(path, b"")
    if path not in site.files:
        status = 404
    elif range_ and fault.ranges and status == 200:
        status, body = 206, body[int(range_.removeprefix("bytes=").rstrip("-")) :]
    offered = len(body) if fault.offered is None else fault.offered
    kind = "text/html" if path.startswith("/simple/") else "application/octet-stream"
    connection.begin(status, {"Content-Length": str(offered), "Content-Type": kind})
    sent = offered if fault.cut_after is None else fault.cut_after
    if fault.stall_after is not None:
        connection.write(body[: fault.stall_after])
        while not site.resume.is_set():
            connection.wait(0.02)
        body, sent = body[fault.stall_after :], sent - fault.stall_after
    connection.write(body[:sent])
    if sent < len(body) or offered > len(body):
        connection.drop(reset=False)
    else:
        connection.end()
