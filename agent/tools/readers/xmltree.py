"""XML as tables where it holds records, else as an indented outline of half its length."""

from collections.abc import Iterator
from typing import Any

from agent.tools.readers import lines, records
from agent.tools.readers.model import Ask, Block, File
from agent.tools.readers.text import decode

_MAX_INDENT = 20


def read(file: File, ask: Ask) -> Iterator[Block]:
    """Records as tables, or one line an element: name, attributes in brackets, text. Bad XML is
    shown as it is."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        root = fromstring(file.data)
        if tables := records.tables(_as_records(root), ask):
            yield from tables
            return
        text = "".join(_outline(root))
    except DefusedXmlException:
        text, _ = decode(file.data)
        yield Block("Entities are declared in this XML and not resolved; as it is:\n\n")
    except (ParseError, ValueError, LookupError) as error:
        text, _ = decode(file.data)
        yield Block(f"Not well-formed XML ({error}); as it is:\n\n")
    yield from lines.blocks(text, ask)


def _as_records(root: Any) -> dict[str, Any] | None:
    """What is below ``root``, if it is a row of elements of one name that hold plain values."""
    kinds = {_local(child.tag) for child in root}
    plain = all(not len(leaf) and not leaf.attrib for child in root for leaf in child)
    mixed = any(_words(node.tail) for node in root.iter()) or _words(root.text)
    if len(kinds) != 1 or not plain or mixed:
        return None
    return {**_attributes(root), kinds.pop(): [_record(child) for child in root]}


def _record(element: Any) -> dict[str, Any]:
    values: dict[str, list[str]] = {}
    for leaf in element:
        values.setdefault(_local(leaf.tag), []).append(_words(leaf.text))
    own = {_local(element.tag): words} if (words := _words(element.text)) else {}
    return {**_attributes(element), **own, **{name: ", ".join(v) for name, v in values.items()}}


def _attributes(element: Any) -> dict[str, str]:
    return {_local(name): value for name, value in element.attrib.items()}


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
