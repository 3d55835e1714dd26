"""The server inside the process, with the real model where an answer is needed."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from agent.config import PROJECT_DIR
from agent.llm.embedded import (
    EmbeddedServer,
    ModelUnavailable,
    count_tokens,
    release,
    serve,
    thread_count,
)
from tests.llm.asking import Asking, connected, settings_with

NUM_CTX = 2048
CHAT = "/v1/chat/completions"

IN_A_PROCESS = """
import sys, threading
from pathlib import Path
import requests
from agent.llm.embedded import count_tokens, serve

server = serve(Path(sys.argv[1]), 2048)

def ask():
    return requests.post(
        server.base_url + "/chat/completions",
        headers={"Authorization": f"Bearer {server.api_key}"},
        json={"messages": [{"role": "user", "content": "Count to 900."}], "stream": True},
        stream=True,
    )
"""


@pytest.fixture(scope="module")
def server(embedded_model: Path) -> Iterator[EmbeddedServer]:
    yield serve(embedded_model, NUM_CTX)
    release()


def ask(server: EmbeddedServer, content: str, **options: Any) -> requests.Response:
    return requests.post(
        server.base_url.removesuffix("/v1") + CHAT,
        headers={"Authorization": f"Bearer {server.api_key}"},
        json={"messages": [{"role": "user", "content": content}], "temperature": 0, **options},
        stream=options.get("stream", False),
        timeout=120,
    )


def in_a_process(model: Path, code: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", IN_A_PROCESS + code, str(model)],
        cwd=PROJECT_DIR,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


# Files that cannot be served


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"no model file .*absent\.gguf"):
        serve(tmp_path / "absent.gguf", NUM_CTX)


def test_another_kind_of_file_is_told_from_a_model(tmp_path: Path) -> None:
    (tmp_path / "page.gguf").write_text("<html>Not found</html>")
    with pytest.raises(ModelUnavailable, match="not a GGUF model file"):
        serve(tmp_path / "page.gguf", NUM_CTX)


def test_a_model_that_llama_cpp_refuses_does_not_bring_the_process_down(tmp_path: Path) -> None:
    (tmp_path / "damaged.gguf").write_bytes(b"GGUF" + bytes(range(256)) * 40)
    with pytest.raises(ModelUnavailable, match="cannot be loaded"):
        serve(tmp_path / "damaged.gguf", NUM_CTX)


def test_a_model_larger_than_the_memory_is_not_even_tried(tmp_path: Path) -> None:
    with (tmp_path / "huge.gguf").open("wb") as file:
        file.write(b"GGUF")
        file.truncate(10**13)  # a hole, not bytes on the disk
    with pytest.raises(ModelUnavailable, match=r"huge\.gguf needs about 15000\.0 GB of memory"):
        serve(tmp_path / "huge.gguf", NUM_CTX)


def test_threads_are_no_more_than_the_cores_this_process_may_use() -> None:
    assert 1 <= thread_count() <= (os.cpu_count() or 1)


# Answers


@pytest.mark.model
def test_a_schema_is_kept_to_while_the_answer_streams(server: EmbeddedServer) -> None:
    from langchain_openai import ChatOpenAI

    schema = {
        "type": "object",
        "properties": {
            "thought": {"type": "string", "maxLength": 80},
            "action": {"const": "calculator"},
            "expression": {"type": "string", "maxLength": 20},
        },
        "required": ["thought", "action", "expression"],
        "additionalProperties": False,
    }
    client = ChatOpenAI(
        model=server.model,
        base_url=server.base_url,
        api_key=server.api_key,
        temperature=0,
        max_tokens=120,
    )
    form = {"type": "json_schema", "json_schema": {"name": "step", "schema": schema}}
    chunks = [c.content for c in client.stream("What is 17*23? Use it.", response_format=form)]
    assert len(chunks) > 5
    step = json.loads("".join(chunks))
    assert list(step) == ["thought", "action", "expression"]
    assert step["action"] == "calculator"


@pytest.mark.model
def test_tokens_are_counted_as_the_model_counts_them(server: EmbeddedServer) -> None:
    assert count_tokens(server, "") == 0
    assert count_tokens(server, "hello world how are you") == 5
    text = "Gödel, Escher, Bach. " * 5
    used = ask(server, text, max_tokens=1).json()["usage"]["prompt_tokens"]
    assert 0 < used - count_tokens(server, text) < 40, "the rest is the chat template"


@pytest.mark.model
def test_a_prompt_longer_than_the_window_is_an_error_and_never_cut(server: EmbeddedServer) -> None:
    response = ask(server, "word " * (NUM_CTX + 1), max_tokens=1)
    assert response.status_code == 400
    assert response.json()["error"]["type"] == "exceed_context_size_error"


@pytest.mark.model
def test_the_beginning_of_a_prompt_is_not_read_twice(server: EmbeddedServer) -> None:
    beginning = "The tools are a calculator and an encyclopedia. " * 5
    ask(server, f"{beginning} First.", max_tokens=1)
    usage = ask(server, f"{beginning} Second.", max_tokens=1).json()["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] > 40


@pytest.mark.model
def test_a_client_that_leaves_ends_the_reading_of_its_prompt(server: EmbeddedServer) -> None:
    prompt = " ".join(f"item{number}" for number in range(150))
    with pytest.raises(requests.ReadTimeout):
        requests.post(
            server.base_url + "/chat/completions",
            headers={"Authorization": f"Bearer {server.api_key}"},
            json={"messages": [{"role": "user", "content": prompt}], "max_tokens": 1},
            timeout=1,
        )
    usage = ask(server, prompt, max_tokens=1).json()["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] < usage["prompt_tokens"] * 0.9


@pytest.mark.model
def test_a_second_request_waits_for_its_turn(server: EmbeddedServer) -> None:
    first = ask(server, "Count from 1 to 20.", max_tokens=40, ignore_eos=True, stream=True)
    lines = first.iter_lines()
    next(lines)
    assert ask(server, "Say yes.", max_tokens=3).ok
    assert list(lines)[-1] in {b"", b"data: [DONE]"}, "the first one was not disturbed"


# Strangers


@pytest.mark.model
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", CHAT),
        ("POST", "/v1/completions"),
        ("POST", "/completion"),
        ("POST", "/v1/messages"),
        ("POST", "/v1/responses"),
        ("POST", "/tokenize"),
        ("POST", "/detokenize"),
        ("POST", "/apply-template"),
        ("POST", "/props"),
        ("GET", "/props"),
        ("GET", "/slots"),
        ("GET", "/v1/models"),
        ("GET", "/lora-adapters"),
    ],
)
def test_nothing_is_done_without_the_key(server: EmbeddedServer, method: str, path: str) -> None:
    url = server.base_url.removesuffix("/v1") + path
    for headers in ({}, {"Authorization": "Bearer guess"}):
        assert (
            requests.request(method, url, json={}, headers=headers, timeout=30).status_code == 401
        )


@pytest.mark.model
def test_no_page_of_another_origin_may_read_it(server: EmbeddedServer) -> None:
    headers = {"Authorization": f"Bearer {server.api_key}", "Origin": "http://evil.example"}
    response = requests.get(server.base_url + "/models", headers=headers, timeout=30)
    assert not response.headers.get("Access-Control-Allow-Origin")


@pytest.mark.model
def test_it_listens_on_loopback_alone_and_its_key_is_not_shown(server: EmbeddedServer) -> None:
    assert server.base_url.startswith("http://127.0.0.1:")
    assert server.api_key not in repr(server)
    assert server.model == "qwen2.5-coder-0.5b-instruct-q4_k_m"


# Its life


@pytest.mark.model
def test_one_server_serves_all_who_ask_for_the_same(
    server: EmbeddedServer, embedded_model: Path
) -> None:
    again = serve(embedded_model.parent / "." / embedded_model.name, NUM_CTX)
    assert again is server


@pytest.mark.model
def test_release_stops_it_and_the_next_one_is_new(embedded_model: Path) -> None:
    first = serve(embedded_model, NUM_CTX)
    release()
    with pytest.raises(requests.ConnectionError):
        ask(first, "hello", max_tokens=1)
    assert count_tokens(serve(embedded_model, NUM_CTX), "hello") == 1
    release()


@pytest.mark.model
def test_another_window_or_file_takes_the_place_of_the_first(
    embedded_model: Path, tmp_path: Path
) -> None:
    first = serve(embedded_model, NUM_CTX)
    (tmp_path / "page.gguf").write_text("<html>Not found</html>")
    with pytest.raises(ModelUnavailable):
        serve(tmp_path / "page.gguf", NUM_CTX)
    assert count_tokens(first, "hello") == 1, "what is no model takes nobody's place"
    second = serve(embedded_model, NUM_CTX // 2)
    with pytest.raises(requests.ConnectionError):
        count_tokens(first, "hello")
    assert count_tokens(second, "hello") == 1
    release()


@pytest.mark.model
def test_a_proxy_of_the_environment_is_not_asked(
    embedded_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    settings = settings_with(num_ctx=NUM_CTX)
    model = connected(settings, f"embedded:{embedded_model}")
    asking = Asking(model)
    asking.ask("What is 17*23?")
    assert asking.outcomes == ["ok"]
    release()


@pytest.mark.model
def test_a_process_that_ends_in_mid_answer_ends_in_silence(embedded_model: Path) -> None:
    with in_a_process(embedded_model, "next(ask().iter_lines())\nsys.exit(3)") as process:
        assert process.communicate(timeout=150) == ("", "")
    assert process.returncode == 3


@pytest.mark.model
def test_ctrl_c_in_mid_answer_is_an_ordinary_interrupt(embedded_model: Path) -> None:
    code = """
lines = ask().iter_lines()
next(lines)
try:
    print("answering", flush=True)
    list(lines)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    with in_a_process(embedded_model, code) as process:
        assert process.stdout
        assert process.stdout.readline() == "answering\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=150) == ("interrupted\n", "")
    assert process.returncode == 0


@pytest.mark.model
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_can_ask_and_ends(embedded_model: Path) -> None:
    code = """
import multiprocessing
child = multiprocessing.get_context("fork").Process(
    target=lambda: print(count_tokens(server, "a b c"), flush=True)
)
child.start()
child.join()
print(child.exitcode)
"""
    with in_a_process(embedded_model, code) as process:
        assert process.communicate(timeout=150)[0] == "3\n0\n"
