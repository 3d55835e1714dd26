"""The transcript, kept within the model's context window.

Ollama drops the oldest text of a prompt that is too long, the system prompt first, and answers as
if nothing had happened. So prompts are measured here and shortened here, in one large block at a
time: each shortening costs a full reading of the prompt, and the beginning (system prompt and
question) always stays.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

CHARS_PER_TOKEN = 3.5
"""A cautious first estimate for English and JSON; corrected by what servers report."""
TOKENS_PER_TURN = 6
"""What a chat template adds to each turn (Llama 3 and ChatML: 4 to 6)."""
KEEP_SHARE = 0.5
"""Share of the room for turns that is left filled after shortening."""
_DROPPED = "(Earlier steps were left out here to save room.)"


@dataclass
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
    _chars_per_token: float = CHARS_PER_TOKEN
    _counted: dict[str, int] = field(default_factory=dict)

    def append_user(self, text: str) -> None:
        """Add to the user's side; joined to the last turn if that is the user's, since some chat
        templates insist on alternation."""
        if self.turns and self.turns[-1].role == "user":
            self.turns[-1] = Turn("user", f"{self.turns[-1].text}\n\n{text}")
        else:
            self.turns.append(Turn("user", text))

    def append_reply(self, text: str) -> None:
        """Add the model's reply as it was written, so that the server finds it in its cache."""
        self.turns.append(Turn("assistant", text))

    def fit(self) -> "list[BaseMessage]":
        """The messages to send, after dropping a block of old turns if they do not fit."""
        room = self.num_ctx - self.reserve
        if self._size() > room and len(self.turns) > 2:
            self._drop_block(int(room * KEEP_SHARE))
        return self._messages()

    def tokens(self, messages: "list[BaseMessage]") -> int:
        """How many tokens ``messages`` are, by the model's tokenizer or by estimate."""
        return sum(self.estimate(str(m.content)) + TOKENS_PER_TURN for m in messages)

    def estimate(self, text: str) -> int:
        """How many tokens ``text`` is, by the model's tokenizer or by estimate."""
        if self.count is None:
            return round(len(text) / self._chars_per_token)
        if text not in self._counted:
            self._counted[text] = self.count(text)
        return self._counted[text]

    def calibrate(self, estimated: int, reported: int) -> None:
        """Learn from the prompt size that a server reported how long its tokens are.

        Reports of less than half the estimate are left out: they count only what was not cached.
        """
        if self.count is None and estimated and reported > estimated / 2:
            self._chars_per_token *= estimated / reported

    def _drop_block(self, target: int) -> None:
        """Leave the first user turn and as many of the last turns as fit ``target`` tokens."""
        head, rest = self.turns[0], self.turns[1:]
        while len(rest) > 1 and self._size([head, *rest]) > target:
            rest = rest[1:]
        while rest[0].role == "assistant" and len(rest) > 1:
            rest = rest[1:]
        note = Turn("user", f"{head.text}\n\n{_DROPPED}".replace(f"\n\n{_DROPPED}" * 2, _DROPPED))
        self.turns = [note]
        for turn in rest:
            if turn.role == "user":
                self.append_user(turn.text)
            else:
                self.append_reply(turn.text)

    def _size(self, turns: list[Turn] | None = None) -> int:
        texts = [self.system, *(t.text for t in (self.turns if turns is None else turns))]
        return sum(self.estimate(text) + TOKENS_PER_TURN for text in texts)

    def _messages(self) -> "list[BaseMessage]":
        from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

        kinds = {"user": HumanMessage, "assistant": AIMessage}
        turns = [kinds[turn.role](turn.text) for turn in self.turns]
        return [SystemMessage(self.system), *turns]
