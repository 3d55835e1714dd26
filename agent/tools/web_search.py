"""``web_search``: what the first pages found say on the matter, or plainly why nothing was found.

The first backend that finds something is asked no further. Its first pages are read at once: models
search, and then search again, where the answer stood on a page that they did not open.
"""

import logging
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, repeat

from pydantic import BaseModel, Field

from agent.obs.events import Source
from agent.tools.blocklist import is_blocked
from agent.tools.cache import remember
from agent.tools.deadline import within
from agent.tools.passages import bounded
from agent.tools.registry import ToolContext, tool
from agent.tools.result import ErrorKind, ToolResult
from agent.tools.scrape_webpage import ScrapeWebpageArgs, scrape_webpage
from agent.tools.search_backends import MAX_HITS, Backend, Hit, SearchFailed, backends

_BACKEND_S = 8.0
"""Wall-clock seconds of one backend, its turn included."""
_RESERVE_S = 1.0
"""Seconds kept back, so that this tool says itself what it tried."""
_READING_S = 8.0
"""Wall-clock seconds for the pages, which are read side by side."""
_PAGE_CHARS = 120_000
"""Of each page: a long encyclopedia article."""
_SNIPPET_CHARS = 300
_TELLING: tuple[ErrorKind, ...] = ("empty", "rate_limited", "network", "timeout", "unavailable")
"""Which of several failures is reported: the one that tells most about what to do next."""
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)")
"""Of a page among several, its words are wanted; its links would take half the room."""

_log = logging.getLogger(__name__)


class WebSearchArgs(BaseModel):
    """Arguments of ``web_search``."""

    query: str = Field(min_length=1, max_length=300, description="a few key words")


@tool(
    "web_search",
    capability="search",
    args=WebSearchArgs,
    description="Search the web. Returns the pages found and what they say about it.",
)
def web_search(args: WebSearchArgs, context: ToolContext) -> ToolResult:
    """Numbered results, without those of blocked places: each with its title and address and, for
    the first ones, the text of the page, else the search engine's snippet."""
    query = " ".join(args.query.split())
    if not query:
        return ToolResult.failure("invalid_args", "The query is empty.")
    settings = context.settings
    place = settings.searxng_url or ("tavily" if settings.tavily_api_key else "ddgs")
    what = {
        "tool": "web_search",
        "place": place,
        "query": query.casefold(),
        "pages": settings.search_pages,
    }
    return remember(what, context, lambda: _search(query, context))


def _search(query: str, context: ToolContext) -> ToolResult:
    failures: dict[str, SearchFailed] = {}
    give_up = time.monotonic() + context.remaining() - _RESERVE_S
    for name, search in backends(context.settings).items():
        seconds = min(_BACKEND_S, give_up - time.monotonic())
        if seconds <= 0:
            break
        try:
            return _shown(_ask(search, query, seconds), query, context)
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


def _shown(hits: list[Hit], query: str, context: ToolContext) -> ToolResult:
    """The hits, each under a heading, so that passages keep the name of the page they are from."""
    by_url = {hit.url: hit for hit in hits if hit.url.startswith(("http://", "https://"))}
    patterns = context.settings.blocked_domains
    shown = [hit for url, hit in by_url.items() if not is_blocked(url, patterns)][:MAX_HITS]
    if not shown:
        return ToolResult.failure("empty", f"No result for {query!r} that may be used.")
    text = "\n\n".join(
        f"# {number}. {hit.title} ({hit.url})\n\n{said}"
        for number, (hit, said) in enumerate(zip(shown, _said(shown, context), strict=True), 1)
    )
    sources = tuple(Source(url=hit.url, title=hit.title) for hit in shown)
    return ToolResult.success(bounded(text), sources=sources, untrusted=True)


def _said(hits: list[Hit], context: ToolContext) -> Iterator[str]:
    """What each hit says: the page itself for the first ones that can be read, else the snippet."""
    first = hits[: context.settings.search_pages]
    seconds = min(_READING_S, context.remaining() - _RESERVE_S)
    hurried = replace(context, deadline=time.monotonic() + seconds)
    with ThreadPoolExecutor(max_workers=len(first) or 1) as readers:
        pages = readers.map(lambda hit: _page(hit, hurried), first)
    for hit, page in zip(hits, chain(pages, repeat("")), strict=False):
        yield page or hit.snippet[:_SNIPPET_CHARS]


def _page(hit: Hit, context: ToolContext) -> str:
    """The text of the page without its title; empty where it cannot be read in time."""
    args = ScrapeWebpageArgs(url=hit.url)
    try:
        result = within(context.remaining(), lambda: scrape_webpage(args, context))
    except Exception as error:  # whatever a page does to its reader, the search has its result
        _log.warning("A page that was found could not be read: %s: %s", hit.url, error)
        return ""
    text = bounded(result.text, _PAGE_CHARS)
    body = text.partition("\n")[2].strip() if text.startswith("# ") else text
    return _LINK.sub(r"\1", body)


def _failed(query: str, failures: dict[str, SearchFailed]) -> ToolResult:
    """One error for all backends: what each said, and what may serve instead."""
    kinds = {failure.kind for failure in failures.values()}
    kind: ErrorKind = next((kind for kind in _TELLING if kind in kinds), "timeout")
    reasons = "; ".join(f"{name}: {failure}" for name, failure in failures.items())
    found = "Nothing was found" if kind == "empty" else "The web cannot be searched now"
    advice = "" if kind == "network" else " wikipedia or scrape_webpage may serve instead."
    return ToolResult.failure(kind, f"{found} for {query!r} ({reasons or 'no time left'}).{advice}")
