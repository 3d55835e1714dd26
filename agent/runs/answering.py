"""The orchestrator as what a run manager calls, imported when the first question is asked.

LangGraph, LangChain and a model take seconds to import; a page must not wait for them.
"""

import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from agent.budget import Limits
from agent.config import Settings
from agent.llm.names import AskedModel
from agent.obs.events import Event, RunResult
from agent.runs.manager import Answer

if TYPE_CHECKING:
    from agent.core.orchestrator import Orchestrator


def orchestrated(settings: Settings) -> Answer:
    """Answers with one orchestrator for the life of the process."""

    @cache
    def orchestrator() -> "Orchestrator":
        from agent.core.orchestrator import Orchestrator

        return Orchestrator(settings)

    def answer(
        question: str,
        files: Sequence[Path] = (),
        *,
        model: AskedModel = "",
        limits: Limits | None = None,
        task_id: str = "",
        run_id: str = "",
        emit: Callable[[Event], None],
        stop: threading.Event | None = None,
        total_left_s: float | None = None,
    ) -> RunResult:
        return orchestrator().answer(
            question,
            files,
            model=model,
            limits=limits,
            task_id=task_id,
            run_id=run_id,
            emit=emit,
            stop=stop,
            total_left_s=total_left_s,
        )

    return answer
