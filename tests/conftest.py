"""What every test relies on: nothing outside this machine is reached."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A busy machine is no failure of what is tested.
settings.register_profile("project", deadline=None)
settings.load_profile("project")

_LOOPBACK = {"127.0.0.1", "localhost", "::1", "0.0.0.0", "::", "", None}


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Only loopback can be looked up."""
    lookup = socket.getaddrinfo

    def loopback_only(host: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name in _LOOPBACK or str(name).startswith("127."):
            return lookup(host, *args, **kwargs)
        raise socket.gaierror(socket.EAI_AGAIN, "no network in tests")

    monkeypatch.setattr(socket, "getaddrinfo", loopback_only)
    yield


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the person who runs the tests changes what is tested."""
    import os

    for name in list(os.environ):
        if name.startswith(("AGENT_", "OLLAMA_", "OPENAI_", "HF_", "LANGSMITH_", "LANGCHAIN_")):
            monkeypatch.delenv(name)
    for name in ("SEARXNG_URL", "TAVILY_API_KEY", "SPACE_ID", "SYSTEM", "SCORING_API_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def embedded_model() -> Path:
    """The real embedded model's file, fetched once as the application does it, and kept."""
    from agent.config import Settings
    from agent.llm.catalogue import DEFAULT
    from agent.llm.download import fetch

    settings = Settings()
    return fetch(DEFAULT, settings.models_dir, lambda *_: None, None, settings)
