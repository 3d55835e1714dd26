"""Writing files so that each is there whole or not at all, whatever happens meanwhile."""

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path

_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


def is_disk_full(error: OSError) -> bool:
    """Whether that is what an error means."""
    return error.errno in _FULL


def explain(error: OSError, folder: Path) -> str:
    """One sentence on why nothing could be written, and what to do."""
    if is_disk_full(error):
        return f"The disk that holds {folder} is full: free some space, then go on."
    return f"{folder} cannot be written: {error.strerror or error}."


def write_atomically(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Replace ``path`` by ``data``, which would survive a power cut when this returns; without
    ``durable`` it survives the end of the process alone, but costs no wait for the disk.

    Raises:
        OSError: it could not be written; what was there before is untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    if durable:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last, too; Windows has no such thing."""
    with suppress(OSError, AttributeError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
