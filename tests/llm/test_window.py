"""The transcript and the context window: what stays, what goes, and what the server can reuse."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import BaseMessage

from agent.llm.window import ESTIMATE_MARGIN, KEEP_SHARE, TOKENS_PER_TURN, Window

SYSTEM = "You are a team that answers one question."
QUESTION = "Question: how high is K2?"
NUM_CTX, RESERVE = 2048, 400

few = settings(deadline=None, max_examples=40)


def by_words(text: str) -> int:
    """A tokenizer: two tokens a word and one for each other character that is no space."""
    return sum(2 if word.isalnum() else len(word) for word in text.split())


def new_window(*, exact: bool = True, system: str = SYSTEM) -> Window:
    return Window(system, NUM_CTX, RESERVE, by_words if exact else None)


def size(window: Window, messages: Sequence[BaseMessage]) -> int:
    return sum(window.estimate(str(m.content)) + TOKENS_PER_TURN for m in messages)


def rendered(messages: Sequence[BaseMessage]) -> str:
    return "".join(f"<{message.type}>{message.content}" for message in messages)


def texts(n: int) -> str:
    return " ".join(f"w{i}" for i in range(n))


turn_texts = st.integers(0, 1500).map(texts) | st.text(max_size=300) | st.just("1+" * 3000)
dialogues = st.lists(st.tuples(st.booleans(), turn_texts), max_size=25)


@few
@given(dialogues, st.booleans(), st.integers(0, 1500).map(texts))
def test_every_prompt_fits_and_keeps_what_must_stay(
    dialogue: list[tuple[bool, str]], exact: bool, question_tail: str
) -> None:
    window = new_window(exact=exact)
    window.append_user(f"{QUESTION}\n{question_tail}\nUse the tools.")
    for replied, text in dialogue:
        if replied:
            window.append_reply("{}")
        window.append_user(f"Result: {text} End.")
        messages = window.fit()
        assert size(window, messages) <= NUM_CTX - RESERVE
        assert messages[0].content == SYSTEM
        assert QUESTION in messages[1].content
        assert "Use the tools." in messages[1].content
        assert str(messages[-1].content).endswith("End.")
        assert [m.type for m in messages[1:]] == ["human", "ai"] * (len(messages) // 2 - 1) + [
            "human"
        ]


@few
@given(st.lists(st.integers(0, 250), min_size=1, max_size=40), st.booleans())
def test_a_prompt_begins_with_the_one_before_except_after_a_large_drop(
    words: list[int], exact: bool
) -> None:
    window = new_window(exact=exact)
    window.append_user(QUESTION)
    window.append_user("Go on.")
    before, drops, appended = "", 0, 0
    for n in words:
        now = rendered(window.fit())
        if not now.startswith(before):
            drops += 1
            room = NUM_CTX - RESERVE
            assert window.tokens <= room * KEEP_SHARE + 400
        before = now
        window.append_reply("{}")
        window.append_user(texts(n))
        appended += window.estimate(texts(n)) + 2 * TOKENS_PER_TURN + 2
    freed_by_each = (NUM_CTX * (1 - ESTIMATE_MARGIN) - RESERVE) * (1 - KEEP_SHARE) - 600
    assert drops <= 1 + appended / freed_by_each


def test_a_drop_says_so_once_and_keeps_the_newest() -> None:
    window = new_window()
    window.append_user(QUESTION)
    for n in range(60):
        window.append_reply(f"reply {n}")
        window.append_user(f"Result {n}: {texts(50)}")
        messages = window.fit()
    prompt = rendered(messages)
    assert prompt.count("Earlier steps were left out") == 1
    assert str(messages[1].content).startswith(QUESTION)
    assert "Result 59:" in prompt
    assert "Result 1:" not in prompt


@pytest.mark.parametrize("exact", [True, False])
def test_an_attachment_of_fifty_pages_in_the_question_is_cut_in_the_middle(exact: bool) -> None:
    window = new_window(exact=exact)
    window.append_user(f"{QUESTION}\n{texts(25_000)}\nWho works next?")
    first = window.fit()
    question = str(first[1].content)
    assert question.startswith(QUESTION)
    assert question.endswith("Who works next?")
    assert "characters were left out here to save room" in question
    window.append_reply("{}")
    window.append_user(texts(50))
    assert rendered(window.fit()).startswith(rendered(first))


def test_a_result_that_is_too_long_is_cut_in_the_middle() -> None:
    window = new_window()
    window.append_user(QUESTION)
    window.append_reply("{}")
    window.append_user(f"Result of read_file: {texts(5000)} Allowed action: finish.")
    messages = window.fit()
    last = str(messages[-1].content)
    assert "Result of read_file: w0" in last
    assert last.endswith("Allowed action: finish.")
    assert "characters were left out here" in last
    assert size(window, messages) > (NUM_CTX - RESERVE) * 0.8


def test_what_fits_is_sent_as_it_is() -> None:
    window = new_window()
    window.append_user(QUESTION)
    window.append_user("Go on.")
    window.append_reply('{"a": 1}')
    window.append_user("Result: 1")
    assert rendered(window.fit()) == (
        f'<system>{SYSTEM}<human>{QUESTION}\n\nGo on.<ai>{{"a": 1}}<human>Result: 1'
    )


@given(st.floats(1.2, 4.9), st.integers(500, 5000))
@few
def test_the_estimate_learns_the_length_of_tokens(chars_per_token: float, chars: int) -> None:
    window = new_window(exact=False)
    window.append_user("x" * chars)
    for _ in range(2):
        true_size = round((chars + len(SYSTEM)) / chars_per_token) + 2 * TOKENS_PER_TURN
        window.calibrate(true_size)
        assert window.tokens == pytest.approx(true_size, abs=3)
        window.append_user("x" * 100)
        chars += 100


@pytest.mark.parametrize("reported", [0, 1, 5, 10_000_000])
def test_an_absurd_report_does_not_spoil_the_estimate(reported: int) -> None:
    window = new_window(exact=False)
    window.append_user("x" * 1000)
    window.calibrate(reported)
    assert 1000 / 5 <= window.estimate("x" * 1000) <= 1000


def test_the_models_own_tokenizer_is_asked_once_a_text_and_never_corrected() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text)

    window = Window(SYSTEM, NUM_CTX, RESERVE, count)
    window.append_user(QUESTION)
    window.fit()
    window.fit()
    window.calibrate(10)
    assert window.estimate(QUESTION) == len(QUESTION)
    assert asked == [SYSTEM, QUESTION]
