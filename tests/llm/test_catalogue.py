"""The catalogue of embedded models."""

import re
from pathlib import Path

import pytest

from agent.llm.catalogue import DEFAULT, MODELS, find
from agent.llm.names import ModelNameError


def test_every_model_can_be_fetched_checked_and_weighed() -> None:
    for model in MODELS:
        assert re.fullmatch(r"[0-9a-f]{64}", model.sha256)
        assert re.fullmatch(r"[^/]+/[^/]+", model.repo)
        assert model.file.endswith(".gguf")
        assert model.memory > model.size > 0
        assert model.licence


def test_names_and_hashes_are_unique() -> None:
    assert len({model.name for model in MODELS}) == len({m.sha256 for m in MODELS}) == len(MODELS)


def test_the_default_is_the_smallest_and_has_a_mirror_nearly_as_large() -> None:
    assert min(MODELS, key=lambda model: model.size) is DEFAULT
    assert 0.9 < sum(part.size for part in DEFAULT.mirror) / DEFAULT.size < 1.1


def test_every_model_is_found_by_its_name_in_any_case() -> None:
    assert find("") is DEFAULT
    for model in MODELS:
        assert find(model.name) is find(model.name.upper()) is model


def test_llama_3_2_3b_is_there() -> None:
    assert find("llama-3.2-3b").file == "Llama-3.2-3B-Instruct-Q4_K_M.gguf"


def test_a_wrong_name_lists_the_right_ones() -> None:
    with pytest.raises(ModelNameError) as error:
        find("lama-3.2-3b")
    for model in MODELS:
        assert f"embedded:{model.name}" in str(error.value)
    assert "embedded:/path/to/file.gguf" in str(error.value)


def test_a_path_is_a_file_of_ones_own(tmp_path: Path) -> None:
    own = find(str(tmp_path / "Mine.Q4.GGUF"))
    assert (own.name, own.file, own.repo) == ("Mine.Q4", str(tmp_path / "Mine.Q4.GGUF"), "")
