import io

from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tests.tools.readers.made import picture, reading, refusal, saved

BOX = (Inches(1), Inches(1), Inches(4), Inches(2))


def deck() -> bytes:
    """Four slides: title and notes, table, chart and picture, hidden."""
    presentation = Presentation()
    add = presentation.slides.add_slide
    titled, blank = presentation.slide_layouts[0], presentation.slide_layouts[6]

    first = add(titled)
    first.shapes.title.text = "Crustaceans"
    first.notes_slide.notes_text_frame.text = "Mention the crayfish."

    second = add(blank)
    table = second.shapes.add_table(2, 2, *BOX).table
    for at, word in enumerate(["kind", "legs", "crab", "10"]):
        table.cell(at // 2, at % 2).text = word
    inner = second.shapes.add_group_shape().shapes.add_textbox(*BOX)
    inner.text_frame.text = "grouped words"

    third = add(blank)
    data = CategoryChartData()
    data.categories = ["2020", "2021"]
    data.add_series("Catch", (4, 5.5))
    third.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *BOX, data)
    third.shapes.add_picture(io.BytesIO(picture()), *BOX[:2])

    add(blank)._element.set("show", "0")
    return saved(presentation.save)


def test_titles_notes_tables_groups_and_charts_are_read() -> None:
    text = reading("a.pptx", deck())
    assert "4 slides." in text
    assert "## Slide 1\n\nCrustaceans" in text
    assert "Notes: Mention the crayfish." in text
    assert "| crab | 10 |" in text
    assert "grouped words" in text
    assert "|  | Catch |\n|---|---|\n| 2020 | 4 |\n| 2021 | 5.5 |" in text
    assert "[picture: " in text
    assert "## Slide 4 (hidden)" in text


def test_one_slide_is_read_alone() -> None:
    text = reading("a.pptx", deck(), page="2")
    assert "crab" in text
    assert "Crustaceans" not in text
    assert "the last one is 4" in refusal("a.pptx", deck(), page="5").message
