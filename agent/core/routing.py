"""Which capability a question calls for, read from its words.

A small model routes no better than chance, and a call of it is seconds on a CPU. What these rules
get wrong costs one visit: the supervisor then sends the other specialist.
"""

import calendar
import re

from agent.tools.arithmetic.notation import written_sum
from agent.tools.registry import Capability

_PARTLY_SUM = re.compile(r"\d\s*\)?\s*(?:\*\*?|[×÷^])\s*\(?\s*\d")
_QUOTED = re.compile(r"'[^']*'(?!\w)|\"[^\"]*\"|\u2018[^\u2019]*\u2019|\u201c[^\u201d]*\u201d")
_ADDRESS = re.compile(r"https?://|\bwww\.")
_NAME = re.compile(r"(?<![.!?:\n] )(?<!\n)(?<!^)\b[A-Z]\w*[a-z]\w*")
"""A capitalised word that does not begin a sentence."""
_NUMBER = re.compile(
    r"\d+(?:[.,]\d+)?|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half"
    r"|hundred|thousand)\b",
    re.IGNORECASE,
)
_MANY_NUMBERS = 3
"""A question with so many is a sum told in words, whoever is named in it."""
_FEW_NUMBERS = 2
"""So many make a sum of a question that names nothing."""
_ABOUT_WORDS = re.compile(
    r"\b(?:letters?|vowels?|consonants?|words?|sentence|alphabet\w*|anagram|palindrome|spell\w*"
    r"|backwards?|revers\w+|deciphe\w+|decod\w+)\b",
    re.IGNORECASE,
)
"""What a puzzle about its own text speaks of."""
_CALENDAR = frozenset([*calendar.day_name, *calendar.month_name])


def called_for(question: str, *, has_files: bool) -> Capability | None:
    """The capability that a question calls for first, or None where its words do not tell.

    A sum is worked out and an attachment is read. Who or what has a name is looked up, unless the
    question is full of numbers. A question that names nothing is worked out where it holds numbers
    or a text of its own, and looked up where it does not.
    """
    if has_files or "download_task_file" in question:
        return "python"
    if written_sum(question) or _PARTLY_SUM.search(question):
        return "python"
    if _ADDRESS.search(question):
        return "search"
    numbers = len(_NUMBER.findall(question))
    if names(question):
        return "search" if numbers < _MANY_NUMBERS else None
    is_puzzle = _QUOTED.search(question) or _ABOUT_WORDS.search(question)
    return "python" if is_puzzle or numbers >= _FEW_NUMBERS else "search"


def names(question: str) -> list[str]:
    """The names in a question: capitalised words outside quotation marks."""
    found = _NAME.findall(_QUOTED.sub(" ", question))
    return [word for word in found if word not in _CALENDAR and not word.isupper()]
