"""Results that leave nothing to work out: their answer is taken as it is, at no model call."""

import ast
import re
from collections.abc import Collection, Sequence
from decimal import Decimal

from agent.agents.work import Observation
from agent.tools.fence import unfenced

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_DECIMAL = re.compile(r"-?\d+\.(?:0|\d{10,})")
"""A double as Python prints it: 204.0, or with rounding noise at its end."""
_LIST_ASKED = re.compile(r"\blist\b|\bseparated\b", re.IGNORECASE)


def settled(observations: Sequence[Observation], question: str) -> str:
    """The answer, where the last observation leaves nothing to work out: a calculation with every
    number of the question, the one value that a program printed, or what an attached table gives
    by rule. (Of a page that was found it is not certain that the question means its table.)"""
    if not observations or not observations[-1].is_evidence:
        return ""
    text = unfenced(observations[-1].result.text).strip()
    match observations[-1].tool:
        case "calculator" if settles(observations[-1], question):
            return text.split("\n", 1)[0]
        case "python_repl":
            return printed_answer(text, question)
        case "read_file":
            return observations[-1].result.worked_out
    return ""


def settles(observation: Observation, question: str) -> bool:
    """Whether an observation is a calculation with every number of the question.

    Then there is nothing left to calculate with: its result is the answer, or close to it.
    """
    if not observation.is_evidence or observation.tool != "calculator":
        return False
    asked, used = _numbers(question), _numbers(str(observation.args["expression"]))
    return bool(asked) and all(used & {n, n / 100, 1 - n / 100, 1 + n / 100} for n in asked)


def _numbers(text: str) -> set[Decimal]:
    """The numbers in a text. A percentage may be written as one or as the factor that it is."""
    return {Decimal(numeral) for numeral in _NUMBER.findall(text.replace(",", ""))}


def printed_answer(output: str, question: str) -> str:
    """What a program printed, if that is one value; or a list where one is asked for; or letters,
    one a line, which are a word."""
    lines = output.strip().split("\n")
    if len(lines) > 1:
        return "".join(lines) if all(len(line) == 1 for line in lines) else ""
    if (items := _items(lines[0])) is not None:
        return ", ".join(map(str, items)) if _LIST_ASKED.search(question) else ""
    return f"{float(lines[0]):.12g}" if _DECIMAL.fullmatch(lines[0]) else lines[0]


def _items(line: str) -> Collection[object] | None:
    """What is in a printed list, set or tuple; None if it is none."""
    try:
        value = ast.literal_eval(line)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, list | tuple | dict | set) else None
