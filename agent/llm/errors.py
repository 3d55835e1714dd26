"""What can go wrong with a model, as one closed set with one sentence each for people."""

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
]

TRANSIENT: frozenset[ModelErrorKind] = frozenset(
    {"busy", "rate_limited", "server_error", "cut", "empty"}
)
"""The same call may succeed a moment later."""
FATAL: frozenset[ModelErrorKind] = frozenset(
    {"unreachable", "missing_model", "out_of_memory", "unauthorized", "payment", "refused"}
)
"""No further call to this model will succeed until somebody does something about it."""


class ModelError(Exception):
    """A model call that gave nothing usable. The message is one sentence, fit for the screen."""

    def __init__(
        self, kind: ModelErrorKind, message: str, *, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after_s = retry_after_s

    @property
    def fatal(self) -> bool:
        """Whether the run cannot go on with this model."""
        return self.kind in FATAL


def explain(error: BaseException, model: str) -> ModelError:
    """Turn whatever a client library raised into one sentence that says what to do.

    Understands httpx, ``ollama.ResponseError`` and ``openai.APIError``; the status codes are those
    that Ollama and OpenAI-compatible servers use.
    """
    import httpx

    if isinstance(error, ModelError):
        return error
    status = getattr(error, "status_code", None)
    text = str(error).strip() or type(error).__name__
    if isinstance(status, int) and status >= 400:
        return _explain_status(status, text, model, _retry_after(error))
    if "memory" in text.lower():
        return _out_of_memory(model)
    if isinstance(error, httpx.ConnectError | ConnectionRefusedError) or "Connection error" in text:
        return ModelError("unreachable", f"No server answers for {model}. Is it running?")
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return ModelError("timeout", f"{model} did not answer in time.")
    if isinstance(error, httpx.TransportError | ConnectionError):
        return ModelError("cut", f"The connection to {model} was lost in mid-answer.")
    if isinstance(error, ValueError) and "No data received" in text:
        return ModelError("empty", f"{model} sent an empty answer.")
    return ModelError("server_error", f"{model} failed: {text[:200]}")


def _explain_status(status: int, text: str, model: str, retry_after_s: float | None) -> ModelError:
    match status:
        case 404:
            hint = f" Run: ollama pull {model.removeprefix('ollama:')}" if "ollama" in model else ""
            return ModelError("missing_model", f"The server has no model {model}.{hint}")
        case 401 | 403:
            return ModelError("unauthorized", f"{model} refused the key: check the token.")
        case 402:
            return ModelError("payment", f"The credit for {model} is used up.")
        case 429:
            return ModelError(
                "rate_limited", f"{model} asks to slow down.", retry_after_s=retry_after_s
            )
        case 503:
            return ModelError("busy", f"{model} is busy.", retry_after_s=retry_after_s)
        case _ if "memory" in text.lower():
            return _out_of_memory(model)
        case _ if status >= 500:
            return ModelError("server_error", f"The model server failed: {text[:200]}")
        case _:
            return ModelError("refused", f"The model server refused the request: {text[:200]}")


def _out_of_memory(model: str) -> ModelError:
    return ModelError(
        "out_of_memory",
        f"There is too little memory for {model}: close programs or choose a smaller model.",
    )


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", {})
    value = headers.get("retry-after", "")
    return float(value) if value.isdigit() else None
