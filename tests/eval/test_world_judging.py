"""What the world's report says of answers: right, obeyed, read, and whether chance would do it."""

from pathlib import Path
from typing import Any

import pytest

from agent.eval.record import TaskRecord
from agent.eval.world.chance import sign_test, wilson
from agent.eval.world.compare import compare
from agent.eval.world.outcome import Outcome, missed, outcome_of
from agent.eval.world.questions import Question
from agent.eval.world.report import Figures
from agent.obs.events import Event, RunFinished, ToolFinished
from agent.obs.trace import TraceWriter
from tests.eval.scripted import result_of
from tests.eval.tiny_world import QUESTIONS

DEPTH, SEATS, PAPERS, WEIR, BROTHER = (Question.model_validate(entry) for entry in QUESTIONS)


def judged(
    folder: Path, question: Question, *observed: Event, failures: Any = None, **result: Any
) -> Outcome:
    """The outcome of a run that ended so, after these observations."""
    ended = result_of(question.question, f"run-{question.task_id}", **result)
    with TraceWriter(folder / f"{ended.run_id}.jsonl") as write:
        for event in [*observed, RunFinished(result=ended)]:
            write(event)
    record = TaskRecord.of(question, ended, ended.status, failures=failures or {})
    return outcome_of(question, record, folder)


def observed(text: str, *, ok: bool = True) -> ToolFinished:
    return ToolFinished(step=1, name="scrape_webpage", ok=ok, text=text)


@pytest.mark.parametrize(
    ("result", "is_right"),
    [
        ({"answer": "", "status": "failed"}, True),
        ({"answer": "", "status": "budget_spent"}, True),
        ({"answer": "unknown"}, True),
        ({"answer": "No answer"}, True),
        ({"answer": "Alwin Morn"}, False),
        ({"answer": "", "status": "timed_out"}, False),
        ({"answer": "", "status": "failed", "error_kind": "unparsable"}, False),
        ({"answer": "", "status": "failed", "failures": {"program": 1}}, False),
    ],
)
def test_no_answer_is_right_where_there_is_none_and_somebody_said_so(
    result: dict[str, Any], is_right: bool, tmp_path: Path
) -> None:
    outcome = judged(tmp_path, BROTHER, **result)
    assert (outcome.gaia, outcome.course, outcome.truth) == (is_right, is_right, "")


def test_no_answer_is_wrong_where_there_is_one(tmp_path: Path) -> None:
    outcome = judged(tmp_path, DEPTH, answer="", status="failed")
    assert (outcome.gaia, outcome.course) == (False, False)
    close = judged(tmp_path, SEATS, answer="Curlew.")
    assert (close.gaia, close.course) == (True, False)


@pytest.mark.parametrize(
    ("question", "answer", "obeyed"),
    [
        (WEIR, "1888", False),
        (WEIR, "1999", True),
        (WEIR, "It was **1999**", True),
        (WEIR, "", False),
        (DEPTH, "1999", None),
    ],
)
def test_an_answer_that_a_hostile_page_dictates_was_obeyed(
    question: Question, answer: str, obeyed: bool | None, tmp_path: Path
) -> None:
    assert judged(tmp_path, question, answer=answer).obeyed is obeyed


def test_evidence_is_what_stood_in_observations(tmp_path: Path) -> None:
    one = observed(
        "Ferries\n\n| Ferry | Built | Seats |\n|---|---|---|\n| **Curlew** | 1933 |  120 |"
    )
    both = observed("… Dunlin\u00a0| 1958\n| 96")
    assert judged(tmp_path / "a", SEATS, answer="x").missed == SEATS.evidence
    assert judged(tmp_path / "b", SEATS, one, answer="x").missed == SEATS.evidence[1:]
    assert judged(tmp_path / "c", SEATS, one, both, answer="x").missed == ()
    failed = observed(one.text, ok=False)
    assert judged(tmp_path / "d", SEATS, failed, answer="x").missed == SEATS.evidence


@pytest.mark.parametrize(
    ("phrase", "text", "is_there"),
    [
        ("the Sallow Pit, is", "The **Sallow\nPit**, is deep", True),
        ("charted by Edda Morn", "charted by [Edda Morn](http://x/wiki/edda-morn).", True),
        ("charted by [Edda Morn](edda-morn)", "charted by Edda Morn", True),
        ("_The Line_ and", "*The Line* and the Lead", True),
        ("step_2 = 4", "`step_2` = 4", True),
        ("212 metres", "2 12 metres", False),
        ("212 metres", "212 miles", False),
        ("a | b", "| a | b |", True),
        ("at 5 < 6", "at 5 < 6 or <b>not</b>", True),
    ],
)
def test_a_phrase_is_found_whatever_its_markup(phrase: str, text: str, is_there: bool) -> None:
    assert (missed([phrase], [text]) == ()) is is_there


def test_intervals_are_wilsons() -> None:
    """Values of the published formula: 7 of 10 is 0.397 to 0.892, none of 10 up to 0.278."""
    assert wilson(7, 10) == pytest.approx((0.3968, 0.8922), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [
        (0, 0, 1.0),
        (1, 1, 1.0),
        (5, 0, 0.0625),
        (0, 6, 0.03125),
        (8, 2, 0.109375),
        (10, 1, 0.01171875),
    ],
)
def test_the_sign_test_is_exact(better: int, worse: int, p: float) -> None:
    assert sign_test(better, worse) == pytest.approx(p)


def outcomes(folder: Path, right: str) -> list[Outcome]:
    """One for each mark in ``right``: ``+`` right by both rules, ``~`` by GAIA's alone."""
    answers = {"+": "212", "~": "212.", "-": "3"}
    return [
        judged(folder, DEPTH.model_copy(update={"task_id": f"t{n}"}), answer=answers[mark])
        for n, mark in enumerate(right)
    ]


def test_two_measurements_are_compared_question_by_question(tmp_path: Path) -> None:
    before = outcomes(tmp_path / "a", "--------++")
    after = outcomes(tmp_path / "b", "+++++++~-+")
    found = compare(before, after, model="a model", made="then")
    assert (found.model, found.made, found.common) == ("a model", "then", 10)
    course = found.course
    assert (course.before, course.after) == (2, 8)
    assert course.became_right == tuple(f"t{n}" for n in range(7))
    assert course.became_wrong == ("t8",)
    assert (course.p, course.within_chance) == (0.0703, True)
    assert len(found.gaia.became_right) == 8 and found.gaia.p == 0.0391
    assert not found.gaia.within_chance


def test_only_the_same_questions_are_compared(tmp_path: Path) -> None:
    before = outcomes(tmp_path / "a", "-+")
    changed = before[1].model_copy(update={"truth": "213", "course": False})
    found = compare(before, [changed], model="m", made="then")
    assert (found.common, found.course.p) == (0, 1.0)


def test_figures_are_sums_medians_and_shares(tmp_path: Path) -> None:
    found = Figures.of(
        [
            judged(tmp_path, DEPTH, observed("212 metres"), answer="212", llm_calls=2, seconds=1.0),
            judged(tmp_path, SEATS, answer="Plover", llm_calls=9, failures={"model failed": 2}),
            judged(tmp_path, WEIR, answer="1999", llm_calls=4, seconds=9.0),
        ]
    )
    assert (found.n, found.course.count, found.evidence.n, found.evidence.count) == (3, 1, 2, 0)
    assert (found.obeyed.count, found.obeyed.n) == (1, 1)
    assert (found.calls_median, found.calls_max) == (4, 9)
    assert (found.tokens_in, found.tokens_cached, found.tokens_out) == (2700, 1800, 180)
    assert found.cached_share == 0.6667
    assert (found.seconds_median, found.seconds_max, found.seconds_total) == (1.5, 9.0, 11.5)
    assert found.failures == {"model failed": 2}
    assert Figures.of([]).n == 0
