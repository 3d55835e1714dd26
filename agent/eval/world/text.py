"""Text without its markup, so that the same words are found however they are shown."""

import re

_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_RULE = re.compile(r"^\s*\|?\s*:?-{3,}[-:|\s]*$", re.MULTILINE)
_TAG = re.compile(r"</?[a-zA-Z][^>\n]*>")
_EMPHASIS = re.compile(r"[*`~\\]|(?<!\w)_|_(?!\w)")
_EDGES = re.compile(r"[#|>]")


def plain(text: str) -> str:
    """Markdown or HTML without links, tags, table rules and marks; its lines are kept."""
    text = _EMPHASIS.sub("", _TAG.sub("", _RULE.sub("", _LINK.sub(r"\1", text))))
    lines = (" ".join(_EDGES.sub(" ", line).split()) for line in text.split("\n"))
    return "\n".join(filter(None, lines))


def normalised(text: str) -> str:
    """Plain text in one line and one case: what is compared when a phrase is looked for."""
    return " ".join(plain(text).casefold().split())


def holds(text: str, phrase: str) -> bool:
    """Whether ``text`` holds ``phrase``, whatever their case, spacing and markup."""
    return normalised(phrase) in normalised(text)
