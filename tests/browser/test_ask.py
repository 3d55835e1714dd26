"""Asking in a real browser: the run as it happens, Stop, reload, a second tab, a killed app."""

import json
import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import App, opened

pytestmark = pytest.mark.browser

expect.set_options(timeout=30_000)


def ask(page: Page, question: str) -> None:
    page.locator("#question textarea").fill(question)
    page.locator("#question .submit-button").click()


def stop(page: Page) -> None:
    page.locator("#question .stop-button").click()


def thought(page: Page) -> str:
    return page.locator("#run .step[class*=busy] .thought").inner_text()


def test_a_question_is_answered_with_every_step_in_sight(page: Page) -> None:
    ask(page, "What is 17*23?")
    expect(page.locator("#run .card .answer")).to_have_text("391")
    expect(page.locator("#run .card .why")).to_have_text(
        "The calculator's result answers the question."
    )
    expect(page.locator("#run .notice")).to_contain_text("ollama pull llama3.2:3b")
    expect(page.locator("#run .gauge").first).to_contain_text("3 of 10")
    expect(page.get_by_role("progressbar", name="Tool calls")).to_have_attribute(
        "aria-valuetext", "1 of 12"
    )
    step = page.locator("#run .step").nth(1)
    step.locator("summary").click()
    expect(step.locator(".thought")).to_contain_text("I need the product of 17 and 23.")
    expect(step.locator(".check")).to_contain_text("progress_check")
    expect(step.locator(".call")).to_contain_text("expression=17*23")
    expect(step.locator(".call pre")).to_have_text("391")
    expect(page.locator("#question .submit-button")).to_have_text("Ask")


def test_a_thought_grows_while_it_is_written_and_stop_ends_it(page: Page) -> None:
    ask(page, "endless")
    expect(page.locator("#run .thought")).to_contain_text("word3")
    earlier = thought(page)
    page.wait_for_function(
        "n => document.querySelector('#run .thought').innerText.length > n", arg=len(earlier)
    )
    assert thought(page).startswith(earlier)
    stop(page)
    expect(page.locator("#run .card .outcome")).to_have_text("Stopped")
    expect(page.locator("#question .submit-button")).to_be_visible()


def test_a_step_that_the_reader_opened_stays_open(page: Page) -> None:
    ask(page, "spend it all")
    first = page.locator("#run .step").first.locator("details")
    page.locator("#run .step").nth(1).wait_for()
    first.locator("summary").click()
    expect(page.locator("#run .card .outcome")).to_have_text("Partial answer")
    expect(first).to_have_attribute("open", "")
    expect(page.locator("#run details[open]")).to_have_count(1)
    expect(page.locator("#run .gauge.high").first).to_contain_text("10 of 10")
    expect(page.locator("#run .step.warn")).not_to_have_count(0)


def test_a_reload_shows_the_run_where_it_is(page: Page) -> None:
    ask(page, "endless reload")
    expect(page.locator("#run .thought")).to_contain_text("word5")
    page.reload()
    expect(page.locator("#run .thought")).to_contain_text("word1 word2 word3")
    expect(page.locator("#question textarea")).to_have_value("endless reload")
    stop(page)
    expect(page.locator("#run .card .outcome")).to_have_text("Stopped")
    page.reload()
    expect(page.locator("#run .card .outcome")).to_have_text("Stopped")
    expect(page.locator("#question .submit-button")).to_be_visible()


def test_a_second_tab_waits_for_its_turn_and_sees_its_own_run(
    context: BrowserContext, app: App, page: Page
) -> None:
    ask(page, "endless first")
    expect(page.locator("#run .thought")).to_contain_text("word1")
    other = opened(context, app.address)
    expect(other.locator("#run .card")).to_have_count(0)
    ask(other, "What is 17*23?")
    expect(other.locator("#run p.working")).to_have_text("2nd in line")
    stop(page)
    expect(other.locator("#run .answer")).to_have_text("391")
    page.reload()
    expect(page.locator("#run .asked")).to_have_text("endless first")


def test_the_keyboard_is_enough(page: Page) -> None:
    expect(page.locator("#question textarea")).to_be_focused()
    page.keyboard.type("What is")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("17*23?")
    expect(page.locator("#question textarea")).to_have_value("What is\n17*23?")
    page.keyboard.press("Enter")
    expect(page.locator("#run .answer")).to_have_text("391")
    summary = page.locator("#run .step summary").first
    for _ in range(40):
        if summary.evaluate("element => element === document.activeElement"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#run .step details").first).to_have_attribute("open", "")


def test_an_example_is_asked_with_one_click(page: Page) -> None:
    page.locator(".examples button").nth(1).click()
    question = page.locator(".examples button").nth(1).inner_text()
    expect(page.locator("#run .answer")).to_have_text("391")
    expect(page.locator("#question textarea")).to_have_value(question)


def test_the_answer_is_copied_and_the_trace_downloaded_and_the_question_asked_again(
    page: Page,
) -> None:
    ask(page, "What is 17*23?")
    page.get_by_role("button", name="Copy answer").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "391"
    with page.expect_download() as download:
        page.get_by_role("button", name="Download trace").click()
    lines = download.value.path().read_text().splitlines()
    assert [json.loads(lines[i])["type"] for i in (0, -1)] == ["run_started", "run_finished"]
    first = page.locator("#run .run").get_attribute("data-run")
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator("#run .run")).not_to_have_attribute("data-run", first or "")
    expect(page.locator("#run .answer")).to_have_text("391")


def test_a_file_goes_with_the_question_until_it_is_removed(page: Page) -> None:
    chosen = {"name": "data.csv", "mimeType": "text/csv", "buffer": b"a,b\n1,2\n"}
    page.locator("#files input[type=file]").set_input_files(files=[chosen])
    expect(page.locator(".attached")).to_contain_text("data.csv")
    ask(page, "What is in it?")
    expect(page.locator("#run .with")).to_have_text("with data.csv")
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator("#run .with")).to_have_text("with data.csv")
    page.get_by_role("button", name="Remove the attached files").click()
    expect(page.locator(".attached")).to_have_count(0)
    ask(page, "And now?")
    expect(page.locator("#run .asked")).to_have_text("And now?")
    expect(page.locator("#run .with")).to_have_count(0)


@pytest.mark.parametrize(("question", "reason"), [("fail", "start Ollama"), ("crash", "report it")])
def test_a_failure_is_one_clear_sentence(page: Page, question: str, reason: str) -> None:
    ask(page, question)
    expect(page.locator("#run .outcome")).to_have_text("No answer")
    expect(page.locator("#run .why")).to_contain_text(reason)


def test_an_empty_box_asks_for_a_question(page: Page) -> None:
    page.locator("#question textarea").press("Enter")
    expect(page.locator("#run .card")).to_have_count(0)


def test_a_killed_app_shows_the_run_as_interrupted_after_a_restart(page: Page, app: App) -> None:
    ask(page, "endless kill")
    expect(page.locator("#run .thought")).to_contain_text("word5")
    app.kill()
    app.start()
    # The open tab finds the app again by itself; a navigation of the test's own would race with it.
    expect(page.locator("#run .outcome")).to_have_text("Interrupted")
    page.locator("#run .step summary").click()
    expect(page.locator("#run .thought")).to_contain_text("word1 word2 word3 word4 word5")
    expect(page.locator("#run .asked")).to_have_text("endless kill")
    page.get_by_role("tab", name="Runs").click()
    expect(page.locator(".runs li").first).to_contain_text(
        re.compile("interrupted.*endless kill", re.DOTALL)
    )
