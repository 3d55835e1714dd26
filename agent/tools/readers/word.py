"""Word documents: headings, lists, tables in their order; then notes, headers and footers."""

import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from agent.tools.markdown import table as markdown_table
from agent.tools.readers import package
from agent.tools.readers.model import Ask, Block, File

if TYPE_CHECKING:
    from docx.document import Document
    from docx.table import Table
    from docx.text.paragraph import Paragraph

_MAIN = (
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
    "application/vnd.ms-word.document.macroEnabled.main+xml",
    "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
)
_SHOWN = {"t": "", "tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def read(file: File, ask: Ask) -> Iterator[Block]:
    """The whole document as Markdown. Inserted text counts, deleted text does not."""
    yield Block(package.remarks(package.check(file.data)))
    document = _open(file.data)
    yield from map(Block, _body(document))
    for kind in ("footnotes", "endnotes", "comments"):
        yield from map(Block, _notes(document, kind))
    yield from map(Block, _margins(document))


def _open(data: bytes) -> "Document":
    """Open templates and documents with macros too, which python-docx by itself refuses."""
    from docx.opc.part import PartFactory
    from docx.package import Package
    from docx.parts.document import DocumentPart

    PartFactory.part_type_for.update(dict.fromkeys(_MAIN, DocumentPart))
    part: Any = Package.open(io.BytesIO(data)).main_document_part
    document: Document = part.document
    return document


def _body(document: "Document") -> Iterator[str]:
    from docx.table import Table

    for item in document.iter_inner_content():
        yield _table(item) if isinstance(item, Table) else _paragraph(item)


def _paragraph(paragraph: "Paragraph") -> str:
    text = _text(paragraph._p.iter())
    style = (paragraph.style.name or "") if paragraph.style else ""
    if not text:
        return ""
    if style == "Title":
        return f"# {text}\n\n"
    if style.startswith("Heading ") and style[8:].isdecimal():
        return f"{'#' * min(int(style[8:]), 6)} {text}\n\n"
    return f"- {text}\n" if style.startswith("List") else f"{text}\n\n"


def _table(item: "Table") -> str:
    rows = []
    for row in item.rows:
        cells = []
        for at, cell in enumerate(row.cells):
            repeated = at and cell._tc is row.cells[at - 1]._tc
            cells.append("" if repeated else _text(cell._tc.iter()))
        rows.append(cells)
    return f"{markdown_table(rows)}\n\n"


def _text(nodes: Iterable[Any]) -> str:
    """The text under ``nodes``. A text box is stored twice; its fallback copy is left out."""
    from docx.oxml.ns import qn

    words, alternate = [], "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
    marks = {qn(f"w:{tag}"): text for tag, text in _SHOWN.items()}
    for node in nodes:
        if node.tag in marks and not any(up.tag == alternate for up in node.iterancestors()):
            words.append(node.text or "" if node.tag == qn("w:t") else marks[node.tag])
        elif node.tag == qn("w:p"):
            words.append("\n")
    return "".join(words).strip()


def _notes(document: "Document", kind: str) -> Iterator[str]:
    from docx.oxml import parse_xml
    from docx.oxml.ns import qn

    for relation in document.part.rels.values():
        if relation.is_external or not relation.reltype.endswith("/" + kind):
            continue
        root = parse_xml(relation.target_part.blob)
        texts = [text for note in root if (text := _text(note.iter(qn("w:t"), qn("w:p"))))]
        if texts:
            yield f"\n{kind.capitalize()}:\n\n" + "".join(f"- {text}\n" for text in texts)


def _margins(document: "Document") -> Iterator[str]:
    seen = set()
    for section in document.sections:
        for name, part in (("Header", section.header), ("Footer", section.footer)):
            text = _text(part._element.iter())
            if text and text not in seen:
                seen.add(text)
                yield f"\n{name}: {text}\n"
