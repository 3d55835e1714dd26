"""The app on a public Space, over HTTP: what a stranger gets, and what only its owner does."""

import base64
import hashlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import itsdangerous
import pytest
import requests

from agent.config import PROJECT_DIR
from tests.core.engine import good
from tests.servers.openai import ScriptedOpenAI

MODEL = "huggingface:org/model"
ASKED = "What is 17*23, to the nearest whole?"
"""A question for which the model is called."""
TOKEN = "hf_oauth_of_the_visitor"
SECRET = "secret of the Space"


@dataclass
class Space:
    """The app in a process that takes itself for a Space, and the model server it is told of."""

    address: str
    cache: Path
    router: ScriptedOpenAI

    def call(self, name: str, *data: Any, user: str = "") -> Any:
        """What a private or public function returns at last, to a stranger or to a signed-in user;
        an error as its message."""
        cookies = {"session": session(user)} if user else {}
        url = f"{self.address}gradio_api/call/{name}"
        sent = requests.post(url, json={"data": data}, cookies=cookies, timeout=60)
        sent.raise_for_status()
        events = requests.get(f"{url}/{sent.json()['event_id']}", cookies=cookies, timeout=120)
        *_, event, data_line = [line for line in events.text.splitlines() if line]
        said = json.loads(data_line.removeprefix("data: "))
        return said if event == "event: complete" else f"error: {said}"


def session(user: str) -> str:
    """The cookie that Gradio sets once somebody has signed in."""
    info = {
        "access_token": TOKEN,
        "scope": "openid profile inference-api",
        "expires_at": int(time.time()) + 3600,
        "userinfo": {
            "sub": f"id of {user}",
            "name": user,
            "preferred_username": user,
            "profile": "",
            "picture": "",
        },
    }
    signer = itsdangerous.TimestampSigner(hashlib.sha256(f"{SECRET}-v4".encode()).hexdigest())
    return signer.sign(base64.b64encode(json.dumps({"oauth_info": info}).encode())).decode()


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Space]:
    cache = tmp_path_factory.mktemp("space")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with ScriptedOpenAI(good, models=["org/model"], api_key=TOKEN) as router:
        own = ("AGENT_", "OLLAMA_", "GRADIO_", "HF_", "OPENAI_", "SPACE_")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(own)} | {
            "SPACE_ID": "alice/agent",
            "SYSTEM": "spaces",
            "SPACE_AUTHOR_NAME": "alice",
            "OAUTH_CLIENT_ID": "id",
            "OAUTH_CLIENT_SECRET": SECRET,
            "OAUTH_SCOPES": "openid profile inference-api",
            "OPENID_PROVIDER_URL": "http://127.0.0.1:9",
            "HF_HUB_OFFLINE": "1",
            "HF_ROUTER_URL": router.base_url,
            "OLLAMA_HOST": "http://127.0.0.1:9",
            "AGENT_CACHE_DIR": str(cache),
            "GRADIO_SERVER_NAME": "127.0.0.1",
            "GRADIO_SERVER_PORT": str(port),
            "GRADIO_ANALYTICS_ENABLED": "False",
        }
        with (cache / "said.txt").open("w") as said:
            process = subprocess.Popen(
                [sys.executable, "app.py"],
                cwd=PROJECT_DIR,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
            )
        try:
            assert process.stdout
            assert any("Open http" in line for line in process.stdout), "the app did not start"
            yield Space(f"http://127.0.0.1:{port}/", cache, router)
        finally:
            process.kill()
            process.wait()


def test_a_stranger_gets_the_model_of_the_space_and_no_other(space: Space) -> None:
    said = space.call("ask", "What is 17*23?", "embedded:/etc/passwd")
    assert "error" in said
    assert space.router.chats == ()


def test_whoever_is_signed_in_asks_with_a_token_of_their_own(space: Space) -> None:
    assert "391" in str(space.call("ask", ASKED, MODEL, user="bob"))
    assert {r.headers["authorization"] for r in space.router.chats} == {f"Bearer {TOKEN}"}


def test_the_token_is_written_nowhere(space: Space) -> None:
    space.call("ask", ASKED, MODEL, user="bob")
    files = [path for path in space.cache.rglob("*") if path.is_file()]
    assert any(path.suffix == ".jsonl" for path in files)
    assert [path for path in files if TOKEN.encode() in path.read_bytes()] == []
