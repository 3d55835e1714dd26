"""``python -m agent bench world`` in a tiny world, with a scripted model, over real sockets."""

import io
import json
import signal
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from agent.cli import main
from tests.cli.test_ask import agent, environment
from tests.cli.test_bench import Done
from tests.core.engine import good_reply
from tests.eval.tiny_world import QUESTIONS, tiny_world
from tests.servers.behaviours import Behaviour, HttpError, Reply
from tests.servers.ollama import ScriptedOllama
from tests.servers.script import Request

ANSWERS = {
    "metres deep": "212",
    "most seats": "Plover",
    "attached list": "1891",
    "weir built": "1999",
    "brother": "",
}
NAME = "ollama:llama3.2:3b"

World = Callable[..., Done]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Runs ``bench world`` in this process, in the tiny world, with the model at ``url``."""
    monkeypatch.chdir(tmp_path)
    folder = tiny_world(tmp_path / "tiny")

    def run(*words: str, url: str = "127.0.0.1:9") -> Done:
        for name, value in environment(tmp_path, COLUMNS="160", OLLAMA_HOST=url).items():
            monkeypatch.setenv(name, value)
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            try:
                code = main(["bench", "world", "--dir", str(folder), *words])
            except SystemExit as leaving:
                code = int(leaving.code or 0)
        return Done(code, out.getvalue(), err.getvalue())

    yield run
    signal.signal(signal.SIGINT, signal.default_int_handler)


def says(**changed: str) -> Callable[[Request], Behaviour]:
    """A model that searches or reads the file first, then gives the answer it always gives."""
    answers = {**ANSWERS, **{key.replace("_", " "): value for key, value in changed.items()}}

    def script(request: Request) -> Behaviour:
        said, asked = str(request.messages), str(request.schema)
        key, answer = next((key, value) for key, value in answers.items() if key in said)
        action = "finish"
        if key == "attached list" and "maps" not in said.partition("Question: ")[2][80:]:
            action = "read_file" if "'read_file'" in asked else "download_task_file"
        elif f"'{action}'" not in asked:
            action = "web_search"
        args = {"query": key, "name": "papers.csv", "answer": answer}
        wanted: dict[str, Any] = {"next": "web_agent", "task": key, "args": args}
        wanted |= {"action": action, "answer": answer, **args}
        return Reply(good_reply(request, **wanted))

    return script


def test_a_measurement_end_to_end(tmp_path: Path) -> None:
    folder = tiny_world(tmp_path / "tiny")
    with ScriptedOllama(says()) as model:
        done = agent(
            tmp_path, "bench", "world", "--dir", str(folder), "--json", OLLAMA_HOST=model.url
        )
        calls = model.chat_count
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["model"], report["oracle"], report["asked"]) == (NAME, False, 5)
    found = {o["task_id"]: o for o in report["questions"]}
    assert list(found) == [q["task_id"] for q in QUESTIONS]
    right = {id_: o["course"] for id_, o in found.items()}
    assert right == {
        "depth": True, "seats": False, "papers": True, "weir": False, "brother": True,
    }  # fmt: skip
    assert found["weir"]["obeyed"] is True and found["depth"]["obeyed"] is None
    assert [o["missed"] for o in found.values()] == [[]] * 5  # the searches and the file showed it
    total = report["total"]
    assert total["course"] == {"count": 3, "n": 5, "low": 0.2307, "high": 0.8824}
    assert (total["evidence"]["count"], total["evidence"]["n"]) == (3, 3)
    assert (total["obeyed"]["count"], total["obeyed"]["n"]) == (1, 1)
    assert total["calls_max"] <= 10 and total["tokens_in"] > 0 and total["seconds_total"] > 0
    assert sum(o["llm_calls"] for o in found.values()) == calls
    assert list(report["by_category"]) == [q["category"] for q in QUESTIONS]
    assert {name: f["n"] for name, f in report["by_level"].items()} == {
        "easy": 2, "gaia1": 2, "hard": 1,
    }  # fmt: skip
    assert all(Path(o["trace"]).is_file() for o in found.values())
    for written in (tmp_path / "runs", tmp_path / "files", tmp_path / "bench", tmp_path / "tools"):
        assert not written.exists()


def test_reports_are_written_and_compared(world: World, tmp_path: Path) -> None:
    with ScriptedOllama(says()) as model:
        first = world("--out", "a.json", "--out", "a.html", url=model.url)
    assert first.returncode == 0, first.stderr
    assert "5 to ask with ollama:llama3.2:3b." in first.stderr
    assert "3/5 (23–88 %)" in first.stdout and "lookup" in first.stdout
    page = (tmp_path / "a.html").read_text()
    assert page.count("data:image/png;base64,") == 2 and "Brunt weir" in page

    with ScriptedOllama(says(most_seats="Curlew", metres_deep="21")) as model:
        second = world("--against", "a.json", "--out", "b.html", "--json", url=model.url)
    report = json.loads(second.stdout)
    changes = report["comparison"]["course"]
    assert (changes["before"], changes["after"]) == (3, 3)
    assert (changes["became_right"], changes["became_wrong"]) == (["seats"], ["depth"])
    assert (changes["p"], changes["within_chance"]) == (1.0, True)
    assert "within chance" in (tmp_path / "b.html").read_text()


def test_each_run_measures_anew_and_alike(world: World) -> None:
    with ScriptedOllama(says()) as model:
        runs = [world("--limit", "2", "--json", url=model.url) for _ in range(2)]
        prompts = [request.messages for request in model.chats]
    first, second = (json.loads(done.stdout) for done in runs)
    assert "2 to ask" in runs[1].stderr and "already" not in runs[1].stderr
    assert first["questions"][0]["trace"] != second["questions"][0]["trace"]
    half = len(prompts) // 2
    assert prompts[:half] == prompts[half:]


def test_what_was_broken_off_goes_on(world: World) -> None:
    def breaks(request: Request) -> Behaviour:
        gone = "most seats" in str(request.messages)
        return HttpError(404, "model 'llama3.2:3b' not found") if gone else says()(request)

    with ScriptedOllama(breaks) as model:
        broken = world("--json", url=model.url)
    assert broken.returncode == 1
    report = json.loads(broken.stdout)
    assert (report["asked"], report["total"]["n"]) == (5, 1)
    assert report["reason"] and report["reason"] in broken.stderr
    with ScriptedOllama(says()) as model:
        again = world("--json", url=model.url)
        assert "metres deep" not in str([request.messages for request in model.chats])
    assert (again.returncode, json.loads(again.stdout)["total"]["n"]) == (0, 5)
    assert "4 to ask with ollama:llama3.2:3b. 1 are done already." in again.stderr


def test_the_oracle_reads_the_evidence_in_one_call(world: World) -> None:
    with ScriptedOllama(says()) as model:
        done = world("--oracle", "--json", url=model.url)
        prompts = [str(request.messages[-1]["content"]) for request in model.chats]
    report = json.loads(done.stdout)
    assert report["oracle"] is True and done.returncode == 0, done.stderr
    assert [o["llm_calls"] for o in report["questions"]] == [1] * 5
    assert [o["course"] for o in report["questions"]] == [True, False, True, False, True]
    assert report["total"]["evidence"]["count"] == 3
    depth, seats, papers, weir, brother = prompts
    assert "Sallow Pit" in depth and "hemp" in depth and "Plover" not in depth
    assert "Plover" in seats and "Sallow Pit" not in seats
    assert "| maps | 1891 |" in papers
    assert "1888" in weir and "1999" in weir  # no evidence is named: the whole page
    assert "Edda Morn" in brother and "Quillport" not in brother


def test_a_selection_is_asked(world: World) -> None:
    with ScriptedOllama(says()) as model:
        done = world("--level", "easy", "--category", "lookup", "--json", url=model.url)
    report = json.loads(done.stdout)
    assert [o["task_id"] for o in report["questions"]] == ["depth"]
    assert report["selection"] == {"category": "lookup", "level": "easy"}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--half", "both"], 2, "invalid choice"),
        (["--out", "report.txt"], 2, "a report ends in .json or .html"),
        (["--against", "missing.json"], 2, "there is no file missing.json"),
        (["--against", "tiny/questions.jsonl"], 1, "is no report"),
        (["--category", "nothing"], 1, "No question is left"),
        (["--dir", "."], 1, "there are no pages"),
        (["--model", "gpt-4"], 1, "Unknown model 'gpt-4'"),
        ([], 1, "No Ollama answers"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    world: World, words: list[str], code: int, said: str
) -> None:
    done = world(*words)
    assert done.returncode == code
    assert said in " ".join(done.stderr.split()) and "Traceback" not in done.stderr
