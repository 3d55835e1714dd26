"""One step asked of a scripted server: what it costs, what is kept of it, what is tried again."""

import threading
from itertools import pairwise
from typing import Any

import pytest

from agent.budget import BudgetExceededError, Limits, RunStopped
from agent.llm.conversation import MAX_ATTEMPTS
from agent.llm.errors import ModelError
from tests.llm.asking import STEP, Asking, connected, settings_with
from tests.servers.behaviours import (
    Behaviour,
    Cut,
    Empty,
    HttpError,
    Reply,
    Silence,
    WhitespaceForEver,
)
from tests.servers.ollama import BUSY, ScriptedOllama
from tests.servers.openai import ScriptedOpenAI


def over_ollama(server: ScriptedOllama, limits: Limits | None = None, **fields: Any) -> Asking:
    model = connected(settings_with(ollama_host=server.url, **fields))
    return Asking(model, limits or Limits())


def over_openai(server: ScriptedOpenAI, limits: Limits | None = None) -> Asking:
    settings = settings_with(openai_base_url=server.base_url, openai_api_key="key")
    return Asking(connected(settings, "openai:gpt-oss-20b"), limits or Limits())


def test_a_step_is_one_call_and_one_object() -> None:
    with ScriptedOllama([Reply(STEP)]) as server:
        asking = over_ollama(server)
        assert asking.ask().answer == "391"
        request = server.chats[0]
    assert request.schema["properties"]["action"]["const"] == "finish"
    assert [m["role"] for m in request.messages] == ["system", "user"]
    assert request.body["options"]["temperature"] == 0
    assert request.body["options"]["num_ctx"] == asking.model.num_ctx
    assert asking.thought == "I multiply."
    assert asking.outcomes == ["ok"]


def test_prompts_are_append_only() -> None:
    with ScriptedOllama([Reply(STEP)]) as server:
        asking = over_ollama(server)
        for n in range(4):
            asking.ask(f"Step {n}")
        chats = [[(m["role"], m["content"]) for m in chat.messages] for chat in server.chats]
    for before, after in pairwise(chats):
        assert after[: len(before)] == before


def test_the_record_tells_the_servers_own_seconds_and_tokens() -> None:
    with ScriptedOllama([Reply(STEP, prompt_tokens=200)]) as server:
        asking = over_ollama(server)
        asking.ask()
    (record,) = asking.records
    assert record.tokens_in == 200
    assert record.prompt_seconds == pytest.approx(6.0)
    assert record.generation_seconds == pytest.approx(0.03 * record.tokens_out)
    assert record.note == ""


def test_cached_tokens_of_an_openai_server_are_told() -> None:
    with ScriptedOpenAI([Reply(STEP, prompt_tokens=100, cached_tokens=90)]) as server:
        asking = over_openai(server)
        asking.ask()
    (record,) = asking.records
    assert (record.tokens_in, record.tokens_cached) == (100, 90)


LONG = "word " * 3000


def test_a_server_that_read_less_than_it_was_sent_is_noted() -> None:
    with ScriptedOllama([Reply(STEP, prompt_tokens=2048)]) as server:
        asking = over_ollama(server)
        before = asking.window.estimate(LONG)
        asking.ask(LONG)
        assert asking.window.estimate(LONG) == before
    assert "read only 2048 tokens" in asking.records[0].note
    assert asking.outcomes == ["ok"]


@pytest.mark.parametrize("version", ["0.30.1", "0.0.0"])
def test_a_server_that_may_count_only_what_was_not_cached_is_not_suspected(version: str) -> None:
    with ScriptedOllama([Reply(STEP, prompt_tokens=10)], version=version) as server:
        asking = over_ollama(server)
        asking.ask(LONG)
    assert asking.records[0].note == ""


def test_words_that_are_long_tokens_are_no_loss() -> None:
    with ScriptedOllama([Reply(STEP, prompt_tokens=120)]) as server:
        asking = over_ollama(server)
        asking.ask("x" + " " * 4000 + "y")
    assert asking.records[0].note == ""


def test_thoughts_between_tags_are_shown_and_kept_out_of_the_transcript() -> None:
    with ScriptedOllama([Reply(STEP, thinking='Is it {"answer": 1}?')]) as server:
        asking = over_ollama(server)
        assert asking.ask().answer == "391"
    assert asking.thought == '\nIs it {"answer": 1}?\nI multiply.'
    assert asking.transcript[1].startswith("{")


def test_a_model_that_can_think_is_asked_to_think_apart_and_has_room_for_it() -> None:
    capabilities = ("completion", "thinking")
    with ScriptedOllama([Reply(STEP, thinking="17*23...")], capabilities=capabilities) as server:
        asking = over_ollama(server)
        assert asking.ask().answer == "391"
        body = server.chats[0].body
    assert body["think"] is True
    assert body["options"]["num_predict"] == asking.model.num_predict > 400
    assert asking.thought == "17*23...I multiply."
    assert "17*23" not in asking.transcript[1]


def test_reasoning_content_of_an_openai_server_is_shown_and_kept_out() -> None:
    with ScriptedOpenAI([Reply(STEP, thinking="17*23...")]) as server:
        asking = over_openai(server)
        assert asking.ask().answer == "391"
    assert asking.thought == "17*23...I multiply."
    assert "17*23" not in asking.transcript[1]


@pytest.mark.parametrize("capabilities", [("completion",), ("completion", "thinking")])
def test_thinking_without_end_is_a_truncated_reply(capabilities: tuple[str, ...]) -> None:
    endless = Reply("", thinking="so " * 500, done_reason="length")
    with ScriptedOllama([endless, Reply(STEP)], capabilities=capabilities) as server:
        asking = over_ollama(server)
        assert asking.ask().answer == "391"
    assert asking.outcomes == ["truncated", "ok"]
    assert len(" ".join(asking.transcript)) < 500


def test_a_truncated_reply_leaves_only_its_beginning() -> None:
    with ScriptedOllama([WhitespaceForEver(), Reply(STEP)]) as server:
        asking = over_ollama(server)
        assert asking.ask().answer == "391"
    assert asking.outcomes == ["truncated", "ok"]
    assert asking.transcript[1] == "{"


def test_one_repair_shows_the_model_its_error() -> None:
    with ScriptedOllama([Reply({"answer": 42})]) as server:
        asking = over_ollama(server)
        with pytest.raises(ModelError) as raised:
            asking.ask()
        repair = server.chats[1].messages
    assert raised.value.kind == "unparsable"
    assert asking.outcomes == ["unparsable"] * 2
    assert repair[-2]["content"] == '{"answer": 42}'
    assert "action must be one of: finish" in repair[-1]["content"]


@pytest.mark.parametrize("fault", [BUSY, Empty(), Cut("{" * 90, 50), HttpError(500, "boom")])
def test_what_may_pass_is_tried_again_and_paid_for(fault: Behaviour) -> None:
    with ScriptedOllama([fault, Reply(STEP)]) as server:
        asking = over_ollama(server)
        assert asking.ask().answer == "391"
    assert asking.outcomes == ["failed", "ok"]
    with ScriptedOllama([fault]) as server:
        asking = over_ollama(server)
        with pytest.raises(ModelError):
            asking.ask()
        assert server.chat_count == MAX_ATTEMPTS
    assert asking.budget.snapshot().llm_calls == MAX_ATTEMPTS


def rate_limited(retry_after: str) -> HttpError:
    return HttpError(429, "slow down", {"Retry-After": retry_after})


def test_the_wait_that_the_server_asks_for_is_kept() -> None:
    with ScriptedOpenAI([rate_limited("1"), Reply(STEP)]) as server:
        asking = over_openai(server)
        assert asking.ask().answer == "391"
        first, second = server.chats
    assert second.at - first.at >= 1


def test_a_wait_beyond_the_budget_ends_at_once_with_one_call() -> None:
    with ScriptedOpenAI([rate_limited("3600")]) as server:
        asking = over_openai(server)
        with pytest.raises(ModelError, match="asks to wait 3600 seconds") as raised:
            asking.ask()
        assert server.chat_count == 1
    assert raised.value.fatal


def test_stop_ends_a_wait() -> None:
    with ScriptedOpenAI([rate_limited("60")]) as server:
        asking = over_openai(server)
        threading.Thread(
            target=lambda: (server.wait_for(1), asking.stop.set()), daemon=True
        ).start()
        with pytest.raises(RunStopped):
            asking.ask()


NO_RESPONSE_FORMAT = HttpError(400, "Unrecognized request argument: response_format")


def test_a_server_without_schemas_gets_them_in_words_from_then_on() -> None:
    with ScriptedOpenAI([NO_RESPONSE_FORMAT, Reply(f"Sure!\n{STEP}")]) as server:
        asking = over_openai(server)
        assert asking.ask().answer == "391"
        assert asking.ask("And again?").answer == "391"
        assert over_openai(server).ask().answer == "391"
        chats = server.chats
    assert asking.outcomes == ["failed", "ok", "ok"]
    assert [bool(chat.schema) for chat in chats] == [True, False, False, False]
    for chat in chats[1:]:
        assert '"action": "finish"' in chat.messages[-1]["content"]


def test_a_call_past_its_deadline_is_ended_and_recorded() -> None:
    with ScriptedOllama([Silence(60)]) as server:
        asking = over_ollama(server, Limits(per_call_timeout_s=0.3))
        with pytest.raises(ModelError) as raised:
            asking.ask()
        server.wait_until(lambda: server.closed_early == 1)
    assert raised.value.kind == "timeout"
    assert asking.outcomes == ["timed_out"]


def test_no_call_is_made_that_cannot_be_paid_for() -> None:
    with ScriptedOllama([Reply(STEP)]) as server:
        asking = over_ollama(server, Limits(max_llm_calls=1))
        asking.ask()
        with pytest.raises(BudgetExceededError):
            asking.ask()
        assert server.chat_count == 1
