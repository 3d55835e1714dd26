"""``web_search`` through the real ddgs, to engines that are played behind a loopback proxy."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent.config import Settings
from agent.tools.blocklist import is_blocked
from agent.tools.registry import ToolContext, get_tools
from agent.tools.result import ToolError, ToolResult
from agent.tools.search_backends import DDGS_ENGINES
from tests.servers.search import CAPTCHA, Engines, Hits, found, nothing, searxng
from tests.servers.web import Reply, WebServer

(WEB_SEARCH,) = [t for t in get_tools("search") if t.name == "web_search"]

HITS: Hits = [
    ("Mercedes Sosa", "https://en.wikipedia.org/wiki/Mercedes_Sosa", "Argentine singer, 1935–2009"),
    ("Discography & more", "https://music.example/sosa?a=1&b=2", "Studio albums 1962–2009"),
]


@pytest.fixture
def engines() -> Engines:
    return Engines()


@pytest.fixture
def server(
    engines: Engines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[WebServer]:
    """A proxy that plays every host; ddgs and requests are led to it and trust it."""
    with WebServer(engines) as server:
        authority = server.trust_file(tmp_path)
        monkeypatch.setenv("DDGS_PROXY", server.origin)
        monkeypatch.setenv("PRIMP_CA_BUNDLE", authority)
        monkeypatch.setenv("HTTPS_PROXY", server.origin)
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", authority)
        yield server


@pytest.fixture
def context(server: WebServer, tmp_path: Path) -> ToolContext:
    settings = Settings(_env_file=None, cache_dir=tmp_path, search_interval_s=0)
    return ToolContext(settings, tmp_path)


def with_settings(context: ToolContext, **changes: object) -> ToolContext:
    return replace(context, settings=context.settings.model_copy(update=changes))


def search(context: ToolContext, query: str = "mercedes sosa") -> ToolResult:
    return WEB_SEARCH.invoke({"query": query}, context)


def error(context: ToolContext) -> ToolError:
    result = search(context)
    assert result.error is not None, result.text
    return result.error


# What it finds


def test_results_are_numbered_with_title_address_and_text(
    engines: Engines, context: ToolContext
) -> None:
    engines.replies["duckduckgo"] = found("duckduckgo", HITS)
    result = WEB_SEARCH.run(WEB_SEARCH.args(query="mercedes sosa"), context)
    assert result.text == (
        "# 1. Mercedes Sosa (https://en.wikipedia.org/wiki/Mercedes_Sosa)\n\n"
        "Argentine singer, 1935–2009\n\n"
        "# 2. Discography & more (https://music.example/sosa?a=1&b=2)\n\nStudio albums 1962–2009"
    )
    assert result.untrusted
    assert [source.url for source in result.sources] == [url for _, url, _ in HITS]


@pytest.mark.parametrize("engine", DDGS_ENGINES)
def test_each_engine_is_asked_when_those_before_it_fail(
    engine: str, engines: Engines, context: ToolContext
) -> None:
    before = DDGS_ENGINES[: DDGS_ENGINES.index(engine)]
    engines.replies |= {name: Reply("", status=503) for name in before}
    engines.replies[engine] = found(engine, HITS)
    result = search(context)
    assert [source.url for source in result.sources] == [url for _, url, _ in HITS]
    assert engines.asked == [*before, engine]


def test_the_query_arrives_as_it_was_given(server: WebServer, context: ToolContext) -> None:
    search(context, query='  "Ünï & co"   site:example.org ')
    assert server.requests[1].form["q"] == '"Ünï & co" site:example.org'


def test_all_engines_of_ddgs_that_are_named_exist() -> None:
    from ddgs.engines import ENGINES

    assert set(DDGS_ENGINES) <= set(ENGINES["text"])


# Why it found nothing


REFUSALS = {
    "202": Reply("<html><body>please wait</body></html>", status=202),
    "403": Reply("no", status=403),
    "429": Reply("slow down", status=429),
    "captcha": Reply(CAPTCHA),
    "captcha with texts in scripts": Reply(f'<script>m = "No results found"</script>{CAPTCHA}'),
    "empty page": Reply(" "),
}


@pytest.mark.parametrize("reply", REFUSALS.values(), ids=REFUSALS)
def test_being_blocked_is_not_called_nothing_found(
    reply: Reply, engines: Engines, context: ToolContext
) -> None:
    engines.replies |= dict.fromkeys(DDGS_ENGINES, reply)
    failure = error(context)
    assert failure.kind == "rate_limited"
    assert failure.message.count("blocked") == len(DDGS_ENGINES)
    assert "wikipedia or scrape_webpage" in failure.message
    assert "TAVILY_API_KEY is not configured" in failure.message


def test_nothing_found_by_all_is_called_so(engines: Engines, context: ToolContext) -> None:
    failure = error(context)
    assert failure.kind == "empty"
    assert failure.message.count("nothing found") == len(DDGS_ENGINES)
    assert "blocked" not in failure.message


@pytest.mark.parametrize("engine", DDGS_ENGINES)
def test_what_each_engine_says_is_kept_apart(
    engine: str, engines: Engines, context: ToolContext
) -> None:
    engines.replies |= dict.fromkeys(DDGS_ENGINES, Reply(CAPTCHA)) | {engine: nothing(engine)}
    failure = error(context)
    assert failure.kind == "empty"
    assert f"{engine}: nothing found" in failure.message
    assert failure.message.count("blocked") == len(DDGS_ENGINES) - 1


@pytest.mark.parametrize(
    "garbage",
    [b"\xff\xfe\x00garbage", b"<html><body><p>Welcome</p></body></html>", b"{}", b"<" * 1000],
)
def test_a_page_that_cannot_be_read_is_said_to_be_one(
    garbage: bytes, engines: Engines, context: ToolContext
) -> None:
    engines.replies |= dict.fromkeys(DDGS_ENGINES, Reply(garbage))
    failure = error(context)
    assert failure.kind == "unavailable"
    assert "cannot be read" in failure.message


def test_engines_that_hang_are_given_up_before_the_tool_is(
    server: WebServer, engines: Engines, context: ToolContext
) -> None:
    def hang() -> Iterator[bytes]:
        server.stopped.wait()
        yield b""

    engines.replies |= {name: Reply(raw=hang()) for name in DDGS_ENGINES}
    failure = error(with_settings(context, tool_timeout_s=2.5))
    assert failure.kind == "timeout"
    assert "duckduckgo: no answer in time" in failure.message


def test_without_a_network_it_says_so_after_one_look_up(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DDGS_PROXY")
    monkeypatch.delenv("HTTPS_PROXY")
    failure = error(context)
    assert failure.kind == "network"
    assert "duckduckgo: its address cannot be looked up" in failure.message
    assert "brave" not in failure.message


def test_a_dead_proxy_is_not_called_nothing_found(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DDGS_PROXY", "http://127.0.0.1:9")
    assert error(context).kind == "unavailable"


def test_an_engine_that_ddgs_no_longer_has_is_passed_over(
    engines: Engines, context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ddgs.engines import ENGINES

    monkeypatch.delitem(ENGINES["text"], "duckduckgo")
    engines.replies["brave"] = found("brave", HITS)
    assert search(context).ok
    assert engines.asked == ["brave"]


# SearXNG and Tavily


@pytest.fixture
def with_searxng(server: WebServer, context: ToolContext) -> ToolContext:
    return with_settings(context, searxng_url=f"{server.origin}/")


def test_searxng_is_asked_first(
    engines: Engines, with_searxng: ToolContext, server: WebServer
) -> None:
    engines.replies["127.0.0.1"] = searxng(HITS)
    assert [source.title for source in search(with_searxng).sources] == [t for t, _, _ in HITS]
    (request,) = server.requests
    assert (request.path, request.form["format"]) == ("/search", "json")


def test_what_searxng_does_not_find_is_not_looked_for_elsewhere(
    engines: Engines, with_searxng: ToolContext
) -> None:
    engines.replies["127.0.0.1"] = searxng([])
    assert error(with_searxng).kind == "empty"
    assert engines.asked == ["127.0.0.1"]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (searxng([], [["brave", "Suspended: too many requests"]]), "brave (Suspended: too many"),
        (Reply("no", status=403), "does not allow the json format"),
        (Reply("no", status=500), "searxng: status 500"),
        (Reply("<html>no json"), "searxng: an answer that cannot be read"),
        (Reply("{}", type="application/json"), "searxng: an answer that cannot be read"),
        (Reply(raw=[]), "searxng: no connection, check SEARXNG_URL"),
    ],
)
def test_a_failing_searxng_is_named_and_the_next_is_asked(
    reply: Reply, said: str, engines: Engines, with_searxng: ToolContext
) -> None:
    engines.replies["127.0.0.1"] = reply
    assert said in error(with_searxng).message
    assert engines.asked[1:] == list(DDGS_ENGINES)


@pytest.fixture
def with_tavily(context: ToolContext) -> ToolContext:
    return with_settings(context, tavily_api_key=SecretStr("tvly-secret"))


def test_tavily_is_asked_with_its_key(
    engines: Engines, with_tavily: ToolContext, server: WebServer
) -> None:
    engines.replies["tavily"] = found("tavily", HITS)
    assert search(with_tavily).ok
    assert engines.asked == ["tavily"]
    assert server.requests[-1].headers["authorization"] == "Bearer tvly-secret"


@pytest.mark.parametrize("status", [401, 429, 432, 500])
def test_a_refusal_by_tavily_is_named_without_its_key(
    status: int, engines: Engines, with_tavily: ToolContext
) -> None:
    engines.replies["tavily"] = Reply('{"detail": "no"}', status=status)
    failure = error(with_tavily)
    assert "tavily:" in failure.message
    assert "tvly-secret" not in failure.message
    assert engines.asked[1:] == list(DDGS_ENGINES)


# What is left out


@pytest.mark.parametrize(
    "url",
    [
        "https://huggingface.co/datasets/gaia-benchmark/GAIA",
        "https://www.huggingface.co/datasets/gaia-benchmark/GAIA/viewer",
        "https://HuggingFace.co/Datasets/someone/Gaia-copy",
        "https://huggingface.co/datasets/x/%67%61%69%61",
        "https://huggingface.co/spaces/gaia-benchmark/leaderboard",
        "https://huggingface.co/spaces/someone/Final_Assignment_Template",
        "https://datasets-server.huggingface.co/rows?dataset=gaia-benchmark/GAIA",
        "https://gaia-benchmark-leaderboard.hf.space/",
        "https://agents-course-unit4-scoring.hf.space/questions",
        "https://github.com/someone/gaia-agent",
        "https://raw.githubusercontent.com/someone/gaia/main/metadata.jsonl",
    ],
)
def test_copies_of_the_benchmark_are_left_out(
    url: str, engines: Engines, context: ToolContext
) -> None:
    engines.replies["duckduckgo"] = found("duckduckgo", [("Answers", url, "leak"), *HITS])
    result = search(context)
    assert "leak" not in result.text
    assert len(result.sources) == len(HITS)


@pytest.mark.parametrize(
    "url",
    [
        "https://en.wikipedia.org/wiki/Gaia",
        "https://www.cosmos.esa.int/web/gaia",
        "https://huggingface.co/datasets/squad",
        "https://huggingface.co/spaces/stabilityai/demo",
        "https://github.com/esa/gaia-alerts",
        "https://nothuggingface.co/datasets/gaia",
    ],
)
def test_other_pages_are_kept(url: str) -> None:
    assert not is_blocked(url, Settings(_env_file=None).blocked_domains)


def test_a_host_on_the_list_stands_for_all_below_it() -> None:
    for url in ("https://leaks.example", "http://a.b.leaks.example/x", "https://LEAKS.example./"):
        assert is_blocked(url, ["leaks.example"])
    assert not is_blocked("https://notleaks.example/leaks.example", ["leaks.example"])


def test_nothing_but_leaks_counts_as_nothing(engines: Engines, context: ToolContext) -> None:
    leak = ("Answers", "https://huggingface.co/datasets/gaia-benchmark/GAIA", "leak")
    engines.replies["duckduckgo"] = found("duckduckgo", [leak])
    assert error(context).kind == "empty"


# Cache and pace


def test_the_same_query_is_answered_from_disk(engines: Engines, context: ToolContext) -> None:
    engines.replies["duckduckgo"] = found("duckduckgo", HITS)
    first, again = search(context), search(context, query=" Mercedes  SOSA ")
    assert engines.asked == ["duckduckgo"]
    assert again.cached
    assert not first.cached
    assert again.text == first.text


def test_failures_are_not_kept(engines: Engines, context: ToolContext) -> None:
    assert not search(context).ok
    engines.replies["duckduckgo"] = found("duckduckgo", HITS)
    assert search(context).ok


def test_an_engine_is_asked_by_one_thread_at_a_time_and_not_too_soon(
    server: WebServer, engines: Engines, context: ToolContext
) -> None:
    arrivals: list[float] = []

    def answer_slowly(request: object) -> Reply:
        arrivals.append(time.monotonic())
        return found("duckduckgo", HITS)

    server.answer = answer_slowly
    paced = with_settings(context, search_interval_s=0.2, tool_cache=False)
    threads = [threading.Thread(target=search, args=(paced, f"query {n}")) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gaps = [after - before for before, after in pairwise(arrivals)]
    assert len(arrivals) == 3
    assert min(gaps) >= 0.2
