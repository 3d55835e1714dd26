"""Reflection by rule, at no model call: what is worth telling the model about its last action.

The rules and their order are the design's first tier (``docs/architecture.md``). Each adds one line
to the observation and one event to the trace.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agent.agents.work import Observation
from agent.tools.registry import Tool
from agent.tools.result import ErrorKind

NEAR_DUPLICATE = 0.8
"""Share of words (Jaccard) from which two requests to one tool count as the same request."""
FAILURES_TO_WITHDRAW = 2
"""Failures in a row after which a tool is taken out of the action enum of the loop."""
HOPELESS: frozenset[ErrorKind] = frozenset({"network", "unavailable", "rate_limited"})
"""Errors that a tool will meet again at once, so that one is enough."""
MANY_PLACES = frozenset({"scrape_webpage", "read_file"})
"""Tools that go to another place each time, so that one place's error says little of the next."""
TOOLS_WITHOUT_NETWORK = 2
"""Tools that must have found no network before those that need it are no longer offered."""
STEPS_WITHOUT_EVIDENCE = 2
"""Actions in a row without anything new after which the model is told so."""


@dataclass(frozen=True)
class Reflection:
    """What a rule noticed; ``hint`` is the line that the model reads."""

    rule: str
    hint: str


def call_key(tool: Tool, args: dict[str, Any]) -> str:
    """A key that is equal for calls that mean the same: key order, spacing, case (where case means
    nothing to the tool) and arguments left at their defaults do not count."""
    filled = {name: f.get_default() for name, f in tool.args.model_fields.items()}
    given = {**filled, **args}
    folded = {name: _fold(value, tool.case_matters) for name, value in given.items()}
    return f"{tool.name} {json.dumps(folded, sort_keys=True, default=str)}"


def earlier_result(key: str, observations: Sequence[Observation]) -> Observation | None:
    """The last time the same call was made, if it was."""
    return next((o for o in reversed(observations) if o.key == key), None)


def reflect(last: Observation, earlier: Sequence[Observation]) -> list[Reflection]:
    """What the rules have to say about ``last``, given what came before it in this loop."""
    rules = (_repeat, _empty, _error, _near_duplicate, _no_new_evidence, _withdrawn)
    found = (rule(last, earlier) for rule in rules)
    return [reflection for reflection in found if reflection is not None]


def withdrawn(in_loop: Sequence[Observation], in_question: Sequence[Observation]) -> set[str]:
    """The tools that failed too often in a row in this loop, or hopelessly at any time."""
    often = {o.tool for o in in_loop if _failures_in_a_row(o.tool, in_loop) >= FAILURES_TO_WITHDRAW}
    return often | {o.tool for o in in_question if _is_hopeless(o, in_question)}


def network_is_down(observations: Sequence[Observation]) -> bool:
    """Whether several tools found no network, so that the others need not try."""
    offline = {o.tool for o in observations if o.result.error and o.result.error.kind == "network"}
    return len(offline) >= TOOLS_WITHOUT_NETWORK and not _network_was_reached(observations)


def _repeat(last: Observation, earlier: Sequence[Observation]) -> Reflection | None:
    if not last.repeated or earlier_result(last.key, earlier) is None:
        return None
    return Reflection(
        "repeat", f"You already called {last.tool} with these arguments; do something different."
    )


def _empty(last: Observation, earlier: Sequence[Observation]) -> Reflection | None:
    error = last.result.error
    if (error and error.kind == "empty") or (last.result.ok and not last.result.text.strip()):
        return Reflection("empty_result", "It found nothing; change the words.")
    return None


def _error(last: Observation, earlier: Sequence[Observation]) -> Reflection | None:
    error = last.result.error
    if error is None or error.kind == "empty" or last.repeated:
        return None
    return Reflection("tool_error", f"{last.tool} gave no result; do what the error says.")


def _near_duplicate(last: Observation, earlier: Sequence[Observation]) -> Reflection | None:
    words = _words(last.args)
    for other in earlier:
        if other.tool != last.tool or other.key == last.key:
            continue
        others = _words(other.args)
        shared, union = words & others, words | others
        if union and len(shared) / len(union) >= NEAR_DUPLICATE:
            return Reflection("near_duplicate", "This is nearly what you asked before.")
    return None


def _no_new_evidence(last: Observation, earlier: Sequence[Observation]) -> Reflection | None:
    recent = [*earlier, last][-STEPS_WITHOUT_EVIDENCE:]
    if len(recent) < STEPS_WITHOUT_EVIDENCE or any(
        o.is_evidence and not o.repeated for o in recent
    ):
        return None
    return Reflection("no_new_evidence", "Nothing new in two steps; change the approach.")


def _withdrawn(last: Observation, earlier: Sequence[Observation]) -> Reflection | None:
    now = [*earlier, last]
    if last.tool in withdrawn(earlier, earlier) or last.tool not in withdrawn(now, now):
        return None
    return Reflection("withdrawn", f"{last.tool} is no longer available; use something else.")


def _is_hopeless(observation: Observation, observations: Sequence[Observation]) -> bool:
    error = observation.result.error
    if error is None or error.kind not in HOPELESS:
        return False
    if error.kind == "network":  # one wrong address is no missing network
        return not _network_was_reached(observations)
    return observation.tool not in MANY_PLACES


def _network_was_reached(observations: Sequence[Observation]) -> bool:
    return any(s.url.startswith("http") for o in observations for s in o.result.sources)


def _failures_in_a_row(tool: str, observations: Sequence[Observation]) -> int:
    failures = 0
    for observation in reversed([o for o in observations if o.tool == tool]):
        if observation.result.ok:
            break
        failures += 1
    return failures


def _fold(value: Any, case_matters: bool) -> Any:
    if not isinstance(value, str):
        return value
    spaced = re.sub(r"\s+", " ", value).strip()
    return spaced if case_matters else spaced.casefold()


def _words(args: dict[str, Any]) -> set[str]:
    return set(re.findall(r"\w+", " ".join(map(str, args.values())).casefold()))
