"""What a specialist says as it finishes stands in for an answer that it garbles."""

from pathlib import Path

import pytest

from tests.core.engine import good_reply, run
from tests.servers.behaviours import Behaviour, Reply
from tests.servers.ollama import ScriptedOllama
from tests.servers.script import Request

THOUGHT = "The hall of Varnholt has 640 seats."
GARBLED = '{"action": "finish", "args": {}}'


@pytest.mark.parametrize(
    ("thought", "written", "answer"),
    [
        (THOUGHT, GARBLED, "640"),
        (THOUGHT, "320", "320"),
        ("I finish.", GARBLED, ""),
    ],
)
def test_it_is_taken_where_the_answer_cannot_be(
    thought: str, written: str, answer: str, tmp_path: Path
) -> None:
    attached = tmp_path / "hall.txt"
    attached.write_text("640 seats\n")

    def garbler(request: Request) -> Behaviour:
        return Reply(good_reply(request, thought=thought, args={"answer": written}, answer=""))

    with ScriptedOllama(garbler) as server:
        outcome = run(server, tmp_path, "How many seats has the hall of Varnholt?", [attached])
    assert outcome.result.answer == answer
    assert outcome.result.llm_calls == (2 if answer else 3)
