"""Fill colours of a workbook: theme, index or RGB to a name and a hex value."""

import colorsys
import re
from typing import Any

_THEME_COLOR = re.compile(rb'<a:(?:sysClr[^>]*lastClr|srgbClr[^>]*val)="([0-9A-Fa-f]{6})"')
_SWAPPED = (1, 0, 3, 2)
"""A theme lists dark before light, cells count light first (ECMA-376 part 1, 18.8.3)."""
_HUES = (
    (15, "red"),
    (48, "orange"),
    (70, "yellow"),
    (170, "green"),
    (200, "cyan"),
    (260, "blue"),
    (290, "purple"),
    (345, "pink"),
    (361, "red"),
)


class Palette:
    """Says which colour a cell is filled with."""

    def __init__(self, theme: bytes | None) -> None:
        """``theme``: the workbook's theme part, if it has one."""
        scheme = (theme or b"").partition(b"</a:clrScheme>")[0]
        found = [color.decode().upper() for color in _THEME_COLOR.findall(scheme)]
        self._theme = [found[i] for i in _SWAPPED] + found[4:] if len(found) > 3 else found
        self._known: dict[int, str] = {}

    def of(self, cell: Any) -> str:
        """``[green #92D050]``, or nothing for a cell without a solid fill."""
        if not getattr(cell, "has_style", False):
            return ""
        fill = cell.fill
        if id(fill) not in self._known:
            self._known[id(fill)] = self._describe(fill)
        return self._known[id(fill)]

    def _describe(self, fill: Any) -> str:
        if fill.fill_type != "solid":
            return ""
        value = self._hex(fill.fgColor)
        return f"[{name_of(value)} #{value}]" if value else ""

    def _hex(self, color: Any) -> str:
        from openpyxl.styles.colors import COLOR_INDEX

        if color.type == "rgb":
            return str(color.rgb)[-6:].upper()
        if color.type == "indexed" and color.indexed < len(COLOR_INDEX):
            return str(COLOR_INDEX[color.indexed])[-6:].upper()
        if color.type == "theme" and color.theme < len(self._theme):
            return _tinted(self._theme[color.theme], color.tint)
        return ""


def name_of(value: str) -> str:
    """The plain name nearest to ``RRGGBB``."""
    hue, light, strong = colorsys.rgb_to_hls(*_parts(value))
    if light > 0.97 or light < 0.08:
        return "white" if light > 0.5 else "black"
    if strong < 0.12:
        return "grey"
    return next(name for limit, name in _HUES if hue * 360 < limit)


def _tinted(value: str, tint: float) -> str:
    """Lighter or darker by ``tint``, -1 to 1 (ECMA-376 part 1, 18.8.19)."""
    hue, light, strong = colorsys.rgb_to_hls(*_parts(value))
    light = light * (1 + tint) if tint < 0 else light * (1 - tint) + tint
    return "".join(f"{round(c * 255):02X}" for c in colorsys.hls_to_rgb(hue, light, strong))


def _parts(value: str) -> tuple[float, float, float]:
    red, green, blue = bytes.fromhex(value)
    return red / 255, green / 255, blue / 255
