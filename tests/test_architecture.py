"""What the architecture promises: one-way layers, a light import, nothing made at import time."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
HEAVY = ("gradio", "langgraph", "langchain_core", "xllamacpp", "pandas", "trafilatura", "ddgs")


def python(code: str) -> str:
    """What ``code`` prints in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_layers_point_one_way() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "module", ["agent", "agent.cli", "agent.core.orchestrator", "agent.tools.registry"]
)
def test_importing_loads_no_heavy_library(module: str) -> None:
    loaded = json.loads(python(f"import json, sys, {module}; print(json.dumps(list(sys.modules)))"))
    assert [name for name in HEAVY if name in loaded] == []


def test_nothing_is_constructed_at_import_time() -> None:
    """Importing every module of the project starts no thread, opens no socket, writes no file."""
    code = """
import pkgutil, socket, sys, threading
events = []
watched = {"socket.connect", "socket.getaddrinfo", "subprocess.Popen"}
def audit(event, args):
    if event in watched or (event == "open" and any(c in str(args[1]) for c in "wax+")):
        events.append((event, str(args)[:100]))
sys.dont_write_bytecode = True
sys.addaudithook(audit)
import agent
for module in pkgutil.walk_packages(agent.__path__, "agent."):
    if module.name != "agent.__main__":
        __import__(module.name)
ours = [t.name for t in threading.enumerate() if t is not threading.main_thread()]
print(events, ours)
"""
    assert python(code).strip() == "[] []"


def test_public_names_are_re_exported() -> None:
    names = python(
        "import agent; print([getattr(agent, n).__class__ and n for n in agent.__all__])"
    )
    for name in (
        "BudgetExceededError",
        "Settings",
        "SpecialistSpec",
        "SPEC_BUILDERS",
        "TaskMetric",
    ):
        assert name in names
    with pytest.raises(subprocess.CalledProcessError):
        python("from agent import nothing_of_that_name")
