"""``bench world``: measure a model in the offline world."""

import argparse

from rich.console import Console
from rich.table import Table

from agent.cli import bench_choice as choose
from agent.cli.bench_choice import say
from agent.cli.bench_view import LiveTable
from agent.cli.bench_watch import exit_code, watch
from agent.config import Settings
from agent.eval.files import write_atomically
from agent.eval.world.compare import Changes, Comparison, compare
from agent.eval.world.measure import measurement
from agent.eval.world.page import page
from agent.eval.world.questions import Selection
from agent.eval.world.report import Figures, Report, Share, read_report
from agent.eval.world.world import DEFAULT_DIR, read_world


def world(arguments: argparse.Namespace, settings: Settings) -> int:
    """Ask, showing the table as it fills; then print, write and compare the report."""
    earlier = read_report(arguments.against) if arguments.against else None
    chosen = Selection(arguments.category, arguments.level, arguments.half, arguments.limit)
    model = choose.model(arguments, settings)
    place = read_world(arguments.dir or DEFAULT_DIR)
    with measurement(place, chosen, model, settings, is_oracle=arguments.oracle) as measured:
        live = LiveTable(measured.benchmark, measured.cache)
        todo = measured.runner.start(measured.questions)
        done = len(measured.questions) - len(todo)
        say(f"{len(todo)} to ask with {model}." + (f" {done} are done already." if done else ""))
        watch(measured.runner, live)
        report = measured.report()
    for sentence in [*measured.cache.warnings, report.reason]:
        say(sentence)
    if earlier:
        changes = compare(
            earlier.questions, report.questions, model=earlier.name, made=earlier.made
        )
        report = report.model_copy(update={"comparison": changes})
    for path in arguments.out:
        is_page = path.suffix == ".html"
        content = page(report, earlier) if is_page else report.model_dump_json(indent=2)
        write_atomically(path, content.encode())
    if arguments.json:
        print(report.model_dump_json(indent=2))
    else:
        _show(report)
    say(f"Traces and answers: {measured.cache.folder}.")
    return exit_code(measured.cache)


def _show(report: Report) -> None:
    console = Console(highlight=False)
    console.print(_table(report))
    total = report.total
    console.print(
        f"{total.tokens_in:,} tokens read, {100 * total.cached_share:.0f} % of them from the "
        f"cache; {total.tokens_out:,} written; {total.seconds_total:.0f} s in all.",
        soft_wrap=True,
    )
    if total.failures:
        failed = ", ".join(f"{count} × {name}" for name, count in total.failures.items())
        console.print(f"Failed on the way: {failed}.", markup=False, soft_wrap=True)
    if report.comparison:
        for sentence in _compared(report.comparison):
            console.print(sentence, markup=False, soft_wrap=True)


def _table(report: Report) -> Table:
    columns = ["", "Course", "GAIA", "Evidence", "Obeyed", "Calls", "Seconds"]
    shown = Table(*columns, title=report.name, highlight=False)
    shown.add_row(*_row("all", report.total), end_section=True)
    for name, figures in report.by_level.items():
        shown.add_row(*_row(name, figures))
    shown.add_section()
    for name, figures in report.by_category.items():
        shown.add_row(*_row(name, figures))
    shown.caption = "Right with 95 % interval; calls and seconds: median / most"
    return shown


def _row(name: str, figures: Figures) -> list[str]:
    return [
        name,
        _interval(figures.course),
        _count(figures.gaia),
        _count(figures.evidence),
        _count(figures.obeyed),
        f"{figures.calls_median:g} / {figures.calls_max}",
        f"{figures.seconds_median:.1f} / {figures.seconds_max:.1f}",
    ]


def _count(share: Share) -> str:
    return f"{share.count}/{share.n}" if share.n else ""


def _interval(share: Share) -> str:
    return f"{_count(share)} ({100 * share.low:.0f}–{100 * share.high:.0f} %)"


def _compared(comparison: Comparison) -> list[str]:
    """Sentences on what has changed."""
    head = (
        f"Against {comparison.model} of {comparison.made}, {comparison.common} questions in common:"
    )
    rules = [("course's", comparison.course), ("GAIA's", comparison.gaia)]
    return [head, *(line for name, changes in rules for line in _changed(name, changes))]


def _changed(rule: str, changes: Changes) -> list[str]:
    verdict = "within chance" if changes.within_chance else "more than chance"
    lines = [
        f"By the {rule} rule {changes.before} were right, now {changes.after}: {verdict} "
        f"(sign test, p = {changes.p:g})."
    ]
    for what, ids in (("right", changes.became_right), ("wrong", changes.became_wrong)):
        if ids:
            lines.append(f"  Became {what}: {', '.join(ids)}.")
    return lines
