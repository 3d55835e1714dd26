"""The page fits a phone, in light and dark."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import App, opened
from tests.browser.test_ask import ask

pytestmark = pytest.mark.browser


def overflow(page: Page) -> int:
    """Pixels by which the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_phone_never_scrolls_sideways(chromium: Browser, app: App, theme: str) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    page = opened(context, f"{app.address}?__theme={theme}")
    assert overflow(page) <= 0
    for question in ("spend it all", "hostile " + "x" * 300):
        ask(page, question)
        expect(page.locator("#run .asked")).to_have_text(question)
        expect(page.get_by_role("button", name="Ask again")).to_be_visible()
        for summary in page.locator("#run .step summary").all():
            summary.click()
        assert overflow(page) <= 0
    page.get_by_role("tab", name="Runs").click()
    expect(page.locator(".runs li").first).to_be_visible()
    assert overflow(page) <= 0
    context.close()
