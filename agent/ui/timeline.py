"""The timeline: each model call with its thought, its progress_check and the tools it led to."""

from dataclasses import dataclass

from agent.obs.metrics import CallRecord
from agent.ui.markup import flat, line, render, words
from agent.ui.story import Step, Story, ToolUse

_MAX_BESIDE = 40
"""Characters of a tool's result that are shown without opening the step."""
_MAX_SHOWN = 4_000
"""Characters of one tool result on the screen; the trace has all of them."""


def timeline(story: Story) -> list[str]:
    """The steps as HTML, one string each, so that only what changes has to be sent."""
    return [_step(story, step) for step in story.steps]


def _step(story: Story, step: Step) -> str:
    current = not story.is_over and step is story.steps[-1]
    taken, record = step.taken, step.record
    args = taken.args if taken else {}
    tone, flag = _mark(step, current=current, over=story.is_over)
    return render(
        "step.html",
        step=step,
        key=f"{story.run_id}-{step.number}",
        current=current,
        tone=tone,
        flag=line(flag),
        role=line(words(step.role)),
        thinking=taken is None and record is None and not story.is_over,
        action=line(words(taken.action)) if taken else "",
        values=line(", ".join(filter(None, map(flat, args.values())))),
        arguments="\n".join(f"{name}: {flat(value)}" for name, value in args.items()),
        result=_short_result(step),
        verdict=taken.verdict if taken else "",
        tools=[_tool(use, over=story.is_over) for use in step.tools],
        seconds=_seconds(step),
        ledger=_ledger(step.record) if step.record else [],
    )


def _short_result(step: Step) -> str:
    """What a tool returned, where it is short enough to stand beside the call."""
    texts = [use.finished.text.strip() for use in step.tools if use.finished and use.finished.ok]
    return texts[0] if texts and len(texts[0]) <= _MAX_BESIDE and "\n" not in texts[0] else ""


def _mark(step: Step, *, current: bool, over: bool) -> tuple[str, str]:
    """Tone of a step, and the word that says what was wrong with it."""
    if step.record and step.record.outcome != "ok":
        return "bad", words(step.record.outcome)
    for use in step.tools:
        if use.finished and not use.finished.ok:
            return "warn", words(use.finished.error_kind or "error")
    if step.hints:
        return "warn", words(step.hints[-1].rule)
    if over and step.record is None and not (step.by_rule and _is_complete(step)):
        return "bad", "cut off"
    return ("busy" if current else "done"), ""


def _is_complete(step: Step) -> bool:
    return all(use.finished for use in step.tools)


def _seconds(step: Step) -> str:
    """Seconds of the call and its tools, once the call has ended."""
    if step.record is None and not (step.by_rule and _is_complete(step)):
        return ""
    tools = sum(use.finished.elapsed_s for use in step.tools if use.finished)
    return f"{(step.record.seconds if step.record else 0) + tools:.1f} s"


def _ledger(record: CallRecord) -> list[str]:
    """What the call took, as its line of the ledger says."""
    return [*record.facts, *filter(None, (record.error, record.note))]


@dataclass(frozen=True)
class _ToolLine:
    name: str
    arguments: str
    state: str
    tone: str
    text: str = ""


def _tool(use: ToolUse, *, over: bool) -> _ToolLine:
    name, done = use.started.name, use.finished
    arguments = ", ".join(f"{key}={flat(value)}" for key, value in use.started.args.items())
    if done is None:
        state, tone = ("cut off", "bad") if over else ("running", "busy")
        return _ToolLine(name, arguments, state, tone)
    state = "from earlier" if done.cached else f"{done.elapsed_s:.1f} s"
    if not done.ok:
        return _ToolLine(name, arguments, f"{words(done.error_kind)}, {state}", "warn", done.text)
    return _ToolLine(name, arguments, state, "done", _capped(done.text))


def _capped(text: str) -> str:
    left_out = len(text) - _MAX_SHOWN
    if left_out <= 0:
        return text
    return f"{text[:_MAX_SHOWN]}\n… {left_out:,} more characters are in the trace"
