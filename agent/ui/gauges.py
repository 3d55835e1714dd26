"""The budget strip: what a run has used of each limit."""

from dataclasses import dataclass

from agent.ui.markup import render
from agent.ui.story import Story

WARN_AT, HIGH_AT = 0.7, 0.9
"""Shares of a limit from which a gauge turns amber, then red."""


@dataclass(frozen=True)
class Gauge:
    """One bar of the strip."""

    name: str
    used: float
    limit: float
    form: str = "{:.0f}"

    @property
    def used_text(self) -> str:
        """What is used, as written beside the bar."""
        return self.form.format(self.used)

    @property
    def limit_text(self) -> str:
        """The limit, as written beside the bar."""
        return self.form.format(self.limit)

    @property
    def percent(self) -> float:
        """Share used, 0 to 100."""
        return round(100 * min(self.used / self.limit, 1.0), 1) if self.limit > 0 else 100.0

    @property
    def tone(self) -> str:
        """``fine``, ``warn`` or ``high``."""
        if self.percent >= 100 * HIGH_AT:
            return "high"
        return "warn" if self.percent >= 100 * WARN_AT else "fine"


def gauges(story: Story, now: float) -> list[Gauge]:
    """Used and limit of each resource at ``now`` (Unix time); none before anything was charged."""
    spent = story.spent
    if spent is None:
        return []
    limits = spent.limits
    strip = [
        Gauge("Model calls", spent.llm_calls, limits.get("llm_calls", 0)),
        Gauge("Tool calls", spent.tool_calls, limits.get("tool_calls", 0)),
        Gauge("Tokens", spent.tokens_in + spent.tokens_out, limits.get("tokens", 0), "{:,.0f}"),
        Gauge("Seconds", round(story.seconds(now), 2), limits.get("seconds", 0)),
        Gauge(f"Cost ({spent.price_basis})", spent.cost, limits.get("cost", 0), "${:.4f}"),
    ]
    return [gauge for gauge in strip if gauge.limit > 0]


def budget(story: Story, now: float) -> str:
    """The strip as HTML."""
    return render("budget.html", gauges=gauges(story, now))
