"""The manager: threads, turns, Stop, failures, and what is left when the process is killed."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from agent.budget import Budget, Limits
from agent.config import Settings
from agent.obs.events import (
    BudgetChanged,
    CallStarted,
    Event,
    ModelProgress,
    RunFinished,
    RunResult,
    RunStarted,
    Status,
)
from agent.obs.trace import read_trace
from agent.runs.manager import RunManager
from agent.runs.store import UnknownRun


class Answerer:
    """Answers when it is let, or stops when it is told; ``order`` is how questions came."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.let = threading.Event()
        self.began = threading.Semaphore(0)

    def __call__(
        self,
        question: str,
        files: Sequence[Path] = (),
        *,
        model: str = "",
        limits: Limits | None = None,
        task_id: str = "",
        run_id: str = "",
        emit: Callable[[Event], None],
        stop: threading.Event | None = None,
    ) -> RunResult:
        assert stop is not None
        self.order.append(question)
        emit(RunStarted(run_id=run_id, question=question))
        self.began.release()
        if question == "crash":
            budget = Budget(limits or Limits())
            with budget.llm_call("web_agent"):
                emit(CallStarted(step=1, role="web_agent"))
            emit(BudgetChanged(snapshot=budget.snapshot()))
            raise KeyError("surprise")
        while not (self.let.wait(0.005) or stop.is_set()):
            pass
        status: Status = "stopped" if stop.is_set() else "answered"
        result = RunResult(
            run_id=run_id, question=question, answer=model, status=status, stop_reason="Done.",
            llm_calls=0, tool_calls=0, tokens_in=0, tokens_cached=0, tokens_out=0, seconds=0,
            simulated_cost=0,
        )  # fmt: skip
        emit(RunFinished(result=result))
        return result


@pytest.fixture
def answerer() -> Answerer:
    return Answerer()


@pytest.fixture
def manager(tmp_path: Path, answerer: Answerer) -> RunManager:
    return RunManager(Settings(cache_dir=tmp_path), answerer)


def followed(manager: RunManager, run_id: str, offset: int = 0) -> list[Event]:
    async def collect() -> list[Event]:
        return [event async for batch in manager.follow(run_id, offset) for event in batch]

    return asyncio.run(asyncio.wait_for(collect(), 20))


def waits(manager: RunManager, run_id: str, number: int) -> list[str]:
    """What a run that waits has been told, as soon as that is ``number`` things."""

    async def collect() -> list[str]:
        texts: list[str] = []
        async for batch in manager.follow(run_id):
            texts += [event.text for event in batch if isinstance(event, ModelProgress)]
            if len(texts) >= number:
                return texts
        return texts

    return asyncio.run(asyncio.wait_for(collect(), 20))


def outcome(events: list[Event]) -> RunResult:
    assert isinstance(events[-1], RunFinished)
    return events[-1].result


def test_a_run_is_on_disk_from_its_beginning_to_its_end(
    manager: RunManager, answerer: Answerer, tmp_path: Path
) -> None:
    run_id = manager.start("q", [tmp_path / "data.csv"], model="embedded")
    answerer.let.set()
    events = followed(manager, run_id)
    assert [event.type for event in events] == ["run_started", "run_finished"]
    assert events[0].files == (str(tmp_path / "data.csv"),)
    assert outcome(events).answer == "embedded"
    assert read_trace(manager.store.path(run_id))[0] == events


def test_following_can_begin_anywhere_and_any_number_of_times(
    manager: RunManager, answerer: Answerer
) -> None:
    run_id = manager.start("q")
    answerer.began.acquire()
    _, offset = read_trace(manager.store.path(run_id))
    answerer.let.set()
    assert [event.type for event in followed(manager, run_id, offset)] == ["run_finished"]
    assert len(followed(manager, run_id)) == 2


def test_runs_take_turns_in_the_order_they_came(manager: RunManager, answerer: Answerer) -> None:
    ids = [manager.start(question) for question in ("a", "b", "c")]
    assert manager.active() == ids
    manager.stop(ids[0])
    assert waits(manager, ids[2], 2) == ["3rd in line", "2nd in line"]
    assert waits(manager, ids[1], 1) == ["2nd in line"]
    answerer.let.set()
    events = [followed(manager, run_id) for run_id in ids]
    assert answerer.order == ["a", "b", "c"]
    assert [[e.type for e in run].count("run_started") for run in events] == [1, 1, 1]


def test_a_hosted_model_is_asked_several_things_at_once_and_no_more(
    tmp_path: Path, answerer: Answerer
) -> None:
    settings = Settings(_env_file=None, cache_dir=tmp_path, hosted_concurrency=2)
    manager = RunManager(settings, answerer)
    ids = [manager.start(question, model="huggingface:org/x") for question in ("a", "b", "c")]
    assert waits(manager, ids[2], 1) == ["2nd in line"]
    manager.start("local")  # waits for none of them
    for _ in range(3):
        answerer.began.acquire()
    assert sorted(answerer.order) == ["a", "b", "local"]
    manager.stop(ids[0])
    answerer.began.acquire()
    assert answerer.order[3] == "c"
    answerer.let.set()
    for run_id in ids[1:]:
        assert outcome(followed(manager, run_id)).status == "answered"


def test_a_run_is_stopped(manager: RunManager, answerer: Answerer) -> None:
    run_id = manager.start("q")
    answerer.began.acquire()
    manager.stop(run_id)
    assert outcome(followed(manager, run_id)).status == "stopped"


def test_a_waiting_run_is_stopped_without_having_been_asked(
    manager: RunManager, answerer: Answerer
) -> None:
    first, second = manager.start("a"), manager.start("b")
    manager.stop(second)
    assert outcome(followed(manager, second)).status == "stopped"
    answerer.let.set()
    assert outcome(followed(manager, first)).status == "answered"
    assert answerer.order == ["a"]


def test_an_unforeseen_error_ends_the_run_in_one_sentence_with_what_it_spent(
    manager: RunManager, answerer: Answerer
) -> None:
    run_id = manager.start("crash")
    result = outcome(followed(manager, run_id))
    assert result.status == "failed"
    assert result.stop_reason.startswith("The program failed unexpectedly (KeyError). Details are")
    assert result.answer == ""
    assert result.llm_calls == 1
    answerer.let.set()
    assert outcome(followed(manager, manager.start("next"))).status == "answered"


def test_nobody_follows_what_is_no_run(manager: RunManager) -> None:
    with pytest.raises(UnknownRun):
        manager.follow("../secrets")
    assert followed(manager, "20200101-no-such-run") == []


def test_a_run_whose_process_was_killed_is_interrupted_and_keeps_its_events(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _ENDLESS, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    run_id = process.stdout.readline().strip()
    here = RunManager(Settings(cache_dir=tmp_path), Answerer())
    assert here.is_alive(run_id)
    assert here.store.runs()[0].status == "running"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not here.is_alive(run_id)
    assert here.store.runs()[0].status == "interrupted"
    assert [event.type for event in followed(here, run_id)] == ["run_started"]


_ENDLESS = """
import sys, threading
from pathlib import Path
from agent.config import Settings
from agent.runs.manager import RunManager
from tests.runs.test_manager import Answerer
answerer = Answerer()
run_id = RunManager(Settings(cache_dir=Path(sys.argv[1])), answerer).start("q")
answerer.began.acquire()
print(run_id, flush=True)
threading.Event().wait()
"""
