"""The Benchmark tab as HTML: how the run stands, its table, its score, and what would be sent."""

import time
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from agent.eval.questions import Task
from agent.eval.record import TaskRecord
from agent.eval.report import Run
from agent.eval.submit import LEADERBOARD, Receipt, Submission
from agent.obs.events import Status
from agent.ui.benchmark_actions import Standing
from agent.ui.markup import count, line, render, words
from agent.ui.sources import domain
from agent.ui.story import Story

_TONES: dict[Status, str] = {
    "answered": "good",
    "budget_spent": "warn",
    "timed_out": "warn",
    "stopped": "calm",
    "failed": "bad",
}


@dataclass(frozen=True)
class Row:
    """One line of the table, as text."""

    number: int
    task_id: str
    question: str
    state: str = ""
    tone: str = "calm"
    answer: str = ""
    note: str = ""
    calls: str = ""
    seconds: str = ""
    tokens: str = ""


def looking() -> str:
    """Before anything is known."""
    return render("bench_head.html", busy="Looking for the questions…")


def trouble(sentence: str, *, can_retry: bool = True) -> str:
    """Why there is nothing to show, and what helps."""
    return render("bench_head.html", trouble=sentence, can_retry=can_retry)


def head(standing: Standing) -> str:
    """The status line, what the run is doing, its buttons, and the score."""
    records, total = standing.records, len(standing.benchmark.tasks)
    answered = sum(1 for record in records.values() if record.answer)
    tone, sentence = _sentence(standing)
    return render(
        "bench_head.html",
        total=total,
        answered=answered,
        percent=round(100 * answered / total, 1),
        last=_at(max(record.at for record in records.values())) if records else None,
        model=standing.model,
        source=_source(standing),
        notice=standing.benchmark.notice,
        tone=tone,
        sentence=sentence,
        phase=standing.state.phase if standing.state and standing.is_running else "",
        is_pausing=standing.is_pausing,
        start=_start_label(standing),
        failed=len(standing.failed),
        score=_score(standing),
    )


def table(standing: Standing, now: float | None = None) -> list[str]:
    """The rows as HTML; ``now`` is Unix time, by default the present."""
    now = time.time() if now is None else now
    return [
        render("bench_row.html", row=_row(number, task, standing, now))
        for number, task in enumerate(standing.benchmark.tasks, 1)
    ]


def task(task: Task, files: list[str], *, asked: bool) -> str:
    """What there is to know of a task besides its run."""
    return render("bench_task.html", task=task, files=files, asked=asked)


def review(submission: Submission, standing: Standing) -> str:
    """Each answer as it will be sent, and the button that sends them."""
    earlier = next((r for r in standing.receipts if r.payload == submission.payload), None)
    return render(
        "bench_review.html",
        submission=submission,
        lines=submission.lines,
        count=count(len(submission.lines), "answer"),
        faults=sum(1 for each in submission.lines if each.faults),
        missing=[line(task.question) for task in submission.missing],
        digest=submission.digest,
        may_have_arrived=earlier is not None and earlier.state == "sending",
        leaderboard=LEADERBOARD,
    )


def sent(receipt: Receipt) -> str:
    """The receipt of what was just sent."""
    return render("bench_score.html", score={**_receipt(receipt), "best": None})


def refusal(sentence: str) -> str:
    """Why nothing can be, or was, submitted."""
    return render("bench_review.html", refusal=sentence)


def _sentence(standing: Standing) -> tuple[str, str]:
    """Tone, and one sentence on what the run does or how it ended."""
    state, left = standing.state, len(standing.left)
    if state is None or not (standing.records or standing.is_running):
        return "calm", "Nothing is asked yet. Answers are kept one by one as they come."
    match state.phase:
        case "paused":
            return "calm", "Paused. Nothing is lost; resume whenever you like."
        case "running" if standing.is_pausing:
            return "busy", "Pausing: the question under way is finished first."
        case "running":
            return "busy", _asking(standing)
        case "halted":
            return "bad", state.reason
        case "interrupted":
            return "warn", "The app ended while this ran. What was answered is kept; resume."
        case "stopped" if left:
            return "calm", "Ended before its time. What was answered is kept; resume."
        case _:
            tone = "calm" if left else "warn" if standing.failed else "good"
            return tone, _outcome(standing)


def _asking(standing: Standing) -> str:
    working = standing.state.working if standing.state else {}
    numbers = {task.task_id: n for n, task in enumerate(standing.benchmark.tasks, 1)}
    now = sorted(numbers[id_] for id_ in working if id_ in numbers)
    if not now:
        return "Starting."
    waits = any(story.waiting for story in standing.live.values())
    return (
        f"{'Waiting to ask' if waits else 'Asking'} question {', '.join(map(str, now))}. "
        "It goes on if you close this tab, and you find it again here."
    )


def _outcome(standing: Standing) -> str:
    statuses = Counter(words(record.status) for record in standing.records.values())
    told = ", ".join(f"{number} {status}" for status, number in statuses.most_common())
    calls = sum(record.metric.llm_calls for record in standing.records.values())
    seconds = sum(record.metric.seconds for record in standing.records.values())
    return f"{told}; {count(calls, 'model call')} in {_duration(seconds)}."


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _start_label(standing: Standing) -> str:
    left = len(standing.left)
    if not left:
        return ""
    if any(task.task_id in standing.records for task in standing.tasks):
        return f"Resume {left}"
    everything = len(standing.tasks) == len(standing.benchmark.tasks)
    return "Run all" if everything else f"Run the first {left}"


def _source(standing: Standing) -> str:
    kind, source = standing.benchmark.kind, standing.benchmark.source
    return f"the course ({domain(source) or source})" if kind == "course" else source


def _row(number: int, task: Task, standing: Standing, now: float) -> Row:
    question, record = line(task.question), standing.records.get(task.task_id)
    if standing.state and task.task_id in standing.state.working:
        return _live_row(number, task, standing.live.get(task.task_id), now)
    if record is None:
        return Row(number, task.task_id, question, note=_attachment(task))
    metric = record.metric
    return Row(
        number,
        task.task_id,
        question,
        state=words(record.status),
        tone=_TONES[record.status],
        answer=line(record.answer),
        note=_note(record),
        calls=str(metric.llm_calls),
        seconds=f"{metric.seconds:.1f}",
        tokens=f"{metric.tokens_in + metric.tokens_out:,}",
    )


def _live_row(number: int, task: Task, story: Story | None, now: float) -> Row:
    row = Row(number, task.task_id, line(task.question), state="asking", tone="busy")
    if story is None or story.spent is None:
        waiting = story.waiting if story else None
        return replace(row, state="waiting", note=waiting.text) if waiting else row
    return replace(
        row,
        calls=str(story.spent.llm_calls),
        seconds=f"{story.seconds(now):.0f}",
        tokens=f"{story.spent.tokens_in + story.spent.tokens_out:,}",
    )


def _note(record: TaskRecord) -> str:
    if record.missing_file:
        return f"{record.missing_file} is missing: open the row to give it."
    return "" if record.is_answered else line(record.reason)


def _attachment(task: Task) -> str:
    return f"with {task.file_name}" if task.file_name else ""


def _score(standing: Standing) -> dict[str, Any] | None:
    """The score card: what became of the last submission, or how it compares with the truth."""
    if standing.receipts:
        newest, *older = standing.receipts
        best = max((r.score.score for r in older if r.score), default=None)
        return {**_receipt(newest), "best": best}
    right = Run(standing.model, standing.benchmark.tasks, standing.records).right()
    if right is None or not standing.records:
        return None
    known = sum(1 for task in standing.benchmark.tasks if task.answer is not None)
    return {"kind": "known", "right": right, "known": known}


def _receipt(receipt: Receipt) -> dict[str, Any]:
    code = str(receipt.payload.get("agent_code", ""))
    return {
        "kind": receipt.state,
        "score": receipt.score,
        "said": receipt.said,
        "at": _at(receipt.at),
        "user": receipt.payload.get("username", ""),
        "sent": len(receipt.payload.get("answers", ())),
        "code": code,
        "code_is_link": bool(domain(code)),
        "leaderboard": LEADERBOARD,
    }


def _at(seconds: float) -> dict[str, str]:
    """A moment for a ``<time>``: exact, and as this machine's clock would say it."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return {
        "iso": moment.isoformat(timespec="seconds"),
        "text": moment.astimezone().strftime("%H:%M"),
    }
