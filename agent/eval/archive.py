"""A run in one zip file, for machines whose disk forgets: taken out, and put back safely."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from agent.config import Settings
from agent.eval.cache import About, Cache
from agent.eval.errors import BenchmarkError
from agent.eval.files import write_atomically
from agent.eval.record import TaskRecord
from agent.eval.submit import Receipt

MAX_MEMBERS = 10_000
MAX_MEMBER_BYTES = 20_000_000
MAX_BYTES = 300_000_000
"""Unpacked, counted while unpacking: what a zip says of itself may be a lie."""

_MEMBER = re.compile(
    r"(?P<folder>tasks|sent|runs)/(?P<name>[A-Za-z0-9][A-Za-z0-9_-]{0,99})\.jsonl?"
)


class ArchiveError(BenchmarkError):
    """The file is not a run of this program; the message is one sentence."""


def export_run(cache: Cache, settings: Settings, target: Path | BinaryIO) -> int:
    """Write the records, receipts and traces of a run into a zip; returns how many records."""
    records = sorted(cache.tasks.glob("*.json"))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(cache.folder / "about.json", "about.json")
        for path in [*records, *sorted((cache.folder / "sent").glob("*.json"))]:
            archive.write(path, f"{path.parent.name}/{path.name}")
        for trace in _traces(records, settings):
            archive.write(trace, f"runs/{trace.name}")
    return len(records)


def import_run(source: Path | BinaryIO, settings: Settings, of_source: str = "") -> Cache:
    """Put a run back where it belongs; what is answered there already stays as it is.

    ``of_source`` names the questions, where these lie elsewhere on this machine than on the other.
    Nothing in the zip is trusted: only members of the known names and forms are taken, into places
    that this program chooses.

    Raises:
        ArchiveError: it is no zip of a run, or too large.
        CacheBusyError: that run is under way.
        OSError: it cannot be read, or the cache not be written.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            return _unpack(archive, settings, of_source)
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError) as error:
        raise ArchiveError(f"That is no run that this program has exported ({error}).") from error


def _unpack(archive: zipfile.ZipFile, settings: Settings, of_source: str) -> Cache:
    try:
        about = About.model_validate_json(_read(archive, "about.json"))
    except ValidationError:
        raise ArchiveError("That is no run that this program has exported.") from None
    if of_source:
        about = about.model_copy(update={"source": of_source})
    cache = Cache(settings.cache_dir / "bench" / about.key, about)
    with cache.lock():
        for kind, name, data in _members(archive):
            _place(cache, settings, kind, name, data)
    return cache


def _members(archive: zipfile.ZipFile) -> Iterator[tuple[str, str, bytes]]:
    """Folder, stem and content of the members that belong into a run."""
    names = archive.namelist()
    if len(names) > MAX_MEMBERS:
        raise ArchiveError(f"That zip has more than {MAX_MEMBERS:,} files.")
    left = MAX_BYTES
    for name in names:
        if match := _MEMBER.fullmatch(name):
            data = _read(archive, name)
            left -= len(data)
            if left < 0:
                raise ArchiveError(f"That zip holds more than {MAX_BYTES / 1e6:.0f} MB.")
            yield match["folder"], match["name"], data


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as member:
        data = member.read(MAX_MEMBER_BYTES + 1)
    if len(data) > MAX_MEMBER_BYTES:
        raise ArchiveError(f"{name} in that zip is larger than {MAX_MEMBER_BYTES / 1e6:.0f} MB.")
    return data


def _place(cache: Cache, settings: Settings, folder: str, name: str, data: bytes) -> None:
    try:
        if folder == "tasks":
            record = TaskRecord.model_validate_json(data)
            if record.task_id == name:
                cache.keep(record, over_answers=False)
        elif folder == "sent":
            Receipt.model_validate_json(data)
            _write_new(cache.folder / "sent" / f"{name}.json", data)
        else:
            _write_new(settings.runs_dir / f"{name}.jsonl", data)
    except ValidationError:
        cache.warnings.append(f"{folder}/{name} in that zip is damaged or of another version.")


def _write_new(path: Path, data: bytes) -> None:
    if not path.exists():
        write_atomically(path, data)


def _traces(records: list[Path], settings: Settings) -> Iterator[Path]:
    for path in records:
        try:
            run_id = TaskRecord.model_validate_json(path.read_bytes()).run_id
        except ValidationError:
            continue
        trace = settings.runs_dir / f"{run_id}.jsonl"
        if _MEMBER.fullmatch(f"runs/{trace.name}") and trace.is_file():
            yield trace
