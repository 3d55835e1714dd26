"""An answer that says the question again is none.

Models that do not find what they look for name what it was looked for in: asked for the mother of
Ada Rook they answer "Ada Rook".
"""

import re

from agent.agents.work import Work

_LOOKS_UP = frozenset({"web_search", "wikipedia", "scrape_webpage", "youtube_transcript"})
_CHOICE = re.compile(
    r"\bor\b|\b[Ww]hich of\b|\bbetween\b|\bof the (?:two|three|four|five)\b"
    r"|[A-Z][\w.]* and [A-Z]|['\"\u2018\u201c]"
)
"""What may be answered with the question's own words: an offered choice, a quoted text."""
_WORD = re.compile(r"\w+")
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve"
_DIGITS = {word: str(number) for number, word in enumerate(_NUMBERS.split())}


def only_repeats(answer: str, work: Work) -> bool:
    """Whether ``answer`` to what was looked up says nothing that the question does not say, where
    that offers no choice."""
    if _CHOICE.search(work.question) or any(o.tool not in _LOOKS_UP for o in work.evidence):
        return False
    return words(answer) <= words(work.question)


def words(text: str) -> set[str]:
    """The words of a text, a small number the same in letters and in digits."""
    return {_DIGITS.get(word, word) for word in _WORD.findall(text.casefold())}
