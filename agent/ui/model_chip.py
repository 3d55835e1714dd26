"""The chip that says which model would answer, and the button that gets a missing one."""

from typing import TYPE_CHECKING, Any

import gradio as gr

from agent.config import Settings
from agent.llm.names import ModelNameError
from agent.ui.markup import render
from agent.ui.owner import NotAllowedError, has_login, may_act
from agent.ui.pulls import Pulls
from agent.ui.run_view import asset, picked
from agent.ui.visitor import Profile, Token, chosen_model

if TYPE_CHECKING:
    from agent.llm.status import ModelStatus

_PULLING_S, _WAITING_S = 1.0, 3.0
"""Between two looks while a model is downloaded, and while there is none yet."""

Update = tuple[Any, gr.Timer]
"""New values of the chip and of its timer, which runs as long as there is something to wait for."""


class ModelChip:
    """Builds the chip and holds what its events do."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pulls = Pulls(settings)

    def build(self) -> None:
        """Lay it out where the page is being built; no model is looked for yet."""
        self._chip = gr.HTML(
            render("chip.html", state="checking", text="Looking for a model…"),
            js_on_load=asset("chip.js"),
            apply_default_css=False,
            elem_id="model",
        )
        self._timer = gr.Timer(_WAITING_S, active=False)

    def watch(self, page: gr.Blocks, model: gr.Textbox) -> None:
        """Keep the chip true to the name in ``model`` and to what becomes of it."""
        quiet: dict[str, Any] = {
            "show_progress": "hidden",
            "api_visibility": "private",
            "queue": False,
        }
        look: dict[str, Any] = {
            "fn": self.look,
            "inputs": [model, self._chip],
            "outputs": [self._chip, self._timer],
            "trigger_mode": "always_last",  # a look that began earlier must not end later
            **quiet,
        }
        gr.on([page.load, model.blur, model.submit, self._timer.tick], **look)
        self._chip.pull(self.pull, None, None, **quiet).success(**look)
        self._chip.halt(self.halt, None, None, **quiet).success(**look)

    def look(self, model: str, shown: str, profile: Profile, token: Token) -> Update:
        """How it stands with the model now."""
        status = self._status(model.strip(), profile, token)
        pull = self._pulls.of(status.model)
        is_pulling = pull is not None and not pull.is_over
        may_pull = may_act(self._settings, profile)
        chip = render(
            "chip.html",
            state="pulling" if is_pulling else status.state,
            model=status.model,
            text="is being downloaded" if is_pulling else status.text,
            said=pull.text if pull else "",
            fraction=pull.fraction if pull else None,
            fix=status.fix,
            pull=status.pull,
            may_pull=may_pull,
        )
        waits = status.state != "ready" and not has_login(self._settings)
        timer = gr.Timer(_PULLING_S if is_pulling else _WAITING_S, active=is_pulling or waits)
        return (gr.skip() if chip == shown else chip), timer

    def _status(self, model: str, profile: Profile, token: Token) -> "ModelStatus":
        """The state of the model that whoever is signed in would be answered by."""
        from agent.llm.status import ModelStatus, model_status

        try:
            return model_status(self._settings, chosen_model(self._settings, model, profile, token))
        except (ModelNameError, NotAllowedError) as error:
            return ModelStatus(model, "missing", "Not to be had here", str(error))

    def pull(self, event: gr.EventData, profile: Profile) -> None:
        """Download the model that the button names."""
        self._check(profile)
        self._pulls.start(picked(event))

    def halt(self, event: gr.EventData, profile: Profile) -> None:
        """Stop the download of the model that the button names."""
        self._check(profile)
        self._pulls.stop(picked(event))

    def _check(self, profile: Profile) -> None:
        if not may_act(self._settings, profile):
            raise gr.Error("The models of this Space are its owner's to download.")
