"""Images: what can be said of them without seeing them, and a copy for a model that sees."""

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agent.tools.readers.model import Ask, Block, File, Picture, Unreadable

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_SIDE = 1536
"""Pixels of the longer side of the copy: models that see scale down to about that themselves."""
_QUALITY = 90


def read(file: File, ask: Ask) -> Iterator[Block]:
    """Never gives text.

    Raises:
        Picture: with the image's format and size in pixels, and a copy if ``ask.images``.
        Unreadable: it is damaged.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(file.data)) as image:
            what = f"a {image.format} image, {image.width}×{image.height} pixels"
            jpeg = _jpeg(image) if ask.images else b""
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise Unreadable("unsupported", f"is a damaged image ({error}).") from None
    raise Picture(what, jpeg)
    yield


def _jpeg(image: "Image") -> bytes:
    """The image the right way up, on white where it is transparent, no larger than is of use."""
    from PIL import Image, ImageOps

    image.thumbnail((MAX_SIDE, MAX_SIDE))
    layer = ImageOps.exif_transpose(image).convert("RGBA")
    copy = Image.new("RGB", layer.size, "white")
    copy.paste(layer, mask=layer)
    made = io.BytesIO()
    copy.save(made, "JPEG", quality=_QUALITY)
    return made.getvalue()
