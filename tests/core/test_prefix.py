"""Prompts are append-only across all roles, so that a server's prefix cache holds.

The calls beside the conversation come before a specialist's first step, and never in between.
"""

import itertools
from pathlib import Path

from tests.core.engine import run
from tests.core.test_bounds import LIFTED, never_satisfied
from tests.servers.ollama import ScriptedOllama


def _flat(messages: list[dict[str, str]]) -> str:
    """A prompt as one text; a turn's end is left out, since a turn may still grow at its end."""
    return "".join(f"<{message['role']}>{message['content']}" for message in messages)


def test_each_prompt_begins_with_the_one_before(tmp_path: Path) -> None:
    with ScriptedOllama(never_satisfied()) as server:
        outcome = run(server, tmp_path)
        chats = [request for request in server.requests if request.messages]
    prompts = [_flat(request.messages) for request in chats if request.schema]
    assert len({call.role for call in outcome.result.calls}) == 3
    assert len(chats) == 10
    assert [bool(request.schema) for request in chats] == [True, False, *[True] * 8]
    assert all(b.startswith(a) for a, b in itertools.pairwise(prompts))


def test_the_window_is_never_overrun_and_the_question_never_lost(tmp_path: Path) -> None:
    with ScriptedOllama(never_satisfied()) as server:
        run(server, tmp_path, **{**LIFTED, "max_llm_calls": 150})
        chats = [r for r in server.requests if r.messages and r.schema]
    sizes = [request.prompt_tokens for request in chats]
    assert max(sizes) < 8192
    assert any(b < a for a, b in itertools.pairwise(sizes)), "the window was never full"
    for request in chats:
        assert request.messages[0]["role"] == "system"
        assert "17 rows of 23" in request.messages[1]["content"]
