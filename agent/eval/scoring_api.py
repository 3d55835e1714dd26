"""The course's scoring API: questions and submissions.

Its fourth endpoint, ``GET /files/{task_id}``, is asked by the tool that the agent itself uses
(``agent.tools.download_task_file``). Field names as the API's OpenAPI page has them.
"""

from typing import Any

import requests
from pydantic import BaseModel, ConfigDict, ValidationError
from requests.adapters import HTTPAdapter
from urllib3.exceptions import MaxRetryError, NewConnectionError
from urllib3.util import Retry

from agent.config import Settings
from agent.eval.errors import BenchmarkError

READ_TIMEOUT_S = 15.0
SUBMIT_TIMEOUT_S = 60.0
"""Both as in the course's template."""
_CONNECT_S = 5.0
_READ_RETRIES = 3
_BACKOFF_S = 0.3
_PASSING = (429, 500, 502, 503, 504)


class ScoringError(BenchmarkError):
    """The API gave nothing usable; the message is one sentence."""


class MayHaveArrivedError(ScoringError):
    """A submission was sent and no answer to it was understood: it may count, or not."""


class Score(BaseModel):
    """What the API says of a submission. ``score`` is percent of all questions."""

    model_config = ConfigDict(frozen=True, extra="allow")

    username: str
    score: float
    correct_count: int
    total_attempted: int
    message: str = ""
    timestamp: str = ""


class ScoringAPI:
    """A client of the API at ``settings.scoring_api_url``. Reads are tried again, a submission
    never is."""

    def __init__(self, settings: Settings, *, submit_timeout_s: float = SUBMIT_TIMEOUT_S) -> None:
        self._submit_timeout_s = submit_timeout_s
        self.url = settings.scoring_api_url.rstrip("/")

    def questions(self) -> list[dict[str, Any]]:
        """All questions: objects with ``task_id``, ``question``, ``Level`` and ``file_name``.

        Raises:
            ScoringError: there was no list of questions.
        """
        questions = self._read("/questions")
        if not isinstance(questions, list) or not questions:
            raise ScoringError(f"{self.url} sent no list of questions.")
        return questions

    def random_question(self) -> dict[str, Any]:
        """One of the questions.

        Raises:
            ScoringError: there was none.
        """
        question = self._read("/random-question")
        if not isinstance(question, dict):
            raise ScoringError(f"{self.url} sent no question.")
        return question

    def submit(self, payload: dict[str, Any]) -> Score:
        """Send answers, once: ``{username, agent_code, answers: [{task_id, submitted_answer}]}``.

        Raises:
            MayHaveArrivedError: no understandable answer came to what was sent.
            ScoringError: it was refused, or not sent at all.
        """
        try:
            response = requests.post(
                f"{self.url}/submit",
                json=payload,
                timeout=(_CONNECT_S, self._submit_timeout_s),
                allow_redirects=False,
            )
        except requests.RequestException as error:
            if _was_not_sent(error):
                raise ScoringError(
                    f"{self.url} could not be reached: nothing was sent. Try again later."
                ) from error
            raise MayHaveArrivedError(f"No answer came ({type(error).__name__}).") from error
        if 300 <= response.status_code < 500:
            raise ScoringError(f"The submission was refused: {_detail(response)}")
        if response.status_code != 200:
            raise MayHaveArrivedError(f"The server failed: {_detail(response)}")
        try:
            return Score.model_validate_json(response.content)
        except ValidationError as error:
            raise MayHaveArrivedError("The server's answer is not of the known form.") from error

    def _read(self, path: str) -> Any:
        retry = Retry(_READ_RETRIES, backoff_factor=_BACKOFF_S, status_forcelist=_PASSING)
        with requests.Session() as session:
            for scheme in ("http://", "https://"):
                session.mount(scheme, HTTPAdapter(max_retries=retry))
            try:
                response = session.get(self.url + path, timeout=(_CONNECT_S, READ_TIMEOUT_S))
            except requests.exceptions.RetryError as error:
                raise ScoringError(f"{self.url} answers with errors: try again later.") from error
            except requests.RequestException as error:
                raise ScoringError(
                    f"{self.url} could not be reached: check the network and SCORING_API_URL."
                ) from error
        if response.status_code != 200:
            raise ScoringError(f"{self.url}{path}: {_detail(response)}")
        try:
            return response.json()
        except ValueError as error:
            raise ScoringError(f"{self.url}{path} did not answer with JSON.") from error


def _was_not_sent(error: requests.RequestException) -> bool:
    """Whether the connection was never there, so that nothing can have arrived."""
    if isinstance(error, requests.ConnectTimeout | requests.exceptions.SSLError):
        return True
    cause = error.args[0] if error.args else None
    return isinstance(cause, MaxRetryError) and isinstance(cause.reason, NewConnectionError)


def _detail(response: requests.Response) -> str:
    """Why the API refused, in one sentence: its ``detail`` is a string, or a list of faults each
    with ``loc`` and ``msg``."""
    try:
        detail = response.json()["detail"]
    except (ValueError, TypeError, KeyError):
        return f"status {response.status_code}."
    faults = [_fault(item) for item in (detail if isinstance(detail, list) else [detail])]
    said = " ".join("; ".join(faults).split())[:300].rstrip(".")
    return f"{said} (status {response.status_code})."


def _fault(item: object) -> str:
    if not isinstance(item, dict):
        return str(item)
    place = ".".join(map(str, item.get("loc", ())))
    return f"{place}: {item.get('msg', '')}".strip(": ")
