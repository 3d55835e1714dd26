"""A run in a zip: everything comes back, and nothing else comes in."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from agent.eval import archive
from agent.eval.archive import ArchiveError, export_run, import_run
from agent.eval.cache import CacheBusyError
from tests.eval.scripted import Scripted, benchmark, run, settings_for

FIVE = benchmark(5)


@pytest.fixture
def exported(tmp_path: Path) -> bytes:
    """A run of five, the second of them failed."""
    odd = {FIVE.tasks[1].question: {"answer": "", "status": "failed"}}
    runner, _ = run(tmp_path / "there", Scripted(odd), FIVE)
    sent = runner.cache.folder / "sent" / "0123.json"
    sent.parent.mkdir()
    sent.write_text('{"state": "received", "at": 1, "payload": {}}')
    target = io.BytesIO()
    assert export_run(runner.cache, settings_for(tmp_path / "there"), target) == 5
    return target.getvalue()


def put(data: bytes, folder: Path, source: str = "") -> object:
    return import_run(io.BytesIO(data), settings_for(folder), source)


def repacked(data: bytes, **members: bytes) -> bytes:
    """The zip with members added (``__`` in a name is a slash) or replaced."""
    added = {name.replace("__", "/"): content for name, content in members.items()}
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            if name not in added:
                new.writestr(name, old.read(name))
        for name, content in added.items():
            new.writestr(name, content)
    return target.getvalue()


def test_a_run_goes_on_where_it_is_put(exported: bytes, tmp_path: Path) -> None:
    here = tmp_path / "here"
    cache = put(exported, here)
    records = cache.records(FIVE.tasks)
    assert len(records) == 5 and cache.warnings == []
    assert (here / "runs" / f"{records['task-01'].run_id}.jsonl").is_file()
    assert (cache.folder / "sent" / "0123.json").is_file()
    again = Scripted()
    run(here, again, FIVE)
    assert again.asked == []


def test_what_is_answered_here_stays_and_what_is_not_is_filled_in(
    exported: bytes, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    odd = {FIVE.tasks[0].question: {"answer": "mine"}, FIVE.tasks[2].question: ValueError("x")}
    run(here, Scripted(odd), FIVE)
    records = put(exported, here).records(FIVE.tasks)
    assert [record.answer for record in records.values()] == ["mine", "34", "51", "68", "85"]


def test_questions_that_lie_elsewhere_here_are_named(exported: bytes, tmp_path: Path) -> None:
    cache = put(exported, tmp_path / "here", "/elsewhere/questions.jsonl")
    assert cache.about.source == "/elsewhere/questions.jsonl"


def test_nothing_leaves_the_folder(exported: bytes, tmp_path: Path) -> None:
    here = tmp_path / "here"
    names = ["../../evil.json", "/tmp/evil.json", "tasks/../../evil.json", "runs/..%2fevil.jsonl"]
    names += ["tasks\\..\\evil.json", "sent/a/b.json", "tasks/.json", "set-aside/evil.json"]
    put(repacked(exported, **dict.fromkeys(names, b"{}")), here)
    assert [path for path in tmp_path.rglob("*") if "evil" in path.name] == []


def test_records_that_are_damaged_or_of_another_task_are_left_out(
    exported: bytes, tmp_path: Path
) -> None:
    with zipfile.ZipFile(io.BytesIO(exported)) as zipped:
        other = zipped.read("tasks/task-03.json")
    changed = repacked(exported, **{"tasks/task-01.json": b"{}", "tasks/task-02.json": other})
    cache = put(changed, tmp_path / "here")
    assert sorted(cache.records(FIVE.tasks)) == ["task-03", "task-04", "task-05"]
    assert cache.warnings == ["tasks/task-01 in that zip is damaged or of another version."]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04 no zip at all",
        b"text",
    ],
)
def test_other_files_are_refused(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="no run that this program has exported"):
        put(data, tmp_path)


def test_zips_of_other_things_are_refused(exported: bytes, tmp_path: Path) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as zipped:
        zipped.writestr("readme.txt", "hello")
    with pytest.raises(ArchiveError):
        put(target.getvalue(), tmp_path)
    with pytest.raises(ArchiveError):
        put(repacked(exported, **{"about.json": b"[]"}), tmp_path)


def test_a_bomb_is_refused(
    exported: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as zipped:
        with zipfile.ZipFile(io.BytesIO(exported)) as old:
            zipped.writestr("about.json", old.read("about.json"))
        zipped.writestr("tasks/bomb.json", b"0" * (archive.MAX_MEMBER_BYTES + 1))
    assert len(target.getvalue()) < 100_000
    with pytest.raises(ArchiveError, match="larger than 20 MB"):
        put(target.getvalue(), tmp_path)

    monkeypatch.setattr(archive, "MAX_BYTES", 3000)
    with pytest.raises(ArchiveError, match="holds more than"):
        put(exported, tmp_path)
    monkeypatch.setattr(archive, "MAX_MEMBERS", 3)
    with pytest.raises(ArchiveError, match="more than 3 files"):
        put(exported, tmp_path)


def test_nothing_is_put_into_a_run_that_is_under_way(exported: bytes, tmp_path: Path) -> None:
    cache = put(exported, tmp_path / "here")
    with cache.lock(), pytest.raises(CacheBusyError):
        put(exported, tmp_path / "here")


def test_a_trace_that_is_there_is_not_overwritten(exported: bytes, tmp_path: Path) -> None:
    run_id = json.loads(zipfile.ZipFile(io.BytesIO(exported)).read("tasks/task-01.json"))["run_id"]
    trace = tmp_path / "here" / "runs" / f"{run_id}.jsonl"
    trace.parent.mkdir(parents=True)
    trace.write_text("mine")
    put(exported, tmp_path / "here")
    assert trace.read_text() == "mine"
