"""The specialist that looks things up."""

from agent.agents.base import SpecialistSpec
from agent.config import Settings


def spec(settings: Settings) -> SpecialistSpec:
    """Search, pages, Wikipedia, videos and files."""
    return SpecialistSpec(
        name="web_agent",
        description="looks up facts on the internet: search, web pages, Wikipedia, videos",
        prompt="Search first, then open the best page and take the answer from its text.",
        capabilities=("search", "scrape", "wikipedia", "video", "files"),
        max_iterations=settings.max_web_iterations,
    )
