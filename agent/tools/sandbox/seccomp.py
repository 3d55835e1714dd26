"""A seccomp filter for this process: system calls outside of the list fail with ``EPERM``.

The filter is written in classic BPF, as the kernel takes it (``Documentation/userspace-api/
seccomp_filter.rst``), so that no library is needed. It cannot be lifted again and is inherited.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Iterator
from typing import NamedTuple

from agent.tools.sandbox import syscalls

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Column of the table of system calls, and the kernel's name of the architecture (``audit.h``)."""
_X32_BIT = 0x40000000

_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_OFFSET_NUMBER, _OFFSET_ARCHITECTURE, _OFFSET_ARGUMENTS = 0, 4, 16

_KILL, _ALLOW = 0x80000000, 0x7FFF0000
_PRETEND = 0x00050000
_DENY = _PRETEND | errno.EPERM
_NO_SUCH_CALL = _PRETEND | errno.ENOSYS

_CLONE_THREAD = 0x00010000
_CLONE_NAMESPACES = 0x7E020080
_TRUNCATE_ONLY, _OPEN_MODE = os.O_TRUNC, os.O_TRUNC | os.O_ACCMODE
_FCNTL_OF_DESCRIPTORS = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030)
"""Duplicating, flags and locks: not the ones that send signals (``F_SETOWN``, ``F_SETSIG``)."""
_IOCTL_QUERIES = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX."""
_MAP_SHARED = 1
_ALL_BITS = 0xFFFFFFFF
_AF_UNIX = 1

_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2


class _Rule(NamedTuple):
    """What happens on one call: ``then`` if a test holds or there is none, else ``otherwise``.

    A test is (index of the argument, mask, value): the argument's low 32 bits, masked, are equal to
    the value.
    """

    name: str
    tests: tuple[tuple[int, int, int], ...] = ()
    then: int = _ALLOW
    otherwise: int = _DENY


def install(libc: ctypes.CDLL) -> bool:
    """Apply the filter to this process and its later threads; False where that is not possible.

    ``no_new_privs`` must have been set; then it needs no privileges.
    """
    machine = os.uname().machine
    if machine not in _ARCHITECTURES or struct.calcsize("P") != 8:
        return False
    program = _program(*_ARCHITECTURES[machine])
    instructions = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(instructions))
    return bool(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header, 0, 0) == 0)


def _rules() -> Iterator[_Rule]:
    for name in syscalls.ALLOWED:
        yield _Rule(name)
    for name in syscalls.PRETENDED:
        yield _Rule(name, then=_PRETEND)
    for name in syscalls.ABSENT:
        yield _Rule(name, then=_NO_SUCH_CALL)
    # Threads, but neither processes nor namespaces.
    yield _Rule("clone", ((0, _CLONE_THREAD | _CLONE_NAMESPACES, _CLONE_THREAD),))
    # Opening for reading with O_TRUNC empties a file, which early Landlock does not see.
    yield _Rule("open", ((1, _OPEN_MODE, _TRUNCATE_ONLY),), then=_DENY, otherwise=_ALLOW)
    yield _Rule("openat", ((2, _OPEN_MODE, _TRUNCATE_ONLY),), then=_DENY, otherwise=_ALLOW)
    # What is written to a shared mapping counts neither as memory of the process nor as written.
    yield _Rule("mmap", ((3, _MAP_SHARED, _MAP_SHARED),), then=_DENY, otherwise=_ALLOW)
    yield _Rule("fcntl", tuple((1, _ALL_BITS, command) for command in _FCNTL_OF_DESCRIPTORS))
    yield _Rule("ioctl", tuple((1, _ALL_BITS, request) for request in _IOCTL_QUERIES))
    yield _Rule("socketpair", ((0, _ALL_BITS, _AF_UNIX),))
    yield _Rule("tgkill", ((0, _ALL_BITS, os.getpid()),))
    yield _Rule("prlimit64", ((0, _ALL_BITS, 0),))


def _program(column: int, architecture: int) -> bytes:
    numbers = {
        **syscalls.ALLOWED,
        **syscalls.RESTRICTED,
        **syscalls.PRETENDED,
        **syscalls.ABSENT,
    }
    program = [
        _instruction(_LOAD, _OFFSET_ARCHITECTURE),
        _instruction(_EQUAL, architecture, if_true=1),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _OFFSET_NUMBER),
        _instruction(_AT_LEAST, _X32_BIT, if_false=1),
        _instruction(_RETURN, _DENY),
    ]
    for rule in _rules():
        number = numbers[rule.name][column]
        if number is not None:
            block = list(_block(rule))
            program += [_instruction(_EQUAL, number, if_false=len(block)), *block]
    return b"".join([*program, _instruction(_RETURN, _DENY)])


def _block(rule: _Rule) -> Iterator[bytes]:
    for index, mask, value in rule.tests:
        yield _instruction(_LOAD, _OFFSET_ARGUMENTS + 8 * index)
        yield _instruction(_AND, mask)
        yield _instruction(_EQUAL, value, if_false=1)
        yield _instruction(_RETURN, rule.then)
    yield _instruction(_RETURN, rule.otherwise if rule.tests else rule.then)


def _instruction(code: int, operand: int, *, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, operand)
