"""``python -m agent pull``."""

from pathlib import Path

from tests.cli.test_ask import agent
from tests.core.engine import good
from tests.servers.ollama import NOT_IN_LIBRARY, Pull, ScriptedOllama


def test_a_model_is_pulled_and_can_then_be_asked(tmp_path: Path) -> None:
    with ScriptedOllama(good, models=()) as server:
        assert agent(tmp_path, "ask", "What is 17*23?", OLLAMA_HOST=server.url).returncode == 3
        pulled = agent(tmp_path, "pull", OLLAMA_HOST=server.url)
        asked = agent(tmp_path, "ask", "What is 17*23?", OLLAMA_HOST=server.url)
    assert pulled.returncode == 0
    assert "ollama:llama3.2:3b is ready." in pulled.stderr
    assert asked.stdout == "391\n"


def test_what_cannot_be_pulled_is_said_in_a_sentence(tmp_path: Path) -> None:
    with ScriptedOllama(good, models=(), pulls=(NOT_IN_LIBRARY,)) as server:
        done = agent(tmp_path, "pull", "ollama:nonsense", OLLAMA_HOST=server.url)
    assert done.returncode == 3
    assert "has no model nonsense" in done.stderr and "Traceback" not in done.stderr
    for name in ("openai:gpt-4o", "nonsense", "embedded:nonsense"):
        wrong = agent(tmp_path, "pull", name)
        assert wrong.returncode == 3 and "Traceback" not in wrong.stderr


def test_a_pull_that_is_cut_off_goes_on_next_time(tmp_path: Path) -> None:
    with ScriptedOllama(good, models=(), pulls=(Pull(cut_after=2), Pull())) as server:
        cut = agent(tmp_path, "pull", OLLAMA_HOST=server.url)
        whole = agent(tmp_path, "pull", OLLAMA_HOST=server.url)
    assert (cut.returncode, whole.returncode) == (3, 0)
    assert "start it again" in cut.stderr
