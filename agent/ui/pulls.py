"""Downloads of models, each in a thread of its own: any tab shows them, and none has to stay."""

import logging
import threading
from dataclasses import dataclass, field

from agent.budget import RunStopped
from agent.config import Settings
from agent.obs.log import LOG_NAME

_log = logging.getLogger(__name__)


@dataclass(eq=False)
class Pull:
    """A download: ``text`` says how far it is, or in one sentence why it ended early; ``fraction``
    is the share of it that is done, 0 to 1, or None where that is unknown."""

    text: str
    fraction: float | None = None
    is_over: bool = False
    stop: threading.Event = field(default_factory=threading.Event)


class Pulls:
    """The downloads of this process, at most one of a name at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pulls: dict[str, Pull] = {}
        self._lock = threading.Lock()

    def start(self, name: str) -> None:
        """Begin to download the model of that whole name, unless that is under way."""
        with self._lock:
            earlier = self._pulls.get(name)
            if earlier and not earlier.is_over:
                return
            pull = self._pulls[name] = Pull(f"Asking for {name}")
        threading.Thread(target=self._work, args=(name, pull), name="pull", daemon=True).start()

    def stop(self, name: str) -> None:
        """End the download of that name soon; what came so far is not lost."""
        if pull := self._pulls.get(name):
            pull.stop.set()

    def of(self, name: str) -> Pull | None:
        """The download of that name that is under way, or else the latest if that ended early."""
        return self._pulls.get(name)

    def _work(self, name: str, pull: Pull) -> None:
        from agent.llm.names import ModelNameError
        from agent.llm.providers import NoModelError
        from agent.llm.pull import pull as download

        def progress(text: str, fraction: float | None) -> None:
            pull.text, pull.fraction = text, fraction

        try:
            download(self._settings, name, progress, pull.stop)
            del self._pulls[name]
        except RunStopped:
            pull.text = "Stopped. The next pull goes on from there."
        except (NoModelError, ModelNameError) as error:
            pull.text = str(error)
        except Exception as error:
            _log.exception("The download of %s failed", name)
            pull.text = f"The download failed ({type(error).__name__}): see {LOG_NAME}."
        finally:
            pull.is_over = True
