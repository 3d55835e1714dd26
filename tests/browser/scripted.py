"""A stand-in for the agent: plays scripts of real events at a model's pace.

The question says which script; any other question is answered like ``What is 17*23?``.
"""

import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from agent.budget import Budget, Limits, RunStopped
from agent.obs.events import (
    BudgetChanged,
    CallFinished,
    CallStarted,
    Event,
    ModelProgress,
    ModelReady,
    Reflected,
    RunFinished,
    RunResult,
    RunStarted,
    Source,
    Status,
    StepTaken,
    Thinking,
    ToolFinished,
    ToolStarted,
)

NOTICE = (
    "A small fallback model is answering, so expect mistakes. Install Ollama and run "
    "`ollama pull llama3.2:3b` for better answers."
)
HOSTILE = (
    '<img src="{beacon}/img" onerror="window.hacked=1"><script>window.hacked=1</script>'
    "![x]({beacon}/md) ${{window.hacked=1}} {{{{window.hacked}}}} `</pre></details>"
    '<svg onload="window.hacked=1"> <a href="javascript:window.hacked=1">link</a>'
)


class Scripted:
    """An ``Answer``: ``pace`` is the seconds between two pieces of a thought."""

    def __init__(self, pace: float = 0.03, beacon: str = "http://127.0.0.1:9") -> None:
        self.pace = pace
        self.beacon = beacon

    def __call__(
        self,
        question: str,
        files: Sequence[Path] = (),
        *,
        model: str = "",
        limits: Limits | None = None,
        task_id: str = "",
        run_id: str = "",
        emit: Callable[[Event], None],
        stop: threading.Event | None = None,
        total_left_s: float | None = None,
    ) -> RunResult:
        emit(RunStarted(run_id=run_id, question=question, files=tuple(map(str, files))))
        play = _Play(self, question, run_id, Budget(limits or Limits()), emit, stop)
        try:
            if "crash" in question:
                raise RuntimeError("the script says so")
            return play.script()
        except RunStopped:
            return play.finish("stopped", "", "You stopped it.")


class _Play:
    def __init__(
        self,
        scripted: Scripted,
        question: str,
        run_id: str,
        budget: Budget,
        emit: Callable[[Event], None],
        stop: threading.Event | None,
    ) -> None:
        self.pace, self.beacon = scripted.pace, scripted.beacon
        self.question, self.run_id, self.budget, self.emit = question, run_id, budget, emit
        self.stop = stop or threading.Event()
        self.step = 0
        self.sources: tuple[Source, ...] = ()

    def script(self) -> RunResult:
        self.emit(ModelProgress(text="Loading the model"))
        self.wait()
        self.emit(ModelReady(model="embedded:qwen2.5-0.5b-instruct", notice=NOTICE))
        if "endless" in self.question:
            return self.endless()
        if "hostile" in self.question:
            return self.hostile()
        if "spend" in self.question:
            return self.spend()
        if "fail" in self.question:
            self.call("supervisor", "I will look it up.", "", "web_agent", {"task": "search"})
            return self.finish("failed", "", "The model server does not answer; start Ollama.")
        if found := re.match(r"What is (\d+) times (\d+)\?", self.question):
            return self.times(*map(int, found.groups()))
        return self.sum()

    def times(self, one: int, other: int) -> RunResult:
        self.call("code_agent", f"I multiply {one} and {other}.", "", "calculator", {})
        self.tool("calculator", {"expression": f"{one}*{other}"}, str(one * other), 0.002)
        return self.finish("answered", str(one * other), "The calculator's result answers it.")

    def sum(self) -> RunResult:
        self.call(
            "supervisor",
            "This is arithmetic. The code specialist has a calculator, so the sum goes there.",
            "Nothing is known yet.",
            "code_agent",
            {"task": "Compute 17*23 exactly."},
        )
        self.call(
            "code_agent",
            "I need the product of 17 and 23. The calculator gives it exactly.",
            "The task names one product.",
            "calculator",
            {"expression": "17*23"},
        )
        self.tool("calculator", {"expression": "17*23"}, "391", 0.002)
        self.call("code_agent", "The calculator says 391.", "391", "finish", {"answer": "391"})
        return self.finish("answered", "391", "The calculator's result answers the question.")

    def spend(self) -> RunResult:
        for number in range(1, 11):
            query = f"population of Elbonia {number}"
            self.call(
                "web_agent", f"I try search {number}.", "none", "web_search", {"query": query}
            )
            text = "ERROR (network): The network cannot be reached."
            self.tool("web_search", {"query": query}, text, 0.4, ok=number % 3 == 0)
            if number % 4 == 0:
                self.emit(
                    Reflected(
                        step=self.step,
                        rule="near_duplicate",
                        hint="This search is nearly the same as an earlier one; use other words.",
                    )
                )
        return self.finish(
            "budget_spent",
            "about 4 million",
            "All 10 model calls are spent; this is the best answer so far.",
        )

    def hostile(self) -> RunResult:
        text = HOSTILE.format(beacon=self.beacon)
        self.sources = (
            Source(url=f"{self.beacon}/page", title=text),
            Source(url="javascript:window.hacked=1", title="not a link"),
        )
        self.call(text, text, text, text, {text: text})
        self.tool(text, {text: text}, text, 0.1)
        self.emit(Reflected(step=self.step, rule=text, hint=text))
        return self.finish("answered", text, text)

    def endless(self) -> RunResult:
        with self.budget.llm_call("web_agent") as record:
            self.step += 1
            self.emit(CallStarted(step=self.step, role="web_agent"))
            self.emit(BudgetChanged(snapshot=self.budget.snapshot()))
            record.outcome = "stopped"
            number = 0
            while True:
                number += 1
                self.emit(Thinking(step=self.step, text=f"word{number} "))
                self.wait()

    def call(self, role: str, thought: str, evidence: str, action: str, args: dict) -> None:
        with self.budget.llm_call(role) as record:
            self.step += 1
            self.emit(CallStarted(step=self.step, role=role))
            self.emit(BudgetChanged(snapshot=self.budget.snapshot()))
            for word in thought.split(" "):
                self.emit(Thinking(step=self.step, text=word + " "))
                self.wait()
            record.outcome = "ok"
            record.tokens_in, record.tokens_cached = 700 + 90 * self.step, 600
            record.tokens_out = len(thought) // 4
        self.emit(CallFinished(step=self.step, record=record))
        self.emit(
            StepTaken(
                step=self.step,
                role=role,
                thought=thought,
                evidence=evidence,
                verdict="done" if action == "finish" else "progress",
                action=action,
                args=args,
            )
        )
        self.emit(BudgetChanged(snapshot=self.budget.snapshot()))

    def tool(self, name: str, args: dict, text: str, seconds: float, ok: bool = True) -> None:
        self.budget.tool_call(name)
        self.emit(ToolStarted(step=self.step, name=name, args=args))
        self.wait()
        self.emit(
            ToolFinished(
                step=self.step,
                name=name,
                ok=ok,
                text=text,
                error_kind="" if ok else "network",
                elapsed_s=seconds,
                sources=self.sources,
            )
        )
        self.emit(BudgetChanged(snapshot=self.budget.snapshot()))

    def wait(self) -> None:
        if self.stop.wait(self.pace):
            raise RunStopped

    def finish(self, status: Status, answer: str, reason: str) -> RunResult:
        spent = self.budget.snapshot()
        result = RunResult(
            run_id=self.run_id,
            question=self.question,
            answer=answer,
            status=status,
            stop_reason=reason,
            llm_calls=spent.llm_calls,
            tool_calls=spent.tool_calls,
            tokens_in=spent.tokens_in,
            tokens_cached=spent.tokens_cached,
            tokens_out=spent.tokens_out,
            seconds=spent.seconds,
            simulated_cost=spent.cost,
            sources=self.sources,
            completed=("calculator 17*23: 391",) if spent.tool_calls else (),
            calls=self.budget.calls,
            model="embedded:qwen2.5-0.5b-instruct",
        )
        self.emit(RunFinished(result=result))
        return result
