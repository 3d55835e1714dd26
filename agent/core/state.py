"""What travels along the edges of the graph. The work itself is the graph's context."""

from typing import Literal, TypedDict

FINISH: Literal["FINISH"] = "FINISH"


class QuestionState(TypedDict, total=False):
    """``next`` is a specialist's name or ``FINISH``; ``task`` is what that specialist shall do;
    ``answer`` is set by the finalizer, and is empty when there is none."""

    next: str
    task: str
    answer: str
