"""The table of kinds: what each is called, and which module reads it or why none does."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from agent.tools.readers.model import Ask, Block, File, Unreadable
from agent.tools.readers.sniff import kind_of


@dataclass(frozen=True)
class Kind:
    """A kind of file: its ``label``, and either the ``module`` that reads it or what to ``do``.

    ``suffixes`` are those that such a file usually has.
    """

    label: str
    module: str = ""
    suffixes: tuple[str, ...] = ()
    do: str = ""


KINDS = {
    "xlsx": Kind("Excel workbook", "workbook", (".xlsx", ".xlsm", ".xltx", ".xltm")),
    "sheet": Kind("spreadsheet", "spreadsheet", (".xls", ".xlsb", ".ods", ".xlt")),
    "csv": Kind("table of separated values", "separated", (".csv", ".tsv", ".tab", ".txt")),
    "pdf": Kind("PDF", "pdf", (".pdf",)),
    "docx": Kind("Word document", "word", (".docx", ".docm", ".dotx", ".dotm")),
    "pptx": Kind("PowerPoint presentation", "slides", (".pptx", ".pptm", ".ppsx", ".potx")),
    "json": Kind("JSON", "jsontext"),
    "xml": Kind("XML", "xmltree"),
    "html": Kind("web page", "webpage", (".html", ".htm", ".xhtml")),
    "text": Kind("text", "lines"),
    "zip": Kind("zip archive", "archive", (".zip",)),
    "image": Kind("image", "image"),
    "audio": Kind("sound recording", "audio"),
    "video": Kind("video", do="it can be neither seen nor heard"),
    "doc": Kind("old Word document", do="save it as .docx and give it again"),
    "ppt": Kind("old PowerPoint presentation", do="save it as .pptx and give it again"),
    "odf": Kind("OpenDocument text", do="save it as .docx or PDF and give it again"),
    "rtf": Kind("rich text document", do="save it as .docx or PDF and give it again"),
    "locked": Kind("encrypted Office file", do="it needs a password; give it without one"),
    "ole": Kind("file in an old Microsoft format", do="save it in a newer format"),
    "database": Kind("SQLite database", do="export the table as .csv and give it again"),
    "parquet": Kind("Parquet table", do="export it as .csv and give it again"),
    "packed": Kind("packed archive", do="pack it as .zip and give it again"),
    "program": Kind("program", do="programs are neither read nor run"),
}


def read(file: File, ask: Ask) -> Iterator[Block]:
    """Find out what the file is and read it: one heading block, then the text.

    Raises:
        Unreadable: it cannot be read, while the blocks are taken.
    """
    kind = KINDS[kind_of(file)]
    if not kind.module:
        raise Unreadable("unsupported", f"is a {kind.label}: {kind.do}.")
    reader = import_module(f"agent.tools.readers.{kind.module}")
    content = _guarded(reader.read(file, ask), kind)
    first = next((block for block in content if block.text.strip()), None)
    if first is None:
        raise Unreadable("unsupported", f"is a {kind.label} with no text in it.")
    misnamed = kind.suffixes and file.suffix and file.suffix not in kind.suffixes
    remark = f" (in spite of its name {file.suffix})" if misnamed else ""
    yield Block(f"File '{file.name}': {kind.label}, {_size(len(file.data))}{remark}.\n\n")
    yield first
    yield from content


def _guarded(content: Iterator[Block], kind: Kind) -> Iterator[Block]:
    """Any failure of a format's library means that the file is not what it should be."""
    try:
        yield from content
    except (Unreadable, MemoryError, ImportError, GeneratorExit):
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}"[:200]
        raise Unreadable("unsupported", f"is a damaged {kind.label} ({said}).") from error


def _size(count: int) -> str:
    return f"{count:,} bytes" if count < 10_000 else f"{count / 1000:,.0f} kB"
