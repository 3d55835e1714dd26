"""Model names, and what is said to those who mistype one."""

import pytest

from agent.llm.names import EXAMPLES, ModelName, ModelNameError
from agent.llm.providers import NoModelError
from tests.llm.asking import connected, settings_with
from tests.servers.behaviours import Reply
from tests.servers.ollama import ScriptedOllama


@pytest.mark.parametrize(
    ("text", "provider", "name"),
    [
        ("ollama:llama3.2:3b", "ollama", "llama3.2:3b"),
        (" Ollama: llama3.2:3b ", "ollama", "llama3.2:3b"),
        ("embedded", "embedded", ""),
        ("embedded:qwen", "embedded", "qwen"),
        ("embedded:/models/a b.gguf", "embedded", "/models/a b.gguf"),
        (r"embedded:C:\models\x.gguf", "embedded", r"C:\models\x.gguf"),
        ("openai:gpt-oss-20b", "openai", "gpt-oss-20b"),
        ("huggingface:org/model:fast", "huggingface", "org/model:fast"),
    ],
)
def test_names(text: str, provider: str, name: str) -> None:
    parsed = ModelName.parse(text)
    assert (parsed.provider, parsed.name) == (provider, name)
    assert ModelName.parse(str(parsed)) == parsed


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("olama:llama3.2:3b", "Did you mean ollama:llama3.2:3b?"),
        ("llama3.2:3b", "Did you mean ollama:llama3.2:3b?"),
        ("embeded", "Did you mean embedded?"),
        ("hugging_face:org/x", "Did you mean huggingface:org/x?"),
    ],
)
def test_a_wrong_name_lists_the_right_ones(text: str, meant: str) -> None:
    with pytest.raises(ModelNameError) as raised:
        ModelName.parse(text)
    assert meant in str(raised.value)
    assert EXAMPLES in str(raised.value)


@pytest.mark.parametrize("text", ["ollama", "ollama:", "openai: ", "huggingface"])
def test_a_missing_name_is_asked_for(text: str) -> None:
    with pytest.raises(ModelNameError, match="lacks a model's name"):
        ModelName.parse(text)


@pytest.mark.parametrize("text", ["", ":", "   "])
def test_nothing_is_no_name(text: str) -> None:
    with pytest.raises(ModelNameError):
        ModelName.parse(text)


def test_a_name_that_ollama_lacks_lists_what_it_has() -> None:
    with ScriptedOllama([Reply("ok")], models=("llama3.2:3b", "qwen3:latest")) as server:
        settings = settings_with(ollama_host=server.url)
        with pytest.raises(NoModelError, match=r"`ollama pull lama`.*llama3.2:3b, qwen3:latest"):
            connected(settings, "ollama:lama")
        assert connected(settings, "ollama:qwen3").name == "ollama:qwen3"
