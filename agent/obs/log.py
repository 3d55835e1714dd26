"""The program's log: what went wrong inside, with tracebacks, in a file and never on a screen."""

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

LOG_NAME = "agent.log"
_MAX_BYTES = 1_000_000


def log_to_file(folder: Path) -> None:
    """Send the package's log to ``folder``/agent.log; if that cannot be written, nowhere."""
    logger = logging.getLogger("agent")
    logger.propagate = False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = RotatingFileHandler(
            folder / LOG_NAME, maxBytes=_MAX_BYTES, backupCount=1, encoding="utf-8", delay=True
        )
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger.addHandler(handler)
