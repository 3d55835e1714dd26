"""The registry: tools declare themselves under a capability; specialists ask by capability.

A tool is a module in this package with one ``@tool`` function. Modules are found on first use and
must import heavy libraries inside the function.
"""

import pkgutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from agent.budget import BudgetExceededError, RunStopped
from agent.config import Settings
from agent.tools.reading import readable
from agent.tools.result import ToolError, ToolResult

Describe = Callable[[bytes], str | ToolError]
"""What is to be seen on a JPEG image, or why that cannot be told."""
Capability = Literal["search", "scrape", "wikipedia", "files", "python", "video"]

_POLL_S = 0.05


@dataclass(frozen=True)
class ToolContext:
    """What a tool may know of the question it works for.

    ``workdir`` is the task's own folder, which holds its attachments; ``deadline`` is a
    ``time.monotonic()`` instant; ``stop`` is set when the user stops the run; ``describe`` is there
    where a model that sees is configured, and charges its calls itself.
    """

    settings: Settings
    workdir: Path
    question: str = ""
    task_id: str = ""
    deadline: float = float("inf")
    stop: threading.Event = field(default_factory=threading.Event)
    describe: Describe | None = None

    def remaining(self) -> float:
        """Seconds that this tool call may still take."""
        return min(self.settings.tool_timeout_s, self.deadline - time.monotonic())

    def remaining_with_model(self) -> float:
        """The same with one model call in it."""
        seconds = self.settings.tool_timeout_s + self.settings.per_call_timeout_s
        return min(seconds, self.deadline - time.monotonic())


@dataclass(frozen=True)
class Tool:
    """One tool as data: what the model is told, what it may pass, what runs."""

    name: str
    capability: Capability
    description: str
    args: type[BaseModel]
    run: Callable[[Any, ToolContext], ToolResult]
    case_matters: bool = False
    """Whether arguments that differ in case alone ask for different things, as code does."""
    may_look: bool = False
    """Whether it may have an image described, and so gets the time of a model call as well."""

    def invoke(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Validate ``args``, run the tool under its deadline, and cut its text to what is read.

        Never raises at the model: bad arguments, a time-out and a crash all come back as a result.
        Only ``BudgetExceededError`` and ``RunStopped`` pass through.
        """
        started = time.monotonic()
        try:
            parsed = self.args.model_validate(args)
        except ValidationError as error:
            result = ToolResult.failure("invalid_args", _describe(error))
        else:
            result = self._run_under_deadline(parsed, context)
        if result.ok:
            result = readable(
                result,
                context.question,
                " ".join([context.question, *(str(value) for value in args.values())]),
                max_tokens=context.settings.observation_tokens,
                source=result.sources[0].url if len(result.sources) == 1 else self.name,
            )
        return result.model_copy(update={"elapsed_s": round(time.monotonic() - started, 3)})

    def _run_under_deadline(self, args: BaseModel, context: ToolContext) -> ToolResult:
        """Run in a daemon thread, so that a hung library can neither hold a run nor a Stop."""
        outcome: list[ToolResult | BaseException] = []
        finished = threading.Event()

        def work() -> None:
            try:
                outcome.append(self.run(args, context))
            except BaseException as error:
                outcome.append(error)
            finished.set()

        looks = self.may_look and context.describe is not None
        seconds = context.remaining_with_model() if looks else context.remaining()
        if seconds <= 0:
            return ToolResult.failure("timeout", f"There was no time left for {self.name}.")
        give_up = time.monotonic() + seconds
        threading.Thread(target=work, name=f"tool-{self.name}", daemon=True).start()
        while not finished.wait(_POLL_S):
            if context.stop.is_set():
                raise RunStopped
            if time.monotonic() > give_up:
                return ToolResult.failure(
                    "timeout", f"{self.name} gave no result within {seconds:.0f} seconds."
                )
        match outcome[0]:
            case ToolResult() as result:
                return result
            case BudgetExceededError() | RunStopped() as passing:
                raise passing
            case error:
                return ToolResult.failure(
                    "crashed", f"{self.name} failed: {type(error).__name__}: {error}"
                )


_TOOLS: dict[str, Tool] = {}


def tool(
    name: str,
    *,
    capability: Capability,
    args: type[BaseModel],
    description: str,
    case_matters: bool = False,
    may_look: bool = False,
) -> Callable[[Callable[[Any, ToolContext], ToolResult]], Callable[[Any, ToolContext], ToolResult]]:
    """Register the decorated function as a tool.

    ``description`` is the one line that the model reads; the field descriptions of ``args`` are the
    rest of its manual.
    """

    def register(
        run: Callable[[Any, ToolContext], ToolResult],
    ) -> Callable[[Any, ToolContext], ToolResult]:
        _TOOLS[name] = Tool(name, capability, description, args, run, case_matters, may_look)
        return run

    return register


def get_tools(*capabilities: Capability) -> tuple[Tool, ...]:
    """The tools registered under the given capabilities (all of them when none is given)."""
    _discover()
    wanted = [t for t in _TOOLS.values() if not capabilities or t.capability in capabilities]
    return tuple(sorted(wanted, key=lambda t: t.name))


@cache
def _discover() -> None:
    for module in pkgutil.iter_modules(import_module("agent.tools").__path__):
        import_module(f"agent.tools.{module.name}")


def _describe(error: ValidationError) -> str:
    problems = (f"{'.'.join(map(str, e['loc'])) or 'args'}: {e['msg']}" for e in error.errors())
    return "; ".join(problems) + "."
