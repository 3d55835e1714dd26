"""The runner: what is asked, what is kept, what ends a run and what does not."""

import json
import threading
from pathlib import Path

import pytest

from agent.eval.attachments import attach
from agent.eval.cache import CacheBusyError
from agent.eval.questions import Task
from agent.eval.runner import BenchmarkRunner
from agent.obs.events import CallFinished, ModelProgress, ToolFinished
from agent.obs.metrics import CallRecord, TaskMetric, Timing
from agent.obs.trace import read_trace
from agent.runs.line import Line
from agent.runs.store import RunStore
from agent.tools.result import ToolResult
from tests.eval.scripted import Scripted, benchmark, run, runner_of, until

FIVE = benchmark(5)
SECOND, THIRD = FIVE.tasks[1], FIVE.tasks[2]


def test_each_answer_is_kept_with_its_metric_and_its_trace(tmp_path: Path) -> None:
    runner, records = run(tmp_path, Scripted(), FIVE)
    assert {id_: r.answer for id_, r in records.items()} == {
        t.task_id: t.answer for t in FIVE.tasks
    }
    record = records[SECOND.task_id]
    assert record.metric == TaskMetric(
        task_id=SECOND.task_id,
        status="answered",
        llm_calls=3,
        tool_calls=1,
        tokens_in=900,
        tokens_cached=600,
        tokens_out=60,
        seconds=1.5,
        simulated_cost=0.001,
        timing=Timing(
            prompt_seconds=1, prompt_tokens=300, generation_seconds=3, generation_tokens=60
        ),
    )
    store = RunStore(tmp_path / "runs")
    assert store.started(record.run_id).question == SECOND.question
    assert {summary.status for summary in store.runs()} == {"answered"}
    state = runner.cache.state()
    assert state is not None and (state.phase, state.working) == ("finished", {})


def test_a_second_run_asks_nothing_that_is_answered(tmp_path: Path) -> None:
    run(tmp_path, Scripted(), FIVE)
    again = Scripted()
    run(tmp_path, again, FIVE)
    assert again.asked == []


def test_other_settings_another_model_and_another_user_have_caches_of_their_own(
    tmp_path: Path,
) -> None:
    run(tmp_path, Scripted(), FIVE)
    again = Scripted()
    run(tmp_path, again, FIVE, max_llm_calls=5)
    assert len(again.asked) == 5
    run(tmp_path, again, FIVE, max_llm_calls=5, total_budget_s=99)
    assert len(again.asked) == 5


@pytest.mark.parametrize(
    ("odd", "status", "answer"),
    [
        (ValueError("a bug"), "failed", ""),
        ({"status": "timed_out", "answer": "34?"}, "timed_out", "34?"),
        ({"status": "failed", "answer": "", "error": "Nothing found."}, "failed", ""),
        ({"status": "answered", "answer": ""}, "answered", ""),
    ],
)
def test_what_goes_wrong_costs_one_task_and_can_be_asked_again(
    odd: object, status: str, answer: str, tmp_path: Path
) -> None:
    runner, records = run(tmp_path, Scripted({SECOND.question: odd}), FIVE)
    assert len(records) == 5
    assert (records[SECOND.task_id].status, records[SECOND.task_id].answer) == (status, answer)
    assert runner.reason == ""

    resumed = Scripted()
    run(tmp_path, resumed, FIVE)
    assert resumed.asked == []
    run(tmp_path, resumed, FIVE, rerun="failed")
    assert resumed.asked == [SECOND.question]
    _, records = run(tmp_path, resumed, FIVE, rerun="all")
    assert len(resumed.asked) == 6
    assert all(record.is_answered for record in records.values())


def test_an_exception_ends_its_trace_and_is_named_in_its_record(tmp_path: Path) -> None:
    _, records = run(tmp_path, Scripted({SECOND.question: ValueError("a bug")}), FIVE)
    record = records[SECOND.task_id]
    assert "ValueError: a bug" in record.metric.error
    assert record.failures == {"program": 1}
    assert RunStore(tmp_path / "runs").runs()[3].status == "failed"


@pytest.mark.parametrize("kind", ["no_model", "payment", "unauthorized", "rate_limited"])
def test_a_model_that_nobody_can_use_halts_the_run_with_its_work_kept(
    kind: str, tmp_path: Path
) -> None:
    odd = {"status": "failed", "answer": "", "error": "The credit is used up.", "error_kind": kind}
    answer = Scripted({THIRD.question: odd})
    runner, records = run(tmp_path, answer, FIVE)
    assert (len(answer.asked), len(records)) == (3, 2)
    assert runner.reason == "The credit is used up."
    state = runner.cache.state()
    assert state is not None and state.phase == "halted"

    resumed = Scripted()
    _, records = run(tmp_path, resumed, FIVE)
    assert (len(resumed.asked), len(records)) == (3, 5)


def test_asking_again_never_costs_an_answer(tmp_path: Path) -> None:
    run(tmp_path, Scripted(), FIVE)
    nothing = {task.question: {"status": "failed", "answer": ""} for task in FIVE.tasks}
    _, records = run(tmp_path, Scripted(nothing), FIVE, rerun="all")
    assert [record.answer for record in records.values()] == [task.answer for task in FIVE.tasks]


def test_a_stop_keeps_what_is_done_and_leaves_the_rest_to_be_asked(tmp_path: Path) -> None:
    answer = Scripted()
    runner = runner_of(tmp_path, answer, FIVE)
    answer.before = lambda question: runner.stop() if question == THIRD.question else None
    runner.start(FIVE.tasks)
    assert runner.wait(20)
    records = runner.cache.records(FIVE.tasks)
    assert [record.status for record in records.values()] == ["answered", "answered", "stopped"]
    assert records[THIRD.task_id].answer == ""
    resumed = Scripted()
    run(tmp_path, resumed, FIVE)
    assert resumed.asked == [task.question for task in FIVE.tasks[2:]]


def test_a_pause_holds_the_next_question_back_until_the_resume(tmp_path: Path) -> None:
    answer = Scripted()
    runner = runner_of(tmp_path, answer, FIVE)
    answer.before = lambda question: runner.pause() if question == SECOND.question else None
    runner.start(FIVE.tasks)

    def phase() -> str:
        state = runner.cache.state()
        return state.phase if state else ""

    until(lambda: phase() == "paused")
    assert len(runner.cache.records(FIVE.tasks)) == len(answer.asked) == 2
    runner_of(tmp_path, answer, FIVE).resume()  # as another tab or process would
    assert runner.wait(20)
    assert len(answer.asked) == 5


def test_two_runs_cannot_work_on_one_cache(tmp_path: Path) -> None:
    go_on = threading.Event()
    first = Scripted(before=lambda question: go_on.wait(20) and None)
    runner = runner_of(tmp_path, first, FIVE)
    runner.start(FIVE.tasks)
    until(lambda: first.asked)
    second = runner_of(tmp_path, Scripted(), FIVE)
    with pytest.raises(CacheBusyError, match="being run already"):
        second.start(FIVE.tasks)
    assert second.cache.is_locked()
    go_on.set()
    assert runner.wait(20)
    assert not second.cache.is_locked()


def test_whoever_comes_later_sees_what_is_under_way(tmp_path: Path) -> None:
    go_on = threading.Event()
    answer = Scripted(before=lambda question: go_on.wait(20) and None)
    runner = runner_of(tmp_path, answer, FIVE)
    runner.start(FIVE.tasks)
    until(lambda: answer.asked)
    state = runner_of(tmp_path, answer, FIVE).cache.state()
    assert state is not None and state.phase == "running"
    assert RunStore(tmp_path / "runs").is_claimed(state.working[FIVE.tasks[0].task_id])
    go_on.set()
    assert runner.wait(20)


def test_a_question_gets_what_the_run_has_left_and_then_the_run_ends(tmp_path: Path) -> None:
    answer = Scripted()
    runner = runner_of(tmp_path, answer, FIVE, total_budget_s=0.5)
    answer.before = lambda question: threading.Event().wait(0.3) and None
    runner.start(FIVE.tasks)
    assert runner.wait(20)
    assert "0.5 seconds are spent" in runner.reason
    left = [given["left_s"] for given in answer.given]
    assert 1 <= len(left) < 5
    assert all(0 < s <= 0.5 for s in left) and left == sorted(left, reverse=True)
    _, records = run(tmp_path, Scripted(), FIVE)
    assert len(records) == 5


def test_a_question_that_the_run_s_end_cut_short_is_asked_again(tmp_path: Path) -> None:
    cut = {"status": "timed_out", "answer": ""}
    _, records = run(tmp_path, Scripted({SECOND.question: cut}), FIVE, total_budget_s=100)
    assert records[SECOND.task_id].status == "stopped"
    resumed = Scripted()
    run(tmp_path, resumed, FIVE)
    assert resumed.asked == [SECOND.question]


def test_workers_share_the_questions(tmp_path: Path) -> None:
    together = threading.Barrier(3, timeout=20)
    six = benchmark(6)
    answer = Scripted(before=lambda question: together.wait() and None)
    _, records = run(tmp_path, answer, six, workers=3, model="huggingface:org/x")
    assert sorted(answer.asked) == sorted(task.question for task in six.tasks)
    assert len(records) == 6


def test_a_local_model_is_asked_one_question_at_a_time_whatever_is_wanted(tmp_path: Path) -> None:
    at_work = threading.Semaphore(1)

    def alone(question: str) -> None:
        assert at_work.acquire(blocking=False), "two questions at once"
        threading.Event().wait(0.01)
        at_work.release()

    _, records = run(tmp_path, Scripted(before=alone), FIVE, workers=3)
    assert all(record.is_answered for record in records.values())


def places(runner: BenchmarkRunner, task: Task) -> list[str]:
    """What the question under way has been told of its place in the line."""
    state = runner.cache.state()
    if state is None or task.task_id not in state.working:
        return []
    path = RunStore(runner._settings.runs_dir).path(state.working[task.task_id])
    events, _ = read_trace(path)
    return [event.text for event in events if isinstance(event, ModelProgress)]


def test_a_question_waits_its_turn_among_others_and_the_run_pays_nothing_for_it(
    tmp_path: Path,
) -> None:
    line = Line(1)
    runner = runner_of(tmp_path, answer := Scripted(), FIVE, line=line, total_budget_s=1.5)
    with line.join():
        runner.start(FIVE.tasks)
        until(lambda: places(runner, FIVE.tasks[0]) == ["2nd in line"])
        behind = line.join()  # comes after the first question and before the second
        threading.Event().wait(1.6)  # longer than the whole run may take
        assert answer.asked == []
    with behind:
        behind.wait(threading.Event(), lambda event: None)
        until(lambda: places(runner, SECOND) == ["2nd in line"])
        assert answer.asked == [FIVE.tasks[0].question]
    assert runner.wait(20)
    assert len(answer.asked) == 5 and runner.reason == ""


def test_a_run_that_is_stopped_in_the_line_leaves_it(tmp_path: Path) -> None:
    line = Line(1)
    runner = runner_of(tmp_path, answer := Scripted(), FIVE, line=line)
    with line.join():
        runner.start(FIVE.tasks)
        until(lambda: places(runner, FIVE.tasks[0]))
        runner.stop()
        assert runner.wait(20)
    (record,) = runner.cache.records(FIVE.tasks).values()
    assert (record.status, record.reason) == ("stopped", "It was stopped before its turn came.")
    runner.start(FIVE.tasks)
    assert runner.wait(20)
    assert len(answer.asked) == 5


def test_the_prompt_names_a_file_that_is_still_to_be_fetched(tmp_path: Path) -> None:
    task = SECOND.model_copy(update={"file_name": "sales.xlsx"})
    runner = runner_of(tmp_path, Scripted(), FIVE)
    assert runner.build_prompt(SECOND) == SECOND.question
    prompt = runner.build_prompt(task)
    assert prompt.startswith(task.question)
    assert "sales.xlsx" in prompt and "download_task_file" in prompt


def test_a_missing_file_is_named_and_the_question_still_tried(tmp_path: Path) -> None:
    task = SECOND.model_copy(update={"file_name": "sales.xlsx"})
    runner = runner_of(tmp_path, answer := Scripted(), FIVE)
    record, metric = runner.run_one(task)
    assert (record.missing_file, record.status) == ("sales.xlsx", "answered")
    assert metric == record.metric

    given = tmp_path / "by hand.xlsx"
    given.write_bytes(b"rows")
    attach(runner._settings, task, given)
    record, _ = runner.run_one(task)
    assert record.missing_file == ""
    (path,) = answer.given[-1]["files"]
    assert path.name == "sales.xlsx" and path.read_bytes() == b"rows"
    assert answer.asked[-1] == task.question


def test_failures_on_the_way_are_counted_by_kind(tmp_path: Path) -> None:
    failed = CallFinished(step=1, record=CallRecord(role="web_agent", outcome="timed_out"))
    limited = ToolFinished(step=1, name="x", ok=False, text="", error_kind="rate_limited")
    answer = Scripted(events=[failed, limited, limited])
    _, records = run(tmp_path, answer, benchmark(1))
    assert records["task-01"].failures == {"model timed_out": 1, "tool rate_limited": 2}


def test_why_a_file_could_not_be_had_is_kept_in_words_for_people(tmp_path: Path) -> None:
    result = ToolResult.failure("unavailable", "The dataset is gated: set HF_TOKEN.")
    failed = ToolFinished(
        step=1,
        name="download_task_file",
        ok=False,
        text=result.for_model(),
        error_kind="unavailable",
    )
    (task,) = benchmark(1).tasks
    runner = runner_of(tmp_path, Scripted(events=[failed]), benchmark(1))
    record, _ = runner.run_one(task.model_copy(update={"file_name": "sales.xlsx"}))
    assert record.missing_because == "The dataset is gated: set HF_TOKEN."
    record, _ = runner.run_one(task)
    assert record.missing_because == ""


def test_traces_are_read_back_as_runs(tmp_path: Path) -> None:
    _, records = run(tmp_path, Scripted(), benchmark(1))
    events, _ = read_trace(tmp_path / "runs" / f"{records['task-01'].run_id}.jsonl")
    kinds = [json.loads(event.model_dump_json())["type"] for event in events]
    assert kinds == ["run_started", "call_started", "run_finished"]
