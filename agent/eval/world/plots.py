"""The report's plots, as PNG: what was right, and what it took."""

from collections.abc import Sequence

from agent.eval.plots import COLORS, WIDTH_IN, png
from agent.eval.world.report import Figures, Report


def right_by_group(reports: Sequence[Report]) -> bytes:
    """The share that is right by the course's rule, with its 95 % interval, by category and
    level."""
    from matplotlib.figure import Figure

    groups = _groups(reports[0])
    figure = Figure(figsize=(WIDTH_IN, 1.2 + 0.42 * len(groups)), layout="constrained")
    axes = figure.subplots()
    thickness = 0.8 / len(reports)
    series = zip(reports, _labels(reports), COLORS, strict=False)
    for place, (report, label, color) in enumerate(series):
        rights = [
            _groups(report)[name].course if name in _groups(report) else None for name in groups
        ]
        rows = [
            (row + (place - (len(reports) - 1) / 2) * thickness, right)
            for row, right in enumerate(rights)
            if right is not None
        ]
        shares = [100 * right.count / right.n for _, right in rows]
        below = [share - 100 * right.low for share, (_, right) in zip(shares, rows, strict=True)]
        above = [100 * right.high - share for share, (_, right) in zip(shares, rows, strict=True)]
        axes.barh(
            [row for row, _ in rows],
            shares,
            height=thickness,
            xerr=[below, above],
            error_kw={"ecolor": "#334155", "elinewidth": 1, "capsize": 2},
            label=label,
            color=color,
        )
    axes.set_yticks(range(len(groups)), [f"{name} ({f.n})" for name, f in groups.items()])
    axes.invert_yaxis()
    axes.set(xlabel="Right, %, with 95 % interval", title="Right by the course's rule")
    axes.set_xlim(0, 100)
    return png(figure, legend=len(reports) > 1)


def seconds_over_calls(reports: Sequence[Report]) -> bytes:
    """Each question by its model calls and its seconds."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(WIDTH_IN, 3.6), layout="constrained")
    axes = figure.subplots()
    for report, label, color in zip(reports, _labels(reports), COLORS, strict=False):
        axes.scatter(
            [outcome.llm_calls for outcome in report.questions],
            [outcome.seconds for outcome in report.questions],
            label=label,
            color=color,
            alpha=0.6,
        )
    axes.set(xlabel="Model calls", ylabel="Seconds", title="Calls and time, one point a question")
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return png(figure, legend=len(reports) > 1)


def _labels(reports: Sequence[Report]) -> list[str]:
    """Each report's name; where one name is on several, with the time at which it was made."""
    names = [report.name for report in reports]
    if len(set(names)) == len(names):
        return names
    return [f"{report.name}, {report.made[:16].replace('T', ' ')}" for report in reports]


def _groups(report: Report) -> dict[str, Figures]:
    return {"all": report.total, **report.by_level, **report.by_category}
