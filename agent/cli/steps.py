"""The steps of a run on the terminal, as they happen."""

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from agent.obs.events import (
    CallFinished,
    CallStarted,
    Event,
    ModelProgress,
    ModelReady,
    Reflected,
    RunFinished,
    StepTaken,
    Thinking,
    ToolFinished,
    ToolStarted,
)
from agent.obs.metrics import token_words

_RESULT_CHARS = 300
_VERDICT_STYLE = {"progress": "green", "done": "bold green", "stuck": "yellow"}


class StepPrinter:
    """Prints events to stderr; stdout is left for the answer alone."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._line_open = False
        self._last_progress = ""

    def __call__(self, event: Event) -> None:
        """Show one event; those that mean nothing to a reader are passed over."""
        match event:
            case ModelProgress():
                self._progress(event)
            case ModelReady():
                self._line(f"[dim]Model: {escape(event.model)}[/]")
                if event.notice:
                    self._line(f"[yellow]{escape(event.notice)}[/]")
            case CallStarted():
                self._line(
                    f"[bold cyan]{event.step} THINK[/] [dim]{escape(event.role)}[/] ", end=""
                )
            case Thinking():
                self._console.print(Text(event.text, style="italic"), end="")
            case CallFinished():
                self._line(f"  [dim]{', '.join(event.record.facts)}[/]")
                if event.record.outcome != "ok":
                    self._line(f"  [red]{event.record.outcome}[/] {escape(event.record.error)}")
            case StepTaken():
                self._step(event)
            case ToolStarted():
                arguments = ", ".join(str(value) for value in event.args.values())
                self._line(
                    f"  [magenta]{escape(event.name)}[/]({escape(arguments[:_RESULT_CHARS])})"
                )
            case ToolFinished():
                style = "" if event.ok else "[red]"
                text = " ".join(event.text.split())[:_RESULT_CHARS]
                note = "earlier result" if event.cached else f"{event.elapsed_s:.1f} s"
                self._line(f"  = {style}{escape(text)}{'[/]' if style else ''} [dim]{note}[/]")
            case Reflected():
                self._line(f"  [yellow]{escape(event.rule)}:[/] {escape(event.hint)}")
            case RunFinished():
                self._finished(event)

    def _step(self, event: StepTaken) -> None:
        if event.step < 0:
            deciphered = str(event.args.get("question", ""))
            self._line(f"[bold cyan]FIRST[/] [dim]{escape(event.role)}[/] {escape(deciphered)}")
            return
        style = _VERDICT_STYLE.get(event.verdict or "", "")
        check = f"[{style}]{event.verdict}[/] " if style else ""
        self._line(f"  progress_check: {check}{escape(event.evidence)}")
        if event.role == "supervisor":
            self._line(f"  → {escape(event.action)} [dim]{escape(str(event.args['task']))}[/]")
        elif "answer" in event.args:
            self._line(f"  → {escape(event.action)}: {escape(repr(event.args['answer']))}")

    def _progress(self, event: ModelProgress) -> None:
        """A line a change; on a terminal that is not one, each tenth."""
        key = event.text if self._console.is_terminal else event.text.split(":")[0]
        if key != self._last_progress:
            self._line(f"[dim]{escape(event.text)}[/]")
            self._last_progress = key

    def _finished(self, event: RunFinished) -> None:
        result = event.result
        facts = [
            f"{result.llm_calls} model calls, {result.tool_calls} tool calls",
            token_words(result.tokens_in, result.tokens_cached, result.tokens_out),
            f"{result.seconds:.1f} s",
            *filter(None, [str(result.timing)]),
            f"${result.simulated_cost:.4f} {result.price_basis}",
        ]
        self._line(
            f"[bold]{result.status}[/]: {escape(result.stop_reason)} [dim]{', '.join(facts)}[/]"
        )
        if result.status != "answered":
            for line in result.completed:
                self._line(f"  tried {escape(line)}")
        for number, source in enumerate(result.sources, 1):
            self._line(f"  [{number}] {escape(source.title or source.url)} {escape(source.url)}")

    def _line(self, markup: str, *, end: str = "\n") -> None:
        if self._line_open:
            self._console.print()
        self._console.print(markup, end=end)
        self._line_open = end == ""
