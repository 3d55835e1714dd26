"""Finding pages by words, as a plain search engine does: BM25 over names and text."""

import re
import unicodedata
from collections.abc import Iterable

from agent.eval.world.pages import Page

_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")
SNIPPET_CHARS = 200


class Index:
    """The pages of a world, to be searched."""

    def __init__(self, pages: Iterable[Page]) -> None:
        # BM25Okapi gives no weight to a word that half the pages hold, and a world may be small.
        from rank_bm25 import BM25Plus

        self._pages = list(pages)
        self._words = [words(" ".join([*page.names, page.plain])) for page in self._pages]
        self._scorer = BM25Plus(self._words)

    def find(self, query: str, limit: int = 10) -> list[Page]:
        """The pages that share a word with ``query``, best first."""
        asked = words(query)
        scores = self._scorer.get_scores(asked)
        matching = [i for i, found in enumerate(self._words) if not set(asked).isdisjoint(found)]
        return [self._pages[i] for i in sorted(matching, key=lambda i: -scores[i])][:limit]


def snippet(page: Page, query: str) -> str:
    """The sentence or row of ``page`` that holds most words of ``query``, and what follows it."""
    asked = set(words(query))
    sentences = _SENTENCE_END.split(page.plain)
    best = max(range(len(sentences)), key=lambda i: len(asked.intersection(words(sentences[i]))))
    text = " ".join(sentences[best:])
    return text if len(text) <= SNIPPET_CHARS else f"{text[: SNIPPET_CHARS - 2].rstrip()} …"


def words(text: str) -> list[str]:
    """Lower-case words without accents."""
    parted = unicodedata.normalize("NFKD", text.casefold())
    return _WORD.findall("".join(char for char in parted if not unicodedata.combining(char)))
