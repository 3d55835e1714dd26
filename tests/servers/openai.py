"""A scripted server that speaks the chat completions protocol of OpenAI and all who copied it.

https://platform.openai.com/docs/api-reference/chat/streaming
"""

import json
from collections.abc import Iterable
from typing import Any

from tests.servers.behaviours import Behaviour, HttpError, Reply
from tests.servers.connection import Connection
from tests.servers.script import Request, ScriptLike
from tests.servers.scripted import ScriptedServer

INVALID_KEY = HttpError(
    401,
    {
        "error": {
            "message": "Incorrect API key provided: sk-bad. You can find your API key at "
            "https://platform.openai.com/account/api-keys.",
            "type": "invalid_request_error",
            "param": None,
            "code": "invalid_api_key",
        }
    },
)
HF_INVALID_TOKEN = HttpError(401, {"error": "Invalid username or password."})
HF_CREDITS_SPENT = HttpError(
    402,
    {
        "error": "You have exceeded your monthly included credits for Inference Providers. "
        "Subscribe to PRO to get 20x more monthly included credits."
    },
)
RATE_LIMITED = HttpError(
    429,
    {
        "error": {
            "message": "Rate limit reached for requests. Please try again in 1s.",
            "type": "requests",
            "param": None,
            "code": "rate_limit_exceeded",
        }
    },
    {"Retry-After": "1"},
)
QUOTA_SPENT = HttpError(
    429,
    {
        "error": {
            "message": "You exceeded your current quota, please check your plan and billing "
            "details.",
            "type": "insufficient_quota",
            "param": None,
            "code": "insufficient_quota",
        }
    },
)
LOADING = HttpError(
    503, {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}
)
"""What llama.cpp's server says until its model is in memory."""


class ScriptedOpenAI(ScriptedServer):
    """An OpenAI-compatible server; clients are given ``base_url``.

    ``api_key``: the only key that is let in; empty lets everyone in. Thoughts go into
    ``reasoning_content``, as most hosts of open models do it.
    """

    chat_path = "/v1/chat/completions"
    stream_type = "text/event-stream; charset=utf-8"

    def __init__(
        self,
        script: ScriptLike[Behaviour],
        models: Iterable[str] = ("gpt-oss-20b",),
        *,
        repeat_last: bool = True,
        api_key: str = "",
    ) -> None:
        super().__init__(script, models=models, repeat_last=repeat_last)
        self._api_key = api_key

    @property
    def base_url(self) -> str:
        """What clients call the base URL: with the version."""
        return f"{self.url}/v1"

    def route(self, connection: Connection, request: Request) -> None:
        if (request.method, request.path) == ("GET", "/v1/models"):
            cards = [
                {"id": name, "object": "model", "created": 1_700_000_000, "owned_by": "test"}
                for name in self.models
            ]
            refusal = self._wrong_key(request)
            answer = refusal or HttpError(200, {"object": "list", "data": cards})
            self.play(connection, request, answer)
        else:
            self.respond(connection, 404, self.error_body(404, f"Unknown URL {request.path}"))

    def objection(self, request: Request) -> HttpError | None:
        model = request.body.get("model")
        if refusal := self._wrong_key(request):
            return refusal
        if not request.messages:
            return HttpError(400, "Missing required parameter: 'messages'.")
        if not request.body.get("stream"):
            return HttpError(400, "This server answers only with stream=true.")
        if model not in self.models:
            return HttpError(404, f"The model `{model}` does not exist.")
        return None

    def frame(self, request: Request, content: str = "", *, thinking: str = "") -> bytes:
        delta = {"reasoning_content": thinking} if thinking else {"content": content}
        return _chunk(request, {"role": "assistant", **delta})

    def ending(self, request: Request, reply: Reply, generated: int) -> bytes:
        end = _chunk(request, {}, finish_reason=reply.done_reason)
        if (request.body.get("stream_options") or {}).get("include_usage"):
            read = request.prompt_tokens if reply.prompt_tokens is None else reply.prompt_tokens
            usage = {
                "prompt_tokens": read,
                "completion_tokens": generated,
                "total_tokens": read + generated,
                "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
            }
            end += _event({**_stamp(request), "choices": [], "usage": usage})
        return end + b"data: [DONE]\n\n"

    def error_frame(self, message: str) -> bytes:
        return _event(self.error_body(500, message))

    def error_body(self, status: int, message: str) -> dict[str, Any]:
        kind = "invalid_request_error" if status < 500 else "server_error"
        return {"error": {"message": message, "type": kind, "param": None, "code": None}}

    def loaded(self, connection: Connection, request: Request) -> None:
        self.play(connection, request, LOADING)

    def token_limit(self, request: Request) -> int | None:
        return request.body.get("max_completion_tokens") or request.body.get("max_tokens")

    def _wrong_key(self, request: Request) -> HttpError | None:
        given = request.headers.get("authorization")
        return INVALID_KEY if self._api_key and given != f"Bearer {self._api_key}" else None


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def _stamp(request: Request) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": request.body["model"],
    }


def _chunk(request: Request, delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return _event({**_stamp(request), "choices": [choice]})
