"""What the bytes of a response are: their kind and their text, whatever its headers claim."""

import codecs
import json
import re
from contextlib import suppress
from typing import Literal

from agent.tools.readers.model import Unreadable
from agent.tools.readers.text import decode as detect_and_decode

Kind = Literal["html", "json", "text", "binary"]
"""``text`` may be XML or a table; ``binary`` is a PDF, an image, an archive and so on."""

_HEAD = 2048
"""How far the type is looked for, in bytes or characters."""
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
"""Bytes that no text holds: "binary data bytes" of the WHATWG MIME Sniffing Standard, §3."""
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""UTF-32 first: its mark in little-endian order begins with that of UTF-16."""
_HTML = re.compile(r"<!doctype html|<html|<head|<body", re.IGNORECASE)
_LEADING_TAG = re.compile(r"(<!--.*?-->\s*)*</?[a-z][a-z0-9]*[\s>]", re.IGNORECASE | re.DOTALL)
_SUPERSETS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
"""Labels that stand for more than they name (WHATWG Encoding Standard, §4.2), as Python's names."""
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_OWN_CHARSET = re.compile(
    rb"<meta[^>]{1,200}charset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml[^>]{1,100}encoding=[\"']([\w.:-]+)",
    re.IGNORECASE,
)


def sniff(body: bytes, declared: str = "") -> Kind:
    """The kind of content, read from the bytes; ``declared`` (a MIME type, perhaps with a charset)
    only tells HTML without its usual beginning from plain text."""
    declared = declared.lower()
    if not _may_be_wide(body, declared) and _BINARY.search(body[:_HEAD]):
        return "binary"
    if b"%PDF-" in body[:1024]:
        return "binary"
    text = decode(body, declared)
    head = text[:_HEAD].lstrip()
    if head[:1] in ("{", "[") and _is_json(text):
        return "json"
    if _HTML.search(head) or ("html" in declared and "<" in head):
        return "html"
    return "text" if head.startswith("<?xml") or not _LEADING_TAG.match(head) else "html"


def decode(body: bytes, declared: str = "") -> str:
    """The text of ``body``: by its byte order mark, else UTF-8 if it is valid, else as the header
    or the document says, else as it looks. Never raises; what cannot be decoded is replaced.

    Valid UTF-8 comes before the header because servers that claim another charset for it are
    common, and other text that happens to be valid UTF-8 is not.
    """
    for encoding in _encodings(body, declared):
        with suppress(UnicodeError):
            return body.decode(encoding)
    try:
        return detect_and_decode(body)[0]
    except Unreadable:
        return body.decode("cp1252", "replace")


def _encodings(body: bytes, declared: str) -> list[str]:
    """What to try, best first."""
    if marked := [encoding for bom, encoding in _BOMS.items() if body.startswith(bom)]:
        return marked
    own = _OWN_CHARSET.search(body[:_HEAD])
    labels = [m[1] for m in [_CHARSET.search(declared)] if m]
    labels += [(own[1] or own[2]).decode("ascii", "replace")] if own else []
    named = [encoding for label in labels if (encoding := _known(label))]
    # UTF-16 and ISO-2022-JP look like valid UTF-8.
    return [*named, "utf-8"] if b"\0" in body or b"\x1b" in body else ["utf-8", *named]


def _known(label: str) -> str:
    """Python's name of the text encoding that ``label`` stands for, or nothing."""
    try:
        name = codecs.lookup(label).name
        b"".decode(name)  # not one of the codecs from bytes to bytes
    except (LookupError, UnicodeError, ValueError):
        return ""
    return _SUPERSETS.get(name, name)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _may_be_wide(body: bytes, declared: str) -> bool:
    return body.startswith(tuple(_BOMS)) or "utf-16" in declared or "utf-32" in declared
