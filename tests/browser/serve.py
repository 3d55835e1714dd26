"""The real page with scripted answers, as a process of its own: ``python -m tests.browser.serve``.

Reads the ordinary settings; ``SCRIPT_PACE`` and ``SCRIPT_BEACON`` are the script's.
"""

import os

from agent.config import Settings
from agent.runs.manager import RunManager
from agent.ui.app import serve
from tests.browser.scripted import Scripted

if __name__ == "__main__":
    settings = Settings()
    scripted = Scripted(float(os.environ["SCRIPT_PACE"]), os.environ["SCRIPT_BEACON"])
    serve(settings, RunManager(settings, scripted))
