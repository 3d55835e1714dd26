"""A question with fifty pages attached: the window never overflows, and nothing that must stay is
lost."""

import random
from pathlib import Path
from typing import Any

from agent.core.orchestrator import Orchestrator
from agent.core.prompts import _RULES
from tests.core.engine import good_reply, settings_for
from tests.servers.behaviours import Behaviour, Reply
from tests.servers.ollama import ScriptedOllama
from tests.servers.script import Request
from tests.tools.readers.made import pdf

QUESTION = "According to the attached report, who kept the lighthouse at Corran Point?"
FACT = "The lighthouse at Corran Point was kept by Isolde Brand until the lamp was made electric."
_WORDS = (
    "harbour keel tide rope lantern ledger quay storm signal cargo mast chart pilot anchor "
    "freight sailor customs tower beacon coast voyage captain repair timber canvas"
)


def fifty_pages() -> bytes:
    """A report of about 20 000 words; page 37 alone says who kept the lighthouse."""
    chance = random.Random(50)
    pages = [[f"Chapter {n}. {_prose(chance)}", _prose(chance)] for n in range(1, 51)]
    pages[36].insert(1, FACT)
    return pdf(pages)


def _prose(chance: random.Random) -> str:
    sentences = (" ".join(chance.choices(_WORDS.split(), k=12)).capitalize() for _ in range(17))
    return ". ".join(sentences) + "."


def test_fifty_pages_neither_overflow_nor_push_out_what_must_stay(tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(fifty_pages())

    def reads_page_after_page(request: Request) -> Behaviour:
        page = f"{10 * len(request.messages)}"
        args: dict[str, Any] = {"name": "report.pdf", "page": page, "answer": ""}
        reply = good_reply(
            request,
            next="web_agent",
            action="read_file",
            task=f"Read page {page}.",
            args=args,
            answer="",
            found=False,
            candidate_answer="",
        )
        return Reply(reply)

    with ScriptedOllama(reads_page_after_page) as server:
        settings = settings_for(server, tmp_path / "cache", observation_tokens=1200, num_ctx=2048)
        result = Orchestrator(settings).answer(QUESTION, [tmp_path / "report.pdf"])
        requests = server.chats
    assert result.llm_calls == len(requests) > 2
    for request in filter(lambda request: request.schema, requests):
        system, first, *_ = (str(message["content"]) for message in request.messages)
        assert system.startswith(_RULES)
        assert first.startswith(f"Question: {QUESTION}")
        assert request.prompt_tokens <= settings.num_ctx - settings.num_predict
    whole = str([request.messages for request in requests])
    assert FACT.split(" until")[0] in whole, "the passage that matters was read"
    assert "left out here to save room" in whole, "the window did fill"
