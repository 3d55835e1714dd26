"""Kill -9 at random instants: nothing that was answered is asked again, nothing is lost.

``KILLS=200 python -m pytest tests/eval/test_kill.py`` does it that many times.
"""

import multiprocessing
import os
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agent.eval.cache import Cache
from tests.eval.scripted import Scripted, benchmark, runner_of, until

KILLS = int(os.environ.get("KILLS", "8"))
TWENTY = benchmark(20)
QUESTION_S = 0.01

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no kill -9")


def work(folder: Path, log: Path, gate: Path) -> None:
    """A run in a process of its own; each question is logged before it is answered, and waits while
    ``gate`` is there."""
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def before(question: str) -> None:
        os.write(handle, f"{question}\n".encode())
        time.sleep(QUESTION_S)
        until(lambda: not gate.exists())

    runner = runner_of(folder, Scripted(before=before), TWENTY)
    runner.start(TWENTY.tasks)
    runner.wait()


@dataclass
class Machine:
    """Starts runs in ``folder`` in processes that begin with everything imported."""

    folder: Path

    @property
    def log(self) -> Path:
        return self.folder / "asked.log"

    @property
    def gate(self) -> Path:
        return self.folder / "gate"

    def start(self) -> Any:
        process = _forks().Process(
            target=work, args=(self.folder, self.log, self.gate), daemon=True
        )
        process.start()
        return process

    def asked(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []

    @property
    def cache(self) -> Cache:
        return runner_of(self.folder, Scripted(), TWENTY).cache

    def on_disk(self) -> dict[str, bytes]:
        return {path.stem: path.read_bytes() for path in self.cache.tasks.glob("*.json")}

    def contents(self) -> dict[str, Any]:
        """The records, but for what differs between any two runs."""
        records = self.cache.records(TWENTY.tasks)
        return {id_: record.model_dump(exclude={"at", "run_id"}) for id_, record in records.items()}


def _forks() -> Any:
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload(["tests.eval.test_kill"])
    return forks


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a run that nobody kills leaves."""
    machine = Machine(tmp_path_factory.mktemp("unbroken"))
    machine.start().join()
    return machine.contents()


@pytest.mark.parametrize("seed", range(KILLS))
def test_after_a_kill_nothing_is_asked_twice_and_nothing_is_lost(
    seed: int, unbroken: dict[str, Any], tmp_path: Path
) -> None:
    machine = Machine(tmp_path)
    process = machine.start()
    instant = random.Random(seed).uniform(0, len(TWENTY.tasks))
    until(lambda: len(machine.asked()) > instant or not process.is_alive())
    time.sleep(instant % 1 * 2 * QUESTION_S)
    process.kill()
    process.join()

    kept, asked = machine.on_disk(), machine.asked()
    if table := os.environ.get("KILL_TABLE"):
        with Path(table).open("a") as file:
            file.write(f"{seed}\t{process.exitcode}\t{len(asked)}\t{len(kept)}\n")
    assert len(asked) - len(kept) in (0, 1)  # the one under way is all that may be lost
    state = machine.cache.state()
    assert state is not None and state.phase in ("interrupted", "finished")

    resumed = machine.start()
    resumed.join()
    assert resumed.exitcode == 0
    answered = {task.question for task in TWENTY.tasks if task.task_id in kept}
    assert not answered & set(machine.asked()[len(asked) :])
    assert machine.on_disk().items() >= kept.items()
    assert machine.contents() == unbroken
    assert not (machine.cache.folder / "set-aside").exists()
    assert list(machine.cache.tasks.glob(".*")) == []


def test_a_killed_process_frees_its_cache(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    process = machine.start()
    until(lambda: len(machine.asked()) > 2)
    assert machine.cache.is_locked()
    process.kill()
    process.join()
    assert not machine.cache.is_locked()


def test_a_second_process_finds_the_cache_busy_and_asks_nothing(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.gate.touch()
    first = machine.start()
    until(machine.asked)
    second = machine.start()
    second.join()
    assert second.exitcode != 0
    machine.gate.unlink()
    first.join()
    assert first.exitcode == 0
    assert machine.asked() == [task.question for task in TWENTY.tasks]
