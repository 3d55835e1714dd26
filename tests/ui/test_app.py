"""The page as a server: light to start, and with one public endpoint."""

import subprocess
import sys
from pathlib import Path

import pytest

from agent.config import Settings
from agent.runs.answering import orchestrated
from agent.runs.manager import RunManager
from agent.ui.app import build
from tests.browser.scripted import Scripted


def test_nothing_heavy_is_imported_before_a_question_is_asked() -> None:
    code = """
import sys
from agent.config import Settings
from agent.runs.answering import orchestrated
from agent.runs.manager import RunManager
from agent.ui.app import build
build(Settings(), RunManager(Settings(), orchestrated(Settings())))
heavy = ("langchain", "langgraph", "xllamacpp", "ollama", "openai", "ddgs", "trafilatura")
print([name for name in sys.modules if name.startswith(heavy)])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def manager(tmp_path: Path) -> RunManager:
    return RunManager(Settings(cache_dir=tmp_path), Scripted(pace=0))


def test_ask_is_the_only_public_endpoint(manager: RunManager) -> None:
    info = build(Settings(), manager).get_api_info()
    assert info is not None
    assert list(info["named_endpoints"]) == ["/ask"]
    assert info["unnamed_endpoints"] == {}


def test_the_page_opens_without_touching_the_disk_or_the_orchestrator(tmp_path: Path) -> None:
    settings = Settings(cache_dir=tmp_path / "none")
    build(settings, RunManager(settings, orchestrated(settings)))
    assert not settings.cache_dir.exists()
