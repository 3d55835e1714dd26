"""The specialist that computes."""

from agent.agents.base import SpecialistSpec
from agent.config import Settings


def spec(settings: Settings) -> SpecialistSpec:
    """Calculator, Python and files."""
    return SpecialistSpec(
        name="code_agent",
        description="calculates, counts, converts, works on words, texts and attached files",
        prompt="Use calculator for arithmetic, python_repl for what else can be computed.",
        capabilities=("python", "files"),
        max_iterations=settings.max_code_iterations,
    )
