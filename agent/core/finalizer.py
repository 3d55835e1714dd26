"""The finalizer: from the work to a bare answer in the form that was asked for.

A candidate that is already right in form is copied: paraphrasing it costs a call and can only spoil
it. Without evidence there is no answer, rather than an invented one.
"""

from functools import cache

from pydantic import BaseModel, Field

from agent.agents.steps import settles
from agent.agents.work import Work
from agent.budget import Budget
from agent.core.answer_form import AnswerForm, read_form
from agent.llm.errors import ModelError
from agent.llm.structured import Schema
from agent.obs.events import StepTaken

ROLE = "finalizer"


class FinalAnswer(BaseModel):
    """The finalizer's one call. ``found`` is false when the results do not hold the answer."""

    evidence: str = Field(max_length=160)
    found: bool
    answer: str = Field(max_length=200)


def finalize(work: Work, budget: Budget) -> str:
    """The answer, or an empty string when there is none. Takes at most one step of the model.

    Raises:
        BudgetExceededError, ModelError, RunStopped: see ``best_candidate`` for what is left then.
    """
    if not work.evidence:
        return ""
    if ready := best_candidate(work):
        return ready
    form = read_form(work.question)
    work.conversation.add(
        "You are the finalizer. Give the bare answer from the results above. "
        f"{_form_line(form)}If they do not hold it, found is false."
    )
    try:
        final = work.conversation.ask(_schema(), ROLE, budget)
    except ModelError as error:
        if error.fatal:
            raise
        return ""
    answer = form.shape(final.answer) if final.found else ""
    work.emit(
        StepTaken(
            step=len(budget.calls),
            role=ROLE,
            evidence=final.evidence,
            verdict="done" if final.found else "stuck",
            action="answer",
            args={"answer": answer},
        )
    )
    return answer


def best_candidate(work: Work) -> str:
    """What can be answered without a call: the last candidate, or a calculation that settles it."""
    form = read_form(work.question)
    results = [o.result.text.strip() for o in reversed(work.evidence) if settles(o, work.question)]
    first_lines = [text.split("\n", 1)[0] for text in results]
    proposals = [work.candidate, *first_lines] if work.evidence else []
    return next((form.shape(p) for p in proposals if form.accepts(p)), "")


@cache
def _schema() -> Schema[FinalAnswer]:
    return Schema(FinalAnswer)


def _form_line(form: AnswerForm) -> str:
    described = form.describe()
    return f"Its form: {described}. " if described else ""
