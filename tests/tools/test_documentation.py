"""docs/tools.md against the code: arguments, caps, and every refusal with its kind."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import pytest

from agent.config import PROJECT_DIR
from agent.tools.registry import get_tools
from agent.tools.result import NEXT_STEP, ErrorKind
from tests.tools.refusals import literals, refusals

PAGE = (PROJECT_DIR / "docs" / "tools.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
TOOLS = {tool.name: tool for tool in get_tools()}


def rows(section: str, first: str) -> list[list[str]]:
    """The rows of the section's tables whose first column is called so."""
    found = []
    for table in re.findall(rf"^\| {first} \|.*\n\|[-|]+\n((?:\|.*\n?)+)", section, re.MULTILINE):
        found += [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    return found


def modules(section: str) -> list[Path]:
    """The modules that the section's ``Code`` links to."""
    code = re.search(r"^Code: .*?\n\n", section, re.MULTILINE | re.DOTALL)
    assert code is not None
    return [PROJECT_DIR / "docs" / target for target in re.findall(r"\]\((\S+\.py)\)", code[0])]


def said(section: str) -> list[tuple[str, str]]:
    """Kind and words of each refusal that the section lists."""
    return [(row[0].strip("`"), row[1]) for row in rows(section, "kind") if len(row) == 3]


def test_every_tool_has_a_section_and_every_section_is_a_tools() -> None:
    assert set(SECTIONS) == {*TOOLS, "All tools", "Adding a tool"}


@pytest.mark.parametrize("name", TOOLS)
def test_the_arguments_are_those_of_the_tool(name: str) -> None:
    takes = re.search(r"^Takes: (.*?)\n\n", SECTIONS[name], re.MULTILINE | re.DOTALL)
    assert takes is not None
    named = re.findall(r"`(\w+)`", takes[1])
    assert named == list(TOOLS[name].args.model_fields)


def test_what_follows_each_kind_of_error_is_said_word_for_word() -> None:
    table = {row[0].strip("`"): row[1] for row in rows(SECTIONS["All tools"], "kind")[:11]}
    assert table == NEXT_STEP


CAPS = [row for section in SECTIONS.values() for row in rows(section, "cap")]


@pytest.mark.parametrize(("what", "cap", "constant"), CAPS, ids=[row[2] for row in CAPS])
def test_a_cap_is_the_constant(what: str, cap: str, constant: str) -> None:
    assert re.match(rf"{value(constant.strip('`')):,.0f}(?![\d,.])", cap)


def value(constant: str) -> Any:
    """The number behind a dotted name: a constant, a setting's default, a field's longest text."""
    module, _, name = constant.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError:
        field = getattr(import_module(module.rpartition(".")[0]), module.rpartition(".")[2])
        info = field.model_fields[name]
        longest = (getattr(limit, "max_length", None) for limit in info.metadata)
        return (
            info.default if isinstance(info.default, int | float) else next(filter(None, longest))
        )


@pytest.mark.parametrize("name", ["All tools", *TOOLS])
def test_every_refusal_of_the_code_is_listed_with_its_kind(name: str) -> None:
    listed = said(SECTIONS[name])
    for path in modules(SECTIONS[name]):
        for refusal in refusals(path):
            kinds = {kind for kind, words in listed if refusal.says(words)}
            assert kinds, f"{refusal.place}: {refusal.pieces} is not in docs/tools.md"
            assert refusal.kind in kinds | {""}, f"{refusal.place}: {kinds}, not {refusal.kind}"


@pytest.mark.parametrize("name", TOOLS)
def test_nothing_is_listed_that_the_code_does_not_say(name: str) -> None:
    texts = [text for path in modules(SECTIONS[name]) for text in literals(path)]
    for kind, words in said(SECTIONS[name]):
        assert kind in get_args(ErrorKind)
        assert any(words in text for text in texts), f"nothing says: {words}"
