"""Pictures of synthesis: sheets of an atlas of coupler curves, and designs over the points they shall pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import in_sentences, short
from pytrammel.design.synthesis.argument_checks import places, whole_number
from pytrammel.design.synthesis.atlas.grid import Grid
from pytrammel.design.synthesis.four_bar import FourBar
from pytrammel.design.synthesis.six_bar import CARRIERS, SixBar
from pytrammel.design.synthesis.slider_crank import SliderCrank
from pytrammel.errors import ModelError
from pytrammel.model.argument_types import Points
from pytrammel.view.figure import new_figure, saved
from pytrammel.view.theme import current, curve_colour

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINK = {"linewidth": 1.4, "solid_capstyle": "round", "zorder": 2}
STEPS = 361
DRAWN_FROM = math.radians(60.0)  # direction of the crank on a sheet

Design = FourBar | SliderCrank | SixBar


@checked
@in_sentences
def plot_sheet(
    grid: Grid, *, first: int = 0, rows: int = 5, columns: int = 4, path: str | PathLike[str] | None = None
) -> Figure:
    """A sheet of an atlas: linkages in grey, the curves of their coupler points, proportions above; see `Atlas.plot`."""
    down, across = whole_number(rows, "rows"), whole_number(columns, "columns")
    if isinstance(first, bool) or not isinstance(first, int) or not 0 <= first < grid.linkages:
        raise ModelError(f"first must be the number of a linkage, 0 to {grid.linkages - 1}, but it is {short(first)}.")
    figure = new_figure(2.4 * across, 2.4 * down)
    cranks = np.linspace(0.0, math.tau, STEPS)
    for k, ax in enumerate(np.ravel(figure.subplots(down, across, squeeze=False))):
        ax.set_aspect("equal")
        ax.axis("off")
        linkage = first + k
        if linkage >= grid.linkages:
            continue
        b, c = grid.pins(linkage, cranks)
        for number, point in enumerate(_few(grid.points)):
            curve = b + point * (c - b)
            ax.plot(curve.real, curve.imag, color=curve_colour(number), linewidth=0.7, zorder=1)
        at = int(DRAWN_FROM / math.tau * (STEPS - 1))
        if linkage < len(grid.bars):
            lengths = grid.bars[linkage]
            corners = [0.0, b[at], c[at], lengths[0]]
            title = "ground {:g}, crank {:g}, coupler {:g}, rocker {:g}".format(*lengths)
        else:
            rod, offset = grid.sliders[linkage - len(grid.bars)]
            corners = [0.0, b[at], c[at]]
            ax.plot([c.real.min(), c.real.max()], [offset, offset], color=current().shade(0.8), linewidth=3.0, zorder=0)
            title = f"slider-crank: rod {rod:g}, offset {offset:g}"
        _chain(ax, np.array(corners))
        ax.set_title(title, fontsize=6.5)
    return saved(figure, path)


def _few(points: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Coupler points whose curves fit on a small picture: near the coupler, a dozen."""
    near = points[np.abs(points - 0.5) < 1.3]
    return near[:: max(1, math.ceil(len(near) / 12))]


@checked
@in_sentences
def plot_paths(
    points: Points, designs: Design | Sequence[Design], *, names: Sequence[str] | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:  # fmt: skip
    """Designs over the points that they shall pass; see `pytrammel.synthesis.plot_paths`."""
    wanted = places(points, "points", least=1)
    shown: list[Design] = [designs] if isinstance(designs, FourBar | SliderCrank | SixBar) else list(designs)
    for each in shown:
        if not isinstance(each, FourBar | SliderCrank | SixBar) or each.P is None:
            raise ModelError(
                f"designs must be four-bars, slider-cranks or six-bars with a point P, but one is {short(each)}."
            )
    if not shown:
        raise ModelError("there are no designs to draw.")
    if names is not None and len(names) != len(shown):
        raise ModelError(f"names has {len(names)} titles for {len(shown)} designs; give one for each.")
    columns = min(3, len(shown))
    rows = math.ceil(len(shown) / columns)
    figure = new_figure(4.0 * columns, 3.8 * rows)
    axes = np.ravel(figure.subplots(rows, columns, squeeze=False))
    for k, ax in enumerate(axes):
        if k >= len(shown):
            ax.axis("off")
            continue
        design = shown[k]
        _design(ax, design)
        ax.plot(wanted.real, wanted.imag, "o", color=curve_colour(1), markersize=4.5, zorder=4, label="wanted")
        title = names[k] if names is not None else ""
        ax.set_title(f"{title}{': ' if title else ''}largest error {design.residual:.3g} m", fontsize=9)
        ax.set_aspect("equal")
        ax.tick_params(labelsize=7)
        ax.margins(0.08)
    axes[0].legend(fontsize=7)
    return saved(figure, path)


def _design(ax: Any, design: Design) -> None:
    """Links as drawn and the path of P."""
    four = design.four_bar if isinstance(design, SixBar) else design
    low, high = (four.cranks[0] - math.pi, four.cranks[0] + math.pi) if four.full_turn else _swing(four)
    cranks = np.linspace(low, high, 2 * STEPS)
    with np.errstate(invalid="ignore"):
        curve = design.complex_at(cranks)["P"]
    ax.plot(curve.real, curve.imag, color=curve_colour(0), linewidth=1.4, zorder=3, label="path of P")
    at = {name: complex(*getattr(design, name)) for name in "EFGP" if getattr(design, name, None) is not None}
    at |= {name: complex(*getattr(four, name)) for name in "ABCD" if getattr(four, name, None) is not None}
    _chain(ax, np.array([at[name] for name in "ABCD" if name in at]))
    if isinstance(design, SixBar):
        _chain(ax, np.array([at["E"], at["F"], at["G"]]))
        home = {"crank": "AB", "coupler": "BC", "rocker": "DC"}
        for pin, body in zip("EG", CARRIERS[design.kind], strict=True):
            for other in home.get(body, ""):
                _line(ax, [at[pin], at[other]], thin=True)
        _line(ax, [at["E"], at["P"], at["F"]], thin=True)
    else:
        _line(ax, [at["B"], at["P"], at["C"]], thin=True)
    if isinstance(design, SliderCrank):
        along = np.exp(1j * design.direction) * 0.3 * design.rod
        ax.plot(*_parts([at["C"] - along, at["C"] + along]), color=current().shade(0.85), linewidth=5.0, zorder=0)


def _swing(four: FourBar | SliderCrank) -> tuple[float, float]:
    turns = np.unwrap(np.array(four.cranks) - four.cranks[0])
    return four.cranks[0] + float(turns.min()), four.cranks[0] + float(turns.max())


def _chain(ax: Any, corners: NDArray[np.complex128]) -> None:
    _line(ax, corners)
    ax.plot(
        corners.real,
        corners.imag,
        "o",
        color=current().paper,
        markeredgecolor=current().shade(0.35),
        markersize=3.5,
        zorder=3,
    )
    ends = corners[[0, -1]] if len(corners) > 3 else corners[:1]
    ax.plot(ends.real, ends.imag, "^", color=current().shade(0.35), markersize=5.0, zorder=3)


def _line(ax: Any, corners: Any, *, thin: bool = False) -> None:
    ax.plot(*_parts(corners), color=current().shade(0.55), **(LINK | {"linewidth": 0.9} if thin else LINK))


def _parts(corners: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    z = np.asarray(corners, dtype=complex)
    return z.real, z.imag
