"""Landlock for this process: which files it may still reach (Linux 5.13 and later).

Structures and numbers: ``include/uapi/linux/landlock.h``; the calls have the same numbers on every
architecture. Rights that a kernel does not know yet are left out, as its documentation advises.
"""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG, _PATH_BENEATH = 1, 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE = 1 << 4, 1 << 5
_MAKE_DIR, _MAKE_REG, _MAKE_SYM = 1 << 7, 1 << 8, 1 << 12
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_FIRST_VERSION = (1 << 13) - 1
_ALL_OF_NETWORK = 0b11
_ALL_OF_SCOPES = 0b11

_READ = _READ_FILE | _READ_DIR
_WRITE = _READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _MAKE_SYM
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV


def restrict(libc: ctypes.CDLL, *, readable: Iterable[str], writable: Iterable[str]) -> bool:
    """Leave this process only the given files and folders; False where there is no Landlock.

    Paths that do not exist are passed over. Nothing may be executed, no TCP socket bound or
    connected, no abstract socket reached and no process outside signalled, as far as the kernel's
    version knows of these. ``no_new_privs`` must have been set.
    """
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG)
    if version < 1:
        return False
    files = _FIRST_VERSION
    files |= _REFER if version >= 2 else 0
    files |= _TRUNCATE if version >= 3 else 0
    files |= _IOCTL_DEV if version >= 5 else 0
    network = _ALL_OF_NETWORK if version >= 4 else 0
    scopes = _ALL_OF_SCOPES if version >= 6 else 0
    attributes = struct.pack("QQQ", files, network, scopes)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return False
    try:
        for path in readable:
            _allow(libc, ruleset, path, _READ & files)
        for path in writable:
            _allow(libc, ruleset, path, (_WRITE | _TRUNCATE) & files)
        return bool(libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        rule = struct.pack("=Qi", rights, descriptor)
        libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
    finally:
        os.close(descriptor)
