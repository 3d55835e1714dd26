"""What is shown: every state says what it is, and nothing that strangers write becomes markup."""

from collections import Counter
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.obs.events import (
    BudgetChanged,
    CallFinished,
    CallStarted,
    Event,
    ModelProgress,
    ModelReady,
    Reflected,
    RunFinished,
    RunResult,
    RunStarted,
    Source,
    Status,
    StepTaken,
    Thinking,
    ToolFinished,
    ToolStarted,
)
from agent.obs.metrics import BudgetSnapshot, CallRecord
from agent.runs.store import RunSummary
from agent.ui.gauges import gauges
from agent.ui.listing import ago, listing
from agent.ui.render import view
from agent.ui.sources import domain
from agent.ui.story import Story
from tests.ui.played import play


class Page(HTMLParser):
    """Tags, attributes and text of a piece of HTML, as a browser would see them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def page(story: Story) -> Page:
    shown = view(story, now=story.spent_at)
    return Page(shown["card"] + shown["budget"] + "".join(shown["steps"]) + shown["sources"])


def result(status: Status, answer: str = "", reason: str = "Because.") -> RunResult:
    return RunResult(
        run_id="a", question="q", answer=answer, status=status, stop_reason=reason, llm_calls=4,
        tool_calls=1, tokens_in=1, tokens_cached=0, tokens_out=1, seconds=12.34, simulated_cost=0,
        completed=("calculator 17*23: 391",),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("status", "answer", "title"),
    [
        ("answered", "391", "Answer"),
        ("budget_spent", "391", "Partial answer"),
        ("budget_spent", "", "No answer within the budget"),
        ("timed_out", "391", "Partial answer"),
        ("stopped", "", "Stopped"),
        ("stopped", "391", "Stopped; best answer so far"),
        ("failed", "", "No answer"),
    ],
)
def test_the_card_says_how_it_ended(status: Status, answer: str, title: str) -> None:
    card = view(Story.of([RunFinished(result=result(status, answer))]))["card"]
    assert f'<p class="outcome">{title}</p>' in card
    assert (f'<p class="answer">{answer}</p>' in card) == bool(answer)
    assert ("Copy answer" in card) == bool(answer)
    assert "Because." in card
    assert "4 model calls · 1 tool call · 12.3 s" in card
    assert ("What was done" in card) == (status != "answered")


def test_what_a_run_and_each_of_its_calls_took_is_told() -> None:
    record = CallRecord(
        role="solver", outcome="ok", tokens_in=1500, tokens_cached=1200, tokens_out=60,
        prompt_seconds=2, generation_seconds=3, seconds=5.5, cost=0.0012,
    )  # fmt: skip
    speed = "read 2.0 s at 150 tokens/s, wrote 3.0 s at 20 tokens/s"
    took = result("answered", "391").model_copy(
        update={"timing": record.timing, "simulated_cost": 0.0012, "price_basis": "list price"}
    )
    story = Story.of(
        [
            CallStarted(step=1, role="solver"),
            CallFinished(step=1, record=record),
            RunFinished(result=took),
        ]
    )
    shown = view(story)
    assert (
        f"1,500 tokens read (1,200 from cache), 60 written · 5.5 s · {speed}" in shown["steps"][0]
    )
    assert "$0.0012 simulated" in shown["steps"][0]
    assert f"1 tokens read, 1 written · {speed} · $0.0012 list price" in shown["card"]


def test_an_interrupted_run_says_so_and_offers_to_ask_again() -> None:
    story = Story.of(play("What is 17*23?")[:-1])
    story.interrupted = True
    shown = view(story)
    assert "Interrupted" in shown["card"]
    assert "Ask again" in shown["card"]
    assert len(shown["steps"]) == 3


def test_the_working_line_follows_the_run() -> None:
    story = Story()
    lines = []
    events: list[Event] = [
        RunStarted(run_id="a", question="q"),
        ModelProgress(text="Fetching the model", fraction=0.42),
        ModelReady(model="m"),
        CallStarted(step=1, role="web_agent"),
        ToolStarted(step=1, name="web_search", args={}),
    ]
    for event in events:
        story.add(event)
        card = view(story)["card"]
        lines.append(card.split('<p class="working"')[1].split("<span>")[1].split("</span>")[0])
        assert ('aria-valuenow="42"' in card) == isinstance(event, ModelProgress)
    assert lines == [
        "Getting ready",
        "Fetching the model",
        "Getting ready",
        "Thinking: step 1, web agent",
        "Running web search",
    ]


def test_only_the_current_step_is_open() -> None:
    events = play("What is 17*23?")
    for end in range(1, len(events) + 1):
        story = Story.of(events[:end])
        opened = [" open>" in step for step in view(story)["steps"]]
        assert not any(opened[:-1])
        assert opened[-1:] in ([], [not story.is_over])


def snapshot(used: int, limit: int = 10) -> BudgetSnapshot:
    return BudgetSnapshot(
        llm_calls=used, tool_calls=0, tokens_in=0, tokens_cached=0, tokens_out=0, seconds=3, cost=0,
        limits={"llm_calls": limit, "seconds": 180},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("used", "tone"),
    [(0, "fine"), (6, "fine"), (7, "warn"), (8, "warn"), (9, "high"), (11, "high")],
)
def test_a_gauge_turns_amber_then_red(used: int, tone: str) -> None:
    [calls, _] = gauges(Story.of([BudgetChanged(snapshot=snapshot(used))]), now=0)
    assert calls.tone == tone
    assert 0 <= calls.percent <= 100


def test_seconds_pass_without_events_until_the_run_is_over() -> None:
    story = Story.of([BudgetChanged(at=1000, snapshot=snapshot(1))])
    assert gauges(story, now=1005)[1].used == 8
    story.add(Thinking(at=1002, step=1, text="so far"))
    story.interrupted = True
    assert gauges(story, now=1005)[1].used == 5
    story.add(RunFinished(result=result("answered", "391")))
    assert gauges(story, now=9999)[1].used == 12.34


HOSTILE = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        [
            "<img src=x onerror=alert(1)>",
            "</pre></details><script>alert(1)</script>",
            '" onclick="alert(1)',
            "`<b>code</b>`",
            "![x](http://evil.example/x.png)",
            "${alert(1)} {{alert(1)}}",
        ]
    ),
)


def strange(text: str) -> list[Event]:
    """A run in which everybody says ``text``."""
    failed = result("failed", answer=text, reason=text)
    return [
        RunStarted(run_id="a", question=text),
        ModelReady(model=text, notice=text),
        CallStarted(step=1, role=text),
        StepTaken(step=1, role=text, thought=text, evidence=text, verdict="stuck", action=text,
                  args={text: text}),
        ToolStarted(step=1, name=text, args={text: [text]}),
        ToolFinished(step=1, name=text, ok=False, text=text, error_kind=text),
        Reflected(step=1, rule=text, hint=text),
        RunFinished(result=failed.model_copy(update={
            "sources": (Source(url=text, title=text), Source(url="https://a.example/" + text)),
            "completed": (text,), "model": text,
        })),
    ]  # fmt: skip


@given(HOSTILE)
def test_what_strangers_write_is_text_and_nothing_else(text: str) -> None:
    harmless, shown = page(Story.of(strange("word"))), page(Story.of(strange(text)))
    allowed = set(harmless.tags) | {"code", "a", "span"}
    assert set(shown.tags) <= allowed
    assert not {"img", "script", "svg", "iframe", "style", "link"} & set(shown.tags)
    assert not [name for _, name, _ in shown.attributes if name.startswith("on")]
    for tag, name, value in shown.attributes:
        assert name != "src"
        if name == "href":
            assert tag == "a" and (value or "").startswith(("http://", "https://"))


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://en.wikipedia.org/wiki/Ada", "en.wikipedia.org"),
        ("http://127.0.0.1:8901/x?y=a@b", "127.0.0.1"),
        ("HTTPS://Example.org", "example.org"),
        ("javascript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("file:///etc/passwd", ""),
        ("https://good.example@evil.example/", ""),
        ("https://good.example\\@evil.example/", ""),
        ("https://evil.example\\.good.example/", ""),
        ("https://good.example\n.evil.example/", ""),
        ("https://[::1", ""),
        ("https://", ""),
        ("data.csv", ""),
        ("", ""),
    ],
)
def test_only_plain_addresses_become_links(url: str, host: str) -> None:
    assert domain(url) == host


def test_the_list_names_runs_and_says_when_there_are_none() -> None:
    run = RunSummary(run_id="a", question="<b>q</b>", status="timed_out", at=1000, answer="391")
    shown = listing([run], now=1000 + 7200)
    assert "&lt;b&gt;q&lt;/b&gt;" in shown and "timed out" in shown and "2 h ago" in shown
    assert "No runs yet" in listing([])
    assert "No run matches" in listing([], filtered=True)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-5, "just now"), (59, "just now"), (60, "1 min ago"), (3599, "59 min ago"),
     (3600, "1 h ago"), (86_400, "1 d ago"), (864_000, "10 d ago")],
)  # fmt: skip
def test_time_passed(seconds: float, text: str) -> None:
    assert ago(seconds) == text
