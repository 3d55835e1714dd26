"""The terminal: ``python -m agent ask|bench|doctor|pull|runs|tool``."""

import argparse
from collections.abc import Sequence

from agent.cli import ask, bench, doctor, pull, runs, tool

_COMMANDS = (ask, bench, doctor, pull, runs, tool)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; wrong usage exits with 2, as argparse does."""
    parser = argparse.ArgumentParser(
        prog="python -m agent",
        description="A supervisor agent that answers a question within ten model calls.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.add_parser(commands)
    arguments = parser.parse_args(argv)
    code: int = arguments.run(arguments)
    return code
