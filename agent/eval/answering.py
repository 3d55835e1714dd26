"""What the runner asks of whatever answers, and when it is no use asking on."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from agent.obs.events import Event, RunResult

HOPELESS = frozenset(
    {
        "no_model",
        "unreachable",
        "missing_model",
        "out_of_memory",
        "unauthorized",
        "payment",
        "rate_limited",
    }
)
"""Kinds of error after which no other task would fare better: the run halts, its work kept."""


class Answer(Protocol):
    """Whatever answers a question, as ``Orchestrator.answer`` does."""

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
    ) -> RunResult: ...


class HopelessError(Exception):
    """No other task would fare better now; the message is one sentence that says why."""
