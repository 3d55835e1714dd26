"""Model names: ``provider:name``."""

import difflib
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from pydantic import SecretStr

Provider = Literal["ollama", "embedded", "openai", "huggingface"]
PROVIDERS: tuple[Provider, ...] = get_args(Provider)

EXAMPLES = (
    "ollama:llama3.2:3b, embedded, embedded:/path/to/file.gguf, openai:NAME, huggingface:NAME"
)


class ModelNameError(ValueError):
    """A model name that cannot be understood; the message lists the right forms."""


@dataclass(frozen=True)
class ModelName:
    """Where a model runs and what it is called there.

    ``token`` is that of whoever asks, in place of the settings'; it is kept in memory alone.
    """

    provider: Provider
    name: str
    token: SecretStr | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        return f"{self.provider}:{self.name}" if self.name else self.provider

    @classmethod
    def parse(cls, text: "AskedModel") -> "ModelName":
        """Read ``provider:name``; only ``embedded`` may stand alone. What is read already, stays.

        Raises:
            ModelNameError: unknown provider or missing name.
        """
        if isinstance(text, ModelName):
            return text
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


AskedModel: TypeAlias = str | ModelName
"""How a model is asked for: by its name, empty for the one that the settings choose."""
