"""Which questions, which run and which model the words of a ``bench`` command mean."""

import argparse
import sys

from agent.config import Settings
from agent.eval.cache import Cache, caches
from agent.eval.errors import BenchmarkError
from agent.eval.questions import Benchmark, Task, load
from agent.llm.names import ModelName
from agent.llm.status import model_status


def questions(
    arguments: argparse.Namespace, settings: Settings, *, refresh: bool = False
) -> Benchmark:
    """The questions; a notice about them goes to stderr."""
    benchmark = load(arguments.source, settings, refresh=refresh)
    if benchmark.notice:
        say(benchmark.notice)
    return benchmark


def model(arguments: argparse.Namespace, settings: Settings) -> str:
    """The whole name of the model that will answer."""
    asked = arguments.model or settings.model
    return str(ModelName.parse(asked)) if asked else model_status(settings).model


def kept(arguments: argparse.Namespace, settings: Settings) -> tuple[Benchmark, Cache]:
    """The questions and the run that is meant."""
    benchmark = questions(arguments, settings)
    return benchmark, of_model(benchmark, arguments, settings, arguments.model)


def of_model(
    benchmark: Benchmark, arguments: argparse.Namespace, settings: Settings, model: str
) -> Cache:
    """The latest run of these questions by this user (else by nobody named) and, where one is
    given, this model."""
    name = str(ModelName.parse(model)) if model else ""
    found = [
        (cache, cache.about.user)
        for cache in caches(settings, benchmark.source)
        if cache.about and name in ("", cache.about.model)
    ]
    for user in (arguments.user, ""):
        for cache, owner in found:
            if owner == user:
                return cache
    there = ", ".join(sorted({owner for _, owner in found}))
    raise BenchmarkError(
        f"There is no such run; there are runs of {there}: name one with --user."
        if there
        else "There is no such run yet: `python -m agent bench run` makes one."
    )


def selected(benchmark: Benchmark, arguments: argparse.Namespace) -> list[Task]:
    """The tasks that a run is limited to."""
    if arguments.only:
        return [task(benchmark, task_id) for task_id in dict.fromkeys(arguments.only)]
    return list(benchmark.tasks[: arguments.limit])


def task(benchmark: Benchmark, task_id: str) -> Task:
    """The task whose id is, or alone begins with, ``task_id``."""
    exact = [task for task in benchmark.tasks if task.task_id == task_id]
    found = exact or [task for task in benchmark.tasks if task.task_id.startswith(task_id)]
    if len(found) != 1:
        raise BenchmarkError(f"There is {'no' if not found else 'more than one'} task {task_id}.")
    return found[0]


def say(sentence: str) -> None:
    """To stderr: stdout is for results."""
    if sentence:
        print(sentence, file=sys.stderr)
