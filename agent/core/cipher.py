"""Text in a simple disguise, made readable: backwards, words backwards, letters shifted.

A small model cannot read such a text and does not know it; counting common words tells it at once.
"""

import re
from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase

from agent.core.answer_text import word_set

_COMMON = word_set(
    "a about after all also an and any are as at be been before but by can come did do does each "
    "first for from get give had has have he her him his how i if in into is it its know like "
    "long made make many may more most much my name no not of on one only or other our out over "
    "put read said same say see she so some such take than that the their them then there these "
    "they this three time to too two under up upon us use very was way we were what when where "
    "which who whom whose why will with word words would write year you your"
)
_WORD = re.compile(r"[^\W\d_]+")
_QUOTED = re.compile(
    r"'([^']{8,})'(?!\w)|\"([^\"]{8,})\"|\u2018([^\u2019]{8,})\u2019|\u201c([^\u201d]{8,})\u201d"
)
_FEWEST_WORDS = 4
_PLAIN, _READABLE = 0.1, 0.3
"""Shares of common words: below the first a text is no English, from the second on it is."""


def readable(question: str) -> str:
    """The question as it can be read: turned round if it is written backwards as a whole; with the
    plain text added where a quoted part is in disguise; otherwise as it is."""
    if plain := decipher(question):
        return plain
    for match in _QUOTED.finditer(question):
        if plain := decipher(next(filter(None, match.groups()))):
            return f"{question} (deciphered, the quoted text is: {plain})"
    return question


def decipher(text: str) -> str:
    """The plain text, if ``text`` is no English and a disguise of it; else empty."""
    if len(_WORD.findall(text)) < _FEWEST_WORDS or _share(text) > _PLAIN:
        return ""
    best = max(_undisguised(text), key=lambda plain: (_share(plain), _begins_well(plain)))
    return best if _share(best) >= _READABLE else ""


def _undisguised(text: str) -> Iterator[str]:
    yield text[::-1]
    yield _WORD.sub(lambda word: word[0][::-1], text)
    for shift in range(1, 26):
        yield text.translate(_alphabet(shift))


def _alphabet(shift: int) -> dict[int, int]:
    shifted = [letters[shift:] + letters[:shift] for letters in (ascii_lowercase, ascii_uppercase)]
    return str.maketrans(ascii_lowercase + ascii_uppercase, "".join(shifted))


def _begins_well(text: str) -> bool:
    """Whether the first word is a common one, as in most questions: it tells words that are each
    written backwards from a whole text that is."""
    first = _WORD.search(text)
    return first is not None and first[0].casefold() in _COMMON


def _share(text: str) -> float:
    """The share of common words among the words of a text."""
    words = _WORD.findall(text.casefold())
    return sum(word in _COMMON for word in words) / max(len(words), 1)
