"""How well a model keeps to this project's own schemas: ``python -m tests.llm.bake_off``.

Thirty prompts, six of each kind of step (route, act, read, report an error, finish), exactly as the
agent words them, each asked in up to three ways: under a schema that the server enforces, with the
schema in the prompt alone, and with native tool calls. Needs a real model; no part of the tests.
"""

import argparse
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from pydantic import BaseModel, ValidationError

from agent.agents import SPEC_BUILDERS
from agent.agents.steps import FINISH, FinishArgs, Offer, schema_for
from agent.config import Settings
from agent.core.prompts import question_prompt, system_prompt
from agent.core.supervisor import _schema as route_schema
from agent.llm.errors import ModelError, explain
from agent.llm.names import ModelName
from agent.llm.providers import ChatModel, connect
from agent.llm.stream import stream
from agent.llm.structured import ReplyError, Schema
from agent.tools.fence import fence
from agent.tools.registry import get_tools
from tests.llm.bake_off_prompts import ACTS, ERRORS, READINGS, ROUTES, SUMS

Way = Literal["schema", "text", "native"]
Outcome = Literal["first", "salvage", "repair", "never"]
_COLUMNS = (
    *("way", "kind", "at first", "after salvage", "after repair", "never"),
    *("sensible action", "s a prompt", "tokens a prompt"),
)
_SECONDS = 90.0
_JSON_RULE = "Each reply is one JSON object and nothing else.\n"


@dataclass(frozen=True)
class Prompt:
    """One step: the turns before it, what may be answered, and which actions would be right."""

    kind: str
    turns: tuple[tuple[str, str], ...]
    schema: Schema[Any]
    tools: dict[str, type[BaseModel]]
    right: tuple[str, ...]


class Handover(BaseModel):
    """What a specialist takes when it is offered as a native tool."""

    task: str


def prompts(settings: Settings) -> Iterator[Prompt]:
    """All thirty."""
    tools = {tool.name: tool for tool in get_tools()}
    team = tuple(builder(settings).name for builder in SPEC_BUILDERS)
    system = system_prompt([builder(settings) for builder in SPEC_BUILDERS], get_tools())

    def opening(question: str, files: Sequence[str] = ()) -> list[tuple[str, str]]:
        return [("system", system), ("human", question_prompt(question, files, ""))]

    def step(
        kind: str, turns: list[tuple[str, str]], offered: Offer, right: tuple[str, ...]
    ) -> Prompt:
        role, text = turns[-1]
        turns = [*turns[:-1], (role, f"{text}\n\nAllowed action: {' or '.join(offered.names)}.")]
        native: dict[str, type[BaseModel]] = {tool.name: tool.args for tool in offered.tools}
        if offered.finish:
            native[FINISH] = FinishArgs
        schema = schema_for(offered, first=kind == "act")
        return Prompt(kind, tuple(turns), schema, native, right)

    def offer(*names: str, finish: bool = False) -> Offer:
        return Offer(tuple(tools[name] for name in names), finish)

    def after(
        question: str, agent: str, call: str, args: dict[str, Any], result: str
    ) -> list[tuple[str, str]]:
        said = {
            "thought": "I start with this.",
            "progress_check": {"evidence": "nothing tried yet", "verdict": "progress"},
            "action": call,
            "args": args,
        }
        turns = opening(question)
        turns[-1] = ("human", f"{turns[-1][1]}\n\nYou are {agent}.\nTask: {question}")
        return [*turns, ("ai", json.dumps(said)), ("human", f"Result of {call}:\n{result}")]

    for question, right in ROUTES:
        turns = opening(question)
        choice = " or ".join(team)
        asked = f"{turns[-1][1]}\n\nYou are the supervisor. Who works next: {choice}?"
        yield Prompt(
            "route",
            (turns[0], ("human", asked)),
            route_schema(team, first=True),
            dict.fromkeys(team, Handover),
            (right,),
        )
    for question, names, right in ACTS:
        turns = opening(question)
        turns[-1] = (
            "human",
            f"{turns[-1][1]}\n\nYou are code_agent or web_agent.\nTask: {question}",
        )
        yield step("act", turns, offer(*names), right)
    for question, url, page in READINGS:
        turns = after(question, "web_agent", "scrape_webpage", {"url": url}, fence(page, url))
        yield step("read", turns, offer("web_search", "scrape_webpage", finish=True), (FINISH,))
    for question, call, args, error, others in ERRORS:
        turns = after(question, "web_agent", call, args, error.for_model())
        yield step("error", turns, offer(*others), others)
    for question, expression, value in SUMS:
        turns = after(question, "code_agent", "calculator", {"expression": expression}, value)
        yield step("finish", turns, offer(finish=True), (FINISH,))


@dataclass(frozen=True)
class Trial:
    """What became of one prompt."""

    kind: str
    outcome: Outcome
    action: str
    right: bool
    seconds: float
    tokens: int


def ask(model: ChatModel, prompt: Prompt, way: Way) -> Trial:
    """Ask once; where the reply cannot be read, once more with the error."""
    started, tokens = time.monotonic(), 0
    turns = list(prompt.turns)
    if way == "text":
        turns[-1] = ("human", f"{turns[-1][1]}\n\n{prompt.schema.sketch}")
    if way == "native":
        turns[0] = ("system", turns[0][1].replace(_JSON_RULE, ""))
    outcome, action = "never", ""
    for attempt in range(2):
        text, calls, count = _complete(model, turns, prompt, way)
        tokens += count
        try:
            if way == "native":
                action, strict = _native(calls, prompt), True
            else:
                action, strict = _read(prompt.schema, text)
        except (ReplyError, ValidationError) as error:
            turns += [("ai", text or "(nothing)")]
            turns += [("human", f"{error} Reply again with {_wanted(way)}.")]
            continue
        outcome = "repair" if attempt else "first" if strict else "salvage"
        break
    seconds = time.monotonic() - started
    return Trial(prompt.kind, outcome, action, action in prompt.right, seconds, tokens)  # type: ignore[arg-type]


def _wanted(way: Way) -> str:
    return "a call of one of the tools" if way == "native" else "one JSON object that fits"


def _complete(
    model: ChatModel, turns: list[tuple[str, str]], prompt: Prompt, way: Way
) -> tuple[str, list[dict[str, Any]], int]:
    client: Any = model.client
    call = model.constrain(prompt.schema.wire) if way == "schema" else {}
    if way == "native":
        call = client.bind_tools([_named(n, a) for n, a in prompt.tools.items()]).kwargs
    whole: Any = None
    try:
        for chunk in stream(client, turns, seconds=_SECONDS, stop=threading.Event(), **call):  # type: ignore[arg-type]
            whole = chunk if whole is None else whole + chunk
    except ModelError:
        return "", [], 0
    except Exception as error:
        raise explain(error, model.name) from error
    usage = whole.usage_metadata or {}
    return str(whole.content), whole.tool_calls, usage.get("output_tokens", 0)


def _named(name: str, args: type[BaseModel]) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": name, "description": name, "parameters": args.model_json_schema()},
    }


def _native(calls: list[dict[str, Any]], prompt: Prompt) -> str:
    """The action of the first tool call, if its arguments are valid."""
    if not calls or calls[0]["name"] not in prompt.tools:
        raise ReplyError(f"Call one of: {', '.join(prompt.tools)}.")
    prompt.tools[calls[0]["name"]].model_validate(calls[0]["args"])
    return str(calls[0]["name"])


def _read(schema: Schema[Any], text: str) -> tuple[str, bool]:
    """The action, and whether the text was the object itself with nothing to mend."""
    reply = schema.read(text)
    action = str(getattr(reply, "action", None) or reply.next)
    try:
        data = json.loads(text)
        strict = any(_fits(variant, data) for variant in schema.variants.values())
    except ValueError:
        strict = False
    return action, strict


def _fits(variant: type[BaseModel], data: Any) -> bool:
    try:
        variant.model_validate(data)
    except ValidationError:
        return False
    return True


def main() -> None:
    """Print the table in markdown."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--ways", nargs="+", default=["schema", "text", "native"])
    arguments = parser.parse_args()
    settings = Settings()
    say: Callable[[str, float | None], None] = lambda text, fraction: None  # noqa: E731
    model = connect(settings, arguments.model, progress=say, stop=threading.Event())
    asked = list(prompts(settings))
    print(f"{ModelName.parse(arguments.model)}, {len(asked)} prompts, temperature 0\n")
    print(f"| {' | '.join(_COLUMNS)} |\n|{'---|' * len(_COLUMNS)}")
    for way in arguments.ways:
        trials = [ask(model, prompt, way) for prompt in asked]
        for kind in [*dict.fromkeys(t.kind for t in trials), ""]:
            chosen = [t for t in trials if not kind or t.kind == kind]
            count = Counter(t.outcome for t in chosen)
            cells = [str(count[outcome]) for outcome in get_args(Outcome)]
            cells.append(str(sum(t.right for t in chosen)))
            cells.append(f"{sum(t.seconds for t in chosen) / len(chosen):.1f}")
            cells.append(f"{sum(t.tokens for t in chosen) / len(chosen):.0f}")
            print(f"| {way} | {kind or f'**all {len(chosen)}**'} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
