"""The transcript, kept within the model's context window.

Ollama drops the oldest text of a prompt that is too long, the system prompt first, and answers as
if nothing had happened. So prompts are measured here and shortened here, in one large block at a
time: each shortening costs a full reading of the prompt, and the beginning (system prompt and
question) always stays.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

CHARS_PER_TOKEN = 3.5
"""A cautious first estimate for English and JSON; corrected by what servers report."""
CHARS_PER_TOKEN_RANGE = (1.0, 5.0)
"""What can be learned: from Chinese or digits, to plain English prose (4 to 4.5)."""
TOKENS_PER_TURN = 6
"""What a chat template adds to each turn (Llama 3 and ChatML: 4 to 6)."""
ESTIMATE_MARGIN = 0.05
"""Share of the window that is left empty where tokens can only be estimated."""
KEEP_SHARE = 0.5
"""Share of the room for turns that is left filled after shortening."""
_CUT_TOKENS = 25
"""About what the line takes that stands for what was cut out."""
_DROPPED = "(Earlier steps were left out here to save room.)"


@dataclass(frozen=True)
class Turn:
    """One message of the transcript."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass
class Window:
    """An append-only transcript that fits ``num_ctx`` tokens less ``reserve`` for the reply."""

    system: str
    num_ctx: int
    reserve: int
    count: Callable[[str], int] | None = None
    """The model's own tokenizer, where it can be asked."""
    turns: list[Turn] = field(default_factory=list)
    _has_dropped: bool = False
    _chars_per_token: float = CHARS_PER_TOKEN
    _counted: dict[str, int] = field(default_factory=dict)

    def append_user(self, text: str) -> None:
        """Add to the user's side. What is added first is the question and always stays."""
        self.turns.append(Turn("user", text))

    def append_reply(self, text: str) -> None:
        """Add the model's reply as it was written, so that the server finds it in its cache."""
        self.turns.append(Turn("assistant", text))

    def fit(self) -> "list[BaseMessage]":
        """The messages to send, after shortening if they do not fit.

        They fit whenever the system prompt leaves room for a few lines.
        """
        if self.turns and self.tokens > self._room:
            self._drop_block()
            self._cut_long_turns()
        return self._messages()

    @property
    def tokens(self) -> int:
        """How many tokens the whole prompt is, by the model's tokenizer or by estimate."""
        note = [Turn("user", _DROPPED)] if self._has_dropped else []
        return self._size([Turn("system", self.system), *note, *self.turns])

    def estimate(self, text: str) -> int:
        """How many tokens ``text`` is, by the model's tokenizer or by estimate."""
        if self.count is None:
            return round(len(text) / self._chars_per_token)
        if text not in self._counted:
            self._counted[text] = self.count(text)
        return self._counted[text]

    def calibrate(self, reported: int) -> None:
        """Learn how long the model's tokens are from the size that a server reports of the prompt
        as it is now."""
        chars = len(self.system) + sum(len(turn.text) for turn in self.turns)
        text_tokens = reported - (len(self.turns) + 1) * TOKENS_PER_TURN
        if self.count is None and text_tokens > 0:
            low, high = CHARS_PER_TOKEN_RANGE
            self._chars_per_token = min(max(chars / text_tokens, low), high)

    @property
    def _room(self) -> int:
        margin = self.num_ctx * ESTIMATE_MARGIN if self.count is None else 0
        return int(self.num_ctx - self.reserve - margin)

    def _drop_block(self) -> None:
        """Leave the first turn, and as many of the last as fill a share of the room after it."""
        first, rest = self.turns[0], self.turns[1:]
        fixed = self._size([Turn("system", self.system), Turn("user", _DROPPED), first])
        target = (self._room - fixed) * KEEP_SHARE
        kept = rest
        while len(kept) > 1 and self._size(kept) > target:
            kept = kept[1:]
        self._has_dropped = self._has_dropped or len(kept) < len(rest)
        self.turns = [first, *kept]

    def _cut_long_turns(self) -> None:
        """Cut the first and the last turn, which are all that is left, if they are too long.

        The first gets half of what there is at most, so that it is cut once and not at each step.
        """
        excess = self.tokens - self._room
        if excess <= 0:
            return
        first, rest = self.turns[0], self.turns[1:]
        available = sum(self.estimate(turn.text) for turn in self.turns) - excess
        first = self._cut(first, available // 2)
        left = available - self.estimate(first.text)
        self.turns = [first, *(self._cut(turn, left) for turn in rest)]

    def _cut(self, turn: Turn, tokens: int) -> Turn:
        """The turn's beginning and end, and a line on what is missing, within ``tokens``."""
        text, size = turn.text, self.estimate(turn.text)
        if size <= tokens:
            return turn
        half = len(text) * max(tokens - _CUT_TOKENS, 0) // size // 2
        while True:
            missing = f"({len(text) - 2 * half} characters were left out here to save room.)"
            cut = f"{text[:half]}\n{missing}\n{text[len(text) - half :]}"
            if half == 0 or self.estimate(cut) <= tokens:
                return Turn(turn.role, cut)
            half = int(half * 0.9)

    def _size(self, turns: list[Turn]) -> int:
        return sum(self.estimate(turn.text) + TOKENS_PER_TURN for turn in turns)

    def _messages(self) -> "list[BaseMessage]":
        """System, then user and assistant in turn, as some chat templates insist."""
        from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

        kinds = {"user": HumanMessage, "assistant": AIMessage}
        first, rest = self.turns[:1], self.turns[1:]
        note = [Turn("user", _DROPPED)] if self._has_dropped else []
        merged = [
            kinds[role]("\n\n".join(turn.text for turn in turns))
            for role, turns in groupby([*first, *note, *rest], key=lambda turn: turn.role)
        ]
        return [SystemMessage(self.system), *merged]
