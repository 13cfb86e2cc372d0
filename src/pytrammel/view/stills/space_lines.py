"""Curves in space with equal scales: paths of points, tips of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.view.figure import given_axes, new_figure, saved
from pytrammel.view.plots.panels import look
from pytrammel.view.stills.planar import plain_label
from pytrammel.view.theme import current

VIEW = (25.0, -50.0)  # elevation and azimuth of the eye [deg]


def draw_space_lines(
    curves: Sequence[tuple[str, int, int, NDArray[np.float64]]],
    labels: Sequence[str],
    *,
    ax: Any = None,
    title: str = "",
    path: str | PathLike[str] | None = None,
) -> Any:
    """Draw curves in space; a dot shows where each one starts.

    Args:
        curves: Each as (label, place in the palette, place among the dashes, points of shape (n, 3)).
        labels: Of the three axes.
        ax: Axes made with ``projection="3d"``; a figure of its own by default.
        title: Heading.
        path: File to write.
    """
    found = given_axes(ax, 1, "a view in space", space=True)
    axes: Any = found[0] if found else new_figure(6.4, 5.8).add_subplot(projection="3d")
    theme = current()
    for label, colour, dash, xyz in curves:
        style = look(colour, len(xyz), dash=dash)
        axes.plot(*xyz.T, label=plain_label(label), **style)
        axes.plot(*xyz[:1].T, "o", ms=5, color=style["color"], label="_")
    for name, text in zip("xyz", labels, strict=True):
        getattr(axes, f"set_{name}label")(text, fontsize=10, parse_math=False, labelpad=8)
        axis = getattr(axes, f"{name}axis")
        axis.pane.set_facecolor(theme.paper)
        axis.pane.set_edgecolor(theme.plot_grid)
        axis._axinfo["grid"].update(color=theme.plot_grid, linewidth=0.7)
    _equal(axes, np.vstack([xyz for *_, xyz in curves]))
    axes.tick_params(labelsize=8)
    axes.locator_params(nbins=5)
    legend = axes.legend(loc="upper left", fontsize=9, framealpha=0.9, edgecolor=theme.plot_grid)
    for text in legend.get_texts():
        text.set_parse_math(False)
    if not found:
        axes.view_init(*VIEW)
        axes.set_box_aspect(None, zoom=0.85)
    if title:
        axes.set_title(title, fontsize=12, parse_math=False)
    saved(axes.figure, path)
    return axes


def _equal(axes: Any, points: NDArray[np.float64]) -> None:
    """The same scale along all axes: a cube around everything, no thinner than a third of its width."""
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    middle, span = 0.5 * (low + high), high - low
    span = np.maximum(span, max(float(span.max()), 1e-12) / 3.0) * 1.08
    for name, at, width in zip("xyz", middle, span, strict=True):
        getattr(axes, f"set_{name}lim")(at - 0.5 * width, at + 0.5 * width)
    axes.set_aspect("equal")
