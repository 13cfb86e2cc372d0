"""Least squares of linkages: unknown are the numbers that draw it and, without timing, how far the crank has turned at each position."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pytrammel.design.synthesis.argument_checks import Complexes, Floats

Moved = dict[str, Complexes]
OPEN = 1e3  # residual of a position in which a linkage does not close
FAR = 5.0  # of the size of what is wanted: points of a linkage may be as far from it as this
STEP = 6e-6  # of central differences, relative: the cube root of rounding


def fitted(
    moved: Callable[[Floats, Floats], Moved], error: Callable[[Floats, Moved], Floats], start: Floats, turns: Floats, *,
    timed: bool, effort: int = 100, quick: bool = True,
) -> tuple[Floats, Floats, float]:  # fmt: skip
    """Drawing and turns with the least sum of squared errors near a start, and the largest error; inf if it does not close.

    Args:
        moved: Places of the pins, shape (..., positions), for drawings (..., numbers) and turns of the crank (..., positions).
        error: Residuals of a drawing and these places. Without timing each belongs to one position, in blocks of one for every position;
            at the end those of the drawing alone.
        start: Numbers of the drawing to begin with.
        turns: Turns of the crank from the drawn position to the wanted ones [rad]; without timing those to begin with, the first one 0.
        timed: Whether the turns are prescribed.
        effort: Most steps.
        quick: By the method of Levenberg and Marquardt; otherwise by the one of trust regions, which stays nearer to the start.
    """
    from scipy.optimize import least_squares

    size, count = len(start), len(turns)

    def parts(y: Floats) -> tuple[Floats, Floats]:
        return y[:size], turns if timed else np.concatenate([[0.0], y[size:]])

    def away(x: Floats, at: Floats) -> Floats:
        with np.errstate(all="ignore"):
            out = error(x, moved(x, at))
        return np.where(np.isfinite(out), out, OPEN)

    def slopes(y: Floats) -> Floats:
        """Central differences, all in one call: one column for every number of the drawing, one row more for all turns together."""
        x, at = parts(y)
        steps = STEP * np.maximum(1e-3, np.abs(x))
        drawings, shifts = np.vstack([np.diag(steps), np.zeros(size)]), np.zeros((size + 1, 1))
        shifts[-1] = STEP
        ahead, behind = np.split(
            away(x + np.concatenate([drawings, -drawings]), at + np.concatenate([shifts, -shifts])), 2
        )
        change = (ahead - behind) / (2.0 * np.append(steps, STEP)[:, None])
        if timed:
            return np.asarray(change[:-1].T)
        # every residual knows the turn of its position only
        by_turn = np.zeros((change.shape[1], count))
        rows = np.arange(change.shape[1])
        by_turn[rows, rows % count] = change[-1]
        return np.column_stack([change[:-1].T, by_turn[:, 1:]])

    y0 = start if timed else np.concatenate([start, turns[1:]])
    many = len(away(*parts(y0))) >= len(y0)  # residuals, which the quick method needs
    y = least_squares(
        lambda y: away(*parts(y)),
        y0,
        jac=slopes,
        x_scale="jac",
        method="lm" if quick and many else "trf",
        max_nfev=effort,
        ftol=1e-9,
        xtol=1e-14,
        gtol=1e-15,
    ).x
    x, at = parts(y)
    worst = float(np.max(np.abs(away(x, at))))
    return x, at, worst if worst < OPEN else np.inf


def too_far(x: Floats, middle: complex, size: float, *, reach: float = FAR) -> Floats:
    """Residuals that hold points of a drawing back from running away to where links are as good as slides."""
    return np.asarray(0.1 * np.maximum(0.0, np.abs(undrawn(x) - middle) / size - reach))


def drawn(points: Complexes) -> Floats:
    """Complex points as a row of real numbers."""
    return np.ascontiguousarray(points, dtype=complex).view(float)


def undrawn(x: Floats) -> Complexes:
    """The points of such rows."""
    return np.ascontiguousarray(x).view(complex)
