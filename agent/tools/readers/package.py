"""Office files are zip archives: limits on what is unpacked, and what else lies in them."""

import io
import zipfile

from agent.tools.readers.model import Unreadable

MAX_UNPACKED = 300_000_000
"""Bytes of all parts. Sheets are read as a stream, so that these cost time, not memory."""
MAX_PART = 60_000_000
"""Bytes of any part that is read as a whole, which takes some ten times as much memory."""


def check(data: bytes) -> list[str]:
    """The names of the parts.

    Raises:
        Unreadable: unpacked, it is larger than the limits.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        parts = package.infolist()
    whole = [p.file_size for p in parts if not p.filename.startswith("xl/worksheets/")]
    total = sum(part.file_size for part in parts)
    if total > MAX_UNPACKED or max(whole, default=0) > MAX_PART:
        raise Unreadable("too_large", f"is too large to open: {total / 1e6:,.0f} MB unpacked.")
    return [part.filename for part in parts]


def remarks(names: list[str]) -> str:
    """A line for each thing in the file that its text does not show."""
    said = []
    if any(name.endswith("vbaProject.bin") for name in names):
        said.append("It holds macros (VBA), which were neither run nor read.\n")
    pictures = sum("/media/" in name for name in names)
    if pictures:
        said.append(f"It holds {pictures} pictures, which cannot be seen.\n")
    return "".join(said)
