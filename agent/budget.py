"""The budget of a run: frozen limits, a locked ledger, and scopes checked from root to leaf.

Everything is charged on entry. A call that times out, is refused or cannot be parsed has been paid
for: otherwise an agent on a flaky server would have an unlimited budget.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict

from agent.config import Settings
from agent.obs.metrics import BudgetSnapshot, CallRecord, Price, Timing

Resource = Literal[
    "llm_calls",
    "tool_calls",
    "tokens",
    "cost",
    "seconds",
    "supervisor_steps",
    "iterations",
    "graph_steps",
]

FINALIZER_CALLS = 1
"""Calls that only the finalizer may spend, so that there is always an answer at the end."""
FINALIZER_SHARE = 0.15
"""Share of a question's seconds that only the finalizer may spend."""
FINALIZER_SECONDS = 20.0
"""Upper bound of that share, in seconds."""


class Limits(BaseModel):
    """What one question may spend. How often a specialist may step is its ``SpecialistSpec``'s.

    The defaults and what each of them stops are in ``docs/architecture.md``.
    """

    model_config = ConfigDict(frozen=True)

    max_llm_calls: int = 10
    max_tool_calls: int = 12
    max_tokens: int = 80_000
    max_cost: float = 0.05
    max_supervisor_steps: int = 4
    per_question_timeout_s: float = 180.0
    per_call_timeout_s: float = 90.0
    total_budget_s: float = 2400.0

    @classmethod
    def from_settings(cls, settings: Settings) -> "Limits":
        """The limits that the environment asks for."""
        return cls(**{name: getattr(settings, name) for name in cls.model_fields})

    @property
    def recursion_limit(self) -> int:
        """LangGraph's backstop, derived: each supervisor step is at most one round trip (supervisor
        and specialist), then the finalizer, and twice that for slack: 2·(2·4+1) = 18."""
        return 2 * (2 * self.max_supervisor_steps + 1)


class RunStopped(Exception):
    """The user asked the run to stop."""


class BudgetExceededError(Exception):
    """A limit was reached. Caught in the orchestrator alone.

    Attributes:
        scope: the scope whose limit it was, such as ``question`` or ``web_agent``.
        resource: what ran out.
        limit: how much there was.
        used: how much had been used when more was asked for.
        snapshot: the root ledger at that moment.
    """

    def __init__(
        self,
        scope: str,
        resource: Resource,
        limit: float,
        used: float,
        snapshot: BudgetSnapshot,
    ) -> None:
        super().__init__(f"{scope}: {resource} limit of {limit:g} reached ({used:g} used)")
        self.scope, self.resource, self.limit, self.used = scope, resource, limit, used
        self.snapshot = snapshot


@dataclass
class _Ledger:
    """What is shared by all scopes of one question."""

    limits: Limits
    price: Price
    started: float
    lock: threading.RLock = field(default_factory=threading.RLock)
    calls: list[CallRecord] = field(default_factory=list)
    tool_calls: list[str] = field(default_factory=list)


class Budget:
    """A scope of the ledger. The root is the question; children have tighter limits of their own.

    A charge is checked at every scope from the root down to this one before any of them is charged.
    """

    def __init__(
        self, limits: Limits, *, price: Price | None = None, total_left_s: float | None = None
    ) -> None:
        """``total_left_s``: seconds that the whole run (a benchmark, say) has left."""
        seconds = limits.per_question_timeout_s
        seconds = min(seconds, limits.total_budget_s if total_left_s is None else total_left_s)
        self._ledger = _Ledger(limits, price or Price(), time.monotonic())
        self._parent: Budget | None = None
        self.scope = "question"
        self.deadline = self._ledger.started + seconds
        self._seconds = seconds
        self._used: dict[Resource, float] = {}
        self._limits: dict[Resource, float] = {
            "llm_calls": limits.max_llm_calls,
            "tool_calls": limits.max_tool_calls,
            "tokens": limits.max_tokens,
            "cost": limits.max_cost,
            "supervisor_steps": limits.max_supervisor_steps,
        }

    def child(self, scope: str, limits: Mapping[Resource, float]) -> "Budget":
        """A scope inside this one. A limit on ``seconds`` counts from now."""
        child = object.__new__(Budget)
        child._ledger = self._ledger
        child._parent = self
        child.scope = scope
        child._limits = {k: v for k, v in limits.items() if k != "seconds"}
        child._used = {}
        child._seconds = limits.get("seconds", self.remaining_s())
        child.deadline = min(self.deadline, time.monotonic() + child._seconds)
        return child

    def work(self) -> "Budget":
        """The scope of all but the finalizer, whose call and share of time are set aside."""
        limits = self._ledger.limits
        reserve = min(self.remaining_s() * FINALIZER_SHARE, FINALIZER_SECONDS)
        return self.child(
            "work",
            {
                "llm_calls": max(limits.max_llm_calls - FINALIZER_CALLS, 0),
                "seconds": self.remaining_s() - reserve,
            },
        )

    def remaining_s(self) -> float:
        """Seconds left before this scope's deadline; not below 0."""
        return max(self.deadline - time.monotonic(), 0.0)

    def call_timeout_s(self) -> float:
        """Seconds that one model call may take now: never longer than the scope has left."""
        return min(self._ledger.limits.per_call_timeout_s, self.remaining_s())

    def left(self, resource: Resource) -> float:
        """How much of a counted resource is left here, counting the scopes above."""
        with self._ledger.lock:
            return min(
                scope._limits.get(resource, float("inf")) - scope._used.get(resource, 0)
                for scope in self._path()
            )

    def charge(self, resource: Resource, amount: float = 1) -> None:
        """Take ``amount`` of a resource, or raise ``BudgetExceededError`` and take nothing."""
        with self._ledger.lock:
            self.check_time()
            for scope in self._path():
                limit = scope._limits.get(resource, float("inf"))
                used = scope._used.get(resource, 0)
                if used + amount > limit:
                    raise self._exceeded(scope, resource, limit, used)
            self._add(resource, amount)

    def check_time(self) -> None:
        """Raise ``BudgetExceededError`` if a deadline of this scope or one above has passed."""
        now = time.monotonic()
        for scope in self._path():
            if now >= scope.deadline:
                used = scope._seconds + now - scope.deadline
                raise self._exceeded(scope, "seconds", scope._seconds, round(used, 2))

    @contextmanager
    def llm_call(self, role: str) -> Iterator[CallRecord]:
        """Charge one model call on entry and record on exit what became of it.

        The caller fills in the record; it stays ``failed`` unless it says otherwise. Tokens and
        cost are added on exit and checked before the next call.

        Raises:
            BudgetExceededError: no call, token, cost or second is left, in this scope or above.
        """
        with self._ledger.lock:
            self._check_not_spent("tokens", "cost")
            self.charge("llm_calls")
            record = CallRecord(role=role)
            self._ledger.calls.append(record)
        started = time.monotonic()
        try:
            yield record
        finally:
            record.seconds = round(time.monotonic() - started, 3)
            price = self._ledger.price
            record.price_basis = price.basis
            record.cost = price.of(record.tokens_in, record.tokens_cached, record.tokens_out)
            with self._ledger.lock:
                self._add("tokens", record.tokens_in + record.tokens_out)
                self._add("cost", record.cost)

    def tool_call(self, name: str) -> None:
        """Charge one tool call on entry."""
        with self._ledger.lock:
            self.charge("tool_calls")
            self._ledger.tool_calls.append(name)

    @property
    def limits(self) -> Limits:
        """The question's limits."""
        return self._ledger.limits

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """The ledger's model calls so far, in order."""
        with self._ledger.lock:
            return tuple(self._ledger.calls)

    def snapshot(self) -> BudgetSnapshot:
        """The whole question's ledger now."""
        with self._ledger.lock:
            calls = self._ledger.calls
            return BudgetSnapshot(
                llm_calls=len(calls),
                tool_calls=len(self._ledger.tool_calls),
                tokens_in=sum(c.tokens_in for c in calls),
                tokens_cached=sum(c.tokens_cached for c in calls),
                tokens_out=sum(c.tokens_out for c in calls),
                seconds=round(time.monotonic() - self._ledger.started, 2),
                cost=round(sum(c.cost for c in calls), 6),
                limits=self._root_limits(),
                price_basis=self._ledger.price.basis,
                timing=Timing.total(call.timing for call in calls),
            )

    def _root_limits(self) -> dict[str, float]:
        root = self._path()[0]
        return {**{str(k): v for k, v in root._limits.items()}, "seconds": root._seconds}

    def _path(self) -> list["Budget"]:
        """This scope and those above, root first."""
        return [*(self._parent._path() if self._parent else []), self]

    def _add(self, resource: Resource, amount: float) -> None:
        for scope in self._path():
            scope._used[resource] = scope._used.get(resource, 0) + amount

    def _check_not_spent(self, *resources: Resource) -> None:
        """Raise if a resource that is only known after a call has been used up by earlier ones."""
        for scope in self._path():
            for resource in resources:
                limit, used = scope._limits.get(resource), scope._used.get(resource, 0)
                if limit is not None and used >= limit:
                    raise self._exceeded(scope, resource, limit, used)

    def _exceeded(
        self, scope: "Budget", resource: Resource, limit: float, used: float
    ) -> BudgetExceededError:
        return BudgetExceededError(scope.scope, resource, limit, used, self.snapshot())
