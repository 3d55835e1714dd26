"""The scripted Ollama, and what langchain-ollama and ollama make of each of its behaviours."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import ollama
import pydantic
import pytest
from langchain_ollama import ChatOllama

from tests.servers.behaviours import (
    Behaviour,
    Cut,
    Drip,
    Empty,
    ErrorInStream,
    Garbage,
    HangUp,
    HttpError,
    Load,
    NoDone,
    Refuse,
    Reply,
    Silence,
    WhitespaceForEver,
)
from tests.servers.observe import Seen, observe
from tests.servers.ollama import (
    BUSY,
    NO_TOOLS,
    NOT_IN_LIBRARY,
    OUT_OF_MEMORY,
    Pull,
    ScriptedOllama,
)
from tests.servers.schema import valid_for

SCHEMA = {
    "type": "object",
    "properties": {"thought": {"type": "string"}, "action": {"enum": ["calculator", "finish"]}},
    "required": ["thought", "action"],
}
STEP = {"thought": "391", "action": "finish"}
TEXT = json.dumps(STEP)
CHAT = {"model": "llama3.2:3b", "messages": [{"role": "user", "content": "What is 17*23?"}]}


def chat_model(server: ScriptedOllama, timeout: float = 60.0, **options: Any) -> ChatOllama:
    """The client as the project uses it; ``timeout`` is seconds for each read."""
    usual = {"model": "llama3.2:3b", "format": SCHEMA, "num_predict": 30}
    return ChatOllama(
        base_url=server.url, client_kwargs={"timeout": timeout}, **{**usual, **options}
    )


FACTS: dict[str, tuple[Behaviour, Seen]] = {
    "a reply": (Reply(STEP), Seen(TEXT, "stop")),
    "a truncated reply": (Reply(TEXT[:20], done_reason="length"), Seen(TEXT[:20], "length")),
    "an empty reply": (Empty(), Seen("", "stop")),
    "whitespace up to num_predict": (WhitespaceForEver(), Seen("{" + "\n" * 29, "length")),
    "an end without done": (NoDone(STEP), Seen(TEXT, None)),
    "only a load": (Load(), Seen(error=ValueError)),
    "no body": (Garbage(b""), Seen(error=ValueError)),
    "not JSON": (Garbage(b"upstream gone\n"), Seen(error=json.JSONDecodeError)),
    "JSON that is no object": (Garbage(b"[]\n"), Seen(error=AttributeError)),
    "JSON of the wrong shape": (
        Garbage(b'{"message": 3}\n'),
        Seen(error=pydantic.ValidationError),
    ),
    "an error in mid-stream": (
        ErrorInStream("unexpected EOF", STEP),
        Seen(TEXT, None, ollama.ResponseError, -1),
    ),
    "a reset in mid-stream": (Cut(STEP, 20), Seen(TEXT[:20], None, httpx.ReadError)),
    "a server that dies in mid-stream": (
        Cut(STEP, 20, reset=False),
        Seen(TEXT[:20], None, httpx.RemoteProtocolError),
    ),
    "a connection closed with no response": (HangUp(), Seen(error=httpx.RemoteProtocolError)),
    "a refused connection": (Refuse(), Seen(error=httpx.ConnectError)),
    "not found": (HttpError(404, "model 'x' not found"), Seen("", None, ollama.ResponseError, 404)),
    "a bad request": (NO_TOOLS, Seen("", None, ollama.ResponseError, 400)),
    "out of memory": (OUT_OF_MEMORY, Seen("", None, ollama.ResponseError, 500)),
    "busy": (BUSY, Seen("", None, ollama.ResponseError, 503)),
    "a proxy's page": (
        HttpError(502, b"<html>Bad gateway</html>"),
        Seen("", None, ollama.ResponseError, 502),
    ),
}


@pytest.mark.parametrize(("behaviour", "seen"), FACTS.values(), ids=FACTS)
def test_what_the_client_sees(behaviour: Behaviour, seen: Seen) -> None:
    with ScriptedOllama([behaviour]) as server:
        assert observe(chat_model(server)) == seen
        assert server.chat_count == (0 if isinstance(behaviour, Refuse) else 1)


def test_the_read_timeout_ends_a_silence() -> None:
    with ScriptedOllama([Silence(3600)]) as server:
        assert observe(chat_model(server, timeout=0.1)) == Seen(error=httpx.ReadTimeout)
        server.wait_until(lambda: server.closed_early == 1)


def test_a_silence_ends_with_what_comes_then() -> None:
    with ScriptedOllama([Silence(0.01, BUSY), Silence(0.01, Reply("late"))]) as server:
        assert observe(chat_model(server)).status == 503
        assert observe(chat_model(server)) == Seen("late", "stop")


def test_only_a_deadline_ends_a_drip() -> None:
    with ScriptedOllama([Drip(STEP, 0.02)]) as server:
        seen = observe(chat_model(server, timeout=1.0), deadline=1.5)
        assert seen == Seen(error=TimeoutError)
        server.wait_until(lambda: server.closed_early == 1)


def test_a_drip_is_a_whole_reply() -> None:
    with ScriptedOllama([Drip(STEP, 0)]) as server:
        assert observe(chat_model(server)) == Seen(TEXT, "stop")


def test_the_end_carries_counts_and_durations() -> None:
    with ScriptedOllama([Reply("x" * 80, prompt_tokens=1234)]) as server:
        message = chat_model(server).invoke("hello")
    assert message.usage_metadata == {
        "input_tokens": 1234,
        "output_tokens": 20,
        "total_tokens": 1254,
    }
    assert message.response_metadata["total_duration"] > message.response_metadata["eval_duration"]


@pytest.mark.parametrize(
    ("reasoning", "text", "thoughts"),
    [
        (None, "<think>\n17*23\n</think>\n\n391", None),
        (True, "391", "17*23"),
        (False, "391", None),
    ],
)
def test_where_thoughts_go(reasoning: bool | None, text: str, thoughts: str | None) -> None:
    with ScriptedOllama([Reply("391", thinking="17*23")]) as server:
        message = chat_model(server, reasoning=reasoning).invoke("What is 17*23?")
    assert message.content == text
    assert message.additional_kwargs.get("reasoning_content") == thoughts


def test_no_thoughts_are_sent_to_who_asked_for_none() -> None:
    with ScriptedOllama([Reply("391", thinking="17*23")]) as server:
        response = httpx.post(f"{server.url}/api/chat", json={**CHAT, "think": False})
        assert "17*23" not in response.text


def test_a_reply_comes_in_chunks() -> None:
    with ScriptedOllama([Reply("abcdef", chunk=2, pause=0.001)]) as server:
        chunks = [chunk.text for chunk in chat_model(server).stream("hello")]
    assert [text for text in chunks if text] == ["ab", "cd", "ef"]


def test_behaviours_are_taken_in_order_and_the_last_repeats() -> None:
    with ScriptedOllama([BUSY, Reply("one"), Reply("two")]) as server:
        seen = [observe(chat_model(server)) for _ in range(4)]
    assert [s.status or s.text for s in seen] == [503, "one", "two", "two"]


def test_a_script_can_end() -> None:
    with ScriptedOllama([Reply("one")], repeat_last=False) as server:
        assert observe(chat_model(server)).text == "one"
        assert observe(chat_model(server)).status == 500


def test_a_callable_answers_by_the_schema_on_offer() -> None:
    with ScriptedOllama(lambda request: Reply(valid_for(request.schema))) as server:
        text = observe(chat_model(server)).text
        assert json.loads(text) == {"thought": "", "action": "calculator"}
        assert server.chats[0].messages[0]["content"] == "What is 17*23?"


def test_what_the_protocol_objects_to_takes_no_behaviour() -> None:
    with ScriptedOllama([Reply("one")], repeat_last=False) as server:
        missing = observe(chat_model(server, model="nope"))
        assert missing == Seen("", None, ollama.ResponseError, 404)
        bad_format = httpx.post(f"{server.url}/api/chat", json={**CHAT, "format": "yaml"})
        assert bad_format.status_code == 400
        assert observe(chat_model(server)).text == "one"
        assert server.chat_count == 3


def test_refusing_later_ends_kept_connections_too() -> None:
    with (
        ScriptedOllama([Reply("one"), Refuse()]) as server,
        httpx.Client(base_url=server.url) as idle,
        httpx.Client(base_url=server.url) as client,
    ):
        assert idle.get("/api/version").is_success
        assert client.post("/api/chat", json=CHAT).is_success
        for each in (client, idle):
            with pytest.raises(httpx.ConnectError):
                each.post("/api/chat", json=CHAT)
        assert server.chat_count == 1


def test_leaving_stops_at_once_and_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    with ThreadPoolExecutor() as pool:
        with ScriptedOllama([Silence(3600)]) as server, httpx.Client() as idle:
            idle.get(server.url)
            waiting = pool.submit(observe, chat_model(server))
            server.wait_for(1)
        assert waiting.result().error is httpx.RemoteProtocolError
    assert server.closed_early == 0
    assert set(threading.enumerate()) == before


def test_cancelling_closes_the_response() -> None:
    async def cancel(server: ScriptedOllama, model: ChatOllama) -> None:
        task = asyncio.create_task(model.ainvoke("hello"))
        await asyncio.to_thread(server.wait_for, 1)
        task.cancel()
        await asyncio.to_thread(server.wait_until, lambda: server.closed_early == 1)

    for behaviour in (Silence(3600), Reply("x" * 9999, chunk=1, pause=0.01), Drip(STEP, 0.01)):
        with ScriptedOllama([behaviour]) as server:
            asyncio.run(cancel(server, chat_model(server)))


def test_requests_at_once_are_all_recorded() -> None:
    script = (Reply(str(n), chunk=9) for n in range(20))
    with ScriptedOllama(script) as server, httpx.Client() as client:

        def ask(_: int) -> str:
            response = client.post(f"{server.url}/api/chat", json=CHAT)
            return str(json.loads(response.text.splitlines()[0])["message"]["content"])

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(ask, range(20)))
        assert sorted(answers, key=int) == [str(n) for n in range(20)]
        assert server.chat_count == 20


def test_waiting_in_vain_raises() -> None:
    with ScriptedOllama([Reply("one")]) as server, pytest.raises(TimeoutError):
        server.wait_for(1, timeout=0.01)


def test_the_client_checks_the_model_when_asked() -> None:
    with ScriptedOllama([Reply("ok")]) as server:
        assert chat_model(server, validate_model_on_init=True)
        with pytest.raises(ValueError, match="nope"):
            chat_model(server, model="nope", validate_model_on_init=True)
    with ScriptedOllama([Refuse()]) as server, pytest.raises(ConnectionError):
        chat_model(server, validate_model_on_init=True)


def test_what_ollama_tells_about_itself() -> None:
    with ScriptedOllama([Reply("ok")], models=("llama3.2:3b", "qwen3:latest")) as server:
        client = ollama.Client(server.url)
        assert httpx.get(server.url).text == "Ollama is running"
        assert httpx.head(server.url).is_success
        assert httpx.get(f"{server.url}/api/version").json()["version"] == "0.12.6"
        assert httpx.get(f"{server.url}/api/nope").status_code == 404
        assert [model.model for model in client.list().models] == ["llama3.2:3b", "qwen3:latest"]
        shown = client.show("qwen3")
        assert shown.capabilities == ["completion", "tools"]
        assert shown.modelinfo is not None
        assert shown.modelinfo["llama.context_length"] == 131_072
        with pytest.raises(ollama.ResponseError, match="'nope' not found"):
            client.show("nope")


def test_a_loaded_model_is_listed_with_its_context() -> None:
    with ScriptedOllama([Reply("ok")], repeat_last=False) as server:
        client = ollama.Client(server.url)
        assert client.ps().models == []
        loaded = client.chat("llama3.2:3b", options={"num_ctx": 8192})
        assert loaded.done_reason == "load"
        assert client.ps().models[0].context_length == 8192
        assert server.chat_count == 0


def test_a_pull_reports_progress_and_adds_the_model() -> None:
    with ScriptedOllama([Reply("ok")], models=(), pulls=[Pull(total=100, steps=2)]) as server:
        client = ollama.Client(server.url)
        lines = list(client.pull("llama3.2:3b", stream=True))
        assert [line.completed for line in lines if line.completed] == [50, 100]
        assert lines[-1].status == "success"
        assert [model.model for model in client.list().models] == ["llama3.2:3b"]


def test_a_pull_that_was_cut_goes_on_from_there() -> None:
    pulls = [Pull(total=100, steps=4, cut_after=1), Pull(total=100, steps=4)]
    with ScriptedOllama([Reply("ok")], models=(), pulls=pulls) as server:
        client = ollama.Client(server.url)
        with pytest.raises(httpx.ReadError):
            list(client.pull("llama3.2:3b", stream=True))
        assert server.models == []
        lines = list(client.pull("llama3.2:3b", stream=True))
        assert [line.completed for line in lines if line.completed] == [50, 75, 100]


def test_a_pull_of_an_unknown_name_fails_in_the_stream() -> None:
    with ScriptedOllama([Reply("ok")], pulls=[NOT_IN_LIBRARY]) as server:
        with pytest.raises(ollama.ResponseError, match="file does not exist"):
            list(ollama.Client(server.url).pull("nope", stream=True))
        assert server.models == ["llama3.2:3b"]


def test_round_trip(benchmark: Any) -> None:
    """The bare cost of asking this server, beside which the project's own overhead is read."""
    with ScriptedOllama([Reply(STEP)]) as server, httpx.Client() as client:
        assert benchmark(client.post, f"{server.url}/api/chat", json=CHAT).is_success
