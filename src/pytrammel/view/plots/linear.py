"""Pictures of linear analysis: amplitude and phase over frequency, eigenvalues along a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel.view.figure import as_given, given_axes, new_figure, saved
from pytrammel.view.plots.panels import Line, Panel, draw_panels, finish
from pytrammel.view.stills.planar import plain_label
from pytrammel.view.theme import current, curve_colour


def plot_response(
    frequencies: ArrayLike,
    series: Sequence[tuple[str, ArrayLike]],
    *,
    ax: Any = None,
    path: str | PathLike[str] | None = None,
) -> Any:
    """Amplitudes and phases of frequency responses.

    Args:
        frequencies: Angular frequencies [rad/s], shape (n,).
        series: Responses as (label, complex values), values of shape (n,).
        ax: Two sets of axes to draw on; a figure of its own by default.
        path: File to write (.png, .svg, .pdf ... by its suffix); None writes nothing.

    Returns:
        The axes of amplitudes and of phases, shape (2,).
    """
    from matplotlib.ticker import MaxNLocator

    omega = np.asarray(frequencies, dtype=float)
    sizes, lags = [], []
    for i, (label, values) in enumerate(series):
        H = np.asarray(values, dtype=complex)
        shown = np.isfinite(H) & (np.abs(H) > 0.0)
        # reciprocal responses are equal: the later one lets the earlier one be seen
        sizes.append(Line(label, omega[shown], np.abs(H[shown]), colour=i, dash=i))
        lags.append(Line("", omega[shown], _lag(H[shown]), colour=i, dash=i))
    wide = (omega > 0.0).all() and omega.size > 1
    panels = [
        Panel("frequency [rad/s]", "amplitude, output per input", sizes, scale="xy" if wide else "y", legend=True),
        Panel("frequency [rad/s]", "phase [°]", lags, scale="x" if wide else ""),
    ]
    axes = draw_panels(panels, ax=ax, what="a frequency response", path=None)
    axes[1].yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 1.5, 3, 4.5, 9, 10]))
    saved(axes[0].figure, path)
    return axes


def _lag(response: NDArray[np.complex128]) -> NDArray[np.float64]:
    """Phase [°] without jumps of whole turns; what is just opposite lags, by half a turn."""
    angle = np.angle(response)
    return np.asarray(np.degrees(np.unwrap(np.where(angle > np.pi - 1e-6, -np.pi, angle))))


def plot_locus(
    name: str, values: ArrayLike, roots: ArrayLike, *, ax: Any = None, path: str | PathLike[str] | None = None
) -> Any:
    """Branches of eigenvalues in the complex plane, and their real and imaginary parts over the parameter.

    Args:
        name: What the parameter is called.
        values: Its values, shape (n,).
        roots: Eigenvalues [1/s], shape (n, branches).
        ax: Three sets of axes to draw on; a figure of its own by default.
        path: File to write (.png, .svg, .pdf ... by its suffix); None writes nothing.

    Returns:
        The axes of the complex plane, of real and of imaginary parts, shape (3,).
    """
    x, s = np.asarray(values, dtype=float), np.asarray(roots, dtype=complex)
    axes = given_axes(ax, 3, "a root locus")
    if axes is None:
        figure = new_figure(9.0, 4.6)
        grid = figure.add_gridspec(2, 2)
        axes = [figure.add_subplot(place) for place in (grid[:, 0], grid[0, 1], grid[1, 1])]
    plane, growth, pulse = axes
    for k in range(s.shape[1]):
        colour = curve_colour(k)
        plane.plot(s[:, k].real, s[:, k].imag, color=colour, lw=1.6)
        for end, mark in ((0, "o"), (-1, "x")):
            label = f"{plain_label(name)} = {x[end]:g}" if k == 0 else "_"  # named once
            plane.plot(s[end, k].real, s[end, k].imag, mark, ms=5, color=colour, label=label)
        growth.plot(x, s[:, k].real, color=colour, lw=1.6)
        pulse.plot(x, s[:, k].imag, color=colour, lw=1.6)
    plane.axvline(0.0, color=current().shade(0.5), lw=0.8)
    growth.axhline(0.0, color=current().shade(0.5), lw=0.8)
    plane.set_xlabel("growth Re s [1/s]")
    plane.set_ylabel("Im s [rad/s]")
    growth.set_ylabel("Re s [1/s]")
    pulse.set_ylabel("Im s [rad/s]")
    pulse.set_xlabel(plain_label(name), parse_math=False)
    for each in axes:
        finish(each, 2 if each is plane else 0)
    saved(plane.figure, path)  # type: ignore[arg-type]
    return as_given(axes)


def plot_branch(
    name: str,
    coordinate: str,
    values: ArrayLike,
    places: ArrayLike,
    stable: ArrayLike,
    marks: Sequence[tuple[str, float, float]],
    *,
    ax: Any = None,
    path: str | PathLike[str] | None = None,
) -> Any:
    """A branch of equilibria: a coordinate over the parameter, dashed where it is unstable.

    Args:
        name, coordinate: What the parameter and the coordinate are called.
        values, places: Their values, shape (n,) each.
        stable: Whether each is stable, shape (n,).
        marks: Limit points and bifurcations as (kind, value, place).
        ax: Axes to draw on; a figure of its own by default.
        path: File to write (.png, .svg, .pdf ... by its suffix); None writes nothing.

    Returns:
        The axes.
    """
    x, y, holds = np.asarray(values, dtype=float), np.asarray(places, dtype=float), np.asarray(stable, dtype=bool)
    (axes,) = given_axes(ax, 1, "a branch of equilibria") or [new_figure(6.4, 4.6).add_subplot()]
    firm = holds[:-1] & holds[1:]
    ends = [0, *(np.flatnonzero(np.diff(firm)) + 1), x.size - 1]
    for a, b in pairwise(ends):  # one line for each part, so that dashes do not begin again at every point
        axes.plot(x[a : b + 1], y[a : b + 1], "-" if firm[a : a + 1].all() else "--", color=curve_colour(0), lw=1.6)
    named: set[str] = set()
    for kind, at, place in marks:
        label = "_" if kind in named else kind
        named.add(kind)
        axes.plot(at, place, "o" if kind == "bifurcation" else "s", color=curve_colour(1), label=label)
    axes.set_xlabel(plain_label(name), parse_math=False)
    axes.set_ylabel(plain_label(coordinate), parse_math=False)
    finish(axes, len(named))
    saved(axes.figure, path)  # type: ignore[arg-type]
    return axes
