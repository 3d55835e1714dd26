"""Every environment variable the project reads, in one frozen class."""

import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

PROJECT_DIR = Path(__file__).resolve().parent.parent
DEFAULT_MODEL = "ollama:llama3.2:3b"

BENCHMARK_LEAKS = (
    "huggingface.co/datasets/*gaia*",
    "huggingface.co/spaces/*gaia*",
    "huggingface.co/spaces/*final*assignment*",
    "huggingface.co/spaces/*unit4*",
    "hf.co/datasets/*gaia*",
    "hf.co/spaces/*gaia*",
    "datasets-server.huggingface.co/*gaia*",
    "*gaia*.hf.space",
    "agents-course-*.hf.space",
    "github.com/*gaia*benchmark*",
    "github.com/*gaia*agent*",
    "github.com/*agent*gaia*",
    "github.com/*final*assignment*",
    "raw.githubusercontent.com/*gaia*",
)
"""Places known to hold copies of the benchmark's questions with their answers."""


def _listed(value: Any) -> Any:
    """Names parted by commas, as people write them in a variable, or a JSON list."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        return json.loads(value)
    return [part.strip() for part in value.split(",") if part.strip()]


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]


class Settings(BaseSettings):
    """Configuration, read once at start-up and passed down explicitly.

    Fields without an alias are read from ``AGENT_<FIELD>``; those with an alias keep the name
    that the service in question uses elsewhere. A ``.env`` file in the working folder counts too.
    """

    model_config = SettingsConfigDict(
        env_prefix="AGENT_",
        env_file=".env",
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        use_attribute_docstrings=True,
    )

    # Models
    model: str = ""
    """``provider:name``. Empty means: ``ollama:llama3.2:3b`` if Ollama answers, else embedded."""
    vision_model: str = ""
    """``provider:name`` of a model that describes images, such as ``ollama:llama3.2-vision``; each
    image costs one model call. Empty means: images are not seen."""
    speech_model: str = "base"
    """Size (``tiny`` to ``large-v3``) or folder of the model with which faster-whisper listens."""
    ollama_host: str = Field("", validation_alias="OLLAMA_HOST")
    """Where Ollama listens, by its own conventions; empty means this machine, port 11434."""
    openai_base_url: str = Field("https://api.openai.com/v1", validation_alias="OPENAI_BASE_URL")
    """The server for ``openai:NAME``: any that speaks the chat completions protocol."""
    openai_api_key: SecretStr = Field(SecretStr(""), validation_alias="OPENAI_API_KEY")
    """The key for that server; local ones need none."""
    hf_token: SecretStr = Field(
        SecretStr(""), validation_alias=AliasChoices("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
    )
    """For ``huggingface:NAME`` and the benchmark's gated attachments."""
    hf_endpoint: str = Field("https://huggingface.co", validation_alias="HF_ENDPOINT")
    """Where model files are fetched from."""
    hf_router_url: str = Field("https://router.huggingface.co/v1", validation_alias="HF_ROUTER_URL")
    """Where ``huggingface:NAME`` is answered: the router, or an Inference Endpoint of yours."""
    num_ctx: int = Field(8192, ge=2048)
    """Context window in tokens. One fixed value: Ollama reloads the model when it changes."""
    num_predict: int = Field(400, ge=64)
    """Tokens one call may generate; bounds the endless-whitespace failure of constrained JSON."""
    keep_alive: str = "30m"
    """How long Ollama keeps the model in memory between calls."""
    hosted_concurrency: int = Field(4, ge=1)
    """Questions that a hosted provider is asked at once; a local model is asked one at a time."""

    # Limits of one question and of one benchmark run
    max_llm_calls: int = Field(10, ge=1)
    """Model calls of one question; one of them is kept for the final answer."""
    max_tool_calls: int = Field(12, ge=1)
    """Tool calls of one question."""
    max_tokens: int = Field(80_000, ge=1)
    """Tokens of one question, read and written."""
    max_cost: float = Field(0.05, gt=0)
    """Simulated US dollars of one question."""
    max_supervisor_steps: int = Field(4, ge=1)
    """How often the supervisor may decide."""
    max_web_iterations: int = Field(3, ge=1)
    """Steps of the web specialist in one visit."""
    max_code_iterations: int = Field(3, ge=1)
    """Steps of the code specialist in one visit."""
    per_question_timeout_s: float = Field(180, gt=0)
    """Seconds of one question, once the model is loaded."""
    per_call_timeout_s: float = Field(90, gt=0)
    """Seconds of one model call."""
    total_budget_s: float = Field(2400, gt=0)
    """Seconds of a whole benchmark run."""

    # Tools
    tool_timeout_s: float = Field(25, gt=0)
    """Wall-clock seconds after which a tool call is given up."""
    observation_tokens: int = Field(500, ge=100)
    """Tokens of one tool result that the model gets to read."""
    search_pages: int = Field(3, ge=0, le=8)
    """Pages found that a search reads at once; 0 gives the search engine's short texts alone."""
    searxng_url: str = Field("", validation_alias="SEARXNG_URL")
    """A SearXNG of your own to search with, with JSON results switched on."""
    tavily_api_key: SecretStr = Field(SecretStr(""), validation_alias="TAVILY_API_KEY")
    """Searches with Tavily before the free engines."""
    contact: str = "set AGENT_CONTACT"
    """An address of yours, named in the User-Agent as Wikimedia's policy asks."""
    tool_cache: bool = True
    """Whether results of searches and pages are kept on disk and used again."""
    allowed_origins: Names = ()
    """Origins such as ``http://127.0.0.1:8901``, parted by commas, that the guarded fetch lets
    through although their address is not public: for tests and for the offline world."""
    wikipedia_api_url: str = "https://{lang}.wikipedia.org/w/api.php"
    """Where the MediaWiki API is; ``{lang}`` is replaced by the language asked for."""
    search_interval_s: float = Field(1.0, ge=0)
    """Seconds between two requests of this process to the same search engine."""
    blocked_domains: Names = BENCHMARK_LEAKS
    """Host names, or patterns of host and path, parted by commas, that are neither found nor
    opened."""
    space_id: str = Field("", validation_alias="SPACE_ID")
    """Set by Hugging Face on a Space: then visitors are strangers."""
    system: str = Field("", validation_alias="SYSTEM")
    """``spaces`` on a Space, where people can sign in."""
    space_author: str = Field("", validation_alias="SPACE_AUTHOR_NAME")
    """The user or organisation that a Space belongs to."""
    space_creator_id: str = Field("", validation_alias="SPACE_CREATOR_USER_ID")
    """The id of the user who made the Space."""

    # Places
    cache_dir: Path = PROJECT_DIR / "cache"
    """Everything that is written: models, runs, attachments, the benchmark's answers."""
    models_dir: Path = Field(default_factory=lambda data: data["cache_dir"] / "models")
    """Where model files of the embedded provider are kept; by default in the folder above."""
    scoring_api_url: str = Field(
        "https://agents-course-unit4-scoring.hf.space", validation_alias="SCORING_API_URL"
    )
    """Where the benchmark's questions come from and answers go to."""

    @property
    def runs_dir(self) -> Path:
        """Where the traces of runs are written, one JSONL file a run."""
        return self.cache_dir / "runs"

    @property
    def files_dir(self) -> Path:
        """Where attachments are kept, one folder a task."""
        return self.cache_dir / "files"
