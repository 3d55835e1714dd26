"""XML as an indented outline: the same content as the markup at half its length."""

from collections.abc import Iterator
from typing import Any

from agent.tools.readers import lines
from agent.tools.readers.model import Ask, Block, File
from agent.tools.readers.text import decode

_MAX_INDENT = 20


def read(file: File, ask: Ask) -> Iterator[Block]:
    """One line an element: name, attributes in brackets, text. Bad XML is shown as it is."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        text = "".join(_outline(fromstring(file.data)))
    except DefusedXmlException:
        text, _ = decode(file.data)
        yield Block("Entities are declared in this XML and not resolved; as it is:\n\n")
    except (ParseError, ValueError, LookupError) as error:
        text, _ = decode(file.data)
        yield Block(f"Not well-formed XML ({error}); as it is:\n\n")
    yield from lines.blocks(text, ask)


def _outline(root: Any) -> Iterator[str]:
    """Walk without recursion: a hostile file may be nested thousands deep."""
    todo: list[tuple[int, Any]] = [(0, root)]
    while todo:
        depth, node = todo.pop()
        indent = "  " * min(depth, _MAX_INDENT)
        if isinstance(node, str):
            yield f"{indent}{node}\n"
            continue
        attributes = ", ".join(f"{_local(k)}={v}" for k, v in node.attrib.items())
        name = _local(node.tag) + (f" ({attributes})" if attributes else "")
        content = _words(node.text)
        yield f"{indent}{name}{': ' + content if content else ''}\n"
        for child in reversed(node):
            if tail := _words(child.tail):
                todo.append((depth + 1, tail))
            todo.append((depth + 1, child))


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _words(text: str | None) -> str:
    return " ".join((text or "").split())
