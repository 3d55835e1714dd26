"""Ollama absent, too old, without the model, pulling it, and present."""

import threading
from typing import Any

import pytest

from agent.budget import RunStopped
from agent.llm import ollama
from agent.llm.names import ModelName
from agent.llm.providers import NoModelError
from tests.llm.asking import connected, settings_with
from tests.servers.behaviours import Garbage, HttpError, Refuse, Reply, Silence
from tests.servers.ollama import NOT_IN_LIBRARY, Pull, ScriptedOllama

NAME = "llama3.2:3b"
OK = [Reply("ok")]
NOWHERE = "http://127.0.0.1:9"


class Heard(list[tuple[str, float | None]]):
    """A progress that remembers what it was told."""

    def __call__(self, text: str, fraction: float | None) -> None:
        self.append((text, fraction))


def pull(server: ScriptedOllama, name: str = NAME, **given: Any) -> Heard:
    heard = Heard()
    settings = settings_with(ollama_host=server.url)
    ollama.pull(
        settings,
        name,
        given.get("progress", heard),
        given.get("stop", threading.Event()),
    )
    return heard


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("example.org", "http://example.org:11434"),
        ("example.org:80", "http://example.org:80"),
        ("https://example.org", "https://example.org:443"),
        ("http://example.org/base/", "http://example.org:80/base"),
        ('"http://[::1]:1234"', "http://[::1]:1234"),
    ],
)
def test_the_address_that_ollama_host_means(host: str, url: str) -> None:
    assert ollama.base_url(host) == url


def test_absent() -> None:
    settings = settings_with(ollama_host=NOWHERE)
    assert not ollama.reachable(settings)
    with pytest.raises(NoModelError, match="`ollama serve`"):
        connected(settings, f"ollama:{NAME}")
    with pytest.raises(NoModelError, match="`ollama serve`"):
        ollama.pull(settings, NAME, Heard(), threading.Event())


def test_something_else_at_its_address_is_no_ollama() -> None:
    with ScriptedOllama(OK) as server:
        settings = settings_with(ollama_host=f"{server.url}/elsewhere")
        assert not ollama.reachable(settings)
        with pytest.raises(NoModelError, match="No Ollama answers"):
            connected(settings)


@pytest.mark.parametrize("version", ["0.1.47", "0.4.7", "0.4.8-rc1"])
def test_too_old_to_enforce_a_schema(version: str) -> None:
    with (
        ScriptedOllama(OK, version=version) as server,
        pytest.raises(NoModelError, match=f"Ollama {version} is too old.*ollama.com/download"),
    ):
        connected(settings_with(ollama_host=server.url))


@pytest.mark.parametrize(
    ("version", "whole"),
    [
        ("0.5.0", True),
        ("0.12.6", True),
        ("0.30.0", False),
        ("0.33.2", True),
        ("0.0.0", False),
        ("1.0.0", True),
    ],
)
def test_which_versions_count_whole_prompts(version: str, whole: bool) -> None:
    with ScriptedOllama(OK, version=version) as server:
        model = connected(settings_with(ollama_host=server.url))
    assert model.counts_whole_prompts is whole


def test_present_without_the_model_then_pulled_then_present() -> None:
    with ScriptedOllama(OK, models=(), pulls=[Pull(total=2_000_000_000, steps=2)]) as server:
        settings = settings_with(ollama_host=server.url)
        with pytest.raises(NoModelError, match=f"`ollama pull {NAME}`"):
            connected(settings)
        heard = pull(server)
        assert connected(settings).name == f"ollama:{NAME}"
    assert (f"Downloading {NAME}: 1.0 of 2.0 GB", 0.5) in heard
    fractions = [fraction for _, fraction in heard if fraction is not None]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_a_pull_that_was_cut_says_so_and_goes_on_from_there() -> None:
    pulls = [Pull(total=100, steps=4, cut_after=2), Pull(total=100, steps=4)]
    with ScriptedOllama(OK, models=(), pulls=pulls) as server:
        with pytest.raises(NoModelError, match="goes on from there"):
            pull(server)
        fractions = [fraction for _, fraction in pull(server) if fraction is not None]
    assert min(fractions) > 0.5


def test_a_pull_can_be_stopped() -> None:
    stop = threading.Event()
    slow = Pull(total=1000, steps=1000, pause=0.02)
    with ScriptedOllama(OK, models=(), pulls=[slow]) as server:
        with pytest.raises(RunStopped):
            pull(server, stop=stop, progress=lambda text, fraction: stop.set())
        server.wait_until(lambda: server.closed_early == 1)
        assert server.models == []


def test_a_pull_that_says_nothing_can_be_stopped() -> None:
    stop = threading.Event()
    with ScriptedOllama(OK, models=(), pulls=[Silence(3600)]) as server:
        asked = lambda: any(request.path == "/api/pull" for request in server.requests)  # noqa: E731
        threading.Thread(target=lambda: (server.wait_until(asked), stop.set()), daemon=True).start()
        with pytest.raises(RunStopped):
            pull(server, stop=stop)


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (NOT_IN_LIBRARY, "https://ollama.com/library"),
        (HttpError(500, "write /blobs: no space left on device"), "too little space"),
        (HttpError(500, "boom"), "could not download llama3.2:3b: boom"),
        (Garbage(b"upstream gone\n"), "cut off"),
        (Garbage(b'{"status": "pulling manifest"}\n'), "did not finish"),
    ],
)
def test_why_a_pull_failed(behaviour: Any, said: str) -> None:
    with (
        ScriptedOllama(OK, models=(), pulls=[behaviour]) as server,
        pytest.raises(NoModelError, match=said) as raised,
    ):
        pull(server)
    assert "\n" not in str(raised.value)


def test_it_goes_away_between_connecting_and_pulling() -> None:
    with ScriptedOllama([Refuse()], models=()) as server, pytest.raises(NoModelError):
        pull(server)


def test_what_it_says_of_a_model() -> None:
    model = ModelName("ollama", NAME)
    with ScriptedOllama(OK, capabilities=("completion", "thinking")) as server:
        settings = settings_with(ollama_host=server.url)
        described = ollama.describe(settings, model)
    assert described == "context 8192 of 131072 tokens, thinks before it answers"
    assert ollama.describe(settings, model) == "context 8192 tokens"


def test_one_client_serves_all_questions() -> None:
    with ScriptedOllama(OK) as server:
        settings = settings_with(ollama_host=server.url)
        assert connected(settings).client is connected(settings).client
        other = settings_with(ollama_host=server.url, num_ctx=4096)
        assert connected(other).client is not connected(settings).client
