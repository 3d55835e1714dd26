"""The result cache: what it keeps, and that nothing wrong with it is ever noticed."""

import os
import threading
import time
from pathlib import Path

import pytest

from agent.config import Settings
from agent.obs.events import Source
from agent.tools.cache import EXPIRY_S, remember
from agent.tools.registry import ToolContext
from agent.tools.result import ToolResult

FOUND = ToolResult.success("tëxt", sources=(Source(url="u", title="t"),), untrusted=True)
WHAT = {"tool": "t", "query": "q"}


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    return ToolContext(Settings(_env_file=None, cache_dir=tmp_path), tmp_path)


def ask(context: ToolContext, result: ToolResult = FOUND, **what: str) -> ToolResult:
    return remember(WHAT | what, context, lambda: result)


def files(context: ToolContext) -> list[Path]:
    return list((context.settings.cache_dir / "tools").iterdir())


def test_a_success_comes_back_as_it_was(context: ToolContext) -> None:
    assert ask(context) == FOUND
    other = ToolResult.success("other")
    assert ask(context, other) == FOUND.model_copy(update={"cached": True})
    assert ask(context, other, query="another") == other


def test_a_failure_is_asked_for_again(context: ToolContext) -> None:
    ask(context, ToolResult.failure("timeout", "Too late."))
    assert ask(context) == FOUND


def test_it_can_be_turned_off(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, cache_dir=tmp_path / "none", tool_cache=False)
    off = ToolContext(settings, tmp_path)
    assert not any(ask(off).cached for _ in range(2))
    assert not (tmp_path / "none").exists()


def test_it_expires(context: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(context)
    later = time.time() + EXPIRY_S + 2
    monkeypatch.setattr("cachelib.file.time", lambda: later)
    assert not ask(context).cached


def test_it_is_written_as_json(context: ToolContext) -> None:
    ask(context)
    assert any(b'"text": "t\\u00ebxt"' in file.read_bytes() for file in files(context))


def spoilt(how: str, context: ToolContext) -> None:
    for file in files(context):
        if how == "empty":
            file.write_bytes(b"")
        elif how == "garbage":
            file.write_bytes(file.read_bytes()[:4] + os.urandom(200))
        elif how == "cut":
            file.write_bytes(file.read_bytes()[:30])
        elif how == "pickle":
            code = b"cos\nmkdir\n(Vpwned\ntR."
            file.write_bytes(file.read_bytes()[:4] + code)
        elif how == "other shape":
            file.write_bytes(file.read_bytes()[:4] + b'{"ok": "perhaps", "sources": 5}')
        elif how == "list":
            file.write_bytes(file.read_bytes()[:4] + b"[1, 2]")
        elif how == "folder":
            file.unlink()
            file.mkdir()


@pytest.mark.parametrize(
    "how", ["empty", "garbage", "cut", "pickle", "other shape", "list", "folder"]
)
def test_a_spoilt_file_is_a_miss(how: str, context: ToolContext) -> None:
    ask(context)
    spoilt(how, context)
    fresh = ToolResult.success("fresh")
    assert ask(context, fresh) == fresh
    assert not Path("pwned").exists()


def test_a_place_that_cannot_be_written_is_a_miss(tmp_path: Path) -> None:
    (tmp_path / "tools").write_text("a file where the folder should be")
    broken = ToolContext(Settings(_env_file=None, cache_dir=tmp_path), tmp_path)
    assert ask(broken) == FOUND
    assert ask(broken) == FOUND


def test_threads_do_not_disturb_each_other(context: ToolContext) -> None:
    results: list[ToolResult] = []

    def work(number: int) -> None:
        for turn in range(20):
            mine = ToolResult.success(str((number + turn) % 7))
            got = ask(context, mine, query=mine.text)
            results.append(got)
            assert got.text == mine.text

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 120
    assert any(result.cached for result in results)
