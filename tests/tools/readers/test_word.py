import io
import zipfile

import pytest
from docx import Document
from docx.oxml import parse_xml

from tests.tools.readers.made import picture, reading, saved, with_part

NS = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def test_headings_lists_and_tables_come_in_their_order() -> None:
    document = Document()
    document.add_heading("Report", 0)
    document.add_heading("Costs", 1)
    document.add_paragraph("Before.")
    table = document.add_table(2, 3)
    for at, word in enumerate(["item", "", "price", "tea", "2|3", "10"]):
        table.cell(at // 3, at % 3).text = word
    document.add_paragraph("buy", style="List Bullet")
    document.add_paragraph("sell", style="List Bullet")

    text = reading("a.docx", saved(document.save))

    assert text.endswith(
        "# Report\n\n# Costs\n\nBefore.\n\n"
        "| item |  | price |\n|---|---|---|\n| tea | 2/3 | 10 |\n\n"
        "- buy\n- sell"
    )


def test_a_merged_cell_is_told_once() -> None:
    document = Document()
    table = document.add_table(1, 3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "wide"
    table.cell(0, 2).text = "end"
    assert "| wide |  | end |" in reading("a.docx", saved(document.save))


def test_inserted_text_counts_and_deleted_text_does_not() -> None:
    document = Document()
    paragraph = document.add_paragraph("kept ")
    for xml in (
        f"<w:ins {NS}><w:r><w:t>inserted</w:t></w:r></w:ins>",
        f"<w:del {NS}><w:r><w:delText>deleted</w:delText></w:r></w:del>",
    ):
        paragraph._p.append(parse_xml(xml))
    text = reading("a.docx", saved(document.save))
    assert "kept inserted" in text
    assert "deleted" not in text


def test_a_text_box_is_read_once_though_it_is_stored_twice() -> None:
    box = f"<w:txbxContent {NS}><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent>"
    mc = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    document = Document()
    document.add_paragraph("")._p.append(
        parse_xml(
            f'<w:r {NS}><mc:AlternateContent xmlns:mc="{mc}"><mc:Choice Requires="x">{box}'
            f"</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r>"
        )
    )
    assert reading("a.docx", saved(document.save)).count("boxed") == 1


def test_headers_comments_and_footnotes_come_last() -> None:
    document = Document()
    paragraph = document.add_paragraph("Body.")
    document.sections[0].header.paragraphs[0].text = "Draft 7"
    document.add_comment(paragraph.runs, text="Check this")
    text = reading("a.docx", saved(document.save))
    assert "Comments:\n\n- Check this" in text
    assert "Header: Draft 7" in text
    assert text.index("Body.") < text.index("Check this") < text.index("Draft 7")


@pytest.mark.parametrize(
    "content_type",
    [
        "application/vnd.ms-word.document.macroEnabled.main+xml",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
    ],
)
def test_documents_with_macros_and_templates_are_read(content_type: str) -> None:
    document = Document()
    document.add_paragraph("In here.")
    plain = saved(document.save)
    with zipfile.ZipFile(io.BytesIO(plain)) as package:
        types = package.read("[Content_Types].xml").decode()
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    assert main in types
    changed = with_part(plain, "[Content_Types].xml", types.replace(main, content_type).encode())

    text = reading("a.docm", with_part(changed, "word/vbaProject.bin", b"\0"))

    assert "In here." in text
    assert "macros (VBA)" in text


def test_pictures_that_cannot_be_seen_are_counted() -> None:
    document = Document()
    document.add_picture(io.BytesIO(picture()))
    assert "1 pictures, which cannot be seen" in reading("a.docx", saved(document.save))
