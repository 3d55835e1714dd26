import datetime

import xlwt

from tests.tools.readers.made import archive, reading, saved

ODS = "application/vnd.oasis.opendocument.spreadsheet"


def test_an_old_workbook_keeps_whole_numbers_text_dates_and_hidden_sheets() -> None:
    book = xlwt.Workbook()
    sheet = book.add_sheet("Prices")
    day = xlwt.easyxf(num_format_str="YYYY-MM-DD")
    for column, value in enumerate([10, 2.5, "NA", ""]):
        sheet.write(0, column, value)
    sheet.write(0, 4, datetime.date(2020, 1, 2), day)
    book.add_sheet("Secret").visibility = 1

    text = reading("a.xls", saved(book.save))

    assert "2 sheets: 'Prices', 'Secret' (hidden)." in text
    assert "| 10 | 2.5 | NA |  | 2020-01-02 |" in text


def test_an_open_document_spreadsheet_is_read() -> None:
    office = "urn:oasis:names:tc:opendocument:xmlns:"
    content = (
        f'<office:document-content xmlns:office="{office}office:1.0" '
        f'xmlns:table="{office}table:1.0" xmlns:text="{office}text:1.0"><office:body>'
        '<office:spreadsheet><table:table table:name="T"><table:table-row>'
        '<table:table-cell office:value-type="float" office:value="10"><text:p>10</text:p>'
        "</table:table-cell></table:table-row></table:table></office:spreadsheet>"
        "</office:body></office:document-content>"
    )
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    )
    data = archive(
        {
            "mimetype": ODS.encode(),
            "content.xml": content.encode(),
            "META-INF/manifest.xml": manifest.encode(),
        }
    )
    text = reading("a.ods", data)
    assert "spreadsheet" in text.splitlines()[0]
    assert "| 10 |" in text
