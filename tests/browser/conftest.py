"""A real Chromium in front of the real page, served by a process of its own."""

import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_HOW_TO_GET = "no Chromium: apt-get install chromium, or: playwright install chromium"
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_PATIENCE_MS = 30_000


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
        found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), own)
        if not Path(found).exists():
            pytest.skip(_HOW_TO_GET)
        browser = playwright.chromium.launch(executable_path=found, args=_FLAGS)
        yield browser
        browser.close()


class App:
    """The page with scripted answers, or as ``program`` serves it; it can be killed and started
    again on the same address."""

    def __init__(
        self,
        cache: Path,
        beacon: str,
        *,
        program: Sequence[str] = ("-m", "tests.browser.serve"),
        **environment: str,
    ) -> None:
        self.cache = cache
        self._program = program
        self._more = environment
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._beacon = beacon
        self.address = f"http://127.0.0.1:{self._port}/"
        self.start()

    def start(self) -> None:
        """Returns when the app has said where it is."""
        own = ("AGENT_", "OLLAMA_", "GRADIO_")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(own)} | {
            "AGENT_CACHE_DIR": str(self.cache),
            "GRADIO_SERVER_PORT": str(self._port),
            "GRADIO_ANALYTICS_ENABLED": "False",
            "OLLAMA_HOST": "http://127.0.0.1:9",
            "SCRIPT_BEACON": self._beacon,
            "SCRIPT_PACE": "0.05",
            **self._more,
        }
        self._process = subprocess.Popen(
            [sys.executable, *self._program],
            cwd=Path(__file__).parents[2],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout
        said = self._process.stdout.readline()
        assert self.address in said, f"the app did not start: {said}"

    def kill(self) -> None:
        """As ``kill -9`` does."""
        self._process.kill()
        self._process.wait()


class Beacon:
    """A listener that counts who calls: a page that fetches what a stranger wrote calls it."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.calls = 0
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            self.calls += 1
            connection.close()


@pytest.fixture(scope="package")
def beacon() -> Beacon:
    return Beacon()


@pytest.fixture(scope="package")
def app(
    chromium: Browser, beacon: Beacon, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[App]:
    app = App(tmp_path_factory.mktemp("cache"), beacon.address)
    yield app
    app.kill()


@pytest.fixture
def context(chromium: Browser, app: App) -> Iterator[BrowserContext]:
    """A browser of one's own; whatever is done in it, nothing but the app may be asked."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(_PATIENCE_MS)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    strangers: list[str] = []
    context.on(
        "request",
        lambda request: (
            request.url.startswith((app.address, "data:", "blob:")) or strangers.append(request.url)
        ),
    )
    yield context
    context.close()
    assert strangers == []


@pytest.fixture
def page(context: BrowserContext, app: App) -> Page:
    """The page, opened and ready to type into."""
    return opened(context, app.address)


def opened(context: BrowserContext, address: str) -> Page:
    """A new tab of ``context``, ready to type into."""
    page = context.new_page()
    page.goto(address)
    page.locator(".chip:not(.checking)").wait_for()
    return page
