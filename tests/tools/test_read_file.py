"""The tool as the agent calls it: names, the child process, and what the model gets to read."""

import io
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from agent.budget import RunStopped
from agent.config import Settings
from agent.tools.readers import folder
from agent.tools.readers.model import Ask, File, Unreadable
from agent.tools.readers.process import read_in_child
from agent.tools.registry import Tool, ToolContext, get_tools
from agent.tools.result import ToolError, ToolResult
from tests.tools.readers.made import archive, pdf, picture, saved, with_part, workbook


@pytest.fixture
def tool() -> Tool:
    return next(tool for tool in get_tools("files") if tool.name == "read_file")


class Task:
    """A task with files in its folder."""

    def __init__(self, folder: Path, tool: Tool) -> None:
        self.folder, self.tool = folder, tool
        self.context = ToolContext(settings=Settings(tool_timeout_s=120), workdir=folder)

    def put(self, name: str, data: bytes) -> None:
        (self.folder / name).write_bytes(data)

    def read(self, name: str = "", **args: Any) -> ToolResult:
        return self.tool.invoke({"name": name, **args}, self.context)


@pytest.fixture
def task(tmp_path: Path, tool: Tool) -> Task:
    workdir = tmp_path / "task"
    workdir.mkdir()
    return Task(workdir, tool)


def message(result: ToolResult) -> str:
    assert result.error is not None, result.text
    return result.error.message


def test_a_file_is_read_as_untrusted_text_with_its_source(task: Task) -> None:
    task.put("sales.xlsx", workbook({"May": [["item", "sold"], ["tea", 10]]}))
    result = task.read("sales.xlsx")
    assert result.ok
    assert "| tea | 10 |" in result.text
    assert result.untrusted
    assert [source.url for source in result.sources] == ["sales.xlsx"]


def test_a_large_file_and_its_text_pass_through_the_process_whole() -> None:
    data = "".join(f"line {n}\n" for n in range(1, 30_001)).encode()
    text = read_in_child(File("big.txt", data), Ask(), 25, threading.Event())
    assert text.endswith("line 30000")
    assert text.count("\n") == 30_001


@pytest.mark.parametrize(
    "name",
    ["Report.TXT", "report", "'report.txt'", " report.txt ", "./report.txt", "report.pdf"],
)
def test_a_near_miss_of_the_name_is_understood(task: Task, name: str) -> None:
    task.put("report.txt", b"Found.")
    task.put("other.txt", b"not this")
    assert "Found." in task.read(name).text


def test_the_only_file_is_meant_by_any_name_and_by_none(task: Task) -> None:
    task.put("a1b2.txt", b"heron")
    assert "heron" in task.read("attachment.txt").text
    assert "heron" in task.read().text
    assert "File 'a1b2.txt'" in task.read("attachment.txt").text


def test_numbers_and_nulls_in_place_of_text_are_taken_as_meant(task: Task) -> None:
    task.put("a.pdf", pdf([["One."], ["Two."]]))
    result = task.read("a.pdf", page=2, sheet=None, member=None, rows=None, colors=None)
    assert "Two." in result.text
    assert "One." not in result.text


def test_an_unknown_name_is_answered_with_those_there_are(task: Task) -> None:
    task.put("a.txt", b"x")
    task.put("b.txt", b"y")
    result = task.read("c.csv")
    assert result.error is not None
    assert result.error.kind == "not_found"
    assert "'a.txt', 'b.txt'" in message(result)


def test_without_files_the_download_is_named(task: Task) -> None:
    assert "download_task_file" in message(task.read("a.txt"))


@pytest.mark.parametrize(
    "name",
    [
        "../secret.txt",
        "..\\secret.txt",
        "sub/../../secret.txt",
        "/etc/passwd",
        "C:\\Windows\\win.ini",
        "a.txt\0.png",
        "//server/share/secret.txt",
    ],
)
def test_names_that_lead_out_of_the_folder_are_refused(task: Task, name: str) -> None:
    (task.folder.parent / "secret.txt").write_text("secret")
    task.put("a.txt", b"x")
    result = task.read(name)
    assert result.error is not None
    assert result.error.kind == "invalid_args"
    assert "'a.txt'" in message(result)


def test_an_absolute_path_into_the_folder_is_understood(task: Task) -> None:
    task.put("a.txt", b"heron")
    task.put("b.txt", b"owl")
    assert "heron" in task.read(str(task.folder / "a.txt")).text


def test_links_pipes_and_hidden_files_are_not_files_of_the_task(task: Task) -> None:
    secret = task.folder.parent / "secret.txt"
    secret.write_text("secret")
    (task.folder / "link.txt").symlink_to(secret)
    (task.folder / "up").symlink_to(task.folder.parent)
    os.mkfifo(task.folder / "pipe.txt")
    task.put(".part", b"half")
    assert folder.files(task.folder) == {}
    for name in ("link.txt", "up/secret.txt", "pipe.txt", ".part"):
        assert not task.read(name).ok


@settings(deadline=None)
@given(st.text(max_size=60))
def test_no_name_means_a_file_that_is_not_there(name: str) -> None:
    names = ["a.txt", "b/c.csv"]
    assert folder.match(name, names) in (*names, None)


@settings(deadline=None)
@given(st.text(max_size=300))
def test_safe_names_are_plain_visible_and_short(name: str) -> None:
    safe = folder.safe_name(name, otherwise="attachment")
    assert 0 < len(safe) <= 120
    assert not set(safe) & set('/\\:\0\n<>|"?*')
    assert not safe.startswith(".")


def test_a_file_of_more_than_50_mb_is_not_opened(task: Task) -> None:
    with (task.folder / "big.csv").open("wb") as file:
        file.truncate(50_000_001)
    result = task.read("big.csv")
    assert result.error is not None
    assert result.error.kind == "too_large"


def test_an_image_says_that_it_cannot_be_seen(task: Task) -> None:
    task.put("board.png", picture(size=(640, 480)))
    result = task.read("board.png")
    assert result.error is not None
    assert result.error.kind == "unsupported"
    assert "cannot see images (this is a PNG image, 640×480 pixels)" in message(result)
    assert "AGENT_VISION_MODEL" in message(result)


class Eyes:
    """A describer that remembers what it was shown."""

    def __init__(self, says: str | ToolError = "A red board.") -> None:
        self.says = says
        self.shown: list[Image.Image] = []

    def __call__(self, jpeg: bytes) -> str | ToolError:
        self.shown.append(Image.open(io.BytesIO(jpeg)))
        return self.says


def seeing(task: Task, eyes: Eyes) -> Eyes:
    task.context = replace(task.context, describe=eyes)
    return eyes


def test_an_image_is_described_by_whoever_sees(task: Task) -> None:
    eyes = seeing(task, Eyes())
    task.put("board.png", picture(size=(640, 480)))
    result = task.read("board.png")
    assert "'board.png' is a PNG image, 640×480 pixels." in result.text
    assert "A red board." in result.text
    assert result.untrusted and result.text.startswith("<data ")
    assert [image.size for image in eyes.shown] == [(640, 480)]


def test_what_is_shown_is_upright_on_white_and_no_larger_than_is_of_use(task: Task) -> None:
    eyes = seeing(task, Eyes())
    turned = Image.new("RGB", (4000, 1000), "blue")
    exif = turned.getexif()
    exif[0x0112] = 6  # EXIF orientation: turn right
    task.put("turned.jpg", saved(lambda stream: turned.save(stream, "JPEG", exif=exif)))
    clear = Image.new("RGBA", (10, 10), (0, 0, 0, 0))
    task.put("clear.png", saved(lambda stream: clear.save(stream, "PNG")))
    task.read("turned.jpg")
    task.read("clear.png")
    assert [image.size for image in eyes.shown] == [(384, 1536), (10, 10)]
    assert eyes.shown[1].getpixel((5, 5)) == (255, 255, 255)


def test_what_keeps_an_image_from_being_described_is_said(task: Task) -> None:
    seeing(task, Eyes(ToolError(kind="timeout", message="The model did not answer in time.")))
    task.put("board.png", picture())
    result = task.read("board.png")
    assert result.error is not None and result.error.kind == "timeout"
    assert "64×48 pixels; it was not seen: The model did not answer in time." in message(result)


def test_a_damaged_image_is_shown_to_nobody(task: Task) -> None:
    eyes = seeing(task, Eyes())
    task.put("half.png", picture(size=(640, 480))[:200])
    assert "damaged image" in message(task.read("half.png"))
    assert not eyes.shown


def test_an_image_in_an_archive_is_described_when_it_is_asked_for_alone(task: Task) -> None:
    eyes = seeing(task, Eyes())
    task.put("all.zip", archive({"a.txt": b"heron", "board.png": picture()}))
    asked = 'to have it described call again with member="board.png"'
    assert asked in task.read("all.zip").text
    assert not eyes.shown
    assert "A red board." in task.read("all.zip", member="board.png").text


def endless_workbook() -> File:
    """A row whose number is so high that counting up to it never ends."""
    sheet = (
        b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        b'<row r="99999999999"><c><v>1</v></c></row></sheetData></worksheet>'
    )
    return File("a.xlsx", with_part(workbook({"A": []}), "xl/worksheets/sheet1.xml", sheet))


def test_a_file_that_never_ends_is_given_up_and_its_process_killed() -> None:
    with pytest.raises(Unreadable) as caught:
        read_in_child(endless_workbook(), Ask(), 2, threading.Event())
    assert caught.value.kind == "timeout"
    assert not reading_processes()


def test_a_stop_ends_the_process_which_was_given_no_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    stop = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read_in_child, endless_workbook(), Ask(), 120, stop)
        while not (started := reading_processes()) and not reading.done():
            pass
        environment = (started[0] / "environ").read_bytes()
        stop.set()
        with pytest.raises(RunStopped):
            reading.result()
    assert b"PATH=" in environment
    assert b"hf_secret" not in environment
    assert not reading_processes()


def test_a_file_that_takes_too_much_memory_is_too_large() -> None:
    """A few cells so far apart that a dense table of them has 17 thousand million cells."""
    sheet = (
        b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        b'<row r="1"><c r="A1"><v>1</v></c></row>'
        b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>'
    )
    styles = (
        b'<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fills>'
        b'<fill><patternFill patternType="no such pattern"/></fill></fills></styleSheet>'
    )
    data = with_part(workbook({"A": []}), "xl/worksheets/sheet1.xml", sheet)
    with pytest.raises(Unreadable) as caught:
        read_in_child(
            File("a.xlsx", with_part(data, "xl/styles.xml", styles)), Ask(), 30, threading.Event()
        )
    assert caught.value.kind in ("too_large", "crashed")


def reading_processes() -> list[Path]:
    """The folders in /proc of this process's children that read files."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError):  # threads and children come and go meanwhile
            children = [Path("/proc", pid) for pid in (task / "children").read_text().split()]
            found += [c for c in children if b"agent.tools.readers" in (c / "cmdline").read_bytes()]
    return found
