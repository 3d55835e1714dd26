"""The specialist that looks things up."""

from collections.abc import Sequence
from pathlib import Path

from agent.agents.base import SpecialistSpec, ToolCall
from agent.config import Settings

_QUERY_CHARS = 300


def spec(settings: Settings) -> SpecialistSpec:
    """Search, pages, Wikipedia, videos and files."""
    return SpecialistSpec(
        name="web_agent",
        description="looks up facts on the internet: search, web pages, Wikipedia, videos",
        prompt="Take the answer from the text of the pages. Search for what is still missing.",
        capabilities=("search", "scrape", "wikipedia", "video", "files"),
        max_iterations=settings.max_web_iterations,
        opening=_search,
    )


def _search(question: str, workdir: Path) -> Sequence[ToolCall]:
    """Whatever is looked up, the question's own words are the first thing to search for."""
    return [ToolCall("web_search", {"query": " ".join(question.split())[:_QUERY_CHARS]})]
