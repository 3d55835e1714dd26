"""``python -m agent bench`` with a model server and the scoring API on loopback."""

import io
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agent.cli import main
from tests.cli.test_ask import agent, environment
from tests.core.engine import good, good_reply
from tests.servers.behaviours import Behaviour, Reply, Silence
from tests.servers.ollama import ScriptedOllama
from tests.servers.scoring import scoring_server
from tests.servers.script import Request

ENTRIES = [
    {"task_id": f"task-{n}", "question": f"What is 17*23 plus {n} times nothing?"} for n in (1, 2)
]
CODE = "https://github.com/someone/agent/tree/v1"


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedOllama]:
    with ScriptedOllama(good) as server:
        yield server


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A file of two questions with their answers."""
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(json.dumps({**e, "answer": "391"}) for e in ENTRIES))
    return path


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Done]]:
    """Runs a command in this process, in an empty folder; variables are set before."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str, typed: str = "", **variables: str) -> Done:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        for name, value in environment(tmp_path, COLUMNS="160", **variables).items():
            monkeypatch.setenv(name, value)
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            try:
                code = main(["bench", *words])
            except SystemExit as leaving:
                code = int(leaving.code or 0)
        return Done(code, out.getvalue(), err.getvalue())

    yield run
    signal.signal(signal.SIGINT, signal.default_int_handler)


Bench = Callable[..., Done]


def calls(model: ScriptedOllama) -> int:
    return sum(1 for request in model.requests if request.messages)


def test_a_run_is_kept_scored_reported_and_not_asked_again(
    bench: Bench, model: ScriptedOllama, mine: Path, tmp_path: Path
) -> None:
    here = {"OLLAMA_HOST": model.url}
    first = bench("run", "--source", str(mine), "--limit", "1", **here)
    assert first.returncode == 0, first.stderr
    assert "1 to ask with ollama:llama3.2:3b." in first.stderr
    assert "1/2 task-1 answered '391'" in first.stderr and "1 of 2 cached" in first.stderr
    second = bench("run", "--source", str(mine), "--json", **here)
    shown = json.loads(second.stdout)
    assert (shown["answered"], shown["total"]) == (2, 2)
    assert [task["course"] for task in shown["tasks"]] == [True, True]

    before = calls(model)
    third = bench("run", "--source", str(mine), **here)
    assert "0 to ask" in third.stderr and "2 of 2 cached" in third.stderr
    assert calls(model) == before

    status = bench("status", "--source", str(mine))
    assert "2 of 2 cached, last" in status.stdout and status.stdout.count("391") == 2
    score = bench("score", "--source", str(mine))
    assert "2 of 2 right by the course's rule, 2 by GAIA's." in score.stdout
    report = bench("report", "report", "--source", str(mine))
    assert report.returncode == 0 and (tmp_path / "report" / "report.html").is_file()

    run_id = shown["tasks"][0]["record"]["run_id"]
    assert "calculator(17*23)" in agent(tmp_path, "runs", run_id).stderr


def test_one_task_alone_is_asked_again(
    bench: Bench, model: ScriptedOllama, mine: Path, tmp_path: Path
) -> None:
    here = ("run", "--source", str(mine))
    bench(*here, OLLAMA_HOST=model.url)
    again = bench(*here, "--only", "task-2", "--rerun", "all", OLLAMA_HOST=model.url)
    assert "1 to ask" in again.stderr and "2/2 task-2" in again.stderr


def test_submitting_shows_asks_and_sends_once(
    bench: Bench, model: ScriptedOllama, tmp_path: Path
) -> None:
    with scoring_server(ENTRIES, {"task-1": "391", "task-2": "392"}) as course:
        here = {"OLLAMA_HOST": model.url, "SCORING_API_URL": course.url}
        submit = ("submit", "--user", "Someone", "--agent-code", CODE)
        early = bench(*submit, **here)
        assert early.returncode == 1 and "`python -m agent bench run` makes one" in early.stderr
        assert bench("run", "--user", "Someone", **here).returncode == 0
        unasked = bench(*submit, typed="y\n", **here)
        assert unasked.returncode == 1 and "Nothing was sent." in unasked.stderr
        assert "task-1  '391'" in unasked.stderr and CODE in unasked.stderr
        assert course.submissions == []
        sent = bench(*submit, typed="yes\n", **here)
        assert (sent.returncode, sent.stdout[:15]) == (0, "50 % (1 right).")
        assert bench(*submit, "--yes", **here).returncode == 1
        assert course.submissions == [
            {
                "username": "Someone",
                "agent_code": CODE,
                "answers": [
                    {"task_id": "task-1", "submitted_answer": "391"},
                    {"task_id": "task-2", "submitted_answer": "391"},
                ],
            }
        ]
        score = bench("score", "--user", "Someone", **here)
        assert score.returncode == 1 and "the course keeps them" in score.stderr


def fetches(request: Request) -> Behaviour:
    """A model that gets the attachment, reads it and says what it holds."""
    asked = str(request.schema)
    said = str(request.messages)
    action = "download_task_file" if "download_task_file" in asked else "read_file"
    if "swordfish" in said or action not in asked:
        return Reply(good_reply(request, action="finish", args={"answer": "swordfish"}))
    args = {"name": "notes.txt"}
    return Reply(good_reply(request, action=action, args=args, next="web_agent", answer="unknown"))


def test_an_attachment_is_fetched_by_the_model_or_named_and_given_by_hand(
    bench: Bench, tmp_path: Path
) -> None:
    entries = [{"task_id": "t", "question": "What is the password?", "file_name": "notes.txt"}]
    course = scoring_server(entries, files={"t": ("notes.txt", b"The password is swordfish.")})
    with course as api, ScriptedOllama(fetches) as server:
        here = {"OLLAMA_HOST": server.url, "SCORING_API_URL": api.url, "HF_ENDPOINT": api.url}
        api.files, files = {}, api.files
        missing = bench("run", "--json", **here)
        (task,) = json.loads(missing.stdout)["tasks"]
        assert task["record"]["missing_file"] == "notes.txt"
        assert "notes.txt is missing" in missing.stderr
        assert "the scoring API answered 404" in missing.stderr
        assert "Give it with `bench attach t PATH`." in missing.stderr
        assert "call download_task_file" in str(server.requests)
        assert "notes.txt is missing" in bench("status", **here).stdout

        by_hand = tmp_path / "given"
        by_hand.write_bytes(files["t"][1])
        given = bench("attach", "t", "given", **here)
        assert "Task t has notes.txt." in given.stderr
        again = bench("run", "--rerun", "all", "--json", **here)
        (task,) = json.loads(again.stdout)["tasks"]
        assert (task["record"]["missing_file"], task["record"]["answer"]) == ("", "swordfish")

        api.files = files
        fetched = bench("run", "--json", "--user", "other", **here, **elsewhere(tmp_path))
        (task,) = json.loads(fetched.stdout)["tasks"]
        assert (task["record"]["missing_file"], task["record"]["answer"]) == ("", "swordfish")
        assert "/files/t" in api.reads


def elsewhere(folder: Path) -> dict[str, str]:
    return {"AGENT_CACHE_DIR": str(folder / "other")}


def test_a_run_moves_in_a_zip(
    bench: Bench, model: ScriptedOllama, mine: Path, tmp_path: Path
) -> None:
    source = ("--source", str(mine))
    bench("run", *source, OLLAMA_HOST=model.url)
    assert "2 tasks are in run.zip" in bench("export", "run.zip", *source).stderr
    taken = bench("import", "run.zip", **elsewhere(tmp_path))
    assert "Taken: the run of ollama:llama3.2:3b." in taken.stderr
    resumed = bench("run", *source, OLLAMA_HOST=model.url, **elsewhere(tmp_path))
    assert "0 to ask" in resumed.stderr
    refused = bench("import", str(mine))
    assert refused.returncode == 1 and "Traceback" not in refused.stderr


def test_without_a_model_the_run_halts_with_one_sentence(
    bench: Bench, mine: Path, tmp_path: Path
) -> None:
    done = bench("run", "--source", str(mine))
    assert done.returncode == 1
    assert "No Ollama answers at http://127.0.0.1:9" in " ".join(done.stderr.split())
    assert "0 of 2 cached" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["run", "--source", "missing.jsonl"], 1, "missing.jsonl cannot be read"),
        (["run"], 1, "check the network and SCORING_API_URL"),
        (["run", "--source", "mine.jsonl", "--only", "nobody"], 1, "There is no task nobody."),
        (["run", "--source", "mine.jsonl", "--only", "task"], 1, "more than one task task."),
        (["run", "--source", "mine.jsonl", "--model", "gpt-4"], 1, "Unknown model 'gpt-4'"),
        (["run", "--limit", "0"], 2, "1 or more"),
        (["status", "--source", "mine.jsonl"], 1, "`python -m agent bench run` makes one"),
        (["attach", "task-1", "missing.png"], 2, "there is no file missing.png"),
        ([], 2, "ACTION"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    bench: Bench, words: list[str], code: int, said: str, mine: Path, tmp_path: Path
) -> None:
    done = bench(*words, SCORING_API_URL="http://127.0.0.1:9")
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr and "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and terminals")
def test_ctrl_c_keeps_what_is_answered_and_the_rest_is_asked_later(
    bench: Bench, mine: Path, tmp_path: Path
) -> None:
    stalled: list[Any] = []

    def script(request: Request) -> Behaviour:
        if "plus 2" in str(request.messages) and not stalled:
            stalled.append(request)
            return Silence(60)
        return good(request)

    with ScriptedOllama(script) as server:
        terminal, ours = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "agent", "bench", "run", "--source", str(mine)],
            cwd=tmp_path,
            env=environment(tmp_path, OLLAMA_HOST=server.url, COLUMNS="160", TERM="xterm"),
            stderr=ours,
        )
        os.close(ours)
        read_until(terminal, "working", "1/2")  # the table and its bar
        process.send_signal(signal.SIGINT)
        shown = read_until(terminal)
        assert process.wait(30) == 130
        assert "stopped" in shown and "1 of 2 cached" in shown and "Traceback" not in shown
        resumed = bench("run", "--source", str(mine), OLLAMA_HOST=server.url)
        assert "1 to ask" in resumed.stderr and "2 of 2 cached" in resumed.stderr


def read_until(terminal: int, *words: str) -> str:
    """What a process writes to its terminal, until all ``words`` were there (by default, all)."""
    shown = ""
    while not words or not all(word in shown for word in words):
        try:
            shown += os.read(terminal, 65536).decode(errors="replace")
        except OSError:  # the other side is closed
            break
    return shown
