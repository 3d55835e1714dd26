"""The Runs tab in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_ask import ask

pytestmark = pytest.mark.browser


def test_a_run_is_found_opened_and_asked_again(page: Page) -> None:
    for question in ("What is 17*23?", "please fail now"):
        ask(page, question)
        expect(page.locator("#run .asked")).to_have_text(question)
        expect(page.get_by_role("button", name="Ask again")).to_be_visible()
    page.get_by_role("tab", name="Runs").click()
    expect(page.locator(".runs li").first).to_contain_text("please fail now")
    page.get_by_placeholder("Filter").fill("391 17*23")
    expect(page.locator(".runs li").first).to_contain_text("What is 17*23?")
    page.locator(".runs button").first.click()
    expect(page.locator("#opened-run .answer")).to_have_text("391")
    page.get_by_role("button", name="All runs").click()
    page.get_by_placeholder("Filter").fill("no such run anywhere")
    expect(page.get_by_text("No run matches.")).to_be_visible()
    page.get_by_placeholder("Filter").fill("391 17*23")
    page.locator(".runs button").first.click()
    page.locator("#opened-run").get_by_role("button", name="Ask again").click()
    expect(page.get_by_role("tab", name="Ask")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#run .answer")).to_have_text("391")
