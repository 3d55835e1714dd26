"""Reading one object from a reply: what a small model writes, and what no model should."""

import json
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from agent.llm.reasoning import split_reasoning
from agent.llm.structured import ReplyError, Schema, partial_thought


class Check(BaseModel):
    evidence: str = Field(max_length=100)
    verdict: Literal["progress", "stuck", "done"]


class FirstCheck(BaseModel):
    evidence: Literal["nothing tried yet"]
    verdict: Literal["progress"]


class SearchArgs(BaseModel):
    query: str = Field(min_length=1, max_length=200)
    pages: list[int] = []


class CodeArgs(BaseModel):
    code: str = Field(max_length=2000)


class Search(BaseModel):
    thought: str
    progress_check: Check
    action: Literal["web_search"]
    args: SearchArgs


class Code(BaseModel):
    thought: str
    progress_check: FirstCheck
    action: Literal["python_repl"]
    args: CodeArgs


class Decision(BaseModel):
    progress_check: Check
    next: Literal["web_agent", "code_agent", "FINISH"]
    task: str = Field(max_length=200)
    tries: int = 0
    sure: bool = False


STEP: Schema[Any] = Schema(Search, Code)
DECISION: Schema[Any] = Schema(Decision)
SEARCH = {
    "thought": "I look it up.",
    "progress_check": {"evidence": "nothing", "verdict": "progress"},
    "action": "web_search",
    "args": {"query": "height of K2", "pages": [1, 2]},
}

few = settings(deadline=None, max_examples=25)

awkward = st.sampled_from(
    ['{"a": {', "}}", "```json", "<think>x</think>", "</think>", '\\"', "é 😀 \u2028", "a, }", "//"]
)
text = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | awkward)
words = text.map("".join).map(lambda t: t[:90])
checks = st.builds(Check, evidence=words, verdict=st.sampled_from(["progress", "stuck", "done"]))
steps = st.builds(
    Search,
    thought=words,
    progress_check=checks,
    action=st.just("web_search"),
    args=st.builds(
        SearchArgs, query=words.map(lambda q: q or "x"), pages=st.lists(st.integers(), max_size=3)
    ),
) | st.builds(
    Code,
    thought=words,
    progress_check=st.just(FirstCheck(evidence="nothing tried yet", verdict="progress")),
    action=st.just("python_repl"),
    args=st.builds(CodeArgs, code=words),
)

WRAPPERS = {
    "bare": "{}",
    "padded": " \n{}\n ",
    "fenced": "```json\n{}\n```",
    "fenced, chatty": "Here is the JSON:\n```\n{}\n```\nI hope this helps {{you}}.",
    "after reasoning": '<think>\nMaybe {{"action": "finish"}}?\n</think>\n\n{}',
    "after reasoning without its opening tag": "So the user wants a step.\n</think>\n{}",
    "after two passages of reasoning": "<think>a</think>\n<think>b</think>{}",
    "in a list": "[{}]",
    "in a name": '{{"step": {}}}',
    "before another": '{} {{"action": "other"}}',
    "after words with braces": "I fill in {{thought}} and {{action}}: {}",
}


@few
@given(steps, st.sampled_from(sorted(WRAPPERS)), st.sampled_from([None, 2]), st.booleans())
def test_whatever_surrounds_it_an_object_is_read(
    step: BaseModel, wrapper: str, indent: int | None, ascii_only: bool
) -> None:
    reply = json.dumps(step.model_dump(), indent=indent, ensure_ascii=ascii_only)
    assert STEP.read(WRAPPERS[wrapper].format(reply)) == step


plain = st.text("abc XYZ 0129.é😀-_+*/()=\n", max_size=90).map(str.strip)
plain_steps = st.builds(
    Search,
    thought=plain,
    progress_check=st.builds(Check, evidence=plain, verdict=st.just("done")),
    action=st.just("web_search"),
    args=st.builds(SearchArgs, query=plain.map(lambda q: q or "x")),
)

DAMAGES = {
    "no last brace": lambda reply: reply[:-1],
    "no last two braces": lambda reply: reply.rstrip("} \n"),
    "a trailing comma": lambda reply: reply.rstrip("} \n") + ",}}",
    "a comma after the last brace": lambda reply: reply + ",",
    "a fence that does not close": lambda reply: f"```json\n{reply[:-1]}",
    "a fence after a missing brace": lambda reply: f"```json\n{reply[:-1]}\n```",
    "raw newlines in strings": lambda reply: reply.replace("\\n", "\n"),
    "an extra brace": lambda reply: reply + "}",
}


@few
@given(plain_steps, st.sampled_from(sorted(DAMAGES)))
def test_small_damage_is_repaired(step: BaseModel, damage: str) -> None:
    assert STEP.read(DAMAGES[damage](json.dumps(step.model_dump()))) == step


@few
@given(st.text() | st.text('{}[]":,\\abc019.- \n<>/think`') | text.map("".join))
def test_no_text_raises_anything_but_a_reply_error(reply: str) -> None:
    for schema in (STEP, DECISION):
        try:
            assert schema.read(reply)
        except ReplyError as error:
            assert str(error)
    assert isinstance(partial_thought(reply), str)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
keys = st.sampled_from(["thought", "action", "Action", "args", "progress_check", "next", "tries"])


@few
@given(st.dictionaries(keys | st.text(), json_values))
def test_no_object_raises_anything_but_a_reply_error(data: dict[str, Any]) -> None:
    for schema in (STEP, DECISION):
        try:
            schema.read(json.dumps(data))
        except ReplyError:
            continue


HUGE = {
    "braces": "{" * 200_000,
    "open objects": '{"a":' * 100_000,
    "open lists": '{"a":' + "[" * 200_000,
    "braces and brackets": "{[" * 100_000,
    "an open string": '{"thought": "' + "x" * 200_000,
    "quotes": '{"a": "' + '"x" ' * 100_000,
    "whitespace": "{" + "\n" * 200_000,
    "backslashes": '{"a":"' + "\\" * 50_001,
    "no closing tag": "<think>" * 100_000,
    "a number": '{"tries": ' + "9" * 200_000 + "}",
    "exponent": '{"tries": 1e999999}',
    "a surrogate": '{"thought": "\\ud800", "action": "web_search"}',
    "raw surrogates": '{"thought": "\ud800',
}


@pytest.mark.parametrize("reply", HUGE.values(), ids=HUGE)
@pytest.mark.timeout(20)
def test_huge_nonsense_is_given_up(reply: str) -> None:
    with pytest.raises(ReplyError):
        STEP.read(reply)
    assert isinstance(partial_thought(reply), str)


@pytest.mark.timeout(20)
def test_a_huge_reply_is_read() -> None:
    reply = {**SEARCH, "thought": 'He said "{" ' * 100_000}
    assert STEP.read(f"```json\n{json.dumps(reply)}\n```").thought == reply["thought"]


NEAR_MISSES: dict[str, Any] = {
    "case and spelling of names": {
        "Thought": "I look it up.",
        "ProgressCheck": {"evidence": "nothing", "Verdict": "progress"},
        "ACTION": "web_search",
        "arguments": None,
        "args": {"qeury": "height of K2", "pages": [1, 2]},
    },
    "case and spelling of values": {
        **SEARCH,
        "action": "Web Search",
        "progress_check": {"evidence": "nothing", "verdict": "Progress."},
    },
    "arguments beside args": {
        **{key: value for key, value in SEARCH.items() if key != "args"},
        "query": "height of K2",
        "pages": [1, 2],
    },
    "one value where a list is wanted": {
        **SEARCH,
        "args": {"query": ["height of K2"], "pages": ["1", 2]},
    },
}


@pytest.mark.parametrize("reply", NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_near_misses_of_names_and_values(reply: dict[str, Any]) -> None:
    assert STEP.read(json.dumps(reply)).model_dump() == SEARCH


def test_a_text_for_args_becomes_the_first_of_them() -> None:
    args = STEP.read(json.dumps({**SEARCH, "args": "height of K2"})).args
    assert args == SearchArgs(query="height of K2")


def test_what_can_only_be_one_thing_need_not_be_said() -> None:
    step = STEP.read('{"thought": "I compute.", "action": "python_repl", "args": {"code": "1"}}')
    assert step.progress_check == FirstCheck(evidence="nothing tried yet", verdict="progress")


def test_types_that_are_nearly_right() -> None:
    reply = '{"progress_check": {"evidence": 391, "verdict": "done"}, "next": "finish", '
    decision = DECISION.read(reply + '"task": null, "tries": "3", "sure": "yes"}')
    assert decision.progress_check.evidence == "391"
    assert (decision.next, decision.task, decision.tries, decision.sure) == ("FINISH", "", 3, True)


def test_texts_are_cut_to_their_length() -> None:
    reply = {**SEARCH, "action": "python_repl", "args": {"code": "x" * 5000}}
    assert len(STEP.read(json.dumps(reply)).args.code) == 2000


def test_an_exact_name_wins_over_a_near_one() -> None:
    reply = {**SEARCH, "args": {"query": "right", "qeury": "wrong"}}
    assert STEP.read(json.dumps(reply)).args.query == "right"


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("I think it is 391.", "no JSON object"),
        ("", "no JSON object"),
        ("<think>{}</think>", "no JSON object"),
        ('{"answer": 42}', "action must be one of: web_search, python_repl"),
        ('{"action": "telepathy"}', "action must be one of: web_search, python_repl"),
        ('{"action": "web_search", "args": {"query": "x"}}', "thought: Field required"),
        (json.dumps({**SEARCH, "args": {"query": ""}}), "args.query"),
    ],
)
def test_the_error_says_what_was_wrong(reply: str, said: str) -> None:
    with pytest.raises(ReplyError, match=said):
        STEP.read(reply)


def test_the_wire_holds_nothing_that_a_grammar_does_not_need() -> None:
    wire = json.dumps(STEP.wire)
    assert not any(word in wire for word in ("$ref", "$defs", "title", "description", "2000"))
    first, second = STEP.wire["anyOf"]
    assert first["additionalProperties"] is False
    assert first["properties"]["args"]["properties"]["query"]["maxLength"] == 200
    assert second["properties"]["action"]["const"] == "python_repl"


def test_the_sketch_names_every_choice() -> None:
    assert '"verdict": "progress or stuck or done"' in STEP.sketch
    assert '"action": "web_search"' in STEP.sketch
    assert '"action": "python_repl"' in STEP.sketch


REASONING = st.text("abc \n.é😀<>/thinkTHINK{}\"'", max_size=60).filter(
    lambda t: "<think>" not in t and "</think>" not in t
)


@few
@given(steps, REASONING, st.sampled_from(["{}", "```json\n{}\n```", "Sure:\n{}\nDone {{x}}."]))
def test_the_thought_grows_with_every_character(
    step: BaseModel, reasoning: str, wrapper: str
) -> None:
    before = f"<think>{reasoning}</think>\n" if reasoning else ""
    for ascii_only in (True, False):
        reply = json.dumps(step.model_dump(), ensure_ascii=ascii_only)
        whole = before + wrapper.format(reply)
        shown = ""
        for end in range(len(whole) + 1):
            thought = partial_thought(whole[:end])
            assert thought.startswith(shown)
            shown = thought
        assert shown == reasoning + getattr(step, "thought")  # noqa: B009


def test_the_thought_shows_before_the_reply_ends() -> None:
    assert partial_thought('{"thought": "I lo') == "I lo"
    assert partial_thought('{"progress_check": {"evidence": "x"}, "task": "Find ') == "Find "
    assert partial_thought("<think>Let me s") == "Let me s"


def test_reasoning_is_taken_off_the_front_alone() -> None:
    answer = '{"thought": "the <think> tag </think>"}'
    assert split_reasoning(answer) == ("", answer)
    assert split_reasoning(f"<think>why</think>{answer}") == ("why", answer)
    assert split_reasoning("<think>why") == ("why", "")
