"""The Benchmark tab without a browser: what each state says, and who may act."""

from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from agent.eval.progress import State
from agent.eval.scoring_api import Score
from agent.eval.submit import Receipt, prepare
from agent.obs.events import ModelProgress, RunStarted
from agent.runs.line import Lines
from agent.runs.manager import RunManager
from agent.ui import benchmark_view as show
from agent.ui.benchmark import BenchmarkTab
from agent.ui.benchmark_actions import Bench, Choice, Standing
from agent.ui.benchmark_layout import COURSE
from agent.ui.owner import NotAllowedError, user_of
from agent.ui.story import Story
from tests.eval.scripted import Scripted, benchmark, run, settings_for
from tests.ui.test_render import Page

SPACE = {
    "space_id": "alice/agent",
    "system": "spaces",
    "space_author": "alice",
    "space_creator_id": "42",
}
HOSTILE = "<img src=x onerror=alert(1)>{{7*7}}${alert(1)}"


def standing(folder: Path, odd: Any = None, **changed: Any) -> Standing:
    questions = benchmark(3)
    _, records = run(folder, Scripted(odd or {}), questions)
    values = {"state": State(phase="finished"), "records": records} | changed
    return Standing(questions, "ollama:scripted", questions.tasks, **values)


def text(html: str) -> str:
    return " ".join(Page(html).text.split())


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"records": {}, "state": None}, "0 of 3 cached"),
        ({"records": {}, "state": None}, "Run all"),
        ({}, "3 of 3 cached, last"),
        ({}, "3 answered; 9 model calls in 4 s."),
        ({"state": State(phase="running", working={"task-02": "x"})}, "Asking question 2."),
        ({"state": State(phase="running"), "is_pausing": True}, "Pausing"),
        ({"state": State(phase="paused")}, "Nothing is lost"),
        ({"state": State(phase="halted", reason="The credit is spent.")}, "The credit is spent."),
        ({"state": State(phase="interrupted")}, "The app ended while this ran."),
    ],
)
def test_each_state_says_what_it_is(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    assert said in text(show.head(standing(tmp_path, **changed)))


def test_a_question_that_waits_for_others_says_so(tmp_path: Path) -> None:
    place = ModelProgress(text="2nd in line")
    shown = standing(
        tmp_path,
        state=State(phase="running", working={"task-02": "x"}),
        live={"task-02": Story.of([RunStarted(run_id="x", question="q"), place])},
    )
    assert "Waiting to ask question 2." in text(show.head(shown))
    assert "2nd in line waiting" in text(show.table(shown)[1])


def test_the_button_says_how_many_are_left(tmp_path: Path) -> None:
    whole = standing(tmp_path)
    first = {"task-01": whole.records["task-01"]}
    assert "Resume 2" in text(show.head(standing(tmp_path, records=first)))


def test_what_failed_can_be_run_again(tmp_path: Path) -> None:
    odd = {"What is 2 times 17?": {"status": "failed", "answer": "", "stop_reason": "No luck."}}
    failed = standing(tmp_path, odd)
    assert "Re-run 1 failed" in text(show.head(failed))
    assert "No luck." in text(show.table(failed)[1])


def test_nothing_that_strangers_write_becomes_markup(tmp_path: Path) -> None:
    odd = {"What is 1 times 17?": {"answer": HOSTILE, "stop_reason": HOSTILE}}
    found = standing(tmp_path, odd)
    submission = prepare(
        found.benchmark, found.records, settings_for(tmp_path), username=HOSTILE, agent_code=HOSTILE
    )
    receipt = Receipt(state="refused", at=1, payload=submission.payload, said=HOSTILE)
    shown = standing(tmp_path, odd, receipts=(receipt,))
    html = show.head(shown) + show.table(shown)[0] + show.review(submission, shown)
    assert Page(html).tags["img"] == 0
    assert text(show.review(submission, shown)).count(HOSTILE) == 4  # name, code, answer, button


@pytest.mark.parametrize(
    ("receipt", "said"),
    [
        ({"state": "sending"}, "It may have arrived"),
        ({"state": "refused", "said": "The name is unknown."}, "The name is unknown."),
        (
            {
                "state": "received",
                "score": Score(username="a", score=70, correct_count=14, total_attempted=18),
            },
            "70 % 14 of 18 attempted are right.",
        ),
    ],
)
def test_the_card_keeps_the_receipt(tmp_path: Path, receipt: dict[str, Any], said: str) -> None:
    payload = {"username": "alice", "agent_code": "https://example.org/code", "answers": []}
    kept = Receipt(at=1_000_000, payload=payload, **receipt)
    head = text(show.head(standing(tmp_path, receipts=(kept,))))
    assert said in head
    assert "0 answers as alice" in head


@pytest.mark.parametrize(("before", "after"), [("", "alice"), ("alice", "")])
def test_a_run_without_a_name_is_found_under_one_and_the_other_way(
    tmp_path: Path, before: str, after: str
) -> None:
    mine = tmp_path / "mine.jsonl"
    mine.write_text('{"task_id": "1", "question": "What is 2 times 17?"}\n')
    settings = settings_for(tmp_path, model="ollama:scripted")
    bench = Bench(settings, Scripted(), Lines(settings))
    found = bench.find(Choice(before, str(mine)))
    with found.cache.lock():
        pass
    assert bench.find(Choice(after, str(mine))).cache.folder == found.cache.folder


def test_one_persons_answers_are_not_anothers(tmp_path: Path) -> None:
    mine = tmp_path / "mine.jsonl"
    mine.write_text('{"task_id": "1", "question": "What is 2 times 17?"}\n')
    settings = settings_for(tmp_path, model="ollama:scripted")
    bench = Bench(settings, Scripted(), Lines(settings))
    found = bench.find(Choice("alice", str(mine)))
    with found.cache.lock():
        pass
    assert bench.find(Choice("bob", str(mine))).cache.folder != found.cache.folder


def test_elsewhere_the_typed_name_counts(tmp_path: Path) -> None:
    assert user_of(settings_for(tmp_path), None, " alice ") == "alice"


@pytest.mark.parametrize(
    ("claims", "user"),
    [
        ({"preferred_username": "alice", "sub": "1"}, "alice"),
        ({"preferred_username": "bob", "sub": "42"}, "bob"),
        ({"preferred_username": "mallory", "sub": "7"}, ""),
        ({"preferred_username": "", "sub": ""}, ""),
        (None, ""),
    ],
)
def test_on_a_space_its_owner_alone_acts(
    tmp_path: Path, claims: dict[str, str] | None, user: str
) -> None:
    settings = settings_for(tmp_path, **SPACE)
    if user:
        assert user_of(settings, claims, "somebody else") == user
    else:
        with pytest.raises(NotAllowedError):
            user_of(settings, claims, "alice")


def test_each_act_asks_who_it_is(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, **SPACE)
    tab = BenchmarkTab(settings, RunManager(settings, Scripted()))  # type: ignore[arg-type]
    words = ("alice", COURSE, "", "", 0)
    acts = (tab.begin, tab.rerun, tab.refresh, tab.pause, tab.resume, tab.end, tab.clear)
    for act in (*acts, tab.download):
        with pytest.raises(gr.Error, match="Sign in with Hugging Face"):
            act(None, *words)
    for extra, act in ((("zip",), tab.upload), (("1",), tab.again), (("1", "f"), tab.give)):
        with pytest.raises(gr.Error, match="Sign in with Hugging Face"):
            act(None, *words, *extra)
    assert "Sign in" in tab.review(None, *words, "https://example.org/code")
    event = gr.EventData(None, {"pick": "digest"})
    for send in (tab.send, tab.send_again):
        assert "Sign in" in send(None, event, *words, "https://example.org/code")
