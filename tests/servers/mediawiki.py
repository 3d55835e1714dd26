"""A MediaWiki API as the ``wikipedia`` library asks it: search, page info, parsed revisions."""

import json
from dataclasses import dataclass, field
from typing import Any

from tests.servers.web import Reply, Request

ILLEGAL = set("#<>[]|{}")


@dataclass(frozen=True)
class Article:
    """A page by its parsed HTML; ``is_choice`` marks a disambiguation page."""

    html: str
    is_choice: bool = False


@dataclass
class Wiki:
    """One language's pages and redirects by title. Like Wikimedia, it wants to know who asks."""

    pages: dict[str, Article]
    redirects: dict[str, str] = field(default_factory=dict)
    refusals: list[Reply] = field(default_factory=list)
    """Given instead of the first answers, in turn."""

    def __call__(self, request: Request) -> Reply:
        if self.refusals:
            return self.refusals.pop(0)
        if "(" not in request.headers.get("user-agent", ""):
            return Reply("Please set a user-agent.", status=403)
        asked = request.form
        if asked.get("format") != "json" or asked.get("action") != "query":
            return Reply("<html>API help</html>")
        if asked.get("list") == "search":
            return _json({"search": [{"ns": 0, "title": t} for t in self._search(asked)]})
        return _json(self._page(asked))

    def _search(self, asked: dict[str, str]) -> list[str]:
        words = asked["srsearch"].casefold().split()
        found = [t for t, page in self.pages.items() if _mentions(t + page.html, words)]
        return found[: int(asked["srlimit"])]

    def _page(self, asked: dict[str, str]) -> dict[str, Any]:
        given = asked.get("titles") or self._title_of(asked["pageids"])
        query: dict[str, Any] = {}
        title = (given[:1].upper() + given[1:]).replace("_", " ")
        if title != given:
            query["normalized"] = [{"from": given, "to": title}]
        if "redirects" in asked and title in self.redirects:
            query["redirects"] = [{"from": title, "to": self.redirects[title]}]
            title = self.redirects[title]
        query["pages"] = self._found(title, asked)
        return query

    def _found(self, title: str, asked: dict[str, str]) -> dict[str, Any]:
        if not title or ILLEGAL & set(title):
            return {"-1": {"title": title, "invalidreason": "bad characters", "invalid": ""}}
        if title not in self.pages:
            return {"-1": {"ns": 0, "title": title, "missing": ""}}
        article, number = self.pages[title], str(list(self.pages).index(title) + 1)
        page: dict[str, Any] = {"pageid": int(number), "ns": 0, "title": title}
        if "info" in asked.get("prop", ""):
            page["fullurl"] = f"https://wiki.example/wiki/{title.replace(' ', '_')}"
            page |= {"pageprops": {"disambiguation": ""}} if article.is_choice else {}
        if "rvparse" in asked:
            page["revisions"] = [{"contentformat": "text/x-wiki", "*": article.html}]
        return {number: page}

    def _title_of(self, number: str) -> str:
        return list(self.pages)[int(number) - 1]


def _mentions(text: str, words: list[str]) -> bool:
    return all(word in text.casefold() for word in words)


def _json(query: dict[str, Any]) -> Reply:
    answer = json.dumps({"batchcomplete": "", "query": query})
    return Reply(answer, type="application/json; charset=utf-8")
