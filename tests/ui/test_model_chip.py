"""The chip without a browser: what it says of each state, and who may download."""

from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from agent.config import Settings
from agent.ui.model_chip import ModelChip
from tests.core.engine import MODEL, good
from tests.eval.scripted import until
from tests.servers.ollama import ScriptedOllama
from tests.ui.test_benchmark import SPACE, text

OWNER = {"preferred_username": "alice", "sub": "42"}
STRANGER = {"preferred_username": "mallory", "sub": "7"}
PRESS = gr.EventData(None, {"pick": MODEL})


def chip_at(host: str, folder: Path, **changed: Any) -> ModelChip:
    return ModelChip(Settings(_env_file=None, ollama_host=host, cache_dir=folder, **changed))


def seen(chip: ModelChip, model: str = "", profile: Any = None) -> tuple[str, bool]:
    """The chip's HTML, and whether it is looked at again by itself."""
    html, timer = chip.look(model, "", profile, None)
    return html, timer.active


def test_a_chip_that_has_not_changed_is_left_alone(tmp_path: Path) -> None:
    chip = chip_at("http://127.0.0.1:9", tmp_path)
    html, _ = seen(chip)
    assert chip.look("", html, None, None)[0] == gr.skip()


def test_it_looks_again_until_the_model_is_ready(tmp_path: Path) -> None:
    with ScriptedOllama(good, models=["qwen2.5:3b", "llama3.2:1b"]) as server:
        chip = chip_at(server.url, tmp_path)
        html, again = seen(chip)
        assert again and "Ollama is running, but has no llama3.2:3b" in text(html)
        assert "This Ollama has llama3.2:1b, qwen2.5:3b." in text(html)
        assert "Pull llama3.2:3b" in text(html)
        chip.pull(PRESS, None)
        until(lambda: 'class="chip ready"' in seen(chip)[0])
        assert seen(chip)[1] is False


@pytest.mark.parametrize("profile", [None, STRANGER])
def test_on_a_space_strangers_download_nothing(tmp_path: Path, profile: Any) -> None:
    with ScriptedOllama(good, models=()) as server:
        chip = chip_at(server.url, tmp_path, **SPACE)
        html, again = seen(chip, MODEL, profile)
        assert not again and "<button" not in html
        for act in (chip.pull, chip.halt):
            with pytest.raises(gr.Error, match="its owner's"):
                act(PRESS, profile)
        assert all(request.path != "/api/pull" for request in server.requests)


def test_on_a_space_its_owner_downloads(tmp_path: Path) -> None:
    with ScriptedOllama(good, models=()) as server:
        chip = chip_at(server.url, tmp_path, **SPACE)
        assert "Pull llama3.2:3b" in text(seen(chip, MODEL, OWNER)[0])
        chip.pull(PRESS, OWNER)
        until(lambda: 'class="chip ready"' in seen(chip, MODEL, OWNER)[0])


def test_a_name_is_a_name_and_no_markup(tmp_path: Path) -> None:
    with ScriptedOllama(good, models=["<img src=x>"]) as server:
        html, _ = seen(chip_at(server.url, tmp_path), 'ollama:"><img src=x onerror=alert(1)>')
    assert "<img" not in html and 'onerror=alert(1)"' not in html


def test_on_a_space_a_stranger_is_told_what_cannot_be_had(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, cache_dir=tmp_path, space_id="me/agent")
    chip = ModelChip(settings)
    html, _ = chip.look("embedded:/etc/passwd", "", None, None)
    assert "Not to be had here" in html and "This Space answers with its own model" in html
    token = gr.OAuthToken("hf_of_the_visitor", "openid", 0)
    html, _ = chip.look("huggingface:org/model", "", None, token)
    assert "Hosted model" in html and "hf_of_the_visitor" not in html
