"""All of a page's text, in sections, with tables, infoboxes and lists; nothing is judged.

Made for MediaWiki's articles, where an extractor that guesses at the main text drops lists and
tables full of links; it serves for any page that such an extractor cannot cope with.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from agent.tools.html_tables import grid
from agent.tools.markdown import table as markdown_table

_NOISE_TAGS = {
    "aside", "button", "form", "head", "link", "meta", "nav", "noscript", "script", "style", "svg",
    "template", "title",
}  # fmt: skip
_NOISE_CLASSES = {
    "mw-editsection",
    "mw-empty-elt",
    "mw-jump-link",
    "mw-cite-backlink",
    "navbox",
    "metadata",
    "noprint",
    "toc",
    "reference",
    "sistersitebox",
    "navigation-not-searchable",
}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
"""Characters that lxml refuses."""
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_LISTS = {"ul", "ol", "dl"}
_BLOCKS = _HEADINGS | _LISTS | {
    "article", "blockquote", "body", "center", "details", "div", "figcaption", "figure", "footer",
    "header", "li", "main", "p", "pre", "section", "summary", "table", "td", "tr",
}  # fmt: skip


@dataclass(frozen=True)
class Section:
    """A heading and the text up to the next one. ``level`` is 1 for the opening of the page."""

    level: int
    title: str
    text: str

    def __str__(self) -> str:
        return f"{'#' * self.level} {self.title}\n\n{self.text}".strip()


@dataclass(frozen=True)
class _Heading:
    level: int
    title: str


def sections(title: str, html: str) -> list[Section]:
    """The page in reading order. The first section is the opening, under the page's title.

    Each row of a table is complete: spans are unfolded. Links that MediaWiki marks as leading to
    other sites keep their address.
    """
    from lxml.html import document_fromstring

    # With a beginning of our own the parser always finds a body, and puts a page's own into it.
    root = document_fromstring("<html><body>" + _CONTROL.sub("", html)).body
    _drop_noise(root)
    found = [Section(1, title, "")]
    texts: list[list[str]] = [[]]
    for part in _parts(root):
        if isinstance(part, _Heading):
            found.append(Section(part.level, part.title, ""))
            texts.append([])
        else:
            texts[-1].append(part)
    return [
        Section(section.level, section.title, "\n\n".join(parts))
        for section, parts in zip(found, texts, strict=True)
    ]


def _drop_noise(root: Any) -> None:
    for element in list(root.iter()):
        classes = set((element.get("class") or "").split())
        if not isinstance(element.tag, str):
            element.drop_tag()
        elif element.tag in _NOISE_TAGS or classes & _NOISE_CLASSES:
            element.drop_tree()


def _parts(node: Any) -> Iterator[_Heading | str]:
    """Headings and block texts below ``node``, in order; loose text between blocks counts."""
    loose = [node.text or ""]
    for child in node:
        if child.tag in _BLOCKS:
            yield from _flushed(loose)
            yield from _block(child)
        else:
            loose.append(_inline(child))
        loose.append(child.tail or "")
    yield from _flushed(loose)


def _flushed(loose: list[str]) -> Iterator[str]:
    text = " ".join("".join(loose).split())
    loose.clear()
    if text:
        yield text


def _block(node: Any) -> Iterator[_Heading | str]:
    if node.tag in _HEADINGS:
        yield _Heading(int(node.tag[1]), _text(node))
    elif node.tag == "table":
        yield from _table(node)
    elif node.tag in _LISTS:
        yield "\n".join(_list_lines(node, depth=0))
    elif node.tag == "pre":
        yield node.text_content().strip("\n")
    else:
        yield from _parts(node)


def _table(table: Any) -> Iterator[_Heading | str]:
    """An infobox as ``label: value`` lines, a layout table as its cells, any other as a table."""
    if table.get("role") == "presentation":
        for cell in table.xpath("./tr/td | ./tbody/tr/td"):
            yield from _parts(cell)
        return
    caption = table.find("caption")
    if caption is not None and _text(caption):
        yield _text(caption)
    text = cache(_text)  # a cell comes once for each place that it spans
    rows = [[text(cell) for cell in row] for row in grid(table)]
    if "infobox" in (table.get("class") or ""):
        lines = (": ".join(filter(None, dict.fromkeys(row))) for row in rows)
        yield "\n".join(line for line in lines if line)
    else:
        yield markdown_table([row for row in rows if any(row)])


def _list_lines(node: Any, depth: int) -> Iterator[str]:
    for item in node:
        nested = [child for child in item if child.tag in _LISTS]
        for child in nested:
            item.remove(child)
        if text := _text(item):
            yield f"{'  ' * depth}- {text}"
        for child in nested:
            yield from _list_lines(child, depth + 1)


def _text(node: Any) -> str:
    return " ".join(_inline(node).split()).strip("; ")


def _inline(node: Any) -> str:
    """All text below ``node`` on one line: items parted by semicolons, formulas as TeX."""
    if "mwe-math-element" in (node.get("class") or ""):
        return str(next(iter(node.xpath(".//@alttext | .//@alt")), node.text_content()))
    text = (node.text or "") + "".join(_inline(child) + (child.tail or "") for child in node)
    if node.tag in ("br", "p", "div", "tr", "td"):
        return f" {text} "
    if node.tag == "li":
        return f" {text.strip()}; "
    if node.tag == "a" and "external" in (node.get("class") or "") and node.get("href"):
        return f"{text} ({node.get('href')})"
    return text
