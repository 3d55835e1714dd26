"""What the bytes of a response are: their kind and their text, whatever its headers claim."""

import codecs
import json
import re
from typing import Literal

Kind = Literal["html", "json", "text", "binary"]
"""``text`` may be XML or a table; ``binary`` is a PDF, an image, an archive and so on."""

_HEAD = 2048
"""How far the type is looked for, in bytes or characters."""
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
"""Bytes that no text holds: "binary data bytes" of the WHATWG MIME Sniffing Standard, §3."""
_WIDE_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_HTML = re.compile(r"<!doctype html|<html|<head|<body", re.IGNORECASE)
_LEADING_TAG = re.compile(r"(<!--.*?-->\s*)*</?[a-z][a-z0-9]*[\s>]", re.IGNORECASE | re.DOTALL)
_SUPERSETS = {
    "iso-8859-1": "windows-1252",
    "latin-1": "windows-1252",
    "us-ascii": "windows-1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "iso-8859-9": "windows-1254",
}
"""Labels that stand for more than they name: WHATWG Encoding Standard, §4.2."""


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
    from bs4.dammit import UnicodeDammit

    header = _SUPERSETS.get(charset := _charset(declared), charset)
    stateful = b"\0" in body or b"\x1b" in body  # UTF-16 and ISO-2022-JP look like valid UTF-8
    first = [header, "utf-8"] if stateful else ["utf-8", header]
    encodings = [name for name in first if name and not body.startswith(_WIDE_BOMS)]
    text = UnicodeDammit(body, known_definite_encodings=encodings, is_html=True).unicode_markup
    return text if text is not None else body.decode("windows-1252", "replace")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _charset(declared: str) -> str:
    """The charset parameter of a Content-Type, if Python knows it."""
    match = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", declared, re.IGNORECASE)
    try:
        return codecs.lookup(match[1]).name if match else ""
    except LookupError:
        return ""


def _may_be_wide(body: bytes, declared: str) -> bool:
    return body.startswith(_WIDE_BOMS) or "utf-16" in declared or "utf-32" in declared
