"""What people read when a model cannot be used: one sentence with what to do about it."""

import time
from email.utils import formatdate
from typing import Any

import pytest

from agent.llm.errors import FATAL, TRANSIENT, ModelError, explain
from tests.llm.asking import Asking, connected, settings_with
from tests.servers.behaviours import (
    Behaviour,
    Cut,
    ErrorInStream,
    Garbage,
    HangUp,
    HttpError,
    Load,
    Refuse,
)
from tests.servers.ollama import BUSY, OUT_OF_MEMORY, ScriptedOllama
from tests.servers.openai import (
    HF_CREDITS_SPENT,
    HF_INVALID_TOKEN,
    INVALID_KEY,
    LOADING,
    QUOTA_SPENT,
    RATE_LIMITED,
    ScriptedOpenAI,
)

OLLAMA: dict[str, tuple[Behaviour, str, str]] = {
    "down": (Refuse(), "unreachable", "`ollama serve`"),
    "without the model": (
        HttpError(404, "model 'x' not found"),
        "missing_model",
        "`ollama pull llama3.2:3b`",
    ),
    "out of memory": (OUT_OF_MEMORY, "out_of_memory", "`ollama pull llama3.2:1b`"),
    "out of memory in the stream": (
        ErrorInStream("cudaMalloc failed: out of memory"),
        "out_of_memory",
        "AGENT_NUM_CTX",
    ),
    "killed": (
        HttpError(500, "llama runner process has terminated: signal: killed"),
        "out_of_memory",
        "close programs",
    ),
    "busy": (BUSY, "busy", "`ollama ps`"),
    "a bad request": (HttpError(400, "invalid options"), "refused", "invalid options"),
    "an error of its own": (HttpError(500, "boom"), "server_error", "boom"),
    "a proxy's page": (HttpError(502, b"<html>Bad gateway</html>"), "server_error", "failed"),
    "cut off": (Cut("{" * 90, 50), "cut", "lost in mid-answer"),
    "hung up": (HangUp(), "cut", "lost in mid-answer"),
    "only loaded": (Load(), "empty", "empty answer"),
    "an error in the stream": (ErrorInStream("unexpected EOF"), "server_error", "unexpected EOF"),
    "not the protocol": (Garbage(b"upstream gone\n"), "server_error", "failed"),
}

HOSTED: dict[str, tuple[Behaviour, str, str]] = {
    "down": (Refuse(), "unreachable", "OPENAI_BASE_URL"),
    "a wrong key": (INVALID_KEY, "unauthorized", "OPENAI_API_KEY"),
    "a wrong token": (HF_INVALID_TOKEN, "unauthorized", "refused the key"),
    "not for this key": (HttpError(403, "gated"), "unauthorized", "ask for access"),
    "no credit": (HF_CREDITS_SPENT, "payment", "used up"),
    "no quota": (QUOTA_SPENT, "payment", "used up"),
    "too fast": (RATE_LIMITED, "rate_limited", "asks to wait 1 seconds"),
    "an unknown model": (HttpError(404, "no such model"), "missing_model", "check the name"),
    "still loading": (LOADING, "busy", "is busy"),
    "no schemas": (
        HttpError(400, "Unrecognized request argument: response_format"),
        "schema_refused",
        "cannot enforce",
    ),
    "a schema it dislikes": (
        HttpError(400, "Invalid schema for response_format 'step'"),
        "schema_refused",
        "cannot enforce",
    ),
    "a bad request": (HttpError(400, "messages too long"), "refused", "messages too long"),
    "cut off": (Cut("{" * 90, 50), "cut", "lost in mid-answer"),
    "hung up": (HangUp(), "cut", "lost in mid-answer"),
    "an error in the stream": (ErrorInStream("boom"), "server_error", "boom"),
}


def error_of(asking: Asking) -> ModelError:
    """What one charged call raises, before it is decided whether to try again."""
    with pytest.raises(ModelError) as raised:
        asking.conversation.add("hello")
        asking.conversation._flush()
        asking.conversation._attempt(schema(), "solver", asking.budget)
    return raised.value


def schema() -> Any:
    from agent.llm.structured import Schema
    from tests.llm.asking import Step

    return Schema(Step)


def check(error: ModelError, kind: str, hint: str) -> None:
    assert error.kind == kind
    assert hint in str(error)
    assert "\n" not in str(error)
    assert len(str(error)) < 320


@pytest.mark.parametrize(("behaviour", "kind", "hint"), OLLAMA.values(), ids=OLLAMA)
def test_each_fault_of_ollama_is_named(behaviour: Behaviour, kind: str, hint: str) -> None:
    with ScriptedOllama([HttpError(500, "warm-up"), behaviour]) as server:
        asking = Asking(connected(settings_with(ollama_host=server.url)))
        error_of(asking)
        check(error_of(asking), kind, hint)


@pytest.mark.filterwarnings("ignore:Invalid schema")
@pytest.mark.parametrize(("behaviour", "kind", "hint"), HOSTED.values(), ids=HOSTED)
def test_each_fault_of_a_hosted_server_is_named(behaviour: Behaviour, kind: str, hint: str) -> None:
    with ScriptedOpenAI([behaviour]) as server:
        settings = settings_with(openai_base_url=server.base_url, openai_api_key="key")
        check(error_of(Asking(connected(settings, "openai:gpt-oss-20b"))), kind, hint)


def test_the_token_of_the_router_is_named() -> None:
    error = explain(_Status(401), "huggingface:meta-llama/Llama-3.2-3B-Instruct")
    assert "HF_TOKEN" in str(error)


def test_no_kind_is_both_passing_and_final() -> None:
    assert not TRANSIENT & FATAL


class _Status(Exception):
    def __init__(self, status: int, **headers: str) -> None:
        super().__init__("no")
        self.status_code = status
        self.response = type("Response", (), {"headers": headers})


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7), ("1.5", 1.5), ("-3", 0), ("soon", None), ("", None)],
)
def test_both_forms_of_retry_after_are_read(value: str, seconds: float | None) -> None:
    assert explain(_Status(429, **{"retry-after": value}), "openai:x").retry_after_s == seconds


def test_a_date_of_retry_after_is_read() -> None:
    date = formatdate(time.time() + 100, usegmt=True)
    wait = explain(_Status(503, **{"retry-after": date}), "openai:x").retry_after_s
    assert wait is not None
    assert 50 < wait <= 100
