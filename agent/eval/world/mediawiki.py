"""As much of MediaWiki's API as a client needs to search, follow redirects and read articles.

https://www.mediawiki.org/wiki/API:Query, in the first format version, which clients without
``formatversion`` get.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from agent.eval.world.html import article
from agent.eval.world.pages import Page
from agent.eval.world.search import Index
from agent.eval.world.world import World

_NOT_IN_TITLES = set("#<>[]|{}")
_MOST_HITS = 50


class MediaWiki:
    """The API over the pages of a world; their aliases are redirects."""

    def __init__(self, world: World, index: Index) -> None:
        self._index = index
        self._pages = list(world.pages.values())
        self._by_title = {page.title: page for page in self._pages}
        self._redirects = {alias: page.title for page in self._pages for alias in page.aliases}

    def answer(self, asked: Mapping[str, str], origin: str) -> dict[str, Any]:
        """The answer to a request's parameters. Addresses in it begin with ``origin``."""
        if asked.get("action") != "query":
            info = f'Unrecognized value for parameter "action": {asked.get("action", "")}.'
            return {"error": {"code": "badvalue", "info": info}}
        if asked.get("list") == "search":
            return {"batchcomplete": "", "query": {"search": self._search(asked)}}
        return {"batchcomplete": "", "query": self._query(asked, origin)}

    def _search(self, asked: Mapping[str, str]) -> list[dict[str, Any]]:
        given = asked.get("srlimit", "10")
        limit = min(int(given), _MOST_HITS) if given.isdecimal() else _MOST_HITS
        hits = self._index.find(asked.get("srsearch", ""), limit)
        return [{"ns": 0, "title": page.title, "pageid": self._number(page)} for page in hits]

    def _query(self, asked: Mapping[str, str], origin: str) -> dict[str, Any]:
        query: dict[str, Any] = {}
        given = asked.get("titles") or self._title_of(asked.get("pageids", ""))
        title = (given[:1].upper() + given[1:]).replace("_", " ").strip()
        if title != given:
            query["normalized"] = [{"from": given, "to": title}]
        if "redirects" in asked and title in self._redirects:
            query["redirects"] = [{"from": title, "to": self._redirects[title]}]
            title = self._redirects[title]
        query["pages"] = self._found(title, asked, origin)
        return query

    def _found(self, title: str, asked: Mapping[str, str], origin: str) -> dict[str, Any]:
        if not title or _NOT_IN_TITLES & set(title):
            return {"-1": {"title": title, "invalidreason": "bad characters", "invalid": ""}}
        page = self._by_title.get(title)
        if page is None:
            return {"-1": {"ns": 0, "title": title, "missing": ""}}
        properties = asked.get("prop", "").split("|")
        number = self._number(page)
        found: dict[str, Any] = {"pageid": number, "ns": 0, "title": title}
        if "info" in properties:
            found["fullurl"] = f"{origin}/wiki/{quote(page.slug)}"
        if "revisions" in properties:
            content = article(page) if "rvparse" in asked else page.text
            found["revisions"] = [{"contentformat": "text/x-wiki", "*": content}]
        return {str(number): found}

    def _number(self, page: Page) -> int:
        return self._pages.index(page) + 1

    def _title_of(self, number: str) -> str:
        is_one = number.isdecimal() and 0 < int(number) <= len(self._pages)
        return self._pages[int(number) - 1].title if is_one else ""
