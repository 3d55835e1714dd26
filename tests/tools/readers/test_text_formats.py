import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.tools.readers.model import Unreadable
from agent.tools.readers.separated import find_delimiter
from agent.tools.readers.text import decode
from tests.tools.readers.made import reading, refusal


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Straße;Größe;Café\nMüller;3;ja", "utf-8"),
        ("Straße;Größe;Café\nMüller;3;ja", "utf-8-sig"),
        ("Straße;Größe;Café\nMüller;3;ja", "utf-16"),
        ("Straße;Größe;Café\nMüller;3;ja", "cp1252"),
        ("Price £5 – “fine”", "cp1252"),
        ("Zażółć gęślą jaźń", "cp1250"),
        ("Привет мир, это проверка", "cp1251"),
        ("東京都の人口は多いです。\n", "cp932"),
        ("中文测试，今天天气很好\n", "gb18030"),
    ],
)
def test_encodings_are_found(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding))[0] == text


@pytest.mark.parametrize(
    "data",
    [b"\xff" * 100, b"\xff" * 3, bytes(range(256)) * 20, b"abc\0\0\0def" * 50, b"\x01\x02\x03" * 9],
)
def test_binary_garbage_is_no_text(data: bytes) -> None:
    error = refusal("notes.txt", data)
    assert error.kind == "unsupported"
    assert "binary data" in error.message


@settings(deadline=None)
@given(st.binary(min_size=1, max_size=300))
def test_any_bytes_are_text_or_refused(data: bytes) -> None:
    try:
        text, _ = decode(data)
    except Unreadable:
        return
    assert text or data in (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


@settings(deadline=None)
@given(st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1))
def test_utf8_is_always_understood(text: str) -> None:
    assert decode(text.encode())[0] == text.removeprefix("\ufeff")


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b,c\n1,2,3\n", ","),
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";"),
        ("a\tb, c\td\n1\t2, x, y\t3\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ('name,note\nx,"a;b;c"\ny,"d;e;f"\n', ","),
        ("single\ncolumn\n", ","),
    ],
)
def test_delimiters_are_found(text: str, delimiter: str) -> None:
    assert find_delimiter(text) == delimiter


def test_csv_values_stay_as_they_are_written() -> None:
    data = b'id,code,note\n10,007,"NA"\n10.0,1e5,"two\nlines, ""quoted"""\n\n'
    text = reading("a.csv", data)
    assert "3 columns; comma-separated, utf-8" in text
    assert '| 10 | 007 | NA |\n| 10.0 | 1e5 | two lines, "quoted" |' in text


def test_csv_rows_can_be_asked_for() -> None:
    data = b"id,name\n" + b"".join(b"%d,n%d\n" % (n, n) for n in range(2, 5001))
    text = reading("a.csv", data, rows="4000-4001")
    assert text.endswith("| id | name |\n|---|---|\n| 4000 | n4000 |\n| 4001 | n4001 |")
    assert "the last one is 5000" in refusal("a.csv", data, rows="6000-").message


def test_a_workbook_that_is_really_a_table_of_text_is_read() -> None:
    text = reading("export.xls", b"a\tb\n1\t2\n")
    assert "in spite of its name .xls" in text
    assert "| 1 | 2 |" in text


def test_python_and_markdown_are_shown_as_they_are() -> None:
    code = "def f(x):\n    return x ** 2\n\nprint(f(3))"
    assert reading("a.py", code.encode()).endswith(code)
    assert reading("a.md", b"# Title\n\n* one").endswith("# Title\n\n* one")


def test_lines_of_text_can_be_asked_for() -> None:
    data = "\n".join(f"line {n}" for n in range(1, 1001)).encode()
    assert reading("a.txt", data, rows="500-501").endswith(".\n\nline 500\nline 501")


def test_one_endless_line_is_cut_and_said_to_be() -> None:
    text = reading("a.txt", b"x" * 3_000_000)
    assert "Only the first part of 395 kB is here" in text.splitlines()[0]
    assert 350_000 < len(text) < 400_000


def test_json_on_one_line_gets_line_breaks() -> None:
    value = {"tree": {"leaves": [{"name": "Zoë", "n": [[n]]} for n in range(40)]}}
    text = reading("a.jsonld", json.dumps(value, ensure_ascii=False).encode())
    assert '    "name": "Zoë",\n    "n": [' in text


def test_json_with_line_breaks_keeps_every_digit() -> None:
    assert '"price": 1.10' in reading("a.json", b'{\n  "price": 1.10\n}')


RECORDS = [
    {"town": "Pell", "paid": True, "total": 12.50, "tags": ["a", "b"], "by": {"cart": 2}},
    {"town": "Osk", "paid": False, "total": None, "note": "late"},
]
ROWS = """| town | paid | total | tags | by cart | note |
|---|---|---|---|---|---|
| Pell | true | 12.5 | a, b | 2 |  |
| Osk | false |  |  |  | late |"""


def test_records_in_json_are_a_table() -> None:
    assert reading("a.json", json.dumps(RECORDS).encode()).endswith(ROWS)


def test_what_stands_beside_the_records_comes_before_them() -> None:
    text = reading("a.json", json.dumps({"shop": "Hesper", "orders": RECORDS}).encode())
    assert text.endswith(f"shop: Hesper\n\n## orders\n\n{ROWS}")


def test_a_table_of_records_keeps_every_digit_and_can_be_read_in_part() -> None:
    data = b'[{"price": 1.10}, {"price": 2.0}, {"price": 100000000000000000001}]'
    assert reading("a.json", data).endswith(
        "| price |\n|---|\n| 1.10 |\n| 2.0 |\n| 100000000000000000001 |"
    )
    assert reading("a.json", data, rows="3").endswith("| price |\n|---|\n| 2.0 |")


@pytest.mark.parametrize(
    "value",
    [
        [{"name": "a"}],  # one record
        [{"name": "a"}, "b"],
        [{"lines": [{"n": 1}]}, {"lines": []}],  # rows within rows
        {"orders": RECORDS, "shop": {"name": "Hesper"}},
        [1, 2, 3],
        [],
        "text",
    ],
)
def test_json_that_is_no_table_is_left_as_it_is(value: object) -> None:
    assert "|---|" not in reading("a.json", json.dumps(value).encode())


def test_elements_that_are_records_are_a_table() -> None:
    data = b"""<shop open="yes"><item id="1"><name>rope</name><tag>a</tag><tag>b</tag></item>
    <item id="2"><name>tar</name><price>3.25</price></item></shop>"""
    assert reading("a.xml", data).endswith(
        "open: yes\n\n## item\n\n| id | name | tag | price |\n|---|---|---|---|\n"
        "| 1 | rope | a, b |  |\n| 2 | tar |  | 3.25 |"
    )


@pytest.mark.parametrize(
    "data",
    [
        b"<a><b><c>1</c></b></a>",  # one record
        b"<a><b><c>1</c></b><d><c>2</c></d></a>",  # of two kinds
        b"<a><b><c>1</c></b>text<b><c>2</c></b></a>",
        b'<a><b><c unit="m">1</c></b><b><c>2</c></b></a>',
        b"<a><b><c><d>1</d></c></b><b/></a>",
    ],
)
def test_elements_that_are_not_stay_an_outline(data: bytes) -> None:
    assert "|---|" not in reading("a.xml", data)


@pytest.mark.parametrize("data", [b'{"a": 1,}', b"[" * 100_000])
def test_bad_json_is_shown_and_said_to_be_bad(data: bytes) -> None:
    text = reading("a.json", data)
    assert "Not valid JSON" in text
    assert data[:8].decode() in text


def test_xml_is_an_outline_with_attributes_text_and_tails() -> None:
    data = b"""<?xml version="1.0" encoding="iso-8859-1"?>
    <c:shop xmlns:c="urn:x" open="yes"><item id="1">Caf\xe9<b>bold</b> after</item><item/>
    </c:shop>"""
    assert reading("a.xml", data).endswith(
        "shop (open=yes)\n  item (id=1): Café\n    b: bold\n    after\n  item"
    )


def test_xml_entities_are_not_resolved() -> None:
    data = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'
    text = reading("a.xml", data)
    assert "not resolved" in text
    assert "root:" not in text


def test_bad_and_deep_xml_do_no_harm() -> None:
    assert "Not well-formed XML" in reading("a.xml", b"<a><b></a>")
    assert "deepest" in reading("a.xml", b"<a>" * 5000 + b"deepest" + b"</a>" * 5000)


def test_a_saved_page_keeps_all_text_tables_and_links_but_no_scripts() -> None:
    page = """<!DOCTYPE html><html><head><title>Shop</title><script>var x = 1</script></head><body>
    <nav>Menu</nav><h2>Prices</h2><p>See <a href="https://example.org/a_b">more</a>.</p>
    <table><tr><td rowspan="2">tea</td><td>green</td><td></td></tr><tr><td>black</td><td>3</td></tr>
    </table><footer>Since 1900</footer></body></html>"""
    text = reading("page.txt", page.encode())
    assert "Title: Shop" in text
    assert "## Prices" in text
    assert "[more](https://example.org/a_b)" in text
    assert "| tea | green |  |" in text
    assert "| tea | black | 3 |" in text
    assert "Menu" in text and "Since 1900" in text
    assert "var x" not in text


def test_a_page_made_by_scripts_says_so() -> None:
    data = b"<html><body><script>render()</script></body></html>"
    assert "no text: scripts may have made it" in refusal("a.html", data).message
