"""``tool``: one tool by hand, as the agent would call it: for trying things and for bug reports."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from agent.cli.settings import load_settings


def add_parser(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "tool",
        help="run one tool",
        description="Runs one tool and prints what the model would read.",
        epilog="Example: python -m agent tool calculator 'expression=17.5% of 240'",
    )
    parser.add_argument("name", nargs="?", help="without it, the tools are listed")
    parser.add_argument("arguments", nargs="*", type=_pair, metavar="key=value")
    parser.add_argument("--folder", type=Path, help="the folder whose files the tool may read")
    parser.add_argument("--question", default="", help="the question that passages are chosen by")
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the tool; the exit code is 1 if it returned an error, 2 if there is no such tool."""
    import threading

    from agent.budget import Budget, Limits
    from agent.core.sight import describer
    from agent.tools.registry import ToolContext, get_tools

    settings = load_settings()
    tools = {tool.name: tool for tool in get_tools()}
    if arguments.name not in tools:
        for tool in tools.values():
            print(f"{tool.name}({', '.join(tool.args.model_fields)}): {tool.description}")
        if arguments.name:
            print(f"There is no tool {arguments.name}.", file=sys.stderr)
        return 2 if arguments.name else 0
    budget, stop = Budget(Limits.from_settings(settings)), threading.Event()
    context = ToolContext(
        settings=settings,
        workdir=arguments.folder or settings.files_dir / "by-hand",
        question=arguments.question,
        stop=stop,
        describe=describer(settings, arguments.question, budget, lambda event: None, stop),
    )
    result = tools[arguments.name].invoke(dict(arguments.arguments), context)
    print(result.model_dump_json(indent=2) if arguments.json else result.for_model())
    return 0 if result.ok else 1


def _pair(text: str) -> tuple[str, Any]:
    """``key=value``; a number or truth value in JSON is taken as such: ``page=2`` is a number."""
    key, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not key=value")
    try:
        parsed = json.loads(value)
    except ValueError:
        return key, value
    return key, parsed if isinstance(parsed, int | float | bool) else value
