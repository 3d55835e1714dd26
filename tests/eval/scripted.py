"""A benchmark of arithmetic, and an answerer that needs no model and says what it does."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.config import Settings
from agent.eval.cache import Cache
from agent.eval.questions import Benchmark, Task
from agent.eval.record import TaskRecord
from agent.eval.runner import BenchmarkRunner
from agent.obs.events import CallStarted, Event, RunFinished, RunResult, RunStarted
from agent.obs.metrics import Timing
from agent.runs.line import Line, Lines

MODEL = "ollama:scripted"


def settings_for(folder: Path, **changed: Any) -> Settings:
    """Settings that write into this folder alone and reach nobody."""
    reach_nobody = {"scoring_api_url": "http://127.0.0.1:9", "hf_endpoint": "http://127.0.0.1:9"}
    return Settings(_env_file=None, cache_dir=folder, **reach_nobody | changed)


def benchmark(count: int = 20, kind: Any = "course") -> Benchmark:
    """``count`` questions whose answers are known."""
    tasks = (
        Task(
            task_id=f"task-{n:02}",
            question=f"What is {n} times 17?",
            answer=str(n * 17),
            workspace=f"task-{n:02}",
        )
        for n in range(1, count + 1)
    )
    return Benchmark(kind, "http://127.0.0.1:9", tuple(tasks))


def result_of(question: str, run_id: str, **changed: Any) -> RunResult:
    """The right answer, and what it took: the same each time."""
    words = question.split()
    values: dict[str, Any] = {
        "run_id": run_id,
        "question": question,
        "answer": str(int(words[2]) * 17) if "times" in words else "yes",
        "status": "answered",
        "stop_reason": "The team found an answer.",
        "llm_calls": 3,
        "tool_calls": 1,
        "tokens_in": 900,
        "tokens_cached": 600,
        "tokens_out": 60,
        "seconds": 1.5,
        "simulated_cost": 0.001,
        "timing": Timing(
            prompt_seconds=1, prompt_tokens=300, generation_seconds=3, generation_tokens=60
        ),
        "model": MODEL,
    }
    return RunResult(**values | changed)


@dataclass
class Scripted:
    """Answers rightly, but for what ``odd`` says by question: changes to the result, or an
    exception to raise. ``asked`` are the questions so far, ``given`` what came with each."""

    odd: dict[str, dict[str, Any] | Exception] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    given: list[dict[str, Any]] = field(default_factory=list)
    before: Callable[[str], None] = lambda question: None
    """Called with each question before it is answered."""
    events: Sequence[Event] = ()
    """What happens on the way to each answer."""

    def __call__(
        self,
        question: str,
        files: Sequence[Path] = (),
        *,
        model: str = "",
        task_id: str = "",
        run_id: str = "",
        emit: Callable[[Event], None],
        stop: threading.Event | None = None,
        total_left_s: float | None = None,
    ) -> RunResult:
        self.asked.append(question)
        self.given.append({"files": list(files), "task_id": task_id, "left_s": total_left_s})
        emit(RunStarted(run_id=run_id, question=question, task_id=task_id))
        emit(CallStarted(step=1, role="supervisor"))
        for event in self.events:
            emit(event)
        self.before(question)
        odd = self.odd.get(question, {})
        if isinstance(odd, Exception):
            raise odd
        if stop is not None and stop.is_set():
            odd = {"status": "stopped", "answer": "half an answer"}
        result = result_of(question, run_id, **odd)
        emit(RunFinished(result=result))
        return result


def run(
    folder: Path,
    answer: Any,
    questions: Benchmark,
    *,
    rerun: Any = "nothing",
    workers: int = 1,
    model: str = MODEL,
    **settings: Any,
) -> tuple[BenchmarkRunner, dict[str, TaskRecord]]:
    """A whole run, and what it left on disk."""
    runner = runner_of(folder, answer, questions, workers=workers, model=model, **settings)
    runner.start(questions.tasks, rerun)
    assert runner.wait(30)
    return runner, runner.cache.records(questions.tasks)


def runner_of(
    folder: Path,
    answer: Any,
    questions: Benchmark,
    *,
    line: Line | None = None,
    workers: int = 1,
    model: str = MODEL,
    **settings: Any,
) -> BenchmarkRunner:
    """A runner over the cache that its settings lead to, by default with a line of its own."""
    found = settings_for(folder, **settings)
    cache = Cache.of(questions, "someone", model, found)
    line = line or Lines(found).of(model)
    return BenchmarkRunner(found, cache, answer, line=line, model=model, workers=workers)


def until(condition: Callable[[], Any], seconds: float = 20.0) -> None:
    """Wait for a condition."""
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up, "it did not come about"
        time.sleep(0.005)
