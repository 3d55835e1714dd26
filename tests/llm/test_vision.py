"""A model that sees: the image arrives, the call is charged, and one that is blind is not asked."""

import io
import threading
from base64 import b64decode
from typing import Any

import pytest
from PIL import Image

from agent.budget import Budget, BudgetExceededError, Limits, RunStopped
from agent.llm.errors import ModelError
from agent.llm.names import ModelNameError
from agent.llm.providers import NoModelError
from agent.llm.vision import ROLE, connect_seeing, describe
from agent.obs.events import CallFinished, CallStarted, Event, Thinking
from tests.llm.asking import settings_with
from tests.servers.behaviours import Behaviour, Cut, Empty, HttpError, Reply, Silence
from tests.servers.ollama import ScriptedOllama
from tests.servers.openai import ScriptedOpenAI
from tests.servers.script import Request

SEER = "llama3.2-vision:latest"
SEEN = "A white board; the black king stands on g8."


def jpeg() -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (40, 30), "red").save(made, "JPEG")
    return made.getvalue()


def ollama(*script: Behaviour, sees: bool = True) -> ScriptedOllama:
    capabilities = ("completion", "vision") if sees else ("completion", "tools")
    return ScriptedOllama(script or [Reply(SEEN)], models=[SEER], capabilities=capabilities)


class Look:
    """One look at the red image through the Ollama or OpenAI server given."""

    def __init__(self, server: ScriptedOllama | ScriptedOpenAI, **limits: Any) -> None:
        if isinstance(server, ScriptedOllama):
            fields = {"vision_model": f"ollama:{SEER}", "ollama_host": server.url}
        else:
            fields = {"vision_model": "openai:gpt-4o", "openai_base_url": server.base_url}
        self.settings = settings_with(**fields)
        self.budget = Budget(Limits(**limits))
        self.events: list[Event] = []
        self.stop = threading.Event()

    def __call__(self, question: str = "Where is the king?") -> str:
        model = connect_seeing(self.settings, self.stop)
        return describe(
            model,
            jpeg(),
            question,
            budget=self.budget,
            emit=self.events.append,
            stop=self.stop,
        )


def image_in(request: Request) -> bytes:
    """The bytes of the one image that a request holds, in either protocol."""
    (message,) = request.messages
    if images := message.get("images"):
        (encoded,) = images
        return b64decode(encoded)
    (part,) = [part for part in message["content"] if part["type"] == "image_url"]
    return b64decode(part["image_url"]["url"].removeprefix("data:image/jpeg;base64,"))


def test_ollama_gets_the_very_image_with_the_question_in_one_charged_call() -> None:
    with ollama() as server:
        look = Look(server)
        assert look() == SEEN
        (request,) = server.chats
    assert image_in(request) == jpeg()
    assert "Where is the king?" in request.messages[0]["content"]
    (record,) = look.budget.calls
    assert (record.role, record.outcome) == (ROLE, "ok")
    assert record.tokens_in == request.prompt_tokens and record.tokens_out > 0


def test_an_openai_server_gets_the_very_image_in_one_charged_call() -> None:
    with ScriptedOpenAI([Reply(SEEN)], models=["gpt-4o"]) as server:
        look = Look(server)
        assert look("") == SEEN
        (request,) = server.chats
    assert image_in(request) == jpeg()
    assert [call.outcome for call in look.budget.calls] == ["ok"]


def test_the_call_is_seen_in_the_events_as_it_goes() -> None:
    with ollama() as server:
        look = Look(server)
        look()
    (started,) = [event for event in look.events if isinstance(event, CallStarted)]
    (finished,) = [event for event in look.events if isinstance(event, CallFinished)]
    said = "".join(event.text for event in look.events if isinstance(event, Thinking))
    assert started.role == ROLE and finished.record.outcome == "ok" and said == SEEN


def test_a_model_without_eyes_is_named_and_not_asked() -> None:
    with ollama(sees=False) as server:
        look = Look(server)
        with pytest.raises(NoModelError, match=rf"^ollama:{SEER} cannot see: .*AGENT_VISION_MODEL"):
            look()
        assert not server.chats
    assert look.budget.calls == ()


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("embedded", NoModelError, "embedded cannot see"),
        ("llava", ModelNameError, "ollama:llava"),
        ("openai:gpt-4o", NoModelError, "OPENAI_API_KEY"),
        ("ollama:llava", NoModelError, "`ollama pull llava`"),
    ],
)
def test_a_model_that_cannot_be_had_says_what_to_do(
    name: str, error: type[Exception], words: str
) -> None:
    with ollama() as server, pytest.raises(error, match=words):
        settings = settings_with(vision_model=name, ollama_host=server.url)
        connect_seeing(settings, threading.Event())


@pytest.mark.parametrize(
    ("behaviour", "kind", "outcome"),
    [
        (HttpError(500, "model runner has unexpectedly stopped"), "server_error", "failed"),
        (Cut(SEEN, after=10), "cut", "failed"),
        (Empty(), "empty", "failed"),
        (Silence(60), "timeout", "timed_out"),
    ],
)
def test_a_failed_look_has_been_paid_for(behaviour: Behaviour, kind: str, outcome: str) -> None:
    with ollama(behaviour) as server:
        look = Look(server, per_call_timeout_s=0.5)
        with pytest.raises(ModelError) as caught:
            look()
    assert caught.value.kind == kind
    assert [call.outcome for call in look.budget.calls] == [outcome]


def test_without_a_call_left_the_server_is_not_asked() -> None:
    with ollama() as server:
        look = Look(server, max_llm_calls=1)
        look()
        with pytest.raises(BudgetExceededError):
            look()
        assert len(server.chats) == 1


def test_a_stop_ends_the_look() -> None:
    with ollama(Silence(60)) as server:
        look = Look(server)
        model = connect_seeing(look.settings, look.stop)
        look.stop.set()
        with pytest.raises(RunStopped):
            describe(model, jpeg(), "", budget=look.budget, emit=print, stop=look.stop)
    assert [call.outcome for call in look.budget.calls] == ["stopped"]


def test_thoughts_stay_out_and_a_long_description_is_kept_as_far_as_it_goes() -> None:
    with ollama(Reply(SEEN, thinking="Let me see."), Reply(SEEN, done_reason="length")) as server:
        look = Look(server)
        assert look() == SEEN
        assert look() == f"{SEEN} [cut off here]"
