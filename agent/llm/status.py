"""Whether a model can answer, found out without calling it: for the status chip and the doctor."""

from dataclasses import dataclass
from typing import Literal

from agent.config import DEFAULT_MODEL, Settings
from agent.llm import ollama
from agent.llm.names import AskedModel, ModelName, ModelNameError
from agent.llm.providers import NoModelError

ModelState = Literal["ready", "fallback", "missing", "unreachable"]


@dataclass(frozen=True)
class ModelStatus:
    """``text`` says in a few words how it stands with ``model``, ``fix`` what would help; ``pull``
    is what a download of it would fetch, where that would help."""

    model: str
    state: ModelState
    text: str
    fix: str = ""
    pull: str = ""


def model_status(settings: Settings, name: AskedModel = "") -> ModelStatus:
    """How it stands with the model called ``name``, or with the one that would be used.

    Takes about a second at most; a model that has to be fetched first counts as ready.
    """
    asked = name or settings.model
    try:
        model = ModelName.parse(asked or DEFAULT_MODEL)
    except ModelNameError as error:
        return ModelStatus(str(asked), "missing", "Unknown model", str(error))
    if not asked and not ollama.reachable(settings):
        return ModelStatus(
            "embedded",
            "fallback",
            "No Ollama found: a small fallback model answers",
            "For better answers install Ollama (https://ollama.com) and run "
            "`ollama pull llama3.2:3b`.",
        )
    match model.provider:
        case "ollama":
            return _ollama(settings, model)
        case "embedded":
            return ModelStatus(str(model), "ready", "Runs inside this app")
        case _:
            return _hosted(settings, model)


def _ollama(settings: Settings, model: ModelName) -> ModelStatus:
    try:
        have = ollama.installed(settings)
    except NoModelError as error:
        return ModelStatus(str(model), "unreachable", "Ollama does not answer", str(error))
    try:
        ollama.check_version(settings)
    except NoModelError as error:
        return ModelStatus(str(model), "missing", "Ollama is too old", str(error))
    if not ollama.has(model, have):
        text = f"Ollama is running, but has no {model.name}"
        fix = ollama.how_to_get(model, have)
        return ModelStatus(str(model), "missing", text, fix, pull=model.name)
    return ModelStatus(str(model), "ready", "Ollama is ready")


def _hosted(settings: Settings, model: ModelName) -> ModelStatus:
    from agent.llm.openai import endpoint

    try:
        endpoint(settings, model)
    except NoModelError as error:
        return ModelStatus(str(model), "missing", "A token is missing", str(error))
    return ModelStatus(str(model), "ready", "Hosted model")
