"""Evaluates a rewritten expression: a walk over its syntax tree that knows arithmetic alone."""

import ast
import re

from agent.tools.arithmetic.functions import CONSTANTS, FUNCTIONS, OPERATORS, POSTFIX
from agent.tools.arithmetic.numbers import (
    ExpressionError,
    Number,
    bounded,
    parse,
    show,
    too_large,
)

MAX_REMARKS = 3
_GROUP = re.compile(r"0\d\d(?!\d)")


def evaluate(python: str) -> tuple[Number, list[str]]:
    """The value of an expression rewritten by ``notation``, and remarks on it.

    Raises:
        ExpressionError: it is malformed, has no real value, or its value is out of bounds.
    """
    try:
        evaluator = _Evaluator()
        value = evaluator.value(ast.parse(python.strip(), mode="eval").body)
    except SyntaxError:
        raise ExpressionError("The expression is incomplete or malformed.") from None
    except (RecursionError, MemoryError):
        raise ExpressionError(
            "The expression is too deeply nested; write it in steps.", "too_large"
        ) from None
    except ZeroDivisionError:
        raise ExpressionError("Division by zero has no value.") from None
    except OverflowError:
        raise too_large() from None
    except ExpressionError:
        raise
    except ValueError:
        raise ExpressionError("The expression has no real value.") from None
    return value, list(dict.fromkeys(evaluator.remarks))[:MAX_REMARKS]


class _Evaluator:
    """Walks the syntax tree; knows numbers, operators, postfix signs, constants and calls."""

    def __init__(self) -> None:
        self.remarks: list[str] = []

    def value(self, node: ast.expr) -> Number:
        match node:
            case ast.Constant(value=str() as digits):
                return parse(digits)
            case ast.Name(id=name) if name in CONSTANTS:
                return CONSTANTS[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.value(operand)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.value(operand)
            case ast.Attribute(value=operand, attr=sign):
                return bounded(POSTFIX[sign](self.value(operand)))
            case ast.BinOp():
                return self._chain(node)
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._call(name, args)
            case ast.Tuple(elts=[_, *_]):
                raise ExpressionError(
                    "A comma may only part the arguments of a function or groups of three digits."
                )
        raise ExpressionError("The expression is incomplete or malformed.")

    def _chain(self, node: ast.expr) -> Number:
        """Operators of one level, left to right: a long sum is a long chain, not a deep tree."""
        chain: list[ast.BinOp] = []
        while isinstance(node, ast.BinOp):
            chain.append(node)
            node = node.left
        value = self.value(node)
        for step in reversed(chain):
            value = bounded(self._apply(step, value))
        return value

    def _apply(self, step: ast.BinOp, left: Number) -> Number:
        right = self.value(step.right)
        adds = isinstance(step.op, ast.Add | ast.Sub)
        if adds and _is_percent(step.right) and not _is_percent(step.left):
            self.remarks.append(f"{show(right * 100)[0]}% is taken of {show(left)[0]}")
            right *= left
        return OPERATORS[type(step.op)](left, right)

    def _call(self, name: str, args: list[ast.expr]) -> Number:
        if len(args) == 1 and isinstance(args[0], ast.Tuple):
            args = args[0].elts
        values = [self.value(arg) for arg in args]
        least, most, function = FUNCTIONS[name]
        if not least <= len(values) <= most:
            count = f"{least}" if least == most else f"{least} or more"
            hint = " Write 1,000 as 1000." if len(values) > most else ""
            raise ExpressionError(f"{name} takes {count}; {len(values)} were given.{hint}")
        if any(_is_group(arg) for arg in args[1:]):
            raise ExpressionError("Inside a function write 1000, not 1,000.")
        if name in ("sin", "cos", "tan") and not _names_a_unit(args[0]):
            self.remarks.append("the angle is in radians; write 90° for degrees")
        if name == "log" and len(values) == 1:
            self.remarks.append("natural logarithm (base e); log10 has base 10")
        try:
            return bounded(function(*values))
        except ExpressionError:
            raise
        except ValueError:
            raise ExpressionError(f"{name} has no real value there.") from None


def _is_group(node: ast.expr) -> bool:
    """Whether it is three digits that can only be the rest of a number such as 1,000."""
    match node:
        case ast.Constant(value=str() as digits):
            return bool(_GROUP.match(digits))
    return False


def _names_a_unit(angle: ast.expr) -> bool:
    """Whether the angle itself shows what it is measured in: ``90°``, ``pi/2``, ``radians(90)``."""
    units = {"degrees", "pi", "tau", "radians"}
    return any({getattr(n, "attr", ""), getattr(n, "id", "")} & units for n in ast.walk(angle))


def _is_percent(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "percent"
