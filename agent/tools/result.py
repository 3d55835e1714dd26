"""What a tool returns: a result that the model can read, or one error of a closed set."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from agent.obs.events import Source

ErrorKind = Literal[
    "timeout",
    "rate_limited",
    "network",
    "not_found",
    "empty",
    "invalid_args",
    "unavailable",
    "blocked",
    "too_large",
    "unsupported",
    "crashed",
]

NEXT_STEP: dict[ErrorKind, str] = {
    "timeout": "Try a simpler request or another tool.",
    "rate_limited": "Do not repeat it now; use another tool.",
    "network": "The network cannot be reached; do not retry. Say that it could not be looked up.",
    "not_found": "Check the name, or search for it first.",
    "empty": "Use other or fewer words.",
    "invalid_args": "Correct the arguments and try again.",
    "unavailable": "Use another tool.",
    "blocked": "Do not retry this address; use another source.",
    "too_large": "Ask for a smaller part.",
    "unsupported": "This kind cannot be read; use another source.",
    "crashed": "Use another tool or other arguments.",
}
"""One line for each kind of error that tells the model what to do next."""


class ToolError(BaseModel):
    """Why a tool gave no result. ``message`` is one plain sentence, fit for model and person."""

    model_config = ConfigDict(frozen=True)

    kind: ErrorKind
    message: str

    def for_model(self) -> str:
        """The error as an observation: kind, message and what to do next."""
        return f"ERROR ({self.kind}): {self.message} {NEXT_STEP[self.kind]}"


class ToolResult(BaseModel):
    """The outcome of one tool call.

    ``text`` is what the model reads when ``ok``; ``elapsed_s`` is wall-clock seconds; ``cached``
    says that it was answered without running the tool. ``untrusted`` text came from a page or a
    file and is fenced before a model reads it. ``pointers`` is the part of ``text`` that says most
    on the question, fenced as well; ``worked_out`` is the answer that its table gives by rule.
    """

    model_config = ConfigDict(frozen=True)

    ok: bool
    text: str = ""
    error: ToolError | None = None
    sources: tuple[Source, ...] = ()
    elapsed_s: float = 0.0
    cached: bool = False
    untrusted: bool = False
    pointers: str = ""
    worked_out: str = ""

    @classmethod
    def success(
        cls, text: str, *, sources: tuple[Source, ...] = (), untrusted: bool = False
    ) -> "ToolResult":
        """A result with text."""
        return cls(ok=True, text=text, sources=sources, untrusted=untrusted)

    @classmethod
    def failure(cls, kind: ErrorKind, message: str) -> "ToolResult":
        """No result, and why."""
        return cls(ok=False, error=ToolError(kind=kind, message=message))

    def for_model(self) -> str:
        """The observation text: the result, or the error with its next step."""
        return self.error.for_model() if self.error else self.text
