"""The line: whose turn it is, what those behind are told, and which line a model has."""

import threading

import pytest

from agent.budget import RunStopped
from agent.config import Settings
from agent.obs.events import Event, ModelProgress
from agent.runs.line import Line, Lines, Place, ordinal
from tests.eval.scripted import until


class Waiting:
    """Somebody in a line, in a thread of their own: what they hear, and whether they are served."""

    def __init__(self, place: Place) -> None:
        self.stop, self.leave = threading.Event(), threading.Event()
        self.heard: list[str] = []
        self.outcome = ""
        self._thread = threading.Thread(target=self._wait, args=(place,), daemon=True)
        self._thread.start()

    def _wait(self, place: Place) -> None:
        try:
            with place:
                place.wait(self.stop, self._hear)
                self.outcome = "served"
                self.leave.wait(20)
        except RunStopped:
            self.outcome = "stopped"

    def _hear(self, event: Event) -> None:
        assert isinstance(event, ModelProgress)
        self.heard.append(event.text)

    def go(self) -> None:
        self.leave.set()
        self._thread.join(20)


def several(line: Line, number: int) -> list[Waiting]:
    places = [line.join() for _ in range(number)]
    return [Waiting(place) for place in places]


def test_places_are_served_in_their_order_and_hear_of_each_step() -> None:
    first, second, third = several(Line(1), 3)
    until(lambda: third.heard == ["3rd in line"] and second.heard == ["2nd in line"])
    assert (first.outcome, first.heard) == ("served", [])
    first.go()
    until(lambda: second.outcome == "served")
    until(lambda: third.heard == ["3rd in line", "2nd in line"])
    assert third.outcome == ""
    second.go()
    until(lambda: third.outcome == "served")
    third.go()


def test_so_many_are_served_at_once_as_the_line_has_room_for() -> None:
    first, second, third = several(Line(2), 3)
    until(lambda: third.heard == ["2nd in line"])
    assert second.outcome == "served"
    second.go()
    until(lambda: third.outcome == "served")
    first.go()
    third.go()


def test_who_stops_in_the_line_lets_the_others_move_up() -> None:
    first, second, third = several(Line(1), 3)
    second.stop.set()
    until(lambda: second.outcome == "stopped" and third.heard[-1:] == ["2nd in line"])
    first.go()
    until(lambda: third.outcome == "served")
    third.go()


def test_who_stopped_before_is_not_served() -> None:
    place, stop = Line(1).join(), threading.Event()
    stop.set()
    with place, pytest.raises(RunStopped):
        place.wait(stop, lambda event: None)


LOCAL = ["", "embedded", "embedded:/m.gguf", "ollama:llama3.2:3b"]


def test_all_models_of_this_machine_share_one_line() -> None:
    lines = Lines(Settings(_env_file=None))
    assert len({id(lines.of(name)) for name in LOCAL}) == 1
    assert lines.of().capacity == 1


@pytest.mark.parametrize(
    ("url", "is_local"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://192.168.1.5:1234/v1", True),
        ("http://localhost:8080/v1", True),
        ("http://llama:8080/v1", True),
        ("http://host.docker.internal:1234/v1", True),
        ("http://nas.local/v1", True),
        ("https://api.openai.com/v1", False),
        ("https://203.0.113.7.example.org/v1", False),
        ("http://8.8.8.8/v1", False),
    ],
)
def test_a_compatible_server_is_local_by_its_address(url: str, is_local: bool) -> None:
    lines = Lines(Settings(_env_file=None, openai_base_url=url, hosted_concurrency=7))
    line = lines.of("openai:x")
    assert (line is lines.of("ollama:x"), line.capacity) == (is_local, 1 if is_local else 7)


def test_each_provider_has_its_line_and_a_wrong_name_holds_up_nobody() -> None:
    lines = Lines(Settings(_env_file=None))
    found = [lines.of(name) for name in ("huggingface:a/b", "openai:x", "olama:x", "ollama:x")]
    assert len(set(map(id, found))) == 4
    assert lines.of("huggingface:c/d") is found[0]
    assert Lines(Settings(_env_file=None, model="huggingface:a/b")).of().capacity == 4


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th"),
     (21, "21st"), (22, "22nd"), (101, "101st"), (111, "111th")],
)  # fmt: skip
def test_ordinals(number: int, text: str) -> None:
    assert ordinal(number) == text
