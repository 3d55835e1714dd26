"""What ``valid_for`` builds is accepted by pydantic, which made the schema."""

from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from tests.servers.schema import valid_for


class Progress(BaseModel):
    model_config = ConfigDict(extra="forbid")

    evidence: str = Field(max_length=10)
    verdict: Literal["progress", "stuck", "done"]


class Search(BaseModel):
    model_config = ConfigDict(extra="forbid")

    progress_check: Progress
    action: Literal["web_search"]
    query: str = Field(min_length=3, max_length=12)
    pages: Annotated[list[int], Field(min_length=2, max_length=3)]


class Finish(BaseModel):
    model_config = ConfigDict(extra="forbid")

    progress_check: Progress
    action: Literal["finish"]
    answer: str
    sure: bool
    share: float = Field(gt=0, lt=1)
    count: int = Field(gt=2, le=9)
    note: str | None = None


class Step(BaseModel):
    model_config = ConfigDict(extra="forbid")

    step: Search | Finish


SCHEMA = Step.model_json_schema()

any_value = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just("finish")
any_preference = any_value | st.lists(any_value) | st.dictionaries(st.text(), any_value)
names = sorted({*Search.model_fields, *Finish.model_fields, *Progress.model_fields, "step"})


@given(st.dictionaries(st.sampled_from(names), any_preference))
def test_whatever_is_preferred_the_result_fits(preferences: dict[str, object]) -> None:
    Step.model_validate(valid_for(SCHEMA, **preferences), strict=True)


@given(
    kind=st.sampled_from(["number", "integer"]),
    lower=st.sampled_from(["minimum", "exclusiveMinimum"]),
    upper=st.sampled_from(["maximum", "exclusiveMaximum"]),
    low=st.floats(-1000, 1000),
    width=st.floats(2.1, 1000),
    wanted=any_value,
)
def test_numbers_keep_within_their_bounds(
    kind: str, lower: str, upper: str, low: float, width: float, wanted: object
) -> None:
    high = low + width
    number = {"type": kind, lower: low, upper: high}
    schema = {"type": "object", "properties": {"n": number}, "required": ["n"]}
    n = valid_for(schema, n=wanted)["n"]
    assert n >= low if lower == "minimum" else n > low
    assert n <= high if upper == "maximum" else n < high
    assert isinstance(n, int) or kind == "number"


@pytest.mark.parametrize("action", ["web_search", "finish"])
def test_the_branch_of_the_preferred_action_is_taken(action: str) -> None:
    assert valid_for(SCHEMA, action=action)["step"]["action"] == action


def test_an_action_that_is_not_on_offer_is_passed_over() -> None:
    assert valid_for(SCHEMA, action="calculator")["step"]["action"] == "web_search"


def test_preferences_reach_inside_and_optional_properties_come_only_when_preferred() -> None:
    plain = valid_for(SCHEMA, action="finish", answer="391", verdict="done")["step"]
    assert plain["answer"] == "391"
    assert plain["progress_check"]["verdict"] == "done"
    assert "note" not in plain
    noted = valid_for(SCHEMA, step={"action": "finish", "note": "sure"})["step"]
    assert noted["note"] == "sure"
