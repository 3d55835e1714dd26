"""The orchestrator: one question in, one result out, whatever happens on the way."""

import threading
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from agent.agents import SPEC_BUILDERS
from agent.agents.base import SpecialistSpec
from agent.agents.toolset import has_files, relevant_tools
from agent.agents.work import Work
from agent.budget import Budget, BudgetExceededError, Limits, RunStopped
from agent.config import Settings
from agent.core.answer_form import read_form
from agent.core.cipher import readable
from agent.core.explain import how_answered, limit_reached, why_no_answer
from agent.core.finalizer import best_candidate, finalize
from agent.core.prompts import question_prompt, system_prompt
from agent.core.result import result
from agent.core.routing import called_for
from agent.core.sight import describer
from agent.llm.conversation import Conversation
from agent.llm.errors import ModelError
from agent.llm.names import AskedModel, ModelNameError
from agent.llm.providers import ChatModel, NoModelError, connect
from agent.llm.window import Window
from agent.obs.events import (
    Event,
    ModelProgress,
    ModelReady,
    RunFinished,
    RunResult,
    RunStarted,
    Status,
    StepTaken,
)
from agent.obs.trace import new_run_id
from agent.tools.registry import ToolContext

if TYPE_CHECKING:
    from agent.core.graph import Graph


class Orchestrator:
    """Answers questions, one call of ``answer`` each. Safe to use from several threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.specs: tuple[SpecialistSpec, ...] = tuple(build(settings) for build in SPEC_BUILDERS)

    @cached_property
    def graph(self) -> "Graph":
        """The compiled graph, made on first use."""
        from agent.core.graph import build_graph

        return build_graph(self.specs)

    def answer(
        self,
        question: str,
        files: Sequence[Path] = (),
        *,
        model: AskedModel = "",
        limits: Limits | None = None,
        task_id: str = "",
        run_id: str = "",
        emit: Callable[[Event], None] = lambda event: None,
        stop: threading.Event | None = None,
        total_left_s: float | None = None,
    ) -> RunResult:
        """Answer one question within its budget.

        Args:
            question: the question, in any language.
            files: attachments that the tools may read.
            model: a model's name; by default the settings' (see ``agent.llm.providers``).
            limits: by default the settings'.
            task_id: a benchmark task's id, for its attachment and its trace.
            run_id: the id that the events carry; made up if empty.
            emit: receives every event, in order; the first is ``run_started``, the last
                ``run_finished``.
            stop: ends the run when set, within about a second.
            total_left_s: seconds that the whole run of questions has left.

        Returns:
            The result. Nothing that a run can meet is raised.
        """
        run = _Run(
            self,
            question.strip(),
            limits or Limits.from_settings(self.settings),
            run_id or new_run_id(),
            task_id,
            emit,
            stop or threading.Event(),
        )
        outcome = run.execute(files, model, total_left_s)
        emit(RunFinished(result=outcome))
        return outcome


class _Run:
    """One question on its way."""

    def __init__(
        self,
        orchestrator: Orchestrator,
        question: str,
        limits: Limits,
        run_id: str,
        task_id: str,
        emit: Callable[[Event], None],
        stop: threading.Event,
    ) -> None:
        self.orchestrator, self.settings = orchestrator, orchestrator.settings
        self.question, self.run_id, self.task_id = question, run_id, task_id
        self.limits, self.emit, self.stop = limits, emit, stop
        self.started = time.monotonic()

    def execute(
        self, files: Sequence[Path], model_name: AskedModel, total_left_s: float | None
    ) -> RunResult:
        self.emit(
            RunStarted(
                run_id=self.run_id,
                question=self.question,
                files=tuple(file.name for file in files),
                task_id=self.task_id,
            )
        )
        budget = Budget(self.limits, total_left_s=total_left_s)
        if not self.question:
            return self._result(budget, "failed", "There is no question to answer.")
        try:
            model = connect(self.settings, model_name, progress=self._progress, stop=self.stop)
        except RunStopped:
            return self._result(budget, "stopped", "Stopped before the model was ready.")
        except (NoModelError, ModelNameError) as error:
            return self._result(budget, "failed", str(error), error_kind="no_model")
        self.emit(ModelReady(model=model.name, notice=model.notice))
        # The clock starts when the model is there: fetching it is not the question's time.
        budget = Budget(self.limits, price=model.price, total_left_s=total_left_s)
        return self._work(self._new_work(model, budget, files), budget, model)

    def _work(self, work: Work, budget: Budget, model: ChatModel) -> RunResult:
        """Run the graph; the one place where running out of budget is caught."""
        answer, error, error_kind = "", "", ""
        try:
            status, answer, reason = self._through_graph(work)
        except BudgetExceededError as exceeded:
            status = "timed_out" if exceeded.resource == "seconds" else "budget_spent"
            answer, reason = self._conclude(work, budget), limit_reached(exceeded)
            reason = reason if answer else f"{reason} {why_no_answer(work)}"
        except RunStopped:
            status, answer, reason = "stopped", best_candidate(work), "You stopped the run."
        except ModelError as failure:
            status, answer = "failed", best_candidate(work)
            reason = error = str(failure)
            error_kind = failure.kind
        return self._result(
            budget,
            status,
            reason,
            answer=answer,
            error=error,
            error_kind=error_kind,
            work=work,
            model=model,
        )

    def _through_graph(self, work: Work) -> tuple[Status, str, str]:
        from langgraph.errors import GraphRecursionError

        limit = self.limits.recursion_limit
        try:
            state = self.orchestrator.graph.invoke(
                {},
                {
                    "recursion_limit": limit,
                    "run_name": "question",
                    "tags": ["ten-call-agent"],
                    "metadata": {"task_id": self.task_id, "run_id": self.run_id},
                },
                context=work,
            )
        except GraphRecursionError:
            spent = work.question_budget.snapshot()
            raise BudgetExceededError("graph", "graph_steps", limit, limit, spent) from None
        answer = state.get("answer", "")
        if answer:
            return "answered", answer, how_answered(work)
        return "failed", "", why_no_answer(work)

    def _conclude(self, work: Work, budget: Budget) -> str:
        """The finalizer's turn after a limit was reached, with the call that was kept for it."""
        try:
            return finalize(work, budget)
        except (BudgetExceededError, ModelError, RunStopped):
            return best_candidate(work)

    def _new_work(self, model: ChatModel, budget: Budget, files: Sequence[Path]) -> Work:
        folder = self.settings.files_dir / (self.task_id or self.run_id)
        names = _place(files, folder)
        question = readable(self.question)
        specs = self.orchestrator.specs
        capabilities = tuple(dict.fromkeys(c for spec in specs for c in spec.capabilities))
        tools = relevant_tools(capabilities, [question], folder)
        window = Window(
            system_prompt(specs, tools),
            model.num_ctx,
            reserve=model.num_predict,
            count=model.count_tokens,
        )
        conversation = Conversation(model, window, self.emit, self.stop)
        form = read_form(question).describe()
        conversation.add(question_prompt(question, names, form))
        scope = budget.work()
        context = ToolContext(
            settings=self.settings,
            workdir=folder,
            question=question,
            task_id=self.task_id,
            deadline=scope.deadline,
            stop=self.stop,
            describe=describer(self.settings, question, scope, self.emit, self.stop),
        )
        looks_up = called_for(question, has_files=has_files(folder)) == "search"
        work = Work(question, conversation, scope, budget, context, self.emit, form, looks_up)
        if question != self.question:
            number = work.next_rule_step()
            read = {"question": question}
            self.emit(StepTaken(step=number, role="supervisor", action="decipher", args=read))
        return work

    def _progress(self, text: str, fraction: float | None) -> None:
        self.emit(ModelProgress(text=text, fraction=fraction))

    def _result(
        self,
        budget: Budget,
        status: Status,
        reason: str,
        *,
        answer: str = "",
        error: str = "",
        error_kind: str = "",
        work: Work | None = None,
        model: ChatModel | None = None,
    ) -> RunResult:
        return result(
            budget,
            self.started,
            status,
            reason,
            run_id=self.run_id,
            question=self.question,
            answer=answer,
            error=error,
            error_kind=error_kind,
            sources=work.sources if work else (),
            completed=work.completed if work else (),
            model=model.name if model else "",
            trace=str(self.settings.runs_dir / f"{self.run_id}.jsonl"),
        )


def _place(files: Sequence[Path], folder: Path) -> list[str]:
    """Copy attachments into the task's own folder, which is all that the tools may read."""
    import shutil

    names: list[str] = []
    for number, file in enumerate(files, 1):
        name = file.name if file.name not in names else f"{file.stem}-{number}{file.suffix}"
        folder.mkdir(parents=True, exist_ok=True)
        if file.resolve() != (folder / name).resolve():
            shutil.copy(file, folder / name)
        names.append(name)
    return names
