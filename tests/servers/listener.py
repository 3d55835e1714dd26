"""A listening loopback socket with a thread for each client, that can go down at any moment."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tests.servers.connection import Connection


class Listener:
    """Listens on a free port from the start; ``serve`` runs in a thread for each connection."""

    def __init__(self, serve: Callable[[Connection], None]) -> None:
        self._serve = serve
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._open: set[Connection] = set()
        self._workers: list[threading.Thread] = []
        self.port: int = self._socket.getsockname()[1]
        self._acceptor = _start(self._accept)

    def go_down(self, but: Connection | None = None) -> None:
        """Refuse new connections and shut the present ones, but for one that ends by itself."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes accept(), which close() may not
        self._socket.close()
        self._acceptor.join()
        with self._lock:
            for connection in self._open - {but}:
                connection.shut()

    def join(self) -> None:
        """Wait for the threads, which end by themselves once it is down."""
        for worker in self._workers:
            worker.join()

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._socket.accept()
            except OSError:
                return
            connection = Connection(sock)
            with self._lock:
                self._open.add(connection)
            self._workers.append(_start(self._work, connection))

    def _work(self, connection: Connection) -> None:
        try:
            self._serve(connection)
        finally:
            with self._lock:
                self._open.remove(connection)
            connection.close()


def _start(work: Callable[..., None], *args: Any) -> threading.Thread:
    thread = threading.Thread(target=work, args=args, daemon=True)
    thread.start()
    return thread
