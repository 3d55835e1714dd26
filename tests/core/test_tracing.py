"""LangSmith: traced when its own variables ask for it, and never looked up otherwise."""

import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from tests.cli.test_ask import agent, environment
from tests.core.engine import good
from tests.servers.ollama import ScriptedOllama

_INGEST = {
    "use_multipart_endpoint": False,
    "size_limit": 100,
    "size_limit_bytes": 20_971_520,
    "scale_up_nthreads_limit": 16,
    "scale_up_qsize_trigger": 1000,
    "scale_down_nempty_trigger": 4,
}


class _LangSmith(ThreadingHTTPServer):
    """Takes whatever is sent to it, and keeps the bodies."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[bytes] = []
        Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: _LangSmith

    def do_GET(self) -> None:
        self._answer({"batch_ingest_config": _INGEST})

    def do_POST(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self._answer({})

    def log_message(self, format: str, *args: Any) -> None:
        return

    def _answer(self, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(202)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def test_runs_are_traced_with_their_name_and_tags(tmp_path: Path) -> None:
    with ScriptedOllama(good) as server, _LangSmith() as langsmith:
        done = agent(
            tmp_path,
            "ask",
            "What is 17*23?",
            OLLAMA_HOST=server.url,
            LANGSMITH_TRACING="true",
            LANGSMITH_API_KEY="key",
            LANGSMITH_ENDPOINT=langsmith.url,
            LANGSMITH_COMPRESSION_DISABLED="true",
        )
        langsmith.shutdown()
    sent = b"".join(langsmith.bodies)
    assert done.stdout == "391\n"
    assert b'"question"' in sent and b"ten-call-agent" in sent and b"run_id" in sent


def test_without_its_variables_no_name_is_looked_up(tmp_path: Path) -> None:
    code = """
import sys
looked_up = []
def audit(event, args):
    if event == "socket.getaddrinfo" and args[0] != "127.0.0.1":
        looked_up.append(args[0])
sys.addaudithook(audit)
from agent.cli import main
code = main(["ask", "What is 17*23?"])
print(code, looked_up)
"""
    with ScriptedOllama(good) as server:
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env=environment(tmp_path, OLLAMA_HOST=server.url),
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.stdout == "391\n0 []\n"
