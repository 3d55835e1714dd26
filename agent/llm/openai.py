"""Every server that speaks OpenAI's protocol: the embedded one, hosted ones, the hub's router."""

import threading
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from agent.config import Settings
from agent.llm.names import ModelName
from agent.llm.providers import ChatModel, Enforcement, NoModelError, Progress
from agent.obs.prices import price_of

if TYPE_CHECKING:
    from langchain_openai import ChatOpenAI

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
        token = model.token or settings.hf_token
        if not token.get_secret_value():
            raise NoModelError("Models of Hugging Face need a token: set HF_TOKEN.")
        return settings.hf_router_url, token
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
    name = f"embedded:{served.model}"
    model = _chat(settings, name, served.model, served.base_url, key, **_without_proxy())
    return ChatModel(
        **{
            **vars(model),
            "count_tokens": lambda text: server.count_tokens(served, text),
            "notice": notice,
        }
    )


def _chat(
    settings: Settings, name: str, model: str, base_url: str, api_key: SecretStr, **more: Any
) -> ChatModel:
    client = _client_class()(
        model=model,
        base_url=base_url,
        api_key=api_key,
        temperature=0,
        seed=_SEED,
        max_completion_tokens=settings.num_predict,
        max_retries=0,
        stream_usage=True,
        stream_chunk_timeout=None,  # it loses cancellations; the deadline is kept elsewhere
        **more,
    )
    return ChatModel(
        name=name,
        client=client,
        constrain=_enforcement(base_url, model),
        num_ctx=settings.num_ctx,
        num_predict=settings.num_predict,
        price=price_of(base_url, model),
    )


@cache
def _without_proxy() -> dict[str, Any]:
    """HTTP clients that leave the environment's proxy alone, which is not for loopback."""
    import httpx

    return {
        "http_client": httpx.Client(trust_env=False),
        "http_async_client": httpx.AsyncClient(trust_env=False),
    }


@cache
def _client_class() -> "type[ChatOpenAI]":
    from langchain_openai import ChatOpenAI

    class Client(ChatOpenAI):
        """Keeps what compatible servers add to the protocol and langchain-openai leaves out: the
        text of the reasoning, and llama.cpp's timings."""

        def _convert_chunk_to_generation_chunk(self, chunk: dict[str, Any], *args: Any) -> Any:
            converted = super()._convert_chunk_to_generation_chunk(chunk, *args)
            if converted is None:
                return None
            choices = chunk.get("choices") or [{}]
            delta = choices[0].get("delta") or {}
            if reasoning := delta.get("reasoning_content") or delta.get("reasoning"):
                converted.message.additional_kwargs["reasoning_content"] = reasoning
            if timings := chunk.get("timings"):
                converted.message.response_metadata["timings"] = timings
            return converted

    return Client


@cache
def _enforcement(base_url: str, model: str) -> Enforcement:
    """One for each model and server: a refusal is remembered as long as the process runs."""
    return Enforcement(_response_format)


def _response_format(schema: dict[str, Any]) -> dict[str, Any]:
    """As a part of the body: as an argument it would make the client parse the reply itself."""
    json_schema = {"name": "step", "schema": schema, "strict": True}
    return {"extra_body": {"response_format": {"type": "json_schema", "json_schema": json_schema}}}
