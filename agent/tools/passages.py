"""Long text cut down to the passages that match the question."""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

CHARS_PER_TOKEN = 3.5
"""Estimate for English prose and markdown under the tokenizers of Llama 3 and Qwen 2.5."""
MAX_TEXT = 400_000
"""Characters that a tool may return: more than any passage is chosen from."""
CUT = "Only the first part"
"""What every text says that was cut; nothing in it may be counted or added up."""
_NOTE_CHARS = 170
"""What the line about left-out text takes at most."""
_PARAGRAPH_CHARS = 800
"""Longer paragraphs are split at line and sentence ends, so that a passage is about one thing."""
_OPENING_SHARE = 0.2
"""The opening block (title, section names) is always kept if it takes no more of the room."""

_HEADING = re.compile(r"#{1,6} ")
_UNPARTED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Kana, Han and Hangul, which are matched character by character."""
_WORD = re.compile(rf"[{_UNPARTED}]|[^\W_{_UNPARTED}]+")
_SAME_MEASURE = {
    "long": "length", "longer": "length", "longest": "length", "high": "height",
    "higher": "height", "highest": "height", "tall": "height", "taller": "height",
    "tallest": "height", "altitude": "height", "elevation": "height", "wide": "width",
    "wider": "width", "widest": "width", "deep": "depth", "deeper": "depth", "deepest": "depth",
    "heavy": "weight", "heavier": "weight", "heaviest": "weight", "km": "kilometre",
    "kilometer": "kilometre", "m": "metre", "meter": "metre", "cm": "centimetre",
    "centimeter": "centimetre", "mm": "millimetre", "kg": "kilogram", "sq": "square",
}  # fmt: skip
"""How long something is, in kilometres, stands in a table as its length in km."""


@dataclass(frozen=True)
class _Block:
    """A paragraph, list or table, with the headings that it stands under."""

    position: int
    headings: tuple[str, ...]
    text: str

    @property
    def is_table(self) -> bool:
        return self.text.startswith("|") and self.text.count("\n") > 1

    @property
    def cost(self) -> int:
        """Characters that it takes at most when shown: headings, blank lines, a gap mark before."""
        return len(self.text) + sum(len(heading) + 2 for heading in self.headings) + 5


def bounded(text: str, limit: int = MAX_TEXT) -> str:
    """``text``, cut at ``limit`` characters with a word about it."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n\n[{CUT}: {limit:,} of {len(text):,} characters.]"


def is_cut(text: str) -> bool:
    """Whether a text says that its rest was left out."""
    return CUT in text


def fit(text: str, query: str, max_tokens: int) -> str:
    """``text`` whole if it is within ``max_tokens``, else the passages that match ``query`` best.

    Passages keep their headings and come in the order of the text; tables stay whole, or keep the
    header and the matching rows. A last line says what was left out and how to ask for it.
    """
    limit = int(max_tokens * CHARS_PER_TOKEN)
    if len(text) <= limit:
        return text
    room = max(limit - _NOTE_CHARS, 0)
    blocks = _blocks(text, min(_PARAGRAPH_CHARS, max(room // 2, 1)))
    chosen = _choose(blocks, query, room)
    note = (
        f"[{len(chosen)} of {len(blocks)} passages shown, the best matches. For others call the "
        "tool again with the words or the section that you need.]"
    )
    return f"{_render(chosen)}\n\n{note}"[:limit]


def _choose(blocks: list[_Block], query: str, room: int) -> list[_Block]:
    """The best blocks that fit into ``room`` characters, in document order."""
    ranked = _ranked(blocks, query, room)
    chosen: list[_Block] = []
    left = room
    for block in ranked:
        if block.is_table and block.cost > left:
            block = _matching_rows(block, query, left)
        if block.cost <= left:
            chosen.append(block)
            left -= block.cost
    best = replace(ranked[0], headings=(), text=ranked[0].text[:room])
    return sorted(chosen or [best], key=lambda block: block.position)


def _ranked(blocks: list[_Block], query: str, room: int) -> list[_Block]:
    """The opening if it is short, then the blocks that share a telling word with ``query``, by
    BM25; all blocks in order where none does.

    BM25Plus, because BM25Okapi gives no weight to a word that half the blocks hold, and a short
    text has few blocks.
    """
    from langchain_community.retrievers import BM25Retriever
    from langchain_core.documents import Document
    from rank_bm25 import BM25Plus

    words = [terms(" ".join((*block.headings, block.text))) for block in blocks]
    retriever = BM25Retriever(
        vectorizer=BM25Plus(words),
        docs=[Document(page_content="", metadata={"position": b.position}) for b in blocks],
        k=len(blocks),
        preprocess_func=terms,
    )
    weights = telling(query, words)
    opening = [0] if blocks[0].cost <= _OPENING_SHARE * room else []
    by_score = [document.metadata["position"] for document in retriever.invoke(query)]
    matching = [position for position in by_score if weights.keys() & set(words[position])]
    return [blocks[i] for i in dict.fromkeys([*opening, *(matching or range(len(blocks)))])]


def telling(query: str, texts: list[list[str]]) -> dict[str, float]:
    """The words of ``query`` that tell ``texts`` apart, each with its weight.

    A word weighs more the fewer texts hold it; one that more than half of them hold tells nothing.
    """
    asked = set(terms(query))
    holders = Counter(word for text in texts for word in asked.intersection(text))
    return {word: 1 / n for word, n in holders.items() if n <= max(len(texts) / 2, 1)}


def _matching_rows(table: _Block, query: str, room: int) -> _Block:
    """The header and the rows that share telling words with ``query``, as many as fit, best first.

    Where no row matches, the first rows stand for all.
    """
    header, rule, *rows = table.text.split("\n")
    words = [terms(row) for row in rows]
    weights = telling(query, words)
    weight = [sum(weights.get(word, 0) for word in set(row)) for row in words]
    candidates = [i for i in range(len(rows)) if weight[i]] or range(len(rows))

    shown = f"({len(rows)} of {len(rows)} rows shown)"
    left = room - table.cost + len(table.text) - len(header) - len(rule) - len(shown) - 2
    kept: list[int] = []
    for i in sorted(candidates, key=lambda i: (-weight[i], i)):
        if len(rows[i]) + 1 <= left:
            kept.append(i)
            left -= len(rows[i]) + 1
    shown = f"({len(kept)} of {len(rows)} rows shown)"
    return replace(table, text="\n".join([header, rule, *(rows[i] for i in sorted(kept)), shown]))


def _blocks(text: str, paragraph_chars: int) -> list[_Block]:
    """The text in paragraphs, each with the headings above it."""
    blocks: list[_Block] = []
    headings: list[str] = []
    for paragraph in re.split(r"\n\s*\n", _with_blank_lines(text)):
        if _HEADING.match(paragraph):
            level = paragraph.index(" ")
            headings = [*(h for h in headings if h.index(" ") < level), paragraph.strip()]
        else:
            for piece in _pieces(paragraph.strip("\n"), paragraph_chars):
                blocks.append(_Block(len(blocks), tuple(headings), piece))
    return blocks or [_Block(0, (), text)]


def _with_blank_lines(text: str) -> str:
    """Blank lines around headings and tables, where they are missing."""
    lines = text.split("\n")
    parted = lines[:1]
    for before, line in pairwise(lines):
        at_table_edge = before.startswith("|") != line.startswith("|")
        if _HEADING.match(before) or _HEADING.match(line) or at_table_edge:
            parted.append("")
        parted.append(line)
    return "\n".join(parted)


def _pieces(paragraph: str, size: int) -> list[str]:
    """A table or short paragraph as it is; a long one cut at the last line end within ``size``
    characters, else at the last sentence end, else at the last blank."""
    if not paragraph.strip():
        return []
    if len(paragraph) <= size or (paragraph.startswith("|") and paragraph.count("\n") > 1):
        return [paragraph]
    endings = [r"\Z", r"\n", r"[.!?]\s", r"\s", ""]
    pattern = "|".join(f".{{1,{size}}}{ending}" for ending in endings)
    pieces = re.findall(pattern, paragraph, re.DOTALL)
    return [piece.strip("\n") for piece in pieces if piece.strip()]


def terms(text: str) -> list[str]:
    """Lower-case words without accents or a plural s; words for one measure are the same word."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    found = [_singular(word) for word in _WORD.findall(unicodedata.normalize("NFC", plain))]
    return [_SAME_MEASURE.get(word, word) for word in found]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _render(blocks: list[_Block]) -> str:
    """The blocks with each heading once, and a mark where something was left out."""
    parts: list[str] = []
    shown: tuple[str, ...] = ()
    expected = 0
    for block in blocks:
        if block.position != expected:
            parts.append("…")
        common = len(
            list(
                takewhile(lambda pair: pair[0] == pair[1], zip(shown, block.headings, strict=False))
            )
        )
        parts += [*block.headings[common:], block.text]
        shown, expected = block.headings, block.position + 1
    return "\n\n".join(parts)
