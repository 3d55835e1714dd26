"""The cache on disk: what it survives, and what it says about it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agent.eval.cache import Cache, caches
from agent.eval.files import explain, write_atomically
from tests.eval.scripted import MODEL, Scripted, benchmark, run, runner_of, settings_for

FIVE = benchmark(5)
SECOND = FIVE.tasks[1]


def change(cache: Cache, task_id: str, **values: object) -> None:
    path = cache.tasks / f"{task_id}.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda path: path.write_bytes(b""), "it is damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:40]), "it is damaged"),
        (lambda path: path.write_bytes(b"\xff\xfe\x00"), "it is damaged"),
        (lambda path: path.write_text("[]"), "it is of version 0"),
        (lambda path: path.write_text('{"task_id": "task-02", "answer": "34"}'), "version 0"),
        (lambda path: path.write_text('{"version": 99}'), "version 99"),
    ],
)
def test_damaged_and_older_files_are_set_aside_and_their_tasks_asked_again(
    damage: object, why: str, tmp_path: Path
) -> None:
    runner, _ = run(tmp_path, Scripted(), FIVE)
    path = runner.cache.tasks / f"{SECOND.task_id}.json"
    damage(path)
    bytes_before = path.read_bytes()

    again = Scripted()
    runner, records = run(tmp_path, again, FIVE)
    assert again.asked == [SECOND.question]
    assert len(records) == 5
    (kept,) = (runner.cache.folder / "set-aside").iterdir()
    assert kept.read_bytes() == bytes_before
    (warning,) = runner.cache.warnings
    assert SECOND.task_id in warning and why in warning


def test_an_answer_to_another_question_does_not_count(tmp_path: Path) -> None:
    runner, _ = run(tmp_path, Scripted(), FIVE)
    change(runner.cache, SECOND.task_id, question="What was asked before?")
    assert SECOND.task_id not in runner.cache.records(FIVE.tasks)
    assert "another question" in runner.cache.warnings[0]


def test_the_caches_of_a_benchmark_are_found_again_with_what_they_are_of(tmp_path: Path) -> None:
    run(tmp_path, Scripted(), FIVE)
    run(tmp_path, Scripted(), FIVE, num_ctx=4096)
    found = caches(settings_for(tmp_path), FIVE.source)
    assert [(c.about.user, c.about.model) for c in found if c.about] == [("someone", MODEL)] * 2
    assert {c.about.settings["num_ctx"] for c in found if c.about} == {8192, 4096}
    assert caches(settings_for(tmp_path), "elsewhere") == []


def test_nothing_is_written_before_a_run(tmp_path: Path) -> None:
    cache = Cache.of(FIVE, "", MODEL, settings_for(tmp_path))
    assert cache.records(FIVE.tasks) == {} and cache.state() is None and not cache.is_locked()
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"before")
    code = f"""
import resource
from pathlib import Path
from agent.eval.files import explain, write_atomically
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_atomically(Path({str(path)!r}), b"x" * 5000)
except OSError as error:
    print(explain(error, Path("the folder")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "The disk that holds the folder is full: free some space, then go on.\n"
    assert path.read_bytes() == b"before" and list(tmp_path.iterdir()) == [path]


@pytest.fixture
def small_disk(tmp_path: Path) -> object:
    """A real file system of 64 kB, where this user may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small disk takes root")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_ends_the_run_with_one_sentence_and_its_answers_kept(small_disk: Path) -> None:
    many = benchmark(60)
    answer = Scripted()
    runner, records = run(small_disk, answer, many)
    assert "is full: free some space" in runner.reason
    assert 0 < len(records) < 60
    assert all(record.answer == f"{int(id_[-2:]) * 17}" for id_, record in records.items())
    assert runner.cache.warnings == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(OSError) as caught:
        runner_of(blocked, Scripted(), FIVE).start(FIVE.tasks)
    assert explain(caught.value, blocked).startswith(f"{blocked} cannot be written")
