"""The page: its tabs, its look, and the server that shows it."""

from typing import Any

import gradio as gr
from gradio.events import api

from agent.config import Settings
from agent.runs.manager import RunManager
from agent.ui.api import answerer
from agent.ui.ask import AskTab
from agent.ui.benchmark import BenchmarkTab
from agent.ui.run_view import ASSETS, asset
from agent.ui.runs import RunsTab

TITLE = "Ten-call agent"
PITCH = "Ask a question. A small model answers it within ten calls, and you see every step."


def build(settings: Settings, manager: RunManager) -> gr.Blocks:
    """The page. Nothing heavy is imported and no model is looked for before it is opened."""
    page = gr.Blocks(title=TITLE, analytics_enabled=False)
    with page:
        api(answerer(settings, manager), api_name="ask")
        gr.HTML(
            f"<header><h1>{TITLE}</h1><p>{PITCH}</p></header>",
            apply_default_css=False,
            elem_id="pitch",
        )
        ask = AskTab(settings, manager)
        with gr.Tabs() as tabs:
            with gr.Tab("Ask", id="ask"):
                ask.build(page)
            with gr.Tab("Benchmark", id="benchmark") as benchmark:
                BenchmarkTab(settings, manager).build(page, benchmark)
            with gr.Tab("Runs", id="runs") as runs:
                opened = RunsTab(settings, manager).build(runs)
        opened.again(lambda: gr.Tabs(selected="ask"), None, tabs, api_visibility="private")
        ask.offer_again(opened)
    return page


def look() -> dict[str, Any]:
    """What ``launch`` needs to know of the look: system fonts, one accent, no remote file."""
    system = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif"]
    mono = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace"]
    theme = gr.themes.Default(
        primary_hue="teal", neutral_hue="slate", font=system, font_mono=mono, radius_size="lg"
    )
    return {
        "theme": theme,
        # As a style sheet of the page's own: Gradio's ``css`` rewrites selectors, and breaks some.
        "head": f"<style>{asset('app.css')}{asset('bench.css')}</style>",
        "favicon_path": ASSETS / "favicon.svg",
        "footer_links": ["settings"],
        "run_history": False,
        "ssr_mode": False,
    }


def serve(settings: Settings, manager: RunManager) -> None:
    """Serve the page until the process ends; prints the address.

    ``GRADIO_SERVER_NAME`` and ``GRADIO_SERVER_PORT`` say where; without them it is this machine
    alone and the first free port from 7860. A Space sets the name itself.
    """
    page = build(settings, manager)
    _, address, _ = page.launch(
        quiet=True, prevent_thread_lock=True, max_file_size="50mb", show_error=True, **look()
    )
    print(f"Open {address} in a browser. Stop with Ctrl+C.", flush=True)
    page.block_thread()
