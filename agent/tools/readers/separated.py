"""CSV and its relatives: delimiter and encoding are found, every value stays text."""

import csv
import io
from collections import Counter
from collections.abc import Iterator

from agent.tools.readers.model import MAX_BYTES, Ask, Block, File, span
from agent.tools.readers.table import blocks
from agent.tools.readers.text import decode

_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_SAMPLE = 100


def read(file: File, ask: Ask) -> Iterator[Block]:
    """The table in Markdown; ``ask.rows`` counts records, the header among them."""
    text, encoding = decode(file.data)
    csv.field_size_limit(MAX_BYTES)
    delimiter = find_delimiter(text)
    count = width = 0
    for record in _records(text, delimiter):
        count, width = count + 1, max(width, len(record))
    yield Block(
        f"{count:,} rows (the first is the header), {width:,} columns; "
        f"{_NAMES[delimiter]}-separated, {encoding}.\n\n"
    )
    rows = enumerate(_records(text, delimiter), 1)
    yield from blocks(rows, span(ask.rows, "rows", count), "")


def find_delimiter(text: str) -> str:
    """The delimiter that cuts most of the first rows into the same number of fields above one."""

    def agreement(delimiter: str) -> tuple[int, int]:
        widths = Counter(
            len(record)
            for record, _ in zip(_records(text, delimiter), range(_SAMPLE), strict=False)
            if len(record) > 1
        )
        width, rows = widths.most_common(1)[0] if widths else (0, 0)
        return rows, width

    return max(_NAMES, key=agreement)


def _records(text: str, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
