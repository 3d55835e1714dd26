"""What the Benchmark tab is made of, from top to bottom; what its parts do is in ``benchmark``."""

from dataclasses import dataclass
from typing import Any

import gradio as gr

from agent.config import Settings
from agent.runs.store import RunStore
from agent.ui import benchmark_view as show
from agent.ui.owner import has_login
from agent.ui.run_view import asset, run_view

COURSE, FOLDER, FILE = SOURCES = ("Course", "GAIA folder", "JSONL file")
"""Where questions may come from."""


@dataclass(frozen=True)
class Parts:
    """The components that events read or change."""

    user: gr.Textbox
    head: gr.HTML
    kind: gr.Radio
    path: gr.Textbox
    model: gr.Textbox
    limit: gr.Number
    download: gr.Button
    zip: gr.DownloadButton
    upload: gr.UploadButton
    clear: gr.Button
    clear_yes: gr.Button
    overview: gr.Column
    table: gr.HTML
    code: gr.Textbox
    review: gr.Button
    reviewed: gr.HTML
    detail: gr.Column
    back: gr.Button
    task: gr.HTML
    task_id: gr.State
    give: gr.UploadButton
    shown: gr.HTML

    @property
    def choice(self) -> list[Any]:
        """What says which run is meant."""
        return [self.user, self.kind, self.path, self.model, self.limit]


def lay_out(settings: Settings, store: RunStore) -> Parts:
    """Make the components, inside the tab that is being built."""
    found: dict[str, Any] = {}
    with gr.Column() as found["overview"]:
        if has_login(settings):
            gr.LoginButton(size="sm", elem_classes="back")
        found["head"] = _html(show.looking())
        _settings(found, settings)
        _keeping(found)
        found["table"] = _html([], html_template=asset("bench_table.html"))
        _submit(found, settings)
    with gr.Column(visible=False) as found["detail"]:
        found["back"] = gr.Button("← All questions", size="sm", elem_classes="back")
        found["task"] = _html("")
        found["give"] = gr.UploadButton("Give this task its file", size="sm", elem_classes="back")
        found["task_id"] = gr.State("")
        found["shown"] = run_view(store, "bench-run")
    return Parts(**found)


def _html(value: Any, **more: Any) -> gr.HTML:
    return gr.HTML(value, js_on_load=asset("bench.js"), apply_default_css=False, **more)


def _settings(found: dict[str, Any], settings: Settings) -> None:
    with gr.Accordion("Settings", open=False, elem_classes="bench-fold"):
        with gr.Row():
            found["kind"] = gr.Radio(SOURCES, value=COURSE, label="Questions")
            found["path"] = gr.Textbox(
                "",
                label="Path on the machine that runs this app",
                placeholder="folder with metadata.jsonl, or file.jsonl",
                max_lines=1,
                visible=False,
            )
        with gr.Row():
            found["model"] = gr.Textbox(
                "",
                label="Model",
                placeholder=settings.model or "automatic, or ollama:llama3.2:3b",
                info="Each model keeps answers of its own.",
                max_lines=1,
            )
            found["limit"] = gr.Number(
                0, label="First questions only", info="0 asks all of them.", minimum=0, precision=0
            )


def _keeping(found: dict[str, Any]) -> None:
    with gr.Accordion("Keep or clear the answers", open=False, elem_classes="bench-fold"):
        gr.HTML(
            '<p class="hint">The zip holds answers, receipts and traces. Take it with you where a '
            "disk forgets, as on a Space that sleeps; what is answered here wins over the zip.</p>",
            apply_default_css=False,
        )
        with gr.Row(elem_id="bench-keep"):
            found["download"] = gr.Button("Download zip", size="sm")
            found["upload"] = gr.UploadButton("Upload zip", size="sm", file_types=[".zip"])
            found["clear"] = gr.Button("Clear answers…", size="sm")
            found["clear_yes"] = gr.Button(
                "Delete these answers for good", size="sm", variant="stop", visible=False
            )
        found["zip"] = gr.DownloadButton("Zip", elem_id="bench-zip")  # pressed by a script


def _submit(found: dict[str, Any], settings: Settings) -> None:
    with gr.Column(elem_id="bench-submit"):
        gr.HTML(
            "<h2>Submit</h2><p>Nothing is ever sent by itself. You see each answer exactly as it "
            "will be sent, and decide. A name also parts your answers from another person's.</p>",
            apply_default_css=False,
        )
        with gr.Row():
            _name_and_code(found, settings)
        found["review"] = gr.Button("Review and submit…", elem_classes="back")
        found["reviewed"] = _html("")


def _name_and_code(found: dict[str, Any], settings: Settings) -> None:
    """On a Space the login says the one, and its address is the other."""
    found["user"] = gr.Textbox(
        "",
        label="Hugging Face user name, exactly as on your profile",
        max_lines=1,
        visible=not has_login(settings),
    )
    found["code"] = gr.Textbox(
        "",
        label="Where your code is public",
        placeholder="https://huggingface.co/spaces/YOU/SPACE/tree/main",
        max_lines=1,
        visible=not settings.space_id,
    )
