"""PowerPoint presentations: text, tables, chart data and speaker notes of each slide."""

import io
from collections.abc import Iterator
from typing import Any

from agent.tools.markdown import table as markdown_table
from agent.tools.readers import package
from agent.tools.readers.model import Ask, Block, File, span
from agent.tools.readers.sheets import show


def read(file: File, ask: Ask) -> Iterator[Block]:
    """The slides asked for, each under its number; hidden ones are named as such."""
    from pptx import Presentation

    yield Block(package.remarks(package.check(file.data)))
    slides = list(Presentation(io.BytesIO(file.data)).slides)
    wanted = span(ask.page, "page", len(slides))
    yield Block(f"{len(slides)} slides.\n")
    for number in wanted:
        yield Block(_slide(number, slides[number - 1]), f'page="{number}-"')


def _slide(number: int, slide: Any) -> str:
    hidden = " (hidden)" if slide._element.get("show") == "0" else ""
    parts = [f"\n## Slide {number}{hidden}\n", *_texts(slide.shapes)]
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = slide.notes_slide.notes_text_frame.text.strip()
        parts += [f"Notes: {notes}\n"] if notes else []
    return "\n".join(parts)


def _texts(shapes: Any) -> Iterator[str]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _texts(shape.shapes)
        elif getattr(shape, "has_table", False):
            rows = [[cell.text for cell in row.cells] for row in shape.table.rows]
            yield markdown_table(rows) + "\n"
        elif getattr(shape, "has_chart", False):
            yield from map(_plot, shape.chart.plots)
        elif getattr(shape, "image", None) is not None:
            described = shape._element.nvPicPr.cNvPr.get("descr") or shape.name
            yield f"[picture: {described}]\n"
        elif shape.has_text_frame and shape.text_frame.text.strip():
            yield shape.text_frame.text.replace("\v", "\n") + "\n"


def _plot(plot: Any) -> str:
    """A chart as the table it was drawn from."""
    series = list(plot.series)
    header = ["", *(one.name for one in series)]
    columns = [[show(value) for value in one.values] for one in series]
    rows = zip(map(str, plot.categories), *columns, strict=False)
    return "Chart:\n\n" + markdown_table([header, *map(list, rows)])
