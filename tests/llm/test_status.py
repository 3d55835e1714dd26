"""The status chip: how it stands with the model, found out without calling it."""

from typing import Any

import pytest

from agent.llm.status import model_status
from tests.llm.asking import OLLAMA, settings_with
from tests.servers.behaviours import Reply
from tests.servers.ollama import ScriptedOllama

NOWHERE = {"ollama_host": "http://127.0.0.1:9"}


def test_no_ollama_and_nothing_asked_for_falls_back() -> None:
    status = model_status(settings_with(**NOWHERE))
    assert (status.state, status.model) == ("fallback", "embedded")
    assert "`ollama pull llama3.2:3b`" in status.fix


@pytest.mark.parametrize(
    ("server", "state", "fix"),
    [
        ({}, "ready", ""),
        ({"models": ()}, "missing", "`ollama pull llama3.2:3b`"),
        ({"version": "0.4.7"}, "missing", "ollama.com/download"),
    ],
)
def test_ollama(server: dict[str, Any], state: str, fix: str) -> None:
    with ScriptedOllama([Reply("ok")], **server) as running:
        status = model_status(settings_with(ollama_host=running.url))
        assert running.chat_count == 0
    assert (status.state, status.model) == (state, OLLAMA)
    assert fix in status.fix


@pytest.mark.parametrize(
    ("name", "fields", "state", "fix"),
    [
        (OLLAMA, NOWHERE, "unreachable", "`ollama serve`"),
        ("llama", {}, "missing", "ollama:llama"),
        ("embedded", {}, "ready", ""),
        ("huggingface:org/x", {}, "missing", "HF_TOKEN"),
        ("huggingface:org/x", {"hf_token": "t"}, "ready", ""),
        ("openai:x", {}, "missing", "OPENAI_API_KEY"),
        ("openai:x", {"openai_base_url": "http://127.0.0.1:9/v1"}, "ready", ""),
    ],
)
def test_by_name(name: str, fields: dict[str, Any], state: str, fix: str) -> None:
    status = model_status(settings_with(**fields), name)
    assert status.state == state
    assert fix in status.fix
