"""The store: what it says of runs on disk, whoever wrote them and however they ended."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.obs.events import CallStarted, Event, RunFinished, RunResult, RunStarted, Thinking
from agent.obs.trace import TraceWriter, new_run_id
from agent.runs.store import RunStore, UnknownRun


def result(run_id: str, answer: str = "391") -> RunFinished:
    return RunFinished(
        result=RunResult(
            run_id=run_id, question="q", answer=answer, status="answered", stop_reason="Done.",
            llm_calls=1, tool_calls=0, tokens_in=1, tokens_cached=0, tokens_out=1, seconds=1,
            simulated_cost=0,
        )
    )  # fmt: skip


def write(store: RunStore, run_id: str, *events: Event) -> Path:
    with TraceWriter(store.path(run_id)) as trace:
        for event in events:
            trace(event)
    return store.path(run_id)


def started(run_id: str, question: str = "What is 17*23?") -> RunStarted:
    return RunStarted(run_id=run_id, question=question)


def test_the_newest_run_comes_first(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    ids = [new_run_id() for _ in range(5)]
    for run_id in ids:
        write(store, run_id, started(run_id), result(run_id))
    assert [run.run_id for run in store.runs()] == ids[::-1]
    assert [run.run_id for run in store.runs(limit=2)] == ids[:2:-1]


def test_a_finished_run_shows_its_status_and_answer(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    write(store, "a", started("a"), CallStarted(step=1, role="web_agent"), result("a"))
    [run] = store.runs()
    assert (run.question, run.status, run.answer) == ("What is 17*23?", "answered", "391")


def test_a_last_line_longer_than_what_is_read_at_once(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    write(
        store,
        "a",
        started("a"),
        *[Thinking(step=1, text="x" * 999)] * 99,
        result("a", "y" * 200_000),
    )
    [run] = store.runs()
    assert run.answer == "y" * 200_000


def test_an_unfinished_run_is_running_while_its_lock_is_held(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    claim = store.claim("a")
    write(store, "a", started("a"))
    assert store.is_claimed("a")
    assert store.runs()[0].status == "running"
    store.release(claim)
    assert not store.is_claimed("a")
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]
    assert store.runs()[0].status == "interrupted"


def test_a_run_cut_off_in_the_middle_of_a_line_is_interrupted(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    path = write(store, "a", started("a"), Thinking(step=1, text="so far"))
    with path.open("a") as file:
        file.write('{"type": "run_finished", "resu')
    [run] = store.runs()
    assert (run.status, run.answer) == ("interrupted", "")


@pytest.mark.parametrize("content", ["", "\n", "not json\n", '{"type": "thinking"}\n', "\x00\xff"])
def test_files_that_are_no_runs_are_passed_over(tmp_path: Path, content: str) -> None:
    store = RunStore(tmp_path)
    write(store, "good", started("good"), result("good"))
    (tmp_path / "bad.jsonl").write_text(content, encoding="latin-1")
    (tmp_path / "bad name.jsonl").write_text(content, encoding="latin-1")
    assert [run.run_id for run in store.runs()] == ["good"]


def test_no_folder_yet_is_no_runs(tmp_path: Path) -> None:
    assert RunStore(tmp_path / "none").runs() == []


@pytest.mark.parametrize(
    "run_id", ["", "..", "../x", "a/b", "a\\b", "/etc/passwd", "a.b", "a\n", "-a"]
)
def test_a_run_id_is_never_a_path(tmp_path: Path, run_id: str) -> None:
    store = RunStore(tmp_path)
    with pytest.raises(UnknownRun):
        store.path(run_id)
    with pytest.raises(UnknownRun):
        store.started(run_id)
    assert not store.exists(run_id)


@given(st.text(max_size=100))
def test_whatever_is_asked_for_stays_inside_the_folder(run_id: str) -> None:
    folder = Path("/runs")
    try:
        path = RunStore(folder).path(run_id)
    except UnknownRun:
        return
    assert path.resolve().parent == folder
    assert path.name == f"{run_id}.jsonl"
