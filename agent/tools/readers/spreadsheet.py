"""Workbooks in other formats than .xlsx: .xls, .xlsb, .ods. Values only."""

import io
from collections.abc import Iterator

from agent.tools.readers.model import Ask, Block, File, Unreadable, span
from agent.tools.readers.sheets import contents, pick, show
from agent.tools.readers.table import blocks


def read(file: File, ask: Ask) -> Iterator[Block]:
    """The sheets asked for as Markdown tables.

    Raises:
        Unreadable: a password is needed, or there is no such sheet.
    """
    from python_calamine import CalamineWorkbook, PasswordError, SheetVisibleEnum

    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(file.data))
    except PasswordError:
        raise Unreadable(
            "unsupported", "is an encrypted workbook: it needs a password; give it without one."
        ) from None
    visible = SheetVisibleEnum.Visible
    states = {m.name: "visible" if m.visible is visible else "hidden" for m in book.sheets_metadata}
    yield Block(contents(states))
    for name in pick(book.sheet_names, ask.sheet):
        rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
        yield Block(f"\n## Sheet '{name}': {len(rows):,} rows\n\n", f'sheet="{name}"')
        texts = ([show(value or None if value == "" else value) for value in row] for row in rows)
        if rows:
            wanted = span(ask.rows, "rows", len(rows))
            yield from blocks(enumerate(texts, 1), wanted, f'sheet="{name}" ')
