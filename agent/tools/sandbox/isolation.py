"""What this platform enforces on sandboxed code, found out by trying to break out."""

import json
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from agent.tools.sandbox import host

LAYERS = ("landlock", "limits", "seccomp")
_PROBE_TIMEOUT_S = 10.0
_PROBE = """
import json, os, socket

def stopped(attempt):
    try:
        attempt()
    except (OSError, AttributeError, MemoryError):
        return True
    return False

print(json.dumps({
    "files": stopped(lambda: open(%(file)r).close()),
    "network": stopped(lambda: socket.socket().close()),
    "processes": stopped(lambda: os.fork() or os._exit(0)),
    "signals": stopped(lambda: os.kill(os.getppid(), 0)),
    "memory": stopped(lambda: bytearray(%(memory)d)),
}))
"""


class Isolation(BaseModel):
    """What sandboxed code was seen to be kept from, and the layers that did it.

    ``files``: reading outside of its folder and the Python installation. ``network``: sockets.
    ``processes``: starting any. ``signals``: reaching the application. ``memory``: taking more than
    its share.
    """

    model_config = ConfigDict(frozen=True)

    files: bool = False
    network: bool = False
    processes: bool = False
    signals: bool = False
    memory: bool = False
    layers: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """What is not enforced here."""
        return tuple(name for name, kept in self if kept is False)

    @property
    def complete(self) -> bool:
        """Whether strangers' code may be run here."""
        return not self.missing and set(self.layers) == set(LAYERS)


@cache
def isolation() -> Isolation:
    """Try it out, once in the life of this process (about 0.1 s)."""
    probe = _PROBE % {"file": str(Path(__file__)), "memory": 2 * host.MEMORY_BYTES}
    outcome = host.run(probe, timeout_s=_PROBE_TIMEOUT_S)
    try:
        return Isolation(**json.loads(outcome.stdout), layers=outcome.layers)
    except (ValueError, ValidationError):
        return Isolation(layers=outcome.layers)
