"""The report's two plots, as PNG. Matplotlib draws them without a screen or a browser."""

from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from agent.eval.report import Run

COLORS = ("#0f766e", "#b45309")
WIDTH_IN, _DPI = 8.0, 144


def answers_over_calls(runs: "list[Run]") -> bytes:
    """How many answers there were after so many model calls, in the order of asking."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(WIDTH_IN, 3.6), layout="constrained")
    axes = figure.subplots()
    for run, color in zip(runs, COLORS, strict=False):
        calls, answers = [0], [0]
        for record in run.in_order:
            calls.append(calls[-1] + record.metric.llm_calls)
            answers.append(answers[-1] + bool(record.answer))
        axes.step(calls, answers, where="post", label=run.name, color=color, linewidth=2)
    axes.set(xlabel="Model calls", ylabel="Answers", title="Answers over model calls")
    axes.set_ylim(0, max(len(runs[0].tasks), 1))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return png(figure, legend=len(runs) > 1)


def seconds_per_question(runs: "list[Run]") -> bytes:
    """How long each question took, in the benchmark's order."""
    from matplotlib.figure import Figure

    tasks = runs[0].tasks
    figure = Figure(figsize=(WIDTH_IN, 1.4 + 0.26 * len(tasks)), layout="constrained")
    axes = figure.subplots()
    thickness = 0.8 / len(runs)
    for place, (run, color) in enumerate(zip(runs, COLORS, strict=False)):
        seconds = [
            run.records[task.task_id].metric.seconds if task.task_id in run.records else 0.0
            for task in tasks
        ]
        rows = [row + (place - (len(runs) - 1) / 2) * thickness for row in range(len(tasks))]
        axes.barh(rows, seconds, height=thickness, label=run.name, color=color)
    labels = [f"{number}  {task.task_id[:8]}" for number, task in enumerate(tasks, 1)]
    axes.set_yticks(range(len(tasks)), labels, fontsize=8)
    axes.invert_yaxis()
    axes.set(xlabel="Seconds", title="Time per question")
    return png(figure, legend=len(runs) > 1)


def png(figure: "Figure", *, legend: bool) -> bytes:
    """A figure as PNG, in the look that all plots share."""
    for axes in figure.axes:
        axes.grid(axis="both", color="#e2e8f0")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    if legend:
        figure.legend(loc="outside lower center", frameon=False)
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=_DPI)
    return buffer.getvalue()
