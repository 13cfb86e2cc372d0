"""Plots of plain numbers: curves over time, paths in the plane, iterations of a method, lines on logarithmic scales."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pytrammel.errors import ModelError
from pytrammel.view.plots.panels import Line, Panel, axis_label, draw_panels

Series = tuple[str, str, ArrayLike]
"""Label, unit and values, shape (n_times,)."""
FilePath = str | PathLike[str] | None


def plot_series(
    times: ArrayLike,
    series: Sequence[Series],
    *,
    title: str = "",
    ax: Any = None,
    path: FilePath = None,
    time_unit: str = "s",
) -> Any:
    """Plot quantities over time; those with the same unit share one set of axes.

    Args:
        times: Times in ``time_unit``, shape (n_times,).
        series: Quantities as (label, unit, values); an empty unit means a pure number.
        title: Heading of the figure.
        ax: Axes to draw on, one set per unit; a figure of its own by default.
        path: File to write (.png, .svg, .pdf ... by its suffix); None writes nothing.
        time_unit: Unit of the times.

    Returns:
        The axes; those of its own have an Agg canvas: they show nowhere and change no matplotlib state.
    """
    if not series:
        raise ModelError("there is nothing to plot: give at least one (label, unit, values).")
    t = np.asarray(times, dtype=float)
    groups: dict[str, list[tuple[str, ArrayLike]]] = {}
    for label, unit, values in series:
        if np.shape(values) != t.shape or t.ndim != 1:
            raise ModelError(f"series '{label}' has shape {np.shape(values)}, but there are {t.size} times.")
        groups.setdefault(unit, []).append((label, values))
    panels = [
        Panel(
            f"time [{time_unit}]",
            axis_label([label for label, _ in members], unit),
            [Line(label, t, values, colour=i) for i, (label, values) in enumerate(members)],
        )
        for unit, members in groups.items()
    ]
    return draw_panels(panels, ax=ax, title=title, path=path)


def plot_paths(
    paths: Sequence[tuple[str, ArrayLike]],
    unit: str = "m",
    *,
    title: str = "",
    ax: Any = None,
    path: FilePath = None,
    axes: Sequence[str] = ("x", "y"),
) -> Any:
    """Plot paths in the plane with equal scales; a dot shows where each one starts.

    Args:
        paths: Paths as (label, xy), xy in ``unit`` and of shape (n, 2).
        unit: Unit of length.
        title: Heading of the figure.
        ax: Axes to draw on; a figure of its own by default.
        path: File to write (.png, .svg, .pdf ... by its suffix); None writes nothing.
        axes: Names of the two directions.

    Returns:
        The axes.
    """
    if not paths:
        raise ModelError("there is nothing to plot: give at least one (label, xy).")
    lines = []
    for i, (label, xy) in enumerate(paths):
        points = np.asarray(xy, dtype=float)
        if points.ndim != 2 or points.shape[1] != 2 or not len(points):
            raise ModelError(f"path '{label}' has shape {points.shape}, must be (n, 2) with n at least 1.")
        lines.append(Line(label, points[:, 0], points[:, 1], colour=i, way=True))
    panel = Panel(f"{axes[0]} [{unit}]", f"{axes[1]} [{unit}]", lines, equal=True, legend=True)
    return draw_panels([panel], ax=ax, title=title, path=path)


def plot_iterations(series: Sequence[tuple[str, ArrayLike]], *, ax: Any = None, path: FilePath = None) -> Any:
    """Plot sizes over the iterations of a method on a logarithmic scale; zeros and what was not computed are left out.

    Args:
        series: Sizes as (label, values), one value per iteration from 0.
        ax: Axes to draw on; a figure of its own by default.
        path: File to write (.png, .svg, .pdf ... by its suffix); None writes nothing.
    """
    from matplotlib.ticker import MaxNLocator

    lines = [
        Line(label, np.arange(len(sizes)), sizes, colour=i, marker="o")
        for i, (label, sizes) in enumerate((label, np.asarray(values, dtype=float)) for label, values in series)
    ]
    panel = Panel("iteration", "size [–]", lines, scale="y", legend=True, tight=False)
    out = draw_panels([panel], ax=ax, path=path)
    out.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True))
    return out


def plot_lines(
    panels: Sequence[tuple[str, Sequence[tuple[str, ArrayLike, ArrayLike]]]],
    label: str,
    *,
    ax: Any = None,
    path: FilePath = None,
) -> Any:
    """Plot lines through points on logarithmic scales; what is not positive is left out.

    Args:
        panels: Per set of axes its label and the lines as (label, x, y).
        label: Of the common x axis.
        ax: Axes to draw on, one set per panel; a figure of its own by default.
        path: File to write (.png, .svg, .pdf ... by its suffix); None writes nothing.
    """
    drawn = []
    for name, lines in panels:
        kept = []
        for i, (text, x, y) in enumerate(lines):
            points = np.array([x, y], dtype=float)
            points = points[:, (np.isfinite(points) & (points > 0.0)).all(axis=0)]
            kept.append(Line(text, points[0], points[1], colour=i, marker="o"))
        drawn.append(Panel(label, name, kept, scale="xy", legend=True, tight=False))
    return draw_panels(drawn, ax=ax, path=path, beside=True)
