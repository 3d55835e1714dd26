"""Python for the model: one confined run a call, nothing kept between calls."""

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, Field

from agent.budget import RunStopped
from agent.config import Settings
from agent.tools.fence import fence
from agent.tools.registry import ToolContext, tool
from agent.tools.result import ErrorKind, ToolError, ToolResult
from agent.tools.sandbox.host import Ending, Outcome, run
from agent.tools.sandbox.isolation import LAYERS, isolation

MAX_CODE_CHARS = 50_000
MAX_COPIED_BYTES = 200 << 20
MAX_COPIED_FILES = 500
MAX_TEXT_CHARS = 20_000
MAX_ERROR_CHARS = 800
MAX_PRINTED_CHARS_OF_ERROR = 1500

_MARGIN_S = 0.5
"""Left for ending the child and telling what it had printed before the deadline of the call."""
_FENCED = re.compile(r"```[a-z0-9]*[ \t]*\n(.*?)(?:\n\s*```|\Z)", re.DOTALL | re.IGNORECASE)
_CONFINED = re.compile(r"PermissionError|not permitted|Permission denied|name resolution")
_SIGXCPU = 24

_ENDINGS: dict[Ending, tuple[ErrorKind, str]] = {
    "timed_out": ("timeout", "The code was still running at the time limit and was ended."),
    "too_much_output": ("too_large", "The code printed too much and was ended; print less."),
    "too_much_disk": ("too_large", "The code wrote too much to its folder and was ended."),
    "died": ("crashed", "The code ended the Python process."),
}


class PythonArgs(BaseModel):
    """What the model passes."""

    code: str = Field(description="Python code; print() the result. Files: open them by name")


@tool(
    "python_repl",
    capability="python",
    args=PythonArgs,
    description="Run Python code and read what it prints. No internet. Variables are not kept.",
    case_matters=True,
)
def python_repl(args: PythonArgs, context: ToolContext) -> ToolResult:
    """What the code printed and the value of its last line, or its error with the line. Code that
    prints nothing and ends by giving a name a value has that value.

    The attachments of ``context.workdir`` are there as copies. On a public Space the code is run
    only where it can be isolated completely.
    """
    if len(args.code) > MAX_CODE_CHARS:
        return ToolResult.failure(
            "too_large", f"The code has {len(args.code)} characters; at most {MAX_CODE_CHARS} run."
        )
    code = _repaired(args.code)
    if not code.strip():
        return ToolResult.failure("invalid_args", "There is no code; pass Python code to run.")
    if not runs_here(context.settings):
        return ToolResult.failure(
            "unavailable", "Python code cannot be isolated on this host; use calculator for sums."
        )
    outcome = run(
        code,
        files=list(_attachments(context.workdir)),
        timeout_s=context.remaining() - _MARGIN_S,
        stop=context.stop,
        required=LAYERS if context.settings.space_id else (),
    )
    return _result(outcome, code)


def runs_here(settings: Settings) -> bool:
    """Whether code is run at all: on a public Space only where it can be isolated completely."""
    return not settings.space_id or isolation().complete


def _repaired(code: str) -> str:
    """The code without a Markdown fence or common indent, and with real line ends."""
    if (match := _FENCED.search(code)) and not _parses(code):
        code = match[1]
    code = textwrap.dedent(code).strip("\n")
    if "\n" not in code and "\\n" in code and not _parses(code):
        unescaped = code.replace("\\n", "\n")
        return unescaped if _parses(unescaped) else code
    return code


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _attachments(workdir: Path) -> Iterator[tuple[Path, Path]]:
    """The task's own files with their places below its folder; links are not followed."""
    copied = count = 0
    for path in sorted(workdir.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        copied += path.stat().st_size
        count += 1
        if copied > MAX_COPIED_BYTES or count > MAX_COPIED_FILES:
            return
        yield path, path.relative_to(workdir)


def _result(outcome: Outcome, code: str) -> ToolResult:
    if outcome.ending == "stopped":
        raise RunStopped
    printed = outcome.stdout.rstrip("\n")
    if outcome.ending in _ENDINGS:
        kind, message = _ENDINGS[outcome.ending]
        return _failure(kind, message + _why(outcome), printed)
    if outcome.error:
        return _failure("invalid_args", _error(outcome, code), printed)
    shown = [part for part in (printed, outcome.value) if part] or [outcome.assigned or ""]
    if text := "\n".join(map(_shortened, shown)):
        return ToolResult.success(text, untrusted=True)
    return _failure("invalid_args", "The code ran but printed nothing; print() the result.", "")


def _error(outcome: Outcome, code: str) -> str:
    """One sentence on what went wrong, with the line of the code."""
    error = outcome.error[:MAX_ERROR_CHARS]
    hint = ""
    if _CONFINED.search(error):
        hint = " (here is no network, no other process and no file but those of this folder)"
    lines = code.splitlines()
    if outcome.line is None or not 0 < outcome.line <= len(lines):
        return f"{error}{hint}."
    return f"Line {outcome.line}, `{lines[outcome.line - 1].strip()[:120]}`: {error}{hint}."


def _why(outcome: Outcome) -> str:
    if outcome.signal == _SIGXCPU:
        return " It had used up its processor time."
    return f" It received signal {outcome.signal}." if outcome.signal else ""


def _failure(kind: ErrorKind, message: str, printed: str) -> ToolResult:
    """An error with the end of what was printed before it, as data."""
    if printed:
        end = printed[-MAX_PRINTED_CHARS_OF_ERROR:]
        message += f" Printed before that:\n{fence(end, 'python_repl')}\n"
    return ToolResult(ok=False, error=ToolError(kind=kind, message=message), untrusted=True)


def _shortened(text: str) -> str:
    if len(text) <= MAX_TEXT_CHARS:
        return text
    return f"{text[:MAX_TEXT_CHARS]}\n[{len(text) - MAX_TEXT_CHARS} more characters not shown]"
