"""The client of the scoring API against its real contract and its faults."""

from collections.abc import Iterator

import pytest

from agent.config import Settings
from agent.eval.scoring_api import MayHaveArrivedError, ScoringAPI, ScoringError
from tests.servers.files import Answer, file_server
from tests.servers.scoring import ScoringServer, scoring_server

QUESTIONS = [
    {"task_id": "a-1", "question": "What is 2+2?", "Level": "1", "file_name": ""},
    {"task_id": "a-2", "question": "What is 2+3?", "Level": "1", "file_name": "a-2.xlsx"},
]
PAYLOAD = {
    "username": "someone",
    "agent_code": "https://huggingface.co/spaces/a/b/tree/main",
    "answers": [
        {"task_id": "a-1", "submitted_answer": "4"},
        {"task_id": "a-2", "submitted_answer": "6"},
    ],
}


@pytest.fixture
def server() -> Iterator[ScoringServer]:
    with scoring_server(QUESTIONS, {"a-1": "4", "a-2": "5"}) as running:
        yield running


def api(url: str, **given: float) -> ScoringAPI:
    return ScoringAPI(Settings(_env_file=None, scoring_api_url=url), **given)


def test_questions_come_as_they_are(server: ScoringServer) -> None:
    assert api(server.url + "/").questions() == QUESTIONS
    assert api(server.url).random_question() == QUESTIONS[0]


def test_a_read_is_tried_again(server: ScoringServer) -> None:
    server.fail_reads = 2
    assert api(server.url).questions() == QUESTIONS
    assert server.reads == ["/questions"] * 3


def test_a_read_is_given_up_with_one_sentence(server: ScoringServer) -> None:
    server.fail_reads = 99
    with pytest.raises(ScoringError, match="answers with errors: try again later"):
        api(server.url).questions()
    assert len(server.reads) == 4


def test_no_questions_and_other_things_than_questions_are_said() -> None:
    with scoring_server([]) as server:
        with pytest.raises(ScoringError, match="no list of questions"):
            api(server.url).questions()
        with pytest.raises(ScoringError, match=r"No questions are loaded \(status 404\)"):
            api(server.url).random_question()
    with (
        file_server({"/questions": Answer(b"<html>asleep</html>")}) as server,
        pytest.raises(ScoringError, match="did not answer with JSON"),
    ):
        api(server.url).questions()


def test_a_server_that_is_not_there_is_said() -> None:
    with pytest.raises(ScoringError, match="check the network and SCORING_API_URL"):
        api("http://127.0.0.1:9").questions()
    with pytest.raises(ScoringError, match="nothing was sent") as caught:
        api("http://127.0.0.1:9").submit(PAYLOAD)
    assert not isinstance(caught.value, MayHaveArrivedError)


def test_a_submission_brings_its_score(server: ScoringServer) -> None:
    score = api(server.url).submit(PAYLOAD)
    assert (score.score, score.correct_count, score.total_attempted) == (50.0, 1, 2)
    assert "1/2 total questions answered correctly" in score.message
    assert server.submissions == [PAYLOAD]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"username": ""}, "body.username: String should have at least 1 character"),
        ({"agent_code": "short"}, "body.agent_code: String should have at least 10 characters"),
        ({"answers": [{"task_id": "a-1", "submitted_answer": None}]}, "body.answers.0"),
    ],
)
def test_what_the_contract_refuses_is_one_sentence(
    server: ScoringServer, changed: dict[str, object], said: str
) -> None:
    with pytest.raises(ScoringError) as caught:
        api(server.url).submit(PAYLOAD | changed)
    assert said in str(caught.value) and str(caught.value).endswith("(status 422).")
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value, MayHaveArrivedError)


@pytest.mark.parametrize(
    ("status", "detail", "said"),
    [
        (400, b'{"detail": "No valid answers."}', r"refused: No valid answers \(status 400\)"),
        (404, b'{"detail": "Task ID not found"}', r"refused: Task ID not found \(status 404\)"),
        (422, b'{"detail": ["one", {"msg": "two"}]}', r"refused: one; two \(status 422\)"),
        (429, b"slow down", r"refused: status 429"),
        (302, b"", r"refused: status 302"),
    ],
)
def test_a_refusal_of_any_form_is_one_sentence(status: int, detail: bytes, said: str) -> None:
    with (
        file_server({"/submit": Answer(detail, status=status)}) as server,
        pytest.raises(ScoringError, match=said),
    ):
        api(server.url).submit(PAYLOAD)


@pytest.mark.parametrize("fault", ["500", "cut", "garbled", "silent"])
def test_what_may_have_arrived_is_never_sent_again(server: ScoringServer, fault: str) -> None:
    server.on_submit = fault  # type: ignore[assignment]
    with pytest.raises(MayHaveArrivedError):
        api(server.url, submit_timeout_s=0.5).submit(PAYLOAD)
    assert len(server.submissions) == 1
