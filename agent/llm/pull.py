"""Getting a model before it is asked for, wherever it runs."""

import threading

from agent.config import Settings
from agent.llm import ollama
from agent.llm.catalogue import find
from agent.llm.download import fetch
from agent.llm.names import ModelName
from agent.llm.providers import NoModelError, Progress


def pull(settings: Settings, name: str, progress: Progress, stop: threading.Event) -> None:
    """Download the model called ``name``: through Ollama, or as a file for the embedded server.

    Raises:
        ModelNameError: the name cannot be understood.
        NoModelError: the model cannot be had, or its provider has nothing to download.
        RunStopped: ``stop`` was set.
    """
    model = ModelName.parse(name)
    match model.provider:
        case "ollama":
            ollama.pull(settings, model.name, progress, stop)
        case "embedded":
            fetch(find(model.name), settings.models_dir, progress, stop, settings)
        case provider:
            raise NoModelError(f"Models of {provider} run elsewhere: nothing to download.")
