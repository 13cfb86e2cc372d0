"""Curves over time and paths in the plane, written without a display."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from trammel.errors import ModelError
from trammel.view.drawing import plain_label
from trammel.view.figure import new_figure, saved
from trammel.view.scene import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Series = tuple[str, str, ArrayLike]
"""Label, unit and values, shape (n_times,)."""

_DASHES = ("-", "--", "-.", ":")


def plot_series(
    times: ArrayLike,
    series: Sequence[Series],
    *,
    title: str = "",
    path: str | Path | None = None,
    time_unit: str = "s",
) -> Figure:
    """Plot quantities over time; those with the same unit share one set of axes.

    Args:
        times: Times in ``time_unit``, shape (n_times,).
        series: Quantities as (label, unit, values); an empty unit means a pure number.
        title: Heading of the figure.
        path: File to write (.png, .svg, .pdf ... by its suffix); None writes nothing.
        time_unit: Unit of the times.

    Returns:
        The figure, with an Agg canvas: it shows nowhere and changes no matplotlib state.
    """
    if not series:
        raise ModelError("there is nothing to plot: give at least one (label, unit, values).")
    t = np.asarray(times, dtype=float)
    groups: dict[str, list[tuple[str, ArrayLike]]] = {}
    for label, unit, values in series:
        if np.shape(values) != t.shape or t.ndim != 1:
            raise ModelError(f"series '{label}' has shape {np.shape(values)}, but there are {t.size} times.")
        groups.setdefault(unit, []).append((label, values))
    figure = new_figure(8.0, 1.0 + 2.3 * len(groups))
    axes = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (unit, members) in zip(axes, groups.items(), strict=True):
        for i, (label, values) in enumerate(members):
            ax.plot(t, np.asarray(values, dtype=float), label=plain_label(label), **_look(i, t.size))
        quantity = members[0][0] if len(members) == 1 else ""
        ax.set_ylabel(f"{quantity} [{unit or '–'}]".strip(), parse_math=False)
        _finish(ax, len(members))
        if t.size > 1 and t[-1] > t[0]:
            ax.set_xlim(t[0], t[-1])
    axes[-1].set_xlabel(f"time [{time_unit}]", parse_math=False)
    return _done(figure, title, path)


def plot_paths(
    paths: Sequence[tuple[str, ArrayLike]],
    unit: str = "m",
    *,
    title: str = "",
    path: str | Path | None = None,
) -> Figure:
    """Plot paths in the plane with equal scales; a dot shows where each one starts.

    Args:
        paths: Paths as (label, xy), xy in ``unit`` and of shape (n, 2).
        unit: Unit of length.
        title: Heading of the figure.
        path: File to write (.png, .svg, .pdf ... by its suffix); None writes nothing.

    Returns:
        The figure, with an Agg canvas.
    """
    if not paths:
        raise ModelError("there is nothing to plot: give at least one (label, xy).")
    figure = new_figure(6.4, 6.0)
    ax = figure.add_subplot()
    for i, (label, xy) in enumerate(paths):
        points = np.asarray(xy, dtype=float)
        if points.ndim != 2 or points.shape[1] != 2 or not len(points):
            raise ModelError(f"path '{label}' has shape {points.shape}, must be (n, 2) with n at least 1.")
        look = _look(i, len(points))
        ax.plot(*points.T, label=plain_label(label), **look)
        ax.plot(*points[0], "o", ms=5, color=look["color"])
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel(f"x [{unit}]", parse_math=False)
    ax.set_ylabel(f"y [{unit}]", parse_math=False)
    _finish(ax, 2)
    return _done(figure, title, path)


def plot_iterations(series: Sequence[tuple[str, ArrayLike]], *, path: str | Path | None = None) -> Figure:
    """Plot sizes over the iterations of a method on a logarithmic scale; zeros and what was not computed are left out.

    Args:
        series: Sizes as (label, values), one value per iteration from 0.
        path: File to write (.png, .svg, .pdf ... by its suffix); None writes nothing.
    """
    figure = new_figure(6.4, 4.0)
    ax = figure.add_subplot()
    most = max(len(np.asarray(values)) for _, values in series) - 1
    for i, (label, values) in enumerate(series):
        sizes = np.asarray(values, dtype=float)
        shown = np.isfinite(sizes) & (sizes > 0.0)
        look = {**_look(i, 1), "marker": "o"}
        ax.plot(np.flatnonzero(shown), sizes[shown], label=plain_label(label), **look)
    ax.set_yscale("log")
    ax.set_xlabel("iteration")
    ax.set_xticks(range(0, most + 1, math.ceil(most / 12) or 1))
    _finish(ax, 2)
    return _done(figure, "", path)


def plot_lines(
    panels: Sequence[tuple[str, Sequence[tuple[str, ArrayLike, ArrayLike]]]],
    label: str,
    *,
    path: str | Path | None = None,
) -> Figure:
    """Plot lines through points on logarithmic scales; what is not positive is left out.

    Args:
        panels: Per set of axes its label and the lines as (label, x, y).
        label: Of the common x axis.
        path: File to write (.png, .svg, .pdf ... by its suffix); None writes nothing.
    """
    figure = new_figure(1.0 + 5.4 * len(panels), 4.4)
    for ax, (name, lines) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        for i, (text, x, y) in enumerate(lines):
            points = np.array([x, y], dtype=float)
            points = points[:, (np.isfinite(points) & (points > 0.0)).all(axis=0)]
            ax.plot(*points, label=plain_label(text), **{**_look(i, 1), "marker": "o"})
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlabel(label, parse_math=False)
        ax.set_ylabel(name, parse_math=False)
        _finish(ax, 2)
    return _done(figure, "", path)


def _look(i: int, n_points: int) -> dict[str, Any]:
    """Colour, dashes after one turn of the palette, and a marker where a line alone would not show."""
    dash = _DASHES[(i // len(PALETTE)) % len(_DASHES)]
    marker = "o" if n_points == 1 else ""
    return {"color": PALETTE[i % len(PALETTE)], "ls": dash, "lw": 1.6, "marker": marker, "ms": 4.0}


def _finish(ax: Axes, n_curves: int) -> None:
    ax.grid(True, color="#dfe5ea", lw=0.7)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=9, color="#9aa7b2")
    for side, spine in ax.spines.items():
        spine.set_color("#9aa7b2")
        spine.set_visible(side in ("left", "bottom"))
    if n_curves > 1:
        legend = ax.legend(fontsize=9, framealpha=0.9, edgecolor="#dfe5ea", ncols=math.ceil(n_curves / 8))
        for text in legend.get_texts():
            text.set_parse_math(False)


def _done(figure: Figure, title: str, path: str | Path | None) -> Figure:
    if title:
        figure.suptitle(title, fontsize=12, parse_math=False)
    return saved(figure, path)
