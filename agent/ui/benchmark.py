"""The Benchmark tab: a run that goes on by itself, and a submission that is a separate act."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any

import gradio as gr

from agent.config import Settings
from agent.eval.errors import BenchmarkError
from agent.eval.files import explain
from agent.llm.names import ModelNameError
from agent.runs.manager import RunManager
from agent.ui import benchmark_view as show
from agent.ui.benchmark_actions import Bench, Choice, Found
from agent.ui.benchmark_layout import COURSE, Parts, lay_out
from agent.ui.follow import stories
from agent.ui.markup import count
from agent.ui.owner import user_of
from agent.ui.render import EMPTY, view
from agent.ui.run_view import picked

_INTERVAL_S = 1.0
"""Between two looks at the disk while a run goes on."""
_RECALL = "() => ['bench-user', 'bench-code'].map((key) => localStorage.getItem(key) ?? '')"
_REMEMBER = """(user, code) => {
    localStorage.setItem('bench-user', user); localStorage.setItem('bench-code', code); }"""
_RETURN = """() => {
    const named = (tab) => tab?.textContent.trim() === "Benchmark";
    if (sessionStorage.getItem("bench"))
        [...document.querySelectorAll("[role=tab]")].find(named)?.click();
    addEventListener("click", (event) => {
        const tab = event.target.closest("[role=tab]");
        if (tab) sessionStorage.setItem("bench", named(tab) ? "open" : "");
    });
}"""
"""A reload, which a lost connection brings about by itself, does not leave the tab."""
_SAVE = "() => document.querySelector('#bench-zip').click()"

Profile = gr.OAuthProfile | None


class BenchmarkTab:
    """Builds the tab and holds what its events do.

    Each event gets the profile of whoever is signed in, from the server's session, and the words
    that say which run is meant: user name, kind and path of the questions, model, limit.
    """

    def __init__(self, settings: Settings, manager: RunManager) -> None:
        self._settings = settings
        self._manager = manager
        self._bench = Bench(settings, manager.answer, manager.lines)

    def build(self, page: gr.Blocks, tab: gr.Tab) -> None:
        """Lay the tab out; nothing is looked for before it is opened."""
        parts = lay_out(self._settings, self._manager.store)
        quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
        follow: dict[str, Any] = {
            "fn": self.follow,
            "inputs": parts.choice,
            "outputs": [parts.head, parts.table],
            "concurrency_limit": None,
            **quiet,
        }
        opened = tab.select(**follow)
        chosen = [
            gr.on(triggers, **follow, cancels=[opened])
            for triggers in (
                [parts.user.submit, parts.user.blur, parts.model.submit, parts.model.blur],
                [parts.kind.input, parts.path.submit, parts.path.blur, parts.limit.input],
            )
        ]
        anew: dict[str, Any] = {**follow, "cancels": [opened, *chosen]}
        parts.kind.input(
            lambda kind: gr.Textbox(visible=kind != COURSE), parts.kind, parts.path, **quiet
        )
        self._wire_run(parts, quiet, anew)
        self._wire_keeping(parts, quiet, anew)
        self._wire_task(parts, quiet)
        self._wire_submit(parts, quiet, anew)
        remembered = [parts.user, parts.code]
        page.load(None, None, remembered, js=_RECALL, **quiet)
        page.load(None, None, None, js=_RETURN, **quiet)
        for box in remembered:
            box.change(None, remembered, None, js=_REMEMBER, **quiet)

    def _wire_run(self, parts: Parts, quiet: dict[str, Any], anew: dict[str, Any]) -> None:
        parts.head.begin(self.begin, parts.choice, None, **quiet).success(**anew)
        parts.head.rerun(self.rerun, parts.choice, None, **quiet).success(**anew)
        parts.head.refresh(self.refresh, parts.choice, None, **quiet).success(**anew)
        parts.head.pause(self.pause, parts.choice, None, **quiet)
        parts.head.resume(self.resume, parts.choice, None, **quiet)
        parts.head.end(self.end, parts.choice, None, **quiet)

    def _wire_keeping(self, parts: Parts, quiet: dict[str, Any], anew: dict[str, Any]) -> None:
        parts.download.click(self.download, parts.choice, parts.zip, **quiet).success(
            None, None, None, js=_SAVE, **quiet
        )
        parts.upload.upload(
            self.upload, [*parts.choice, parts.upload], [parts.user, parts.model], **quiet
        ).success(**anew)
        parts.clear.click(lambda: gr.Button(visible=True), None, parts.clear_yes, **quiet)
        parts.clear_yes.click(self.clear, parts.choice, parts.clear_yes, **quiet).success(**anew)

    def _wire_task(self, parts: Parts, quiet: dict[str, Any]) -> None:
        seen = [parts.overview, parts.detail, parts.task, parts.give, parts.task_id, parts.shown]
        live: dict[str, Any] = {**quiet, "concurrency_limit": None}
        opened = parts.table.open(self.open, parts.choice, seen, **live)
        one = [*parts.choice, parts.task_id]
        again = parts.shown.again(self.again, one, None, **quiet).success(
            self.reopen, one, seen, **live, cancels=[opened]
        )
        parts.give.upload(self.give, [*one, parts.give], None, **quiet).success(
            self.reopen, one, seen, **live, cancels=[opened, again]
        )
        parts.back.click(
            lambda: (gr.Column(visible=True), gr.Column(visible=False)),
            None,
            [parts.overview, parts.detail],
            cancels=[opened, again],
            **quiet,
        )

    def _wire_submit(self, parts: Parts, quiet: dict[str, Any], anew: dict[str, Any]) -> None:
        submission = [*parts.choice, parts.code]
        parts.review.click(self.review, submission, parts.reviewed, **quiet)
        parts.reviewed.dismiss(lambda: "", None, parts.reviewed, **quiet)
        parts.reviewed.send(self.send, submission, parts.reviewed, **quiet).then(**anew)
        parts.reviewed.send_again(self.send_again, submission, parts.reviewed, **quiet).then(**anew)

    async def follow(self, profile: Profile, *words: Any) -> AsyncIterator[tuple[Any, Any]]:
        """The run as it is on disk, until it is over; it knows nothing of this."""
        try:
            found = await asyncio.to_thread(self._find, profile, words)
        except (BenchmarkError, ModelNameError) as error:
            yield show.trouble(str(error)), []
            return
        last = None
        while True:
            standing = await asyncio.to_thread(self._bench.standing, found)
            board = show.head(standing), show.table(standing)
            if board != last:
                yield board
            if not standing.is_running:
                return
            last = board
            await asyncio.sleep(_INTERVAL_S)

    def begin(self, profile: Profile, *words: Any) -> None:
        """Ask what is still to ask."""
        with _told(self._settings):
            self._bench.start(self._find(profile, words))

    def rerun(self, profile: Profile, *words: Any) -> None:
        """Ask again what failed."""
        with _told(self._settings):
            self._bench.start(self._find(profile, words), "failed")

    def refresh(self, profile: Profile, *words: Any) -> None:
        """Ask the scoring API for its questions again."""
        with _told(self._settings):
            self._find(profile, words, refresh=True)

    def pause(self, profile: Profile, *words: Any) -> None:
        """Let the question under way end and ask no further one."""
        with _told(self._settings):
            self._bench.pause(self._find(profile, words))

    def resume(self, profile: Profile, *words: Any) -> None:
        """Go on after a pause."""
        with _told(self._settings):
            self._bench.resume(self._find(profile, words))

    def end(self, profile: Profile, *words: Any) -> None:
        """End the run."""
        with _told(self._settings):
            self._bench.end(self._find(profile, words))

    def download(self, profile: Profile, *words: Any) -> Path:
        """The run as a zip."""
        with _told(self._settings):
            return self._bench.export(self._find(profile, words))

    def upload(self, profile: Profile, *words: Any) -> tuple[Any, Any]:
        """Take a run out of a zip; the boxes then say whose it is."""
        *chosen, path = words
        with _told(self._settings):
            about = self._bench.take(Path(path), self._choice(profile, chosen))
        gr.Info(f"Taken: the run of {escape(about.model)}.")
        return about.user or gr.skip(), about.model

    def clear(self, profile: Profile, *words: Any) -> gr.Button:
        """Delete the answers, which was confirmed by a second button."""
        with _told(self._settings):
            deleted = self._bench.clear(self._find(profile, words))
        gr.Info(f"{count(deleted, 'answer')} deleted; traces and receipts are kept.")
        return gr.Button(visible=False)

    async def open(
        self, profile: Profile, event: gr.EventData, *words: Any
    ) -> AsyncIterator[tuple[Any, ...]]:
        """Show a task's trace, following it if it is under way."""
        async for update in self._open(profile, [*words, picked(event)]):
            yield update

    async def reopen(self, profile: Profile, *words: Any) -> AsyncIterator[tuple[Any, ...]]:
        """Show the open task as it is now."""
        async for update in self._open(profile, words):
            yield update

    async def _open(self, profile: Profile, words: Any) -> AsyncIterator[tuple[Any, ...]]:
        *chosen, task_id = words
        with _told(self._settings):
            found = await asyncio.to_thread(self._find, profile, chosen)
            task = found.task(task_id)
            run_id = await asyncio.to_thread(self._bench.run_of, found, task_id)
            asked = self._manager.store.exists(run_id)
            label = f"Give this task its file, {task.file_name}"
            start = (
                gr.Column(visible=False),
                gr.Column(visible=True),
                show.task(task, self._bench.files(task), asked=asked),
                gr.UploadButton(label, visible=bool(task.file_name)),
                task_id,
            )
            if not asked:
                yield *start, EMPTY
                return
            async for story in stories(self._manager, run_id):
                yield *start, view(story)

    def again(self, profile: Profile, *words: Any) -> None:
        """Ask the open task again, whatever became of it."""
        *chosen, task_id = words
        with _told(self._settings):
            self._bench.ask_again(self._find(profile, chosen), task_id)

    def give(self, profile: Profile, *words: Any) -> None:
        """Take a file for the open task."""
        *chosen, task_id, path = words
        with _told(self._settings):
            name = self._bench.attach(self._find(profile, chosen), task_id, Path(path))
        gr.Info(f"Taken as {escape(name)}. Ask again, or re-run what failed, to use it.")

    def review(self, profile: Profile, *words: Any) -> str:
        """Exactly what would be sent."""
        *chosen, code = words
        try:
            found = self._find(profile, chosen)
            submission = self._bench.review(found, self._user(profile, chosen), code)
        except (BenchmarkError, ModelNameError) as error:
            return show.refusal(str(error))
        return show.review(submission, self._bench.standing(found))

    def send(self, profile: Profile, event: gr.EventData, *words: Any) -> str:
        """Send what was reviewed, once."""
        return self._send(profile, picked(event), words, again=False)

    def send_again(self, profile: Profile, event: gr.EventData, *words: Any) -> str:
        """Send although it may have arrived."""
        return self._send(profile, picked(event), words, again=True)

    def _send(self, profile: Profile, digest: str, words: Any, *, again: bool) -> str:
        *chosen, code = words
        try:
            found = self._find(profile, chosen)
            user = self._user(profile, chosen)
            return show.sent(self._bench.send(found, user, code, digest, again=again))
        except (BenchmarkError, ModelNameError) as error:
            return show.refusal(str(error))
        except OSError as error:
            return show.refusal(explain(error, self._settings.cache_dir))

    def _find(self, profile: Profile, words: Any, *, refresh: bool = False) -> Found:
        return self._bench.find(self._choice(profile, words), refresh=refresh)

    def _user(self, profile: Profile, words: Any) -> str:
        return user_of(self._settings, profile, words[0])

    def _choice(self, profile: Profile, words: Any) -> Choice:
        _, kind, path, model, limit = words
        user = self._user(profile, words)
        if kind != COURSE and not path.strip():
            raise BenchmarkError("Give the path of the questions under Settings.")
        source = "" if kind == COURSE else path.strip()
        return Choice(user, source, model.strip(), int(limit or 0))


@contextmanager
def _told(settings: Settings) -> Iterator[None]:
    """What cannot be done is said on the screen, in a sentence."""
    try:
        yield
    except (BenchmarkError, ModelNameError) as error:
        raise gr.Error(escape(str(error))) from error
    except OSError as error:
        raise gr.Error(escape(explain(error, settings.cache_dir))) from error
