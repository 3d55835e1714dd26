"""One streamed call, under a wall-clock deadline, that can be stopped between chunks.

Client libraries time out per read, so a dripping server outlives them, and a blocked read cannot be
interrupted from another thread. So the stream runs as a task on one background event loop: the
caller waits on a queue, and giving up cancels the task, which closes the response.
"""

import asyncio
import queue
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from agent.budget import RunStopped
from agent.llm.errors import ModelError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk, BaseMessage

T = TypeVar("T")

_POLL_S = 0.05


def stream(
    client: "BaseChatModel",
    messages: "list[BaseMessage]",
    *,
    seconds: float,
    stop: threading.Event,
    **call: Any,
) -> "Iterator[AIMessageChunk]":
    """Yield the chunks of one call. Raises what ``drain`` raises."""
    return drain(lambda: client.astream(messages, **call), seconds=seconds, stop=stop)


def drain(
    start: Callable[[], AsyncIterator[T]], *, seconds: float, stop: threading.Event
) -> Iterator[T]:
    """Yield what an asynchronous source yields; ``start`` is called on the background loop.

    Raises:
        RunStopped: ``stop`` was set.
        ModelError: of kind ``timeout`` when ``seconds`` of wall-clock time have passed.
        Exception: whatever the source raised.
    """
    items: queue.SimpleQueue[tuple[T] | BaseException | None] = queue.SimpleQueue()

    async def pump() -> None:
        try:
            async for item in start():
                items.put((item,))
            items.put(None)
        except Exception as error:
            items.put(error)

    deadline = time.monotonic() + seconds
    task = asyncio.run_coroutine_threadsafe(pump(), _loop())
    try:
        while True:
            if stop.is_set():
                raise RunStopped
            left = deadline - time.monotonic()
            if left <= 0:
                raise ModelError("timeout", f"No whole answer within {seconds:.0f} seconds.")
            try:
                received = items.get(timeout=min(_POLL_S, left))
            except queue.Empty:
                continue
            if received is None:
                return
            if isinstance(received, BaseException):
                raise received
            yield received[0]
    finally:
        task.cancel()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The process's event loop for model calls, on a daemon thread so that it never holds an exit.

    One for all calls, because clients keep connections that belong to the loop they were made on.
    """
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="model-calls", daemon=True).start()
    return loop
