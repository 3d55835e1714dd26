"""A missing model in a real browser: one click downloads it, and every open tab sees it come."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import App, opened
from tests.browser.test_look import overflow
from tests.core.engine import good
from tests.servers.ollama import NOT_IN_LIBRARY, Pull, ScriptedOllama

pytestmark = pytest.mark.browser

SLOW, QUICK = Pull(steps=2000, pause=0.05), Pull(steps=4)
DRAWING = re.compile(r"\d\.\d+s")
"""The clock that Gradio shows while an event is under way; another event is then not taken."""
Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def ollama() -> Iterator[ScriptedOllama]:
    """Without a model; what is downloaded is slow at first, then not to be had, then quick."""
    with ScriptedOllama(good, models=(), pulls=(SLOW, NOT_IN_LIBRARY, QUICK)) as server:
        yield server


@pytest.fixture(scope="module")
def pulling(chromium: Browser, ollama: ScriptedOllama, tmp_path_factory: object) -> Iterator[App]:
    cache: Path = tmp_path_factory.mktemp("pull")  # type: ignore[attr-defined]
    app = App(cache, "http://127.0.0.1:9", OLLAMA_HOST=ollama.url)
    yield app
    app.kill()


@pytest.fixture
def visit(chromium: Browser, pulling: App) -> Iterator[Visit]:
    """Opens the page in a browser of its own."""
    contexts = []

    def visit(width: int = 1280, theme: str = "light") -> Page:
        context = chromium.new_context(viewport={"width": width, "height": 844})
        context.set_default_timeout(30_000)
        contexts.append(context)
        return opened(context, f"{pulling.address}?__theme={theme}")

    yield visit
    for context in contexts:
        context.close()


def press(page: Page, name: str) -> None:
    page.locator("#model").get_by_role("button", name=name).click()


def test_a_missing_model_is_downloaded_before_everybodys_eyes(
    visit: Visit, ollama: ScriptedOllama
) -> None:
    page, other = visit(), visit(390, "dark")
    expect(page.locator(".chip.missing")).to_contain_text("has no llama3.2:3b")
    assert overflow(other) <= 0
    press(page, "Pull llama3.2:3b")
    for seen in (page, other):
        expect(seen.locator(".pull")).to_contain_text("of 2.0 GB")
    assert overflow(other) <= 0
    bar = page.get_by_role("progressbar", name="Download")
    earlier = bar.get_attribute("aria-valuenow")
    stop = page.get_by_role("button", name="Stop the download")
    stop.focus()
    expect(bar).not_to_have_attribute("aria-valuenow", earlier or "")
    expect(stop).to_be_focused()  # what is drawn anew each second stays under the finger

    page.reload()
    expect(page.locator(".chip.pulling")).to_be_visible()
    press(page, "Stop the download")
    for seen in (page, other):
        expect(seen.locator(".pull .said")).to_have_text(
            "Stopped. The next pull goes on from there."
        )

    press(other, "Pull llama3.2:3b")
    expect(other.locator(".pull .said")).to_contain_text("Ollama's library has no model llama3.2")
    press(other, "Pull llama3.2:3b")
    for seen in (page, other):
        expect(seen.locator(".chip.ready")).to_contain_text("Ollama is ready")
        expect(seen.locator(".pull")).to_have_count(0)
    assert sum(request.path == "/api/pull" for request in ollama.requests) == 3


def test_a_mistyped_name_is_told_from_what_there_is(visit: Visit, ollama: ScriptedOllama) -> None:
    if "llama3.2:3b" not in ollama.models:
        ollama.models.append("llama3.2:3b")
    page = visit()
    expect(page.locator(".chip.ready")).to_be_visible()
    expect(page.locator("#model")).not_to_contain_text(DRAWING)
    page.locator("#settings button").first.click()
    box = page.locator("#settings").get_by_role("textbox")
    for typed, said in (
        ("olama:llama3.2:3b", "Did you mean ollama:llama3.2:3b?"),
        ("ollama:lama3.2:3b", "This Ollama has llama3.2:3b."),
    ):
        box.fill(typed)
        box.press("Enter")
        expect(page.locator("#model")).to_contain_text(said)
    box.fill("")
    box.press("Enter")
    expect(page.locator(".chip.ready")).to_be_visible()
