"""Pictures of linear analysis: amplitude and phase over frequency, eigenvalues along a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

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
    omega = np.asarray(frequencies, dtype=float)
    figure = new_figure(7.0, 5.6)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    for i, (label, values) in enumerate(series):
        H = np.asarray(values, dtype=complex)
        shown = np.isfinite(H) & (np.abs(H) > 0.0)
        colour = PALETTE[i % len(PALETTE)]
        upper.plot(omega[shown], np.abs(H[shown]), label=plain_label(label), color=colour)
        lower.plot(omega[shown], np.degrees(np.unwrap(np.angle(H[shown]))), color=colour)
    if (omega > 0.0).all() and omega.size > 1:
        upper.set_xscale("log")
    upper.set_yscale("log")
    upper.set_ylabel("amplitude, output per input")
    lower.set_ylabel("phase [°]")
    lower.set_xlabel("frequency [rad/s]")
    upper.legend()
    for ax in (upper, lower):
        ax.grid(alpha=0.3)
    return saved(figure, path)


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
        plane.plot(s[0, k].real, s[0, k].imag, "o", ms=4, color=colour)
        growth.plot(x, s[:, k].real, color=colour)
        pulse.plot(x, s[:, k].imag, color=colour)
    plane.axvline(0.0, color="0.5", lw=0.8)
    growth.axhline(0.0, color="0.5", lw=0.8)
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
