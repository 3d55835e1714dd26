"""The report: right sums, both plots, and nothing a stranger says as markup."""

import io
from pathlib import Path

import pytest
from PIL import Image

from agent.eval.report import Run, write_report
from tests.eval.scripted import Scripted, benchmark, run

FIVE = benchmark(5)
ODD = {
    FIVE.tasks[0].question: {"answer": "17.", "llm_calls": 10},
    FIVE.tasks[1].question: {"answer": "<img src=x onerror=alert(1)>", "seconds": 9.0},
    FIVE.tasks[2].question: ValueError("a bug"),
    FIVE.tasks[3].question: {"answer": "", "status": "timed_out"},
}


def test_a_run_is_added_up(tmp_path: Path) -> None:
    runner, _ = run(tmp_path, Scripted(ODD), FIVE)
    totals = Run.read(FIVE, runner.cache).totals
    assert (totals.answered, totals.llm_calls, totals.tool_calls) == (3, 19, 4)
    assert (totals.tokens_in, totals.tokens_cached, totals.tokens_out) == (3600, 2400, 240)
    assert (totals.seconds, totals.cost) == (13.5, 0.004)
    assert totals.statuses == {"answered": 3, "failed": 1, "timed out": 1}
    assert totals.failures == {"program": 1}
    right = Run.read(FIVE, runner.cache).right()
    assert right is not None and (right.gaia, right.course) == (2, 1)


def test_the_page_says_it_all_and_its_plots_are_pictures(tmp_path: Path) -> None:
    runner, _ = run(tmp_path / "cache", Scripted(ODD), FIVE)
    page = write_report(tmp_path / "report", FIVE, runner.cache).read_text()
    assert "read 4.0 s at 300 tokens/s, wrote 12.0 s at 20 tokens/s" in page
    assert "$0.004 simulated" in page
    for words in ("3 of 5", "19", "1 × program", "3 answered", "right for GAIA alone", "timed out"):
        assert words in page
    assert "<img src=x" not in page and "&lt;img src=x" in page
    assert page.count("data:image/png;base64,") == 2
    plots = sorted((tmp_path / "report").glob("*.png"))
    assert [path.stem for path in plots] == ["answers-over-calls", "seconds-per-question"]
    for plot in plots:
        picture = Image.open(io.BytesIO(plot.read_bytes())).convert("L")
        assert min(picture.size) > 300 and len(set(picture.tobytes())) > 50


def test_two_runs_stand_side_by_side(tmp_path: Path) -> None:
    first, _ = run(tmp_path, Scripted(ODD), FIVE)
    second, _ = run(tmp_path, Scripted(), FIVE, num_ctx=4096)
    page = write_report(tmp_path / "report", FIVE, first.cache, second.cache).read_text()
    assert "<td>3 of 5</td><td>5 of 5</td>" in page
    assert page.count('<td class="status">') == 10


@pytest.mark.parametrize("asked", [0, 1])
def test_a_run_that_has_hardly_begun_has_a_report(asked: int, tmp_path: Path) -> None:
    runner, _ = run(tmp_path, Scripted(), benchmark(asked or 1))
    if not asked:
        next(runner.cache.tasks.iterdir()).unlink()
    page = write_report(tmp_path / "report", FIVE, runner.cache).read_text()
    assert f"{asked} of 5" in page and "not asked" in page
