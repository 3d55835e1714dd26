"""PDF: the text of each page by PDFium; tables with drawn lines by pdfplumber."""

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from agent.tools.markdown import table as markdown_table
from agent.tools.readers.model import Ask, Block, File, Unreadable, span

if TYPE_CHECKING:
    import pdfplumber

_PASSWORD_ERROR = 4
_RULES = range(4, 2000)
"""Lines and boxes on a page that is worth searching for tables: fewer cannot make one, more are a
drawing. A search takes some 70 ms a page, a hundred times PDFium's time for the text."""


def read(file: File, ask: Ask) -> Iterator[Block]:
    """The pages asked for, each under its number; ruled tables in Markdown.

    Raises:
        Unreadable: a password is needed, or no page has text (a scan).
    """
    import pdfplumber

    document = _open(file.data)
    wanted = span(ask.page, "page", len(document))
    with_text = 0
    yield Block(f"{len(document)} pages.\n")
    with pdfplumber.open(io.BytesIO(file.data)) as plumber:
        for number in wanted:
            page = document[number - 1]
            text = page.get_textpage().get_text_bounded().replace("\r\n", "\n").strip()
            if text and _rules(page) in _RULES:
                text = _with_tables(plumber.pages[number - 1], text)
            with_text += bool(text)
            shown = text.replace("\ufffe", "-") or _why_no_text(page)
            yield Block(f"\n## Page {number}\n\n{shown}\n", f'page="{number}-"')
            page.close()
    if not with_text:
        raise Unreadable(
            "unsupported",
            f"is a PDF whose pages ({len(wanted)}) have no text layer: scanned or drawn. "
            "Cannot see images.",
        )


def _open(data: bytes) -> Any:
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        document = PdfDocument(data)
    except PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD_ERROR:
            raise Unreadable(
                "unsupported", "is an encrypted PDF: it needs a password; give it without one."
            ) from None
        raise
    if not len(document):
        raise Unreadable("unsupported", "is a PDF without pages.")
    return document


def _rules(page: Any) -> int:
    from pypdfium2.raw import FPDF_PAGEOBJ_PATH

    return sum(1 for _ in page.get_objects(filter=[FPDF_PAGEOBJ_PATH]))


def _why_no_text(page: Any) -> str:
    return "[scanned: an image, no text]" if any(page.get_objects()) else "[blank]"


def _with_tables(page: "pdfplumber.page.Page", text: str) -> str:
    """The text outside the page's tables, then the tables; ``text`` where there is no table."""
    found = [(t.bbox, t.extract()) for t in page.find_tables()]
    found = [(bbox, rows) for bbox, rows in found if len(rows) > 1 and len(rows[0]) > 1]
    if not found:
        return text

    def outside(item: dict[str, Any]) -> bool:
        x, y = (item["x0"] + item["x1"]) / 2, (item["top"] + item["bottom"]) / 2
        return not any(x0 <= x <= x1 and y0 <= y <= y1 for (x0, y0, x1, y1), _ in found)

    tables = [markdown_table([[cell or "" for cell in row] for row in rows]) for _, rows in found]
    rest = page.filter(outside).extract_text()
    page.close()
    return "\n\n".join([rest, *tables]).strip()
