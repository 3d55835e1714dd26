"""The component that shows a run, on the Ask tab and on the Runs tab alike."""

from pathlib import Path
from typing import Any

import gradio as gr

from agent.runs.store import RunStore
from agent.ui.render import EMPTY

ASSETS = Path(__file__).parent / "assets"


def run_view(store: RunStore, elem_id: str = "opened-run", *, in_address: bool = False) -> gr.HTML:
    """A view of one run; its value is what ``render.view`` returns.

    Its event ``again`` names a run that the reader wants asked again. With ``in_address`` the
    browser's address and its tab remember the run that is shown.
    """

    def trace(run_id: str) -> str:
        """A run's events as they are on disk, for the download."""
        return store.path(run_id).read_text(encoding="utf-8", errors="replace")

    return gr.HTML(
        EMPTY,
        html_template=asset("view.html"),
        js_on_load=asset("view.js"),
        server_functions=[trace],
        apply_default_css=False,
        elem_id=elem_id,
        in_address=in_address,
    )


def asset(name: str) -> str:
    """The text of a file in ``assets/``."""
    return (ASSETS / name).read_text(encoding="utf-8")


def picked(event: gr.EventData) -> str:
    """What an event of our own scripts names: a run, a question; empty if nothing."""
    data: Any = event._data
    return str(data.get("pick", "")) if isinstance(data, dict) else ""
