"""Questions from the API, a GAIA folder and a file of one's own."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.eval.questions import QuestionsError, load
from tests.eval.scripted import settings_for
from tests.servers.scoring import scoring_server

API_QUESTIONS = [
    {"task_id": "a-1", "question": "What is 2+2?", "Level": "1", "file_name": ""},
    {"task_id": "a-2", "question": "What is 2+3?", "Level": "1", "file_name": "a-2.xlsx"},
]


def lines(path: Path, *entries: Any) -> Path:
    path.write_text("\n".join(json.dumps(entry) for entry in entries) + "\n\n")
    return path


def test_the_api_s_questions_are_kept_and_used_when_it_cannot_be_reached(tmp_path: Path) -> None:
    with scoring_server(API_QUESTIONS) as server:
        settings = settings_for(tmp_path, scoring_api_url=server.url)
        fresh = load("", settings)
        assert [(t.task_id, t.level, t.file_name) for t in fresh.tasks] == [
            ("a-1", "1", ""),
            ("a-2", "1", "a-2.xlsx"),
        ]
        assert load("", settings) == fresh
        assert server.reads == ["/questions"]
        load("", settings, refresh=True)
        assert server.reads == ["/questions"] * 2
    later = load("", settings, refresh=True)
    assert later.tasks == fresh.tasks
    assert "could not be reached" in later.notice and "are used" in later.notice


def test_without_the_api_and_without_kept_questions_there_are_none(tmp_path: Path) -> None:
    with pytest.raises(QuestionsError, match="check the network and SCORING_API_URL"):
        load("", settings_for(tmp_path))


def test_kept_questions_that_are_damaged_are_fetched_again(tmp_path: Path) -> None:
    with scoring_server(API_QUESTIONS) as server:
        settings = settings_for(tmp_path, scoring_api_url=server.url)
        load("", settings)
        (kept,) = (tmp_path / "bench" / "questions").iterdir()
        kept.write_text("[{")
        assert len(load("", settings).tasks) == 2


def test_an_api_cannot_name_a_file_of_this_machine(tmp_path: Path) -> None:
    hostile = [{**API_QUESTIONS[0], "file": "/etc/passwd", "workspace": "../../x"}]
    with scoring_server(hostile) as server:
        (task,) = load("", settings_for(tmp_path, scoring_api_url=server.url)).tasks
    assert (task.file, task.workspace) == (None, "a-1")


def test_a_gaia_folder_has_its_own_field_names_and_its_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "b-2.csv").write_text("a,b\n")
    entry = {
        "task_id": "b-2",
        "Question": "How many columns are there?",
        "Level": 2,
        "Final answer": "2",
        "file_name": "b-2.csv",
        "Annotator Metadata": {"Steps": "1"},
    }
    lines(tmp_path / "metadata.jsonl", entry)
    found = load(str(tmp_path), settings_for(tmp_path))
    (task,) = found.tasks
    assert (found.kind, task.level, task.answer) == ("gaia", "2", "2")
    assert task.file == tmp_path / "b-2.csv" and task.workspace == "b-2"


def test_two_files_of_one_s_own_may_both_count_from_1(tmp_path: Path) -> None:
    first = lines(tmp_path / "a.jsonl", {"task_id": 1, "question": "One?", "answer": 17})
    second = lines(tmp_path / "b.jsonl", {"task_id": "1", "question": "Other?"})
    (one,) = load(str(first), settings_for(tmp_path)).tasks
    (other,) = load(str(second), settings_for(tmp_path)).tasks
    assert (one.task_id, one.answer, other.answer) == ("1", "17", None)
    assert one.workspace != other.workspace


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no questions"),
        ("{", "line 1: it is not JSON"),
        ("\n[1]", "entry 2: entry"),
        ('{"task_id": "a"}', "entry 1: question: Field required"),
        ('{"task_id": "../a", "question": "x"}', "letters, digits, dashes or underscores"),
        ('{"task_id": "a", "question": ""}', "at least 1 character"),
        (
            '{"task_id": "a", "question": "x"}\n{"task_id": "A", "question": "y"}',
            "entry 2: task_id A is there twice",
        ),
    ],
)
def test_a_file_that_is_wrong_is_told_where(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(text)
    with pytest.raises(QuestionsError, match=said):
        load(str(path), settings_for(tmp_path))


def test_a_place_without_questions_is_named(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "missing.jsonl"):
        with pytest.raises(QuestionsError, match="cannot be read"):
            load(str(place), settings_for(tmp_path))


def test_an_attachment_is_looked_for_beside_the_file_alone(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("no")
    folder = tmp_path / "mine"
    folder.mkdir()
    entry = {"task_id": "1", "question": "x?", "file_name": "../secret.txt"}
    (task,) = load(str(lines(folder / "q.jsonl", entry)), settings_for(tmp_path)).tasks
    assert task.file is None


@given(st.binary(max_size=200))
def test_any_bytes_are_questions_or_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / "any.jsonl"
    path.write_bytes(content)
    try:
        load(str(path), settings_for(path.parent))
    except QuestionsError as error:
        assert str(path) in str(error)
