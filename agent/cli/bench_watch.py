"""A run of questions on the terminal, from its start to its exit code."""

import signal

from agent.cli.bench_view import LiveTable
from agent.eval.cache import Cache
from agent.eval.runner import BenchmarkRunner

EXIT_INTERRUPTED = 130
_POLL_S = 0.2


def watch(runner: BenchmarkRunner, live: LiveTable) -> None:
    """Show the table until the run has ended; the first Ctrl-C ends it cleanly."""
    _stop_on_ctrl_c(runner)
    with live:
        while not runner.wait(_POLL_S):
            live.show()
        live.show()


def exit_code(cache: Cache) -> int:
    """0 where the latest run came to its end, 1 where it could not go on, 130 where it was
    stopped."""
    state = cache.state()
    return {"halted": 1, "stopped": EXIT_INTERRUPTED}.get(state.phase if state else "", 0)


def _stop_on_ctrl_c(runner: BenchmarkRunner) -> None:
    """The first Ctrl-C ends the run cleanly; a second one ends the program."""

    def stop(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        runner.stop()

    signal.signal(signal.SIGINT, stop)
