"""Two people at once, one local model: the real agent, a scripted Ollama, no stand-in."""

import threading
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import App, opened
from tests.browser.test_ask import ask
from tests.core.engine import good
from tests.servers.behaviours import Behaviour
from tests.servers.ollama import ScriptedOllama
from tests.servers.script import Request

pytestmark = pytest.mark.browser

FIRST, SECOND = (
    "What is 17*23, to the nearest whole?",
    "A hall has 17 rows of 23 seats. How many seats is that?",
)


def test_the_second_waits_in_line_and_both_are_answered(chromium: Browser, tmp_path: Path) -> None:
    go_on = threading.Event()
    order: list[str] = []

    def held(request: Request) -> Behaviour:
        """A good model that keeps the first question waiting for its answer."""
        text = str(request.messages)
        order.append(SECOND if SECOND in text else FIRST)
        go_on.wait(60)
        return good(request)

    with ScriptedOllama(held) as server:
        app = App(tmp_path, "", program=("app.py",), OLLAMA_HOST=server.url)
        people = [chromium.new_context() for _ in range(2)]
        try:
            one, other = (opened(person, app.address) for person in people)
            ask(one, FIRST)
            expect(one.locator("#run .step.busy")).to_have_count(1)
            ask(other, SECOND)
            expect(other.locator("#run p.working")).to_have_text("2nd in line")
            expect(one.locator("#run .step.busy")).to_have_count(1)
            assert set(order) == {FIRST}
            go_on.set()
            for page in (one, other):
                expect(page.locator("#run .card .answer")).to_have_text("391")
        finally:
            for person in people:
                person.close()
            app.kill()
    assert set(order) == {FIRST, SECOND}
    assert order == sorted(order, key=[FIRST, SECOND].index)  # never by turns
