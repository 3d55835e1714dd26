"""Start the app: ``python app.py``."""

import os

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")

from agent.cli.settings import load_settings
from agent.runs.answering import orchestrated
from agent.runs.manager import RunManager
from agent.ui.app import serve

if __name__ == "__main__":
    settings = load_settings()
    serve(settings, RunManager(settings, orchestrated(settings)))
