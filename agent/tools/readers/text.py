"""Bytes to text: which encoding, or that it is no text at all."""

import codecs

from agent.tools.readers.model import Unreadable

_SAMPLE = 200_000
_WESTERN = set("–—‘’‚“”„…€£¥§°«»©®™±·×÷½¼¾¿¡ºª•\xa0")
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_LEGACY = ["cp1252", "cp1250", "cp1251", "cp1253", "cp932", "gb18030", "big5", "cp949", "koi8_r"]


def decode(data: bytes) -> tuple[str, str]:
    """The text and the name of its encoding.

    UTF-8 and marked UTF-16 are certain. Other bytes are Windows Western where that gives letters
    of mostly plain text, else what charset-normalizer makes of a sample.

    Raises:
        Unreadable: these bytes are no text.
    """
    encoding = next((name for bom, name in _BOMS.items() if data.startswith(bom)), "utf-8")
    text = _decoded(data, encoding)
    if text is None and encoding == "utf-8":
        encoding = _legacy_encoding(data)
        text = _decoded(data, encoding)
    if text is None or _is_binary(text[:_SAMPLE]):
        raise Unreadable("unsupported", "is binary data of no known kind, not text.")
    return text, encoding.removesuffix("-sig")


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _is_binary(text: str) -> bool:
    odd = sum(ch < " " and ch not in "\t\n\r\f\x1b" for ch in text)
    return "\0" in text or odd > len(text) / 100


def _legacy_encoding(data: bytes) -> str:
    """An encoding for bytes that are not UTF-8, or the empty string."""
    from charset_normalizer import from_bytes

    sample = data[:_SAMPLE]
    if not any(byte < 128 for byte in sample):
        return ""
    western = sample.decode("cp1252", "replace")
    foreign = [ch for ch in western if ch > "\x7f"]
    if len(foreign) < len(western) / 3 and all(ch.isalpha() or ch in _WESTERN for ch in foreign):
        return "cp1252"
    best = from_bytes(sample, cp_isolation=_LEGACY).best()
    return best.encoding if best else ""
