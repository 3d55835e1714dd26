"""The tool that reads an attachment."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from agent.obs.events import Source
from agent.tools.readers import folder
from agent.tools.readers.model import MAX_BYTES, Ask, File, Picture, Unreadable
from agent.tools.readers.process import read_in_child
from agent.tools.registry import ToolContext, tool
from agent.tools.result import ToolError, ToolResult


class Args(BaseModel):
    """What the model passes. Numbers and nulls where text is due are taken as meant."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    name: str = Field("", description="file name")
    sheet: str = Field("", description="sheet name, for a workbook; empty: all")
    page: str = Field("", description="page or slide, such as 3 or 2-5; empty: all")
    member: str = Field("", description="file inside a zip; empty: all")
    rows: str = Field("", description="rows or lines, such as 1-50; empty: all")
    colors: bool = Field(False, description="true: show the fill colors of cells")

    @field_validator("*", mode="before")
    @classmethod
    def _null_is_default(cls, value: Any, info: Any) -> Any:
        return cls.model_fields[info.field_name].default if value is None else value


@tool(
    "read_file",
    capability="files",
    args=Args,
    description="Read a file of this task: spreadsheet, CSV, PDF, Word, slides, text, JSON, zip.",
    may_look=True,
)
def read_file(args: Args, context: ToolContext) -> ToolResult:
    """Read the file that ``name`` means among the task's files."""
    there = folder.files(context.workdir)
    if not there:
        return ToolResult.failure(
            "not_found", "This task has no file here yet; download_task_file may fetch it."
        )
    if folder.leads_out(args.name, context.workdir):
        return ToolResult.failure(
            "invalid_args", f"Only this task's files can be read: {folder.listing(there)}."
        )
    name = folder.match(args.name, there)
    if name is None:
        return ToolResult.failure(
            "not_found", f"There is no file '{args.name}'; there are {folder.listing(there)}."
        )
    size = there[name].stat().st_size
    if size > MAX_BYTES:
        return ToolResult.failure(
            "too_large", f"'{name}' has {size / 1e6:,.0f} MB; up to {MAX_BYTES / 1e6:.0f} are read."
        )
    options = args.model_dump(exclude={"name"})
    ask = Ask(
        **options,
        speech_model=context.settings.speech_model,
        models_dir=str(context.settings.models_dir),
        images=context.describe is not None,
    )
    try:
        file = File(name, there[name].read_bytes())
        text = read_in_child(file, ask, context.remaining(), context.stop)
    except Picture as picture:
        return _seen(name, picture, context)
    except Unreadable as error:
        return ToolResult.failure(error.kind, f"'{name}' {error.message}")
    return ToolResult.success(text, sources=(Source(url=name, title=name),), untrusted=True)


def _seen(name: str, picture: Picture, context: ToolContext) -> ToolResult:
    """An image through the eyes of the model that is there for it."""
    model = context.settings.vision_model
    if context.describe is None:
        return ToolResult.failure(
            "unsupported",
            f"'{name}' {picture.message} AGENT_VISION_MODEL can name a model that describes them, "
            "such as ollama:llama3.2-vision.",
        )
    described = context.describe(picture.jpeg)
    if isinstance(described, ToolError):
        return ToolResult.failure(
            described.kind, f"'{name}' is {picture.what}; it was not seen: {described.message}"
        )
    text = f"'{name}' is {picture.what}. What {model} sees on it:\n\n{described}"
    return ToolResult.success(text, sources=(Source(url=name, title=name),), untrusted=True)
