"""Whether an answer is right, by GAIA's rule and by the course's.

They differ: GAIA forgives signs, spaces and punctuation where the course compares the text. What
the course takes, GAIA takes too, but for a truth that is ``nan`` (and Greek words whose last sigma
changes its form when GAIA joins them to the next).

The rules are those of the ``question_scorer`` in smolagents' ``examples/open_deep_research`` and of
the course's scoring Space; GAIA's branch on the truth alone.
"""

import math
import re
import string
from typing import NamedTuple

_NUMBER_MARKS = str.maketrans("", "", "$%,")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_SEPARATOR = re.compile("[,;]")


class Verdict(NamedTuple):
    """Whether an answer is right by each of the two rules."""

    gaia: bool
    course: bool


def judge(answer: str, truth: str) -> Verdict:
    """Both verdicts."""
    return Verdict(gaia=is_right_for_gaia(answer, truth), course=is_right_for_course(answer, truth))


def is_right_for_course(answer: str, truth: str) -> bool:
    """The same text, but for case and the space around it."""
    return answer.strip().lower() == truth.strip().lower()


def is_right_for_gaia(answer: str, truth: str) -> bool:
    """A number equals a number, a list its members in order, other text its letters and digits."""
    if _is_number(truth):
        return _equals_number(answer, truth)
    if not _SEPARATOR.search(truth):
        return _letters(answer).translate(_PUNCTUATION) == _letters(truth).translate(_PUNCTUATION)
    given, wanted = _SEPARATOR.split(answer), _SEPARATOR.split(truth)
    return len(given) == len(wanted) and all(map(_is_same_member, given, wanted))


def _is_same_member(given: str, wanted: str) -> bool:
    """Members of a list keep their punctuation."""
    return (
        _equals_number(given, wanted) if _is_number(wanted) else _letters(given) == _letters(wanted)
    )


def _equals_number(answer: str, truth: str) -> bool:
    """No tolerance. An answer that is no number counts as infinity, as in the original."""
    digits = answer.translate(_NUMBER_MARKS)
    return (float(digits) if _is_number(digits) else math.inf) == float(truth)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _letters(text: str) -> str:
    """In lower case and without space."""
    return "".join(text.split()).lower()
