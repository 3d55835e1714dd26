"""What can go wrong with a model, as one closed set with one sentence each for people."""

import re
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Literal

ModelErrorKind = Literal[
    "unreachable",
    "missing_model",
    "out_of_memory",
    "busy",
    "rate_limited",
    "unauthorized",
    "payment",
    "refused",
    "server_error",
    "timeout",
    "cut",
    "empty",
    "truncated",
    "unparsable",
    "schema_refused",
]

TRANSIENT: frozenset[ModelErrorKind] = frozenset(
    {"busy", "rate_limited", "server_error", "cut", "empty"}
)
"""The same call may succeed a moment later."""
FATAL: frozenset[ModelErrorKind] = frozenset(
    {"unreachable", "missing_model", "out_of_memory", "unauthorized", "payment", "refused"}
)
"""No further call to this model will succeed until somebody does something about it."""


_OUT_OF_MEMORY = re.compile(
    r"out of memory|more (system )?memory|unable to allocate|failed to allocate|signal: killed",
    re.I,
)
_NOTHING_CAME = re.compile("No data received|No generation chunks")
_SCHEMA_REFUSED = re.compile(r"response_format|json_schema|structured output", re.I)


class ModelError(Exception):
    """A model call that gave nothing usable. The message is one sentence, fit for the screen.

    ``retry_after_s`` is how long the server asks to wait; ``final`` says that waiting would take
    longer than there is time.
    """

    def __init__(
        self,
        kind: ModelErrorKind,
        message: str,
        *,
        retry_after_s: float | None = None,
        final: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after_s = retry_after_s
        self.final = final

    @property
    def fatal(self) -> bool:
        """Whether the run cannot go on with this model."""
        return self.final or self.kind in FATAL


def explain(error: BaseException, model: str) -> ModelError:
    """Turn whatever a client library raised into one sentence that says what to do.

    Understands ``ollama.ResponseError``, ``openai.APIError`` and httpx, by their names: each client
    may bring an httpx of its own. The status codes are those of Ollama and of compatible servers.
    ``model`` is a model's whole name.
    """
    if isinstance(error, ModelError):
        return error
    status = getattr(error, "status_code", None)
    text = " ".join(str(error).split())[:200] or type(error).__name__
    if _OUT_OF_MEMORY.search(text):
        return ModelError("out_of_memory", _too_little_memory(model))
    if isinstance(status, int) and status >= 400:
        return _explain_status(status, text, model, _retry_after(error))
    kinds = {kind.__name__ for cause in _causes(error) for kind in type(cause).__mro__}
    if kinds & {"ConnectError", "ConnectionRefusedError"}:
        return ModelError("unreachable", _no_server(model))
    if kinds & {"TimeoutException", "TimeoutError", "APITimeoutError"}:
        return ModelError("timeout", f"{model} did not answer in time.")
    if kinds & {"TransportError", "ConnectionError", "APIConnectionError"}:
        return ModelError("cut", f"The connection to {model} was lost in mid-answer.")
    if isinstance(error, ValueError) and _NOTHING_CAME.search(text):
        return ModelError("empty", f"{model} sent an empty answer.")
    return ModelError("server_error", f"{model} failed: {text}")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what led to it."""
    while error is not None:
        yield error
        error = error.__cause__


def _explain_status(status: int, text: str, model: str, retry_after_s: float | None) -> ModelError:
    provider, _, name = model.partition(":")
    is_ollama = provider == "ollama"
    match status:
        case 404 if is_ollama:
            return ModelError(
                "missing_model", f"Ollama has no model {name}: run `ollama pull {name}`."
            )
        case 404:
            return ModelError("missing_model", f"The server has no model {name}: check the name.")
        case 401:
            return ModelError("unauthorized", f"{model} refused the key: check {_key(provider)}.")
        case 403:
            return ModelError(
                "unauthorized", f"{model} is not open to this key: ask for access, or use another."
            )
        case 402:
            return ModelError("payment", _no_credit(model))
        case 429 if "quota" in text:
            return ModelError("payment", _no_credit(model))
        case 429:
            wait = f"{retry_after_s:.0f} seconds" if retry_after_s else "a while"
            return ModelError(
                "rate_limited", f"{model} asks to wait {wait}.", retry_after_s=retry_after_s
            )
        case 503:
            hint = ": `ollama ps` shows what it runs, try again later" if is_ollama else ""
            return ModelError("busy", f"{model} is busy{hint}.", retry_after_s=retry_after_s)
        case 400 | 422 if _SCHEMA_REFUSED.search(text) and not is_ollama:
            return ModelError("schema_refused", f"{model} cannot enforce the form of a reply.")
        case _ if status >= 500:
            return ModelError("server_error", f"The server of {model} failed: {text}")
        case _:
            return ModelError("refused", f"The server of {model} refused the request: {text}")


def _key(provider: str) -> str:
    return {"huggingface": "HF_TOKEN", "openai": "OPENAI_API_KEY"}.get(provider, "the token")


def _no_credit(model: str) -> str:
    return f"The credit for {model} is used up: add some, or choose another model."


def _no_server(model: str) -> str:
    match model.partition(":")[0]:
        case "ollama":
            return f"No Ollama answers for {model}: start it with `ollama serve`."
        case "embedded":
            return f"{model} has stopped: start the app again."
        case "openai":
            return f"No server answers for {model}: check OPENAI_BASE_URL and the network."
        case _:
            return f"No server answers for {model}: check the network."


def _too_little_memory(model: str) -> str:
    smaller = " (`ollama pull llama3.2:1b`)" if model.startswith("ollama:") else ""
    return (
        f"There is too little memory for {model}: close programs, set AGENT_NUM_CTX lower, or "
        f"choose a smaller model{smaller}."
    )


def _retry_after(error: BaseException) -> float | None:
    """Seconds, from either form that HTTP allows: a number or a date (RFC 9110, 10.2.3)."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    value = headers.get("retry-after", "")
    try:
        return max(float(value), 0.0)
    except ValueError:
        pass
    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError):
        return None
