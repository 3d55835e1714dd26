"""The Ask tab: a question, and the run that answers it as it happens."""

from collections.abc import AsyncIterator
from html import escape
from pathlib import Path
from typing import Any

import gradio as gr

from agent.budget import Limits
from agent.config import Settings
from agent.llm.names import ModelNameError
from agent.runs.manager import RunManager
from agent.ui.follow import stories
from agent.ui.markup import render
from agent.ui.model_chip import ModelChip
from agent.ui.owner import NotAllowedError, has_login
from agent.ui.render import view
from agent.ui.run_view import asset, picked, run_view
from agent.ui.visitor import Profile, Token, chosen_model

EXAMPLES = (
    "What is 17*23?",
    "What is 1000*(1.05)^10, rounded to two decimals?",
    "A train travels 240 km in 3 hours. What is its average speed in km/h?",
    "What is the largest of 17, 4, 92 and 38?",
)
"""Questions that need no network and that the smallest model can do."""

_REMEMBERED = """() => new URLSearchParams(location.search).get("run")
    ?? sessionStorage.getItem("run") ?? "" """

Update = tuple[Any, Any, Any]
"""New values of the run id, the question box and the run view."""


class AskTab:
    """Builds the tab and holds what its events do."""

    def __init__(self, settings: Settings, manager: RunManager) -> None:
        self._settings = settings
        self._manager = manager
        self._chip = ModelChip(settings)
        self._options: list[Any] = []
        self._live: dict[str, Any] = {}

    def build(self, page: gr.Blocks) -> None:
        """Lay the tab out inside the page that is being built."""
        limits = Limits.from_settings(self._settings)
        # A plain text box: the multimodal one brings a video and an audio player along, and doubles
        # the time to the first page.
        box = gr.Textbox(
            "",
            placeholder="Ask a question",
            label="Question",
            show_label=False,
            lines=1,  # more, and Enter would no longer submit
            max_lines=10,
            autofocus=True,
            submit_btn="Ask",
            stop_btn=False,
            elem_id="question",
        )
        with gr.Row(elem_id="files"):
            files = gr.UploadButton("+ Attach files", file_count="multiple", size="sm", min_width=0)
            attached = gr.HTML(js_on_load=asset("pick.js"), apply_default_css=False)
        examples = gr.HTML(
            render("examples.html", questions=EXAMPLES),
            js_on_load=asset("pick.js"),
            apply_default_css=False,
        )
        self._chip.build()
        with gr.Accordion("Settings", open=False, elem_id="settings"), gr.Row():
            model = gr.Textbox(
                "",
                label="Model",
                placeholder="automatic, or ollama:llama3.2:3b",
                info="provider:name",
                max_lines=1,
            )
            calls = gr.Slider(
                1,
                max(20, limits.max_llm_calls),
                limits.max_llm_calls,
                step=1,
                label="Model calls at most",
            )
            seconds = gr.Slider(
                10,
                max(900, limits.per_question_timeout_s),
                limits.per_question_timeout_s,
                step=10,
                label="Seconds at most",
            )
            if has_login(self._settings):
                gr.LoginButton(size="sm")
        run_id = gr.State("")
        remembered = gr.Textbox("", visible=False)
        shown = run_view(self._manager.store, "run", in_address=True)

        options = [model, calls, seconds]
        self._live = {
            "outputs": [run_id, box, shown],
            "show_progress": "hidden",
            "concurrency_limit": None,
            "api_visibility": "private",
        }
        self._options = options
        box.submit(self.ask, [box, files, *options], **self._live)
        examples.pick(self.ask_example, options, **self._live)
        self.offer_again(shown)
        page.load(self.restore, remembered, js=_REMEMBERED, **self._live)
        quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
        box.stop(self.stop, run_id, None, queue=False, **quiet)
        files.upload(_attached, files, attached, **quiet)
        attached.pick(lambda: (None, ""), None, [files, attached], **quiet)
        self._chip.watch(page, model)

    def offer_again(self, shown: gr.HTML) -> None:
        """Let a run view have its run asked again, here."""
        shown.again(self.ask_again, self._options, **self._live)

    async def ask(
        self,
        profile: Profile,
        token: Token,
        question: str,
        files: list[str] | None,
        *options: Any,
    ) -> AsyncIterator[Update]:
        """Start a run of what is in the box and show it; ``options`` as ``_ask`` takes them."""
        paths = [Path(file) for file in files or ()]
        async for update in self._ask(question, paths, profile, token, *options):
            yield update

    async def ask_example(
        self, profile: Profile, token: Token, event: gr.EventData, *options: Any
    ) -> AsyncIterator[Update]:
        """Start a run of an example."""
        async for update in self._ask(picked(event), [], profile, token, *options, fill=True):
            yield update

    async def ask_again(
        self, profile: Profile, token: Token, event: gr.EventData, *options: Any
    ) -> AsyncIterator[Update]:
        """Ask the question of a run that is over once more."""
        earlier = self._manager.store.started(picked(event))
        files = [path for path in map(Path, earlier.files) if path.is_file()]
        asked = (earlier.question, files, profile, token, *options)
        async for update in self._ask(*asked, fill=True):
            yield update

    async def _ask(
        self,
        question: str,
        files: list[Path],
        profile: Profile,
        token: Token,
        model: str,
        calls: float,
        seconds: float,
        *,
        fill: bool = False,
    ) -> AsyncIterator[Update]:
        if not question.strip():
            gr.Info("Type a question first.")
            yield gr.skip(), gr.skip(), gr.skip()
            return
        limits = Limits.from_settings(self._settings).model_copy(
            update={"max_llm_calls": int(calls), "per_question_timeout_s": float(seconds)}
        )
        try:
            allowed = chosen_model(self._settings, model, profile, token)
        except (ModelNameError, NotAllowedError) as error:
            raise gr.Error(escape(str(error))) from error
        run_id = self._manager.start(question.strip(), files, allowed, limits)
        async for update in self._show(run_id, fill=fill):
            yield update

    async def restore(self, run_id: str) -> AsyncIterator[Update]:
        """After a reload, a lost connection or a restart: show the run where it is."""
        if not self._manager.store.exists(run_id):
            yield gr.skip(), gr.skip(), gr.skip()
        else:
            async for update in self._show(run_id, fill=True):
                yield update

    def stop(self, run_id: str) -> None:
        """Stop the run; it says so itself."""
        self._manager.stop(run_id)

    async def _show(self, run_id: str, *, fill: bool) -> AsyncIterator[Update]:
        """The run from its beginning until it is over; the button says Stop as long.

        ``fill`` puts its question into the box, where it was not asked from there.
        """
        was_running = None
        async for story in stories(self._manager, run_id):
            running = not story.is_over
            box = gr.skip()
            if running != was_running:
                box = gr.Textbox(**_BUTTONS[running], **_text(story.question, fill))
                fill, was_running = False, running
            yield run_id, box, view(story)


_BUTTONS: dict[bool, dict[str, Any]] = {
    True: {"submit_btn": False, "stop_btn": "Stop"},
    False: {"submit_btn": "Ask", "stop_btn": False},
}
"""The one button, by whether a run is going."""


def _text(question: str, fill: bool) -> dict[str, Any]:
    return {"value": question} if fill else {}


def _attached(files: list[str] | None) -> str:
    """The names of the attached files, and a button that takes them off again."""
    return render("attached.html", names=[Path(file).name for file in files or ()])
