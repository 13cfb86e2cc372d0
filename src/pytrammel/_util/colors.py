"""Colours as users write them: checked, and turned into ``#rrggbb``."""

from __future__ import annotations

import difflib
import re

from pytrammel._util.messages import short
from pytrammel.errors import ModelError

NAMES = {
    "tab:blue": "#1f77b4", "tab:orange": "#ff7f0e", "tab:green": "#2ca02c", "tab:red": "#d62728", "tab:purple": "#9467bd",
    "tab:brown": "#8c564b", "tab:pink": "#e377c2", "tab:gray": "#7f7f7f", "tab:grey": "#7f7f7f", "tab:olive": "#bcbd22",
    "tab:cyan": "#17becf",
    "black": "#000000", "white": "#ffffff", "gray": "#808080", "grey": "#808080", "silver": "#c0c0c0", "red": "#ff0000",
    "maroon": "#800000", "orange": "#ffa500", "yellow": "#ffff00", "olive": "#808000", "green": "#008000", "lime": "#00ff00",
    "teal": "#008080", "cyan": "#00ffff", "blue": "#0000ff", "navy": "#000080", "purple": "#800080", "magenta": "#ff00ff",
    "pink": "#ffc0cb", "brown": "#a52a2a", "gold": "#ffd700",
}  # fmt: skip
"""Names of colours: those of Matplotlib's default cycle, and the common ones of CSS."""
_HEX = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")


def checked_color(value: object, label: str) -> str:
    """Return a colour unchanged after checking it.

    Args:
        value: ``#rgb``, ``#rrggbb`` or one of `NAMES`.
        label: Name of the colour in messages, such as "color of body 'crank'".

    Raises:
        ModelError: The value is not a colour.
    """
    if isinstance(value, str) and (value in NAMES or _HEX.fullmatch(value)):
        return value
    near = difflib.get_close_matches(value.lower(), NAMES, 1) if isinstance(value, str) else []
    hint = f"Use {near[0]!r}" if near else "Use a name such as 'tab:orange'"
    raise ModelError(f"{label} is {short(value)}, which is not a valid color. {hint}, or '#rrggbb' such as '#c83a2d'.")


def hex_color(color: str) -> str:
    """Return a checked colour as ``#rrggbb``."""
    if color in NAMES:
        return NAMES[color]
    return color if len(color) == 7 else "#" + "".join(2 * digit for digit in color[1:])


def rgb(color: str) -> tuple[float, float, float]:
    """Red, green and blue of ``#rrggbb``, from 0 to 1."""
    red, green, blue = (int(color[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
    return red, green, blue


def mixed(first: str, second: str, share: float) -> str:
    """Mixture of two colours ``#rrggbb``: the first one for a share of 0, the second one for 1."""
    pairs = zip(rgb(first), rgb(second), strict=True)
    return "#" + "".join(f"{round(255.0 * (a + share * (b - a))):02x}" for a, b in pairs)


def color_of_rgb(red: float, green: float, blue: float) -> str:
    """Return ``#rrggbb`` of components from 0 to 1; components beyond are cut."""
    return "#" + "".join(f"{round(255.0 * min(max(v, 0.0), 1.0)):02x}" for v in (red, green, blue))
