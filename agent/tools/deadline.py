"""A wall-clock limit for calls into libraries that have none of their own."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, work: Callable[[], T]) -> T:
    """The result of ``work``, run in a daemon thread that is given up after ``seconds``.

    Raises:
        TimeoutError: there was no result in time; the thread is left to end by itself.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="within", daemon=True).start()
    return future.result(timeout=max(seconds, 0))
