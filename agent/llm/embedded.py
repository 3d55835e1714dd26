"""The embedded model: llama.cpp's server inside this process, on loopback, behind a random key.

One native server at a time, made when first asked for: another model file takes its place, since a
laptop has no memory for two. It works on one request at a time; others wait in its queue. Closing a
response ends its request within one batch. A process forked while a server runs must end by
``os._exit``, as those of multiprocessing do: the native threads do not come along, and an orderly
exit would wait for them.
"""

import atexit
import os
import secrets
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.llm.memory import available_memory
from agent.llm.providers import NoModelError

BATCH_TOKENS = 64
"""Prompt tokens read between two looks at whether the client is still there. Measured with the 0.5B
model on two cores: idle 0.5 s after the connection closes, against 15 s at llama.cpp's 2048, and
the prompt is read no slower."""
CACHE_MIB = 256
"""Memory for the states of prompts other than the last one (llama.cpp's own default is 8192)."""
MEMORY_PER_BYTE = 1.5
"""Memory that a Q4_K_M file takes for each byte of its size, window and buffers included. Measured
at 8192 tokens: 1.4 (0.5B) to 1.9 (3B), of which the mapped file can be read again when needed."""

_MAGIC = b"GGUF"
_TIMEOUT_S = 30.0


class ModelUnavailable(NoModelError):
    """The model file cannot be served; the message is one sentence that says what to do."""


@dataclass(frozen=True)
class EmbeddedServer:
    """Where and how the served model is reached, with any OpenAI-compatible client."""

    base_url: str
    api_key: str = field(repr=False)
    model: str


_lock = threading.Lock()
_running: dict[tuple[Path, int], tuple[EmbeddedServer, Any]] = {}
"""At most one."""


def serve(path: Path, num_ctx: int) -> EmbeddedServer:
    """The server of the model file at ``path`` with a window of ``num_ctx`` tokens.

    Loads the file on the first call (about a second for 0.5 GB), and answers at once after that. A
    server of another file or window is stopped first, as ``release`` does.

    Raises:
        ModelUnavailable: the file is missing, is no usable model, or needs more memory than there
            is.
    """
    path = path.resolve()
    with _lock:
        if (path, num_ctx) not in _running:
            _check_kind(path)
            _running.clear()
            _check_memory(path)
            _running[path, num_ctx] = _start(path, num_ctx)
        return _running[path, num_ctx][0]


def release() -> None:
    """Stop the server and free its memory; requests under way end in a closed connection."""
    with _lock:
        _running.clear()


def count_tokens(server: EmbeddedServer, text: str) -> int:
    """Tokens of ``text`` as the served model itself counts them, special tokens left out."""
    import requests

    with requests.Session() as session:
        session.trust_env = False  # a proxy of the environment is not for loopback
        response = session.post(
            server.base_url.removesuffix("/v1") + "/tokenize",
            json={"content": text},
            headers={"Authorization": f"Bearer {server.api_key}"},
            timeout=_TIMEOUT_S,
        )
        response.raise_for_status()
        return len(response.json()["tokens"])


def thread_count() -> int:
    """Cores that this process may use. With more threads than that, llama.cpp gets slower."""
    import psutil

    usable = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        usable = len(os.sched_getaffinity(0))
    return min(usable, psutil.cpu_count(logical=False) or usable)


def _check_kind(path: Path) -> None:
    """Say in one sentence what llama.cpp would not say at all."""
    if not path.is_file():
        raise ModelUnavailable(f"There is no model file {path}.")
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ModelUnavailable(f"{path} is not a GGUF model file: name one that is.")


def _check_memory(path: Path) -> None:
    """Refuse a file that would bring the machine to swapping, or the container to its end."""
    needed, available = int(path.stat().st_size * MEMORY_PER_BYTE), available_memory()
    if needed > available:
        raise ModelUnavailable(
            f"{path.name} needs about {_gb(needed)} of memory, but only {_gb(available)} is free: "
            "close programs or choose a smaller model."
        )


def _start(path: Path, num_ctx: int) -> tuple[EmbeddedServer, Any]:
    # Threads that wait for each other sleep instead of spinning: on a busy machine the spinning
    # takes the very core that the other thread needs. libgomp reads this once, when it is loaded.
    # A short spin first keeps an idle machine fast: 28 tokens a second against 16 without it.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GOMP_SPINCOUNT", "30000")
    try:
        import xllamacpp
    except ImportError as error:
        raise ModelUnavailable(
            f"The embedded model cannot run here ({error}): run `pip install xllamacpp`, and on "
            "Linux install the system package libgomp1."
        ) from error

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {path.stem}
    params.n_ctx = num_ctx
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = BATCH_TOKENS
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = thread_count()
    params.cache_ram_mib = CACHE_MIB
    params.ctx_shift = False  # an overflow is an error, never a silent loss of the beginning
    params.use_jinja = True
    params.warmup = False
    params.verbosity = 0

    key = secrets.token_urlsafe(32)
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    params.cors_origins, params.cors_origins_explicit = "", True
    params.ui = params.endpoint_slots = False

    try:
        native = xllamacpp.Server(params)
    except RuntimeError as error:
        raise ModelUnavailable(
            f"{path} cannot be loaded: it is damaged, of an unknown kind, or too large for the "
            "memory. Delete it to have it fetched again, or choose another model."
        ) from error
    return EmbeddedServer(f"{native.listening_address}/v1", key, path.stem), native


def _gb(size: float) -> str:
    return f"{size / 1e9:.1f} GB"


atexit.register(release)  # while the interpreter is whole, not in the middle of taking it apart
