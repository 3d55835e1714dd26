"""Following a run for the screen: its story after each change, and once a second in between."""

import asyncio
from collections.abc import AsyncIterator

from agent.obs.events import Event
from agent.runs.manager import RunManager
from agent.ui.story import Story

_SHORTEST_S = 0.15
"""Between two updates: fast enough to read as typing, slow enough for a phone."""
_LONGEST_S = 1.0
"""Without news, so that the seconds tick."""


async def stories(manager: RunManager, run_id: str) -> AsyncIterator[Story]:
    """The same ``Story``, further on each time, until the run is over.

    Raises:
        UnknownRun: ``run_id`` is not of the form of an id.
    """
    story = Story()
    async for events in _paced(manager.follow(run_id)):
        for event in events:
            story.add(event)
        if story.result is None:
            yield story
    story.interrupted = story.result is None
    yield story


async def _paced(batches: AsyncIterator[list[Event]]) -> AsyncIterator[list[Event]]:
    """The batches, neither faster than the screen can follow nor slower than its clock."""
    while True:
        coming = asyncio.ensure_future(anext(batches, None))
        try:
            while not coming.done():
                await asyncio.wait({coming}, timeout=_LONGEST_S)
                if not coming.done():
                    yield []
        finally:
            coming.cancel()
        batch = coming.result()
        if batch is None:
            return
        yield batch
        await asyncio.sleep(_SHORTEST_S)
