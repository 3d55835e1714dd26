"""``wikipedia``: an article with its tables, or one section of it, by the library of that name.

The library is made safe for a server: its one function that talks to the network is replaced by
one that uses https, names a contact, has time-outs, heeds Retry-After and keeps each caller's
language apart. Its caches, which never forget, and its guessing of titles are not used.
"""

import difflib
import importlib
import re
import threading
import time
import warnings
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

import requests
from pydantic import BaseModel, Field

from agent.config import Settings
from agent.obs.events import Source
from agent.tools import html_text
from agent.tools.cache import remember
from agent.tools.http import unreachable
from agent.tools.passages import bounded
from agent.tools.registry import ToolContext, tool
from agent.tools.result import ErrorKind, ToolResult

_TIMEOUT = (4.0, 12.0)
"""Seconds to connect and of silence."""
_LONGEST_WAIT_S = 5.0
"""A longer Retry-After is not waited for."""
_SEARCH_HITS = 6
_CHOICES = 30
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z]{2,8})*|simple")


class WikipediaArgs(BaseModel):
    """Arguments of ``wikipedia``."""

    query: str = Field(min_length=1, max_length=300, description="title of an article, or words")
    section: str = Field("", max_length=200, description="name of one section, if only that")
    language: str = Field("en", max_length=12, description="language code such as en, de, es")


@tool(
    "wikipedia",
    capability="wikipedia",
    args=WikipediaArgs,
    description="Read a Wikipedia article with its tables and infobox.",
)
def wikipedia(args: WikipediaArgs, context: ToolContext) -> ToolResult:
    """The article whose title is ``query``, else the first search hit, which is then said."""
    title, language = _title_and_language(args)
    if not _LANGUAGE.fullmatch(language):
        return ToolResult.failure("invalid_args", f"{language!r} is no language code such as en.")
    api_url = context.settings.wikipedia_api_url.replace("{lang}", language)
    what = {"tool": "wikipedia", "api": api_url, "title": title, "section": args.section.casefold()}
    return remember(what, context, lambda: _read(title, args.section, api_url, context))


def _title_and_language(args: WikipediaArgs) -> tuple[str, str]:
    """What is asked for; the address of an article counts as its title."""
    link = re.match(r"(?:https?://)?([a-z-]+)(?:\.m)?\.wikipedia\.org/wiki/([^?#]+)", args.query)
    if link:
        return unquote(link[2]).replace("_", " "), link[1]
    # "en-US" is a usual way to write "en"; no Wikipedia has a code of that form.
    language = re.sub(r"^([a-z]{2})[-_][a-z]{2}$", r"\1", args.language.strip().lower())
    return " ".join(args.query.replace("_", " ").split()), language or "en"


def _read(title: str, section: str, api_url: str, context: ToolContext) -> ToolResult:
    library = _safe_library()
    _client.set(_Client(api_url, context.settings, time.monotonic() + context.remaining()))
    host = urlsplit(api_url).hostname or ""
    if no_network := unreachable(api_url):
        return ToolResult.failure(no_network.kind, no_network.message)
    try:
        return _article(library, title, section)
    except library.DisambiguationError as error:
        return _choices(error.title, error.options)
    except library.WikipediaException as error:
        return ToolResult.failure("unavailable", f"{host} answers: {error.error}.")
    except requests.RequestException as error:
        return ToolResult.failure(*_refusal(error, host))


def _article(library: Any, title: str, section: str) -> ToolResult:
    page, note = _find(library, title)
    if page is None:
        return ToolResult.failure("not_found", note)
    found = html_text.sections(page.title, page.html())
    source = Source(url=page.url, title=page.title)
    if section:
        return _one_section(found, section, source)
    names = [part.title for part in found if part.level == 2]
    listed = f"Sections: {'; '.join(names)}" if names else ""
    opening = "\n".join(filter(None, [note, listed]))
    heading, *rest = found
    text = "\n\n".join(filter(None, [f"# {heading.title}", opening, heading.text, *map(str, rest)]))
    return ToolResult.success(bounded(text), sources=(source,), untrusted=True)


def _find(library: Any, title: str) -> tuple[Any, str]:
    """The page with exactly this title (redirects followed), else the first search hit and a note
    that says so; without a hit, None and the reason."""
    if (page := _page(library, title)) is not None:
        return page, ""
    hits = library.search.fn(title, _SEARCH_HITS)  # .fn is the function without its cache
    for hit in hits:
        if (page := _page(library, hit)) is not None:
            others = "; ".join(other for other in hits if other != hit)
            note = f'No article is named "{title}"; this is the first search hit.'
            return page, note + (f" Others: {others}." if others else "")
    return None, f"Wikipedia has nothing on {title!r}."


def _page(library: Any, title: str) -> Any:
    """The page, or None if there is none of this title."""
    try:
        return library.page(title, auto_suggest=False)
    except (library.PageError, KeyError, AssertionError):
        # KeyError: a title that MediaWiki does not allow; AssertionError: a redirect to a redirect.
        return None


def _one_section(found: list[html_text.Section], wanted: str, source: Source) -> ToolResult:
    """The section of that name with its subsections, or else the names that there are."""
    names = {part.title.casefold(): i for i, part in reversed(list(enumerate(found)))}
    key = wanted.strip().casefold()
    containing = [name for name in names if key in name]
    close = difflib.get_close_matches(key, names, n=1, cutoff=0.7)
    match = next(iter([key] if key in names else containing + close), None)
    if match is None:
        listed = "; ".join(part.title for part in found[1:])[:1500] or "none"
        return ToolResult.failure(
            "not_found", f'"{source.title}" has no section {wanted!r}. Its sections: {listed}.'
        )
    first = names[match]
    level = found[first].level
    end = next((i for i in range(first + 1, len(found)) if found[i].level <= level), len(found))
    text = "\n\n".join([f"# {source.title}", *map(str, found[first:end])])
    return ToolResult.success(bounded(text), sources=(source,), untrusted=True)


def _choices(title: str, options: list[str]) -> ToolResult:
    choices = "\n".join(f"- {option}" for option in dict.fromkeys(options[:_CHOICES]))
    text = f'"{title}" may be one of these. Call wikipedia again with one as the query:\n{choices}'
    return ToolResult.success(text, untrusted=True)


def _refusal(error: requests.RequestException, host: str) -> tuple[ErrorKind, str]:
    """What a failed request means, as an error of a tool."""
    match error:
        case requests.Timeout():
            return "timeout", f"{host} took too long to answer."
        case requests.ConnectionError():
            return "network", f"No connection to {host}."
        case requests.JSONDecodeError():
            return "unavailable", f"{host} gave an answer that is not JSON."
    status = error.response.status_code if error.response is not None else 0
    if status == 429:
        return "rate_limited", f"{host} refuses further requests for now (429)."
    if status == 403:
        return "blocked", f"{host} refuses this program (403); AGENT_CONTACT must name a contact."
    return "unavailable", f"{host} has an error of its own ({status})."


@dataclass(frozen=True)
class _Client:
    """Where and as whom the library's requests of this context are sent."""

    api_url: str
    settings: Settings
    deadline: float


_client: ContextVar[_Client] = ContextVar("_client")
_one_at_a_time = threading.Lock()
"""Wikimedia asks for requests in series: https://www.mediawiki.org/wiki/API:Etiquette."""


def _safe_library() -> Any:
    """The ``wikipedia`` library, its network function replaced by ``_request``."""
    from bs4 import GuessedAtParserWarning

    warnings.filterwarnings("ignore", category=GuessedAtParserWarning)  # it names no parser
    library: Any = importlib.import_module("wikipedia.wikipedia")
    library._wiki_request = _request
    return library


def _request(params: dict[str, Any]) -> Any:
    """One API call for the library, repeated once if the server asks to wait a little."""
    from wikipedia.exceptions import WikipediaException

    client = _client.get()
    with _one_at_a_time:
        response = _get(client, params)
        wait_s = _retry_after_s(response)
        if wait_s and wait_s < min(_LONGEST_WAIT_S, client.deadline - time.monotonic()):
            time.sleep(wait_s)
            response = _get(client, params)
    response.raise_for_status()
    answer = response.json()
    if not isinstance(answer, dict) or "query" not in answer:
        said = answer.get("error", {}).get("info") if isinstance(answer, dict) else None
        raise WikipediaException(said or "something that cannot be read")
    return answer


def _get(client: _Client, params: dict[str, Any]) -> requests.Response:
    return requests.get(
        client.api_url,
        params={"action": "query", **params, "format": "json"},
        headers={"User-Agent": f"ten-call-agent/0.1 ({client.settings.contact})"},
        timeout=_TIMEOUT,
    )


def _retry_after_s(response: requests.Response) -> float:
    """Seconds that a refusal asks to wait, 0 if none (a date counts as none)."""
    if response.status_code not in (429, 503):
        return 0
    value = response.headers.get("Retry-After", "")
    return float(value) if value.isdecimal() else 0
