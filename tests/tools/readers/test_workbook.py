import datetime
import io

import pytest
from openpyxl import Workbook
from openpyxl.styles import PatternFill
from openpyxl.styles.colors import Color

from agent.tools.readers.colors import name_of
from tests.tools.readers.made import archive, reading, refusal, saved, with_part, workbook


def filled(color: str | Color) -> PatternFill:
    return PatternFill("solid", fgColor=color)


def test_values_are_written_as_a_person_sees_them() -> None:
    book = Workbook()
    sheet = book.active
    sheet.append(["whole", "float", "sum", "text", "date", "moment", "flag", "share", "big"])
    sheet.append(
        [
            10,
            10.0,
            0.1 + 0.2,
            "NA",
            datetime.date(2024, 2, 29),
            datetime.datetime(2024, 2, 29, 13, 5),
            True,
            0.07,
            12345678901,
        ]
    )
    sheet["H2"].number_format = "0.0%"

    text = reading("a.xlsx", saved(book.save))

    expected = "| 10 | 10 | 0.3 | NA | 2024-02-29 | 2024-02-29 13:05:00 | TRUE | 7% | 12345678901 |"
    assert expected in text


def test_text_that_looks_like_a_number_stays_text() -> None:
    assert "| 007 | 1.50 | 1e5 |" in reading("a.xlsx", workbook({"A": [["007", "1.50", "1e5"]]}))


def test_all_sheets_are_read_and_hidden_ones_named() -> None:
    book = Workbook()
    book.active.title = "Open"
    book.active["A1"] = "seen"
    for title, state in (("Back", "hidden"), ("Deep", "veryHidden")):
        sheet = book.create_sheet(title)
        sheet["A1"] = f"in {title}"
        sheet.sheet_state = state

    text = reading("a.xlsx", saved(book.save))

    assert "3 sheets: 'Open', 'Back' (hidden), 'Deep' (veryHidden)." in text
    assert all(word in text for word in ("seen", "in Back", "in Deep"))


@pytest.mark.parametrize("asked", ["Sales 2024", " sales 2024", "2"])
def test_a_sheet_is_found_by_its_name_in_any_case_or_its_number(asked: str) -> None:
    data = workbook({"Stock": [["apples"]], "Sales 2024": [["pears"]]})
    text = reading("a.xlsx", data, sheet=asked)
    assert "pears" in text
    assert "apples" not in text


def test_an_unknown_sheet_names_those_there_are() -> None:
    error = refusal("a.xlsx", workbook({"Stock": [["x"]], "Sales": [["y"]]}), sheet="Costs")
    assert error.kind == "invalid_args"
    assert "'Stock', 'Sales'" in error.message


def test_formulas_are_listed_and_stand_in_for_values_never_calculated() -> None:
    text = reading("a.xlsx", workbook({"A": [["n", "double"], [21, "=A2*2"]]}))
    assert "| 21 | =A2*2 |" in text
    assert "Formulas: B2 =A2*2" in text


def test_the_cached_value_of_a_formula_is_shown() -> None:
    data = workbook({"A": [["n", "double"], [21, "=A2*2"]]})
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        '<row r="1"><c r="A1"><v>21</v></c><c r="B1"><f>A1*2</f><v>42</v></c></row>'
        "</sheetData></worksheet>"
    )
    text = reading("a.xlsx", with_part(data, "xl/worksheets/sheet1.xml", sheet.encode()))
    assert "| 21 | 42 |" in text
    assert "B1 =A1*2" in text


def test_fill_colors_are_shown_on_request_with_their_cells() -> None:
    book = Workbook()
    sheet = book.active
    sheet.append(["start", "x", None])
    sheet["A1"].fill = filled("FF92D050")
    sheet["C1"].fill = filled(Color(indexed=12))
    sheet["B2"].fill = filled(Color(theme=4))
    sheet["C2"].fill = filled(Color(theme=0, tint=-0.5))
    data = saved(book.save)

    plain, colored = reading("a.xlsx", data), reading("a.xlsx", data, colors=True)

    assert "#" not in plain.replace("##", "")
    assert "4 cells have fill colours" in plain
    assert "| row | A | B | C |" in colored
    assert "| 1 | start [green #92D050] | x | [blue #0000FF] |" in colored
    assert "[blue #4F81BD] | [grey #808080]" in colored


def test_a_sheet_of_nothing_but_colors_shows_them_unasked() -> None:
    book = Workbook()
    for row in range(1, 4):
        book.active.cell(row, row).fill = filled("FFFF0000")
    text = reading("map.xlsx", saved(book.save))
    assert "| 3 |  |  | [red #FF0000] |" in text


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("FF0000", "red"),
        ("F478A7", "pink"),
        ("FFC000", "orange"),
        ("FFFF00", "yellow"),
        ("00B050", "green"),
        ("0099FF", "blue"),
        ("7030A0", "purple"),
        ("FFFFFF", "white"),
        ("000000", "black"),
        ("BFBFBF", "grey"),
    ],
)
def test_colors_have_plain_names(value: str, name: str) -> None:
    assert name_of(value) == name


def test_empty_sheets_and_gaps_say_so() -> None:
    book = Workbook()
    book.active["C5"] = "far"
    book.create_sheet("Nothing")
    text = reading("a.xlsx", saved(book.save))
    assert "|  |  | far |" in text
    assert "[empty sheet]" in text.partition("Nothing'\n")[2]


def test_rows_count_from_the_header_which_always_comes() -> None:
    rows = [["id", "name"], *([n, f"name{n}"] for n in range(2, 101))]
    text = reading("a.xlsx", workbook({"A": rows}), rows="40-41")
    assert text.splitlines()[-4:] == [
        "| id | name |",
        "|---|---|",
        "| 40 | name40 |",
        "| 41 | name41 |",
    ]


def test_a_long_sheet_says_how_to_ask_for_the_rest_and_that_works() -> None:
    data = workbook({"Log": ([n, "x" * 90] for n in range(1, 6001))})
    first = reading("a.xlsx", data)
    assert len(first) < 400_000
    start = int(first.partition('sheet="Log" rows="')[2].partition("-")[0])
    assert first.rstrip().splitlines()[-1].startswith(f"| {start - 1} |")
    second = reading("a.xlsx", data, sheet="Log", rows=f"{start}-")
    assert f"| {start} |" in second
    assert "| 6000 |" in second


def test_a_file_that_lies_about_its_dimensions_loses_no_cells() -> None:
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        '<dimension ref="A1"/><sheetData><row r="1"><c r="A1"><v>1</v></c>'
        '<c r="B1"><v>2</v></c></row><row r="2"><c r="A2"><v>3</v></c></row></sheetData>'
        "</worksheet>"
    )
    data = with_part(workbook({"A": []}), "xl/worksheets/sheet1.xml", sheet.encode())
    text = reading("a.xlsx", data)
    assert "| 1 | 2 |" in text
    assert "| 3 |" in text


def test_damaged_styles_do_not_cost_the_values() -> None:
    styles = (
        b'<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fills>'
        b'<fill><patternFill patternType="no such pattern"/></fill></fills></styleSheet>'
    )
    data = with_part(workbook({"A": [["kept", 10]]}), "xl/styles.xml", styles)
    text = reading("a.xlsx", data)
    assert "Values only" in text
    assert "| kept | 10 |" in text


def test_macros_are_named() -> None:
    data = with_part(workbook({"A": [["x"]]}), "xl/vbaProject.bin", b"\0code")
    text = reading("a.xlsm", data)
    assert "macros (VBA), which were neither run nor read" in text
    assert "| x |" in text


def test_ten_million_cells_are_read_as_far_as_the_text_goes() -> None:
    row = b"<row>" + b"<c><v>7</v></c>" * 100 + b"</row>"
    sheet = (
        b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        + row * 100_000
        + b"</sheetData></worksheet>"
    )
    data = with_part(workbook({"A": []}), "xl/worksheets/sheet1.xml", sheet)
    text = reading("a.xlsx", data)
    assert "Only the first part" in text
    assert 300_000 < len(text) < 400_000


def test_shared_strings_that_unpack_to_more_than_memory_are_refused() -> None:
    data = with_part(workbook({"A": [["x"]]}), "xl/sharedStrings.xml", b" " * 70_000_000)
    assert refusal("a.xlsx", data).kind == "too_large"


def test_a_workbook_without_its_sheets_is_damaged_not_empty() -> None:
    data = archive({"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"})
    error = refusal("a.xlsx", data)
    assert error.kind == "unsupported"
    assert "damaged" in error.message


def test_an_encrypted_workbook_says_so() -> None:
    from msoffcrypto.format.ooxml import OOXMLFile

    plain = io.BytesIO(workbook({"A": [["secret"]]}))
    data = saved(lambda stream: OOXMLFile(plain).encrypt("password", stream))
    assert "encrypted Office file: it needs a password" in refusal("a.xlsx", data).message
