"""A web server on loopback that answers as a test says, the truth or not, plain or behind a proxy.

As a proxy it takes ``CONNECT`` for any host and plays that host under a certificate of its own.
"""

import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from types import TracebackType
from urllib.parse import parse_qs, urlsplit

import trustme


@dataclass(frozen=True)
class Request:
    """What a client asked for. ``host`` is without its port; ``form`` is query and body as form."""

    method: str
    host: str
    path: str
    form: dict[str, str]
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """An answer. ``raw`` is sent instead of all else, piece by piece, and then the line is cut."""

    body: str | bytes = b""
    type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: Iterable[bytes] | None = None


def redirect(url: str, status: int = 302) -> Reply:
    """An answer that sends the client elsewhere."""
    return Reply(status=status, headers={"Location": url})


class WebServer:
    """Serves ``answer`` on a free loopback port while the ``with`` block lasts.

    With ``tls`` it speaks HTTPS, under an authority that nobody trusts by default.
    """

    def __init__(self, answer: Callable[[Request], Reply], *, tls: bool = False) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.connections = 0
        """Connections that were accepted, in order: exact once a later request has an answer."""
        self.cut = threading.Event()
        """Set when a client hung up before it had the whole of a raw answer."""
        self.stopped = threading.Event()
        self._contexts: dict[str, ssl.SSLContext] = {}
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self.port: int = self._server.server_port
        self.origin = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        if tls:
            context = self.context("127.0.0.1")
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)

    def __enter__(self) -> "WebServer":
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()

    @cached_property
    def authority(self) -> trustme.CA:
        """Signs the certificates of the played hosts."""
        return trustme.CA()

    def trust_file(self, folder: Path) -> str:
        """A PEM file of the authority, for clients to trust."""
        path = folder / "authority.pem"
        self.authority.cert_pem.write_to_path(path)
        return str(path)

    def context(self, host: str) -> ssl.SSLContext:
        """TLS as ``host``."""
        if host not in self._contexts:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.authority.issue_cert(host).configure_cert(context)
            self._contexts[host] = context
        return self._contexts[host]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    owner: WebServer

    def server_bind(self) -> None:
        TCPServer.server_bind(self)  # HTTPServer's looks up the name of this machine
        self.server_port = self.server_address[1]

    def get_request(self) -> tuple[socket.socket, object]:
        self.owner.connections += 1  # here, in the one thread that accepts
        return super().get_request()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is part of many tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.played_host = ""

    def do_CONNECT(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.played_host = self.path.partition(":")[0]
        context = self.server.owner.context(self.played_host)
        self.connection = context.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
        self.close_connection = False

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        target = urlsplit(self.path)
        form = parse_qs(target.query, keep_blank_values=True)
        if "form" in self.headers.get("Content-Type", ""):
            form |= parse_qs(body.decode(), keep_blank_values=True)
        request = Request(
            method=self.command,
            host=self.played_host or self.headers.get("Host", "").partition(":")[0],
            path=target.path,
            form={name: values[0] for name, values in form.items()},
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
        )
        self.server.owner.requests.append(request)
        self._send(self.server.owner.answer(request))

    do_POST = do_GET

    def _send(self, reply: Reply) -> None:
        if reply.raw is not None:
            self.close_connection = True
            try:
                for piece in reply.raw:
                    self.wfile.write(piece)
            except OSError:
                self.server.owner.cut.set()
            return
        body = reply.body.encode() if isinstance(reply.body, str) else reply.body
        self.send_response(reply.status)
        for name, value in {"Content-Type": reply.type, **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Tests speak for themselves."""
