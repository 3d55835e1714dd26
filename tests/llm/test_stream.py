"""Giving up a stream: it ends at the server too, and leaves nothing behind."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from agent.budget import RunStopped
from agent.llm.errors import ModelError
from agent.llm.stream import _loop, drain, stream
from tests.llm.asking import STEP, connected, settings_with
from tests.servers.behaviours import Behaviour, Drip, ErrorInStream, Reply, Silence
from tests.servers.ollama import ScriptedOllama
from tests.servers.openai import ScriptedOpenAI

Server = ScriptedOllama | ScriptedOpenAI

ENDLESS: dict[str, Behaviour] = {
    "silent before the first byte": Silence(3600),
    "one byte at a time": Drip(STEP, 0.05),
    "slow chunks": Reply("x" * 9999, chunk=1, pause=0.02),
}
SERVERS: dict[str, Callable[[list[Behaviour]], Server]] = {
    "ollama": ScriptedOllama,
    "openai": ScriptedOpenAI,
}


def client_of(server: Server) -> Any:
    if isinstance(server, ScriptedOllama):
        return connected(settings_with(ollama_host=server.url)).client
    settings = settings_with(openai_base_url=server.base_url, openai_api_key="key")
    return connected(settings, "openai:gpt-oss-20b").client


def texts(client: Any, *, seconds: float = 30, stop: threading.Event | None = None) -> str:
    chunks = stream(client, "hello", seconds=seconds, stop=stop or threading.Event())  # type: ignore[arg-type]
    return "".join(chunk.text for chunk in chunks)


@pytest.mark.parametrize("kind", SERVERS)
@pytest.mark.parametrize("behaviour", ENDLESS.values(), ids=ENDLESS)
def test_stop_closes_the_response_at_the_server(kind: str, behaviour: Behaviour) -> None:
    with SERVERS[kind]([behaviour]) as server:
        stop = threading.Event()
        threading.Thread(target=lambda: (server.wait_for(1), stop.set()), daemon=True).start()
        with pytest.raises(RunStopped):
            texts(client_of(server), stop=stop)
        server.wait_until(lambda: server.closed_early == 1)


@pytest.mark.parametrize("kind", SERVERS)
@pytest.mark.parametrize("behaviour", ENDLESS.values(), ids=ENDLESS)
def test_the_deadline_closes_the_response_at_the_server(kind: str, behaviour: Behaviour) -> None:
    with SERVERS[kind]([behaviour]) as server:
        with pytest.raises(ModelError) as raised:
            texts(client_of(server), seconds=0.3)
        assert raised.value.kind == "timeout"
        server.wait_until(lambda: server.closed_early == server.chat_count)


def test_a_reader_that_breaks_off_closes_the_response() -> None:
    with ScriptedOllama([ENDLESS["slow chunks"]]) as server:
        chunks = stream(client_of(server), "hello", seconds=30, stop=threading.Event())  # type: ignore[arg-type]
        next(chunks)
        chunks.close()  # type: ignore[attr-defined]
        server.wait_until(lambda: server.closed_early == 1)


def open_tasks() -> int:
    async def count() -> int:
        return len(asyncio.all_tasks()) - 1

    return asyncio.run_coroutine_threadsafe(count(), _loop()).result()


def own_threads() -> set[str]:
    """Those of this process but for the scripted server's, which has one for each connection."""
    return {thread.name for thread in threading.enumerate() if "(_work)" not in thread.name}


def test_fifty_calls_leave_no_task_and_no_thread_behind() -> None:
    behaviours = [Reply(STEP), ErrorInStream("boom", STEP), Reply(STEP, chunk=1)]
    with ScriptedOllama(behaviours[n % 3] for n in range(50)) as server:
        client = client_of(server)
        texts(client)
        threads, tasks = own_threads(), open_tasks()
        for _ in range(49):
            chunks = stream(client, "hello", seconds=30, stop=threading.Event())  # type: ignore[arg-type]
            try:
                next(chunks)
                next(chunks)
            except Exception as error:
                assert "boom" in str(error)
            finally:
                chunks.close()  # type: ignore[attr-defined]
        assert server.chat_count == 50
        assert own_threads() <= threads
        while open_tasks() > tasks:
            continue


def test_calls_from_many_threads_share_one_loop() -> None:
    with ScriptedOllama([Reply("ok", chunk=1, pause=0.01)]) as server:
        client = client_of(server)
        answers: list[str] = []
        threads = [threading.Thread(target=lambda: answers.append(texts(client))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == ["ok"] * 8
    assert sum(thread.name == "model-calls" for thread in threading.enumerate()) == 1


def test_an_error_of_the_source_is_raised_where_it_is_read() -> None:
    async def source() -> AsyncIterator[int]:
        yield 1
        raise KeyError("gone")

    read = drain(source, seconds=10, stop=threading.Event())
    assert next(read) == 1
    with pytest.raises(KeyError):
        next(read)
