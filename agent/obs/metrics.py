"""Numbers about a run: what its calls took, what it has spent, one line per benchmark task."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Outcome = Literal["ok", "failed", "timed_out", "stopped", "truncated", "unparsable"]


class Price(BaseModel):
    """A simulated price in US dollars: local calls cost nothing, but a budget needs a unit.

    The defaults are of the order of a small hosted model's; they are always shown as simulated.
    """

    model_config = ConfigDict(frozen=True)

    per_call: float = 0.0002
    per_1k_tokens_in: float = 0.00015
    per_1k_tokens_out: float = 0.0006

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """The price of one call."""
        tokens = tokens_in * self.per_1k_tokens_in + tokens_out * self.per_1k_tokens_out
        return round(self.per_call + tokens / 1000, 8)


class CallRecord(BaseModel):
    """One line of the ledger: a model call, whatever became of it. Times in seconds.

    ``prompt_seconds`` and ``generation_seconds`` are what the server says of itself, 0 where it
    does not. ``note`` is one sentence on something odd in a call that is not an error.
    """

    role: str
    outcome: Outcome = "failed"
    tokens_in: int = 0
    tokens_cached: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    prompt_seconds: float = 0.0
    generation_seconds: float = 0.0
    cost: float = 0.0
    error: str = ""
    note: str = ""


class BudgetSnapshot(BaseModel):
    """The ledger of one question at one moment: what is used, of which limits.

    ``tokens_in`` counts whole prompts, ``tokens_cached`` the part of them that the server says it
    had read before; ``cost`` is simulated US dollars. ``limits`` has the keys ``llm_calls``,
    ``tool_calls``, ``tokens``, ``seconds`` and ``cost``.
    """

    model_config = ConfigDict(frozen=True)

    llm_calls: int
    tool_calls: int
    tokens_in: int
    tokens_cached: int
    tokens_out: int
    seconds: float
    cost: float
    limits: dict[str, float]


class TaskMetric(BaseModel):
    """What one benchmark task took. Written beside its answer."""

    model_config = ConfigDict(frozen=True)

    task_id: str
    status: str
    llm_calls: int
    tool_calls: int
    tokens_in: int
    tokens_cached: int
    tokens_out: int
    seconds: float
    simulated_cost: float
    error: str = ""
