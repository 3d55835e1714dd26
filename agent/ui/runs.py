"""The Runs tab: every run on disk, and any of them opened in the view of the Ask tab."""

from collections.abc import AsyncIterator
from typing import Any

import gradio as gr

from agent.config import Settings
from agent.runs.manager import RunManager
from agent.runs.store import UnknownRun
from agent.ui.follow import stories
from agent.ui.listing import listing
from agent.ui.render import EMPTY, view
from agent.ui.run_view import asset, picked, run_view
from agent.ui.visitor import Profile, listed_runs

_WITH_KNOWN = """(words) => [words, localStorage.getItem("runs") ?? ""]"""
"""The browser knows which runs it has shown: ``view.js`` writes them down."""
_WHOSE = """<p class="hint">The runs that this browser has shown. A run's own address opens it for
whoever has it.</p>"""


class RunsTab:
    """Builds the tab and holds what its events do."""

    def __init__(self, settings: Settings, manager: RunManager) -> None:
        self._settings = settings
        self._manager = manager

    def build(self, tab: gr.Tab) -> gr.HTML:
        """Lay the tab out; returns its run view, whose event ``again`` is the Ask tab's."""
        quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
        with gr.Column() as overview:
            if self._settings.space_id:
                gr.HTML(_WHOSE, apply_default_css=False)
            filter_box = gr.Textbox(
                "",
                placeholder="Filter by words of the question or the answer",
                label="Filter runs",
                show_label=False,
                container=False,
                max_lines=1,
            )
            listed = gr.HTML(js_on_load=asset("pick.js"), apply_default_css=False)
            known = gr.Textbox("", visible=False)
        with gr.Column(visible=False) as detail:
            back = gr.Button("← All runs", size="sm", elem_classes="back")
            shown = run_view(self._manager.store)

        asked: dict[str, Any] = {"inputs": [filter_box, known], "js": _WITH_KNOWN, **quiet}
        gr.on(
            [tab.select, back.click],
            self.refresh,
            outputs=[listed, overview, detail, shown],
            **asked,
        )
        filter_box.change(self.found, outputs=listed, trigger_mode="always_last", **asked)
        listed.pick(self.open, None, [overview, detail, shown], concurrency_limit=None, **quiet)
        return shown

    def found(self, words: str, known: str, profile: Profile) -> str:
        """The list, of the runs whose question, answer or status has all the words."""
        only = listed_runs(self._settings, profile, known)
        wanted = words.casefold().split()
        found = [
            run
            for run in self._manager.store.runs(only=only)
            if all(w in f"{run.question} {run.answer} {run.status}".casefold() for w in wanted)
        ]
        return listing(found, filtered=bool(wanted))

    def refresh(self, words: str, known: str, profile: Profile) -> tuple[Any, ...]:
        """The list as it is on disk now, and no run open."""
        listed = self.found(words, known, profile)
        return listed, gr.Column(visible=True), gr.Column(visible=False), EMPTY

    async def open(self, event: gr.EventData) -> AsyncIterator[tuple[Any, ...]]:
        """Show a run, following it if it is under way."""
        run_id = picked(event)
        if not self._manager.store.exists(run_id):
            raise gr.Error(str(UnknownRun("There is no such run here.")))
        async for story in stories(self._manager, run_id):
            yield gr.Column(visible=False), gr.Column(visible=True), view(story)
