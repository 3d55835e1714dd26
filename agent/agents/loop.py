"""The one ReAct loop: reason, act, observe, reflect."""

from typing import Any

from agent.agents import glance, program
from agent.agents.base import SpecialistSpec
from agent.agents.reflection import (
    Reflection,
    call_key,
    earlier_result,
    network_is_down,
    reflect,
    withdrawn,
)
from agent.agents.repeats import only_repeats
from agent.agents.settled import settled
from agent.agents.steps import FINISH, Offer, Step, offer, schema_for
from agent.agents.toolset import needs_network, relevant_tools
from agent.agents.work import Observation, Report, ReportStatus, Work
from agent.budget import Budget
from agent.llm.errors import ModelError
from agent.obs.events import (
    BudgetChanged,
    Reflected,
    StepTaken,
    ToolFinished,
    ToolStarted,
    Verdict,
)
from agent.tools.python_repl import runs_here
from agent.tools.registry import Tool, get_tools
from agent.tools.result import ToolResult

STUCK_TO_RETURN = 2
"""Verdicts of ``stuck`` after which a specialist hands back to the supervisor."""
PROGRAMS = 2
"""Programs that are written for a question before it is worked on step by step."""


def run_specialist(spec: SpecialistSpec, task: str, work: Work) -> Report:
    """Reason, act, observe, until there is an answer, no way on, or no iteration left.

    Raises:
        BudgetExceededError: a bound of the question, not of this loop, was reached.
        ModelError: the model cannot be used any more.
        RunStopped: the user stopped the run.
    """
    loop = _Loop(spec, task, work)
    report = loop.run()
    work.reports.append(report)
    return report


class _Loop:
    """One visit to a specialist."""

    def __init__(self, spec: SpecialistSpec, task: str, work: Work) -> None:
        self.spec, self.task, self.work = spec, task, work
        self.budget: Budget = work.budget.child(spec.name, {"iterations": spec.max_iterations})
        self.observations: list[Observation] = []
        self.stuck = 0
        self.lacking = False
        self.has_begun = False

    def run(self) -> Report:
        self.work.conversation.add(
            f"You are {self.spec.name}. {self.spec.prompt}\nTask: {self.task}"
        )
        self._open()
        self._try_programs()
        while (left := int(self.budget.left("iterations"))) > 0:
            if answer := settled(self.observations, self.work.question):
                return self._report("finished", candidate=answer)
            offered = offer(self._usable(), self.observations, left, lacking=self.lacking)
            if not offered.names:
                return self._report("failed", why="no tool is left that works")
            if left > 1 and not offered.tools and (answer := self._glance()):
                return self._report("finished", candidate=answer)
            self.work.conversation.add(self._invitation(offered))
            self.budget.charge("iterations")
            self.has_begun = True
            try:
                step = self.work.conversation.ask(
                    schema_for(offered, first=not self.observations), self.spec.name, self.budget
                )
            except ModelError as error:
                if error.fatal:
                    raise
                if not offered.tools:
                    return self._report("exhausted", why="no answer could be read")
                self.work.conversation.add("That step failed. Try again, shorter.")
                continue
            number = self._announce(step)
            if step.action == FINISH and (self._answer_of(step) or left == 1):
                return self._finish(step)
            if self._stuck_again(step):
                return self._report("stuck", why=step.progress_check.evidence)
            self.lacking = step.action == FINISH
            if self.lacking:
                continue
            tool = next(t for t in get_tools() if t.name == step.action)
            self._act(tool, step.args.model_dump(), number, step.progress_check.verdict)
        return self._spent()

    def _spent(self) -> Report:
        """No iteration is left, which the last action may yet have made needless."""
        if answer := settled(self.observations, self.work.question):
            return self._report("finished", candidate=answer)
        if not self.work.evidence and not self._usable():
            return self._report("failed", why="no tool is left that works")
        return self._report("exhausted", why="no step was left")

    def _open(self) -> None:
        """Make the calls that are certain to come first, unless they were made before."""
        while move := self._next_opening():
            tool, args = move
            number = self.work.next_rule_step()
            self.work.emit(StepTaken(step=number, role=self.spec.name, action=tool.name, args=args))
            self._act(tool, args, number)

    def _try_programs(self) -> None:
        """Have a program written for the question and run it, where nothing is there yet; if it
        fails, have it corrected once."""
        python = next((tool for tool in self._usable() if tool.name == "python_repl"), None)
        if python is None or self.work.evidence or not self.spec.writes_programs:
            return
        if not runs_here(self.work.tools.settings):
            return
        author = program.Author(self.work, self.spec.name, self.budget)
        for _ in range(PROGRAMS):
            self.budget.charge("iterations")
            step = author.write()
            if step is None or (self.work.looks_up and program.only_states(step.args.code)):
                return
            self.work.conversation.add(f"You wrote this program:\n{step.args.code}")
            self._act(python, step.args.model_dump(), self._announce(step))
            error = self.observations[-1].result.error
            if error is None:
                return
            author.learn(error.message)

    def _glance(self) -> str:
        """The answer by the lines that say most of what is new; empty where they do not hold it.

        Only before the first step: a server with one prompt cache would have to read the whole
        conversation anew after it.
        """
        last = self.observations[-1]
        if self.has_begun or not last.is_news or not last.result.pointers:
            return ""
        if last.tool == "python_repl":  # what a program printed is all there is
            return ""
        self.budget.charge("iterations")
        step = glance.look(self.work, last.result.pointers, self.spec.name, self.budget)
        if step is None:
            return ""
        self._announce(step)
        return step.args.answer if step.progress_check.verdict == "done" else ""

    def _next_opening(self) -> tuple[Tool, dict[str, Any]] | None:
        """The first of the opening calls that is still to be made; a downloaded file adds one."""
        usable = {tool.name: tool for tool in self._usable()}
        for name, args in self.spec.opening(self.work.question, self.work.tools.workdir):
            tool = usable.get(name)
            if tool and not earlier_result(call_key(tool, args), self.work.observations):
                return tool, args
        return None

    def _invitation(self, offered: Offer) -> str:
        """What may be done now. Before an answer the question is said again: a small model answers
        to what it has read last."""
        allowed = f"Allowed action: {' or '.join(offered.names)}."
        if not offered.finish:
            return allowed
        return f"Question: {self.work.question}\n{allowed} Take the answer from the results above."

    def _act(
        self, tool: Tool, args: dict[str, Any], number: int, verdict: Verdict | None = None
    ) -> None:
        observation = self._call(tool, args, number)
        reflections = reflect(observation, self.observations)
        if verdict == "stuck" and observation.repeated:
            reflections.append(
                Reflection("stuck_unchanged", "You were stuck: change the arguments.")
            )
        self.observations.append(observation)
        self.work.observations.append(observation)
        for reflection in reflections:
            self.work.emit(Reflected(step=number, rule=reflection.rule, hint=reflection.hint))
        hints = "\n".join(f"Note: {reflection.hint}" for reflection in reflections)
        text = f"Result of {observation.call}:\n{observation.result.for_model()}"
        self.work.conversation.add(f"{text}\n{hints}" if hints else text)

    def _call(self, tool: Tool, args: dict[str, object], number: int) -> Observation:
        """Run the tool, unless the same call was made before: then its result is given again."""
        key = call_key(tool, args)
        earlier = earlier_result(key, self.work.observations)
        if earlier is None:
            self.budget.tool_call(tool.name)
        self.work.emit(ToolStarted(step=number, name=tool.name, args=args))
        self.work.emit(BudgetChanged(snapshot=self.budget.snapshot()))
        if earlier is None:
            result = tool.invoke(args, self.work.tools)
        else:
            result = earlier.result.model_copy(update={"cached": True, "elapsed_s": 0.0})
        self.work.emit(_finished(tool.name, result, number))
        return Observation(self.spec.name, tool.name, args, key, result, earlier is not None)

    def _usable(self) -> list[Tool]:
        """The tools that have something to work on and have not failed too often."""
        texts = [self.work.question, *(o.result.text for o in self.work.evidence)]
        tools = relevant_tools(self.spec.capabilities, texts, self.work.tools.workdir)
        if self.work.looks_up and not self.work.evidence and not _has_digit(self.work.question):
            tools = [tool for tool in tools if tool.capability != "python"]
        gone = withdrawn(self.observations, self.work.observations)
        offline = network_is_down(self.work.observations)
        return [t for t in tools if t.name not in gone and not (offline and needs_network(t))]

    def _announce(self, step: Step) -> int:
        number = len(self.budget.calls)
        self.work.emit(
            StepTaken(
                step=number,
                role=self.spec.name,
                thought=step.thought,
                evidence=step.progress_check.evidence,
                verdict=step.progress_check.verdict,
                action=step.action,
                args=step.args.model_dump(),
            )
        )
        return number

    def _stuck_again(self, step: Step) -> bool:
        self.stuck += step.progress_check.verdict == "stuck"
        return self.stuck >= STUCK_TO_RETURN

    def _answer_of(self, step: Step) -> str:
        """What the step answers, if that is more than the question says itself."""
        answer: str = step.args.answer.strip()
        return "" if only_repeats(answer, self.work) else answer

    def _finish(self, step: Step) -> Report:
        answer = self._answer_of(step)
        if not answer:
            return self._report("stuck", why=step.progress_check.evidence)
        self.work.said = step.thought
        return self._report("finished", candidate=answer)

    def _report(self, status: ReportStatus, *, candidate: str = "", why: str = "") -> Report:
        if candidate:
            self.work.candidate = candidate
        evidence = len(self.work.evidence)
        return Report(self.spec.name, self.task, status, evidence, candidate, why)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _finished(name: str, result: ToolResult, number: int) -> ToolFinished:
    return ToolFinished(
        step=number,
        name=name,
        ok=result.ok,
        text=result.for_model(),
        error_kind=result.error.kind if result.error else "",
        elapsed_s=result.elapsed_s,
        cached=result.cached,
        sources=result.sources,
    )
