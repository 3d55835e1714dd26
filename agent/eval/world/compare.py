"""Two measurements of the same questions: which changed, and whether that may be chance."""

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict

from agent.eval.world.chance import CHANCE, sign_test
from agent.eval.world.outcome import Outcome

Rule = Literal["course", "gaia"]


class Changes(BaseModel):
    """By one scorer, of the questions that both have: how many were right ``before`` and ``after``,
    which became right and which wrong, and how likely chance brings so uneven a change (``p``)."""

    model_config = ConfigDict(frozen=True)

    before: int
    after: int
    became_right: tuple[str, ...]
    became_wrong: tuple[str, ...]
    p: float
    within_chance: bool


class Comparison(BaseModel):
    """This measurement against an earlier one, of ``model`` at ``made``; ``common`` is how many
    questions both have, with the same text and the same truth."""

    model_config = ConfigDict(frozen=True)

    model: str
    made: str
    common: int
    course: Changes
    gaia: Changes


def compare(
    before: Iterable[Outcome], after: Iterable[Outcome], *, model: str, made: str
) -> Comparison:
    """What has changed from ``before``, a measurement of ``model`` at ``made``, to ``after``."""
    earlier = {(o.task_id, o.question, o.truth): o for o in before}
    pairs = [
        (old, new) for new in after if (old := earlier.get((new.task_id, new.question, new.truth)))
    ]
    return Comparison(
        model=model,
        made=made,
        common=len(pairs),
        course=_changes(pairs, "course"),
        gaia=_changes(pairs, "gaia"),
    )


def _changes(pairs: list[tuple[Outcome, Outcome]], rule: Rule) -> Changes:
    verdicts = [(new.task_id, getattr(old, rule), getattr(new, rule)) for old, new in pairs]
    became_right = tuple(id_ for id_, was, is_now in verdicts if is_now and not was)
    became_wrong = tuple(id_ for id_, was, is_now in verdicts if was and not is_now)
    p = sign_test(len(became_right), len(became_wrong))
    return Changes(
        before=sum(was for _, was, _ in verdicts),
        after=sum(is_now for _, _, is_now in verdicts),
        became_right=became_right,
        became_wrong=became_wrong,
        p=round(p, 4),
        within_chance=p >= CHANCE,
    )
