"""Attachments for the tests, made with the libraries that people's programs use to write them."""

import io
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from agent.tools.readers import catalog
from agent.tools.readers.model import Ask, File, Unreadable, collect


def reading(name: str, data: bytes, **ask: Any) -> str:
    """The text of a file, read in this process."""
    request = Ask(**ask)
    return collect(catalog.read(File(name, data), request), request)


def refusal(name: str, data: bytes, **ask: Any) -> Unreadable:
    """Why a file is not read."""
    try:
        text = reading(name, data, **ask)
    except Unreadable as error:
        return error
    raise AssertionError(f"{name} was read: {text[:200]!r}")


def saved(save: Callable[[io.BytesIO], Any]) -> bytes:
    """What ``save`` writes."""
    stream = io.BytesIO()
    save(stream)
    return stream.getvalue()


def workbook(sheets: Mapping[str, Iterable[Sequence[Any]]]) -> bytes:
    """An .xlsx with these rows."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    return saved(book.save)


def pdf(
    pages: Iterable[Sequence[str | Sequence[Sequence[str]]]], password: str = "", ruled: bool = True
) -> bytes:
    """A PDF of paragraphs and tables, one sequence of them a page."""
    from reportlab.lib.colors import black
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

    style = getSampleStyleSheet()["BodyText"]
    story: list[Any] = []
    for page in pages:
        for item in page:
            if isinstance(item, str):
                story.append(Paragraph(item, style))
            else:
                lines = [("GRID", (0, 0), (-1, -1), 1, black)] if ruled else []
                story.append(Table([list(row) for row in item], style=lines))
        story.append(PageBreak())
    encryption = {"encrypt": password} if password else {}
    return saved(lambda stream: SimpleDocTemplate(stream, **encryption).build(story))


def picture(format: str = "PNG", size: tuple[int, int] = (64, 48)) -> bytes:
    """An image without anything on it."""
    from PIL import Image

    return saved(lambda stream: Image.new("RGB", size, "white").save(stream, format))


def archive(members: Mapping[str, bytes]) -> bytes:
    """A zip with these members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
        for name, data in members.items():
            made.writestr(name, data)
    return stream.getvalue()


def with_part(package: bytes, name: str, data: bytes) -> bytes:
    """An Office file with one part added or replaced."""
    with zipfile.ZipFile(io.BytesIO(package)) as old:
        parts = {part: old.read(part) for part in old.namelist()}
    return archive({**parts, name: data})
