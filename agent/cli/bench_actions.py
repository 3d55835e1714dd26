"""What each ``bench`` command does; the exit code says how it ended."""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from agent.cli import bench_choice as choose
from agent.cli.bench_choice import say
from agent.cli.bench_view import LiveTable, as_json, missing_files, status_line, table
from agent.cli.bench_watch import exit_code, watch
from agent.cli.bench_world import world
from agent.config import Settings
from agent.core.orchestrator import Orchestrator
from agent.eval import archive, attachments
from agent.eval.cache import Cache
from agent.eval.errors import BenchmarkError
from agent.eval.report import Run, write_report
from agent.eval.runner import BenchmarkRunner
from agent.eval.scoring_api import ScoringAPI
from agent.eval.submit import Submission, prepare, send
from agent.runs.line import Lines


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """Ask, showing the table as it fills."""
    benchmark = choose.questions(arguments, settings, refresh=True)
    model = choose.model(arguments, settings)
    cache = Cache.of(benchmark, arguments.user, model, settings)
    runner = BenchmarkRunner(
        settings,
        cache,
        Orchestrator(settings).answer,
        line=Lines(settings).of(model),
        model=model,
        workers=arguments.workers,
    )
    live = LiveTable(benchmark, cache)
    todo = runner.start(choose.selected(benchmark, arguments), arguments.rerun)
    say(f"{len(todo)} to ask with {model}.")
    watch(runner, live)
    records = cache.records(benchmark.tasks)
    line = status_line(benchmark, records)
    for sentence in [*missing_files(records), *cache.warnings, runner.reason, line]:
        say(sentence)
    if arguments.json:
        print(json.dumps(as_json(benchmark, cache, records), indent=2))
    return exit_code(cache)


def status(arguments: argparse.Namespace, settings: Settings) -> int:
    """Show what is on disk."""
    benchmark, cache = choose.kept(arguments, settings)
    records = cache.records(benchmark.tasks)
    if arguments.json:
        print(json.dumps(as_json(benchmark, cache, records), indent=2))
        return 0
    state = cache.state()
    console = Console(highlight=False)
    console.print(status_line(benchmark, records), markup=False)
    if state:
        console.print(f"The latest run: {state.phase}. {state.reason}".strip(), markup=False)
    console.print(table(benchmark.tasks, records, state))
    for sentence in [*missing_files(records), *cache.warnings]:
        say(sentence)
    return 0


def score(arguments: argparse.Namespace, settings: Settings) -> int:
    """Judge by both rules."""
    benchmark, cache = choose.kept(arguments, settings)
    records = cache.records(benchmark.tasks)
    right = Run.read(benchmark, cache).right()
    if right is None:
        raise BenchmarkError(
            "The true answers are not known here: the course keeps them, and `submit` asks it."
        )
    if arguments.json:
        found = as_json(benchmark, cache, records)
        print(json.dumps({**found, "gaia": right.gaia, "course": right.course}, indent=2))
    else:
        console = Console(highlight=False)
        console.print(table(benchmark.tasks, records, None))
        of = f"of {len(benchmark.tasks)} right"
        console.print(f"{right.course} {of} by the course's rule, {right.gaia} by GAIA's.")
    return 0


def submit(arguments: argparse.Namespace, settings: Settings) -> int:
    """Show, ask, send once."""
    benchmark, cache = choose.kept(arguments, settings)
    submission = prepare(
        benchmark,
        cache.records(benchmark.tasks),
        settings,
        username=arguments.user,
        agent_code=arguments.agent_code,
    )
    _show(submission)
    if not arguments.yes and not _agrees():
        say("Nothing was sent.")
        return 1
    receipt = send(submission, cache, ScoringAPI(settings), again=arguments.again)
    score = receipt.score
    assert score is not None  # whatever else becomes of it is an error
    if arguments.json:
        print(receipt.model_dump_json(indent=2))
    else:
        print(f"{score.score:g} % ({score.correct_count} right). {score.message}")
    return 0


def attach(arguments: argparse.Namespace, settings: Settings) -> int:
    """Take a file for a task."""
    benchmark = choose.questions(arguments, settings)
    task = choose.task(benchmark, arguments.task_id)
    name = attachments.attach(settings, task, arguments.path)
    say(f"Task {task.task_id} has {name}. `bench run --rerun failed` asks it again.")
    return 0


def export(arguments: argparse.Namespace, settings: Settings) -> int:
    """Write the zip."""
    _, cache = choose.kept(arguments, settings)
    say(f"{archive.export_run(cache, settings, arguments.path)} tasks are in {arguments.path}.")
    return 0


def import_(arguments: argparse.Namespace, settings: Settings) -> int:
    """Read a zip."""
    source = str(Path(arguments.source).resolve()) if arguments.source else ""
    cache = archive.import_run(arguments.path, settings, source)
    for warning in cache.warnings:
        say(warning)
    about = cache.about
    assert about is not None
    say(f"Taken: the run of {about.model}{f' by {about.user}' if about.user else ''}.")
    return 0


def report(arguments: argparse.Namespace, settings: Settings) -> int:
    """Write the page."""
    benchmark, cache = choose.kept(arguments, settings)
    against = arguments.against
    other = choose.of_model(benchmark, arguments, settings, against) if against else None
    page = write_report(arguments.folder, benchmark, cache, other)
    say(f"Open {page}.")
    return 0


def _show(submission: Submission) -> None:
    """Exactly what will be sent, and what there is to say about it."""
    for line in submission.lines:
        say(f"{line.task.task_id}  {line.answer!r}")
        for fault in line.faults:
            say(f"    {fault}")
    say(f"User name: {submission.username}\nCode: {submission.agent_code}")
    if submission.missing:
        say(f"{len(submission.missing)} of the questions have no answer and count as wrong.")


def _agrees() -> bool:
    print("Send these answers? Type yes: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() == "yes"


ACTIONS: dict[str, Callable[[argparse.Namespace, Settings], int]] = {
    "run": run,
    "status": status,
    "score": score,
    "submit": submit,
    "attach": attach,
    "export": export,
    "import": import_,
    "report": report,
    "world": world,
}
