"""A saved web page: all of its text, since whoever gave the file meant all of it."""

from collections.abc import Iterator
from typing import Any

from agent.tools.markdown import table
from agent.tools.readers import lines
from agent.tools.readers.model import Ask, Block, File, Unreadable

_UNSEEN = ["script", "style", "noscript", "template", "head"]
_MAX_SPAN = 100


def read(file: File, ask: Ask) -> Iterator[Block]:
    """The page as Markdown with its tables and links; scripts and styles are left out."""
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    class Converter(MarkdownConverter):
        """Markdown whose tables have a cell for every row and column that one spans."""

        def convert_table(self, element: Any, text: str, parent_tags: set[str]) -> str:
            if element.find("table"):
                return f"\n\n{text}\n\n"
            return f"\n\n{table(_grid(element))}\n\n"

    soup = BeautifulSoup(file.data, "lxml")
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    for element in soup(_UNSEEN):
        element.decompose()
    converter = Converter(
        heading_style="ATX", escape_underscores=False, escape_asterisks=False, escape_misc=False
    )
    text = converter.convert_soup(soup).strip()
    if not text:
        raise Unreadable("unsupported", "is a web page with no text: scripts may have made it.")
    if title:
        yield Block(f"Title: {title}\n\n")
    yield from lines.blocks(text, ask)


def _grid(element: Any) -> list[list[str]]:
    """The texts of a table's cells, each repeated over the rows and columns that it spans."""
    grid: dict[tuple[int, int], str] = {}
    width = height = 0
    for y, row in enumerate(element.find_all("tr")):
        x = 0
        for cell in row.find_all(["td", "th"]):
            while (x, y) in grid:
                x += 1
            across, down = _span(cell, "colspan"), _span(cell, "rowspan")
            text = cell.get_text(" ", strip=True)
            grid.update({(x + i, y + j): text for i in range(across) for j in range(down)})
            x += across
        width, height = max(width, x), y + 1
    return [[grid.get((x, y), "") for x in range(width)] for y in range(height)]


def _span(cell: Any, name: str) -> int:
    value = str(cell.get(name, "1"))
    return max(1, min(int(value), _MAX_SPAN)) if value.isdecimal() and len(value) < 6 else 1
