"""Search engines as ddgs, SearXNG's and Tavily's clients see them: result pages in their markup.

The markup follows the XPaths that ddgs 9.16 reads each engine's pages by.
"""

import json
from dataclasses import dataclass, field
from html import escape
from urllib.parse import quote

from tests.servers.web import Reply, Request

HOSTS = {
    "html.duckduckgo.com": "duckduckgo",
    "search.brave.com": "brave",
    "www.mojeek.com": "mojeek",
    "www.startpage.com": "startpage",
    "search.yahoo.com": "yahoo",
    "api.tavily.com": "tavily",
}
Hits = list[tuple[str, str, str]]
"""Title, address and text of each result."""

_FOUND = {
    "duckduckgo": '<div class="result"><div class="links_main result__body"><h2><a href="{url}">'
    '{title}</a></h2><a class="result__snippet" href="{url}">{text}</a></div></div>',
    "brave": '<div class="snippet" data-type="web"><a href="{url}"><div class="title">{title}</div>'
    '</a><div class="generic-snippet"><div class="content">{text}</div></div></div>',
    "mojeek": '<ul class="results-standard"><li><h2><a href="{url}">{title}</a></h2>'
    '<p class="s">{text}</p></li></ul>',
    "startpage": '<div class="result css-o7i03b"><a href="{url}"><h2>{title}</h2></a><p>{text}</p>'
    "</div>",
    "yahoo": '<div class="algo relsrch"><div class="compTitle"><h3>{title}</h3><a href="{wrapped}">'
    '</a></div><div class="compText"><p>{text}</p></div></div>',
}
_NOTHING = {
    "duckduckgo": '<div class="no-results">No results found for <b>that</b>.</div>',
    "brave": "<p>Not many great matches came back for your search</p>",
    "mojeek": '<p class="top-info">No pages found matching: that</p>',
    "startpage": "<p>Your search did not match any documents.</p>",
    "yahoo": "<p>We did not find results for: that.</p>",
}
CAPTCHA = (
    '<html><body><div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>'
    '<form id="challenge-form" action="//duckduckgo.com/anomaly.js"></form></body></html>'
)


@dataclass
class Engines:
    """What each engine does, by its name; those not named find nothing and say so."""

    replies: dict[str, Reply] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def __call__(self, request: Request) -> Reply:
        engine = HOSTS.get(request.host, request.host)
        if request.host == "www.startpage.com" and request.path == "/":
            return Reply('<form id="search"><input name="sc" value="token"></form>')
        self.asked.append(engine)
        return self.replies.get(engine) or nothing(engine)


def found(engine: str, hits: Hits) -> Reply:
    """A page of results."""
    if engine == "tavily":
        return Reply(json.dumps({"results": _json(hits)}), type="application/json")
    items = (
        _FOUND[engine].format(
            title=escape(title),
            url=escape(url),
            text=escape(text),
            wrapped=f"https://r.search.yahoo.com/_ylt=A/RV=2/RO=10/RU={quote(url, '')}/RK=2/RS=x",
        )
        for title, url, text in hits
    )
    return Reply(f"<html><head><title>s</title></head><body>{''.join(items)}</body></html>")


def nothing(engine: str) -> Reply:
    """A page that says in the engine's words that there is nothing."""
    if engine == "tavily":
        return found(engine, [])
    script = '<script>var messages = {"captcha": "Are you human?"}</script>'
    return Reply(f"<html><body>{script}{_NOTHING[engine]}</body></html>")


def searxng(hits: Hits, unresponsive: list[list[str]] | None = None) -> Reply:
    """SearXNG's JSON."""
    answer = {"query": "q", "results": _json(hits), "unresponsive_engines": unresponsive or []}
    return Reply(json.dumps(answer), type="application/json")


def _json(hits: Hits) -> list[dict[str, str]]:
    return [{"title": title, "url": url, "content": text} for title, url, text in hits]
