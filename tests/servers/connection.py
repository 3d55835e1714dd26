"""One client's HTTP connection, seen from the server, with a say over every byte and its time."""

import select
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress

import h11

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class ClientGone(Exception):
    """The client closed the connection before it had the whole response."""


class Connection:
    """Requests in, responses out. What is written is sent in one piece at the next wait or end."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = sock
        self._http = h11.Connection(h11.SERVER)
        self._out = bytearray()
        self.last = False
        """Whether the next response is the last one here, and says so."""

    def receive(self) -> tuple[h11.Request, bytes] | None:
        """The next request and its body; None when there will be no other."""
        if self._http.our_state is h11.DONE:
            self._http.start_next_cycle()
        body = bytearray()
        try:
            while True:
                match self._http.next_event():
                    case h11.NEED_DATA:
                        self._http.receive_data(self._socket.recv(65536))
                    case h11.Request() as request:
                        pass
                    case h11.Data(data=data):
                        body += data
                    case h11.EndOfMessage():
                        return request, bytes(body)
                    case _:
                        return None
        except (OSError, h11.RemoteProtocolError):
            return None

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """The head of a response; chunked unless a Content-Length is among ``headers``."""
        closing = {"Connection": "close"} if self.last else {}
        head = h11.Response(status_code=status, headers=[*{**headers, **closing}.items()])
        self._out += self._http.send(head) or b""

    def write(self, data: bytes) -> None:
        """A part of the body, in a chunk of its own."""
        self._out += self._http.send(h11.Data(data=data)) or b""

    def end(self) -> None:
        """The end of the response; the connection stays open for another request."""
        self._out += self._http.send(h11.EndOfMessage()) or b""
        self._flush()

    def wait(self, seconds: float) -> None:
        """Send what was written, then let time pass.

        Raises:
            ClientGone: at once when the client closes, or the server shuts the connection.
        """
        self._flush()
        # Nobody pipelines here: a readable socket in mid-response is a closed one.
        if select.select([self._socket], [], [], seconds)[0]:
            raise ClientGone

    def drop(self, *, reset: bool) -> None:
        """Break off: send what was written, then close with or without a TCP reset."""
        self._flush()
        if reset:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        self._socket.close()

    def shut(self) -> None:
        """Close from another thread: whoever reads or waits here notices at once."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close. Harmless if it is closed already."""
        self._socket.close()

    def _flush(self) -> None:
        try:
            self._socket.sendall(self._out)
        except OSError as error:
            raise ClientGone from error
        self._out.clear()
