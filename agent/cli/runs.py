"""``runs``: what was asked before, from the traces on disk."""

import argparse
import sys
import time
from typing import TYPE_CHECKING, Any

from agent.cli.settings import load_settings

if TYPE_CHECKING:
    from agent.runs.store import RunStore


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("runs", help="list earlier runs, or show one again")
    parser.add_argument("run_id", nargs="?", help="show this run's steps again")
    parser.add_argument("--limit", type=int, default=20, metavar="N")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """List the latest runs, or replay one."""
    from agent.runs.store import RunStore

    store = RunStore(load_settings().runs_dir)
    if arguments.run_id:
        return _replay(store, arguments.run_id)
    return _list(store, arguments.limit)


def _list(store: "RunStore", limit: int) -> int:
    from rich.console import Console
    from rich.table import Table

    table = Table("Run", "When", "Status", "Question", "Answer")
    for summary in store.runs(limit):
        when = time.strftime("%d %b %H:%M", time.localtime(summary.at))
        table.add_row(summary.run_id, when, summary.status, summary.question[:60], summary.answer)
    Console().print(table)
    return 0


def _replay(store: "RunStore", run_id: str) -> int:
    from agent.cli.steps import StepPrinter
    from agent.obs.trace import read_trace

    if not store.exists(run_id):
        print(f"There is no run {run_id}: `python -m agent runs` lists them.", file=sys.stderr)
        return 1
    show = StepPrinter()
    events, _ = read_trace(store.path(run_id))
    for event in events:
        show(event)
    return 0
