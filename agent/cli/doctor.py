"""``doctor``: what works here, what does not, and what to do about each."""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from agent.cli.settings import load_settings
from agent.config import PROJECT_DIR, Settings

State = Literal["ok", "warning", "failed"]
_MARK = {"ok": "[green]ok[/]", "warning": "[yellow]warning[/]", "failed": "[red]failed[/]"}


_CALL_SYSTEM = "You answer with one JSON object with the keys evidence, found and answer."


@dataclass(frozen=True)
class Check:
    """One row: what was looked at, how it stands, what to do."""

    name: str
    state: State
    found: str
    fix: str = ""


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "doctor",
        help="check this machine",
        description="Checks this machine; exits with 1 if no question could be answered on it.",
    )
    parser.add_argument("--model", default="", metavar="SPEC", help="also send it one real call")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the table; the exit code is 1 if the main job cannot run."""
    from rich.console import Console
    from rich.table import Table

    settings = load_settings()
    checks = list(examine(settings, arguments.model))
    if arguments.model and not any(check.state == "failed" for check in checks):
        checks.append(_call(settings, arguments.model))
    table = Table("Check", "State", "Found", "What to do", show_lines=False)
    for check in checks:
        table.add_row(check.name, _MARK[check.state], check.found, check.fix)
    Console().print(table)
    return int(any(check.state == "failed" for check in checks))


def examine(settings: Settings, model: str = "") -> Iterator[Check]:
    """All checks, in the order in which somebody would repair things."""
    yield _python()
    yield _packages()
    yield _cache_folder(settings)
    yield from _model(settings, model)
    yield _sandbox()
    yield _service("web_search", "Search", {"query": "weather"}, settings)
    yield _service("wikipedia", "Wikipedia", {"query": "Earth"}, settings)


def _python() -> Check:
    return Check("Python", "ok", sys.version.split()[0])


def _packages() -> Check:
    wrong = []
    for line in (PROJECT_DIR / "requirements.txt").read_text().splitlines():
        name, _, pinned = line.partition("==")
        if not pinned:
            continue
        try:
            have = version(name.split("[")[0])
        except PackageNotFoundError:
            have = "missing"
        if have != pinned:
            wrong.append(f"{name} {have} (wanted {pinned})")
    if not wrong:
        return Check("Packages", "ok", "as pinned")
    missing = any("missing" in line for line in wrong)
    return Check(
        "Packages",
        "failed" if missing else "warning",
        ", ".join(wrong),
        "Run `pip install -r requirements.txt`.",
    )


def _cache_folder(settings: Settings) -> Check:
    import shutil
    import tempfile

    try:
        settings.cache_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=settings.cache_dir):
            free = shutil.disk_usage(settings.cache_dir).free
    except OSError as error:
        return Check(
            "Cache folder", "failed", str(error), "Set AGENT_CACHE_DIR to a folder of yours."
        )
    found = f"{settings.cache_dir}, {free / 1e9:.1f} GB free"
    return Check("Cache folder", "ok", found)


def _model(settings: Settings, name: str) -> Iterator[Check]:
    """Ollama, the embedded model, and the one that would answer; only the last can be fatal."""
    from agent.llm import ollama
    from agent.llm.names import ModelName
    from agent.llm.providers import NoModelError
    from agent.llm.status import model_status

    url = ollama.base_url(settings.ollama_host)
    try:
        have = ollama.installed(settings)
        yield Check("Ollama", "ok", f"{url}: {', '.join(have) or 'no models'}")
    except NoModelError:
        yield Check("Ollama", "warning", f"nothing at {url}", "Optional: https://ollama.com")
    yield _embedded(settings)
    status = model_status(settings, name)
    state: State = "ok" if status.state in {"ready", "fallback"} else "failed"
    found = f"{status.model}: {status.text}"
    if status.state == "ready" and status.model.startswith("ollama:"):
        found += f", {ollama.describe(settings, ModelName.parse(status.model))}"
    yield Check("Answering model", state, found, status.fix)


def _call(settings: Settings, name: str) -> Check:
    """One structured call: whether the schema held, and how fast the model reads and writes."""
    import threading

    from agent.budget import Budget, Limits
    from agent.core.finalizer import FinalAnswer
    from agent.llm.conversation import Conversation
    from agent.llm.errors import ModelError
    from agent.llm.providers import NoModelError, connect
    from agent.llm.structured import Schema
    from agent.llm.window import Window

    stop = threading.Event()
    try:
        model = connect(settings, name, progress=lambda text, fraction: None, stop=stop)
        budget = Budget(Limits(max_llm_calls=2), price=model.price)
        window = Window(_CALL_SYSTEM, model.num_ctx, model.num_predict, model.count_tokens)
        conversation = Conversation(model, window, lambda event: None, stop)
        conversation.add("The calculator returned 391 for 17*23. What is 17*23?")
        conversation.ask(Schema(FinalAnswer), "doctor", budget)
    except (NoModelError, ModelError) as error:
        return Check("One call", "failed", str(error))
    call = budget.calls[-1]
    tries = "at the first try" if len(budget.calls) == 1 else "after one repair"
    return Check("One call", "ok", f"the schema held {tries}; {', '.join(call.facts)}")


def _embedded(settings: Settings) -> Check:
    from agent.llm.catalogue import find

    model = find("")
    try:
        found = f"xllamacpp {version('xllamacpp')}"
    except PackageNotFoundError:
        return Check(
            "Embedded model", "warning", "xllamacpp is missing", "Run `pip install xllamacpp`."
        )
    if (settings.models_dir / model.file).exists():
        return Check("Embedded model", "ok", f"{found}, {model.name} is here")
    size = f"{model.size / 1e6:.0f} MB"
    return Check("Embedded model", "ok", f"{found}, {model.name} ({size}) is fetched when needed")


def _sandbox() -> Check:
    from agent.tools.sandbox.isolation import isolation

    found = isolation()
    if found.complete:
        return Check("Python sandbox", "ok", ", ".join(found.layers))
    return Check(
        "Python sandbox",
        "warning",
        f"not isolated from: {', '.join(found.missing)}",
        "Run code of strangers on Linux 5.13 or newer only.",
    )


def _service(tool_name: str, label: str, args: dict[str, Any], settings: Settings) -> Check:
    """A service of the network; questions that need none are answered without."""
    from agent.tools.registry import ToolContext, get_tools

    tool = next(tool for tool in get_tools() if tool.name == tool_name)
    result = tool.invoke(args, ToolContext(settings=settings, workdir=settings.cache_dir))
    if result.error is None:
        return Check(label, "ok", f"answers in {result.elapsed_s:.1f} s")
    fix = "Check the internet connection." if result.error.kind == "network" else ""
    return Check(label, "warning", result.error.message, fix)
