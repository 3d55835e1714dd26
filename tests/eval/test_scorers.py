"""Both scorers, row by row as the originals judge, and what holds between them."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agent.eval.scorers import is_right_for_course, is_right_for_gaia, judge

ROWS = [
    # answers, truth, right for GAIA, right for the course
    (["17.0", "17.", "17%", "$17"], "17", True, False),
    (["100 %"], "100", True, False),
    ([" 17 ", "17"], "17", True, True),
    (["17 km", "1 7", "seventeen", "€17", "(17)", ""], "17", False, False),
    (["17,000", "1.7e4", "17_000"], "17000", True, False),
    (["17.000", "17 000"], "17000", False, False),
    (["4.6"], "+4.6", True, False),
    (["0.30000000000000004"], "0.3", False, False),
    (["$1,050.00", "1050"], "1050.00", True, False),
    (["1,234"], "1,234", True, True),
    (["1234"], "1,234", False, False),
    (["a,b", "A ; B"], "a, b", True, False),
    (["b, a", "a, b, c", "a, b,", "a, b.", "a and b", "[a, b]"], "a, b", False, False),
    (["$3, 4%"], "3,4", True, False),
    (["3,four"], "3,4", False, False),
    (["ice cream, tea"], "icecream,tea", True, False),
    (["St. X, Y"], "St X, Y", False, False),
    (["Paris.", '"Paris"'], "Paris", True, False),
    (["PARIS\n"], "Paris", True, True),
    (["sea gull"], "seagull", True, False),
    (["a, b", "a/b"], "ab", True, False),
    (["O'Brien"], "OBrien", True, False),
    (["it’s"], "its", False, False),
    (["café"], "cafe", False, False),
    (["the Paris", "FINAL ANSWER: Paris"], "Paris", False, False),
    (["St. Petersburg"], "Saint Petersburg", False, False),
    (["nan"], "nan", False, True),
    (["abc"], "inf", True, False),
]
CASES = [(answer, *rest) for answers, *rest in ROWS for answer in answers]


@pytest.mark.parametrize(("answer", "truth", "gaia", "course"), CASES)
def test_a_row_of_the_table(answer: str, truth: str, gaia: bool, course: bool) -> None:
    assert judge(answer, truth) == (gaia, course)


SPACE = st.text(" \t\n\u00a0", max_size=2)
TRUTHS = st.one_of(
    st.text(max_size=20),
    st.floats(allow_nan=False).map(str),
    st.integers().map(str),
    st.lists(st.one_of(st.text(max_size=6), st.integers().map(str)), max_size=4).map(", ".join),
)


@given(TRUTHS, SPACE, SPACE, st.sampled_from([str, str.lower, str.upper, str.title, str.swapcase]))
def test_what_the_course_takes_gaia_takes(truth: str, before: str, after: str, case: type) -> None:
    answer = before + case(truth) + after
    assume("nan" not in truth.lower())
    assume(not set(truth + answer) & set("Σσς"))  # lower() looks at a sigma's neighbours
    assume(is_right_for_course(answer, truth))
    assert is_right_for_gaia(answer, truth)


@given(st.text(), st.text())
def test_whatever_a_model_says_is_judged(answer: str, truth: str) -> None:
    assert all(isinstance(verdict, bool) for verdict in judge(answer, truth))
