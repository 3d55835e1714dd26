"""The events of a run on disk: written by one, read by many, whatever happens to the writer."""

import asyncio
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.obs.events import Event, RunFinished, RunResult, Thinking
from agent.obs.trace import TraceWriter, follow_trace, read_trace

RESULT = RunResult(
    run_id="1",
    question="?",
    answer="391",
    status="answered",
    stop_reason="done",
    llm_calls=1,
    tool_calls=0,
    tokens_in=1,
    tokens_cached=0,
    tokens_out=1,
    seconds=1,
    simulated_cost=0,
)
THOUGHTS = [Thinking(step=n, text=f"thought {n} \u2028 \r é 😀") for n in range(5)]
END = RunFinished(result=RESULT)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "1.jsonl"


def write(path: Path, *events: Event) -> None:
    with TraceWriter(path) as writer:
        for event in events:
            writer(event)


async def collected(path: Path, offset: int = 0, *, is_alive: bool | None = None) -> list[Event]:
    alive = None if is_alive is None else lambda: bool(is_alive)
    batches = [batch async for batch in follow_trace(path, offset, is_alive=alive)]
    return [event for batch in batches for event in batch]


def test_what_was_written_is_read(path: Path) -> None:
    write(path, *THOUGHTS, END)
    events, offset = read_trace(path)
    assert events == [*THOUGHTS, END]
    assert offset == path.stat().st_size
    assert read_trace(path, offset) == ([], offset)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(cut=st.integers(0, 2000))
def test_reading_goes_on_from_any_offset(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cut.jsonl"
    if not path.exists():
        write(path, *THOUGHTS, END)
    whole = path.read_bytes()
    before = whole[:cut]
    first = tmp_path / "first.jsonl"
    first.write_bytes(before)
    events, offset = read_trace(first)
    assert [*events, *read_trace(path, offset)[0]] == [*THOUGHTS, END]
    later, _ = read_trace(path, min(cut, len(whole)))
    assert later == [*THOUGHTS, END][len([*THOUGHTS, END]) - len(later) :]


def test_a_line_that_is_being_written_is_left_for_the_next_time(path: Path) -> None:
    write(path, THOUGHTS[0])
    line = THOUGHTS[1].model_dump_json().encode() + b"\n"
    with path.open("ab") as file:
        file.write(line[:20])
    events, offset = read_trace(path)
    assert events == THOUGHTS[:1]
    with path.open("ab") as file:
        file.write(line[20:])
    assert read_trace(path, offset)[0] == THOUGHTS[1:2]


def test_a_writer_goes_on_after_one_that_was_killed_in_mid_line(path: Path) -> None:
    write(path, THOUGHTS[0])
    with path.open("ab") as file:
        file.write(b'{"type": "thinki')
    write(path, *THOUGHTS[1:])
    assert read_trace(path)[0] == THOUGHTS


@pytest.mark.parametrize(
    "line",
    [
        b'{"type": "telepathy", "at": 1.0, "step": 1}',
        b'{"type": "thinking"}',
        b"[]",
        b"\xff\xfe",
        b"",
        b'{"a":' * 5000,
    ],
)
def test_a_line_that_cannot_be_understood_is_passed_over(path: Path, line: bytes) -> None:
    write(path, THOUGHTS[0])
    with path.open("ab") as file:
        file.write(line + b"\n")
    write(path, THOUGHTS[1])
    assert read_trace(path)[0] == THOUGHTS[:2]


def test_a_field_of_a_newer_version_does_no_harm(path: Path) -> None:
    write(path)
    with path.open("a") as file:
        file.write('{"type": "thinking", "at": 1.0, "step": 1, "text": "x", "mood": "good"}\n')
    assert read_trace(path)[0] == [Thinking(at=1.0, step=1, text="x")]


def test_two_followers_see_everything_once_from_where_they_start(path: Path) -> None:
    write(path, THOUGHTS[0])
    _, offset = read_trace(path)

    async def follow_both() -> tuple[list[Event], list[Event]]:
        both = asyncio.gather(collected(path), collected(path, offset))
        with TraceWriter(path) as writer:
            for event in [*THOUGHTS[1:], END]:
                await asyncio.sleep(0)
                writer(event)
        return await both

    first, second = asyncio.run(follow_both())
    assert first == [*THOUGHTS, END]
    assert second == [*THOUGHTS[1:], END]


def test_a_follower_waits_for_the_file(path: Path) -> None:
    async def follow_early() -> list[Event]:
        waiting = asyncio.create_task(collected(path))
        await asyncio.sleep(0)
        assert not path.exists()
        write(path, THOUGHTS[0], END)
        return await waiting

    assert asyncio.run(follow_early()) == [THOUGHTS[0], END]


def test_following_ends_when_the_writer_is_dead(path: Path) -> None:
    write(path, *THOUGHTS)
    with path.open("ab") as file:
        file.write(b'{"type": "run_fini')
    assert asyncio.run(collected(path, is_alive=False)) == THOUGHTS
    assert asyncio.run(collected(path.with_name("never.jsonl"), is_alive=False)) == []


def test_many_threads_write_whole_lines(path: Path) -> None:
    with TraceWriter(path) as writer:
        threads = [
            threading.Thread(target=lambda: [writer(event) for event in THOUGHTS * 20])
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    events, offset = read_trace(path)
    assert len(events) == 8 * 20 * len(THOUGHTS)
    assert offset == path.stat().st_size
