"""Settings for an entry point: one sentence, not a traceback, when a variable is wrong."""

import sys

from pydantic import ValidationError

from agent.config import Settings
from agent.obs.log import log_to_file


def load_settings() -> Settings:
    """The settings of this environment; the log goes to a file from here on.

    Raises:
        SystemExit: with code 2, after saying which variable is wrong.
    """
    try:
        settings = Settings()
    except ValidationError as error:
        for problem in error.errors():
            name = str(problem["loc"][0])
            variable = name if name.isupper() else f"AGENT_{name.upper()}"
            print(f"{variable}={problem['input']!r}: {problem['msg']}.", file=sys.stderr)
        raise SystemExit(2) from None
    log_to_file(settings.cache_dir)
    return settings
