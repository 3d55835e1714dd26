"""A saved web page: all of its text, since whoever gave the file meant all of it."""

from collections.abc import Iterator

from agent.tools.html_tables import unfold_spans
from agent.tools.readers import lines
from agent.tools.readers.model import Ask, Block, File, Unreadable
from agent.tools.readers.text import decode

_UNSEEN = ("script", "style", "noscript", "template", "head")


def read(file: File, ask: Ask) -> Iterator[Block]:
    """The page as Markdown with its tables and links; scripts and styles are left out."""
    from lxml.html import HTMLParser, document_fromstring, tostring
    from markdownify import markdownify

    text, _ = decode(file.data)
    page = document_fromstring(text.encode(), parser=HTMLParser(encoding="utf-8"))
    title = page.findtext(".//title")
    for element in list(page.iter(*_UNSEEN)):
        element.drop_tree()
    for table in page.iter("table"):
        unfold_spans(table)
    body = markdownify(
        tostring(page, encoding="unicode"),
        heading_style="ATX",
        table_infer_header=True,
        escape_underscores=False,
        escape_asterisks=False,
        escape_misc=False,
    ).strip()
    if not body:
        raise Unreadable("unsupported", "is a web page with no text: scripts may have made it.")
    if title:
        yield Block(f"Title: {' '.join(title.split())}\n\n")
    yield from lines.blocks(body, ask)
