"""The specialist that computes."""

import re
from collections.abc import Sequence
from pathlib import Path

from agent.agents.base import SpecialistSpec, ToolCall
from agent.config import Settings
from agent.tools.arithmetic.notation import written_sum

_FILES = 3
"""Attachments that are read unasked; a question of the benchmark has one."""

_OUTPUT = re.compile(
    r"\b(?:outputs?|prints?|printed|result|returns?|runs?|executed?)\b", re.IGNORECASE
)


def spec(settings: Settings) -> SpecialistSpec:
    """Calculator, Python and files."""
    return SpecialistSpec(
        name="code_agent",
        description="calculates, counts, converts, works on words, texts and attached files",
        prompt="Use calculator for arithmetic, with the whole sum as one expression. For words, "
        "texts, dates and tables write Python that prints the answer.",
        capabilities=("python", "files"),
        max_iterations=settings.max_code_iterations,
        opening=_calculate_or_read,
        writes_programs=True,
    )


def _calculate_or_read(question: str, workdir: Path) -> Sequence[ToolCall]:
    """A question that is a sum and nothing else is worked out as it stands. What is attached is
    there to be read, once it has been fetched."""
    if written := written_sum(question):
        return [ToolCall("calculator", {"expression": written})]
    names = sorted(path.name for path in workdir.iterdir()) if workdir.is_dir() else []
    if not names and "download_task_file" in question:
        return [ToolCall("download_task_file", {})]
    return [_first_use(name, question) for name in names[:_FILES]]


def _first_use(name: str, question: str) -> ToolCall:
    """A program is run where the question asks for what it gives, and everything else is read."""
    if name.endswith(".py") and _OUTPUT.search(question):
        return ToolCall("python_repl", {"code": f"exec(open({name!r}).read())"})
    return ToolCall("read_file", {"name": name})
