"""Excel workbooks: values as they were last calculated, formulas, hidden sheets, fill colours."""

import io
import zipfile
from collections.abc import Iterator
from itertools import islice, repeat
from typing import Any

from agent.tools.readers import package, spreadsheet
from agent.tools.readers.colors import Palette
from agent.tools.readers.model import Ask, Block, File, span
from agent.tools.readers.sheets import contents, pick, show
from agent.tools.readers.table import blocks

_MAX_FORMULAS = 300
_ROWS_FOR_WIDTH = 500
_CHUNK = 1_000_000


def read(file: File, ask: Ask) -> Iterator[Block]:
    """The sheets asked for as Markdown tables, formulas below each.

    With ``ask.colors`` a sheet is a grid with column letters, row numbers and fill colours; so is
    a sheet that holds nothing but colours.
    """
    names = package.check(file.data)
    yield Block(package.remarks(names))
    try:
        book = _load(file.data, data_only=True)
    except Exception as error:
        yield Block(f"Values only: its styles or formulas are damaged ({type(error).__name__}).\n")
        yield from spreadsheet.read(file, ask)
        return
    yield Block(contents({sheet.title: sheet.sheet_state for sheet in book.worksheets}))
    formulas = _load(file.data, data_only=False) if _has_formulas(file.data) else None
    palette = Palette(book.loaded_theme)
    for title in pick([sheet.title for sheet in book.worksheets], ask.sheet):
        sheet = _Sheet(book[title], formulas[title] if formulas else None, palette)
        yield from sheet.blocks(ask)


def _load(data: bytes, *, data_only: bool) -> Any:
    from openpyxl import load_workbook
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet

    # A file may lie about a sheet's dimensions, and then cells are lost; where it does not state
    # them, looking for them takes as long as reading the sheet.
    ReadOnlyWorksheet._get_size = lambda sheet: None
    return load_workbook(io.BytesIO(data), read_only=True, data_only=data_only)


def _has_formulas(data: bytes) -> bool:
    """Whether any sheet has a formula element; a second reading for them takes as long again."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if not name.startswith("xl/worksheets/") or name.endswith("/"):
                continue
            with archive.open(name) as part:
                end = b""
                while chunk := part.read(_CHUNK):
                    if b"<f>" in end + chunk or b"<f " in end + chunk:
                        return True
                    end = chunk[-2:]
    return False


class _Sheet:
    """One sheet, read twice where there are formulas: for the values and for these."""

    def __init__(self, values: Any, formulas: Any | None, palette: Palette) -> None:
        self._values, self._formula_cells, self._palette = values, formulas, palette
        self._title = values.title
        self._found: list[str] = []
        self._colored = 0

    def blocks(self, ask: Ask) -> Iterator[Block]:
        """Heading, table and notes."""
        more = f'sheet="{self._title}" '
        yield Block(f"\n## Sheet '{self._title}'\n\n", more.strip())
        wanted = span(ask.rows, "rows")
        if ask.colors:
            yield from blocks(self._grid(), wanted, f"{more}colors=true ")
            return
        empty = True
        for block in blocks(self._rows(wanted), wanted, more):
            empty = False
            yield block
        if empty and self._colored:
            yield from blocks(self._grid(), wanted, more)
        elif empty:
            yield Block("[empty sheet]\n")
        elif self._colored:
            yield Block(f"\n[{self._colored} cells have fill colours: {more}colors=true]\n")
        yield from self._notes()

    def _rows(self, wanted: range) -> Iterator[tuple[int, list[str]]]:
        """Each row's number and texts; a formula stands in for a value never calculated."""
        formula_rows = self._formula_cells.iter_rows() if self._formula_cells else repeat(())
        pairs = zip(self._values.iter_rows(), formula_rows, strict=False)
        has_header = False
        for number, (row, formulas) in enumerate(pairs, 1):
            if has_header and number < wanted.start:
                continue
            texts = [_text(cell) for cell in row]
            self._colored += sum(bool(self._palette.of(cell)) for cell in row)
            for at, cell in enumerate(formulas):
                if cell.data_type == "f":
                    formula = str(getattr(cell.value, "text", cell.value))
                    self._found.append(f"{cell.coordinate} {formula}")
                    texts[at] = texts[at] or formula
            has_header = has_header or any(texts)
            yield number, texts

    def _grid(self) -> Iterator[tuple[int, list[str]]]:
        """The sheet with column letters as its header, row numbers, and colours in the cells."""
        from openpyxl.utils import get_column_letter

        width = max(map(len, islice(self._values.iter_rows(), _ROWS_FOR_WIDTH)), default=0)
        yield 0, ["row", *map(get_column_letter, range(1, width + 1))]
        for number, row in enumerate(self._values.iter_rows(), 1):
            texts = [f"{_text(cell)} {self._palette.of(cell)}".strip() for cell in row]
            yield number, [str(number), *texts] if any(texts) else []

    def _notes(self) -> Iterator[Block]:
        if self._found:
            shown = "; ".join(self._found[:_MAX_FORMULAS])
            left = len(self._found) - _MAX_FORMULAS
            yield Block(f"\nFormulas: {shown}{f'; and {left} more' if left > 0 else ''}\n")


def _text(cell: Any) -> str:
    return "" if cell.value is None else show(cell.value, cell.number_format)
