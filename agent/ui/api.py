"""The app as an API: one endpoint, ``ask``, for ``gradio_client`` and plain HTTP."""

from collections.abc import Awaitable, Callable
from typing import Any

import gradio as gr

from agent.obs.events import RunFinished
from agent.runs.manager import RunManager


def answerer(manager: RunManager) -> Callable[[str, str], Awaitable[dict[str, Any]]]:
    """The endpoint's function."""

    async def ask(question: str, model: str = "") -> dict[str, Any]:
        """Answer a question within ten model calls.

        Args:
            question: What to answer.
            model: ``provider:name``; empty for the app's own choice.

        Returns:
            The run's result: answer, status, stop_reason, calls, tokens, seconds, sources.
        """
        if not question.strip():
            raise gr.Error("Give a question.")
        run_id = manager.start(question, model=model)
        async for events in manager.follow(run_id):
            for event in events:
                if isinstance(event, RunFinished):
                    return event.result.model_dump(mode="json", exclude={"trace"})
        raise gr.Error("The run ended without a result; its trace could not be written.")

    return ask
