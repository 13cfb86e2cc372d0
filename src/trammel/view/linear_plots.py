"""Pictures of linear analysis: amplitude and phase over frequency, eigenvalues along a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trammel.view.drawing import plain_label
from trammel.view.figure import new_figure, saved
from trammel.view.scene import PALETTE

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_response(
    frequencies: ArrayLike, series: Sequence[tuple[str, ArrayLike]], *, path: str | Path | None = None
) -> Figure:
    """Amplitudes and phases of frequency responses.

    Args:
        frequencies: Angular frequencies [rad/s], shape (n,).
        series: Responses as (label, complex values), values of shape (n,).
        path: File to write (.png, .svg, .pdf ... by its suffix); None writes nothing.
    """
    from matplotlib.ticker import MaxNLocator

    omega = np.asarray(frequencies, dtype=float)
    figure = new_figure(7.0, 5.6)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    for i, (label, values) in enumerate(series):
        H = np.asarray(values, dtype=complex)
        shown = np.isfinite(H) & (np.abs(H) > 0.0)
        # reciprocal responses are equal: the later one lets the earlier one be seen
        look = {"color": PALETTE[i % len(PALETTE)], "linestyle": ("-", "--", "-.", ":")[i % 4]}
        upper.plot(omega[shown], np.abs(H[shown]), label=plain_label(label), **look)
        lower.plot(omega[shown], _lag(H[shown]), **look)
    if (omega > 0.0).all() and omega.size > 1:
        upper.set_xscale("log")
    upper.set_yscale("log")
    upper.set_ylabel("amplitude, output per input")
    lower.set_ylabel("phase [°]")
    lower.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 1.5, 3, 4.5, 9, 10]))
    lower.set_xlabel("frequency [rad/s]")
    upper.legend()
    for ax in (upper, lower):
        ax.grid(alpha=0.3)
    return saved(figure, path)


def _lag(response: NDArray[np.complex128]) -> NDArray[np.float64]:
    """Phase [°] without jumps of whole turns; what is just opposite lags, by half a turn."""
    angle = np.angle(response)
    return np.asarray(np.degrees(np.unwrap(np.where(angle > np.pi - 1e-6, -np.pi, angle))))


def plot_locus(name: str, values: ArrayLike, roots: ArrayLike, *, path: str | Path | None = None) -> Figure:
    """Branches of eigenvalues in the complex plane, and their real and imaginary parts over the parameter.

    Args:
        name: What the parameter is called.
        values: Its values, shape (n,).
        roots: Eigenvalues [1/s], shape (n, branches).
        path: File to write (.png, .svg, .pdf ... by its suffix); None writes nothing.
    """
    x, s = np.asarray(values, dtype=float), np.asarray(roots, dtype=complex)
    figure = new_figure(9.0, 4.6)
    grid = figure.add_gridspec(2, 2)
    plane, growth, pulse = (
        figure.add_subplot(grid[:, 0]),
        figure.add_subplot(grid[0, 1]),
        figure.add_subplot(grid[1, 1]),
    )
    for k in range(s.shape[1]):
        colour = PALETTE[k % len(PALETTE)]
        plane.plot(s[:, k].real, s[:, k].imag, color=colour)
        for end, mark in ((0, "o"), (-1, "x")):
            label = f"{plain_label(name)} = {x[end]:g}" if k == 0 else "_"  # named once
            plane.plot(s[end, k].real, s[end, k].imag, mark, ms=5, color=colour, label=label)
        growth.plot(x, s[:, k].real, color=colour)
        pulse.plot(x, s[:, k].imag, color=colour)
    plane.axvline(0.0, color="0.5", lw=0.8)
    growth.axhline(0.0, color="0.5", lw=0.8)
    plane.legend(fontsize="small")
    plane.set_xlabel("growth Re s [1/s]")
    plane.set_ylabel("Im s [rad/s]")
    growth.set_ylabel("Re s [1/s]")
    pulse.set_ylabel("Im s [rad/s]")
    pulse.set_xlabel(plain_label(name), parse_math=False)
    for ax in (plane, growth, pulse):
        ax.grid(alpha=0.3)
    return saved(figure, path)


def plot_branch(
    name: str,
    coordinate: str,
    values: ArrayLike,
    places: ArrayLike,
    stable: ArrayLike,
    marks: Sequence[tuple[str, float, float]],
    *,
    path: str | Path | None = None,
) -> Figure:
    """A branch of equilibria: a coordinate over the parameter, dashed where it is unstable.

    Args:
        name, coordinate: What the parameter and the coordinate are called.
        values, places: Their values, shape (n,) each.
        stable: Whether each is stable, shape (n,).
        marks: Limit points and bifurcations as (kind, value, place).
        path: File to write (.png, .svg, .pdf ... by its suffix); None writes nothing.
    """
    x, y, holds = np.asarray(values, dtype=float), np.asarray(places, dtype=float), np.asarray(stable, dtype=bool)
    figure = new_figure(6.4, 4.6)
    ax = figure.add_subplot()
    for k in range(x.size - 1):
        ax.plot(x[k : k + 2], y[k : k + 2], "-" if holds[k] and holds[k + 1] else "--", color=PALETTE[0])
    for kind, at, place in marks:
        ax.plot(at, place, "o" if kind == "bifurcation" else "s", color=PALETTE[1], label=kind)
    if marks:
        ax.legend()
    ax.set_xlabel(plain_label(name), parse_math=False)
    ax.set_ylabel(plain_label(coordinate), parse_math=False)
    ax.grid(alpha=0.3)
    return saved(figure, path)
