"""A request as a scripted server received it, and the script that says what to do with it."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tests.servers.behaviours import HttpError, Refuse


@dataclass(frozen=True)
class Request:
    """A request. ``body`` is the parsed JSON ({} if there is none), ``at`` a monotonic instant."""

    method: str
    path: str
    body: dict[str, Any]
    headers: Mapping[str, str]
    at: float

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The chat so far."""
        return self.body.get("messages") or []

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema asked of the answer, in either protocol's place; {} if none is."""
        wanted = self.body.get("format") or self.body.get("response_format")
        if not isinstance(wanted, dict):
            return {}
        return wanted["json_schema"]["schema"] if "json_schema" in wanted else wanted

    @property
    def prompt_tokens(self) -> int:
        """About what a tokenizer would count in the chat."""
        return estimate_tokens("".join(str(m.get("content") or "") for m in self.messages))


T = TypeVar("T")
ScriptLike = Iterable[T] | Callable[[Request], T]


def estimate_tokens(text: str) -> int:
    """About what a tokenizer would count: four characters each, rounded up."""
    return -(-len(text) // 4)


class Script(Generic[T]):
    """Hands out one behaviour a request; the last one repeats for ever if it may."""

    def __init__(self, script: ScriptLike[T], *, repeat_last: bool = True) -> None:
        self._callable = script if callable(script) else None
        self._rest: Iterator[T] = iter(()) if callable(script) else iter(script)
        self._repeat_last = repeat_last
        self._lock = threading.Lock()
        self._next = next(self._rest, None)

    def take(self, request: Request) -> T | HttpError:
        """What to do with this request. A script that is over answers 500."""
        if self._callable:
            return self._callable(request)
        with self._lock:
            current = self._next
            self._next = next(self._rest, current if self._repeat_last else None)
        return current or HttpError(500, "the script is over")

    @property
    def refuses_next(self) -> bool:
        """Whether the next request is not to be received at all."""
        return isinstance(self._next, Refuse)
