"""``pull``: get a model now, with a progress bar, rather than at the first question."""

import argparse
import sys
import threading
from typing import Any

from agent.cli.ask import EXIT_INTERRUPTED, EXIT_NO_MODEL
from agent.cli.settings import load_settings
from agent.config import DEFAULT_MODEL


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "pull",
        help="download a model",
        description="Has Ollama download a model, or fetches a model file for use inside the app.",
    )
    parser.add_argument("model", nargs="?", default=DEFAULT_MODEL, metavar="SPEC")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Download; the exit code is 3 if the model cannot be had, 130 after Ctrl-C."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    from agent.llm.names import ModelNameError
    from agent.llm.providers import NoModelError
    from agent.llm.pull import pull

    settings = load_settings()
    bar = Progress(TextColumn("{task.description}"), BarColumn(), console=Console(stderr=True))
    try:
        with bar:
            task = bar.add_task(f"Looking for {arguments.model}", total=None)

            def progress(text: str, fraction: float | None) -> None:
                bar.update(task, description=text, total=None if fraction is None else 1.0)
                bar.update(task, completed=fraction or 0.0)

            pull(settings, arguments.model, progress, threading.Event())
    except (NoModelError, ModelNameError) as error:
        print(error, file=sys.stderr)
        return EXIT_NO_MODEL
    except KeyboardInterrupt:
        print("Stopped. The next pull goes on from here.", file=sys.stderr)
        return EXIT_INTERRUPTED
    print(f"{arguments.model} is ready.", file=sys.stderr)
    return 0
