"""Images: what can be said of them without seeing them."""

import io
from collections.abc import Iterator

from agent.tools.readers.model import Ask, Block, File, Unreadable


def read(file: File, ask: Ask) -> Iterator[Block]:
    """Never gives text.

    Raises:
        Unreadable: always, with the image's format and size in pixels.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(file.data)) as image:
            said = f"a {image.format} image, {image.width}×{image.height} pixels"
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise Unreadable("unsupported", f"is a damaged image ({error}).") from None
    raise Unreadable("unsupported", f"cannot be read: cannot see images (this is {said}).")
    yield
