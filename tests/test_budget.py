"""The ledger: charged on entry, checked from root to leaf, never over its limits."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.budget import FINALIZER_CALLS, Budget, BudgetExceededError, Limits
from agent.obs.metrics import Price


def spend(budget: Budget, calls: int) -> int:
    """How many of ``calls`` model calls could be paid for."""
    for done in range(calls):
        try:
            with budget.llm_call("test") as record:
                record.outcome = "ok"
        except BudgetExceededError:
            return done
    return calls


def test_a_call_that_raises_has_been_paid_for() -> None:
    budget = Budget(Limits(max_llm_calls=1))
    with pytest.raises(ZeroDivisionError), budget.llm_call("test"):
        raise ZeroDivisionError
    assert budget.calls[0].outcome == "failed"
    with pytest.raises(BudgetExceededError), budget.llm_call("test"):
        pytest.fail("a second call was let in")


def test_the_error_says_what_ran_out_where_and_what_was_done() -> None:
    budget = Budget(Limits(max_llm_calls=5))
    loop = budget.work().child("web_agent", {"iterations": 1})
    loop.charge("iterations")
    with loop.llm_call("web_agent") as record:
        record.tokens_in, record.tokens_out, record.outcome = 100, 20, "ok"
    with pytest.raises(BudgetExceededError) as caught:
        loop.charge("iterations")
    error = caught.value
    assert (error.scope, error.resource, error.limit, error.used) == (
        "web_agent",
        "iterations",
        1,
        1,
    )
    assert (error.snapshot.llm_calls, error.snapshot.tokens_in) == (1, 100)
    assert "web_agent" in str(error) and "iterations" in str(error)


def test_a_refused_charge_takes_nothing_from_any_scope() -> None:
    budget = Budget(Limits(max_tool_calls=5))
    child = budget.child("loop", {"tool_calls": 0})
    with pytest.raises(BudgetExceededError):
        child.tool_call("calculator")
    assert budget.snapshot().tool_calls == 0
    assert budget.left("tool_calls") == 5


def test_the_finalizer_keeps_a_call_and_a_share_of_the_time() -> None:
    budget = Budget(Limits(max_llm_calls=3, per_question_timeout_s=100))
    work = budget.work()
    assert spend(work, 10) == 3 - FINALIZER_CALLS
    assert spend(budget, 10) == FINALIZER_CALLS
    assert budget.remaining_s() - work.remaining_s() == pytest.approx(15, abs=0.5)


def test_a_question_never_has_more_time_than_the_whole_run_has_left() -> None:
    assert Budget(Limits(per_question_timeout_s=180), total_left_s=7).remaining_s() <= 7
    assert Budget(Limits(per_question_timeout_s=180, total_budget_s=9)).remaining_s() <= 9


def test_a_call_never_has_more_time_than_its_scope_has_left() -> None:
    budget = Budget(Limits(per_call_timeout_s=90, per_question_timeout_s=10))
    assert budget.work().call_timeout_s() <= 10 - 1.5
    assert Budget(Limits(per_call_timeout_s=5)).call_timeout_s() == 5


def test_time_that_has_passed_refuses_every_charge() -> None:
    budget = Budget(Limits(), total_left_s=0)
    for charge in (lambda: budget.charge("tool_calls"), lambda: spend_one(budget)):
        with pytest.raises(BudgetExceededError) as caught:
            charge()
        assert caught.value.resource == "seconds"


def spend_one(budget: Budget) -> None:
    with budget.llm_call("test"):
        pass


@pytest.mark.parametrize(("limit", "resource"), [("max_tokens", "tokens"), ("max_cost", "cost")])
def test_tokens_and_cost_used_by_earlier_calls_refuse_the_next(limit: str, resource: str) -> None:
    budget = Budget(Limits(**{limit: 1e-6 if limit == "max_cost" else 10}))
    with budget.llm_call("test") as record:
        record.tokens_in = 50
    with pytest.raises(BudgetExceededError) as caught:
        spend_one(budget)
    assert caught.value.resource == resource


def test_the_price_counts_calls_and_tokens_and_says_on_what_basis() -> None:
    price = Price(
        basis="list price",
        per_call=1,
        per_million_in=20,
        per_million_cached=2,
        per_million_out=40,
    )
    assert price.of(600_000, 500_000, 25_000) == 1 + 2 + 1 + 1
    budget = Budget(Limits(max_cost=10), price=price)
    with budget.llm_call("test") as record:
        record.tokens_in, record.tokens_cached, record.tokens_out = 600_000, 500_000, 25_000
    spent = budget.snapshot()
    assert (spent.cost, spent.price_basis, budget.calls[0].price_basis) == (
        5,
        "list price",
        "list price",
    )


def test_speed_is_told_of_calls_that_were_timed_alone() -> None:
    budget = Budget(Limits(max_cost=10))
    with budget.llm_call("test") as record:
        record.tokens_in, record.tokens_cached, record.tokens_out = 500, 200, 60
        record.prompt_seconds, record.generation_seconds = 2.0, 3.0
    with budget.llm_call("test") as record:  # no word of the server on how long it took
        record.tokens_in, record.tokens_out = 7000, 800
    timing = "read 2.0 s at 150 tokens/s, wrote 3.0 s at 20 tokens/s"
    assert str(budget.snapshot().timing) == timing
    assert timing in budget.calls[0].facts
    assert "7,000 tokens read, 800 written" in budget.calls[1].facts
    assert not str(budget.calls[1].timing)


def test_the_recursion_limit_is_derived() -> None:
    assert Limits().recursion_limit == 18
    assert Limits(max_supervisor_steps=1).recursion_limit == 6


@given(
    limit=st.integers(1, 12),
    child=st.integers(0, 12),
    script=st.lists(st.booleans(), max_size=30),
)
def test_no_order_of_charges_passes_any_limit(limit: int, child: int, script: list[bool]) -> None:
    root = Budget(Limits(max_llm_calls=limit))
    leaf = root.child("leaf", {"llm_calls": child})
    taken = {root: 0, leaf: 0}
    for in_leaf in script:
        scope = leaf if in_leaf else root
        expected = taken[root] < limit and (not in_leaf or taken[leaf] < child)
        assert (spend(scope, 1) == 1) is expected
        taken[root] += expected
        taken[leaf] += expected and in_leaf
    assert len(root.calls) == taken[root] <= limit


def test_threads_share_one_ledger() -> None:
    budget = Budget(Limits(max_llm_calls=50, max_cost=10))
    done: list[int] = []
    threads = [threading.Thread(target=lambda: done.append(spend(budget, 20))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(done) == len(budget.calls) == 50
