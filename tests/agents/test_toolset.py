"""A tool is offered only when there is something for it to work on."""

from pathlib import Path

import pytest

from agent.agents.toolset import relevant_tools
from agent.tools.registry import Capability

ALL: tuple[Capability, ...] = ("search", "scrape", "wikipedia", "files", "python", "video")


def names(text: str, workdir: Path) -> set[str]:
    return {tool.name for tool in relevant_tools(ALL, [text], workdir)}


def test_a_plain_question_gets_what_needs_nothing_else(tmp_path: Path) -> None:
    assert names("Who wrote it?", tmp_path) == {"python_repl", "web_search", "wikipedia"}


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("See https://example.org/a", "scrape_webpage"),
        ("What does www.example.org say?", "scrape_webpage"),
        ("What is on example.com?", "scrape_webpage"),
        ("Watch https://www.youtube.com/watch?v=x", "youtube_transcript"),
        ("First call download_task_file.", "download_task_file"),
        ("How much are 3 apples?", "calculator"),
    ],
)
def test_what_a_text_names_brings_its_tool(text: str, tool: str, tmp_path: Path) -> None:
    assert tool in names(text, tmp_path)
    assert tool not in names("Who wrote it?", tmp_path)


def test_a_file_that_is_there_is_read_and_not_fetched_again(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    offered = names("First call download_task_file.", tmp_path)
    assert "read_file" in offered and "download_task_file" not in offered


@pytest.mark.parametrize("text", ["3.5 km", "U.S. Army", "e.g. this", "version 1.2"])
def test_a_dot_is_no_address(text: str, tmp_path: Path) -> None:
    assert "scrape_webpage" not in names(text, tmp_path)
