"""What surrounds an answer and is no part of it: prefixes, markdown, LaTeX, quotes, a full stop.

Each rule takes a text and returns it, shorter or the same. A rule that is not certain leaves the
text as it is: a right answer must never be damaged.
"""

import re


def word_set(words: str) -> frozenset[str]:
    """Words written with spaces between them, as a set."""
    return frozenset(words.split())


_PREFIX = re.compile(
    r"^\s*(?:(?:so|thus|therefore|hence)[,\s]+)?(?:(?:my|the)\s+)?(?:final\s+|correct\s+)*"
    r"answers?(?:\s+(?:is|was|are)\b\s*:?|\s*[:=]|\s+[-–—](?=\s))\s*(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)
_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_LINK = re.compile(
    r"!?\[([^\[\]]+)\]\((?:https?://|mailto:|/|#|\./)[^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)"
)
_STARS = re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^\n*]*[^\s*])\1(?![\w*])")
_UNDERSCORES = re.compile(r"(?<!\w)_(?=[^\s_])([^_\n]*[^\s_])_(?!\w)")
_HEADING = re.compile(r"^#{1,6}[ \t]+(?=\S)", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*(?:[-*•][ \t]+)+(?=\S)")
_DASH_NUMBER = re.compile(r"[ \t]*(?:[-*•][ \t]+)*-[ \t]+[\d.]")
_NUMBERED = re.compile(r"^[ \t]*(\d+)[.)][ \t]+(?=\S)")
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_MATH = re.compile(r"\A(?:\$\$?([^$]+)\$\$?|\\\((.+)\\\)|\\\[(.+)\\\])\Z", re.DOTALL)
_LATEX_TEXT = re.compile(r"\\(?:text|mathrm|textbf|mathbf)\{([^{}]*)\}")

_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "'": "'", "‘": "’"}
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")

_INITIALS = re.compile(r"\(?(?:[^\W\d_]{1,3}\.){2,}|[^\W\d_]\.")
_ABBREVIATIONS = word_set(
    "al. assn. ave. blvd. bros. co. corp. dept. dr. esq. est. etc. ft. inc. intl. jr. ltd. mt. "
    "rd. sr. st. univ. vs."
)

_REFUSAL = re.compile(
    r"\A\W*(?:n/?a|nan|none|null|unknown|undetermined|not? (?:answer|information|data|results?)\b.*"
    r"|error\b.*|(?:it (?:is|was) )?(?:unclear|not (?:known|found|available|applicable|specified"
    r"|stated|mentioned|provided|sure|enough|given|possible)\b.*))\W*\Z"
    r"|\b(?:i|we) (?:do not|don['’]t|can ?not|can['’]t|could not|couldn['’]t|was not able|am not"
    r"|am unable|was unable|were unable|have no|did not find|didn['’]t) (?:\w+ ){0,2}?"
    r"(?:know|find|found|determine|answer|have|access|see|provide|verify|identify|locate|tell|able"
    r"|information|data)\b"
    r"|\b(?:unable|not able|impossible) to (?:determine|find|answer|identify|verify|provide|locate)"
    r"|\b(?:can ?not|could not) be (?:determined|found|answered|identified|verified)\b"
    r"|\binsufficient (?:information|data|evidence)\b|\bas an ai\b",
    re.IGNORECASE | re.DOTALL,
)
_OPENING = re.compile(r"(?:I|It|There|This|These|They|Based on|According to)\s+[a-z]")
_FINITE_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|does|did|can|could|will|would)\b")
_SENTENCE_BREAK = re.compile(r"\b[a-z]{3,}[.!?]\s+[A-Z][a-z]")
_MOST_WORDS = 15
"""More words than this, with no comma among them, are taken for a sentence."""


def peel(text: str, *, keep_quotes: bool = False, keep_period: bool = False) -> str:
    """The text without what surrounds it; line breaks inside it stay."""
    while True:
        peeled = strip_prefix(strip_markdown(strip_latex(text.strip()))).strip()
        if not keep_quotes:
            peeled = strip_quotes(peeled)
        if not keep_period:
            peeled = strip_period(peeled)
        if peeled == text:
            return text
        text = peeled


def strip_prefix(text: str) -> str:
    """What follows the last "FINAL ANSWER:", "The answer is" or the like at a line's beginning."""
    *_, last = [None, *_PREFIX.finditer(text)]
    return text[last.end() :] if last else text


def strip_markdown(text: str) -> str:
    """The text without code marks, links, emphasis, headings and bullets.

    Stars inside a word or a product (``M*A*S*H``, ``2*3``), ``__init__``, ``C#`` and ``#5`` stay.
    """
    text = _FENCE.sub(r"\1", text)
    text = _LINK.sub(r"\1", _CODE.sub(r"\1", text))
    text = _UNDERSCORES.sub(r"\1", _STARS.sub(r"\2", text))
    return _strip_bullets(_HEADING.sub("", text))


def _strip_bullets(text: str) -> str:
    """Remove bullets; a dash before a number is one only if several lines have it, since it may
    be a minus, and numbering only if it counts up from 1 over several lines."""
    lines = [line for line in text.splitlines() if line.strip()]
    several = len(lines) > 1
    numbers = [match and match[1] for match in map(_NUMBERED.match, lines)]
    if several and numbers == [str(place) for place in range(1, len(lines) + 1)]:
        return "\n".join(_NUMBERED.sub("", line) for line in lines)
    all_bullets = several and all(map(_BULLET.match, lines))
    return "\n".join(
        line if _DASH_NUMBER.match(line) and not all_bullets else _BULLET.sub("", line)
        for line in text.splitlines()
    )


def strip_latex(text: str) -> str:
    r"""The content of the last ``\boxed{}``, or of ``$...$`` around the whole text."""
    boxed = _BOXED.findall(text)
    if boxed and boxed[-1].strip():
        text = boxed[-1]
    if math := _MATH.match(text):
        text = next(group for group in math.groups() if group)
    return _LATEX_TEXT.sub(r"\1", text)


def strip_quotes(text: str) -> str:
    """The text without quotes around the whole of it; two quotations in a row stay."""
    if len(text) < 3 or _QUOTES.get(text[0]) != text[-1]:
        return text
    inside = text[1:-1]
    if any(mark in _APOSTROPHE.sub("", inside) for mark in (text[0], text[-1])):
        return text
    return inside.strip() or text


def strip_period(text: str) -> str:
    """The text without its full stop, unless that belongs to "U.S.", "Inc.", "Louis C.K."."""
    if not text.endswith(".") or text.endswith("..") or len(text) < 2:
        return text
    last = text.split()[-1]
    is_option_letter = len(text) == 2
    if not is_option_letter and (last.lower() in _ABBREVIATIONS or _INITIALS.fullmatch(last)):
        return text
    return text[:-1].rstrip()


def is_refusal(text: str) -> bool:
    """Whether the text says that there is no answer."""
    return bool(_REFUSAL.search(text))


def is_sentence(text: str) -> bool:
    """Whether the text reads as a sentence. Titles ("The Moon Is a Harsh Mistress") do not, since
    their verbs are capitalised; a doubtful text counts as a sentence."""
    words = text.split()
    if len(words) > _MOST_WORDS and not re.search("[,;]", text):
        return True
    if len(words) < 3:
        return False
    return bool(
        _OPENING.match(text)
        or _SENTENCE_BREAK.search(text)
        or (len(words) > 3 and _FINITE_VERB.search(text))
    )
