"""The child's side: reads a request, confines itself, runs the code, reports.

The request comes as JSON on standard input, the report goes as JSON to what was standard error;
whatever the code prints goes to standard output.
"""

import ast
import builtins
import json
import os
import sys
import types
from contextlib import suppress
from typing import Any

from agent.tools.sandbox.confine import confine

CODE_NAME = "<code>"
_VALUED = (ast.Expr, ast.Return)
"""What a last line may be to have a value; models write ``return`` where no function is."""
_WRITTEN_OUT = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.JoinedStr)
"""Values that are given rather than worked out: code that ends with one has only begun."""
MAX_VALUE_CHARS = 20_000
MAX_ERROR_CHARS = 2_000


def main() -> None:
    """Serve the one request of this process."""
    request = json.load(sys.stdin.buffer)
    sys.path[:] = [*sys.path[1:], *request["site_paths"]]
    report = _redirect()
    layers = confine(**request["limits"])
    missing = sorted({*request["required"]} - {*layers})
    if missing:
        outcome: dict[str, Any] = {"error": f"Not isolated: {', '.join(missing)} is missing."}
    else:
        outcome = _run(request["code"])
    with suppress(OSError, ValueError):  # the code may have closed it
        sys.stdout.flush()
    with os.fdopen(report, "wb") as file:
        told = json.dumps({"layers": layers, **outcome}, ensure_ascii=False)
        file.write(told.encode(errors="replace"))


def _redirect() -> int:
    """Empty input, errors printed like output; returns the descriptor for the report."""
    report = os.dup(2)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(1, 2)
    sys.stdout.reconfigure(errors="replace", line_buffering=True)  # type: ignore[union-attr]
    sys.stderr = sys.stdout
    return report


def _run(code: str) -> dict[str, Any]:
    """Run the code as the main module. The value is that of a last line that is an expression;
    what a last line assigns is told apart from it, for code that forgets to print its result."""
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    names = module.__dict__
    builtins.exit = builtins.quit = sys.exit  # type: ignore[assignment]
    try:
        tree = ast.parse(code, CODE_NAME)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], _VALUED) else None
        exec(compile(tree, CODE_NAME, "exec"), names)
        if isinstance(last, _VALUED) and last.value:
            value = eval(compile(ast.Expression(last.value), CODE_NAME, "eval"), names)
            return {"value": _shown(value)}
        return {"assigned": _shown(names.get(_assigned(tree)))}
    except SystemExit as exit_:
        return {"error": str(exit_.code)} if isinstance(exit_.code, str) else {}
    except BaseException as error:
        return {"error": _describe(error)[:MAX_ERROR_CHARS], "line": _line(error)}


def _assigned(tree: ast.Module) -> str:
    """The name to which the last line gives what it works out, if it is one name."""
    match tree.body[-1:]:
        case [ast.AugAssign(target=ast.Name(id=name))]:
            return name
        case [ast.Assign(targets=[ast.Name(id=name)], value=value)]:
            return "" if isinstance(value, _WRITTEN_OUT) else name
    return ""


def _shown(value: Any) -> str | None:
    return None if value is None else repr(value)[:MAX_VALUE_CHARS]


def _describe(error: BaseException) -> str:
    try:
        message = error.msg if isinstance(error, SyntaxError) else str(error)
    except Exception:
        message = ""
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _line(error: BaseException) -> int | None:
    """The last line of the code that the error passed through."""
    if isinstance(error, SyntaxError) and error.filename == CODE_NAME:
        return error.lineno
    line, trace = None, error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == CODE_NAME:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
