"""Tables as markdown, one row a line, so that a passage can hold a header and single rows."""

import re
from collections.abc import Sequence

_RULE = re.compile(r"^\|?(?:\s*:?-+:?\s*\|)+\s*$")


def table(rows: Sequence[Sequence[str]]) -> str:
    """A markdown table whose first row is the header. Rows may differ in length."""
    width = max((len(row) for row in rows), default=0)
    lines = [_line([*row, *[""] * (width - len(row))]) for row in rows]
    return "\n".join([*lines[:1], f"|{'---|' * width}", *lines[1:]]) if width else ""


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(' '.join(cell.split()).replace('|', '/') for cell in cells)} |"


def cells(line: str) -> list[str]:
    """The cells of a row; none of the rule below a header."""
    return [] if _RULE.match(line) else [c.strip() for c in line.strip().strip("|").split("|")]
