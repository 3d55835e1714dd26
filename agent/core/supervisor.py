"""The supervisor: who works next, on what; or that the work is done.

Where a rule is certain it decides without a call; the model is asked for the rest.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from agent.agents.base import SpecialistSpec
from agent.agents.repeats import only_repeats
from agent.agents.steps import FirstCheck, ProgressCheck
from agent.agents.toolset import has_files
from agent.agents.work import Work
from agent.core.finalizer import best_candidate
from agent.core.routing import called_for
from agent.core.state import FINISH
from agent.llm.errors import ModelError
from agent.llm.structured import Schema
from agent.obs.events import Reflected, StepTaken

ROLE = "supervisor"
_TASK_CHARS = 200
_ANSWER_CHARS = 200


class Decision(BaseModel):
    """One model call of the supervisor."""

    progress_check: ProgressCheck
    next: str
    task: str = Field(max_length=_TASK_CHARS)
    candidate_answer: str = Field(max_length=_ANSWER_CHARS)


def supervise(work: Work, specs: Sequence[SpecialistSpec]) -> tuple[str, str]:
    """The next specialist's name (or ``FINISH``) and its task.

    Raises:
        BudgetExceededError: no supervisor step, call, token or second is left.
        ModelError: the model cannot be used any more.
        RunStopped: the user stopped the run.
    """
    if _is_settled(work):
        return FINISH, ""
    open_to = _open_to(work, specs)
    if not open_to:
        return FINISH, ""
    if certain := _by_rule(work, specs, open_to):
        return certain
    work.budget.charge("supervisor_steps")
    _brief(work, open_to)
    try:
        decision = work.conversation.ask(
            _schema(tuple(open_to), first=not work.reports), ROLE, work.budget
        )
    except ModelError as error:
        if error.fatal:
            raise
        return _without_model(work, open_to)
    return _checked(decision, work, open_to)


def _is_settled(work: Work) -> bool:
    """Whether the whole question has been answered, or there is an answer in the form asked for."""
    if not work.reports:
        return False
    last = work.reports[-1]
    is_answer = last.status == "finished" and last.task == work.question and bool(work.evidence)
    return is_answer or (last.status != "failed" and bool(best_candidate(work)))


def _open_to(work: Work, specs: Sequence[SpecialistSpec]) -> list[str]:
    """Who may work next: nobody who has run out of tools that work; as long as nothing was found,
    somebody new before somebody who found nothing, and not him alone again."""
    failed = {report.agent for report in work.reports if report.status == "failed"}
    able = [spec.name for spec in specs if spec.name not in failed]
    tried = {report.agent for report in work.reports}
    fresh = [name for name in able if name not in tried]
    if work.evidence:
        return able
    return fresh or (able if len(able) > 1 else [])


def _by_rule(
    work: Work, specs: Sequence[SpecialistSpec], open_to: Sequence[str]
) -> tuple[str, str] | None:
    """Who works next where that is certain: the only one left who is new to it; or, at first, whom
    the question itself calls for."""
    if len(open_to) == 1 and all(report.agent != open_to[0] for report in work.reports):
        return open_to[0], work.question
    if work.reports:
        return None
    needed = called_for(work.question, has_files=has_files(work.tools.workdir))
    able = [spec.name for spec in specs if needed in spec.capabilities]
    return (able[0], work.question) if able else None


def _brief(work: Work, open_to: list[str]) -> None:
    if work.reports:
        last = work.reports[-1]
        candidate = f" Its candidate answer: {last.candidate}" if last.candidate else ""
        work.conversation.add(
            f"{last.agent} is {last.status}: {last.why or 'see above'}.{candidate}"
        )
    choice = " or ".join([*open_to, FINISH] if work.reports else open_to)
    finish = f" {FINISH} if the results above hold the answer." if work.reports else ""
    work.conversation.add(
        f"You are the supervisor. Who works next: {choice}?{finish} "
        '"task" says what to do in one sentence; "candidate_answer" is empty until it is known.'
    )


@cache
def _schema(open_to: tuple[str, ...], *, first: bool) -> Schema[Decision]:
    """Before any report there is nothing to judge, to answer or to finish with."""
    if first:
        fields: dict[str, Any] = {
            "progress_check": (FirstCheck, ...),
            "next": (Literal[*open_to], ...),
            "candidate_answer": (Literal[""], ...),
        }
    else:
        fields = {"next": (Literal[*open_to, FINISH], ...)}
    return Schema(create_model("Decision", __base__=Decision, **fields))


def _checked(decision: Decision, work: Work, open_to: list[str]) -> tuple[str, str]:
    """The decision, unless it sends a specialist to do again what it has just done."""
    number = len(work.budget.calls)
    check = decision.progress_check
    work.emit(
        StepTaken(
            step=number,
            role=ROLE,
            evidence=check.evidence,
            verdict=check.verdict,
            action=decision.next,
            args={"task": decision.task, "candidate_answer": decision.candidate_answer},
        )
    )
    if _is_answer(decision.candidate_answer, work, open_to):
        work.candidate = decision.candidate_answer
    if decision.next != FINISH and _already_done(decision, work):
        work.emit(
            Reflected(
                step=number,
                rule="same_task",
                hint=f"{decision.next} has already done this and brought nothing new.",
            )
        )
        return _without_model(work, open_to)
    return decision.next, decision.task or work.question


def _is_answer(candidate: str, work: Work, names: Sequence[str]) -> bool:
    """Whether something was found from which this can be the answer: neither a member of the team
    nor the question again."""
    if not work.evidence or candidate in (*names, FINISH):
        return False
    return not only_repeats(candidate, work)


def _already_done(decision: Decision, work: Work) -> bool:
    """Whether this specialist had this task before and nothing was found since."""
    return any(
        report.agent == decision.next
        and _same_words(report.task, decision.task)
        and report.evidence == len(work.evidence)
        for report in work.reports
    )


def _same_words(one: str, other: str) -> bool:
    return one.casefold().split() == other.casefold().split()


def _without_model(work: Work, open_to: list[str]) -> tuple[str, str]:
    """Finish with what there is; if that is nothing, somebody new gets the question itself."""
    if work.evidence:
        return FINISH, ""
    tried = {report.agent for report in work.reports}
    fresh = [name for name in open_to if name not in tried]
    return (fresh[0], work.question) if fresh else (FINISH, "")
