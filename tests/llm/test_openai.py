"""Servers that speak OpenAI's protocol: what they are sent, and what is kept of what they say."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from agent.llm.names import ModelName
from agent.llm.openai import endpoint, hosted
from agent.llm.providers import NoModelError
from tests.llm.asking import STEP, Asking, connected, settings_with
from tests.servers.behaviours import Garbage, Reply
from tests.servers.openai import ScriptedOpenAI

NAME = "openai:gpt-oss-20b"


def asking_of(server: ScriptedOpenAI, **fields: Any) -> Asking:
    given = {"openai_base_url": server.base_url, "openai_api_key": "key", **fields}
    return Asking(connected(settings_with(**given), NAME))


def test_what_is_sent() -> None:
    with ScriptedOpenAI([Reply(STEP)], api_key="key") as server:
        asking = asking_of(server)
        assert asking.ask().answer == "391"
        (request,) = server.chats
    wanted = request.body["response_format"]["json_schema"]
    assert wanted["strict"] is True
    assert wanted["schema"]["properties"]["action"]["const"] == "finish"
    assert request.body["max_completion_tokens"] == 400
    assert request.body["temperature"] == 0
    assert request.headers["authorization"] == "Bearer key"


def test_every_attempt_is_one_request() -> None:
    with ScriptedOpenAI([Garbage(b""), Reply(STEP)]) as server:
        asking = asking_of(server)
        asking.ask()
        assert server.chat_count == len(asking.records) == 2


def test_a_local_server_needs_no_key() -> None:
    with ScriptedOpenAI([Reply(STEP)]) as server:
        assert asking_of(server, openai_api_key="").ask().answer == "391"


def test_timings_of_llama_cpp_are_told() -> None:
    stream = (
        b'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":'
        b'[{"index":0,"delta":{"content":"{\\"thought\\":\\"x\\",\\"action\\":\\"finish\\",'
        b'\\"answer\\":\\"1\\"}"}}]}\n\n'
        b'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":'
        b'[{"index":0,"delta":{},"finish_reason":"stop"}],"timings":{"prompt_n":10,'
        b'"prompt_ms":250.0,"predicted_n":20,"predicted_ms":500.0}}\n\ndata: [DONE]\n\n'
    )
    with ScriptedOpenAI([Garbage(stream)]) as server:
        asking = asking_of(server)
        assert asking.ask().answer == "1"
    (record,) = asking.records
    assert (record.prompt_seconds, record.generation_seconds) == (0.25, 0.5)


def test_where_hosted_models_are() -> None:
    router = ModelName("huggingface", "org/x")
    with pytest.raises(NoModelError, match="HF_TOKEN"):
        endpoint(settings_with(), router)
    url, token = endpoint(settings_with(hf_token="t"), router)
    assert (url, token.get_secret_value()) == ("https://router.huggingface.co/v1", "t")
    own = replace(router, token=SecretStr("visitor"))
    assert endpoint(settings_with(hf_token="t"), own)[1].get_secret_value() == "visitor"
    assert own == router and "visitor" not in f"{own!r} {own}"
    with pytest.raises(NoModelError, match="OPENAI_API_KEY"):
        endpoint(settings_with(), ModelName("openai", "x"))


@pytest.mark.parametrize(
    ("base_url", "name", "basis"),
    [
        ("https://api.openai.com/v1", "gpt-4o-mini", "list price"),
        ("https://api.openai.com/v1", "gpt-of-tomorrow", "simulated"),
        ("http://127.0.0.1:8000/v1", "gpt-4o-mini", "simulated"),
    ],
)
def test_a_list_price_is_the_hosts_own(base_url: str, name: str, basis: str) -> None:
    settings = settings_with(openai_base_url=base_url, openai_api_key="key")
    price = hosted(settings, ModelName("openai", name)).price
    assert price.basis == basis
    if basis == "list price":
        assert price.of(1_000_000, 0, 1_000_000) == 0.15 + 0.60
        assert price.of(1_000_000, 1_000_000, 0) == 0.075


def test_a_key_is_not_shown_by_whoever_prints_the_model() -> None:
    with ScriptedOpenAI([Reply(STEP)]) as server:
        assert "sk-secret" not in repr(asking_of(server, openai_api_key="sk-secret").model)
