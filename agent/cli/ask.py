"""``ask``: one question; the bare answer on stdout, the steps on stderr."""

import argparse
import asyncio
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.budget import Limits
from agent.cli.settings import load_settings
from agent.cli.steps import StepPrinter
from agent.obs.events import RunFinished, RunResult, Status
from agent.obs.tracing import flush_tracing

if TYPE_CHECKING:
    from agent.runs.manager import RunManager

EXIT_NO_MODEL = 3
EXIT_INTERRUPTED = 130
_EXIT: dict[Status, int] = {
    "answered": 0,
    "failed": 1,
    "budget_spent": 4,
    "timed_out": 4,
    "stopped": EXIT_INTERRUPTED,
}


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "ask",
        help="answer one question",
        description="Answers one question: the bare answer on stdout, the steps on stderr.",
        epilog="Exit codes: 0 answered, 1 failed, 2 usage, 3 no model, "
        "4 budget or time spent, 130 interrupted.",
    )
    parser.add_argument("question", type=_question)
    parser.add_argument("--model", default="", metavar="SPEC", help="such as ollama:llama3.2:3b")
    parser.add_argument("--file", type=_file, action="append", default=[], metavar="PATH")
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")
    parser.add_argument("--max-llm-calls", type=_positive_int, metavar="N")
    parser.add_argument("--timeout", type=_positive_float, metavar="S", help="seconds")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Ask, show, print; the exit code says how it ended."""
    from agent.runs.answering import orchestrated
    from agent.runs.manager import RunManager

    settings = load_settings()
    changed = {
        "max_llm_calls": arguments.max_llm_calls,
        "per_question_timeout_s": arguments.timeout,
    }
    limits = Limits.from_settings(settings).model_copy(
        update={name: value for name, value in changed.items() if value is not None}
    )
    manager = RunManager(settings, orchestrated(settings))
    try:
        run_id = manager.start(arguments.question, arguments.file, arguments.model, limits)
    except OSError as error:
        print(f"The cache folder cannot be written: {error}", file=sys.stderr)
        return 1
    _stop_on_ctrl_c(manager, run_id)
    result = asyncio.run(_watch(manager, run_id))
    flush_tracing()
    _print(result, as_json=arguments.json)
    return EXIT_NO_MODEL if result.error_kind == "no_model" else _EXIT[result.status]


def _stop_on_ctrl_c(manager: "RunManager", run_id: str) -> None:
    """The first Ctrl-C ends the run cleanly, with its result; a second one ends the program."""

    def stop(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        manager.stop(run_id)

    signal.signal(signal.SIGINT, stop)


async def _watch(manager: "RunManager", run_id: str) -> RunResult:
    """Show the events of a run until its last, and return its result."""
    show = StepPrinter()
    async for events in manager.follow(run_id):
        for event in events:
            show(event)
            if isinstance(event, RunFinished):
                return event.result
    raise AssertionError("a run of this process always finishes")


def _print(result: RunResult, *, as_json: bool) -> None:
    if as_json:
        print(result.model_dump_json(indent=2))
    elif result.answer:
        print(result.answer)


def _question(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("the question is empty")
    return text


def _file(text: str) -> Path:
    path = Path(text)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text}")
    return path


def _positive_int(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def _positive_float(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError("must be more than 0")
    return value
