"""Measuring a model in a world: where its run is kept, and what the agent is told of the place."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import agent
from agent.config import Settings
from agent.eval.answering import Answer
from agent.eval.cache import Cache
from agent.eval.questions import Benchmark
from agent.eval.runner import BenchmarkRunner
from agent.eval.world.oracle import Oracle
from agent.eval.world.outcome import outcome_of
from agent.eval.world.questions import Question, Selection
from agent.eval.world.report import Report
from agent.eval.world.server import API, serve
from agent.eval.world.world import World, digest
from agent.runs.line import Lines


@dataclass(frozen=True)
class Measurement:
    """A measurement under way, or done."""

    world: World
    questions: tuple[Question, ...]
    selection: Selection
    model: str
    is_oracle: bool
    settings: Settings
    benchmark: Benchmark
    cache: Cache
    runner: BenchmarkRunner

    def report(self) -> Report:
        """What is known of it now."""
        records = self.cache.records(self.questions)
        done = [q for q in self.questions if q.task_id in records and records[q.task_id].is_done]
        about = self.cache.about
        models = {records[q.task_id].model for q in done} - {""}
        return Report.of(
            [outcome_of(q, records[q.task_id], self.settings.runs_dir) for q in done],
            world=str(self.world.folder),
            digest=self.world.digest,
            model=models.pop() if len(models) == 1 else self.model,
            oracle=self.is_oracle,
            selection=self.selection.as_json(),
            settings=about.settings if about else {},
            asked=len(self.questions),
            reason=self.runner.reason,
        )


@contextmanager
def measurement(
    world: World, selection: Selection, model: str, settings: Settings, *, is_oracle: bool = False
) -> Iterator[Measurement]:
    """Serve the world while the block lasts, with a runner for the selected questions.

    It goes on with the latest run of just these questions by the same model, settings, world and
    program if that was broken off; else everything is asked anew, in a folder of its own.

    Raises:
        WorldError: the selection leaves no question.
    """
    questions = selection.of(world.questions)
    benchmark = Benchmark("file", _source(world, questions, is_oracle), questions)
    with serve(world) as origin:
        about = Cache.of(benchmark, "", model, settings).about
        assert about is not None
        folder = _folder(settings.cache_dir / "world", about.key)
        inside = settings_in(settings, origin, folder)
        cache = Cache(folder, about)
        answer = _answer(world, inside, is_oracle)
        yield Measurement(
            world=world,
            questions=questions,
            selection=selection,
            model=model,
            is_oracle=is_oracle,
            settings=inside,
            benchmark=benchmark,
            cache=cache,
            runner=BenchmarkRunner(
                inside, cache, answer, line=Lines(inside).of(model), model=model
            ),
        )


def settings_in(settings: Settings, origin: str, folder: Path) -> Settings:
    """The settings with which the ordinary tools find themselves in the world at ``origin``.

    Everything is written into ``folder``; no result of a tool is remembered, so that a run does not
    depend on an earlier one. The guarded fetch lets this one origin through.
    """
    return settings.model_copy(
        update={
            "searxng_url": origin,
            "wikipedia_api_url": f"{origin}{API}",
            "scoring_api_url": origin,
            "allowed_origins": (origin,),
            "tool_cache": False,
            "cache_dir": folder,
        }
    )


def _answer(world: World, settings: Settings, is_oracle: bool) -> Answer:
    if is_oracle:
        return Oracle(world, settings).answer
    from agent.core.orchestrator import Orchestrator

    return Orchestrator(settings).answer


def _source(world: World, questions: Sequence[Question], is_oracle: bool) -> str:
    """What is measured, by name: any change of it makes another run."""
    program = Path(agent.__file__).parent
    code = digest(program, sorted(program.rglob("*.py")))
    asked = sha256(" ".join(q.task_id for q in questions).encode()).hexdigest()[:12]
    who = "oracle" if is_oracle else "agent"
    return f"{world.folder} (world {world.digest}, questions {asked}, {who} {code})"


def _folder(parent: Path, key: str) -> Path:
    """That of the latest run of this key if it was broken off, else a new one."""
    earlier = sorted(parent.glob(f"*-{key}"))
    if earlier:
        state = Cache(earlier[-1]).state()
        if state is None or state.phase != "finished":
            return earlier[-1]
    return parent / f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}-{key}"
