"""JSON and JSON-LD."""

import json
from collections.abc import Iterator

from agent.tools.readers import lines, records
from agent.tools.readers.model import Ask, Block, File
from agent.tools.readers.text import decode

_LONG_LINE = 200


def read(file: File, ask: Ask) -> Iterator[Block]:
    """Records as tables; anything else as it is or, if it is all on one line, with line breaks and
    indents.

    Text that is not valid JSON is shown too, and said to be so.
    """
    text, _ = decode(file.data)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        yield Block(f"Not valid JSON ({error}); as it is:\n\n")
    else:
        as_written = json.loads(text, parse_int=str, parse_float=str)
        if tables := records.tables(as_written, ask):
            yield from tables
            return
        if max(map(len, text.splitlines())) > _LONG_LINE:
            text = json.dumps(value, indent=1, ensure_ascii=False)
    yield from lines.blocks(text, ask)
