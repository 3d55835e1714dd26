"""The whole engine against a scripted model server, over a real socket."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.budget import Limits
from agent.config import Settings
from agent.core.orchestrator import Orchestrator
from agent.obs.events import Event, RunResult
from tests.servers.behaviours import Behaviour, Reply
from tests.servers.ollama import ScriptedOllama
from tests.servers.schema import valid_for
from tests.servers.script import Request

QUESTION = "The hall of Varnholt has 17 rows of 23 seats. How many seats are 17 rows?"
"""Names and numbers: no rule knows whom to send, so the supervisor asks the model."""
MODEL = "ollama:llama3.2:3b"
ASIDE = "I cannot tell."
"""A reply to a call beside the conversation that holds neither a program nor an answer."""


@dataclass(frozen=True)
class Outcome:
    """A run, everything it emitted, and how long it took in seconds."""

    result: RunResult
    events: list[Event]
    seconds: float

    def of(self, kind: type[Event]) -> list[Any]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]


def settings_for(server: ScriptedOllama, folder: Path, **changed: Any) -> Settings:
    """Settings that know this server and write into this folder alone."""
    return Settings(
        _env_file=None, ollama_host=server.url, model=MODEL, cache_dir=folder, **changed
    )


def run(
    server: ScriptedOllama,
    folder: Path,
    question: str = QUESTION,
    files: Sequence[Path] = (),
    **limits: Any,
) -> Outcome:
    """One question, with the given limits in place of the defaults."""
    events: list[Event] = []
    orchestrator = Orchestrator(settings_for(server, folder))
    started = time.monotonic()
    result = orchestrator.answer(question, files, limits=Limits(**limits), emit=events.append)
    return Outcome(result, events, time.monotonic() - started)


def good_reply(request: Request, **preferences: Any) -> Any:
    """What a good model would say to this request: calculate, then finish with the result.

    Asked for free text it says nothing of use, so that the work is done step by step.
    """
    if not request.schema:
        return ASIDE
    wanted = {
        "next": "code_agent",
        "task": "Calculate 17*23.",
        "action": "calculator",
        "thought": "I multiply.",
        "args": {"expression": "17*23", "answer": "391"},
        "answer": "391",
        "evidence": "391",
        **preferences,
    }
    return valid_for(request.schema, **wanted)


def is_final(request: Request) -> bool:
    """Whether this asks the finalizer."""
    return "You are the finalizer." in request.messages[-1]["content"]


def good(request: Request) -> Behaviour:
    """The script of a good model."""
    return Reply(good_reply(request))


def after(*faults: Behaviour) -> Callable[[Request], Behaviour]:
    """A model that shows these faults first and is good from then on."""
    rest = iter(faults)

    def script(request: Request) -> Behaviour:
        return next(rest, None) or good(request)

    return script
