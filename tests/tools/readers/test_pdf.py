import pytest

from tests.tools.readers.made import pdf, picture, reading, refusal, saved

TABLE = [["Name", "Q1", "Q2", "Q3"], ["Ann", "1", "", "3"], ["Bob", "", "", "9"]]


def test_pages_come_under_their_numbers() -> None:
    text = reading("a.pdf", pdf([["First words."], ["Second words."]]))
    assert "2 pages." in text
    assert "## Page 1\n\nFirst words." in text
    assert "## Page 2\n\nSecond words." in text


def test_empty_cells_of_a_ruled_table_keep_their_place() -> None:
    text = reading("a.pdf", pdf([["Results:", TABLE, "End."]]))
    assert "| Ann | 1 |  | 3 |\n| Bob |  |  | 9 |" in text
    assert "Results:" in text
    assert "Ann 1 3" not in text


def test_a_frame_around_a_paragraph_is_no_table() -> None:
    text = reading("a.pdf", pdf([[[["Just one framed remark"]]]]))
    assert "Just one framed remark" in text
    assert "|" not in text


@pytest.mark.parametrize("asked", ["2", "2-2", "page 2"])
def test_one_page_is_read_alone(asked: str) -> None:
    text = reading("a.pdf", pdf([["One."], ["Two."], ["Three."]]), page=asked)
    assert "Two." in text
    assert "One." not in text
    assert "Three." not in text


@pytest.mark.parametrize("asked", ["9", "0", "4-7"])
def test_a_page_that_is_not_there_tells_how_many_there_are(asked: str) -> None:
    error = refusal("a.pdf", pdf([["One."], ["Two."]]), page=asked)
    assert error.kind == "invalid_args"
    assert "the last one is 2" in error.message


def test_a_scan_says_that_it_is_one() -> None:
    from PIL import Image

    scan = saved(lambda stream: Image.new("RGB", (200, 100), "grey").save(stream, "PDF"))
    error = refusal("scan.pdf", scan)
    assert error.kind == "unsupported"
    assert "no text layer: scanned" in error.message


def test_a_scanned_page_among_others_is_named() -> None:
    import io

    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    def draw(stream: io.BytesIO) -> None:
        canvas = Canvas(stream)
        canvas.drawString(100, 700, "Typed words")
        canvas.showPage()
        canvas.drawImage(ImageReader(io.BytesIO(picture())), 0, 0)
        canvas.showPage()
        canvas.save()

    text = reading("a.pdf", saved(draw))
    assert "Typed words" in text
    assert "## Page 2\n\n[scanned: an image, no text]" in text


def test_an_encrypted_pdf_says_so() -> None:
    error = refusal("a.pdf", pdf([["secret"]], password="open"))
    assert error.kind == "unsupported"
    assert "encrypted PDF: it needs a password" in error.message


@pytest.mark.parametrize("cut", [20, 300])
def test_half_a_pdf_is_damaged_not_empty(cut: int) -> None:
    assert "damaged PDF" in refusal("a.pdf", pdf([["words"]])[:cut]).message


def test_the_pages_that_do_not_fit_can_be_asked_for() -> None:
    page = ["word " * 4000]
    data = pdf([page] * 25)
    first = reading("a.pdf", data)
    assert 'call again with page="' in first.splitlines()[0]
    assert len(first) < 400_000
