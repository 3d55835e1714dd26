"""``python -m agent ask`` as a newcomer types it: a real process, a real server on loopback."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.engine import good, good_reply
from tests.servers.behaviours import HttpError, Reply, Silence
from tests.servers.ollama import ScriptedOllama
from tests.servers.script import Request

ASKED = "What is 17*23, to the nearest whole?"
"""Two calls of a good model: no rule works it out before."""
PROJECT = Path(__file__).resolve().parents[2]


def environment(folder: Path, **variables: str) -> dict[str, str]:
    """An environment that knows the given variables alone and writes into ``folder``."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {
        **kept,
        "PYTHONPATH": str(PROJECT),
        "AGENT_CACHE_DIR": str(folder),
        "AGENT_MODEL": "ollama:llama3.2:3b",
        "OLLAMA_HOST": "127.0.0.1:9",
        "PYTHONUTF8": "1",
        **variables,
    }


def agent(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in an empty folder, so that no ``.env`` is read."""
    return subprocess.run(
        [sys.executable, "-m", "agent", *words],
        cwd=folder,
        env=environment(folder, **variables),
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_bare_answer_alone_is_on_stdout_and_the_steps_on_stderr(tmp_path: Path) -> None:
    with ScriptedOllama(good) as server:
        done = agent(tmp_path, "ask", ASKED, OLLAMA_HOST=server.url)
    assert (done.returncode, done.stdout) == (0, "391\n")
    for word in ("THINK", "I multiply.", "calculator(17*23)", "progress_check", "2 model calls"):
        assert word in done.stderr
    for word in ("tokens read", "written", "at 33 tokens/s", "simulated"):
        assert done.stderr.count(word) >= 3, "of each call and of the whole"


def test_json_is_one_object_with_everything(tmp_path: Path) -> None:
    with ScriptedOllama(good) as server:
        done = agent(tmp_path, "ask", ASKED, "--json", OLLAMA_HOST=server.url)
    result = json.loads(done.stdout)
    wanted = [
        "answer",
        "status",
        "llm_calls",
        "tool_calls",
        "tokens_in",
        "tokens_cached",
        "tokens_out",
        "seconds",
        "simulated_cost",
        "price_basis",
        "timing",
        "sources",
        "error",
        "trace",
    ]
    assert result.keys() >= set(wanted)
    assert (result["answer"], result["status"], result["llm_calls"]) == ("391", "answered", 2)
    assert result["timing"]["generation_tokens"] == result["tokens_out"]
    assert Path(result["trace"]).read_text().count("\n") > 10


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ask"], "question"),
        (["ask", "  "], "the question is empty"),
        (["ask", "x", "--max-llm-calls", "0"], "1 or more"),
        (["ask", "x", "--max-llm-calls", "ten"], "invalid"),
        (["ask", "x", "--timeout", "-1"], "more than 0"),
        (["ask", "x", "--file", "missing.xlsx"], "there is no file missing.xlsx"),
        (["frobnicate"], "invalid choice"),
        ([], "COMMAND"),
    ],
)
def test_wrong_usage_exits_with_2_and_one_sentence(
    words: list[str], said: str, tmp_path: Path
) -> None:
    done = agent(tmp_path, *words)
    assert done.returncode == 2
    assert said in done.stderr and "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("AGENT_MAX_LLM_CALLS", "many"),
        ("AGENT_BLOCKED_DOMAINS", "[a.example"),
        ("AGENT_TOOL_CACHE", "perhaps"),
    ],
)
def test_a_bad_variable_is_named_in_one_sentence(variable: str, value: str, tmp_path: Path) -> None:
    done = agent(tmp_path, "ask", "x", **{variable: value})
    assert done.returncode == 2
    assert f"{variable}={value!r}" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("ollama:llama3.2:3b", "No Ollama answers at http://127.0.0.1:9"),
        (
            "gpt-4",
            "Unknown model 'gpt-4'. Did you mean ollama:gpt-4? Use one of: ollama:llama3.2:3b",
        ),
        ("openai:gpt-4o", "Set OPENAI_API_KEY"),
        ("huggingface:some/model", "set HF_TOKEN"),
        ("embedded:/no/such/file.gguf", "/no/such/file.gguf"),
    ],
)
def test_no_model_exits_with_3_and_says_what_to_do(model: str, said: str, tmp_path: Path) -> None:
    done = agent(tmp_path, "ask", ASKED, "--model", model)
    assert (done.returncode, done.stdout) == (3, "")
    assert said in " ".join(done.stderr.split()) and "Traceback" not in done.stderr


def test_a_model_that_ollama_lacks_is_named_with_the_command(tmp_path: Path) -> None:
    with ScriptedOllama(good, models=("qwen3:4b",)) as server:
        done = agent(tmp_path, "ask", ASKED, OLLAMA_HOST=server.url)
    assert done.returncode == 3
    assert "ollama pull llama3.2:3b" in done.stderr and "qwen3:4b" in done.stderr


def test_a_server_that_fails_exits_with_1(tmp_path: Path) -> None:
    with ScriptedOllama([HttpError(500, "model requires more system memory")]) as server:
        done = agent(tmp_path, "ask", ASKED, OLLAMA_HOST=server.url)
    assert (done.returncode, done.stdout) == (1, "")
    assert "too little memory" in " ".join(done.stderr.split())


def test_time_that_is_spent_exits_with_4(tmp_path: Path) -> None:
    with ScriptedOllama([Silence(60)]) as server:
        done = agent(tmp_path, "ask", ASKED, "--timeout", "1", OLLAMA_HOST=server.url)
    assert done.returncode == 4
    assert "The limit of 1 seconds was reached." in done.stderr


def test_calls_that_are_spent_exit_with_4_and_the_partial_answer(tmp_path: Path) -> None:
    def half_done(request: Request) -> Reply:
        return Reply(good_reply(request, args={"expression": "17*2"}))

    with ScriptedOllama(half_done) as server:
        done = agent(tmp_path, "ask", ASKED, "--max-llm-calls", "3", OLLAMA_HOST=server.url)
    assert (done.returncode, done.stdout) == (4, "391\n")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_stops_with_130_and_keeps_what_was_done(tmp_path: Path) -> None:
    def stalls(request: object) -> Silence:
        return Silence(60)

    with ScriptedOllama(stalls) as server:
        process = subprocess.Popen(
            [sys.executable, "-m", "agent", "ask", ASKED],
            cwd=tmp_path,
            env=environment(tmp_path, OLLAMA_HOST=server.url),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        server.wait_for(1)
        process.send_signal(signal.SIGINT)
        _, shown = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "You stopped the run." in shown and "Traceback" not in shown
    (trace,) = (tmp_path / "runs").glob("*.jsonl")
    assert '"run_finished"' in trace.read_text().splitlines()[-1]


def test_a_file_is_offered_to_the_tools(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("The password is swordfish.")

    def reads(request: Request) -> Reply:
        args = {"name": "notes.txt", "answer": "swordfish"}
        action = "read_file" if "read_file" in str(request.schema) else "finish"
        return Reply(good_reply(request, action=action, args=args))

    with ScriptedOllama(reads) as server:
        done = agent(
            tmp_path,
            "ask",
            "What is the password?",
            "--file",
            "notes.txt",
            OLLAMA_HOST=server.url,
        )
        prompts = [str(request.messages) for request in server.requests if request.messages]
    assert done.stdout == "swordfish\n"
    assert "Attached files: notes.txt" in prompts[-1]
    assert all("The password is swordfish." in prompt for prompt in prompts)


def test_runs_are_listed_and_shown_again(tmp_path: Path) -> None:
    with ScriptedOllama(good) as server:
        asked = agent(tmp_path, "ask", ASKED, "--json", OLLAMA_HOST=server.url)
    run_id = json.loads(asked.stdout)["run_id"]
    listed = agent(tmp_path, "runs", COLUMNS="200")
    assert run_id in listed.stdout and "391" in listed.stdout
    shown = agent(tmp_path, "runs", run_id)
    assert "calculator(17*23)" in shown.stderr
    assert agent(tmp_path, "runs", "../../etc/passwd").returncode == 1
