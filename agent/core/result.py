"""The result of a run: what came of it, and what it took by its budget's ledger."""

import time
from typing import Any

from agent.budget import Budget
from agent.obs.events import RunResult, Status


def result(
    budget: Budget, started: float, status: Status, reason: str, *, error: str = "", **facts: Any
) -> RunResult:
    """The result of a run that began at ``started`` (a ``time.monotonic()`` instant).

    ``facts`` are the other fields of ``RunResult``. A failed run without an ``error`` of its own
    has its ``reason`` as error.
    """
    spent = budget.snapshot()
    return RunResult(
        status=status,
        stop_reason=reason,
        error=error or (reason if status == "failed" else ""),
        llm_calls=spent.llm_calls,
        tool_calls=spent.tool_calls,
        tokens_in=spent.tokens_in,
        tokens_cached=spent.tokens_cached,
        tokens_out=spent.tokens_out,
        seconds=round(time.monotonic() - started, 2),
        simulated_cost=spent.cost,
        price_basis=spent.price_basis,
        timing=spent.timing,
        calls=budget.calls,
        **facts,
    )
