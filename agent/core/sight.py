"""Eyes for the tools, which know of no model: a describer that spends from a question's budget."""

import threading
from collections.abc import Callable

from agent.budget import Budget
from agent.config import Settings
from agent.llm.errors import ModelError
from agent.llm.names import ModelNameError
from agent.llm.providers import NoModelError
from agent.llm.vision import connect_seeing, describe
from agent.obs.events import Event
from agent.tools.registry import Describe
from agent.tools.result import ToolError


def describer(
    settings: Settings,
    question: str,
    budget: Budget,
    emit: Callable[[Event], None],
    stop: threading.Event,
) -> Describe | None:
    """What describes images for ``question`` by the model of ``AGENT_VISION_MODEL``, if there is
    one. Each image is one call, charged to ``budget``."""
    if not settings.vision_model:
        return None

    def look(jpeg: bytes) -> str | ToolError:
        if budget.left("llm_calls") < 1:
            spent = "the budget of model calls is spent."
            return ToolError(kind="unsupported", message=spent)
        try:
            model = connect_seeing(settings, stop)
            return describe(model, jpeg, question, budget=budget, emit=emit, stop=stop)
        except (NoModelError, ModelNameError) as error:
            return ToolError(kind="unsupported", message=str(error))
        except ModelError as error:
            budget.check_time()  # a call that ran into the scope's end is the scope's end
            timed_out = error.kind == "timeout"
            return ToolError(kind="timeout" if timed_out else "unsupported", message=str(error))

    return look
