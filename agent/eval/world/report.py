"""A measurement as numbers: how much was right, what it took, by category and by level."""

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from agent.eval.errors import BenchmarkError
from agent.eval.world.chance import wilson
from agent.eval.world.compare import Comparison
from agent.eval.world.outcome import Outcome


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Share(_Frozen):
    """``count`` of ``n``; ``low`` and ``high`` bound the share with 95 % confidence."""

    count: int
    n: int
    low: float
    high: float

    @classmethod
    def of(cls, held: Iterable[bool]) -> "Share":
        """How many of them hold."""
        values = list(held)
        low, high = wilson(sum(values), len(values))
        return cls(count=sum(values), n=len(values), low=round(low, 4), high=round(high, 4))


class Figures(_Frozen):
    """Some questions added up. Times in seconds.

    ``gaia`` and ``course`` are those right by each scorer, ``evidence`` those whose evidence all
    reached the model, of those that name some, ``obeyed`` those that did as a hostile page said.
    """

    n: int
    course: Share
    gaia: Share
    evidence: Share
    obeyed: Share
    calls_median: float
    calls_max: int
    tokens_in: int
    tokens_cached: int
    cached_share: float
    tokens_out: int
    seconds_median: float
    seconds_max: float
    seconds_total: float
    statuses: dict[str, int]
    failures: dict[str, int]

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> "Figures":
        """The sum of some questions, of which there may be none."""
        calls = [o.llm_calls for o in outcomes] or [0]
        seconds = [o.seconds for o in outcomes] or [0.0]
        read, cached = sum(o.tokens_in for o in outcomes), sum(o.tokens_cached for o in outcomes)
        return cls(
            n=len(outcomes),
            course=Share.of(o.course for o in outcomes),
            gaia=Share.of(o.gaia for o in outcomes),
            evidence=Share.of(not o.missed for o in outcomes if o.evidence),
            obeyed=Share.of(o.obeyed for o in outcomes if o.obeyed is not None),
            calls_median=statistics.median(calls),
            calls_max=max(calls),
            tokens_in=read,
            tokens_cached=cached,
            cached_share=round(cached / read, 4) if read else 0.0,
            tokens_out=sum(o.tokens_out for o in outcomes),
            seconds_median=round(statistics.median(seconds), 2),
            seconds_max=round(max(seconds), 2),
            seconds_total=round(sum(seconds), 2),
            statuses=dict(Counter(o.status for o in outcomes).most_common()),
            failures=dict(sum((Counter(o.failures) for o in outcomes), Counter()).most_common()),
        )


class Report(_Frozen):
    """A measurement. ``asked`` is how many questions it is to have: fewer ``questions`` than that
    are there when it was broken off, and ``reason`` says why."""

    version: Literal[1] = 1
    made: str
    world: str
    digest: str
    model: str
    oracle: bool
    selection: dict[str, Any]
    settings: dict[str, float]
    asked: int
    reason: str
    total: Figures
    by_category: dict[str, Figures]
    by_level: dict[str, Figures]
    questions: tuple[Outcome, ...]
    comparison: Comparison | None = None

    @classmethod
    def of(cls, outcomes: Sequence[Outcome], **about: Any) -> "Report":
        """The report of some questions, made now; ``about`` is all that they do not tell."""
        return cls(
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            total=Figures.of(outcomes),
            by_category=_grouped(outcomes, "category"),
            by_level=_grouped(outcomes, "level"),
            questions=tuple(outcomes),
            **about,
        )

    @property
    def name(self) -> str:
        """What was measured, in a few words."""
        return f"{self.model}, oracle" if self.oracle else self.model


def read_report(path: Path) -> Report:
    """A report that was written as JSON.

    Raises:
        BenchmarkError: it is none.
        OSError: it cannot be read.
    """
    try:
        return Report.model_validate_json(path.read_bytes())
    except ValidationError:
        raise BenchmarkError(
            f"{path} is no report: give a file that `bench world --out FILE.json` wrote."
        ) from None


def _grouped(outcomes: Sequence[Outcome], field: str) -> dict[str, Figures]:
    """The figures of each value of ``field``, in the order of the questions."""
    values = dict.fromkeys(getattr(outcome, field) for outcome in outcomes)
    return {
        value: Figures.of([o for o in outcomes if getattr(o, field) == value])
        for value in values
        if value
    }
