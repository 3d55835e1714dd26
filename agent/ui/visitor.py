"""What a visitor of a Space may ask with, and which runs are listed for whom.

Elsewhere whoever has the page is its owner. A run's id cannot be guessed: it is the key to that run
for whoever was given it, so that nothing but the list has to be guarded.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import gradio as gr
from pydantic import SecretStr

from agent.config import DEFAULT_MODEL, Settings
from agent.llm.names import AskedModel, ModelName
from agent.ui.owner import NotAllowedError, may_act

Profile = gr.OAuthProfile | None
Token = gr.OAuthToken | None


def chosen_model(settings: Settings, asked: str, profile: Profile, token: Token) -> AskedModel:
    """The model that whoever is signed in may have, for what they typed.

    On a Space, ``huggingface:NAME`` costs the credit of who asks, by the token of their sign-in.
    Beyond that a stranger gets what the Space is set to, since any other name would make it
    download, load or pay for a model.

    Raises:
        ModelNameError: the name cannot be understood.
        NotAllowedError: somebody who does not own the Space asks for another model.
    """
    asked = asked.strip()
    wanted = asked or settings.model
    if not settings.space_id or not wanted:
        return asked
    name = ModelName.parse(wanted)
    if name.provider == "huggingface" and token:
        return replace(name, token=SecretStr(token.token))
    if not asked or may_act(settings, profile) or name in _configured(settings):
        return asked
    if name.provider == "huggingface":
        raise NotAllowedError(f"Sign in with Hugging Face to use {name}, at your own credit.")
    raise NotAllowedError(
        "This Space answers with its own model: leave the name empty, or sign in and name "
        "huggingface:OWNER/NAME, at your own credit."
    )


def listed_runs(
    settings: Settings, profile: Mapping[str, Any] | None, known: str
) -> set[str] | None:
    """The ids of the runs that may be listed; None for all of them.

    ``known`` are those that the browser has shown, with commas between them.
    """
    if not settings.space_id or may_act(settings, profile):
        return None
    return set(known.split(","))


def _configured(settings: Settings) -> list[ModelName]:
    names = [settings.model] if settings.model else [DEFAULT_MODEL, "embedded"]
    return [ModelName.parse(name) for name in names]
