"""A specialist as data for the one loop in ``agent.agents.loop``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from agent.tools.registry import Capability


class ToolCall(NamedTuple):
    """A tool to be called, and with what."""

    name: str
    args: dict[str, Any]


def _nothing(question: str, workdir: Path) -> Sequence[ToolCall]:
    return ()


@dataclass(frozen=True)
class SpecialistSpec:
    """A specialist: what the supervisor is told of it, what it is told itself, what it may use.

    ``opening`` gives the calls that are certain to come first for a question and a folder with its
    attachments; they are made without asking the model for them. One that ``writes_programs``
    begins with a program for the question, where nothing came of that.
    """

    name: str
    description: str
    prompt: str
    capabilities: tuple[Capability, ...]
    max_iterations: int
    opening: Callable[[str, Path], Sequence[ToolCall]] = _nothing
    writes_programs: bool = False
