"""The list of runs as HTML."""

import time
from collections.abc import Iterable
from datetime import UTC, datetime

from agent.runs.store import RunStatus, RunSummary
from agent.ui.markup import line, render, words

_TONES: dict[RunStatus, str] = {
    "answered": "good",
    "budget_spent": "warn",
    "timed_out": "warn",
    "interrupted": "warn",
    "stopped": "calm",
    "failed": "bad",
    "running": "busy",
}


def listing(summaries: Iterable[RunSummary], *, filtered: bool = False, now: float = 0.0) -> str:
    """One button a run; ``now`` is Unix time, by default the present."""
    now = now or time.time()
    lines = [
        {
            "run_id": run.run_id,
            "status": words(run.status),
            "tone": _TONES[run.status],
            "question": line(run.question),
            "answer": line(run.answer),
            "at": datetime.fromtimestamp(run.at, UTC).isoformat(timespec="seconds"),
            "when": ago(now - run.at),
        }
        for run in summaries
    ]
    return render("runs.html", runs=lines, filtered=filtered)


def ago(seconds: float) -> str:
    """Time passed, in the largest unit that fits: ``3 min ago``."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit} ago"
    return "just now"
