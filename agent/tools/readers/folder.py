"""The task's folder: which files are in it, which one a name means, what a file may be called.

A name from outside is only ever compared with the names that are there. It is never joined to a
path, so that nothing outside the folder can be meant by it.
"""

import os
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

MAX_FILES = 200
_MAX_NAME = 120
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"|?*/\\]+')


def files(folder: Path) -> dict[str, Path]:
    """The regular files in ``folder`` and below, by their path in it. Links and files whose name
    starts with a dot are not among them."""
    found: dict[str, Path] = {}
    for base, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(base, name)
            if name.startswith(".") or path.is_symlink() or not path.is_file():
                continue
            found[path.relative_to(folder).as_posix()] = path
            if len(found) == MAX_FILES:
                return found
    return found


def listing(names: Iterable[str]) -> str:
    """The names in one line."""
    return ", ".join(f"'{name}'" for name in names)


def leads_out(name: str, folder: Path) -> bool:
    """Whether a name was meant to reach outside the folder, which deserves its own answer."""
    path = PurePosixPath(name.replace("\\", "/"))
    absolute = path.is_absolute() or re.match(r"[A-Za-z]:", name) is not None
    inside = absolute and path.as_posix().startswith(folder.as_posix() + "/")
    return "\0" in name or ".." in path.parts or (absolute and not inside)


def match(name: str, names: Iterable[str]) -> str | None:
    """The one of ``names`` that ``name`` means: exactly, else but for its case, its folder or its
    suffix, else the only one there is. None if that leaves several or none."""
    known = list(names)
    wanted = _key(name)
    if name in known:
        return name
    for same in (
        lambda key: key == wanted,
        lambda key: PurePosixPath(key).name == PurePosixPath(wanted).name,
        lambda key: PurePosixPath(key).stem == PurePosixPath(wanted).stem,
    ):
        alike = [candidate for candidate in known if same(_key(candidate))]
        if len(alike) == 1:
            return alike[0]
    return known[0] if len(known) == 1 else None


def safe_name(name: str, otherwise: str) -> str:
    """A name from outside as a plain file name in this folder: no folders, control characters or
    leading dots, at most 120 characters with the suffix kept; ``otherwise`` if nothing is left."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    clean = _UNSAFE.sub("_", last).strip(" .")
    stem, dot, suffix = clean.rpartition(".")
    if not dot:
        stem, suffix = clean, ""
    suffix = suffix[:15]
    return f"{stem[: _MAX_NAME - len(dot + suffix)]}{dot}{suffix}" if stem else otherwise


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", name.replace("\\", "/")).strip().strip("'\"").casefold()
