import io
import stat
import struct
import zipfile

import pytest

from tests.tools.readers.made import archive, picture, reading, refusal, workbook


def test_members_are_listed_and_read() -> None:
    data = archive(
        {
            "docs/notes.txt": b"the word is heron",
            "list.xlsx": workbook({"Birds": [["heron", 10]]}),
            "photo.png": picture(),
            "__MACOSX/._notes.txt": b"clutter",
        }
    )
    text = reading("a.zip", data)
    assert "3 members." in text
    assert "| docs/notes.txt | 17 |" in text
    assert "the word is heron" in text
    assert "| heron | 10 |" in text
    assert "[not read: it cannot be read: cannot see images (this is a PNG image, 64×48" in text
    assert "clutter" not in text


@pytest.mark.parametrize("asked", ["docs/notes.txt", "NOTES.TXT", "./docs/notes.txt"])
def test_a_member_is_read_alone(asked: str) -> None:
    data = archive({"docs/notes.txt": b"heron", "other.txt": b"owl"})
    text = reading("a.zip", data, member=asked)
    assert "heron" in text
    assert "owl" not in text


def test_a_member_takes_its_own_arguments_and_says_how_to_go_on() -> None:
    sheets = {"A": [["x"]], "B": ([n, "y" * 90] for n in range(1, 6001))}
    data = archive({"in/list.xlsx": workbook(sheets)})
    text = reading("a.zip", data, member="in/list.xlsx", sheet="B")
    assert 'call again with member="in/list.xlsx" sheet="B" rows="' in text.splitlines()[0]


def test_a_member_of_an_archive_within_is_found_by_its_path() -> None:
    data = archive({"inner.zip": archive({"deep/a.txt": b"pearl"}), "b.txt": b"sand"})
    assert "pearl" in reading("a.zip", data)
    text = reading("a.zip", data, member="inner.zip/deep/a.txt")
    assert "pearl" in text
    assert "sand" not in text


def test_an_unknown_member_names_those_there_are() -> None:
    error = refusal("a.zip", archive({"a.txt": b"x"}), member="b.txt")
    assert error.kind == "invalid_args"
    assert "'a.txt'" in error.message


@pytest.mark.parametrize(
    "name", ["../../evil.txt", "/etc/evil.txt", "C:\\evil.txt", "a/../../e.txt"]
)
def test_paths_that_lead_out_are_not_read(name: str) -> None:
    text = reading("a.zip", archive({name: b"payload", "good.txt": b"fine"}))
    assert "[not read: it has a path that leads out of the archive.]" in text
    assert "payload" not in text
    assert "fine" in text


def test_links_are_not_followed() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(link, "/etc/passwd")
        made.writestr("good.txt", "fine")
    assert "[not read: it is a link" in reading("a.zip", stream.getvalue())


def test_a_bomb_is_not_unpacked() -> None:
    data = archive({"bomb.txt": b"0" * 30_000_000, "good.txt": b"fine"})
    text = reading("a.zip", data)
    assert "[not read: it is too large: 30 MB unpacked" in text
    assert "fine" in text
    assert refusal("a.zip", data, member="bomb.txt").kind == "too_large"


def test_a_member_that_lies_about_its_size_yields_no_more_than_it_claims() -> None:
    data = bytearray(archive({"a.txt": b"0" * 5_000_000}))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = data.index(signature) + offset
        data[at : at + 4] = struct.pack("<I", 10)
    assert "[not read: it is damaged" in reading("a.zip", bytes(data))


def test_archives_are_opened_three_deep() -> None:
    data = b"bottom"
    for name in ("a.txt", "1.zip", "2.zip", "3.zip", "4.zip"):
        data = archive({name: data})
    text = reading("a.zip", data)
    assert "bottom" not in text
    assert "nested more than 3 deep" in text


def test_an_archive_within_itself_ends() -> None:
    """A fan of archives: ten in each of ten in each of ten."""
    data = b"leaf"
    for level in range(4):
        data = archive({f"{level}-{n}.zip" if level else f"{n}.txt": data for n in range(10)})
    assert len(reading("a.zip", data)) < 400_000


def test_a_thousand_members_are_read_in_part() -> None:
    text = reading("a.zip", archive({f"{n:04}.txt": b"w%d" % n for n in range(1000)}))
    assert "1,000 members." in text
    assert "and 500 more members, which are not read" in text


def test_encrypted_members_are_named() -> None:
    data = bytearray(archive({"a.txt": b"secret"}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    assert "encrypted: it needs a password" in reading("a.zip", bytes(data))


def test_empty_and_damaged_archives_say_so() -> None:
    assert "no files in it" in refusal("a.zip", archive({})).message
    assert "damaged zip archive" in refusal("a.zip", archive({"a.txt": b"x"})[:30]).message
