"""The conversation with the model: one append-only transcript, from which each step is one object.

Servers keep what they have read of a prompt as long as its beginning stays the same, and reading
is most of a call on a CPU. So nothing that was sent is ever changed: every role appends its turn to
the same transcript, and only when the window is full is one large block of old turns dropped.
"""

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from agent.budget import Budget, RunStopped
from agent.llm.aside import aside
from agent.llm.call import Call, Reply, charged
from agent.llm.errors import TRANSIENT, ModelError, explain
from agent.llm.providers import ChatModel
from agent.llm.reasoning import split_reasoning
from agent.llm.stream import stream
from agent.llm.structured import ReplyError, Schema
from agent.llm.window import Window
from agent.obs.events import Event, Thinking
from agent.obs.metrics import CallRecord

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

T = TypeVar("T", bound=BaseModel)

MAX_ATTEMPTS = 3
"""Charged attempts at one step when the server fails in a way that may pass."""
_BACKOFF_S = 0.2
_SHOWN_OF_TRUNCATED = 300
"""Characters of a cut-off reply that stay in the transcript, for the model to see its error."""


@dataclass
class Conversation:
    """One question's exchange with one model."""

    model: ChatModel
    window: Window
    emit: Callable[[Event], None]
    stop: threading.Event
    _pending: list[str] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Put ``text`` into the next user turn."""
        self._pending.append(text)

    def ask(self, schema: Schema[T], role: str, budget: Budget) -> T:
        """One step: one validated object.

        A server fault that may pass is tried again after a pause, a reply that cannot be read gets
        one repair; each attempt is charged to ``budget``.

        Raises:
            ModelError: the model gave nothing usable.
            BudgetExceededError: an attempt could not be paid for.
            RunStopped: the user stopped the run.
        """
        if self.model.constrain.refused:
            self.add(schema.sketch)
        self._flush()
        repaired = False
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                return self._attempt(schema, role, budget)
            except ModelError as error:
                budget.check_time()  # a call that ran into the scope's end is the scope's end
                if attempt == MAX_ATTEMPTS:
                    raise
                if error.kind in TRANSIENT:
                    self._pause(attempt, error, budget)
                elif error.kind == "schema_refused" and not self.model.constrain.refused:
                    self.model.constrain.refused = True
                    self.add(schema.sketch)
                    self._flush()
                elif error.kind in {"unparsable", "truncated"} and not repaired:
                    repaired = True
                    self.add(f"{error} Reply again with one JSON object that fits.")
                    self._flush()
                else:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def aside(self, messages: "list[BaseMessage]", role: str, budget: Budget) -> str:
        """One charged call that leaves the transcript as it is: free text for ``messages``.

        Raises:
            ModelError, BudgetExceededError, RunStopped: see ``ask``; nothing is tried twice.
        """
        text, is_whole = aside(
            self.model, messages, role, budget=budget, emit=self.emit, stop=self.stop
        )
        if not is_whole:
            raise ModelError("truncated", "The reply was too long and was cut off.")
        return text

    def _attempt(self, schema: Schema[T], role: str, budget: Budget) -> T:
        """One charged call, whatever becomes of it."""
        with charged(budget, role, self.emit) as call:
            text = self._complete(schema.wire, call, budget.call_timeout_s())
            return self._read(schema, text)

    def _complete(self, wire: dict[str, Any], call: Call, seconds: float) -> str:
        """Stream one reply to its end, and put it into the transcript."""
        messages = self.window.fit()
        record = call.record
        record.tokens_in = self.window.tokens
        reply = Reply()
        try:
            for chunk in stream(
                self.model.client,
                messages,
                seconds=seconds,
                stop=self.stop,
                **self.model.constrain(wire),
            ):
                reply.add(chunk, record)
                if new := reply.new_thought():
                    self.emit(Thinking(step=call.step, text=new))
        except RunStopped:
            raise
        except Exception as error:
            raise explain(error, self.model.name) from error
        finally:
            record.tokens_out = record.tokens_out or self.window.estimate(
                reply.reasoning + reply.text
            )
        if self.model.counts_whole_prompts and reply.prompt_tokens:
            self._compare(messages, reply.prompt_tokens, record)
        return self._whole(reply)

    def _compare(self, messages: "list[BaseMessage]", reported: int, record: CallRecord) -> None:
        """Learn from the prompt size that the server reports, unless it tells of a loss.

        No tokenizer joins words, so a prompt has at least as many tokens as it has words: a server
        that counts the whole prompt, cached or not, and counts fewer, has not read all of it.
        """
        words = sum(len(str(message.content).split()) for message in messages)
        if reported >= words:
            self.window.calibrate(reported)
        else:
            record.note = (
                f"The server read only {reported} tokens of a prompt of {words} words: its context "
                f"window is smaller than the {self.model.num_ctx} tokens asked for."
            )

    def _whole(self, reply: Reply) -> str:
        """The reply's text, if the server brought it to an end; its answer enters the transcript.

        Reasoning stays out: it would fill the window, and the chat templates of reasoning models
        leave it out of earlier turns as well, so that no cache is lost by that.
        """
        reasoning, answer = split_reasoning(reply.text)
        answer = answer.lstrip() if reasoning else answer
        if reply.finish_reason == "length":
            if answer.strip():
                self.window.append_reply(answer.strip()[:_SHOWN_OF_TRUNCATED])
            raise ModelError("truncated", "The reply was too long and was cut off: be brief.")
        if not reply.text.strip():
            raise ModelError("empty", f"{self.model.name} sent an empty answer.")
        if not reply.finish_reason:
            raise ModelError("cut", f"{self.model.name} stopped in mid-answer.")
        if answer.strip():
            self.window.append_reply(answer)
        return reply.text

    def _read(self, schema: Schema[T], text: str) -> T:
        try:
            return schema.read(text)
        except ReplyError as error:
            raise ModelError("unparsable", str(error)) from error

    def _flush(self) -> None:
        if self._pending:
            self.window.append_user("\n\n".join(self._pending))
            self._pending.clear()

    def _pause(self, attempt: int, error: ModelError, budget: Budget) -> None:
        """Wait before trying again; with jitter, unless the server says how long."""
        if error.retry_after_s and error.retry_after_s >= budget.remaining_s():
            raise ModelError(error.kind, f"{error} That is longer than there is time.", final=True)
        seconds = error.retry_after_s or random.uniform(0.5, 1) * _BACKOFF_S * 2**attempt
        if self.stop.wait(min(seconds, budget.remaining_s())):
            raise RunStopped
