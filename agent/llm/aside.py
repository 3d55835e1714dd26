"""One charged call beside the conversation: messages in, free text out."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from agent.budget import Budget, RunStopped
from agent.llm.call import Reply, charged
from agent.llm.errors import ModelError, explain
from agent.llm.providers import ChatModel
from agent.llm.reasoning import split_reasoning
from agent.llm.stream import stream
from agent.llm.window import CHARS_PER_TOKEN
from agent.obs.events import Event, Thinking

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage


def aside(
    model: ChatModel,
    messages: "list[BaseMessage]",
    role: str,
    *,
    budget: Budget,
    emit: Callable[[Event], None],
    stop: threading.Event,
) -> tuple[str, bool]:
    """What ``model`` replies, without the reasoning before it, and whether that is all of it.

    The reply is told of as it comes in, as a thought. Nothing of it enters the conversation.

    Raises:
        ModelError: the model said nothing, or broke off.
        BudgetExceededError: the call could not be paid for.
        RunStopped: the user stopped the run.
    """
    reply = Reply()
    with charged(budget, role, emit) as call:
        # until the server tells, which counts an image as well
        call.record.tokens_in = _estimate("".join(message.text for message in messages))
        try:
            for chunk in stream(model.client, messages, seconds=budget.call_timeout_s(), stop=stop):
                reply.add(chunk, call.record)
                if chunk.text:
                    emit(Thinking(step=call.step, text=chunk.text))
        except RunStopped:
            raise
        except Exception as error:
            raise explain(error, model.name) from error
        finally:
            call.record.tokens_out = call.record.tokens_out or _estimate(reply.text)
        text = split_reasoning(reply.text)[1].strip()
        if not text:
            raise ModelError("empty", f"{model.name} sent an empty answer.")
        if not reply.finish_reason:
            raise ModelError("cut", f"{model.name} stopped in mid-answer.")
        return text, reply.finish_reason != "length"


def _estimate(text: str) -> int:
    return round(len(text) / CHARS_PER_TOKEN)
