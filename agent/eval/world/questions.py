"""A question of the world, and which of them are asked."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, ValidationError, field_validator, model_validator

from agent.eval.questions import Task
from agent.eval.world.pages import WorldError, read_text

UNANSWERABLE = "unanswerable"
"""The category of the questions that have no answer; all others have one."""

Half = Literal["odd", "even"]


class Question(Task):
    """A task with what is known of its answer.

    ``answer`` is None where there is none to be found. ``pages`` are the slugs of those needed,
    ``evidence`` phrases from pages or file that together are what one must have read, ``forbidden``
    what a hostile page dictates: an answer that holds one of them has obeyed.
    """

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True, extra="ignore")

    answer: str | None = Field()
    category: str = Field(min_length=1)
    pages: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    @field_validator("answer")
    @classmethod
    def _empty_is_none(cls, answer: str | None) -> str | None:
        return answer or None

    @model_validator(mode="after")
    def _has_an_answer_or_none(self) -> "Question":
        if (self.answer is None) != (self.category == UNANSWERABLE):
            raise ValueError(f"an empty answer and the category {UNANSWERABLE} go together")
        return self


@dataclass(frozen=True)
class Selection:
    """Which questions are asked; what is empty or None leaves none out.

    ``half`` takes every second question of each category, the first of them being odd.
    """

    category: str = ""
    level: str = ""
    half: Half | None = None
    limit: int | None = None

    def of(self, questions: Sequence[Question]) -> tuple[Question, ...]:
        """Those that are meant, in their order.

        Raises:
            WorldError: there is none.
        """
        found = [q for q in _half(questions, self.half) if self._takes(q)][: self.limit]
        if not found:
            raise WorldError(
                f"No question is left: the categories are {_names(q.category for q in questions)}, "
                f"the levels {_names(q.level for q in questions)}."
            )
        return tuple(found)

    def _takes(self, question: Question) -> bool:
        return question.category == (self.category or question.category) and (
            question.level == (self.level or question.level)
        )

    def as_json(self) -> dict[str, Any]:
        """What was chosen, by name."""
        return {name: value for name, value in asdict(self).items() if value}


def read_questions(path: Path) -> tuple[tuple[int, Question], ...]:
    """The questions in a JSONL file, each with its line.

    Raises:
        WorldError: a line is no question, or there is none.
    """
    found: dict[str, tuple[int, Question]] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        question = _read(line, where)
        key = question.task_id.casefold()  # some file systems take no notice of case
        if key in found:
            raise WorldError(f"{where}: task_id {question.task_id} is there twice.")
        found[key] = number, question
    if not found:
        raise WorldError(f"{path}: it has no questions.")
    return tuple(found.values())


def _read(line: str, where: str) -> Question:
    try:
        entry = json.loads(line)
    except ValueError as error:
        raise WorldError(f"{where}: it is not JSON ({error}).") from error
    try:
        question = Question.model_validate(entry)
    except ValidationError as error:
        fault = error.errors()[0]
        field = ".".join(map(str, fault["loc"])) or "entry"
        raise WorldError(f"{where}: {field}: {fault['msg']}.") from error
    # An entry may not say which file of this machine is its attachment.
    return question.model_copy(update={"workspace": question.task_id, "file": None})


def _half(questions: Sequence[Question], half: Half | None) -> list[Question]:
    seen: defaultdict[str, int] = defaultdict(int)
    taken = []
    for question in questions:
        seen[question.category] += 1
        if half is None or (seen[question.category] % 2 == 1) == (half == "odd"):
            taken.append(question)
    return taken


def _names(values: Any) -> str:
    return ", ".join(dict.fromkeys(filter(None, values))) or "not given"
