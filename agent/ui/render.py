"""From the story of a run to the value of the run view: pure, so that a replay looks the same."""

import time
from typing import Any

from agent.ui.card import card, state
from agent.ui.gauges import budget
from agent.ui.sources import sources
from agent.ui.story import Story
from agent.ui.timeline import timeline

EMPTY: dict[str, Any] = {
    "run_id": "",
    "state": "none",
    "card": "",
    "budget": "",
    "steps": [],
    "sources": "",
}
"""The view of no run."""


def view(story: Story, now: float | None = None) -> dict[str, Any]:
    """HTML of each part of the run view; ``steps`` is a list of HTML.

    ``now`` is Unix time, for the seconds of a run that is under way; by default the present.
    """
    return {
        "run_id": story.run_id,
        "state": state(story),
        "card": card(story),
        "budget": budget(story, time.time() if now is None else now),
        "steps": timeline(story),
        "sources": sources(story.sources),
    }
