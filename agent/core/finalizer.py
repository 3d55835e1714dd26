"""The finalizer: from the work to a bare answer in the form that was asked for.

A candidate that is already right in form is copied: paraphrasing it costs a call and can only spoil
it. Without evidence there is no answer, rather than an invented one.
"""

from functools import cache

from pydantic import BaseModel, Field

from agent.agents.repeats import only_repeats
from agent.agents.settled import settled
from agent.agents.work import Work
from agent.budget import Budget
from agent.core.answer_form import AnswerForm, read_form
from agent.core.distil import distil
from agent.llm.errors import ModelError
from agent.llm.structured import Schema
from agent.obs.events import StepTaken
from agent.tools.fence import is_dictated
from agent.tools.tables.model import number

ROLE = "finalizer"


class FinalAnswer(BaseModel):
    """The finalizer's one call. ``answer`` is empty when the results do not hold it."""

    evidence: str = Field(max_length=160)
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
        f"You are the finalizer. Question: {work.question}\nGive the bare answer from the results "
        f'above. {_form_line(form)}"answer" is empty if they do not hold it.'
    )
    try:
        final = work.conversation.ask(_schema(), ROLE, budget)
    except ModelError as error:
        if error.fatal:
            raise
        return ""
    shaped = form.shape(final.answer)
    answer = shaped if form.accepts(shaped) else distil(shaped, work.question, form) or shaped
    if _dictated(answer, work) or only_repeats(answer, work):
        answer = ""
    work.emit(
        StepTaken(
            step=len(budget.calls),
            role=ROLE,
            evidence=final.evidence,
            verdict="done" if answer else "stuck",
            action="answer",
            args={"answer": answer},
        )
    )
    return answer


def best_candidate(work: Work) -> str:
    """What can be answered without a call: the last candidate, or a calculation that settles it."""
    form = read_form(work.question)
    computed = [settled([o], work.question) for o in reversed(work.evidence)]
    proposals = [work.candidate, *filter(None, computed)] if work.evidence else []
    bare = [form.shape(p) for p in proposals if form.accepts(p) or _is_count(p, computed, form)]
    told = [distil(text, work.question, form) for text in (work.candidate, work.said)]
    ready = [*bare, *(told if work.evidence else [])]
    return next((answer for answer in ready if answer and not _dictated(answer, work)), "")


def _is_count(proposal: str, computed: list[str], form: AnswerForm) -> bool:
    """Whether it is a number that was worked out where one is asked for: "how many dorrins" may be
    97.2, although things are counted in whole numbers."""
    return form.kind == "number" and proposal in computed and number(proposal) is not None


def _dictated(answer: str, work: Work) -> bool:
    """Whether it stands nowhere but in the orders that a page or a file gives to its reader."""
    return bool(answer) and is_dictated(
        answer, [observation.result.text for observation in work.evidence]
    )


@cache
def _schema() -> Schema[FinalAnswer]:
    return Schema(FinalAnswer)


def _form_line(form: AnswerForm) -> str:
    described = form.describe()
    return f"Its form: {described}. " if described else ""
