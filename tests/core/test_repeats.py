"""A question that the web does not answer gets no answer, whatever the model makes of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.core.orchestrator import Orchestrator
from agent.obs.events import Event, RunResult, StepTaken
from tests.core.engine import good_reply, settings_for
from tests.servers.behaviours import Behaviour
from tests.servers.behaviours import Reply as Said
from tests.servers.ollama import ScriptedOllama
from tests.servers.script import Request
from tests.servers.search import searxng
from tests.servers.web import Reply, WebServer
from tests.servers.web import Request as WebRequest

ASKED = "Who was the mother of the joiner Ada Rook?"
LIFE = "<h1>Ada Rook</h1><p>Ada Rook was a joiner in Varnholt.</p><p>She died in 1958.</p>"


@pytest.fixture
def web() -> Iterator[WebServer]:
    def site(request: WebRequest) -> Reply:
        if request.path == "/search":
            return searxng([("Ada Rook", f"{server.origin}/ada", "Ada Rook, joiner")])
        return Reply(LIFE)

    with WebServer(site) as server:
        yield server


def asked(web: WebServer, folder: Path, said: str) -> tuple[RunResult, list[StepTaken]]:
    """What comes of it with a model that says ``said`` whatever it is asked."""

    def stubborn(request: Request) -> Behaviour:
        if not request.schema:
            return Said(said)
        finds = {"action": "finish", "args": {"answer": said}, "answer": said}
        return Said(good_reply(request, **finds, next="FINISH", candidate_answer=said))

    events: list[Event] = []
    with ScriptedOllama(stubborn) as server:
        settings = settings_for(
            server, folder, searxng_url=web.origin, allowed_origins=(web.origin,)
        )
        result = Orchestrator(settings).answer(ASKED, emit=events.append)
    return result, [event for event in events if isinstance(event, StepTaken)]


def test_the_question_again_is_refused_at_every_step(web: WebServer, tmp_path: Path) -> None:
    result, steps = asked(web, tmp_path, "Ada Rook")
    assert (result.status, result.answer) == ("failed", "")
    glance = steps[1]
    assert (glance.action, glance.verdict, glance.args) == (
        "finish",
        "stuck",
        {"answer": "Ada Rook"},
    )


def test_what_the_page_says_beyond_it_is_an_answer(web: WebServer, tmp_path: Path) -> None:
    result, steps = asked(web, tmp_path, "Varnholt")
    assert (result.status, result.answer, result.llm_calls) == ("answered", "Varnholt", 1)
    assert steps[1].verdict == "done"
