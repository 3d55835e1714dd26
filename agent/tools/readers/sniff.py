"""What a file is, by its content first and its name second."""

import io
import re
import zipfile

from agent.tools.readers.model import File, Unreadable

_MAGIC = (
    (b"\x89PNG\r\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"BM", "image"),
    (b"II*\0", "image"),
    (b"MM\0*", "image"),
    (b"ID3", "audio"),
    (b"OggS", "audio"),
    (b"fLaC", "audio"),
    (b"{\\rtf", "rtf"),
    (b"SQLite format 3\0", "database"),
    (b"PAR1", "parquet"),
    (b"\x1f\x8b", "packed"),
    (b"7z\xbc\xaf\x27\x1c", "packed"),
    (b"Rar!", "packed"),
    (b"BZh", "packed"),
    (b"\xfd7zXZ", "packed"),
    (b"MZ", "program"),
    (b"\x7fELF", "program"),
    (b"\x1aE\xdf\xa3", "video"),
)
_OFFICE = (
    ("xl/workbook.xml", "xlsx"),
    ("xl/workbook.bin", "sheet"),
    ("word/document.xml", "docx"),
    ("ppt/presentation.xml", "pptx"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS = (
    ("EncryptedPackage", "locked"),
    ("Workbook", "sheet"),
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
)
_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".xls": "csv",
    ".xlsx": "csv",
    ".json": "json",
    ".jsonld": "json",
    ".geojson": "json",
    ".ipynb": "json",
    ".xml": "xml",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
}
"""Kinds of text, which content alone does not tell. A workbook that is really text is a table."""


def kind_of(file: File) -> str:
    """The kind, a key of ``catalog.KINDS``.

    Raises:
        Unreadable: the file is empty, or a damaged archive.
    """
    data = file.data
    if not data.strip(b"\0 \t\r\n"):
        size = "0 bytes" if not data else "nothing but blanks"
        raise Unreadable("unsupported", f"is empty ({size}): there is nothing to read.")
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _kind_of_zip(data)
    if data.startswith(_OLE):
        found = (k for stream, k in _OLE_STREAMS if stream.encode("utf-16-le") in data)
        return next(found, "ole")
    if data[:4] == b"RIFF":
        return {b"WAVE": "audio", b"WEBP": "image"}.get(data[8:12], "video")
    if data[4:8] == b"ftyp":
        return {b"M4A": "audio", b"avi": "image", b"hei": "image"}.get(data[8:11], "video")
    if data[0] == 0xFF and data[1:2] in (b"\xfb", b"\xfa", b"\xf3", b"\xf2", b"\xf1", b"\xf9"):
        return "audio"
    return next((k for magic, k in _MAGIC if data.startswith(magic)), _kind_of_text(file))


def _kind_of_zip(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
            mimetype = archive.read("mimetype") if "mimetype" in names else b""
    except (zipfile.BadZipFile, RuntimeError, ValueError, NotImplementedError) as error:
        raise Unreadable("unsupported", f"is a damaged zip archive ({error}).") from None
    if b"opendocument" in mimetype:
        return "sheet" if b"spreadsheet" in mimetype else "odf"
    return next((kind for part, kind in _OFFICE if part in names), "zip")


def _kind_of_text(file: File) -> str:
    start = file.data[:500].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if re.match(rb"<!doctype html|<html", start):
        return "html"
    if start.startswith(b"<?xml"):
        return "html" if b"<html" in start else "xml"
    return _SUFFIXES.get(file.suffix, "text")
