"""Model names: ``provider:name``."""

import difflib
from dataclasses import dataclass
from typing import Literal, get_args

Provider = Literal["ollama", "embedded", "openai", "huggingface"]
PROVIDERS: tuple[Provider, ...] = get_args(Provider)

EXAMPLES = (
    "ollama:llama3.2:3b, embedded, embedded:/path/to/file.gguf, openai:NAME, huggingface:NAME"
)


class ModelNameError(ValueError):
    """A model name that cannot be understood; the message lists the right forms."""


@dataclass(frozen=True)
class ModelName:
    """Where a model runs and what it is called there."""

    provider: Provider
    name: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}" if self.name else self.provider

    @classmethod
    def parse(cls, text: str) -> "ModelName":
        """Read ``provider:name``; only ``embedded`` may stand alone.

        Raises:
            ModelNameError: unknown provider or missing name.
        """
        head, _, name = (part.strip() for part in text.strip().partition(":"))
        provider = next((p for p in PROVIDERS if p == head.lower()), None)
        if provider is None:
            near = difflib.get_close_matches(head.lower(), PROVIDERS, n=1, cutoff=0.8)
            meant = f"{near[0]}:{name}" if near else f"ollama:{text.strip()}"
            raise ModelNameError(
                f"Unknown model {text!r}. Did you mean {meant.strip(':')}? Use one of: {EXAMPLES}."
            )
        if not name and provider != "embedded":
            raise ModelNameError(f"{text!r} lacks a model's name. Use one of: {EXAMPLES}.")
        return cls(provider, name)
