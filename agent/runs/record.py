"""The record of one run: its trace, always with one beginning and one end."""

from pathlib import Path

from agent.obs.events import BudgetChanged, Event, RunFinished, RunResult, RunStarted, Status
from agent.obs.metrics import BudgetSnapshot, Timing
from agent.obs.trace import TraceWriter


class RunRecord:
    """Writes a run's events and can end the run itself when the one who answers could not."""

    def __init__(self, path: Path, run_id: str, question: str) -> None:
        self._writer = TraceWriter(path)
        self._run_id = run_id
        self._question = question
        self._started = False
        self._finished = False
        self._spent: BudgetSnapshot | None = None

    def __call__(self, event: Event) -> None:
        """Write an event. A second beginning (the run had to wait) and anything after the end are
        dropped."""
        match event:
            case _ if self._finished:
                return
            case RunStarted() if self._started:
                return
            case RunStarted():
                self._started = True
            case RunFinished():
                self._finished = True
            case BudgetChanged(snapshot=snapshot):
                self._spent = snapshot
        self._writer(event)

    def finish(self, status: Status, reason: str, error: str = "") -> None:
        """End the run without an answer, with what it is known to have spent."""
        spent = self._spent
        result = RunResult(
            run_id=self._run_id,
            question=self._question,
            answer="",
            status=status,
            stop_reason=reason,
            llm_calls=spent.llm_calls if spent else 0,
            tool_calls=spent.tool_calls if spent else 0,
            tokens_in=spent.tokens_in if spent else 0,
            tokens_cached=spent.tokens_cached if spent else 0,
            tokens_out=spent.tokens_out if spent else 0,
            seconds=spent.seconds if spent else 0.0,
            simulated_cost=spent.cost if spent else 0.0,
            price_basis=spent.price_basis if spent else "simulated",
            timing=spent.timing if spent else Timing(),
            error=error,
            trace=str(self._writer.path),
        )
        self(RunFinished(result=result))

    def close(self) -> None:
        """Close the file."""
        self._writer.__exit__(None, None, None)
