"""The schema of a specialist's step, and which actions it offers now.

A small model does best when the schema steers the phase: with every action on offer it does not
stop after a result, and with only the answer on offer before there is a result it invents one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from agent.agents.work import Observation
from agent.llm.structured import Schema
from agent.obs.events import Verdict
from agent.tools.registry import Tool

FINISH = "finish"
THOUGHT_CHARS = 160
EVIDENCE_CHARS = 100
ANSWER_CHARS = 300


class ProgressCheck(BaseModel):
    """The reflection that every step must hold: what the last result showed, and how it goes."""

    evidence: str = Field(max_length=EVIDENCE_CHARS)
    verdict: Verdict


class FirstCheck(ProgressCheck):
    """Before anything was tried there is nothing to judge, and nobody can be stuck or done."""

    evidence: Literal["nothing tried yet"]
    verdict: Literal["progress"]


class FinishArgs(BaseModel):
    """What ``finish`` takes. An empty answer says that the results do not hold it."""

    answer: str = Field(max_length=ANSWER_CHARS)


class Step(BaseModel):
    """One model call of a specialist."""

    thought: str = Field(max_length=THOUGHT_CHARS)
    progress_check: ProgressCheck
    action: str
    args: Any


@dataclass(frozen=True)
class Offer:
    """The actions that make sense now."""

    tools: tuple[Tool, ...]
    finish: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The action enum."""
        return (*(t.name for t in self.tools), *((FINISH,) if self.finish else ()))


def offer(
    tools: Sequence[Tool],
    observations: Sequence[Observation],
    iterations_left: int,
    *,
    lacking: bool,
) -> Offer:
    """Which actions to put into the schema.

    Without a result, tools alone; so too when the model has just said that the results lack the
    answer (``lacking``). After a new result, or when this is the loop's last iteration, ``finish``
    alone, which may be left empty; otherwise both.

    ``tools`` are those not withdrawn; ``observations`` those of this loop.
    """
    has_result = any(o.is_evidence for o in observations)
    if not has_result or (lacking and tools and iterations_left > 1):
        return Offer(tuple(tools), finish=False)
    if observations[-1].is_news or iterations_left <= 1 or not tools:
        return Offer((), finish=True)
    return Offer(tuple(tools), finish=True)


@cache
def schema_for(offered: Offer, *, first: bool) -> Schema[Step]:
    """One variant for each action on offer, each with that action's own arguments."""
    check = FirstCheck if first else ProgressCheck
    variants = [_variant(tool.name, tool.args, check) for tool in offered.tools]
    if offered.finish:
        variants.append(_variant(FINISH, FinishArgs, check))
    return Schema(*variants)


def _variant(action: str, args: type[BaseModel], check: type[ProgressCheck]) -> type[Step]:
    fields: dict[str, Any] = {
        "progress_check": (check, ...),
        "action": (Literal[action], ...),
        "args": (args, ...),
    }
    return create_model(f"Step_{action}", __base__=Step, **fields)
