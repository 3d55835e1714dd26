"""What a file is: by content whatever its name, and what is said of kinds that are not read."""

import io
import wave
from importlib.util import find_spec

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.tools.readers.catalog import KINDS
from agent.tools.readers.model import File, Unreadable, span
from agent.tools.readers.sniff import kind_of
from tests.tools.readers.made import archive, pdf, picture, reading, refusal, saved, workbook

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def sound() -> bytes:
    def write(stream: io.BytesIO) -> None:
        with wave.open(stream, "wb") as made:
            made.setparams((1, 2, 8000, 0, "NONE", ""))
            made.writeframes(bytes(1600))

    return saved(write)


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("report.csv", pdf([["x"]]), "pdf"),
        ("table.pdf", workbook({"A": [["x"]]}), "xlsx"),
        ("sheet.docx", archive({"a.txt": b"x"}), "zip"),
        ("photo.txt", picture("JPEG"), "image"),
        ("noise.txt", sound(), "audio"),
        ("page.csv", b"\xef\xbb\xbf  <!DOCTYPE HTML><html>", "html"),
        ("feed.txt", b'<?xml version="1.0"?><a/>', "xml"),
        ("old.xlsx", OLE + "Workbook".encode("utf-16-le"), "sheet"),
        ("song", b"ID3\x04" + bytes(50), "audio"),
        ("song", b"\xff\xfb\x90\x00" + b"\x55" * 50, "audio"),
        ("clip", b"\0\0\0\x20ftypisom", "video"),
        ("voice", b"\0\0\0\x20ftypM4A ", "audio"),
        ("data", b"a,b\n1,2", "text"),
        ("protein.pdb", b"HEADER    OXYGEN STORAGE", "text"),
    ],
)
def test_content_decides(name: str, data: bytes, kind: str) -> None:
    assert kind_of(File(name, data)) == kind


def test_a_wrong_extension_is_read_and_said() -> None:
    text = reading("report.csv", pdf([["Found it."]]))
    assert text.startswith("File 'report.csv': PDF, ")
    assert "in spite of its name .csv" in text
    assert "Found it." in text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty (0 bytes)"),
        (b" \r\n\0\0", "empty (nothing but blanks)"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "encrypted Office file"),
        (OLE + "WordDocument".encode("utf-16-le"), "old Word document: save it as .docx"),
        (OLE + bytes(100), "old Microsoft format"),
        (b"{\\rtf1 x}", "rich text"),
        (b"SQLite format 3\0" + bytes(100), "SQLite database: export"),
        (b"\x1f\x8b\x08" + bytes(20), "pack it as .zip"),
        (b"MZ\x90\0", "programs are neither read nor run"),
        (b"\x7fELF\x02", "programs are neither read nor run"),
        (b"\0\0\0\x18ftypmp42", "neither seen nor heard"),
        (b"\x89PNG\r\n\x1a\n" + bytes(20), "damaged image"),
        (picture("GIF", (12, 34)), "cannot see images (this is a GIF image, 12×34 pixels)"),
    ],
)
def test_what_is_not_read_says_what_it_is(data: bytes, words: str) -> None:
    error = refusal("a.bin", data)
    assert error.kind == "unsupported"
    assert words in error.message


@pytest.mark.skipif(find_spec("faster_whisper") is not None, reason="faster-whisper is installed")
def test_sound_says_what_to_install() -> None:
    error = refusal("a.wav", sound())
    assert error.kind == "unavailable"
    assert "pip install faster-whisper" in error.message


@settings(deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["a.xlsx", "b.pdf", "c", "d.json", "e.zip"]))
def test_any_bytes_have_a_kind_or_are_refused(data: bytes, name: str) -> None:
    try:
        assert kind_of(File(name, data)) in KINDS
    except Unreadable as error:
        assert error.message.endswith(".")


@settings(deadline=None)
@given(
    st.sampled_from(
        [pdf([["some words"]]), workbook({"A": [["x", 1]]}), archive({"a.txt": b"x" * 99})]
    ),
    st.data(),
)
def test_damage_anywhere_gives_text_or_a_sentence(data: bytes, draw: st.DataObject) -> None:
    broken = bytearray(data)
    for _ in range(draw.draw(st.integers(1, 8))):
        broken[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    try:
        assert reading("a.bin", bytes(broken))
    except Unreadable as error:
        assert error.message.endswith(".")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ("3", [3]),
        ("3-5", [3, 4, 5]),
        ("5 to 3", [3, 4, 5]),
        ("pages 2–3", [2, 3]),
        ("8-", [8, 9]),
        ("8-99", [8, 9]),
    ],
)
def test_ranges_are_understood_as_people_write_them(text: str, numbers: list[int]) -> None:
    assert list(span(text, "page", 9)) == numbers


@pytest.mark.parametrize("text", ["x", "0", "10", "12-15", "99999999999999999999"])
def test_ranges_outside_are_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="page"):
        span(text, "page", 9)
