"""A supervisor agent that answers a question within ten model calls.

The public names are re-exported here and loaded on first use, so that ``import agent`` stays light.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_EXPORTS = {
    "BudgetExceededError": "agent.budget",
    "Limits": "agent.budget",
    "Orchestrator": "agent.core.orchestrator",
    "RunResult": "agent.obs.events",
    "SPEC_BUILDERS": "agent.agents",
    "Settings": "agent.config",
    "SpecialistSpec": "agent.agents.base",
    "TaskMetric": "agent.obs.metrics",
    "get_tools": "agent.tools.registry",
}

__all__ = sorted(_EXPORTS)


def __getattr__(name: str) -> Any:
    if name in _EXPORTS:
        return getattr(import_module(_EXPORTS[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
