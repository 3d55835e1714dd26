"""What a model, a tool or a page writes is shown, never obeyed."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Beacon
from tests.browser.test_ask import ask

pytestmark = pytest.mark.browser


def test_hostile_text_does_nothing_and_calls_nobody(page: Page, beacon: Beacon) -> None:
    ask(page, "hostile <img src=x onerror=window.hacked=1>")
    expect(page.locator("#run .answer")).to_contain_text("<script>")
    page.locator("#run .step summary").first.click()
    expect(page.locator("#run .call pre")).to_contain_text("onerror=")
    page.get_by_role("tab", name="Runs").click()
    expect(page.locator(".runs li").first).to_contain_text("<img src=x")
    page.locator(".runs button").first.click()
    expect(page.locator("#opened-run .answer")).to_contain_text("<script>")
    assert page.evaluate("window.hacked") is None
    assert page.locator(":is(#run, #opened-run) :is(img, script, svg, iframe)").count() == 0
    links = page.locator("#opened-run a").evaluate_all("all => all.map(a => a.href)")
    assert links == [f"{beacon.address}/page"]
    assert beacon.calls == 0
