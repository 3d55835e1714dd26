"""Pages as HTML."""

from functools import cache
from html import escape
from typing import TYPE_CHECKING

from agent.eval.world.pages import FILES, Page, is_inside

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


def article(page: Page) -> str:
    """The page's text as MediaWiki renders it: without the title."""
    renderer = _markdown()
    tokens = renderer.parse(page.text)
    for token in tokens:
        if token.type == "table_open":
            token.attrSet("class", "wikitable")
        for child in token.children or ():
            _direct(child)
    body = renderer.renderer.render(tokens, renderer.options, {})
    return f'<div class="mw-parser-output">{body}</div>'


def document(page: Page) -> str:
    """The page as a site serves it."""
    title = escape(page.title)
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
        f"<body><main><article><h1>{title}</h1>{article(page)}</article></main></body></html>"
    )


def _direct(token: "Token") -> None:
    """Let a link into the world lead to where the server has its target."""
    target = str(token.attrGet("href") or "")
    if token.type == "link_open" and target and is_inside(target):
        place = f"/{target}" if target.startswith(FILES) else f"/wiki/{target}"
        token.attrSet("href", place)


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")
