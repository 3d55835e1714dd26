"""What a model gets to read of a result: the passages that matter, and last what matters most."""

from agent.tools.fence import fence, gives_orders
from agent.tools.highlights import MAX_CHARS, closest
from agent.tools.passages import CHARS_PER_TOKEN, fit, is_cut
from agent.tools.result import ToolResult
from agent.tools.tables.workings import Finding, worked_out


def readable(
    result: ToolResult, question: str, query: str, *, max_tokens: int, source: str
) -> ToolResult:
    """``result`` with its text cut to ``max_tokens`` around ``query``.

    Text that is not to be trusted is fenced as data from ``source``. It ends with its pointers: the
    lines that are closest to ``question``, and what a table says when it is worked out. A small
    model answers from what it has read last.
    """
    if not result.untrusted or not result.text.strip():
        return result.model_copy(update={"text": fit(result.text, query, max_tokens)})
    finding = _finding(result.text, question)
    pointers = _pointers(closest(result.text, question), finding)
    text = fit(result.text, query, max_tokens - int(len(pointers) / CHARS_PER_TOKEN))
    whole = f"{text}\n\n{pointers}" if pointers else text
    most = pointers or (text if len(text) <= MAX_CHARS else "")
    return result.model_copy(
        update={
            "text": fence(whole, source),
            "pointers": fence(most, source) if most else "",
            "worked_out": finding.value if finding else "",
        }
    )


def _finding(text: str, question: str) -> Finding | None:
    """Of a text that was cut off nothing is worked out, and no line that gives orders is shown."""
    finding = None if is_cut(text) else worked_out(text, question)
    return None if finding and gives_orders(finding.line) else finding


def _pointers(lines: list[str], finding: Finding | None) -> str:
    parts = []
    if lines:
        parts.append("Closest to the question:\n" + "\n".join(f"- {line}" for line in lines))
    if finding:
        parts.append(f"Worked out from the table:\n- {finding.line}")
    return "\n\n".join(parts)
