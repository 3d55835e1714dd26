"""Memory that a model file may take here.

In a container the machine's free memory is not ours to use: its control group has a limit, and who
goes beyond it is killed without a word.
"""

from collections.abc import Iterator
from pathlib import Path


def available_memory(root: Path = Path("/")) -> int:
    """Bytes that this process may still take: what the machine has free, or less where a control
    group of Linux sets a limit. ``root`` is where ``proc`` and ``sys`` are."""
    import psutil

    return min([int(psutil.virtual_memory().available), *_left_in_groups(root)])


def _left_in_groups(root: Path) -> Iterator[int]:
    """What each control group of this process, and each above it, has left of its limit."""
    for folder, limit_file, usage_file in _groups(root):
        limit, used = _number(folder / limit_file), _number(folder / usage_file)
        if limit is not None and used is not None:
            yield max(limit - used + _reclaimable(folder), 0)


def _groups(root: Path) -> Iterator[tuple[Path, str, str]]:
    """Folders that may describe a group, with the names of their files, in both versions.

    Inside a container the path in ``/proc/self/cgroup`` may be the host's, which is not mounted
    there; the group is then found on the way up, at the mount itself.
    """
    mount = root / "sys/fs/cgroup"
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:  # not a Linux
        return
    for line in lines:
        number, controllers, path = line.split(":", 2)
        if number == "0":
            top, names = mount, ("memory.max", "memory.current")
        elif "memory" in controllers.split(","):
            top, names = mount / "memory", ("memory.limit_in_bytes", "memory.usage_in_bytes")
        else:
            continue
        own = top / path.strip("/")
        for folder in (own, *own.parents):
            if folder.is_relative_to(top):
                yield folder, *names


def _reclaimable(folder: Path) -> int:
    """Bytes of files in the page cache that count as used and are given up when they are needed."""
    try:
        lines = (folder / "memory.stat").read_text().splitlines()
    except OSError:
        return 0
    stat = dict(line.split() for line in lines)
    return int(stat.get("total_inactive_file") or stat.get("inactive_file") or 0)


def _number(path: Path) -> int | None:
    """The number in a file; None if there is no such file or no limit (``max``)."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None
