"""Pictures of designs; drawn by the layer above."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from pytrammel.design.synthesis.four_bar import FourBar
from pytrammel.design.synthesis.six_bar import SixBar
from pytrammel.design.synthesis.slider_crank import SliderCrank
from pytrammel.model.argument_types import Points

Design = FourBar | SliderCrank | SixBar


def plot_paths(
    points: Points, designs: Design | Sequence[Design], *, names: Sequence[str] | None = None,
    path: str | PathLike[str] | None = None,
) -> Any:  # fmt: skip
    """Designs over the points that they shall pass: candidates of an atlas, or before and after a fit.

    Args:
        points: Wanted points (x, y) [m].
        designs: One design or several, each with its own picture.
        names: Titles; their errors are shown anyway.
        path: File to write (png, svg, pdf).

    Returns:
        The figure of matplotlib.
    """
    from pytrammel.view.plots.synthesis import plot_paths as draw

    return draw(points, designs, names=names, path=path)
