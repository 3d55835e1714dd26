"""Long tables in pieces: one Markdown table, of which only the part that is wanted is built."""

from collections.abc import Iterable, Iterator, Sequence

from agent.tools.markdown import table as markdown_table
from agent.tools.readers.model import Block

_ROWS_A_BLOCK = 50


def blocks(rows: Iterable[tuple[int, Sequence[str]]], wanted: range, more: str) -> Iterator[Block]:
    """Pieces of a Markdown table from numbered rows, empty ones left out.

    The first row that is not empty is the header; it comes first whatever rows are wanted.
    ``more`` are the arguments besides ``rows`` that ask for this table.
    """
    header: list[str] = []
    piece: list[list[str]] = []
    start = wanted.start
    for number, cells in rows:
        if header and number >= wanted.stop:
            break
        row = _trimmed(cells)
        if row and not header:
            header = row
            yield Block(markdown_table([header]) + "\n", f'{more}rows="{start}-"')
        elif row and number >= wanted.start:
            if len(piece) == _ROWS_A_BLOCK:
                yield Block(_body(header, piece), f'{more}rows="{start}-"')
                piece, start = [], number
            piece.append(row)
    if piece:
        yield Block(_body(header, piece), f'{more}rows="{start}-"')


def _body(header: list[str], rows: list[list[str]]) -> str:
    """The lines of a table below its header and rule."""
    return "".join(f"{line}\n" for line in markdown_table([header, *rows]).splitlines()[2:])


def _trimmed(cells: Sequence[str]) -> list[str]:
    """The row without the empty cells at its end."""
    last = max((i for i, cell in enumerate(cells, 1) if cell.strip()), default=0)
    return list(cells[:last])
