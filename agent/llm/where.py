"""Where a model works, known from its name alone: nobody is asked."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from agent.config import DEFAULT_MODEL, Settings
from agent.llm.names import AskedModel, ModelName, ModelNameError

HERE = ""
"""This machine, or one beside it: no provider sells its time, and it has only so many cores."""
NOWHERE = "nowhere"
"""Where a model works whose name cannot be understood."""

_NEAR = (".local", ".localhost", ".lan", ".internal", ".home.arpa")


def where(settings: Settings, name: AskedModel = "") -> str:
    """``HERE``, ``NOWHERE``, or the provider at which the model called ``name`` works.

    Without a name it is the one that the settings ask for, or else what there is here.
    """
    try:
        model = ModelName.parse(name or settings.model or DEFAULT_MODEL)
    except ModelNameError:
        return NOWHERE
    match model.provider:
        case "huggingface":
            return model.provider
        case "openai" if not _is_near(settings.openai_base_url):
            return settings.openai_base_url
        case _:
            return HERE


def _is_near(url: str) -> bool:
    """Whether an address is this machine's or its network's, as far as its spelling tells."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith(_NEAR)
