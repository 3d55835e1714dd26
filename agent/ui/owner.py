"""Who may act: on a Space its owner alone, who signs in; elsewhere whoever runs the app.

A button that is not shown can still be called over the network, so that every act asks here.
"""

from collections.abc import Mapping
from typing import Any

from agent.config import Settings
from agent.eval.errors import BenchmarkError


class NotAllowedError(BenchmarkError):
    """Somebody may not do this; the message says who may."""


def has_login(settings: Settings) -> bool:
    """Whether this is a Space, where people sign in with Hugging Face."""
    return bool(settings.space_id) and settings.system == "spaces"


def may_act(settings: Settings, profile: Mapping[str, Any] | None) -> bool:
    """Whether whoever is signed in under ``profile`` may do what costs the machine dearly.

    ``profile`` holds the claims of OpenID Connect: ``preferred_username``, and the id as ``sub``.
    """
    if not settings.space_id:
        return True
    claims = profile or {}
    user, number = claims.get("preferred_username"), claims.get("sub")
    return bool(
        (user and user == settings.space_author) or (number and number == settings.space_creator_id)
    )


def user_of(settings: Settings, profile: Mapping[str, Any] | None, typed: str) -> str:
    """The user name to act under: the one ``typed``, or on a Space that of the ``profile``.

    Raises:
        NotAllowedError: on a Space, nobody is signed in, or somebody who does not own it.
    """
    if not settings.space_id:
        return typed.strip()
    if profile is None:
        raise NotAllowedError("Sign in with Hugging Face: the benchmark is its owner's to run.")
    if not may_act(settings, profile):
        raise NotAllowedError(
            f"The benchmark of this Space is run by its owner, {settings.space_author}. "
            "Duplicate the Space to run your own."
        )
    return str(profile.get("preferred_username", ""))
