"""The world on loopback: a search engine, a wiki, its pages and files, and the course's API."""

import random
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field, ValidationError

from agent.eval.scorers import is_right_for_course
from agent.eval.world.html import document
from agent.eval.world.mediawiki import MediaWiki
from agent.eval.world.questions import Question
from agent.eval.world.search import Index, snippet
from agent.eval.world.world import World

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

API = "/w/api.php"
"""Where the wiki's API is."""
PORT = 8917
"""The port if it is free: the same addresses in every run make the same prompts."""


@contextmanager
def serve(world: World) -> Iterator[str]:
    """Serve on loopback while the block lasts; gives the origin, ``http://127.0.0.1:<port>``."""
    import uvicorn

    listening = _listen()
    origin = f"http://127.0.0.1:{listening.getsockname()[1]}"
    config = uvicorn.Config(
        build_app(world, origin), log_config=None, access_log=False, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(
        target=server.run, kwargs={"sockets": [listening]}, name="world", daemon=True
    )
    thread.start()
    try:
        yield origin
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def build_app(world: World, origin: str) -> "Starlette":
    """Everything that the world answers to. Addresses in its answers begin with ``origin``."""
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.responses import FileResponse, HTMLResponse, JSONResponse
    from starlette.routing import Route

    index = Index(world.pages.values())
    wiki = MediaWiki(world, index)
    by_id = {question.task_id: question for question in world.questions}

    async def search(request: "Request") -> "Response":
        if request.query_params.get("format") != "json":
            raise HTTPException(403, "Only format=json is served.")
        query = request.query_params.get("q", "").strip()
        if not query:
            raise HTTPException(400, "No query.")
        return JSONResponse(_results(index, query, origin))

    async def api(request: "Request") -> "Response":
        return JSONResponse(wiki.answer(request.query_params, origin))

    async def page(request: "Request") -> "Response":
        slug = request.path_params["slug"]
        if slug not in world.pages:
            raise HTTPException(404, "There is no such page.")
        return HTMLResponse(document(world.pages[slug]))

    async def file(request: "Request") -> "Response":
        """By a task's id, as the course's API has it, or by name, as pages link to it."""
        wanted = request.path_params["name"]
        name = by_id[wanted].file_name if wanted in by_id else wanted
        if name not in world.files:
            raise HTTPException(404, f"No file path associated with task_id {wanted}.")
        return FileResponse(world.files[name], filename=name)

    async def questions(request: "Request") -> "Response":
        return JSONResponse([_shown(question) for question in world.questions])

    async def random_question(request: "Request") -> "Response":
        return JSONResponse(_shown(random.choice(world.questions)))

    async def submit(request: "Request") -> "Response":
        try:
            submission = _Submission.model_validate_json(await request.body())
        except ValidationError as error:
            detail = [{**fault, "loc": ["body", *fault["loc"]]} for fault in _faults(error)]
            return JSONResponse({"detail": detail}, status_code=422)
        return JSONResponse(_score(world, submission))

    async def refuse(request: "Request", error: Exception) -> "Response":
        assert isinstance(error, HTTPException)
        return JSONResponse({"detail": error.detail}, status_code=error.status_code)

    return Starlette(
        routes=[
            Route("/search", search),
            Route(API, api),
            Route("/wiki/{slug}", page),
            Route("/files/{name}", file),
            Route("/questions", questions),
            Route("/random-question", random_question),
            Route("/submit", submit, methods=["POST"]),
        ],
        exception_handlers={HTTPException: refuse},
    )


class _Answer(BaseModel):
    task_id: str
    submitted_answer: str | int | float


class _Submission(BaseModel):
    username: str = Field(min_length=1)
    agent_code: str = Field(min_length=10)
    answers: list[_Answer]


def _listen() -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", PORT))
    except OSError:
        return socket.create_server(("127.0.0.1", 0))


def _results(index: Index, query: str, origin: str) -> dict[str, Any]:
    """What SearXNG answers: https://docs.searxng.org/dev/search_api.html."""
    results = [
        {
            "url": f"{origin}/wiki/{page.slug}",
            "title": page.title,
            "content": snippet(page, query),
            "engine": "world",
            "engines": ["world"],
            "category": "general",
        }
        for page in index.find(query)
    ]
    return {
        "query": query,
        "number_of_results": len(results),
        "results": results,
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [],
    }


def _shown(question: Question) -> dict[str, str]:
    """A question as the course's API gives it: without its answer."""
    return {
        "task_id": question.task_id,
        "question": question.question,
        "Level": question.level,
        "file_name": question.file_name,
    }


def _score(world: World, submission: _Submission) -> dict[str, Any]:
    truths = {question.task_id: question.answer or "" for question in world.questions}
    given = {a.task_id: str(a.submitted_answer) for a in submission.answers if a.task_id in truths}
    right = sum(is_right_for_course(answer, truths[id_]) for id_, answer in given.items())
    total = len(truths)
    return {
        "username": submission.username,
        "score": round(100 * right / total, 2),
        "correct_count": right,
        "total_attempted": len(given),
        "message": f"Score calculated successfully: {right}/{total} total questions answered "
        f"correctly ({len(given)} valid tasks attempted).",
        "timestamp": datetime.now(UTC).isoformat(),
    }


def _faults(error: ValidationError) -> list[dict[str, Any]]:
    return [
        {"loc": fault["loc"], "msg": fault["msg"], "type": fault["type"]}
        for fault in error.errors()
    ]
