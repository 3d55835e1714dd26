"""The app as an API: one endpoint, ``ask``, for ``gradio_client`` and plain HTTP."""

from collections.abc import Awaitable, Callable
from typing import Any

import gradio as gr

from agent.config import Settings
from agent.llm.names import ModelNameError
from agent.obs.events import RunFinished
from agent.runs.manager import RunManager
from agent.ui.owner import NotAllowedError
from agent.ui.visitor import Profile, Token, chosen_model


def answerer(settings: Settings, manager: RunManager) -> Callable[..., Awaitable[dict[str, Any]]]:
    """The endpoint's function."""

    async def ask(
        question: str, model: str = "", profile: Profile = None, token: Token = None
    ) -> dict[str, Any]:
        """Answer a question within ten model calls.

        Args:
            question: What to answer.
            model: ``provider:name``; empty for the app's own choice.

        Returns:
            The run's result: answer, status, stop_reason, calls, tokens, seconds, sources.
        """
        if not question.strip():
            raise gr.Error("Give a question.")
        try:
            allowed = chosen_model(settings, model, profile, token)
        except (ModelNameError, NotAllowedError) as error:
            raise gr.Error(str(error)) from error
        run_id = manager.start(question, model=allowed)
        async for events in manager.follow(run_id):
            for event in events:
                if isinstance(event, RunFinished):
                    return event.result.model_dump(mode="json", exclude={"trace"})
        raise gr.Error("The run ended without a result; its trace could not be written.")

    return ask
