"""Ollama through langchain-ollama, on its native ``/api/chat``."""

from urllib.parse import urlsplit

from agent.config import Settings
from agent.llm.names import ModelName
from agent.llm.providers import ChatModel, NoModelError

_PROBE_S = 1.0
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
    import httpx

    try:
        return httpx.get(
            f"{base_url(settings.ollama_host)}/api/version", timeout=_PROBE_S
        ).is_success
    except (httpx.HTTPError, httpx.InvalidURL):
        return False


def installed(settings: Settings) -> list[str]:
    """The models that this Ollama has.

    Raises:
        NoModelError: it does not answer.
    """
    import httpx

    url = base_url(settings.ollama_host)
    try:
        response = httpx.get(f"{url}/api/tags", timeout=5 * _PROBE_S)
        response.raise_for_status()
        return [model["name"] for model in response.json()["models"]]
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError) as error:
        raise NoModelError(
            f"No Ollama answers at {url}. Start it with `ollama serve`, or set OLLAMA_HOST."
        ) from error


def has(model: ModelName, installed: list[str]) -> bool:
    """Whether ``model`` is among them; a name without a tag means ``:latest``."""
    return model.name in installed or f"{model.name}:latest" in installed


def describe(settings: Settings, model: ModelName) -> str:
    """What Ollama says of a model it has: the context it could take and what it is given here."""
    import httpx

    url = f"{base_url(settings.ollama_host)}/api/show"
    try:
        info = httpx.post(url, json={"model": model.name}, timeout=5 * _PROBE_S).json()
        longest = next(v for k, v in info["model_info"].items() if k.endswith(".context_length"))
    except (httpx.HTTPError, ValueError, KeyError, AttributeError, StopIteration):
        return f"context {settings.num_ctx} tokens"
    return f"context {settings.num_ctx} of {longest} tokens"


def connect(settings: Settings, model: ModelName) -> ChatModel:
    """A model that this Ollama has.

    Raises:
        NoModelError: the server does not answer, or lacks the model.
    """
    from langchain_ollama import ChatOllama

    have = installed(settings)
    if not has(model, have):
        others = f" It has: {', '.join(have)}." if have else ""
        raise NoModelError(
            f"Ollama has no model {model.name}. Run `ollama pull {model.name}`.{others}"
        )
    client = ChatOllama(
        base_url=base_url(settings.ollama_host),
        model=model.name,
        temperature=0,
        seed=_SEED,
        num_ctx=settings.num_ctx,
        num_predict=settings.num_predict,
        keep_alive=settings.keep_alive,
    )
    return ChatModel(
        name=str(model),
        client=client,
        constrain=lambda schema: {"format": schema},
        num_ctx=settings.num_ctx,
        num_predict=settings.num_predict,
    )
