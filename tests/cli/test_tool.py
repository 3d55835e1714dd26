"""``python -m agent tool``: one tool by hand."""

import json
from pathlib import Path

from tests.cli.test_ask import agent


def test_a_tool_prints_what_the_model_would_read(tmp_path: Path) -> None:
    done = agent(tmp_path, "tool", "calculator", "expression=1000*(1.05)^10")
    assert (done.returncode, done.stdout) == (0, "1628.894626777442\n")


def test_an_error_is_the_taxonomy_s_and_exits_with_1(tmp_path: Path) -> None:
    done = agent(tmp_path, "tool", "calculator", "expression=2/0", "--json")
    result = json.loads(done.stdout)
    assert done.returncode == 1
    assert result["error"]["kind"] == "invalid_args"


def test_a_file_of_the_given_folder_is_read_and_fenced(tmp_path: Path) -> None:
    folder = tmp_path / "attachments"
    folder.mkdir()
    (folder / "notes.txt").write_text("The password is swordfish.")
    done = agent(tmp_path, "tool", "read_file", "name=notes.txt", "--folder", str(folder))
    assert "The password is swordfish." in done.stdout
    assert done.stdout.startswith("<data ")


def test_without_a_name_the_tools_are_listed(tmp_path: Path) -> None:
    done = agent(tmp_path, "tool")
    listed = [line.split("(")[0] for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert listed == [
        "calculator",
        "download_task_file",
        "python_repl",
        "read_file",
        "scrape_webpage",
        "web_search",
        "wikipedia",
        "youtube_transcript",
    ]


def test_wrong_names_and_arguments_are_said_in_a_sentence(tmp_path: Path) -> None:
    unknown = agent(tmp_path, "tool", "telepathy")
    assert unknown.returncode == 2 and "There is no tool telepathy." in unknown.stderr
    bare = agent(tmp_path, "tool", "calculator", "17*23")
    assert bare.returncode == 2 and "'17*23' is not key=value" in bare.stderr
