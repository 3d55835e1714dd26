"""Settings for a command, with one sentence instead of a traceback when a variable is wrong."""

import sys

from pydantic import ValidationError

from agent.config import Settings


def load_settings() -> Settings:
    """The settings of this environment.

    Raises:
        SystemExit: with code 2, after saying which variable is wrong.
    """
    try:
        return Settings()
    except ValidationError as error:
        for problem in error.errors():
            name = str(problem["loc"][0])
            variable = name if name.isupper() else f"AGENT_{name.upper()}"
            print(f"{variable}={problem['input']!r}: {problem['msg']}.", file=sys.stderr)
        raise SystemExit(2) from None
