"""What a step costs beside model and tools, next to a bare HTTP round trip.

Timed only when asked for: ``python -m pytest tests/core/test_overhead.py --benchmark-enable``.
"""

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from agent.budget import Budget, Limits
from agent.core.orchestrator import Orchestrator
from agent.llm.conversation import Conversation
from agent.llm.providers import connect
from agent.llm.structured import Schema
from agent.llm.window import Window
from tests.core.engine import MODEL, QUESTION, good_reply, settings_for
from tests.core.test_bounds import LIFTED, never_satisfied
from tests.servers.behaviours import Behaviour, Reply
from tests.servers.ollama import ScriptedOllama
from tests.servers.script import Request

STEPS = 20


def instant(request: Request) -> Behaviour:
    """A whole reply in one frame."""
    return Reply(good_reply(request), chunk=100_000)


@pytest.fixture
def server() -> Iterator[ScriptedOllama]:
    with ScriptedOllama(instant) as running:
        yield running


def test_a_bare_round_trip(server: ScriptedOllama, benchmark: BenchmarkFixture) -> None:
    body = {"model": "llama3.2:3b", "messages": [{"role": "user", "content": "x" * 2000}]}
    with httpx.Client() as client:
        response = benchmark(lambda: client.post(f"{server.url}/api/chat", json=body))
    assert response.status_code == 200


def test_one_structured_call(
    server: ScriptedOllama, benchmark: BenchmarkFixture, tmp_path: Path
) -> None:
    from agent.core.finalizer import FinalAnswer

    stop = threading.Event()
    settings = settings_for(server, tmp_path)
    model = connect(settings, MODEL, progress=lambda text, fraction: None, stop=stop)
    schema = Schema(FinalAnswer)

    def ask() -> FinalAnswer:
        window = Window("You answer.", model.num_ctx, model.num_predict)
        conversation = Conversation(model, window, lambda event: None, stop)
        conversation.add("x" * 2000)
        return conversation.ask(schema, "finalizer", Budget(Limits()))

    assert benchmark(ask).answer == "391"


def test_a_step_of_the_whole_engine(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """A run of ``STEPS`` model calls with their tool calls and events; divide by ``STEPS``."""
    with ScriptedOllama(never_satisfied()) as server:
        orchestrator = Orchestrator(settings_for(server, tmp_path))
        limits = Limits(**{**LIFTED, "max_llm_calls": STEPS})
        result = benchmark(lambda: orchestrator.answer(QUESTION, model=MODEL, limits=limits))
    assert result.llm_calls == STEPS
