"""Submitting: what is shown is what is sent, once, or nobody is left in doubt."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.eval.cache import Cache
from agent.eval.questions import load
from agent.eval.scoring_api import ScoringAPI
from agent.eval.submit import Receipt, SubmitError, prepare, receipts, send
from tests.eval.scripted import MODEL, Scripted, benchmark, run, settings_for, until
from tests.servers.scoring import ScoringServer, scoring_server

CODE = "https://github.com/someone/agent/tree/v1"
FIVE = benchmark(5)
ENTRIES = [{"task_id": t.task_id, "question": t.question} for t in FIVE.tasks]


class Course:
    """A scoring server and a run of its five questions, of which the last has no answer."""

    def __init__(self, server: ScoringServer, folder: Path) -> None:
        self.server = server
        self.settings = settings_for(folder, scoring_api_url=server.url)
        self.benchmark = load("", self.settings)
        odd = {
            FIVE.tasks[0].question: {"answer": "The answer is 17."},
            FIVE.tasks[4].question: {"answer": "", "status": "failed"},
        }
        run(folder, Scripted(odd), self.benchmark, scoring_api_url=server.url)
        self.cache = Cache.of(self.benchmark, "someone", MODEL, self.settings)
        self.api = ScoringAPI(self.settings, submit_timeout_s=0.5)

    def prepare(self, **changed: object) -> object:
        given = {"username": "someone", "agent_code": CODE, **changed}
        records = self.cache.records(self.benchmark.tasks)
        return prepare(self.benchmark, records, self.settings, **given)

    def send(self, **given: bool) -> Receipt:
        return send(self.prepare(), self.cache, self.api, **given)


@pytest.fixture
def course(tmp_path: Path) -> Iterator[Course]:
    with scoring_server(ENTRIES, {t.task_id: t.answer for t in FIVE.tasks}) as server:
        yield Course(server, tmp_path)


def test_what_is_shown_is_what_is_sent(course: Course) -> None:
    submission = course.prepare()
    assert [line.answer for line in submission.lines] == ["The answer is 17.", "34", "51", "68"]
    assert submission.lines[0].faults and not submission.lines[1].faults
    assert [task.task_id for task in submission.missing] == ["task-05"]
    receipt = course.send()
    assert course.server.submissions == [submission.payload]
    assert receipt.score is not None and receipt.score.correct_count == 3
    assert receipts(course.cache) == [receipt]


def test_the_same_answers_are_not_sent_twice_and_changed_ones_are(course: Course) -> None:
    course.send()
    with pytest.raises(SubmitError, match=r"submitted on .*: 60 %"):
        course.send(again=True)
    assert len(course.server.submissions) == 1
    record = course.cache.records(FIVE.tasks)["task-01"]
    course.cache.keep(record.model_copy(update={"answer": "17"}))
    assert course.send().score.score == 80
    assert len(receipts(course.cache)) == 2


def test_a_double_click_sends_once(course: Course) -> None:
    course.server.on_submit = "silent"
    course.api = ScoringAPI(course.settings)
    first = threading.Thread(target=course.send)
    first.start()
    until(lambda: course.server.submissions)
    with pytest.raises(SubmitError, match="under way already"):
        course.send()
    course.server.resume.set()
    first.join()
    assert len(course.server.submissions) == 1


@pytest.mark.parametrize("fault", ["500", "cut", "garbled", "silent"])
def test_a_lost_answer_says_that_it_may_have_arrived_and_how_to_check(
    course: Course, fault: str
) -> None:
    course.server.on_submit = fault
    for _ in range(2):
        with pytest.raises(SubmitError, match=r"may have arrived.*Students_leaderboard"):
            course.send()
    assert len(course.server.submissions) == 1
    course.server.on_submit = ""
    assert course.send(again=True).state == "received"


def test_a_refused_submission_can_be_sent_again(course: Course) -> None:
    course.server.on_submit = "422"
    with pytest.raises(SubmitError, match=r"body.answers.0: value is odd \(status 422\)"):
        course.send()
    assert receipts(course.cache)[0].state == "refused"
    course.server.on_submit = ""
    assert course.send().state == "received"


def test_a_process_that_died_while_it_sent_leaves_a_guard(course: Course) -> None:
    submission = course.prepare()
    guard = course.cache.folder / "sent" / f"{submission.digest}.json"
    guard.parent.mkdir()
    for content in (Receipt(state="sending", at=0, payload={}).model_dump_json(), "{"):
        guard.write_text(content)
        with pytest.raises(SubmitError, match="may have arrived"):
            course.send()
    assert course.server.submissions == []


def test_one_answer_alone_is_not_submitted(course: Course) -> None:
    for path in sorted(course.cache.tasks.glob("*.json"))[1:]:
        path.unlink()
    with pytest.raises(SubmitError, match="One answer alone is not submitted"):
        course.prepare()


def test_the_only_question_of_a_benchmark_is(tmp_path: Path) -> None:
    with scoring_server(ENTRIES[1:2], {"task-02": "34"}) as server:
        settings = settings_for(tmp_path, scoring_api_url=server.url)
        only = load("", settings)
        _, records = run(tmp_path, Scripted(), only, scoring_api_url=server.url)
        submission = prepare(only, records, settings, username="me", agent_code=CODE)
    assert len(submission.lines) == 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"username": " "}, "exactly as on your profile"),
        ({"agent_code": ""}, "address of your agent's code"),
        ({"agent_code": "mine"}, "address of your agent's code"),
    ],
)
def test_what_the_api_would_refuse_is_not_sent(
    course: Course, changed: dict[str, str], said: str
) -> None:
    with pytest.raises(SubmitError, match=said):
        course.prepare(**changed)


def test_on_a_space_the_code_is_the_space_s(course: Course) -> None:
    course.settings = course.settings.model_copy(update={"space_id": "someone/agent"})
    submission = course.prepare(agent_code="")
    assert submission.agent_code == "https://huggingface.co/spaces/someone/agent/tree/main"


def test_other_benchmarks_are_not_submitted(tmp_path: Path) -> None:
    with pytest.raises(SubmitError, match="Only the course's own questions"):
        prepare(benchmark(5, "gaia"), {}, settings_for(tmp_path), username="me", agent_code=CODE)


def test_no_answers_are_not_submitted(course: Course) -> None:
    for path in course.cache.tasks.glob("*.json"):
        path.unlink()
    with pytest.raises(SubmitError, match="run the benchmark first"):
        course.prepare()
