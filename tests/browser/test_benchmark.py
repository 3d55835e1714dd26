"""The Benchmark tab in a real browser: a run survives its viewers, and is submitted once."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import App, Beacon, opened
from tests.browser.scripted import HOSTILE
from tests.browser.test_look import overflow
from tests.servers.scoring import ScoringServer, scoring_server

pytestmark = pytest.mark.browser

CODE = "https://huggingface.co/spaces/alice/agent/tree/main"
EVIL = "hostile <img src=x onerror=window.hacked=1>"


@pytest.fixture(scope="module")
def server() -> Iterator[ScoringServer]:
    asked = [f"What is {n} times 17?" for n in range(11, 17)] + ["please fail", EVIL]
    questions: list[dict[str, Any]] = [
        {"task_id": f"task-{n}", "question": question, "Level": "1", "file_name": ""}
        for n, question in enumerate(asked, 1)
    ]
    questions[1]["file_name"] = "task-2.csv"
    truths = {f"task-{n - 10}": str(n * 17) for n in range(11, 17)}
    with scoring_server(questions, truths) as server:
        yield server


@pytest.fixture(scope="module")
def bench(
    chromium: Browser, beacon: Beacon, server: ScoringServer, tmp_path_factory: Any
) -> Iterator[App]:
    cache = tmp_path_factory.mktemp("bench")
    app = App(cache, beacon.address, SCORING_API_URL=server.url, SCRIPT_PACE="0.3")
    yield app
    app.kill()


@pytest.fixture(scope="module")
def visitor(chromium: Browser) -> Iterator[BrowserContext]:
    """One person's browser: it remembers the user name from one tab to the next."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(60_000)
    yield context
    context.close()


def tab(context: BrowserContext, app: App) -> Page:
    page = opened(context, app.address)
    page.get_by_role("tab", name="Benchmark").click()
    page.locator(".bench .status b").wait_for()
    return page


def row(page: Page, number: int) -> Any:
    return page.locator(".bench-table tbody tr").nth(number - 1)


def status(page: Page) -> Any:
    return page.locator(".bench .status")


def button(page: Page, name: str) -> Any:
    return page.get_by_role("button", name=re.compile(name))


def is_over(page: Page) -> None:
    expect(page.locator(".bench[data-phase='']")).to_be_visible(timeout=90_000)


def test_a_run_goes_on_without_its_viewers_and_pauses_for_any(
    bench: App, visitor: BrowserContext, server: ScoringServer
) -> None:
    page = tab(visitor, bench)
    expect(status(page)).to_have_text(re.compile("0 of 8 cached"))
    button(page, "Review and submit").click()
    expect(page.get_by_role("alert")).to_contain_text("Give your Hugging Face user name")
    page.get_by_label("Hugging Face user name").fill("alice")
    page.get_by_label("Where your code is public").fill(CODE)
    button(page, "Run all").click()
    expect(row(page, 1).locator(".state")).to_have_text("asking")
    expect(row(page, 1).locator(".answer")).to_have_text("187")
    expect(row(page, 1).locator(".figure").first).to_have_text("1")

    page.reload()  # comes back to the tab, and to the run
    expect(row(page, 2).locator(".answer")).to_have_text("204")
    expect(page.locator(".bench[data-phase=running]")).to_be_visible()
    page.close()

    page = tab(visitor, bench)
    expect(page.get_by_label("Hugging Face user name")).to_have_value("alice")
    button(page, "^Pause").click()
    expect(page.locator(".bench[data-phase=paused]")).to_be_visible()
    left = page.locator(".bench-table .badge:text-is('to ask')").count()
    expect(button(page, f"Resume {left}")).to_be_visible()
    other = tab(visitor, bench)
    button(other, "Resume").click()
    is_over(other)
    is_over(page)
    expect(status(page)).to_have_text(re.compile(r"7 of 8 cached, last \d\d:\d\d"))
    assert server.submissions == []
    other.close()
    page.close()


def test_a_row_opens_its_trace_and_what_failed_is_run_again(
    bench: App, visitor: BrowserContext
) -> None:
    page = tab(visitor, bench)
    expect(row(page, 7)).to_contain_text("The model server does not answer; start Ollama.")
    expect(row(page, 2)).to_contain_text("task-2.csv is missing")
    row(page, 2).get_by_role("button").press("Enter")
    expect(page.locator("#bench-run .answer")).to_have_text("204")
    expect(page.locator("#bench-run .step")).to_have_count(1)
    chosen = {"name": "mine.csv", "mimeType": "text/csv", "buffer": b"a,b\n1,2\n"}
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Give this task its file").click()
    chooser.value.set_files(files=[chosen])
    expect(page.get_by_text("File: task-2.csv")).to_be_visible()
    first = page.locator("#bench-run .run").get_attribute("data-run")
    button(page, "Ask again").click()
    expect(page.locator("#bench-run .run")).not_to_have_attribute("data-run", first or "")
    expect(page.locator("#bench-run .answer")).to_have_text("204")
    button(page, "All questions").click()
    page.reload()
    expect(row(page, 2)).not_to_contain_text("is missing")
    button(page, "Re-run 1 failed").click()
    expect(row(page, 7).locator(".state")).to_have_text("asking")
    is_over(page)
    expect(row(page, 7).locator(".state")).to_have_text("failed")
    page.close()


def test_it_is_submitted_once_however_often_one_clicks(
    bench: App, visitor: BrowserContext, server: ScoringServer
) -> None:
    page = tab(visitor, bench)
    button(page, "Review and submit").click()
    review = page.locator(".review")
    expect(review.locator("ol code").first).to_have_text("187")
    expect(review).to_contain_text("1 of the questions have no answer")
    expect(review).to_contain_text(f"User name alice · code {CODE}")
    server.on_submit = "cut"
    button(page, "Send 7 answers as alice").dblclick()
    expect(page.get_by_role("alert")).to_contain_text("may have arrived")
    page.reload()
    expect(page.locator(".card.score")).to_contain_text("It may have arrived")
    assert len(server.submissions) == 1

    server.on_submit = ""
    button(page, "Review and submit").click()
    button(page, "Send 7 answers as alice again").dblclick()
    expect(page.locator("#bench-submit .score")).to_contain_text("75 %")
    page.reload()
    expect(page.locator(".bench .score .answer")).to_have_text("75 %")
    assert len(server.submissions) == 2
    sent = {a["task_id"]: a["submitted_answer"] for a in server.submissions[-1]["answers"]}
    assert sent["task-1"] == "187"
    button(page, "Review and submit").click()
    button(page, "Send 7 answers").click()
    expect(page.get_by_role("alert")).to_contain_text("They are not sent twice")
    assert len(server.submissions) == 2
    page.close()


def test_strangers_words_do_nothing(bench: App, visitor: BrowserContext, beacon: Beacon) -> None:
    page = tab(visitor, bench)
    expect(row(page, 8)).to_contain_text("<img src=x onerror=window.hacked=1>")
    expect(row(page, 8).locator(".answer")).to_contain_text("<script>")
    button(page, "Review and submit").click()
    expect(page.locator(".review code").last).to_have_text(HOSTILE.format(beacon=beacon.address))
    assert page.locator(":is(.bench, .bench-table, .review) :is(img, script, svg)").count() == 0
    assert page.evaluate("window.hacked") is None
    assert beacon.calls == 0
    page.close()


def test_the_answers_are_kept_in_a_zip_and_cleared_after_asking(
    bench: App, visitor: BrowserContext, tmp_path: Path
) -> None:
    page = tab(visitor, bench)
    button(page, "Keep or clear").click()
    with page.expect_download() as download:
        button(page, "Download zip").click()
    kept = tmp_path / "run.zip"
    download.value.save_as(kept)
    button(page, "Clear answers").click()
    button(page, "Delete these answers").click()
    expect(status(page)).to_have_text(re.compile("0 of 8 cached"))
    page.locator("#bench-keep input[type=file]").set_input_files(kept)
    expect(status(page)).to_have_text(re.compile("7 of 8 cached"))
    page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_phone_never_scrolls_sideways(chromium: Browser, bench: App, theme: str) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    page = opened(context, f"{bench.address}?__theme={theme}")
    page.get_by_role("tab", name="Benchmark").click()
    row(page, 8).wait_for()
    assert overflow(page) <= 0
    page.get_by_label("Hugging Face user name").fill("alice")
    page.get_by_label("Where your code is public").fill(CODE)
    button(page, "Review and submit").click()
    page.locator(".review").wait_for()
    assert overflow(page) <= 0
    context.close()


def test_without_the_scoring_api_it_says_what_helps(
    chromium: Browser, beacon: Beacon, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.jsonl"
    mine.write_text('{"task_id": "1", "question": "What is 2 times 3?", "answer": "6"}\n')
    app = App(tmp_path / "cache", beacon.address, SCORING_API_URL="http://127.0.0.1:9")
    context = chromium.new_context()
    try:
        page = opened(context, app.address)
        page.get_by_role("tab", name="Benchmark").click()
        expect(page.locator(".bench .said")).to_contain_text(
            "check the network and SCORING_API_URL"
        )
        page.locator(".bench-fold button", has_text="Settings").first.click()
        page.get_by_label("JSONL file").check()
        page.get_by_label("Path on the machine").fill(str(mine))
        page.get_by_label("Path on the machine").press("Enter")
        button(page, "Run all").click()
        expect(page.locator(".bench .score .answer")).to_have_text("1 of 1")
    finally:
        context.close()
        app.kill()
