"""The story: the same, however its events come."""

from hypothesis import given
from hypothesis import strategies as st

from agent.obs.events import (
    CallStarted,
    Event,
    ModelProgress,
    ModelReady,
    RunFinished,
    RunStarted,
    Source,
    Thinking,
    ToolFinished,
    ToolStarted,
)
from agent.ui.story import Story
from tests.ui.played import play

QUESTIONS = ["What is 17*23?", "spend", "hostile", "fail"]


def test_a_run_is_told_step_by_step() -> None:
    story = Story.of(play("What is 17*23?"))
    assert [step.role for step in story.steps] == ["supervisor", "code_agent", "code_agent"]
    assert [step.taken.action for step in story.steps if step.taken] == [
        "code_agent",
        "calculator",
        "finish",
    ]
    [use] = story.steps[1].tools
    assert use.finished and use.finished.text == "391"
    assert story.spent and story.spent.llm_calls == 3
    assert story.result and story.result.answer == "391"
    assert story.is_over


@given(st.sampled_from(QUESTIONS), st.data())
def test_a_story_taken_up_in_the_middle_ends_the_same(question: str, data: st.DataObject) -> None:
    events = play(question)
    cut = data.draw(st.integers(0, len(events)))
    story = Story.of(events[:cut])
    for event in events[cut:]:
        story.add(event)
    assert story == Story.of(events)


def test_a_thought_grows_piece_by_piece() -> None:
    story = Story.of([CallStarted(step=1, role="web_agent")])
    for piece, so_far in (("I ", "I "), ("will ", "I will "), ("look", "I will look")):
        story.add(Thinking(step=1, text=piece))
        assert story.steps[0].thought == so_far


def test_waiting_ends_with_the_model_or_with_the_first_call() -> None:
    for ending in (ModelReady(model="m"), CallStarted(step=1, role="supervisor")):
        story = Story.of([RunStarted(run_id="a", question="q"), ModelProgress(text="2nd in line")])
        assert story.waiting
        story.add(ending)
        assert story.waiting is None


def test_an_answer_from_earlier_needs_no_start() -> None:
    events: list[Event] = [
        CallStarted(step=1, role="web_agent"),
        ToolFinished(step=1, name="wikipedia", ok=True, text="again", cached=True),
    ]
    [use] = Story.of(events).steps[0].tools
    assert use.started.name == "wikipedia"
    assert use.finished and use.finished.text == "again"


def test_results_go_to_their_own_calls() -> None:
    story = Story.of(
        [
            ToolStarted(step=1, name="a", args={"n": 1}),
            ToolStarted(step=1, name="b", args={"n": 2}),
            ToolFinished(step=1, name="b", ok=True, text="of b"),
            ToolFinished(step=1, name="a", ok=True, text="of a"),
        ]
    )
    texts = [use.finished.text for use in story.steps[0].tools if use.finished]
    assert texts == ["of a", "of b"]


def test_a_source_is_named_once_and_the_result_has_the_last_word() -> None:
    page, other = Source(url="https://a.example/1"), Source(url="https://b.example/2")
    found = ToolFinished(step=1, name="web_search", ok=True, text="", sources=(page, page, other))
    story = Story.of([found, found])
    assert story.sources == [page, other]
    [*_, finished] = play("What is 17*23?")
    assert isinstance(finished, RunFinished)
    result = finished.result.model_copy(update={"sources": (other,)})
    story.add(RunFinished(result=result))
    assert story.sources == [other]
