"""The line in front of a model: questions are asked in the order they came, so many at a time.

A local model that serves two questions at once serves each at less than half its speed. All that
asks in this process, the Ask tab and the benchmark alike, stands in the same line.
"""

import threading
from collections.abc import Callable
from types import TracebackType

from agent.budget import RunStopped
from agent.config import Settings
from agent.llm.names import AskedModel
from agent.llm.where import HERE, where
from agent.obs.events import Event, ModelProgress

_POLL_S = 0.05


class Line:
    """Serves ``capacity`` places at a time, first come, first served."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._places: list[Place] = []
        self._moved = threading.Condition()

    def join(self) -> "Place":
        """Take the last place. It must be left, by ``with``, or nobody behind it is ever served."""
        place = Place(self)
        with self._moved:
            self._places.append(place)
        return place


class Place:
    """A place in a line, left at the end of the ``with``."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def wait(self, stop: threading.Event, emit: Callable[[Event], None]) -> None:
        """Return when the turn has come; ``emit`` hears of each step forward, "2nd in line".

        Raises:
            RunStopped: ``stop`` was set before.
        """
        told = 1
        with self._line._moved:
            while not stop.is_set():
                number = self._number()
                if number == 1:
                    return
                if number != told:
                    told = number
                    emit(ModelProgress(text=f"{ordinal(number)} in line"))
                self._line._moved.wait(_POLL_S)
        raise RunStopped

    def _number(self) -> int:
        """1 for all who are served, 2 for the next one, and so on."""
        return max(self._line._places.index(self) - self._line.capacity + 2, 1)

    def __enter__(self) -> "Place":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._line._moved:
            self._line._places.remove(self)
            self._line._moved.notify_all()


class Lines:
    """The lines of a process: one for all models of this machine, which serves one question at a
    time, and one for each hosted provider."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lines: dict[str, Line] = {}

    def of(self, model: AskedModel = "") -> Line:
        """The line in front of the model of that name; empty for the one that would be used."""
        place = where(self._settings, model)
        capacity = 1 if place == HERE else self._settings.hosted_concurrency
        return self._lines.setdefault(place, Line(capacity))


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, 21st."""
    suffixes = {1: "st", 2: "nd", 3: "rd"}
    suffix = "th" if number % 100 in (11, 12, 13) else suffixes.get(number % 10, "th")
    return f"{number}{suffix}"
