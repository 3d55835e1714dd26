"""The tool that fetches a task's attachment: from the scoring API, else from the gated dataset.

Both addresses come from the settings, never from a model, so the guarded fetch is not needed here.
"""

import json
import mimetypes
import os
import tempfile
import threading
import time
from collections.abc import Iterable
from email.message import Message
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import requests
import urllib3.exceptions
from pydantic import BaseModel

from agent.budget import RunStopped
from agent.config import Settings
from agent.tools.readers import folder
from agent.tools.readers.model import MAX_BYTES
from agent.tools.registry import ToolContext, tool
from agent.tools.result import ErrorKind, ToolError, ToolResult

DATASET = "gaia-benchmark/GAIA"
DATASET_FOLDER = "2023/validation"

_CONNECT_S, _READ_S = 5.0, 10.0
_SHARE = 0.45
"""Share of the tool's time that each of the two sources gets."""
_CHUNK = 65_536
_KINDS: dict[int, ErrorKind] = {403: "blocked", 404: "not_found", 429: "rate_limited"}


class Args(BaseModel):
    """Nothing: the task is known."""


@tool(
    "download_task_file",
    capability="files",
    args=Args,
    description="Get the file that belongs to this task, to be read with read_file.",
)
def download_task_file(args: Args, context: ToolContext) -> ToolResult:
    """Put the task's attachment into its folder, and say what it is called."""
    if there := folder.files(context.workdir):
        return ToolResult.success(f"The file is here already. {_how_to_read(there)}")
    if not context.task_id:
        return ToolResult.failure("not_found", "No file belongs to this question.")
    failures = []
    for source in (_from_scoring_api, _from_dataset):
        until = time.monotonic() + context.remaining() * _SHARE
        try:
            name, data = source(context.task_id, context.settings, _Client(until, context.stop))
        except _Failed as failed:
            failures.append(failed.error)
        else:
            name = folder.safe_name(name, otherwise=folder.safe_name(context.task_id, "attachment"))
            _write(context.workdir / name, data)
            return ToolResult.success(f"Downloaded. {_how_to_read([name])}")
    said = "; ".join(failure.message for failure in failures)
    return ToolResult.failure(
        failures[-1].kind,
        f"The task's file could not be fetched: {said}. "
        "It can also be attached to the question by hand.",
    )


class _Failed(Exception):
    """A source did not give the file; ``message`` is a clause that names the source, ``status`` the
    HTTP status where there was one."""

    def __init__(self, kind: ErrorKind, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.error = ToolError(kind=kind, message=message)
        self.status = status


class _Client:
    """HTTP GET within ``MAX_BYTES`` and until an instant, whatever the server does."""

    def __init__(self, until: float, stop: threading.Event) -> None:
        self._until, self._stop = until, stop

    def get(self, url: str, source: str, token: str = "") -> tuple[requests.Response, bytes]:
        """The response and its body.

        Raises:
            _Failed: there is none, or another status than 200.
            RunStopped: the run was stopped meanwhile.
        """
        timeout = max(min(_READ_S, self._until - time.monotonic()), 0.1)
        try:
            with requests.get(
                url,
                headers={"Authorization": f"Bearer {token}"} if token else {},
                timeout=(min(_CONNECT_S, timeout), timeout),
                stream=True,
            ) as response:
                body = self._read(response, source)
        except (requests.Timeout, urllib3.exceptions.TimeoutError):
            raise _Failed("timeout", f"{source} did not answer in time") from None
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise _Failed(
                "network", f"{source} could not be reached ({type(error).__name__})"
            ) from error
        if response.status_code != 200:
            status = response.status_code
            kind = _KINDS.get(status, "unavailable")
            raise _Failed(kind, f"{source} answered {status}{_detail(body)}", status)
        return response, body

    def _read(self, response: requests.Response, source: str) -> bytes:
        """The body, taken as it arrives: a server that drips cannot hold the tool."""
        body = bytearray()
        while chunk := response.raw.read1(_CHUNK, decode_content=True):
            body += chunk
            if self._stop.is_set():
                raise RunStopped
            if len(body) > MAX_BYTES:
                limit = f"{MAX_BYTES / 1e6:.0f} MB"
                raise _Failed("too_large", f"{source} sent a file of more than {limit}")
            if time.monotonic() > self._until:
                raise _Failed("timeout", f"{source} was too slow ({len(body):,} bytes in time)")
        return bytes(body)


def _from_scoring_api(task_id: str, settings: Settings, client: _Client) -> tuple[str, bytes]:
    """``GET /files/{task_id}``, whose file name is in ``Content-Disposition``."""
    source = "the scoring API"
    url = f"{settings.scoring_api_url.rstrip('/')}/files/{quote(task_id, safe='')}"
    response, body = client.get(url, source)
    header = Message()
    header["Content-Disposition"] = response.headers.get("Content-Disposition", "")
    name = header.get_filename()
    content_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if not body:
        raise _Failed("not_found", f"{source} sent an empty file")
    if not name and content_type == "text/html":
        raise _Failed("unavailable", f"{source} sent a web page in place of a file")
    return name or f"{task_id}{mimetypes.guess_extension(content_type) or ''}", body


def _from_dataset(task_id: str, settings: Settings, client: _Client) -> tuple[str, bytes]:
    """The file of the gated dataset that is named after the task; its listing tells the suffix."""
    source = f"the dataset {DATASET}"
    base = settings.hf_endpoint.rstrip("/")
    token = settings.hf_token.get_secret_value()
    try:
        _, listing = client.get(
            f"{base}/api/datasets/{DATASET}/tree/main/{DATASET_FOLDER}", source, token
        )
        path = _path_of(task_id, listing)
        if not path:
            raise _Failed("not_found", f"{source} has no file for this task")
        _, body = client.get(f"{base}/datasets/{DATASET}/resolve/main/{quote(path)}", source, token)
    except _Failed as failed:
        if failed.status in (401, 403):
            raise _Failed(
                "unavailable",
                f"{source} is gated: accept its terms at {base}/datasets/{DATASET} and set "
                "HF_TOKEN to a token of that account",
            ) from None
        raise
    return PurePosixPath(path).name, body


def _path_of(task_id: str, listing: bytes) -> str:
    """The path in the dataset's listing, ``[{"path": ...}, ...]``, whose stem is the task."""
    try:
        paths = [str(entry["path"]) for entry in json.loads(listing)]
    except (ValueError, TypeError, KeyError):
        return ""
    return next((path for path in paths if PurePosixPath(path).stem == task_id), "")


def _detail(body: bytes) -> str:
    """The ``detail`` with which the API explains a refusal, shortened."""
    try:
        detail = json.loads(body)["detail"]
    except (ValueError, TypeError, KeyError):
        return ""
    return f" ({' '.join(str(detail).split())[:120]})"


def _write(path: Path, data: bytes) -> None:
    """Write so that the file is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as part:
        part.write(data)
        part.flush()
        os.fsync(part.fileno())
    Path(part.name).replace(path)


def _how_to_read(names: Iterable[str]) -> str:
    return "".join(f"Read it with read_file, name: '{name}'. " for name in names).strip()
