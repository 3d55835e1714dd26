"""``python -m agent doctor``: the table, and an exit code that says whether a question can run."""

from pathlib import Path

from tests.cli.test_ask import agent
from tests.core.engine import good
from tests.servers.ollama import ScriptedOllama


def test_a_machine_with_ollama_and_the_model_is_well(tmp_path: Path) -> None:
    with ScriptedOllama(good) as server:
        done = agent(tmp_path, "doctor", OLLAMA_HOST=server.url, COLUMNS="250")
    assert done.returncode == 0, done.stdout + done.stderr
    for word in ("Python", "Packages", "Cache folder", "Ollama", "llama3.2:3b", "8192 of 131072"):
        assert word in done.stdout


def test_one_call_tells_whether_the_schema_held_and_how_fast_it_was(tmp_path: Path) -> None:
    with ScriptedOllama(good) as server:
        model = ("--model", "ollama:llama3.2:3b")
        done = agent(tmp_path, "doctor", *model, OLLAMA_HOST=server.url, COLUMNS="400")
    assert done.returncode == 0, done.stdout + done.stderr
    for word in ("the schema held at the first try", "tokens read", "at 33 tokens/s", "simulated"):
        assert word in done.stdout


def test_services_of_the_network_are_warnings_only(tmp_path: Path) -> None:
    with ScriptedOllama(good) as server:
        done = agent(
            tmp_path,
            "doctor",
            OLLAMA_HOST=server.url,
            SEARXNG_URL="http://127.0.0.1:9",
            AGENT_WIKIPEDIA_API_URL="http://127.0.0.1:9/w/api.php",
            COLUMNS="250",
        )
    assert done.returncode == 0
    assert "Wikipedia" in done.stdout and "Traceback" not in done.stdout + done.stderr


def test_a_model_that_was_asked_for_and_is_not_there_is_fatal(tmp_path: Path) -> None:
    done = agent(tmp_path, "doctor", COLUMNS="250")
    assert done.returncode == 1
    assert "ollama serve" in done.stdout


def test_a_cache_folder_that_cannot_be_written_is_fatal(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    done = agent(
        tmp_path, "doctor", AGENT_MODEL="", AGENT_CACHE_DIR=str(blocked / "cache"), COLUMNS="250"
    )
    assert done.returncode == 1
    assert "AGENT_CACHE_DIR" in done.stdout
