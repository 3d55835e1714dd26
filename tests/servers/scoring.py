"""The course's scoring API on loopback: its real contract, and its faults on demand."""

import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

import uvicorn
from fastapi import FastAPI, HTTPException, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, Field

Fault = Literal["", "500", "422", "cut", "garbled", "silent"]


class _Answer(BaseModel):
    task_id: str
    submitted_answer: str | int | float


class _Submission(BaseModel):
    username: str = Field(min_length=1)
    agent_code: str = Field(min_length=10)
    answers: list[_Answer]


@dataclass
class ScoringServer:
    """``truths`` by task id; ``files`` are attachments by task id, as name and content.

    ``fail_reads`` answers so many reads with 500 first. ``on_submit`` is what happens after a valid
    submission has been counted: ``cut`` breaks the answer off, ``silent`` gives none until
    ``resume`` is set. ``submissions`` are those that were counted, ``reads`` the paths asked for.
    """

    questions: list[dict[str, Any]]
    truths: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    url: str = ""
    fail_reads: int = 0
    on_submit: Fault = ""
    submissions: list[dict[str, Any]] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    resume: threading.Event = field(default_factory=threading.Event)


@contextmanager
def scoring_server(
    questions: list[dict[str, Any]],
    truths: Mapping[str, str] | None = None,
    files: Mapping[str, tuple[str, bytes]] | None = None,
) -> Iterator[ScoringServer]:
    """Serve on a free port of 127.0.0.1."""
    state = ScoringServer(questions, truths or {}, files or {})
    server = uvicorn.Server(
        uvicorn.Config(_app(state), port=0, log_level="critical", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    state.url = f"http://127.0.0.1:{port}"
    try:
        yield state
    finally:
        state.resume.set()
        server.should_exit = True
        thread.join()


def _app(state: ScoringServer) -> FastAPI:
    app = FastAPI()

    def read(path: str) -> None:
        state.reads.append(path)
        if state.fail_reads > 0:
            state.fail_reads -= 1
            raise HTTPException(500, "An internal error occurred.")

    @app.get("/questions")
    def questions() -> list[dict[str, Any]]:
        read("/questions")
        return state.questions

    @app.get("/random-question")
    def random_question() -> dict[str, Any]:
        read("/random-question")
        if not state.questions:
            raise HTTPException(404, "No questions are loaded.")
        return state.questions[0]

    @app.get("/files/{task_id}")
    def file(task_id: str) -> Response:
        read(f"/files/{task_id}")
        if task_id not in state.files:
            raise HTTPException(404, f"No file path associated with task_id {task_id}.")
        name, content = state.files[task_id]
        disposition = f'attachment; filename="{name}"'
        return Response(content, headers={"Content-Disposition": disposition})

    @app.post("/submit")
    def submit(submission: _Submission) -> Response:
        state.submissions.append(submission.model_dump())
        match state.on_submit:
            case "500":
                raise HTTPException(500, "The leaderboard could not be updated.")
            case "422":
                detail = [{"loc": ["body", "answers", 0], "msg": "value is odd", "type": "value"}]
                raise HTTPException(422, detail)
            case "cut":
                return StreamingResponse(_half(), headers={"Content-Length": "1000"})
            case "garbled":
                return Response("<html>Your Space is building</html>")
            case "silent":
                state.resume.wait()
        return JSONResponse(_score(state, submission))

    return app


async def _half() -> AsyncIterator[bytes]:
    yield b'{"username": '


def _score(state: ScoringServer, submission: _Submission) -> dict[str, Any]:
    given = {a.task_id: str(a.submitted_answer) for a in submission.answers}
    valid = {id_: answer for id_, answer in given.items() if id_ in state.truths}
    right = sum(
        answer.strip().lower() == state.truths[id_].strip().lower() for id_, answer in valid.items()
    )
    total = len(state.questions)
    return {
        "username": submission.username,
        "score": round(100 * right / total, 2),
        "correct_count": right,
        "total_attempted": len(valid),
        "message": f"Score calculated successfully: {right}/{total} total questions answered "
        f"correctly ({len(valid)} valid tasks attempted).",
        "timestamp": datetime.now(UTC).isoformat(),
    }
