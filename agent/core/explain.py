"""Why a run ended, in one sentence for people."""

from agent.agents.reflection import network_is_down
from agent.agents.work import Work
from agent.budget import BudgetExceededError
from agent.tools.fence import unfenced

_LIMIT_NAMES = {
    "llm_calls": "model calls",
    "tool_calls": "tool calls",
    "tokens": "tokens",
    "cost": "cost",
    "seconds": "seconds",
    "supervisor_steps": "supervisor steps",
    "iterations": "steps",
    "graph_steps": "steps of the graph",
}


def limit_reached(error: BudgetExceededError) -> str:
    """One sentence, with the question's limit rather than that of the scope inside it."""
    limit = error.snapshot.limits.get(error.resource, error.limit)
    amount = f"{limit:g}"
    if error.resource == "cost":
        amount = f"${amount} {error.snapshot.price_basis}"
    kept = " (one is kept for the final answer)" if error.resource == "llm_calls" else ""
    return f"The limit of {amount} {_LIMIT_NAMES[error.resource]} was reached{kept}."


def how_answered(work: Work) -> str:
    """One sentence; where the model was not asked, it shows what was worked out."""
    if work.question_budget.calls or not work.evidence:
        return "The team found an answer."
    last = work.evidence[-1]
    pointed_at = unfenced(last.result.pointers).split("\n")[-1].removeprefix("- ")
    how = pointed_at if last.result.worked_out else last.call
    return f"Worked out by rule, without the model: {how}"


def why_no_answer(work: Work) -> str:
    """One sentence: nothing was found, and what stood in the way."""
    errors = [o for o in work.observations if o.result.error]
    if network_is_down(work.observations):
        return "No answer: the network cannot be reached, so nothing could be looked up."
    if not work.observations:
        return "No answer: the model proposed nothing that could be checked."
    if errors and not work.evidence:
        last = errors[-1]
        assert last.result.error is not None
        return f"No answer: {last.tool} could not help. {last.result.error.message}"
    return "No answer: what was found does not hold it."
