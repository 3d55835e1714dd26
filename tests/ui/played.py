"""The events of a scripted run, all at once."""

from functools import cache

from agent.obs.events import Event
from tests.browser.scripted import Scripted


@cache
def play(question: str) -> tuple[Event, ...]:
    events: list[Event] = []
    Scripted(pace=0)(question, run_id="20261130-run", emit=events.append)
    return tuple(events)
