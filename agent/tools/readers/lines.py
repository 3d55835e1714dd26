"""Plain text of any sort: notes, Markdown, programs, logs."""

from collections.abc import Iterator

from agent.tools.readers.model import Ask, Block, File, span
from agent.tools.readers.text import decode

_LINES_A_BLOCK = 100
_CHARS_A_BLOCK = 20_000


def read(file: File, ask: Ask) -> Iterator[Block]:
    """The text as it is; ``ask.rows`` are lines."""
    text, _ = decode(file.data)
    yield from blocks(text, ask)


def blocks(text: str, ask: Ask) -> Iterator[Block]:
    """The lines asked for, in pieces; a very long line is broken."""
    lines = text.splitlines(keepends=True)
    wanted = span(ask.rows, "rows", len(lines))
    for start in range(wanted.start, wanted.stop, _LINES_A_BLOCK):
        piece = "".join(lines[start - 1 : min(start - 1 + _LINES_A_BLOCK, wanted.stop - 1)])
        for at in range(0, len(piece), _CHARS_A_BLOCK):
            yield Block(piece[at : at + _CHARS_A_BLOCK], f'rows="{start}-"')
