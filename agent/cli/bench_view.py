"""A benchmark's run on the terminal: the line that says how it stands, and the table of tasks."""

import time
from collections.abc import Mapping
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from agent.eval.cache import Cache
from agent.eval.progress import State
from agent.eval.questions import Benchmark, Task
from agent.eval.record import TaskRecord
from agent.eval.scorers import judge

_STYLE = {
    "answered": "green",
    "budget_spent": "yellow",
    "timed_out": "yellow",
    "stopped": "cyan",
    "failed": "red",
    "working": "bold cyan",
}
_QUESTION_CHARS = 48


def status_line(benchmark: Benchmark, records: Mapping[str, TaskRecord]) -> str:
    """How many tasks have an answer, and when the last came: "12 of 20 cached, last 14:02"."""
    answered = sum(1 for record in records.values() if record.answer)
    line = f"{answered} of {len(benchmark.tasks)} cached"
    if not records:
        return line
    last = max(record.at for record in records.values())
    return f"{line}, last {time.strftime('%H:%M', time.localtime(last))}"


def as_json(
    benchmark: Benchmark, cache: Cache, records: Mapping[str, TaskRecord]
) -> dict[str, Any]:
    """Everything that the table shows, and more."""
    state = cache.state()
    return {
        "source": benchmark.source,
        "cache": str(cache.folder),
        "run": cache.about.model_dump() if cache.about else None,
        "state": state.model_dump() if state else None,
        "answered": sum(1 for record in records.values() if record.answer),
        "total": len(benchmark.tasks),
        "warnings": cache.warnings,
        "tasks": [_task_as_json(task, records.get(task.task_id)) for task in benchmark.tasks],
    }


def table(tasks: tuple[Task, ...], records: Mapping[str, TaskRecord], state: State | None) -> Table:
    """One row a task, in their order."""
    working = state.working if state else {}
    knows = any(task.answer is not None for task in tasks)
    columns = ["#", "Task", "Question", "Answer", "Status", "Calls", "Seconds", "Note"]
    shown = Table(*columns, *(["GAIA", "Course"] if knows else []), highlight=False)
    for number, task in enumerate(tasks, 1):
        record = records.get(task.task_id)
        status = "working" if task.task_id in working else record.status if record else ""
        shown.add_row(
            str(number),
            task.task_id[:8],
            escape(" ".join(task.question.split())[:_QUESTION_CHARS]),
            escape(record.answer if record else ""),
            f"[{_STYLE[status]}]{status.replace('_', ' ')}[/]" if status else "",
            str(record.metric.llm_calls) if record else "",
            f"{record.metric.seconds:.1f}" if record else "",
            escape(note(task, record)),
            *(_verdict(task, record) if knows else ()),
        )
    return shown


def note(task: Task, record: TaskRecord | None) -> str:
    """What to know of a row: a file that is missing, or why it did not end well."""
    if record is None:
        return task.file_name
    if record.missing_file:
        return f"{record.missing_file} is missing"
    return "" if record.is_answered else record.reason


def missing_files(records: Mapping[str, TaskRecord]) -> list[str]:
    """One sentence for each file that could not be had, with what to do."""
    return [
        f"{record.missing_file} is missing. {record.missing_because} ".rstrip()
        + f" Give it with `bench attach {record.task_id} PATH`."
        for record in records.values()
        if record.missing_file
    ]


class LiveTable:
    """The table as it fills, on stderr; where that is no terminal, a line for each task.

    What is on disk when it is made is not news.
    """

    def __init__(self, benchmark: Benchmark, cache: Cache) -> None:
        self._benchmark, self._cache = benchmark, cache
        self._console = Console(stderr=True, highlight=False)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
        )
        self._row = self._bar.add_task("", total=None)
        self._live = Live(console=self._console, auto_refresh=False)
        self._said = {id_: record.run_id for id_, record in self._records().items()}

    def __enter__(self) -> "LiveTable":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def show(self) -> None:
        """Show how it stands on disk now."""
        records, state = self._records(), self._cache.state()
        if not self._console.is_terminal:
            self._say_new(records)
        elif state:
            self._bar.update(
                self._row,
                description=state.phase,
                total=len(state.tasks),
                completed=sum(
                    self._is_new(id_, records) and records[id_].is_done for id_ in state.tasks
                ),
            )
            shown = table(self._benchmark.tasks, records, state)
            self._live.update(Group(shown, self._bar), refresh=True)

    def _say_new(self, records: Mapping[str, TaskRecord]) -> None:
        for number, task in enumerate(self._benchmark.tasks, 1):
            if self._is_new(task.task_id, records):
                record = records[task.task_id]
                self._said[task.task_id] = record.run_id
                why = note(task, record)
                self._console.print(
                    f"{number}/{len(self._benchmark.tasks)} {task.task_id} "
                    f"{record.status.replace('_', ' ')} {escape(repr(record.answer))} "
                    f"{record.metric.seconds:.1f} s{escape(f' ({why})' if why else '')}",
                    soft_wrap=True,
                )

    def _is_new(self, task_id: str, records: Mapping[str, TaskRecord]) -> bool:
        """Whether a task's record was written since the table was made (or it was last said)."""
        return task_id in records and records[task_id].run_id != self._said.get(task_id)

    def _records(self) -> dict[str, TaskRecord]:
        return self._cache.records(self._benchmark.tasks)


def _task_as_json(task: Task, record: TaskRecord | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "task_id": task.task_id,
        "question": task.question,
        "file_name": task.file_name,
        "record": record.model_dump() if record else None,
    }
    if task.answer is not None:
        verdict = judge(record.answer if record else "", task.answer)
        found |= {"truth": task.answer, "gaia": verdict.gaia, "course": verdict.course}
    return found


def _verdict(task: Task, record: TaskRecord | None) -> tuple[str, str]:
    if record is None or task.answer is None:
        return "", ""
    verdict = judge(record.answer, task.answer)
    return _MARK[verdict.gaia], _MARK[verdict.course]


_MARK = {True: "[green]right[/]", False: "[red]wrong[/]"}
