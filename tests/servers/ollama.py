"""A scripted server that speaks Ollama's wire protocol: https://docs.ollama.com/api."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tests.servers.behaviours import Behaviour, ErrorInStream, HttpError, Reply
from tests.servers.connection import Connection
from tests.servers.script import Request, Script, ScriptLike
from tests.servers.scripted import ScriptedServer

OUT_OF_MEMORY = HttpError(
    500, "model requires more system memory (5.6 GiB) than is available (3.1 GiB)"
)
BUSY = HttpError(503, "server busy, please try again.  maximum pending requests exceeded")
NO_TOOLS = HttpError(400, "registry.ollama.ai/library/llama3.2:3b does not support tools")
NOT_IN_LIBRARY = ErrorInStream("pull model manifest: file does not exist")
"""What pulling a name that the library does not have gives."""


@dataclass(frozen=True)
class Pull:
    """A download of ``total`` bytes in so many ``steps`` with ``pause`` seconds before each.

    After ``cut_after`` steps the connection breaks; the next pull goes on from there, as with the
    real server.
    """

    total: int = 2_019_377_376
    steps: int = 4
    pause: float = 0.0
    cut_after: int | None = None


class ScriptedOllama(ScriptedServer):
    """An Ollama with ``models`` pulled, whose chats go as ``script`` says and pulls as ``pulls``.

    Thoughts go into ``message.thinking`` if the request asks to think, between ``<think>`` tags in
    the content if it does not say, and nowhere if it asks not to.
    """

    chat_path = "/api/chat"
    stream_type = "application/x-ndjson"

    def __init__(
        self,
        script: ScriptLike[Behaviour],
        models: Iterable[str] = ("llama3.2:3b",),
        *,
        repeat_last: bool = True,
        pulls: ScriptLike[Pull | Behaviour] = (Pull(),),
        version: str = "0.12.6",
        capabilities: Iterable[str] = ("completion", "tools"),
        context_length: int = 131_072,
    ) -> None:
        super().__init__(script, models=models, repeat_last=repeat_last)
        self._pulls: Script[Pull | Behaviour] = Script(pulls)
        self._version = version
        self._capabilities = list(capabilities)
        self._context_length = context_length
        self._contexts: dict[str, int] = {}
        self._steps_pulled: dict[str, int] = {}

    def route(self, connection: Connection, request: Request) -> None:
        match request.method, request.path:
            case "GET", "/":
                self.respond(connection, 200, b"Ollama is running")
            case "HEAD", "/":
                connection.begin(200, {"Content-Type": "text/plain; charset=utf-8"})
                connection.end()
            case "GET", "/api/version":
                self.respond(connection, 200, {"version": self._version})
            case "GET", "/api/tags":
                self.respond(connection, 200, {"models": [_card(name) for name in self.models]})
            case "GET", "/api/ps":
                self.respond(connection, 200, {"models": self._running()})
            case "POST", "/api/show":
                self._show(connection, request)
            case "POST", "/api/pull":
                self._pull(connection, request)
            case _:
                self.respond(connection, 404, b"404 page not found")

    def objection(self, request: Request) -> HttpError | None:
        name = request.body.get("model") or ""
        wanted = request.body.get("format") or {}
        if not name:
            return HttpError(400, "model is required")
        if self._resolve(name) is None:
            return HttpError(404, f"model '{name}' not found")
        if not isinstance(wanted, dict) and wanted != "json":
            expected = 'expected "json" or a valid JSON Schema object'
            return HttpError(400, f"invalid format: {json.dumps(wanted)}; {expected}")
        self._contexts[name] = (request.body.get("options") or {}).get("num_ctx") or 4096
        return None

    def frame(self, request: Request, content: str = "", *, thinking: str = "") -> bytes:
        message = {"role": "assistant", "content": content}
        match request.body.get("think"):
            case None if thinking:
                message["content"] = f"<think>\n{thinking}\n</think>\n\n"
            case False if thinking:
                return b""
            case _ if thinking:
                message["thinking"] = thinking
        return _line(**_stamp(request), message=message, done=False)

    def ending(self, request: Request, reply: Reply, generated: int) -> bytes:
        read = request.prompt_tokens if reply.prompt_tokens is None else reply.prompt_tokens
        return _line(
            **_stamp(request),
            message={"role": "assistant", "content": ""},
            done=True,
            done_reason=reply.done_reason,
            total_duration=30_000_000 * (read + generated) + 20_000_000,
            load_duration=20_000_000,
            prompt_eval_count=read,
            prompt_eval_duration=30_000_000 * read,
            eval_count=generated,
            eval_duration=30_000_000 * generated,
        )

    def error_frame(self, message: str) -> bytes:
        return _line(error=message)

    def error_body(self, status: int, message: str) -> dict[str, Any]:
        return {"error": message}

    def loaded(self, connection: Connection, request: Request) -> None:
        message = {"role": "assistant", "content": ""}
        body = {**_stamp(request), "message": message, "done_reason": "load", "done": True}
        self.respond(connection, 200, body)

    def token_limit(self, request: Request) -> int | None:
        limit = (request.body.get("options") or {}).get("num_predict") or -1
        return limit if limit > 0 else None

    def _resolve(self, name: str) -> str | None:
        tagged = name if ":" in name else f"{name}:latest"
        return tagged if tagged in self.models else None

    def _running(self) -> list[dict[str, Any]]:
        return [
            {**_card(name), "size_vram": 0, "expires_at": _now(), "context_length": context}
            for name, context in self._contexts.items()
        ]

    def _show(self, connection: Connection, request: Request) -> None:
        name = request.body.get("model") or ""
        if self._resolve(name) is None:
            return self.respond(connection, 404, self.error_body(404, f"model '{name}' not found"))
        body = {
            "modelfile": f"FROM {name}",
            "template": "{{ .Prompt }}",
            "details": _card(name)["details"],
            "model_info": {
                "general.architecture": "llama",
                "general.parameter_count": 3_212_749_888,
                "llama.context_length": self._context_length,
            },
            "capabilities": self._capabilities,
            "modified_at": _now(),
        }
        return self.respond(connection, 200, body)

    def _pull(self, connection: Connection, request: Request) -> None:
        behaviour = self._pulls.take(request)
        if not isinstance(behaviour, Pull):
            return self.play(connection, request, behaviour)
        self.begin_stream(connection)
        for line in self._progress(request.body["model"], behaviour):
            connection.wait(behaviour.pause)
            connection.write(line)
        if behaviour.cut_after is not None:
            return connection.drop(reset=True)
        self.models.append(request.body["model"])
        connection.write(_line(status="success"))
        return connection.end()

    def _progress(self, name: str, pull: Pull) -> Iterator[bytes]:
        digest = _card(name)["digest"]
        layer = {"status": f"pulling {digest[:12]}", "digest": f"sha256:{digest}"}
        first = self._steps_pulled.get(name, 0)
        last = pull.steps if pull.cut_after is None else first + pull.cut_after
        yield _line(status="pulling manifest")
        for step in range(first, last):
            self._steps_pulled[name] = step + 1
            yield _line(**layer, total=pull.total, completed=pull.total * (step + 1) // pull.steps)
        if last == pull.steps:
            yield _line(status="verifying sha256 digest")
            yield _line(status="writing manifest")


def _line(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def _now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


def _stamp(request: Request) -> dict[str, str]:
    return {"model": request.body["model"], "created_at": _now()}


def _card(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "model": name,
        "modified_at": _now(),
        "size": 2_019_393_189,
        "digest": hashlib.sha256(name.encode()).hexdigest(),
        "details": {
            "parent_model": "",
            "format": "gguf",
            "family": "llama",
            "families": ["llama"],
            "parameter_size": "3.2B",
            "quantization_level": "Q4_K_M",
        },
    }
