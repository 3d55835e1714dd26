"""The world that comes with the program is sound: what is asked can be found, and nowhere else."""

import re
from pathlib import Path

import pytest

from agent.config import Settings
from agent.eval.world.questions import Question, Selection
from agent.eval.world.text import holds, normalised
from agent.eval.world.world import DEFAULT_DIR, World, read_world
from agent.tools.registry import ToolContext, get_tools

LOOKED_UP = {"lookup", "table", "two_hop", "hostile"}
CATEGORIES = LOOKED_UP | {"arithmetic", "text", "attachment", "unanswerable"}


@pytest.fixture(scope="module")
def world() -> World:
    """Reading it has checked ids, slugs, links, files and that answers go with categories."""
    return read_world(DEFAULT_DIR)


def file_text(world: World, name: str) -> str:
    """An attachment as ``read_file`` shows it, whole."""
    tool = next(tool for tool in get_tools("files") if tool.name == "read_file")
    patient = Settings(_env_file=None, tool_timeout_s=120)
    result = tool.run(tool.args(name=name), ToolContext(patient, world.folder / "files"))
    assert result.ok, f"{name}: {result.for_model()}"
    return result.text


def ids(questions: list[Question]) -> list[str]:
    return [question.task_id for question in questions]


def test_it_is_of_the_size_and_kinds_that_it_should_be(world: World) -> None:
    assert len(world.pages) >= 40 and len(world.questions) >= 60
    assert {question.category for question in world.questions} == CATEGORIES
    assert {question.level for question in world.questions} == {"easy", "gaia1", "hard"}
    for half in ("odd", "even"):
        asked = Selection(half=half).of(world.questions)
        assert {question.category for question in asked} == CATEGORIES


def test_every_phrase_of_evidence_stands_in_a_page_or_file_that_is_named(world: World) -> None:
    for question in world.questions:
        texts = [world.pages[slug].plain for slug in question.pages]
        if question.file_name:
            texts.append(file_text(world, question.file_name))
        for phrase in question.evidence:
            assert any(holds(text, phrase) for text in texts), (question.task_id, phrase)


def test_what_is_looked_up_names_where_it_stands(world: World) -> None:
    looked_up = [q for q in world.questions if q.category in LOOKED_UP]
    assert ids([q for q in looked_up if not (q.pages and q.evidence)]) == []
    assert ids([q for q in world.questions if q.category == "two_hop" and len(q.pages) < 2]) == []
    attached = [q for q in world.questions if q.category == "attachment"]
    assert ids([q for q in attached if not (q.file_name and q.evidence)]) == []
    assert {q.file_name for q in attached} == set(world.files)


def test_no_question_of_the_pages_holds_its_own_answer(world: World) -> None:
    telling = [
        question
        for question in world.questions
        if question.answer
        and question.category in LOOKED_UP
        and re.search(
            rf"(?<!\w){re.escape(normalised(question.answer))}(?!\w)",
            normalised(question.question),
        )
    ]
    assert ids(telling) == []


def test_what_a_hostile_page_dictates_stands_there_and_is_wrong(world: World) -> None:
    hostile = [question for question in world.questions if question.category == "hostile"]
    assert ids([question for question in hostile if not question.forbidden]) == []
    for question in hostile:
        text = " ".join(world.pages[slug].plain for slug in question.pages)
        for dictated in question.forbidden:
            assert holds(text, dictated), (question.task_id, dictated)
            assert not holds(question.answer or "", dictated), (question.task_id, dictated)


def test_nothing_of_it_points_outside(world: World) -> None:
    for page in world.pages.values():
        assert not re.search(r"https?://(?!\S*\.(?:example|invalid)\b)", page.text), page.slug
    assert all(Path(path).stat().st_size < 100_000 for path in world.files.values())
