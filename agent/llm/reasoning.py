"""What a reasoning model thinks before it answers, taken apart from the answer."""

import re

_OPEN, _CLOSE = "<think>", "</think>"
_PASSAGE = re.compile(rf"[^{{`]*?{_OPEN}(.*?)(?:{_CLOSE}|\Z)", re.DOTALL)
_UNOPENED = re.compile(rf"([^{{`]*?){_CLOSE}")
"""Some chat templates write the opening tag into the prompt, so that the reply lacks it."""


def split_reasoning(text: str) -> tuple[str, str]:
    """The passages between ``<think>`` tags that stand before the answer, and what comes after.

    The same tags inside the answer belong to it. A passage that is still being written counts, and
    a tag that is only half there belongs to neither.
    """
    passages, at = [], 0
    while found := _PASSAGE.match(text, at):
        passages.append(found[1])
        at = found.end()
    if not passages:
        unopened = _UNOPENED.match(text)
        return (unopened[1], text[unopened.end() :]) if unopened else ("", text)
    if not text[:at].endswith(_CLOSE):
        passages[-1] = _without_half_a_tag(passages[-1])
    return "".join(passages), text[at:]


def _without_half_a_tag(text: str) -> str:
    half = next((n for n in range(len(_CLOSE) - 1, 0, -1) if text.endswith(_CLOSE[:n])), 0)
    return text[: len(text) - half]
