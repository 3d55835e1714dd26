"""The search engines behind ``web_search``: a SearXNG of one's own, Tavily, and those of ddgs.

Each backend is a function that returns hits or raises ``SearchFailed``, which keeps apart "refused
or rate limited" from "nothing found" as far as the engine's answer tells.
"""

import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import requests

from agent.config import Settings
from agent.tools.result import ErrorKind

MAX_HITS = 8
DDGS_ENGINES = ("duckduckgo", "brave", "mojeek", "startpage", "yahoo")
"""Engines of ddgs 9.16 that search the web and answered when this was written, best first."""
_ENGINE_TIMEOUT_S = 5
_TIMEOUT = (3.0, 8.0)
"""Seconds to connect and of silence, for SearXNG and Tavily."""
_TAVILY_URL = "https://api.tavily.com/search"

_SCRIPTS = re.compile(r"<(script|style)\b.*?</\1>", re.IGNORECASE | re.DOTALL)
_NOTHING_FOUND = re.compile(
    r"no[- ](?:more )?results|no pages found|did(?: not|n.t) (?:match|find)"
    r"|(?:could not|couldn.t) find|not many (?:great )?matches",
    re.IGNORECASE,
)
_BLOCKED = re.compile(
    r"captcha|anomaly|are you (?:a )?(?:human|robot)|not a robot|unusual (?:traffic|activity)"
    r"|bots use duckduckgo|automated (?:quer|request)|access denied|challenge",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Hit:
    """One search result."""

    title: str
    url: str
    snippet: str


class SearchFailed(Exception):
    """A backend gave no hits; the message says why in a few words.

    ``is_final`` says that to ask another backend would be of no use.
    """

    def __init__(self, kind: ErrorKind, reason: str, *, is_final: bool = False) -> None:
        super().__init__(reason)
        self.kind, self.is_final = kind, is_final


Backend = Callable[[str], list[Hit]]


def backends(settings: Settings) -> dict[str, Backend]:
    """The backends by name, in the order in which they are asked."""
    chain: dict[str, Backend] = {}
    if settings.searxng_url:
        chain["searxng"] = lambda query: _searxng(query, settings.searxng_url)
    chain["tavily"] = lambda query: _tavily(query, settings.tavily_api_key.get_secret_value())
    for engine in DDGS_ENGINES:
        chain[engine] = lambda query, engine=engine: _ddgs(query, engine, settings)  # type: ignore[misc]
    return chain


def _searxng(query: str, base_url: str) -> list[Hit]:
    """SearXNG's JSON API; ``json`` must be among the formats of its settings.yml."""
    address = f"{base_url.rstrip('/')}/search"
    with _http_errors("SEARXNG_URL"):
        response = requests.get(address, params={"q": query, "format": "json"}, timeout=_TIMEOUT)
        if response.status_code == 403:
            raise SearchFailed("unavailable", "its settings.yml does not allow the json format")
        response.raise_for_status()
        answer = response.json()
        hits = [Hit(r["title"], r["url"], r.get("content") or "") for r in answer["results"]]
    if not hits and answer.get("unresponsive_engines"):
        refused = ", ".join(f"{name} ({why})" for name, why in answer["unresponsive_engines"])
        raise SearchFailed("rate_limited", f"its engines refuse: {refused}")
    if not hits:  # it has asked many engines itself
        raise SearchFailed("empty", "nothing found", is_final=True)
    return hits


def _tavily(query: str, key: str) -> list[Hit]:
    if not key:
        raise SearchFailed("unavailable", "TAVILY_API_KEY is not configured")
    with _http_errors("TAVILY_API_KEY"):
        response = requests.post(
            _TAVILY_URL,
            json={"query": query, "max_results": MAX_HITS},
            headers={"Authorization": f"Bearer {key}"},
            timeout=_TIMEOUT,
        )
        if response.status_code in (432, 433):
            raise SearchFailed("rate_limited", "the limit of its plan is reached")
        response.raise_for_status()
        found = response.json()["results"]
        hits = [Hit(r["title"], r["url"], r.get("content") or "") for r in found]
    if not hits:
        raise SearchFailed("empty", "nothing found")
    return hits


def _ddgs(query: str, engine_name: str, settings: Settings) -> list[Hit]:
    """One engine of ddgs, asked by a new client that nothing is shared with."""
    from ddgs import DDGS
    from ddgs.engines import ENGINES
    from ddgs.exceptions import DDGSException, TimeoutException

    if engine_name not in ENGINES["text"]:  # ddgs would silently ask all engines instead
        raise SearchFailed("unavailable", "this version of ddgs has no such engine")
    client = DDGS(timeout=_ENGINE_TIMEOUT_S)
    responses = _record_responses(client._get_engines("text", engine_name)[0].http_client)
    with _turn(engine_name, settings.search_interval_s):
        try:
            found = client.text(query, backend=engine_name, max_results=MAX_HITS)
        except TimeoutException as error:
            raise SearchFailed("timeout", "no answer in time") from error
        except DDGSException as error:
            raise _explained(responses, str(error)) from error
    return [Hit(r["title"], r["href"], r["body"]) for r in found]


def _record_responses(http_client: Any) -> list[Any]:
    """Keep what an engine answers: ddgs itself only says that there are no results."""
    responses: list[Any] = []
    request = http_client.request

    def recorded(*args: Any, **kwargs: Any) -> Any:
        responses.append(response := request(*args, **kwargs))
        return response

    http_client.request = recorded
    return responses


def _explained(responses: list[Any], error: str) -> SearchFailed:
    """Why an engine of ddgs gave no results, from its last answer."""
    if not responses:
        if "dns" in error.lower():
            return SearchFailed("network", "its address cannot be looked up", is_final=True)
        return SearchFailed("unavailable", "no connection")
    status, markup = responses[-1].status_code, _SCRIPTS.sub("", responses[-1].text)
    if status != 200:
        return SearchFailed("rate_limited", f"blocked or rate limited (status {status})")
    if not markup.strip():
        return SearchFailed("rate_limited", "blocked or rate limited (empty page)")
    if _NOTHING_FOUND.search(markup):
        return SearchFailed("empty", "nothing found")
    if _BLOCKED.search(markup):
        return SearchFailed("rate_limited", "blocked (asks whether a human searches)")
    return SearchFailed("unavailable", "nothing found, or a page that cannot be read")


@contextmanager
def _http_errors(variable: str) -> Iterator[None]:
    """Turn what requests raises into ``SearchFailed``; ``variable`` is what the user can set."""
    try:
        yield
    except requests.Timeout as error:
        raise SearchFailed("timeout", "no answer in time") from error
    except requests.HTTPError as error:
        status = error.response.status_code if error.response is not None else 0
        if status in (401, 403):
            raise SearchFailed("unavailable", f"refused ({status}), check {variable}") from error
        kind: ErrorKind = "rate_limited" if status == 429 else "unavailable"
        raise SearchFailed(kind, f"status {status}") from error
    except requests.ConnectionError as error:
        raise SearchFailed("network", f"no connection, check {variable}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise SearchFailed("unavailable", "an answer that cannot be read") from error


@dataclass
class _Pace:
    """When an engine may be asked next, by whichever thread holds the lock."""

    lock: threading.Lock
    next_at: float = 0.0


_paces: defaultdict[str, _Pace] = defaultdict(lambda: _Pace(threading.Lock()))


@contextmanager
def _turn(engine: str, interval_s: float) -> Iterator[None]:
    """One request at a time to each engine in the whole process, and not too soon after another."""
    pace = _paces[engine]
    with pace.lock:
        time.sleep(max(pace.next_at - time.monotonic(), 0))
        try:
            yield
        finally:
            pace.next_at = time.monotonic() + interval_s
