"""Where a task's file comes from, over real sockets, and what is said when it does not come."""

import json
import socket
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from agent.budget import RunStopped
from agent.config import Settings
from agent.tools.download_task_file import DATASET, DATASET_FOLDER
from agent.tools.readers.model import MAX_BYTES
from agent.tools.registry import ToolContext, get_tools
from agent.tools.result import ToolResult
from tests.servers.files import Answer, FileServer, attachment, file_server

TASK = "7bd855d8-463d-4ed5-93ca-5fe35145f733"
API_PATH = f"/files/{TASK}"
TREE = f"/api/datasets/{DATASET}/tree/main/{DATASET_FOLDER}"
RESOLVE = f"/datasets/{DATASET}/resolve/main/{DATASET_FOLDER}/{TASK}.csv"
LISTING = Answer(
    json.dumps(
        [{"path": f"{DATASET_FOLDER}/other.png"}, {"path": f"{DATASET_FOLDER}/{TASK}.csv"}]
    ).encode()
)
GATED = Answer(b'{"error":"Access to dataset is restricted"}', status=401)

Serve = Callable[[dict[str, Answer]], FileServer]


@pytest.fixture
def serve() -> object:
    with ExitStack() as stack:
        yield lambda answers: stack.enter_context(file_server(answers))


@pytest.fixture
def workdir(tmp_path: Path) -> Path:
    return tmp_path / "task"


def download(workdir: Path, api: str, hub: str, seconds: float = 20, **given: object) -> ToolResult:
    settings = Settings(
        scoring_api_url=api, hf_endpoint=hub, hf_token="hf_secret", tool_timeout_s=seconds
    )
    context = ToolContext(settings=settings, workdir=workdir, **{"task_id": TASK, **given})
    tool = next(tool for tool in get_tools("files") if tool.name == "download_task_file")
    return tool.invoke({}, context)


def message(result: ToolResult) -> str:
    assert result.error is not None, result.text
    return result.error.message


def names(workdir: Path) -> list[str]:
    return sorted(path.name for path in workdir.iterdir()) if workdir.is_dir() else []


def test_the_scoring_api_gives_the_file_under_its_name(workdir: Path, serve: Serve) -> None:
    api = serve({API_PATH: attachment(b"a,b\n1,2\n", 'attachment; filename="sales.csv"')})
    result = download(workdir, api.url, "http://127.0.0.1:9")
    assert result.ok
    assert "Read it with read_file, name: 'sales.csv'" in result.text
    assert (workdir / "sales.csv").read_bytes() == b"a,b\n1,2\n"
    assert "authorization" not in api.requests[0][1]


def test_a_file_that_is_there_is_not_fetched_again(workdir: Path, serve: Serve) -> None:
    workdir.mkdir()
    (workdir / "mine.csv").write_text("x")
    api = serve({API_PATH: attachment(b"y", 'attachment; filename="theirs.csv"')})
    result = download(workdir, api.url, api.url)
    assert "here already" in result.text
    assert "'mine.csv'" in result.text
    assert api.requests == []


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ('attachment; filename="../../../etc/passwd"', "passwd"),
        ('attachment; filename="/etc/cron.d/x.csv"', "x.csv"),
        ('attachment; filename="..\\\\..\\\\win.ini"', "win.ini"),
        ('attachment; filename=".bashrc"', "bashrc"),
        ("attachment; filename*=UTF-8''caf%C3%A9%20list.csv", "café list.csv"),
        ("attachment; filename*=UTF-8''..%2F..%2Fx%00.csv", "x_.csv"),
        ('attachment; filename="' + "n" * 300 + '.csv"', "n" * 116 + ".csv"),
        ('attachment; filename=".."', TASK),
        ("attachment", f"{TASK}.csv"),
        ("nonsense;;;=", f"{TASK}.csv"),
    ],
)
def test_whatever_name_the_server_gives_the_file_stays_in_the_folder(
    workdir: Path, serve: Serve, disposition: str, name: str
) -> None:
    headers = {"Content-Disposition": disposition, "Content-Type": "text/csv"}
    api = serve({API_PATH: Answer(b"data", headers=headers)})
    assert download(workdir, api.url, api.url).ok
    assert names(workdir) == [name]
    assert [path.name for path in workdir.parent.iterdir()] == ["task"]


@pytest.mark.parametrize(
    "fault",
    [
        Answer(b'{"detail":"No file path associated with task_id"}', status=404),
        Answer(b'{"detail":"Access denied"}', status=403),
        Answer(b"Internal Server Error", status=500),
        Answer(b'{"detail":[{"loc":["path"],"msg":"bad","type":"x"}]}', status=422),
        Answer(b"<html>The Space is sleeping</html>", headers={"Content-Type": "text/html"}),
        attachment(b"", 'attachment; filename="empty.csv"'),
        Answer(b"half", declared=1000),
    ],
)
def test_when_the_api_fails_the_dataset_gives_the_file(
    workdir: Path, serve: Serve, fault: Answer
) -> None:
    api = serve({API_PATH: fault})
    hub = serve({TREE: LISTING, RESOLVE: Answer(b"a,b\n")})
    assert download(workdir, api.url, hub.url).ok
    assert names(workdir) == [f"{TASK}.csv"]
    assert [headers.get("authorization") for _, headers in hub.requests] == ["Bearer hf_secret"] * 2


def test_the_token_does_not_follow_a_redirect_to_another_server(
    workdir: Path, serve: Serve
) -> None:
    store = serve({"/blob": Answer(b"a,b\n")})
    moved = Answer(status=302, headers={"Location": f"{store.url}/blob"})
    hub = serve({TREE: LISTING, RESOLVE: moved})
    assert download(workdir, hub.url, hub.url).ok
    assert store.paths == ["/blob"]
    assert "authorization" not in store.requests[0][1]


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("gate", [TREE, RESOLVE])
def test_a_gated_dataset_says_what_to_do(
    workdir: Path, serve: Serve, status: int, gate: str
) -> None:
    api = serve({})
    hub = serve({TREE: LISTING, gate: Answer(GATED.body, status=status)})
    result = download(workdir, api.url, hub.url)
    assert result.error is not None
    assert result.error.kind == "unavailable"
    assert "the scoring API answered 404 (No file path associated with task_id)" in message(result)
    assert f"accept its terms at {hub.url}/datasets/{DATASET} and set HF_TOKEN" in message(result)
    assert "attached to the question by hand" in message(result)
    assert names(workdir) == []


def test_a_task_without_a_file_anywhere_is_not_found(workdir: Path, serve: Serve) -> None:
    server = serve({TREE: Answer(b"[]")})
    result = download(workdir, server.url, server.url)
    assert result.error is not None
    assert result.error.kind == "not_found"
    assert "has no file for this task" in message(result)


@pytest.mark.parametrize("listing", [b"not json", b'{"error": 1}', b'[{"name": 1}]', b"[1]"])
def test_a_listing_that_makes_no_sense_is_no_crash(
    workdir: Path, serve: Serve, listing: bytes
) -> None:
    server = serve({TREE: Answer(listing)})
    result = download(workdir, server.url, server.url)
    assert result.error is not None
    assert result.error.kind == "not_found"


def test_a_network_that_is_down_says_so(workdir: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        result = download(workdir, url, url)
    assert result.error is not None
    assert result.error.kind == "network"
    assert "could not be reached" in message(result)


def test_a_server_that_drips_is_given_up_and_the_next_source_is_asked(
    workdir: Path, serve: Serve
) -> None:
    drip = attachment(b"x" * 10_000, 'attachment; filename="slow.csv"')
    api = serve({API_PATH: Answer(drip.body, headers=drip.headers, pause=0.05)})
    hub = serve({TREE: GATED})
    result = download(workdir, api.url, hub.url, seconds=4)
    assert "the scoring API was too slow" in message(result)
    assert "is gated" in message(result)
    assert names(workdir) == []


def test_a_file_of_more_than_50_mb_is_not_kept(workdir: Path, serve: Serve) -> None:
    api = serve({API_PATH: attachment(bytes(MAX_BYTES + 1), 'attachment; filename="big.bin"')})
    result = download(workdir, api.url, serve({TREE: GATED}).url)
    assert "a file of more than 50 MB" in message(result)
    assert names(workdir) == []


def test_without_a_task_there_is_nothing_to_fetch(workdir: Path, serve: Serve) -> None:
    server = serve({})
    result = download(workdir, server.url, server.url, task_id="")
    assert result.error is not None
    assert result.error.kind == "not_found"
    assert server.requests == []


def test_a_hostile_task_number_cannot_leave_its_path_or_folder(workdir: Path, serve: Serve) -> None:
    api = serve({"/files/..%2F..%2Fadmin%3Fx": Answer(b"data")})
    assert download(workdir, api.url, api.url, task_id="../../admin?x").ok
    assert [path.name for path in workdir.parent.iterdir()] == ["task"]
    assert names(workdir) == ["admin_x"]


def test_a_stop_is_obeyed_while_a_server_drips(workdir: Path, serve: Serve) -> None:
    stop = threading.Event()
    body = attachment(b"x" * 10_000, 'attachment; filename="slow.csv"')
    api = serve({API_PATH: Answer(body.body, headers=body.headers, pause=0.05)})
    threading.Timer(0.3, stop.set).start()
    with pytest.raises(RunStopped):
        download(workdir, api.url, api.url, stop=stop)
    assert names(workdir) == []
