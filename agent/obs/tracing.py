"""LangSmith tracing. LangChain does it by itself where the usual variables ask for it."""

import os
import threading

_FLUSH_S = 10.0


def is_traced() -> bool:
    """Whether ``LANGSMITH_TRACING`` (or its older name) is on; without it nothing is looked up."""
    names = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2")
    return any(os.environ.get(name, "").lower() == "true" for name in names)


def flush_tracing() -> None:
    """Wait until what was traced has been sent, but not for ever: a command ends sooner."""
    if is_traced():
        from langchain_core.tracers.langchain import wait_for_all_tracers

        sender = threading.Thread(target=wait_for_all_tracers, daemon=True)
        sender.start()
        sender.join(_FLUSH_S)
