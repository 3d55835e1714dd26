"""``web_search`` reads the first pages that it finds, and never fails because of one of them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agent.config import Settings
from agent.tools.registry import ToolContext, get_tools
from tests.servers.search import searxng
from tests.servers.web import Reply, Request, WebServer

(WEB_SEARCH,) = [t for t in get_tools("search") if t.name == "web_search"]
HALL = "".join(f"<p>Concert number {n} was given here in the month of May.</p>" for n in range(400))
PAGES = {
    "/hall": f"<title>Hall</title><h1>Hall</h1>{HALL}<p>It has 640 seats since the fire.</p>",
    "/town": "<title>Town</title><h1>Town</h1><p>Varnholt lies on the river Tamsel.</p>",
    "/club": "<title>Club</title><h1>Club</h1><p>The rowing club was founded in 1902.</p>",
    "/late": "<title>Late</title><h1>Late</h1><p>This page stands in the fourth place.</p>",
}


class Site:
    """A search engine and the pages that it finds, from one origin."""

    def __init__(self) -> None:
        self.replies: dict[str, Reply] = {path: Reply(text) for path, text in PAGES.items()}
        self.hits: list[str] = list(PAGES)
        self.origin = ""

    def __call__(self, request: Request) -> Reply:
        if request.path == "/search":
            return searxng([(p, self.origin + p, f"snippet of {p}") for p in self.hits])
        return self.replies[request.path]


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def server(site: Site) -> Iterator[WebServer]:
    with WebServer(site) as server:
        site.origin = server.origin
        yield server


@pytest.fixture
def context(server: WebServer, tmp_path: Path) -> ToolContext:
    settings = Settings(
        _env_file=None,
        cache_dir=tmp_path,
        searxng_url=server.origin,
        allowed_origins=(server.origin,),
    )
    return ToolContext(settings, tmp_path, "How many seats does the hall have?")


def search(context: ToolContext) -> str:
    result = WEB_SEARCH.invoke({"query": "hall seats"}, context)
    assert result.ok, result.error
    return result.text


def test_what_stands_deep_in_a_page_is_read_under_its_name(context: ToolContext) -> None:
    found = search(context)
    assert "640 seats" in found
    assert f"# 1. /hall ({context.settings.searxng_url}/hall)" in found
    assert len(found) < 4 * context.settings.observation_tokens


def test_the_first_pages_alone_are_opened(context: ToolContext, server: WebServer) -> None:
    found = WEB_SEARCH.run(WEB_SEARCH.args(query="hall seats"), context).text
    assert "river Tamsel" in found
    assert "founded in 1902" in found
    assert "snippet of /late" in found
    assert sorted(r.path for r in server.requests) == ["/club", "/hall", "/search", "/town"]


def test_it_can_be_switched_off(context: ToolContext, server: WebServer) -> None:
    off = replace(context, settings=context.settings.model_copy(update={"search_pages": 0}))
    assert "snippet of /hall" in search(off)
    assert [r.path for r in server.requests] == ["/search"]


@pytest.mark.parametrize(
    "fault",
    [
        Reply("gone", status=404),
        Reply("<html><script>x</script>Please enable JavaScript</html>"),
        Reply(b"\x00\xff\x00", type="application/octet-stream"),
        Reply("%PDF-1.7 broken", type="application/pdf"),
        Reply(raw=[]),
    ],
    ids=["404", "scripts", "binary", "broken pdf", "cut"],
)
def test_a_page_that_cannot_be_read_leaves_its_snippet(
    fault: Reply, site: Site, context: ToolContext
) -> None:
    site.replies["/hall"] = fault
    found = search(context)
    assert "snippet of /hall" in found
    assert "river Tamsel" in found


def test_a_page_that_hangs_does_not_hold_the_others(
    site: Site, context: ToolContext, server: WebServer
) -> None:
    def hang() -> Iterator[bytes]:
        server.stopped.wait()
        yield b""

    site.replies["/hall"] = Reply(raw=hang())
    hurried = context.settings.model_copy(update={"tool_timeout_s": 2.5})
    found = search(replace(context, settings=hurried))
    assert "snippet of /hall" in found
    assert "river Tamsel" in found


def test_a_hit_inside_the_network_is_not_opened(
    site: Site, context: ToolContext, server: WebServer
) -> None:
    with WebServer(lambda request: Reply("secret")) as inside:
        site.hits = ["/hall"]
        settings = context.settings.model_copy(update={"allowed_origins": ()})
        site.origin = inside.origin
        found = search(replace(context, settings=settings))
        assert "snippet of /hall" in found
        assert inside.connections == 0
