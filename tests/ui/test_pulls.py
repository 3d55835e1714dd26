"""Downloads for the page, against a scripted Ollama: one of a name, shown, stopped, explained."""

import threading
from pathlib import Path

import pytest

from agent.config import Settings
from agent.ui.pulls import Pull, Pulls
from tests.core.engine import MODEL, good
from tests.eval.scripted import until
from tests.servers.ollama import NOT_IN_LIBRARY, ScriptedOllama
from tests.servers.ollama import Pull as Download

SLOW = Download(steps=200, pause=0.05)


def pulls_at(server: ScriptedOllama, folder: Path) -> Pulls:
    return Pulls(Settings(_env_file=None, ollama_host=server.url, cache_dir=folder))


def under_way(pulls: Pulls) -> Pull:
    """The download, once it is known how far it is."""
    until(lambda: pulls.of(MODEL) and pulls.of(MODEL).fraction)  # type: ignore[union-attr]
    pull = pulls.of(MODEL)
    assert pull is not None
    return pull


def started(server: ScriptedOllama) -> int:
    return sum(request.path == "/api/pull" for request in server.requests)


def test_a_download_that_ends_well_leaves_nothing_to_say(tmp_path: Path) -> None:
    with ScriptedOllama(good, models=()) as server:
        pulls = pulls_at(server, tmp_path)
        pulls.start(MODEL)
        until(lambda: pulls.of(MODEL) is None)
        assert server.models == ["llama3.2:3b"]


def test_however_often_it_is_asked_for_it_is_downloaded_once_and_stops(tmp_path: Path) -> None:
    with ScriptedOllama(good, models=(), pulls=(SLOW,)) as server:
        pulls = pulls_at(server, tmp_path)
        threads = [threading.Thread(target=pulls.start, args=(MODEL,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        pull = under_way(pulls)
        assert "of 2.0 GB" in pull.text and 0 < (pull.fraction or 0) < 1
        assert started(server) == 1
        pulls.stop(MODEL)
        until(lambda: pull.is_over)
        assert pull.text == "Stopped. The next pull goes on from there."
        assert server.models == []
        pulls.start(MODEL)
        until(lambda: started(server) == 2)
        pulls.stop(MODEL)


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [(NOT_IN_LIBRARY, "Ollama's library has no model"), (Download(cut_after=1), "start it again")],
)
def test_what_goes_wrong_is_one_sentence_until_the_next_try(
    tmp_path: Path, behaviour: object, said: str
) -> None:
    with ScriptedOllama(good, models=(), pulls=(behaviour, Download())) as server:  # type: ignore[arg-type]
        pulls = pulls_at(server, tmp_path)
        pulls.start(MODEL)
        until(lambda: (pull := pulls.of(MODEL)) and pull.is_over)
        pull = pulls.of(MODEL)
        assert pull is not None and said in pull.text
        pulls.start(MODEL)
        until(lambda: pulls.of(MODEL) is None)


def test_what_nobody_can_download_says_so(tmp_path: Path) -> None:
    pulls = Pulls(Settings(_env_file=None, ollama_host="http://127.0.0.1:9", cache_dir=tmp_path))
    for name, said in ((MODEL, "No Ollama answers"), ("openai:x", "nothing to download")):
        pulls.start(name)
        until(lambda name=name: (pull := pulls.of(name)) and pull.is_over)
        pull = pulls.of(name)
        assert pull is not None and said in pull.text
