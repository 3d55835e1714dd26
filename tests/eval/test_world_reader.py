"""Reading a world: what is right is taken, what is wrong is one sentence with file and line."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent.eval.world.pages import WorldError
from agent.eval.world.questions import Selection
from agent.eval.world.world import read_world
from tests.eval.tiny_world import LAKE, QUESTIONS, tiny_world


def test_a_world_is_read(tmp_path: Path) -> None:
    world = read_world(tiny_world(tmp_path))
    lake = world.pages["harrow-lake"]
    assert (lake.title, lake.aliases) == ("Harrow Lake", ("Lake Harrow", "The Harrow"))
    assert lake.links == [(5, "edda-morn")]
    assert "Plover 1901 84" in lake.plain and "---" not in lake.plain
    assert list(world.files) == ["papers.csv"]
    depth, *_, brother = world.questions
    assert (depth.answer, depth.workspace, depth.file) == ("212", "depth", None)
    assert brother.answer is None


def test_its_digest_changes_with_anything_in_it(tmp_path: Path) -> None:
    folder = tiny_world(tmp_path)
    before = read_world(folder).digest
    assert read_world(folder).digest == before
    (folder / "files" / "papers.csv").write_text("paper,year\n")
    assert read_world(folder).digest != before


def test_only_what_must_be_there_must_be_there(tmp_path: Path) -> None:
    bare = {"task_id": "a", "question": "Why?", "answer": 7, "category": "mine", "pages": []}
    (question,) = read_world(tiny_world(tmp_path, [bare])).questions
    assert (question.answer, question.level, question.evidence) == ("7", "", ())


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("pages/lake.md", "Harrow\n\ntext", "lake.md, line 1: a page begins with its title"),
        ("pages/lake.md", "# Weir two\naliases: W\n", "lake.md, line 3: the page has no text"),
        ("pages/a lake.md", "# Lake\n\ntext", "a lake.md: its name must be letters"),
        ("pages/lake.md", "# Lake\n\n\n[x](nowhere)", "lake.md, line 4: it links to nowhere"),
        ("pages/lake.md", "# Lake\n\n[x](files/no.csv)", "line 3: it links to files/no.csv"),
        ("pages/lake.md", "# harrow lake\n\nx", "line 1: 'harrow lake' is a name of harrow-lake"),
        ("pages/lake.md", "# L\naliases: A, Edda Morn\nx", "line 2: 'Edda Morn' is a name of"),
        ("questions.jsonl", "", "questions.jsonl: it has no questions"),
        ("questions.jsonl", "\n{", "questions.jsonl, line 2: it is not JSON"),
        ("questions.jsonl", "[]", "questions.jsonl, line 1: entry: "),
    ],
)
def test_a_fault_names_file_and_line(path: str, text: str, said: str, tmp_path: Path) -> None:
    folder = tiny_world(tmp_path)
    (folder / path).write_text(text)
    with pytest.raises(WorldError) as error:
        read_world(folder)
    assert said in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"task_id": "DEPTH"}, "line 2: task_id DEPTH is there twice"),
        ({"task_id": "../x"}, "line 2: task_id: "),
        ({"question": ""}, "line 2: question: "),
        ({"answer": ...}, "line 2: answer: Field required"),
        ({"answer": ""}, "line 2: entry: Value error, an empty answer and the category"),
        ({"category": "unanswerable"}, "line 2: entry: Value error, an empty answer"),
        ({"category": ...}, "line 2: category: Field required"),
        ({"pages": ["nowhere"]}, "line 2: there is no page nowhere"),
        ({"file_name": "no.csv"}, "line 2: there is no file no.csv"),
    ],
)
def test_a_wrong_question_is_named(changed: dict[str, Any], said: str, tmp_path: Path) -> None:
    wrong = {k: v for k, v in {**QUESTIONS[1], **changed}.items() if v is not ...}
    with pytest.raises(WorldError) as error:
        read_world(tiny_world(tmp_path, [QUESTIONS[0], wrong]))
    assert said in str(error.value)


def test_a_folder_that_is_no_world_says_so(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="there are no pages"):
        read_world(tmp_path)
    folder = tiny_world(tmp_path / "world")
    (folder / "pages" / "odd.md").write_bytes(b"# \xff")
    with pytest.raises(WorldError, match="not UTF-8"):
        read_world(folder)
    (folder / "pages" / "odd.md").write_text(LAKE.replace("Harrow", "Odd"))
    (folder / "questions.jsonl").unlink()
    with pytest.raises(WorldError, match=r"questions\.jsonl: it cannot be read"):
        read_world(folder)


def chosen(tmp_path: Path, **selection: Any) -> list[str]:
    entries = [
        {**QUESTIONS[0], "task_id": f"{category}-{n}", "category": category, "level": level}
        for n, level in enumerate(("easy", "easy", "hard"), 1)
        for category in ("lookup", "table")
    ]
    folder = tmp_path / json.dumps(selection).replace("/", "")
    world = read_world(tiny_world(folder, entries))
    return [q.task_id for q in Selection(**selection).of(world.questions)]


def test_halves_are_fixed_by_category_and_disjoint(tmp_path: Path) -> None:
    odd, even = chosen(tmp_path, half="odd"), chosen(tmp_path, half="even")
    assert odd == ["lookup-1", "table-1", "lookup-3", "table-3"]
    assert even == ["lookup-2", "table-2"]
    assert chosen(tmp_path, half="odd", category="table") == ["table-1", "table-3"]
    assert chosen(tmp_path, half="odd", level="hard") == ["lookup-3", "table-3"]


def test_a_selection_takes_category_level_and_the_first(tmp_path: Path) -> None:
    assert chosen(tmp_path, limit=2) == ["lookup-1", "table-1"]
    assert chosen(tmp_path, category="table", level="easy", limit=1) == ["table-1"]
    with pytest.raises(WorldError, match="categories are lookup, table, the levels easy, hard"):
        chosen(tmp_path, category="tables")
