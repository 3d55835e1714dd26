"""Numbers about a run: what its calls took, what it has spent, one line per benchmark task."""

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict

Outcome = Literal["ok", "failed", "timed_out", "stopped", "truncated", "unparsable"]
PriceBasis = Literal["simulated", "list price"]


class Price(BaseModel):
    """What a call is reckoned at, in US dollars.

    By default simulated: local calls cost nothing, but a budget needs a unit. Those figures are of
    the order of a small hosted model's. Real ones are in ``agent.obs.prices``; ``basis`` says which
    of the two it is, wherever a cost is shown.
    """

    model_config = ConfigDict(frozen=True)

    basis: PriceBasis = "simulated"
    per_call: float = 0.0002
    per_million_in: float = 0.15
    per_million_cached: float = 0.15
    per_million_out: float = 0.60

    def of(self, tokens_in: int, tokens_cached: int, tokens_out: int) -> float:
        """The price of one call; ``tokens_in`` includes the cached ones."""
        tokens = (
            (tokens_in - tokens_cached) * self.per_million_in
            + tokens_cached * self.per_million_cached
            + tokens_out * self.per_million_out
        )
        return round(self.per_call + tokens / 1e6, 8)


class Timing(BaseModel):
    """How long a model read and wrote, in seconds, and how many tokens in that time.

    Calls of which the server did not tell this are left out. Prompt tokens that it had in its cache
    are not counted, where it says which those were (Ollama does not).
    """

    model_config = ConfigDict(frozen=True)

    prompt_seconds: float = 0.0
    prompt_tokens: int = 0
    generation_seconds: float = 0.0
    generation_tokens: int = 0

    @classmethod
    def total(cls, timings: "Iterable[Timing]") -> "Timing":
        """Several added up."""
        kept = list(timings)
        return cls(**{name: sum(getattr(t, name) for t in kept) for name in cls.model_fields})

    def __str__(self) -> str:
        """In words, or nothing if nothing is known: ``read 2.0 s at 150 tokens/s, wrote …``."""
        parts = (
            ("read", self.prompt_seconds, self.prompt_tokens),
            ("wrote", self.generation_seconds, self.generation_tokens),
        )
        return ", ".join(
            f"{verb} {seconds:.1f} s at {tokens / seconds:.0f} tokens/s"
            for verb, seconds, tokens in parts
            if seconds
        )


class CallRecord(BaseModel):
    """One line of the ledger: a model call, whatever became of it. Times in seconds.

    ``prompt_seconds`` and ``generation_seconds`` are what the server says of itself, 0 where it
    does not. ``cost`` is US dollars by ``price_basis``. ``note`` is one sentence on something odd
    in a call that is not an error.
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
    price_basis: PriceBasis = "simulated"
    error: str = ""
    note: str = ""

    @property
    def timing(self) -> Timing:
        """Seconds and tokens of reading and of writing."""
        return Timing(
            prompt_seconds=self.prompt_seconds,
            prompt_tokens=self.tokens_in - self.tokens_cached if self.prompt_seconds else 0,
            generation_seconds=self.generation_seconds,
            generation_tokens=self.tokens_out if self.generation_seconds else 0,
        )

    @property
    def facts(self) -> list[str]:
        """What it took, in words: tokens, seconds, speed, cost."""
        return [
            token_words(self.tokens_in, self.tokens_cached, self.tokens_out),
            f"{self.seconds:.1f} s",
            *filter(None, [str(self.timing)]),
            f"${self.cost:.4f} {self.price_basis}",
        ]


class BudgetSnapshot(BaseModel):
    """The ledger of one question at one moment: what is used, of which limits.

    ``tokens_in`` counts whole prompts, ``tokens_cached`` the part of them that the server says it
    had read before; ``cost`` is US dollars by ``price_basis``. ``limits`` has the keys
    ``llm_calls``, ``tool_calls``, ``tokens``, ``seconds`` and ``cost``.
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
    price_basis: PriceBasis = "simulated"
    timing: Timing = Timing()


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
    price_basis: PriceBasis = "simulated"
    timing: Timing = Timing()
    error: str = ""


def token_words(tokens_in: int, tokens_cached: int, tokens_out: int) -> str:
    """``1,234 tokens read (1,000 from cache), 56 written``."""
    cached = f" ({tokens_cached:,} from cache)" if tokens_cached else ""
    return f"{tokens_in:,} tokens read{cached}, {tokens_out:,} written"
