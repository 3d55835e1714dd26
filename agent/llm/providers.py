"""From a model's name to something that can be called."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agent.config import DEFAULT_MODEL, Settings
from agent.llm.names import AskedModel, ModelName
from agent.obs.metrics import Price

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

Progress = Callable[[str, float | None], None]
"""Told what is being waited for, and how much of it is done (0 to 1, None if unknown)."""

FALLBACK_NOTICE = (
    "A small fallback model is answering, because no Ollama was found. For better answers install "
    "Ollama from https://ollama.com, run `ollama pull llama3.2:3b`, and ask again."
)


class NoModelError(Exception):
    """No model can be used; the message is one sentence that says what to do."""


@dataclass
class Enforcement:
    """How a server is made to hold replies to a schema, and whether it has refused to.

    Called with a JSON schema it gives the arguments of the call.
    """

    arguments: Callable[[dict[str, Any]], dict[str, Any]]
    refused: bool = False

    def __call__(self, schema: dict[str, Any]) -> dict[str, Any]:
        return {} if self.refused else self.arguments(schema)


@dataclass(frozen=True)
class ChatModel:
    """A model ready to be called.

    ``constrain`` makes the provider enforce a JSON schema; ``count_tokens`` is the model's own
    tokenizer where it can be asked, else None; ``counts_whole_prompts`` says that the prompt size
    which the server reports includes what it had cached; ``price`` is what its calls are reckoned
    at; ``notice`` is what the user should know about this model.
    """

    name: str
    client: "BaseChatModel"
    constrain: Enforcement
    num_ctx: int
    num_predict: int
    count_tokens: Callable[[str], int] | None = None
    counts_whole_prompts: bool = True
    price: Price = field(default_factory=Price)
    notice: str = ""


def connect(
    settings: Settings, name: AskedModel = "", *, progress: Progress, stop: threading.Event
) -> ChatModel:
    """The model called ``name``, or the one the settings ask for, or else what there is.

    May fetch and load a model file, which ``progress`` hears about and ``stop`` ends.

    Raises:
        ModelNameError: the name cannot be understood.
        NoModelError: the model cannot be had.
        RunStopped: ``stop`` was set while waiting.
    """
    from agent.llm import ollama, openai

    asked = name or settings.model
    model = ModelName.parse(asked or DEFAULT_MODEL)
    if not asked and not ollama.reachable(settings):
        return openai.embedded(settings, "", FALLBACK_NOTICE, progress, stop)
    match model.provider:
        case "ollama":
            return ollama.connect(settings, model)
        case "embedded":
            return openai.embedded(settings, model.name, "", progress, stop)
        case "openai" | "huggingface":
            return openai.hosted(settings, model)
