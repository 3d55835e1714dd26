"""One look at an image by a model that sees."""

import threading
from base64 import b64encode
from collections.abc import Callable
from typing import TYPE_CHECKING

from agent.budget import Budget
from agent.config import Settings
from agent.llm import ollama
from agent.llm.aside import aside
from agent.llm.names import ModelName
from agent.llm.providers import ChatModel, NoModelError, connect
from agent.obs.events import Event

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

ROLE = "vision"
_DESCRIBE = (
    "Describe this image for somebody who cannot see it. Copy text and numbers exactly. Of a "
    "board, chart, table or diagram say what stands where. Say only what is to be seen, as briefly "
    "as its content allows."
)


def connect_seeing(settings: Settings, stop: threading.Event) -> ChatModel:
    """The model that ``AGENT_VISION_MODEL`` names.

    Raises:
        ModelNameError: the name cannot be understood.
        NoModelError: the model cannot be had, or is known not to see.
    """
    model = ModelName.parse(settings.vision_model)
    if model.provider == "embedded":
        raise NoModelError(_blind(model))
    connected = connect(settings, str(model), progress=lambda text, fraction: None, stop=stop)
    if model.provider == "ollama" and not ollama.sees(settings, model):
        raise NoModelError(_blind(model))
    return connected


def describe(
    model: ChatModel,
    jpeg: bytes,
    question: str,
    *,
    budget: Budget,
    emit: Callable[[Event], None],
    stop: threading.Event,
) -> str:
    """What ``model`` says of an image, for a ``question`` if there is one. One charged call.

    Raises:
        ModelError: the model gave no description.
        BudgetExceededError: the call could not be paid for.
        RunStopped: the user stopped the run.
    """
    prompt = f"{_DESCRIBE}\nIt is to answer: {question}" if question else _DESCRIBE
    messages = _messages(prompt, jpeg)
    text, is_whole = aside(model, messages, ROLE, budget=budget, emit=emit, stop=stop)
    return text if is_whole else f"{text} [cut off here]"


def _messages(prompt: str, jpeg: bytes) -> "list[BaseMessage]":
    from langchain_core.messages import HumanMessage

    address = f"data:image/jpeg;base64,{b64encode(jpeg).decode()}"
    image = {"type": "image_url", "image_url": {"url": address}}
    return [HumanMessage([{"type": "text", "text": prompt}, image])]


def _blind(model: ModelName) -> str:
    return f"{model} cannot see: set AGENT_VISION_MODEL to one that can (ollama:llama3.2-vision)."
