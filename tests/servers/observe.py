"""What a chat model makes of one request, as one comparable value."""

import asyncio
from dataclasses import dataclass

from langchain_core.language_models import BaseChatModel


@dataclass(frozen=True)
class Seen:
    """The joined text, the reason the server gave for the end, and the error raised, if any."""

    text: str = ""
    reason: str | None = None
    error: type[BaseException] | None = None
    status: int | None = None


def observe(model: BaseChatModel, deadline: float = 60.0) -> Seen:
    """Stream one answer under a wall-clock deadline in seconds."""
    return asyncio.run(_stream(model, deadline))


async def _stream(model: BaseChatModel, deadline: float) -> Seen:
    text, reason = "", None
    try:
        async with asyncio.timeout(deadline):
            async for chunk in model.astream("What is 17*23?"):
                text += chunk.text
                end = chunk.response_metadata
                reason = end.get("done_reason") or end.get("finish_reason") or reason
    except Exception as error:
        return Seen(text, reason, type(error), getattr(error, "status_code", None))
    return Seen(text, reason)
