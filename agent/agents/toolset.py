"""Which of its tools a specialist can make sense of now.

A small model calls what it is offered: reading a file where there is none, say. So a tool is only
named when the question, or what was found, gives it something to work on.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from agent.tools.registry import Capability, Tool, get_tools

_ADDRESS = re.compile(r"https?://|\bwww\.|\b[\w-]+\.(?:com|org|net|edu|gov|io|info)\b")


def relevant_tools(
    capabilities: Sequence[Capability], texts: Sequence[str], workdir: Path
) -> list[Tool]:
    """The tools of ``capabilities`` that have something to work on.

    ``texts`` are the question and what was found so far; ``workdir`` holds the attachments.
    """
    said = "\n".join(texts).casefold()
    there = has_files(workdir)
    return [tool for tool in get_tools(*capabilities) if _is_relevant(tool, said, there)]


def has_files(workdir: Path) -> bool:
    """Whether the task has an attachment here."""
    return workdir.is_dir() and any(workdir.iterdir())


def needs_network(tool: Tool) -> bool:
    """Whether a tool can do nothing without a network."""
    return tool.capability in {"search", "scrape", "wikipedia", "video"}


def _is_relevant(tool: Tool, said: str, has_files: bool) -> bool:
    match tool.capability:
        case "files" if tool.name == "download_task_file":
            return tool.name in said and not has_files  # the benchmark's prompt names it
        case "files":
            return has_files or "download_task_file" in said
        case "video":
            return "youtu" in said
        case "python" if tool.name == "calculator":
            return any(character.isdigit() for character in said)
        case "scrape":
            return _ADDRESS.search(said) is not None
        case _:
            return True
