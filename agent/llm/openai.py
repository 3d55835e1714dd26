"""Every server that speaks OpenAI's protocol: the embedded one, hosted ones, the hub's router."""

import threading
from typing import Any

from pydantic import SecretStr

from agent.config import Settings
from agent.llm.names import ModelName
from agent.llm.providers import ChatModel, NoModelError, Progress

HUGGINGFACE_ROUTER = "https://router.huggingface.co/v1"
_SEED = 1


def hosted(settings: Settings, model: ModelName) -> ChatModel:
    """A model behind ``OPENAI_BASE_URL``, or behind Hugging Face's router.

    Raises:
        NoModelError: the token that the provider asks for is missing.
    """
    base_url, key = endpoint(settings, model)
    return _chat(settings, str(model), model.name, base_url, key)


def endpoint(settings: Settings, model: ModelName) -> tuple[str, SecretStr]:
    """The address and the token for a hosted model.

    Raises:
        NoModelError: the token that the provider asks for is missing.
    """
    if model.provider == "huggingface":
        if not settings.hf_token.get_secret_value():
            raise NoModelError("Models of Hugging Face need a token: set HF_TOKEN.")
        return HUGGINGFACE_ROUTER, settings.hf_token
    key = settings.openai_api_key
    if not key.get_secret_value():
        if "api.openai.com" in settings.openai_base_url:
            raise NoModelError("Set OPENAI_API_KEY, or OPENAI_BASE_URL to a server of your own.")
        key = SecretStr("none")  # local servers take any key, but the client insists on one
    return settings.openai_base_url, key


def embedded(
    settings: Settings, name: str, notice: str, progress: Progress, stop: threading.Event
) -> ChatModel:
    """A model file served inside this process; fetched first where it is missing.

    Raises:
        NoModelError: it cannot be fetched or loaded.
        RunStopped: ``stop`` was set while fetching.
    """
    from agent.llm import embedded as server
    from agent.llm.catalogue import find
    from agent.llm.download import fetch

    path = fetch(find(name), settings.models_dir, progress, stop, settings)
    progress("Loading the model", None)
    served = server.serve(path, settings.num_ctx)
    key = SecretStr(served.api_key)
    model = _chat(settings, f"embedded:{served.model}", served.model, served.base_url, key)
    return ChatModel(
        **{
            **vars(model),
            "count_tokens": lambda text: server.count_tokens(served, text),
            "notice": notice,
        }
    )


def _chat(
    settings: Settings, name: str, model: str, base_url: str, api_key: SecretStr
) -> ChatModel:
    from langchain_openai import ChatOpenAI

    client = ChatOpenAI(
        model=model,
        base_url=base_url,
        api_key=api_key,
        temperature=0,
        seed=_SEED,
        max_completion_tokens=settings.num_predict,
        max_retries=0,
        stream_usage=True,
        stream_chunk_timeout=None,  # its wait_for can swallow a cancel (Python 3.11)
    )
    return ChatModel(
        name=name,
        client=client,
        constrain=_response_format,
        num_ctx=settings.num_ctx,
        num_predict=settings.num_predict,
    )


def _response_format(schema: dict[str, Any]) -> dict[str, Any]:
    """Past the client's own parser, which raises on a reply that was cut off or is no JSON."""
    json_schema = {"name": "step", "schema": schema, "strict": True}
    return {"extra_body": {"response_format": {"type": "json_schema", "json_schema": json_schema}}}
