"""The answer card: what is happening now, or the answer, why the run ended and what it took."""

from pathlib import Path

from agent.obs.metrics import BudgetSnapshot, token_words
from agent.ui.markup import count, render, words
from agent.ui.story import Story

_INTERRUPTED = (
    "The app ended while this run was under way. What it had done is below; ask again to run it "
    "anew."
)


def state(story: Story) -> str:
    """``working``, ``interrupted``, or the status of the result."""
    if story.result:
        return story.result.status
    return "interrupted" if story.interrupted else "working"


def card(story: Story) -> str:
    """The card as HTML."""
    result = story.result
    answer = result.answer if result else ""
    tone, title = _outcome(story, has_answer=bool(answer))
    return render(
        "card.html",
        state=state(story),
        tone=tone,
        title=title,
        run_id=story.run_id,
        question=story.question,
        files=[Path(file).name for file in story.files],
        working=_working(story),
        fraction=_fraction(story),
        answer=answer,
        reason=(result.stop_reason or result.error) if result else _INTERRUPTED,
        completed=result.completed if result and result.status != "answered" else (),
        facts=_facts(story),
        notice=story.notice,
    )


def _outcome(story: Story, *, has_answer: bool) -> tuple[str, str]:
    """Tone and title."""
    match state(story):
        case "working":
            return "busy", ""
        case "answered":
            return "good", "Answer"
        case "budget_spent" | "timed_out":
            return "warn", "Partial answer" if has_answer else "No answer within the budget"
        case "stopped":
            return "calm", "Stopped; best answer so far" if has_answer else "Stopped"
        case "interrupted":
            return "warn", "Interrupted"
        case _:
            return "bad", "No answer"


def _working(story: Story) -> str:
    """What is going on, in a few words that do not change with each token (they are read out)."""
    if story.waiting:
        return story.waiting.text
    if not story.steps:
        return "Getting ready"
    step = story.steps[-1]
    for use in step.tools:
        if use.finished is None:
            return f"Running {words(use.started.name)}"
    if step.record:
        return "Deciding what to do next"
    return f"Thinking: step {step.number}, {words(step.role)}"


def _fraction(story: Story) -> float | None:
    """How far the waiting has come, 0 to 1, where that is known."""
    if story.waiting is None or story.waiting.fraction is None:
        return None
    return min(max(story.waiting.fraction, 0.0), 1.0)


def _facts(story: Story) -> list[str]:
    """What the run took, and which model it was."""
    spent = story.result or story.spent
    model = (story.result.model if story.result else "") or story.model
    facts = []
    if spent:
        cost = spent.cost if isinstance(spent, BudgetSnapshot) else spent.simulated_cost
        facts = [
            count(spent.llm_calls, "model call"),
            count(spent.tool_calls, "tool call"),
            f"{story.seconds(story.last_at):.1f} s",
            token_words(spent.tokens_in, spent.tokens_cached, spent.tokens_out),
            str(spent.timing),
            f"${cost:.4f} {spent.price_basis}",
        ]
    return [fact for fact in (*facts, model) if fact]
