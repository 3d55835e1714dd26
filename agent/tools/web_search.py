"""``web_search``: the first backend that finds something, or plainly why none did."""

import time

from pydantic import BaseModel, Field

from agent.config import Settings
from agent.obs.events import Source
from agent.tools.blocklist import is_blocked
from agent.tools.cache import remember
from agent.tools.deadline import within
from agent.tools.registry import ToolContext, tool
from agent.tools.result import ErrorKind, ToolResult
from agent.tools.search_backends import MAX_HITS, Backend, Hit, SearchFailed, backends

_BACKEND_S = 8.0
"""Wall-clock seconds of one backend, its turn included."""
_RESERVE_S = 1.0
"""Seconds kept back, so that this tool says itself what it tried."""
_SNIPPET_CHARS = 300
_TELLING: tuple[ErrorKind, ...] = ("empty", "rate_limited", "network", "timeout", "unavailable")
"""Which of several failures is reported: the one that tells most about what to do next."""


class WebSearchArgs(BaseModel):
    """Arguments of ``web_search``."""

    query: str = Field(min_length=1, max_length=300, description="a few key words")


@tool(
    "web_search",
    capability="search",
    args=WebSearchArgs,
    description="Search the web. Returns titles, addresses and short texts.",
)
def web_search(args: WebSearchArgs, context: ToolContext) -> ToolResult:
    """Numbered results with title, address and snippet, without those of blocked places."""
    query = " ".join(args.query.split())
    if not query:
        return ToolResult.failure("invalid_args", "The query is empty.")
    settings = context.settings
    place = settings.searxng_url or ("tavily" if settings.tavily_api_key else "ddgs")
    what = {"tool": "web_search", "place": place, "query": query.casefold()}
    return remember(what, context, lambda: _search(query, context))


def _search(query: str, context: ToolContext) -> ToolResult:
    failures: dict[str, SearchFailed] = {}
    give_up = time.monotonic() + context.remaining() - _RESERVE_S
    for name, search in backends(context.settings).items():
        seconds = min(_BACKEND_S, give_up - time.monotonic())
        if seconds <= 0:
            break
        try:
            return _shown(_ask(search, query, seconds), query, context.settings)
        except SearchFailed as failure:
            failures[name] = failure
            if failure.is_final:
                break
    return _failed(query, failures)


def _ask(search: Backend, query: str, seconds: float) -> list[Hit]:
    try:
        return within(seconds, lambda: search(query))
    except TimeoutError as error:
        raise SearchFailed("timeout", "no answer in time") from error


def _shown(hits: list[Hit], query: str, settings: Settings) -> ToolResult:
    """The hits as numbered paragraphs, one source each."""
    by_url = {hit.url: hit for hit in hits if hit.url.startswith(("http://", "https://"))}
    shown = [hit for url, hit in by_url.items() if not is_blocked(url, settings.blocked_domains)]
    if not shown:
        return ToolResult.failure("empty", f"No result for {query!r} that may be used.")
    text = "\n\n".join(
        f"{number}. {hit.title}\n{hit.url}\n{hit.snippet[:_SNIPPET_CHARS]}"
        for number, hit in enumerate(shown[:MAX_HITS], start=1)
    )
    sources = tuple(Source(url=hit.url, title=hit.title) for hit in shown)
    return ToolResult.success(text, sources=sources, untrusted=True)


def _failed(query: str, failures: dict[str, SearchFailed]) -> ToolResult:
    """One error for all backends: what each said, and what may serve instead."""
    kinds = {failure.kind for failure in failures.values()}
    kind: ErrorKind = next((kind for kind in _TELLING if kind in kinds), "timeout")
    reasons = "; ".join(f"{name}: {failure}" for name, failure in failures.items())
    found = "Nothing was found" if kind == "empty" else "The web cannot be searched now"
    advice = "" if kind == "network" else " wikipedia or scrape_webpage may serve instead."
    return ToolResult.failure(kind, f"{found} for {query!r} ({reasons or 'no time left'}).{advice}")
