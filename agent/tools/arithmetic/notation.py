"""Reads arithmetic as people and small models write it, and rewrites it as a Python expression.

The rewriting is textual and happens before parsing, so that ``^`` has the precedence of a power and
not of an exclusive or. Each number becomes a quoted string, which keeps its digits as they were
written, and each sign that follows its operand (``5!``, ``10%``, ``90°``) an attribute, which binds
tighter than any operator: ``2^3!`` becomes ``'2' ** '3' .factorial``.
"""

import re
from dataclasses import dataclass
from typing import Literal

from agent.tools.arithmetic.functions import CONSTANTS, FUNCTIONS
from agent.tools.arithmetic.numbers import ExpressionError

MAX_CHARS = 4000
MAX_DEPTH = 50

_GLYPHS = str.maketrans(
    {
        **dict.fromkeys("×·⋅∙✕✖＊", "*"),
        **dict.fromkeys("÷∕⁄", "/"),
        **dict.fromkeys("−–—‐‑", "-"),
        **dict.fromkeys("([{（", "("),
        **dict.fromkeys(")]}）", ")"),
        **dict.fromkeys("$€£¥\\`\u00a0\u202f", " "),
        "π": " pi ",
        "τ": " tau ",
        "√": " sqrt ",
        "∛": " cbrt ",
    }
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_PHRASES = {
    "raised to the power of": "^",
    "to the power of": "^",
    "square root of": "sqrt",
    "cube root of": "cbrt",
    "multiplied by": "*",
    "divided by": "/",
    "squared": "^2",
    "cubed": "^3",
    "plus": "+",
    "minus": "-",
    "times": "*",
    "cdot": "*",
    "div": "/",
    "over": "/",
    "modulo": "mod",
    "percent": "%",
}
_PHRASE = re.compile(rf"\b(?:{'|'.join(_PHRASES)})\b", re.IGNORECASE)
_PROSE = frozenset(
    (
        *("calculate", "compute", "evaluate", "find", "give", "print", "solve", "tell", "what"),
        *("whats", "s", "how", "much", "is", "does", "equal", "equals", "can", "could", "you"),
        *("me", "us", "please", "the", "a", "answer", "result", "value", "expression", "to", "of"),
    )
)
_EDGE_MARKS = frozenset("=?.:;,'\"")

_HEXADECIMAL = re.compile(r"(?<![\d.])0x[0-9a-f]", re.IGNORECASE)
_TIMES_X = re.compile(r"(?<=[\d)])\s*x\s*(?=[\d(.-]|sqrt|pi)", re.IGNORECASE)
_LIBRARY_PREFIX = re.compile(r"\b(?:math|np|numpy)\s*\.\s*(?=[a-z])", re.IGNORECASE)
_TOKEN = re.compile(
    r"(?P<grouped>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9,])(?:\.[0-9]+)?)"
    r"|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)"
    r"|(?P<word>[a-z_][a-z0-9_]*)"
    r"|(?P<superscript>[⁺⁻]?[⁰¹²³⁴-⁹]+)"
    r"|(?P<sign>\*\*|//|[-+*/^%!°(),=?.:;'\"])"
    r"|(?P<space>\s+)"
    r"|(?P<unknown>.)",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"[0-9]+")
_PYTHON = {
    "^": "**",
    "of": "*",
    "percent": ".percent",
    "!": ".factorial",
    "°": ".degrees",
}

Kind = Literal["number", "constant", "function", "operator", "postfix", "open", "close", "comma"]


@dataclass(frozen=True)
class Expression:
    """An expression as it was understood.

    ``python`` is what ``evaluator`` evaluates and ``shown`` what a person reads;
    ``reworded`` says that they were not simply what was written.
    """

    python: str
    shown: str
    reworded: bool


@dataclass(frozen=True)
class _Token:
    kind: Kind
    text: str

    @property
    def starts_operand(self) -> bool:
        return self.kind in ("number", "constant", "function", "open")

    @property
    def ends_operand(self) -> bool:
        return self.kind in ("number", "constant", "postfix", "close")


_NOTHING = _Token("operator", "")
"""Stands before the first token and after the last."""


def read(text: str) -> Expression:
    """Understand ``text`` as one expression.

    Raises:
        ExpressionError: it is too long, too deeply nested, or holds something that is not
            arithmetic.
    """
    if len(text) > MAX_CHARS:
        raise ExpressionError(
            f"The expression has {len(text)} characters; at most {MAX_CHARS} are read.", "too_large"
        )
    plain = _LIBRARY_PREFIX.sub("", text).translate(_GLYPHS)
    if _HEXADECIMAL.search(plain):
        raise ExpressionError("Hexadecimal numbers are not supported; write them in decimal.")
    worded = _TIMES_X.sub("*", _PHRASE.sub(lambda m: f" {_PHRASES[m[0].lower()]} ", plain))
    tokens = _joined(_classified(_without_prose(_split(worded))))
    if not tokens:
        raise ExpressionError("There is no expression; write numbers and operators such as 17*23.")
    shown = "".join(map(_shown, tokens))
    return Expression(
        python=" ".join(_python(token) for token in tokens),
        shown=shown,
        reworded=_bare(shown) != _bare(plain),
    )


def written_sum(text: str) -> str:
    """A text that is an expression as a whole, in the calculator's own notation; else nothing."""
    try:
        return read(text).shown
    except ExpressionError:
        return ""


def _split(text: str) -> list[tuple[str, str]]:
    """Kind and lower-case text of each piece. A comma groups digits only outside of a call."""
    pieces: list[tuple[str, str]] = []
    brackets: list[bool] = []
    position = 0
    while match := _TOKEN.match(text, position):
        kind, piece = str(match.lastgroup), match[0].lower()
        if kind == "grouped" and any(brackets):
            match = _DIGITS.match(text, position) or match
            kind, piece = "number", match[0]
        if piece == "(":
            brackets.append(bool(pieces) and pieces[-1][1] in FUNCTIONS)
        elif piece == ")" and brackets:
            brackets.pop()
        _check_depth(len(brackets))
        if kind != "space":
            pieces.append((kind, piece))
        position = match.end()
    return pieces


def _check_depth(depth: int) -> None:
    if depth > MAX_DEPTH:
        raise ExpressionError(
            f"Brackets are nested more than {MAX_DEPTH} deep; write it in steps.", "too_large"
        )


def _without_prose(pieces: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Drop the words and marks around the expression: "What is", "please", "=", "?"; and what
    somebody takes it to be equal to, as in "17*23 = 391"."""
    start, end = 0, len(pieces)
    if end > 2 and pieces[-2][1] == "=" and pieces[-1][0] in ("number", "grouped"):
        end -= 2
    while start < end and pieces[start][1] in _PROSE | _EDGE_MARKS:
        start += 1
    while end > start and pieces[end - 1][1] in _PROSE | _EDGE_MARKS:
        end -= 1
    return pieces[start:end]


def _classified(pieces: list[tuple[str, str]]) -> list[_Token]:
    tokens: list[_Token] = []
    for index, (kind, piece) in enumerate(pieces):
        previous = tokens[-1] if tokens else _NOTHING
        following = pieces[index + 1] if index + 1 < len(pieces) else ("", "")
        tokens.extend(_classify(kind, piece, previous, following))
    return tokens


def _classify(kind: str, piece: str, previous: _Token, following: tuple[str, str]) -> list[_Token]:
    if kind in ("number", "grouped"):
        return [_Token("number", piece.replace(",", ""))]
    if kind == "superscript":
        power = piece.translate(_SUPERSCRIPTS)
        signs = [_Token("operator", "-")] if power[0] == "-" else []
        return [_Token("operator", "^"), *signs, _Token("number", power.lstrip("+-"))]
    match piece:
        case "mod" | "of" if previous.ends_operand:
            return [_Token("operator", piece)]
        case "of" if previous.kind == "function":
            return []
        case "%" if previous.ends_operand:
            divides = _starts_operand(*following)
            return [_Token("operator", "mod") if divides else _Token("postfix", "percent")]
        case "!" | "°":
            return [_Token("postfix", piece)]
        case "(":
            return [_Token("open", piece)]
        case ")":
            return [_Token("close", piece)]
        case ",":
            return [_Token("comma", piece)]
        case "**":
            return [_Token("operator", "^")]
        case "+" | "-" | "*" | "/" | "//" | "^":
            return [_Token("operator", piece)]
        case _ if piece in FUNCTIONS:
            return [_Token("function", piece)]
        case _ if piece in CONSTANTS:
            return [_Token("constant", piece)]
    if kind == "word":
        raise ExpressionError(
            f"The word {piece[:30]!r} is not arithmetic; use numbers, + - * / ^ % and functions"
            " such as sqrt(2)."
        )
    raise ExpressionError(f"The character {piece!r} has no place in an expression of numbers.")


def _starts_operand(kind: str, piece: str) -> bool:
    return kind in ("number", "grouped") or piece in (*FUNCTIONS, *CONSTANTS, "(")


def _joined(tokens: list[_Token]) -> list[_Token]:
    """Write out what is left unwritten: products, and the brackets of ``sqrt 16``."""
    joined: list[_Token] = []
    closing: list[int] = [0]
    for index, token in enumerate(tokens):
        previous = tokens[index - 1] if index else _NOTHING
        following = tokens[index + 1] if index + 1 < len(tokens) else _NOTHING
        if previous.ends_operand and token.starts_operand:
            if previous.kind == token.kind == "number":
                raise ExpressionError(
                    f"There is no operator between {previous.text[:30]} and {token.text[:30]}."
                )
            joined.append(_Token("operator", "*"))
        joined.append(token)
        if token.kind == "function" and following.kind not in ("open", "close", "comma"):
            joined.append(_Token("open", "("))
            closing[-1] += 1
            _check_depth(closing[-1])
        elif token.kind == "open":
            closing.append(0)
        elif token.kind == "close" and len(closing) > 1:
            closing.pop()
        if token.ends_operand and token.kind != "postfix":
            joined.extend([_Token("close", ")")] * closing[-1])
            closing[-1] = 0
    return joined


def _python(token: _Token) -> str:
    if token.kind == "number":
        return repr(token.text)
    if token == _Token("operator", "mod"):
        return "%"
    return _PYTHON.get(token.text, token.text)


def _shown(token: _Token) -> str:
    if token.kind == "operator" and token.text.isalpha():
        return f" {token.text} "
    return {"percent": "%", ",": ", "}.get(token.text, token.text)


def _bare(text: str) -> str:
    """The text without what may differ in silence: spaces, grouping commas, ``=`` at the end."""
    return re.sub(r"[\s,]|[=?.]+\s*$", "", text.lower().replace("**", "^"))
