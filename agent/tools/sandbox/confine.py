"""Confines this process, layer by layer, to what the platform can enforce."""

import ctypes
import os
import struct
import sys
from contextlib import suppress

from agent.tools.sandbox import landlock, seccomp

_SYSTEM_FILES = (
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo"),
    *("/etc/ld.so.cache", "/etc/localtime", "/dev/null", "/dev/zero", "/dev/urandom"),
)
_PR_SET_PDEATHSIG, _SIGKILL = 1, 9
_PR_SET_NO_NEW_PRIVS = 38
_CAPABILITY_VERSION_3 = 0x20080522


def confine(*, cpu_s: int, memory_bytes: int, file_bytes: int) -> list[str]:
    """Apply every layer there is and return their names, of ``limits``, ``landlock``, ``seccomp``.

    The current folder is all that the process may write to. There is no way back.
    """
    if sys.platform == "win32":
        return []
    _limit(cpu_s, memory_bytes, file_bytes)
    layers = ["limits", *(_confine_on_linux() if sys.platform == "linux" else [])]
    if "seccomp" not in layers:
        _forbid_processes()
    return layers


def _confine_on_linux() -> list[str]:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _drop_capabilities(libc)
    layers = []
    if landlock.restrict(libc, readable=_readable(), writable=[os.curdir, os.devnull]):
        layers.append("landlock")
    if seccomp.install(libc):
        layers.append("seccomp")
    return layers


def _readable() -> list[str]:
    libraries = (f"{sys.base_prefix}/lib", f"{sys.base_exec_prefix}/{sys.platlibdir}")
    return [*_SYSTEM_FILES, *libraries, *sys.path]


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """For root: what remains are the rights of a user who happens to own root's files."""
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    libc.capset(header, struct.pack("6I", *[0] * 6))


def _limit(cpu_s: int, memory_bytes: int, file_bytes: int) -> None:
    import resource

    limits = {
        resource.RLIMIT_CPU: cpu_s,
        resource.RLIMIT_AS: memory_bytes,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in limits.items():
        _lower(kind, most)


def _forbid_processes() -> None:
    """Where seccomp cannot: no further processes (on Linux, nor threads); root is exempt."""
    import resource

    _lower(resource.RLIMIT_NPROC, 0)


def _lower(kind: int, most: int) -> None:
    import resource

    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (most, most))
