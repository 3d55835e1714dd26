"""The sentences and table rows of a text that are closest to the question.

A small model answers from the last lines that it has read, so these come last, the closest of all
at the very end. A row says its columns' names with its values, since a model that reads one row in
sixty has forgotten the header. A line that gives orders to its reader is never among them.
"""

import re

from agent.tools.fence import gives_orders
from agent.tools.markdown import cells
from agent.tools.passages import telling, terms

MAX_LINES = 4
MAX_CHARS = 600
"""Of all lines together: some 170 tokens."""
_LINE_CHARS = 260
_FEWEST_WORDS = 3
_ASKING = (
    "what which who whom whose where when why how many much is are was were be been did do does "
    "has have had the a an of in on at to for from by with and or that this these those it its as "
    "there not give only answer name state write"
)
"""Words of which a question is built, whatever it asks for."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'(])")


def closest(text: str, question: str) -> list[str]:
    """Up to ``MAX_LINES`` sentences or rows that share the most telling words with ``question``.

    Empty where the text is so short that it needs no pointing at, or shares nothing.
    """
    long_enough = (unit for unit in _units(text) if len(terms(unit)) >= _FEWEST_WORDS)
    units = [unit for unit in long_enough if not gives_orders(unit)]
    if len(units) <= MAX_LINES:
        return []
    texts = [terms(unit) for unit in units]
    asked = set(terms(question)) - set(terms(_ASKING))
    weights = telling(" ".join(sorted(asked)), texts)
    scores = [sum(weights.get(word, 0) for word in set(text)) for text in texts]
    ranked = sorted((i for i in range(len(units)) if scores[i]), key=lambda i: (-scores[i], i))
    chosen: list[str] = []
    for i in ranked[:MAX_LINES]:
        if len("".join(chosen)) + len(units[i]) <= MAX_CHARS:
            chosen.append(units[i])
    return list(reversed(chosen))


def _units(text: str) -> list[str]:
    """The sentences and, of tables, the rows with their columns' names; each once."""
    found: dict[str, None] = {}
    header: list[str] = []
    for line in text.split("\n"):
        if not line.startswith("|"):
            header = []
            if not line.startswith("#"):
                found |= dict.fromkeys(_SENTENCE_END.split(line.strip()))
        elif row := cells(line):
            if header:
                found[_row(header, row)] = None
            else:
                header = row
    return [unit for unit in found if unit and len(unit) <= _LINE_CHARS]


def _row(header: list[str], row: list[str]) -> str:
    if len(row) == 2 and not all(header):  # an infobox: its only heading is what it is about
        return f"{header[0]}, {': '.join(row)}"
    named = zip(header, row, strict=False)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell)
