"""One charged model call: its line in the ledger, its events, and its reply as it comes in."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agent.budget import Budget, RunStopped
from agent.llm.errors import ModelError, ModelErrorKind
from agent.llm.structured import partial_thought
from agent.obs.events import BudgetChanged, CallFinished, CallStarted, Event
from agent.obs.metrics import CallRecord, Outcome

if TYPE_CHECKING:
    from langchain_core.messages import AIMessageChunk

_OUTCOMES: dict[ModelErrorKind, Outcome] = {
    "timeout": "timed_out",
    "truncated": "truncated",
    "unparsable": "unparsable",
}


@dataclass(frozen=True)
class Call:
    """A call under way: its number, from 1, and its line of the ledger, to be filled in."""

    step: int
    record: CallRecord


@contextmanager
def charged(budget: Budget, role: str, emit: Callable[[Event], None]) -> Iterator[Call]:
    """Charge one call, tell of its beginning and end, and record what became of it.

    Raises:
        BudgetExceededError: it could not be paid for.
    """
    call: Call | None = None
    step = len(budget.calls) + 1
    try:
        with budget.llm_call(role) as record:
            call = Call(step, record)
            emit(CallStarted(step=step, role=role))
            emit(BudgetChanged(snapshot=budget.snapshot()))
            try:
                yield call
            except RunStopped:
                record.outcome = "stopped"
                raise
            except ModelError as error:
                record.outcome = _OUTCOMES.get(error.kind, "failed")
                record.error = str(error)
                raise
            record.outcome = "ok"
    finally:
        if call is not None:
            emit(CallFinished(step=step, record=call.record))
            emit(BudgetChanged(snapshot=budget.snapshot()))


@dataclass
class Reply:
    """A reply as it comes in."""

    text: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    prompt_tokens: int = 0
    """What the server says it read; 0 if it does not say."""
    _shown: int = 0

    def add(self, chunk: "AIMessageChunk", record: CallRecord) -> None:
        """Take in a chunk; what it says of tokens goes into the ledger's record."""
        self.text += chunk.content if isinstance(chunk.content, str) else chunk.text
        self.reasoning += chunk.additional_kwargs.get("reasoning_content") or ""
        metadata = chunk.response_metadata
        self.finish_reason = (
            metadata.get("done_reason") or metadata.get("finish_reason") or self.finish_reason
        )
        record.prompt_seconds, record.generation_seconds = _durations(metadata) or (
            record.prompt_seconds,
            record.generation_seconds,
        )
        if usage := chunk.usage_metadata:
            self.prompt_tokens = usage["input_tokens"]
            record.tokens_in = self.prompt_tokens or record.tokens_in
            record.tokens_out = usage["output_tokens"]
            record.tokens_cached = usage.get("input_token_details", {}).get("cache_read") or 0

    def new_thought(self) -> str:
        """The piece of the thought that was written since the last time."""
        thought = self.reasoning + partial_thought(self.text)
        new = thought[self._shown :]
        self._shown += len(new)
        return new


def _durations(metadata: dict[str, Any]) -> tuple[float, float] | None:
    """Seconds of reading and of writing, where the end of a reply tells: Ollama counts nanoseconds,
    llama.cpp milliseconds."""
    if "eval_duration" in metadata:
        read, written = metadata.get("prompt_eval_duration"), metadata["eval_duration"]
        return (read or 0) / 1e9, (written or 0) / 1e9
    if timings := metadata.get("timings"):
        return timings.get("prompt_ms", 0) / 1e3, timings.get("predicted_ms", 0) / 1e3
    return None
