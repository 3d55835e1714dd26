"""Questions in a simple disguise are made readable, and no other is touched."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.cipher import decipher, readable
from agent.core.routing import called_for
from agent.obs.events import StepTaken
from tests.core.engine import run
from tests.servers.behaviours import Reply
from tests.servers.ollama import ScriptedOllama

PLAIN = "What is the name of the river that flows by the old town?"


def shifted(text: str, by: int) -> str:
    """Every letter replaced by the one that stands ``by`` places after it."""
    return "".join(
        chr((ord(c) - base + by) % 26 + base) if c.isalpha() else c
        for c in text
        for base in [ord("a" if c.islower() else "A")]
    )


def test_a_question_written_backwards_is_turned_round() -> None:
    assert readable(PLAIN[::-1]) == PLAIN


@given(st.integers(1, 25))
def test_shifted_letters_are_shifted_back(by: int) -> None:
    assert decipher(shifted(PLAIN, by)) == PLAIN


def test_words_that_are_each_written_backwards_are_read_in_their_order() -> None:
    words = " ".join(word[::-1] for word in PLAIN[:-1].split())
    assert decipher(words) == PLAIN[:-1]


def test_a_quoted_part_in_disguise_is_added_in_plain_text() -> None:
    hidden = shifted(PLAIN, 5)
    question = f"Decode the message '{hidden}' and answer it."
    assert readable(question) == f"{question} (deciphered, the quoted text is: {PLAIN})"
    assert called_for(readable(question), has_files=False) == called_for(question, has_files=False)


@pytest.mark.parametrize(
    "question",
    [
        PLAIN,
        "Who wrote 'The Long Ebb of the Tamsel'?",
        "Wie heißt der Fluss, der durch Varnholt fließt?",
        "Quel est le nom de la rivière qui traverse la vieille ville ?",
        "この川の名前は何ですか",
        "xkcd qwrtz pfgh jklm",
        "17*23",
        "",
    ],
)
def test_what_is_no_disguise_stays_as_it_is(question: str) -> None:
    assert readable(question) == question


@given(st.text(max_size=60))
def test_whatever_is_asked_nothing_breaks(question: str) -> None:
    assert readable(question) == question or len(readable(question)) >= len(question.strip()) / 2


def test_the_deciphered_question_is_worked_on_and_shown_as_a_step(tmp_path: Path) -> None:
    asked = "Write the word that is the opposite of 'left' and nothing more than that."
    with ScriptedOllama([Reply("```python\nprint('right')\n```")]) as server:
        outcome = run(server, tmp_path, asked[::-1])
        assert server.chats[0].messages[-1]["content"] == asked
    first = outcome.of(StepTaken)[0]
    assert (first.step, first.action, first.args) == (-1, "decipher", {"question": asked})
    assert (outcome.result.question, outcome.result.answer) == (asked[::-1], "right")
