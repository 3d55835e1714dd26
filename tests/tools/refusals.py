"""Every refusal in a module of the tools, read from its source."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from agent.tools.result import ErrorKind

KINDS = frozenset(get_args(ErrorKind))
_RAISED = {"failure", "_failure", "ToolError", "Refused", "Unreadable", "SearchFailed", "_Failed"}
_RAISED |= {"ExpressionError"}


@dataclass(frozen=True)
class Refusal:
    """Its kind, empty where the code works it out, and the fixed pieces of what it says."""

    kind: str
    pieces: tuple[str, ...]
    place: str

    def says(self, words: str) -> bool:
        """Whether ``words`` are in it."""
        return any(words in piece for piece in self.pieces)


def refusals(path: Path) -> Iterator[Refusal]:
    """All calls that refuse, and all pairs of a kind and a text, that hold words of their own."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _RAISED:
                parts: list[ast.expr] = [*node.args, *(given.value for given in node.keywords)]
            case ast.Tuple(elts=[ast.Constant(value=str(kind)), _]) if kind in KINDS:
                parts = node.elts
            case ast.Dict(keys=[ast.Constant(value="kind"), ast.Constant(value="message")]):
                parts = node.values
            case _:
                continue
        texts = [text for part in parts for text in _texts(part)]
        kind = next((text for text in texts if text in KINDS), "")
        pieces = tuple(text for text in texts if " " in text and len(text) > 5)
        if pieces:
            yield Refusal(kind, pieces, f"{path.name}:{node.lineno}")


def literals(path: Path) -> list[str]:
    """Every text in a module."""
    return list(_texts(ast.parse(path.read_text(encoding="utf-8"))))


def _texts(node: ast.expr) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value.strip()
