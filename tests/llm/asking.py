"""A conversation with a scripted server, for the tests of this folder."""

import threading
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel

from agent.budget import Budget, Limits
from agent.config import Settings
from agent.llm.conversation import Conversation
from agent.llm.providers import ChatModel, connect
from agent.llm.window import Window
from agent.obs.events import CallFinished, Event, Thinking
from agent.obs.metrics import CallRecord


class Step(BaseModel):
    thought: str
    action: Literal["finish"]
    answer: str


STEP = {"thought": "I multiply.", "action": "finish", "answer": "391"}
SYSTEM = "Reply with one JSON object."
OLLAMA = "ollama:llama3.2:3b"


def settings_with(**fields: Any) -> Settings:
    return Settings(_env_file=None, **fields)


def connected(settings: Settings, name: str = OLLAMA) -> ChatModel:
    return connect(settings, name, progress=lambda *_: None, stop=threading.Event())


@dataclass
class Asking:
    """A conversation, its budget, and the events that it emitted."""

    model: ChatModel
    limits: Limits = field(default_factory=Limits)
    events: list[Event] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.budget = Budget(self.limits)
        self.window = Window(SYSTEM, self.model.num_ctx, self.model.num_predict)
        self.conversation = Conversation(self.model, self.window, self.events.append, self.stop)

    def ask(self, text: str = "What is 17*23?") -> Step:
        from agent.llm.structured import Schema

        self.conversation.add(text)
        return self.conversation.ask(Schema(Step), "solver", self.budget)

    @property
    def records(self) -> list[CallRecord]:
        return [event.record for event in self.events if isinstance(event, CallFinished)]

    @property
    def outcomes(self) -> list[str]:
        return [record.outcome for record in self.records]

    @property
    def thought(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, Thinking))

    @property
    def transcript(self) -> list[str]:
        return [turn.text for turn in self.window.turns]
