"""What a run took and brought, as one page with its plots; two runs side by side."""

import base64
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from agent.eval.cache import Cache
from agent.eval.files import write_atomically
from agent.eval.questions import Benchmark, Task
from agent.eval.record import TaskRecord
from agent.eval.scorers import Verdict, judge
from agent.obs.metrics import PriceBasis, Timing

PAGE = "report.html"


@dataclass(frozen=True)
class Run:
    """The records of one run of a benchmark, under the name that tells it from another."""

    name: str
    tasks: tuple[Task, ...]
    records: Mapping[str, TaskRecord]

    @classmethod
    def read(cls, benchmark: Benchmark, cache: Cache) -> "Run":
        """The run that is on disk."""
        about = cache.about
        name = about.model if about else cache.folder.name
        return cls(name, benchmark.tasks, cache.records(benchmark.tasks))

    @property
    def in_order(self) -> list[TaskRecord]:
        """The records in the order in which they were written."""
        return sorted(self.records.values(), key=lambda record: record.at)

    @property
    def totals(self) -> "Totals":
        """All records added up."""
        return Totals.of(self.records.values())

    def verdict(self, task: Task) -> Verdict | None:
        """Whether a task's answer is right, where the truth is known."""
        if task.answer is None:
            return None
        record = self.records.get(task.task_id)
        return judge(record.answer if record else "", task.answer)

    def right(self) -> "Right | None":
        """How many are right, or None where no truth is known."""
        verdicts = [found for task in self.tasks if (found := self.verdict(task))]
        if not verdicts:
            return None
        return Right(sum(v.gaia for v in verdicts), sum(v.course for v in verdicts))


class Right(NamedTuple):
    """How many answers are right by each of the two rules."""

    gaia: int
    course: int


@dataclass(frozen=True)
class Totals:
    """A run added up. ``cost`` is US dollars, by ``price_bases`` (two where a run went on with
    another version); ``failures`` is how often what failed."""

    answered: int
    llm_calls: int
    tool_calls: int
    tokens_in: int
    tokens_cached: int
    tokens_out: int
    seconds: float
    timing: Timing
    cost: float
    price_bases: tuple[PriceBasis, ...]
    statuses: Counter[str]
    failures: Counter[str]

    @classmethod
    def of(cls, records: Iterable[TaskRecord]) -> "Totals":
        """The sum of some records."""
        kept = list(records)
        metrics = [record.metric for record in kept]
        return cls(
            answered=sum(1 for record in kept if record.answer),
            llm_calls=sum(m.llm_calls for m in metrics),
            tool_calls=sum(m.tool_calls for m in metrics),
            tokens_in=sum(m.tokens_in for m in metrics),
            tokens_cached=sum(m.tokens_cached for m in metrics),
            tokens_out=sum(m.tokens_out for m in metrics),
            seconds=round(sum(m.seconds for m in metrics), 1),
            timing=Timing.total(m.timing for m in metrics),
            cost=round(sum(m.simulated_cost for m in metrics), 4),
            price_bases=tuple(dict.fromkeys(m.price_basis for m in metrics)),
            statuses=Counter(record.status.replace("_", " ") for record in kept),
            failures=sum((Counter(record.failures) for record in kept), Counter()),
        )


def write_report(
    folder: Path, benchmark: Benchmark, cache: Cache, other: Cache | None = None
) -> Path:
    """Write the page and its plots into ``folder``; with ``other``, both runs side by side.

    Returns:
        The page, which holds the plots itself too.

    Raises:
        OSError: the folder cannot be written.
    """
    from agent.eval.plots import answers_over_calls, seconds_per_question

    runs = [Run.read(benchmark, each) for each in (cache, other) if each]
    plots = {
        "answers-over-calls": answers_over_calls(runs),
        "seconds-per-question": seconds_per_question(runs),
    }
    for name, png in plots.items():
        write_atomically(folder / f"{name}.png", png)
    write_atomically(folder / PAGE, _page(benchmark, runs, plots).encode())
    return folder / PAGE


def _page(benchmark: Benchmark, runs: list[Run], plots: Mapping[str, bytes]) -> str:
    """Everything in it is escaped: questions and answers are a stranger's text."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("agent.eval"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("report.html").render(
        source=benchmark.source,
        tasks=benchmark.tasks,
        runs=runs,
        plots={name: base64.b64encode(png).decode() for name, png in plots.items()},
        made=time.strftime("%d %b %Y, %H:%M"),
    )
