"""The scripted chat completions server, and what langchain-openai makes of its behaviours."""

import asyncio
import json
from typing import Any

import httpx
import openai
import pydantic
import pytest
from langchain_openai import ChatOpenAI
from langchain_openai.chat_models import base as langchain_openai

from tests.servers.behaviours import (
    Behaviour,
    Cut,
    Drip,
    Empty,
    ErrorInStream,
    Garbage,
    HangUp,
    HttpError,
    NoDone,
    Refuse,
    Reply,
    Silence,
    WhitespaceForEver,
)
from tests.servers.observe import Seen, observe
from tests.servers.openai import (
    HF_CREDITS_SPENT,
    HF_INVALID_TOKEN,
    LOADING,
    QUOTA_SPENT,
    RATE_LIMITED,
    ScriptedOpenAI,
)
from tests.servers.schema import valid_for

SCHEMA = {
    "type": "object",
    "properties": {"action": {"enum": ["calculator", "finish"]}, "answer": {"type": "string"}},
    "required": ["action", "answer"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "step", "schema": SCHEMA, "strict": True}}
STEP = {"action": "finish", "answer": "391"}
TEXT = json.dumps(STEP)


def chat_model(server: ScriptedOpenAI, timeout: float = 60.0, **options: Any) -> ChatOpenAI:
    """A client that asks for the schema without langchain-openai's own parsing of the answer."""
    usual: dict[str, Any] = {
        "model": "gpt-oss-20b",
        "api_key": "key",
        "max_retries": 0,
        "max_tokens": 30,
        "stream_usage": True,
        "stream_chunk_timeout": None,
        "extra_body": {"response_format": FORMAT},
    }
    return ChatOpenAI(base_url=server.base_url, timeout=timeout, **{**usual, **options})


FACTS: dict[str, tuple[Behaviour, Seen]] = {
    "a reply": (Reply(STEP), Seen(TEXT, "stop")),
    "a truncated reply": (Reply(TEXT[:20], done_reason="length"), Seen(TEXT[:20], "length")),
    "an empty reply": (Empty(), Seen("", "stop")),
    "thoughts, which are lost": (Reply("391", thinking="17*23"), Seen("391", "stop")),
    "whitespace up to max_tokens": (WhitespaceForEver(), Seen("{" + "\n" * 29, "length")),
    "an end without a reason": (NoDone(STEP), Seen(TEXT, None)),
    "no body": (Garbage(b""), Seen(error=ValueError)),
    "no events": (Garbage(b"upstream gone\n"), Seen(error=ValueError)),
    "not JSON": (Garbage(b"data: {nope\n\n"), Seen(error=json.JSONDecodeError)),
    "JSON of the wrong shape": (Garbage(b"data: []\n\n"), Seen(error=AttributeError)),
    "an error in mid-stream": (
        ErrorInStream("out of memory", STEP),
        Seen(TEXT, None, openai.APIError),
    ),
    "a reset in mid-stream": (
        Cut(STEP, 20),
        Seen(TEXT[:20], None, langchain_openai.OpenAIConnectionError),
    ),
    "a server that dies in mid-stream": (
        Cut(STEP, 20, reset=False),
        Seen(TEXT[:20], None, langchain_openai.OpenAIConnectionError),
    ),
    "a connection closed with no response": (
        HangUp(),
        Seen(error=langchain_openai.OpenAIConnectionError),
    ),
    "a refused connection": (Refuse(), Seen(error=langchain_openai.OpenAIConnectionError)),
    "a wrong token": (
        HF_INVALID_TOKEN,
        Seen("", None, langchain_openai.OpenAIAuthenticationError, 401),
    ),
    "credits spent": (HF_CREDITS_SPENT, Seen("", None, openai.APIStatusError, 402)),
    "rate limited": (RATE_LIMITED, Seen("", None, langchain_openai.OpenAIRateLimitError, 429)),
    "quota spent": (QUOTA_SPENT, Seen("", None, langchain_openai.OpenAIRateLimitError, 429)),
    "not loaded yet": (LOADING, Seen("", None, langchain_openai.OpenAIAPIError, 503)),
    "a bad request": (
        HttpError(400, "no such field"),
        Seen("", None, langchain_openai.OpenAIInvalidRequestError, 400),
    ),
    "a proxy's page": (
        HttpError(502, b"<html>Bad gateway</html>"),
        Seen("", None, langchain_openai.OpenAIAPIError, 502),
    ),
}


@pytest.mark.parametrize(("behaviour", "seen"), FACTS.values(), ids=FACTS)
def test_what_the_client_sees(behaviour: Behaviour, seen: Seen) -> None:
    with ScriptedOpenAI([behaviour]) as server:
        assert observe(chat_model(server)) == seen
        assert server.chat_count == (0 if isinstance(behaviour, Refuse) else 1)


PARSED: dict[str, tuple[Behaviour, Seen]] = {
    "a reply": (Reply(STEP), Seen(TEXT, "stop")),
    "a truncated reply": (
        Reply(TEXT[:20], done_reason="length"),
        Seen(TEXT[:20], "length", openai.LengthFinishReasonError),
    ),
    "an empty reply": (Empty(), Seen("", "stop", pydantic.ValidationError)),
    "no body": (Garbage(b""), Seen(error=AssertionError)),
}


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize(("behaviour", "seen"), PARSED.values(), ids=PARSED)
def test_a_response_format_of_its_own_makes_the_client_parse_and_raise(
    behaviour: Behaviour, seen: Seen
) -> None:
    with ScriptedOpenAI([behaviour]) as server:
        model = chat_model(server, extra_body=None, model_kwargs={"response_format": FORMAT})
        assert observe(model) == seen


def test_the_read_timeout_ends_a_silence() -> None:
    with ScriptedOpenAI([Silence(3600)]) as server:
        seen = observe(chat_model(server, timeout=0.1))
        assert seen == Seen(error=langchain_openai.OpenAITimeoutError)
        server.wait_until(lambda: server.closed_early == 1)


def test_only_a_deadline_ends_a_drip() -> None:
    with ScriptedOpenAI([Drip(STEP, 0.02)]) as server:
        seen = observe(chat_model(server, timeout=1.0), deadline=1.5)
        assert seen == Seen(error=TimeoutError)
        server.wait_until(lambda: server.closed_early == 1)


def test_cancelling_closes_the_response_when_no_chunk_timeout_is_set() -> None:
    """With one, cancelling is lost now and then on Python 3.11, as ``asyncio.wait_for`` loses it
    when the awaited chunk arrives at that very moment."""

    async def cancel_in_mid_stream(server: ScriptedOpenAI, model: ChatOpenAI, after: int) -> None:
        async def read() -> None:
            async for _ in model.astream("hello"):
                if after == (seen := next(counted)):
                    reached.set()
                assert seen < 500, "read to the end"

        counted, reached = iter(range(1000)), asyncio.Event()
        task = asyncio.create_task(read())
        await reached.wait()
        task.cancel()
        await asyncio.to_thread(server.wait_until, lambda: server.closed_early == 1)

    for after in range(8):
        with ScriptedOpenAI([Reply("x" * 500, chunk=1, pause=0.002)]) as server:
            asyncio.run(cancel_in_mid_stream(server, chat_model(server), after))


def test_usage_says_what_came_from_the_cache() -> None:
    with ScriptedOpenAI([Reply("x" * 80, prompt_tokens=1000, cached_tokens=900)]) as server:
        usage = chat_model(server).invoke("hello", stream=True).usage_metadata
    assert usage is not None
    assert (usage["input_tokens"], usage["output_tokens"]) == (1000, 20)
    assert usage["input_token_details"] == {"cache_read": 900}


def test_the_wait_asked_for_can_be_read() -> None:
    with (
        ScriptedOpenAI([RATE_LIMITED]) as server,
        pytest.raises(openai.RateLimitError) as raised,
    ):
        list(chat_model(server).stream("hello"))
    assert raised.value.response.headers["retry-after"] == "1"


def test_a_callable_answers_by_the_schema_on_offer() -> None:
    with ScriptedOpenAI(lambda r: Reply(valid_for(r.schema, action="finish"))) as server:
        assert json.loads(observe(chat_model(server)).text) == {"action": "finish", "answer": ""}


def test_keys_and_model_names_are_checked() -> None:
    with ScriptedOpenAI([Reply("ok")], api_key="key", repeat_last=False) as server:
        with pytest.raises(openai.AuthenticationError):
            list(chat_model(server, api_key="other").stream("hello"))
        with pytest.raises(openai.NotFoundError):
            list(chat_model(server, model="nope").stream("hello"))
        assert observe(chat_model(server)) == Seen("ok", "stop")
        assert openai.OpenAI(base_url=server.base_url, api_key="key").models.list().data[0].id
        assert httpx.get(f"{server.base_url}/models").status_code == 401
        assert httpx.get(server.url).status_code == 404
