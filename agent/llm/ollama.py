"""Ollama through langchain-ollama, on its native ``/api/chat``."""

import difflib
import re
import ssl
import threading
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from agent.config import Settings
from agent.llm.names import ModelName
from agent.llm.providers import ChatModel, Enforcement, NoModelError, Progress

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

FIRST_WITH_SCHEMAS = (0, 5, 0)
"""Ollama versions before this take a schema as ``format`` and ignore it."""
COUNTING_UNCACHED = (0, 30)
"""Of this series some versions leave cached tokens out of ``prompt_eval_count`` (its pull request
16428); those before and after count the whole prompt."""
REASONING_TOKENS = 600
"""What a model that thinks may generate on top of ``num_predict``."""
_PROBE_S = 1.0
_MOST_NAMED = 5
_SEED = 1


def base_url(host: str) -> str:
    """The address that ``OLLAMA_HOST`` means, by Ollama's own conventions.

    A bare host gets ``http`` and port 11434; a scheme without a port gets that scheme's own port;
    ``0.0.0.0``, which servers use to listen everywhere, is reached on loopback.
    """
    text = host.strip().strip("\"'").rstrip("/") or "127.0.0.1"
    bare = "//" not in text
    parts = urlsplit(f"http://{text}" if bare else text)
    default = 11434 if bare else {"https": 443}.get(parts.scheme, 80)
    name = parts.hostname or "127.0.0.1"
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(name, name)
    name = f"[{name}]" if ":" in name else name
    return f"{parts.scheme}://{name}:{parts.port or default}{parts.path}"


def reachable(settings: Settings) -> bool:
    """Whether an Ollama answers at ``OLLAMA_HOST``."""
    try:
        return bool(_ask(settings, "GET", "/api/version", seconds=_PROBE_S))
    except NoModelError:
        return False


def installed(settings: Settings) -> list[str]:
    """The models that this Ollama has.

    Raises:
        NoModelError: it does not answer.
    """
    models = _ask(settings, "GET", "/api/tags").get("models") or []
    return [str(model["name"]) for model in models if "name" in model]


def has(model: ModelName, installed: list[str]) -> bool:
    """Whether ``model`` is among them; a name without a tag means ``:latest``."""
    return model.name in installed or f"{model.name}:latest" in installed


def how_to_get(model: ModelName, installed: list[str]) -> str:
    """What helps where ``model`` is not among them: a command, and the nearest names, since the
    name may be mistyped."""
    near = difflib.get_close_matches(model.name, installed, n=_MOST_NAMED, cutoff=0)
    others = f" This Ollama has {', '.join(near)}." if near else ""
    return f"Run `ollama pull {model.name}`.{others}"


def check_version(settings: Settings) -> tuple[int, ...]:
    """The version of this Ollama; zeros for one that was built by hand.

    Raises:
        NoModelError: it does not answer, or is too old to enforce a schema.
    """
    text = str(_ask(settings, "GET", "/api/version").get("version", ""))
    version = tuple(map(int, re.findall(r"\d+", text)[:3]))
    if any(version) and version < FIRST_WITH_SCHEMAS:
        raise NoModelError(
            f"Ollama {text} is too old to enforce the form of a reply: install a newer one from "
            "https://ollama.com/download."
        )
    return version


def describe(settings: Settings, model: ModelName) -> str:
    """What Ollama says of a model it has: the context it could take and what it is given here."""
    shown = _show(settings, model)
    lengths = [v for k, v in shown.get("model_info", {}).items() if k.endswith(".context_length")]
    longest = f" of {lengths[0]}" if lengths else ""
    thinks = ", thinks before it answers" if _thinks(shown) else ""
    return f"context {settings.num_ctx}{longest} tokens{thinks}"


def sees(settings: Settings, model: ModelName) -> bool:
    """Whether a model takes images; where Ollama does not tell, it may."""
    capabilities = _show(settings, model).get("capabilities")
    return not capabilities or "vision" in capabilities


def connect(settings: Settings, model: ModelName) -> ChatModel:
    """A model that this Ollama has.

    Raises:
        NoModelError: the server does not answer, is too old, or lacks the model.
    """
    version = check_version(settings)
    have = installed(settings)
    if not has(model, have):
        raise NoModelError(f"Ollama has no model {model.name}. {how_to_get(model, have)}")
    thinks = _thinks(_show(settings, model))
    num_predict = settings.num_predict + (REASONING_TOKENS if thinks else 0)
    return ChatModel(
        name=str(model),
        client=_client(
            base_url(settings.ollama_host),
            model.name,
            settings.num_ctx,
            num_predict,
            settings.keep_alive,
            thinks,
        ),
        constrain=Enforcement(lambda schema: {"format": schema}),
        num_ctx=settings.num_ctx,
        num_predict=num_predict,
        counts_whole_prompts=any(version) and version[:2] != COUNTING_UNCACHED,
    )


def pull(settings: Settings, name: str, progress: Progress, stop: threading.Event) -> None:
    """Have Ollama download the model ``name``. A pull that was ended early goes on from there.

    Raises:
        NoModelError: it cannot be had.
        RunStopped: ``stop`` was set.
    """
    import httpx
    import ollama

    from agent.llm.stream import drain

    url = base_url(settings.ollama_host)

    async def lines() -> Any:
        async with ollama.AsyncClient(url, verify=_tls(url)) as client:
            async for line in await client.pull(name, stream=True):
                yield line

    sizes: dict[str, tuple[int, int]] = {}
    try:
        for line in drain(lines, seconds=inf, stop=stop):
            if line.digest and line.total:
                sizes[line.digest] = (line.completed or 0, line.total)
            progress(*_pull_progress(name, line.status or "", sizes))
    except (httpx.ConnectError, ConnectionError) as error:
        raise NoModelError(_no_answer(url)) from error
    except ollama.ResponseError as error:
        raise NoModelError(_why_not_pulled(name, error.error)) from error
    except (httpx.HTTPError, ValueError) as error:
        raise NoModelError(
            f"The download of {name} was cut off: start it again, and it goes on from there."
        ) from error
    if not has(ModelName("ollama", name), installed(settings)):
        raise NoModelError(f"Ollama did not finish the download of {name}: start it again.")


def _pull_progress(
    name: str, status: str, sizes: dict[str, tuple[int, int]]
) -> tuple[str, float | None]:
    done, total = (sum(column) for column in zip(*sizes.values(), strict=True)) if sizes else (0, 0)
    if total and done < total:
        return f"Downloading {name}: {done / 1e9:.1f} of {total / 1e9:.1f} GB", done / total
    return f"Downloading {name}: {status}", 1.0 if total else None


def _why_not_pulled(name: str, error: str) -> str:
    if "file does not exist" in error:
        return f"Ollama's library has no model {name}: see https://ollama.com/library."
    if "no space left" in error:
        return f"There is too little space on the disk for {name}: free some and start again."
    return f"Ollama could not download {name}: {' '.join(error.split())[:200]}"


def _show(settings: Settings, model: ModelName) -> dict[str, Any]:
    """What Ollama tells of a model; nothing if it does not."""
    try:
        return _ask(settings, "POST", "/api/show", {"model": model.name})
    except NoModelError:
        return {}


def _thinks(shown: dict[str, Any]) -> bool:
    return "thinking" in (shown.get("capabilities") or [])


def _ask(
    settings: Settings,
    method: str,
    path: str,
    body: dict[str, Any] | None = None,
    seconds: float = 5 * _PROBE_S,
) -> dict[str, Any]:
    """One small request to this Ollama. Raises NoModelError if no Ollama answers."""
    import httpx

    url = base_url(settings.ollama_host)
    try:
        response = httpx.request(method, url + path, json=body, timeout=seconds, verify=_tls(url))
        response.raise_for_status()
        answer = response.json()
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise NoModelError(_no_answer(url)) from error
    if not isinstance(answer, dict):
        raise NoModelError(_no_answer(url))
    return answer


def _no_answer(url: str) -> str:
    return f"No Ollama answers at {url}. Start it with `ollama serve`, or set OLLAMA_HOST."


@cache
def _client(
    url: str, name: str, num_ctx: int, num_predict: int, keep_alive: str, thinks: bool
) -> "BaseChatModel":
    """One client for each way of asking, so that its connections are used again and none leaks."""
    from langchain_ollama import ChatOllama

    return ChatOllama(
        base_url=url,
        model=name,
        temperature=0,
        seed=_SEED,
        num_ctx=num_ctx,
        num_predict=num_predict,
        keep_alive=keep_alive,
        reasoning=True if thinks else None,
        client_kwargs={"verify": _tls(url)},
    )


@cache
def _trusted() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()


def _tls(url: str) -> ssl.SSLContext:
    """Certificates to trust, read once. They take longer to read than a call on loopback, where
    there are none to check."""
    return _trusted() if url.startswith("https") else _no_certificates()


@cache
def _no_certificates() -> ssl.SSLContext:
    """Trusts nobody: a redirect from http to https fails."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
