"""What a stranger gets on a Space, and what only its owner does."""

from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from agent.config import Settings
from agent.llm.names import ModelName, ModelNameError
from agent.obs.events import RunStarted
from agent.obs.trace import TraceWriter
from agent.runs.manager import RunManager
from agent.ui.owner import NotAllowedError
from agent.ui.runs import RunsTab
from agent.ui.visitor import chosen_model
from tests.browser.scripted import Scripted

ALICE: Any = {"preferred_username": "alice", "sub": "1"}
MALLORY: Any = {"preferred_username": "mallory", "sub": "7"}
TOKEN = gr.OAuthToken(token="hf_of_mallory", scope="inference-api", expires_at=0)


def settings_for(folder: Path, **fields: Any) -> Settings:
    space = {"space_id": "alice/agent", "system": "spaces", "space_author": "alice"}
    return Settings(_env_file=None, cache_dir=folder, **space | fields)


@pytest.mark.parametrize(
    "name", ["embedded:/etc/model.gguf", "embedded:qwen3-4b", "openai:gpt-4o", "ollama:big"]
)
def test_a_stranger_gets_no_model_of_their_choice(tmp_path: Path, name: str) -> None:
    settings = settings_for(tmp_path)
    for profile in (None, MALLORY):
        with pytest.raises(NotAllowedError, match="its own model"):
            chosen_model(settings, name, profile, TOKEN if profile else None)
    assert chosen_model(settings, name, ALICE, None) == name


@pytest.mark.parametrize("name", ["", " ", "embedded", "ollama:llama3.2:3b"])
def test_what_the_space_answers_with_is_everybodys(tmp_path: Path, name: str) -> None:
    assert chosen_model(settings_for(tmp_path), name, None, None) == name.strip()


def test_a_space_with_a_model_of_its_own_loads_no_other(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, model="embedded:llama-3.2-3b")
    assert chosen_model(settings, "embedded:llama-3.2-3b", None, None)
    with pytest.raises(NotAllowedError):
        chosen_model(settings, "embedded", None, None)


def test_hugging_face_is_asked_with_the_token_of_who_asks(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, hf_token="hf_of_the_owner")
    with pytest.raises(NotAllowedError, match="Sign in"):
        chosen_model(settings, "huggingface:org/x", None, None)
    chosen = chosen_model(settings, "huggingface:org/x", MALLORY, TOKEN)
    assert isinstance(chosen, ModelName) and chosen.token
    assert chosen.token.get_secret_value() == "hf_of_mallory"
    assert "hf_of_mallory" not in f"{chosen} {chosen!r}"


def test_a_space_set_to_hugging_face_spends_the_visitors_credit_first(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, model="huggingface:org/x", hf_token="hf_of_the_owner")
    chosen = chosen_model(settings, "", MALLORY, TOKEN)
    assert isinstance(chosen, ModelName) and chosen.token
    assert chosen_model(settings, "", None, None) == ""


def test_a_name_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelNameError):
        chosen_model(settings_for(tmp_path), "lama", None, None)


def test_elsewhere_everything_may_be_asked_for(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, space_id="")
    assert chosen_model(settings, " openai:gpt-4o ", None, None) == "openai:gpt-4o"


@pytest.mark.parametrize(
    ("space_id", "profile", "known", "listed"),
    [
        ("alice/agent", None, "", set()),
        ("alice/agent", None, "run-2,run-9", {"run-2"}),
        ("alice/agent", MALLORY, "../run-1,*", set()),
        ("alice/agent", ALICE, "", {"run-1", "run-2"}),
        ("", None, "", {"run-1", "run-2"}),
    ],
)
def test_a_visitors_own_runs_alone_are_listed(
    tmp_path: Path, space_id: str, profile: Any, known: str, listed: set[str]
) -> None:
    settings = settings_for(tmp_path, space_id=space_id)
    for run_id in ("run-1", "run-2"):
        with TraceWriter(settings.runs_dir / f"{run_id}.jsonl") as write:
            write(RunStarted(run_id=run_id, question="What?"))
    tab = RunsTab(settings, RunManager(settings, Scripted(pace=0)))
    shown = tab.found("", known, profile)
    assert {run_id for run_id in ("run-1", "run-2") if run_id in shown} == listed
