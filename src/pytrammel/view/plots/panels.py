"""Panels of curves: how every plot looks, and the axes that it is drawn on."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel.errors import ModelError
from pytrammel.view.figure import as_given, given_axes, new_figure, saved
from pytrammel.view.stills.planar import plain_label
from pytrammel.view.theme import CURVE_WIDTH, DASHES, current

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 7.2, 2.4  # of a panel [inch]
_OPERATORS = set("+-*/^()")
_DEGREES = (1, 2, 5, 10, 15, 30, 45, 90, 180, 360, 720, 1080, 1800, 3600, 7200, 18000, 36000)


@dataclass(frozen=True)
class Line:
    """A curve.

    Attributes:
        label: Its name in the legend; "" for none.
        x, y: Values, shape (n,); numbers that are none leave a gap.
        colour: Its place in the palette.
        dash: Its place among the dashes.
        marker: Of every point, as matplotlib names it.
        way: Whether its start and the way it runs are marked.
    """

    label: str
    x: ArrayLike
    y: ArrayLike
    colour: int = 0
    dash: int = 0
    marker: str = ""
    way: bool = False


@dataclass(frozen=True)
class Panel:
    """One set of axes.

    Attributes:
        x_label, y_label: With units.
        lines: The curves.
        scale: Which axes are logarithmic; what is not positive is left out there.
        equal: Whether both axes have the same scale.
        legend: Whether curves are named even where there is only one.
        tight: Whether the x axis ends where the curves do.
    """

    x_label: str
    y_label: str
    lines: Sequence[Line]
    scale: Literal["", "x", "y", "xy"] = ""
    equal: bool = False
    legend: bool = False
    tight: bool = True


def draw_panels(
    panels: Sequence[Panel],
    *,
    ax: Any = None,
    what: str = "this plot",
    title: str = "",
    path: str | PathLike[str] | None = None,
    beside: bool = False,
) -> Any:
    """Draw panels above each other with a common x axis where they have one, or beside each other.

    Args:
        panels: What to draw.
        ax: Axes of the user, one per panel; a figure of its own by default.
        what: What is drawn, for sentences about `ax`.
        title: Heading.
        path: File to write (.png, .svg, .pdf ... by its suffix); None writes nothing.
        beside: Whether panels stand beside each other.

    Returns:
        The axes: one, or an array of them, shape (n,).
    """
    if not panels or not all(panel.lines for panel in panels):
        raise ModelError("there is nothing to plot: give at least one quantity.")
    axes = given_axes(ax, len(panels), what) or _new_axes(panels, beside=beside)
    for each, panel in zip(axes, panels, strict=True):
        _draw(each, panel)
    figure: Any = axes[0].figure
    if ax is None:
        _common_labels(axes, panels, beside=beside)
        if title:
            figure.suptitle(title, fontsize=12, parse_math=False)
        figure.align_ylabels(axes)
        figure.align_xlabels(axes)
    elif title:
        axes[0].set_title(title, fontsize=12, parse_math=False)
    saved(figure, path)
    return as_given(axes)


def _new_axes(panels: Sequence[Panel], *, beside: bool) -> list[Axes]:
    n = len(panels)
    square = any(panel.equal for panel in panels)
    width, height = (5.6, 5.2) if square else (WIDTH, 3.6 if n == 1 else HEIGHT)
    figure = new_figure(1.0 + 5.0 * n, 4.4) if beside else new_figure(width, 0.7 + height * n)
    shared = not beside and not square and len({panel.x_label for panel in panels}) == 1
    grid = figure.subplots(1, n, squeeze=False) if beside else figure.subplots(n, 1, sharex=shared, squeeze=False)
    return list(np.ravel(grid))


def _common_labels(axes: Sequence[Axes], panels: Sequence[Panel], *, beside: bool) -> None:
    """A common x axis is named once, at the bottom."""
    if not beside and len({panel.x_label for panel in panels}) == 1 and not any(panel.equal for panel in panels):
        for ax in axes[:-1]:
            ax.set_xlabel("")


def _draw(ax: Axes, panel: Panel) -> None:
    shown = []
    for line in panel.lines:
        x, y = np.asarray(line.x, dtype=float), np.asarray(line.y, dtype=float)
        if x.shape != y.shape or x.ndim != 1:
            raise ModelError(
                f"{line.label or 'the curve'!r} has {y.shape} values at {x.shape} places; both must be lists of one length."
            )
        hidden = (x <= 0.0) & ("x" in panel.scale) | (y <= 0.0) & ("y" in panel.scale)
        x, y = x[~hidden], y[~hidden]
        style = look(line.colour, x.size, dash=line.dash, marker=line.marker)
        ax.plot(x, y, label=plain_label(line.label) if line.label else "_", **style)
        if line.way:
            _mark_way(ax, x, y, style["color"])
        shown.append(x)
    for axis, letter in ((ax.set_xscale, "x"), (ax.set_yscale, "y")):
        if letter in panel.scale:
            axis("log")
    ax.set_xlabel(panel.x_label, parse_math=False, fontsize=10)
    ax.set_ylabel(panel.y_label, parse_math=False, fontsize=10)
    if panel.equal:
        ax.set_aspect("equal", adjustable="datalim")
    elif panel.tight:
        _end_with_curves(ax, shown)
    named = sum(bool(line.label) for line in panel.lines)
    finish(ax, named if named > 1 or panel.legend else 0)
    nice_angles(ax, panel)


def _end_with_curves(ax: Axes, shown: Sequence[NDArray[np.float64]]) -> None:
    x = np.concatenate(shown)
    x = x[np.isfinite(x)]
    if x.size and x.max() > x.min():
        ax.set_xlim(x.min(), x.max())


def _mark_way(ax: Axes, x: NDArray[np.float64], y: NDArray[np.float64], colour: str) -> None:
    """A dot where a curve starts and an arrowhead on its way, for curves that turn back."""
    good = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if good.size < 3:
        return
    ax.plot(x[good[0]], y[good[0]], "o", ms=5, color=colour, label="_")
    size = [max(float(np.ptp(values[good])), 1e-300) for values in (x, y)]
    along = np.concatenate([[0.0], np.hypot(np.diff(x[good]) / size[0], np.diff(y[good]) / size[1]).cumsum()])
    k = int(np.clip(np.searchsorted(along, 0.22 * along[-1]), 1, good.size - 1))
    if along[k] > along[k - 1]:
        tip, tail = ((float(x[good[j]]), float(y[good[j]])) for j in (k, k - 1))
        arrow = {"arrowstyle": "-|>", "color": colour, "lw": 1.4, "mutation_scale": 13}
        ax.annotate("", tip, tail, arrowprops=arrow, annotation_clip=True)


def look(colour: int, n_points: int, *, dash: int = 0, marker: str = "") -> dict[str, Any]:
    """Colour, dashes after one turn of the palette, and a marker where a line alone would not show."""
    theme = current()
    turned = dash + (colour if theme.dashed else colour // len(theme.curve))
    kind = marker or ("o" if n_points == 1 else "")
    return {
        "color": theme.colour(colour, "curve"), "ls": DASHES[turned % len(DASHES)], "lw": theme.line_width * CURVE_WIDTH,
        "marker": kind, "ms": 4.0,
    }  # fmt: skip


def finish(ax: Axes, n_named: int) -> None:
    """Grid, frame, sizes, and a legend where several curves have names."""
    ax.grid(True, color=current().plot_grid, lw=0.7)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=9, color=current().plot_frame)
    for side, spine in ax.spines.items():
        spine.set_color(current().plot_frame)
        spine.set_visible(side in ("left", "bottom"))
    if n_named:
        columns = math.ceil(n_named / 8)
        legend = ax.legend(fontsize=9, framealpha=0.9, edgecolor=current().plot_grid, ncols=columns)
        for text in legend.get_texts():
            text.set_parse_math(False)


_BREAKS = re.compile(r"(?<=[\s_+*/,(])(?=.)|(?<=\))(?=[^\s,)])")  # behind these a formula or name may go on below


def in_lines(text: str, width: int, *, most: int = 3) -> str:
    """A long name or formula in lines of about so many characters, cut after a few."""
    lines = [""]
    for piece in _BREAKS.split(text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    kept = [line.rstrip() for line in lines[:most]]
    return "\n".join(kept) + "…" * (len(lines) > most)


def nice_angles(ax: Axes, panel: Panel) -> None:
    """Degrees are counted in 15, 30, 45, 90 ... rather than in tens."""
    from matplotlib.ticker import MultipleLocator

    for label, axis, limits in (
        (panel.x_label, ax.xaxis, ax.get_xlim()),
        (panel.y_label, ax.yaxis, ax.get_ylim()),
    ):
        span = abs(limits[1] - limits[0])
        if label.endswith(("[°]", "[deg]")) and 30.0 <= span < 8.0 * _DEGREES[-1]:
            most = 9.0 if axis is ax.xaxis else 6.0
            axis.set_major_locator(MultipleLocator(next(step for step in _DEGREES if span / step <= most)))


def axis_label(names: Iterable[str], unit: str) -> str:
    """The name of what is shown, where it is one thing, with the unit; formulas have none, and labels may have their own."""
    known = list(dict.fromkeys(names))
    head = known[0] if len(known) == 1 else ""
    if not unit and (head.endswith("]") or _OPERATORS & set(head)):
        return head
    return f"{head} [{unit or '–'}]".strip()
