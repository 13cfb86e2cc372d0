"""Function generation: output angles or strokes that follow the crank as wanted (Freudenstein)."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.checks import checked, checked_number
from pytrammel._util.messages import in_sentences, short
from pytrammel.design.synthesis.argument_checks import Floats, distinct, numbers, pair, positive, wrapped
from pytrammel.design.synthesis.cranked import worth
from pytrammel.design.synthesis.dyads import five_pose_dyads
from pytrammel.design.synthesis.four_bar import FourBar, best_first, meet
from pytrammel.design.synthesis.slider_crank import SliderCrank
from pytrammel.errors import ModelError

FREE = ("input", "output")
GOAL = "output angle [rad]"


@checked
@in_sentences
def chebyshev_spacing(start: float, end: float, count: int) -> Floats:
    """Precision points between two values where the structural error is usually least (zeros of a Chebyshev polynomial).

    Args:
        start: First value of the range.
        end: Last value of the range.
        count: How many points.
    """
    low, high = numbers([start, end], "the range of Chebyshev points")
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise ModelError(
            f"the count of Chebyshev points must be a whole number of at least 1, but it is {short(count)}."
        )
    k = np.arange(count)
    spread: Floats = 0.5 * (low + high) - 0.5 * (high - low) * np.cos(math.pi * (2 * k + 1) / (2 * count))
    return spread


@checked
@in_sentences
def function_four_bars(
    inputs: ArrayLike,
    outputs: ArrayLike,
    *,
    ground: float = 1.0,
    crank: float | None = None,
    free: Collection[str] = (),
) -> tuple[FourBar, ...]:
    """Four-bars whose rocker stands in wanted directions when the crank stands in given ones, best first.

    Directions count from the line A to D. A side named in `free` counts from a zero that the synthesis chooses, so that only
    differences matter. Three points are met exactly (two for a given crank), four with one free side, five with both; more in the sense
    of least squares.
    A link may come out drawn opposite to its wanted directions: its scale is then turned by half a turn.

    Args:
        inputs: Directions of the crank [rad].
        outputs: Directions of the rocker [rad], one for each.
        ground: Distance of the fixed pivots [m].
        crank: Two points: length of the crank [m].
        free: Sides with a free zero: "input", "output".
    """
    size = positive(ground, "the ground of the four-bar")
    chosen = _free_sides(free)
    least = 3 + len(chosen) if crank is None else 2
    phi, psi = read_pairs(inputs, outputs, least)
    exact = len(phi) == least
    if crank is not None:
        if chosen or not exact:
            raise ModelError(
                f"crank= is for two points with fixed zeros, but {len(phi)} are given{', and free=' * bool(chosen)}."
            )
        made = _with_crank(phi, psi, positive(crank, "the crank of the four-bar") / size)
    else:
        made = _exact(phi, psi, chosen) if exact else _least_squares(phi, psi, chosen)
    found = [bar for each in made if (bar := _made(*each, size=size)) is not None]
    if not exact and all(bar.defects for bar in found):  # fits may run into defects that their starts do not have
        starts = (_made(*each, size=size) for each, _ in _starts(phi, psi, chosen))
        found += [bar for bar in starts if bar is not None and not bar.defects]
    if not found:
        raise ModelError(
            f"no four-bar meets these {len(phi)} pairs of angles; choose other points (for instance by chebyshev_spacing), "
            "other zeros of the scales, or leave zeros free with one more point each."
        )
    return best_first(found) if exact else _nearest_first(found)


def _nearest_first(found: list[FourBar]) -> tuple[FourBar, ...]:
    """Fitted designs, each once, those without defects and with the least error first."""
    kept: list[FourBar] = []
    for bar in sorted(found, key=worth):
        if not any(np.allclose(bar.lengths, other.lengths, rtol=1e-5) for other in kept):
            kept.append(bar)
    return tuple(kept)


def read_pairs(inputs: object, outputs: object, least: int) -> tuple[Floats, Floats]:
    """Inputs that differ, and as many outputs."""
    phi, psi = numbers(inputs, "inputs", least=least), numbers(outputs, "outputs", least=least)
    if len(phi) != len(psi):
        raise ModelError(f"inputs has {len(phi)} values and outputs has {len(psi)}; give one output for each input.")
    distinct(phi, "inputs")
    return phi, psi


def _free_sides(free: object) -> frozenset[str]:
    sides = {free} if isinstance(free, str) else free
    if not isinstance(sides, Collection) or not set(sides) <= set(FREE):
        raise ModelError(f"free may hold 'input' and 'output', but it is {short(free)}.")
    return frozenset(sides)


# directions of crank and rocker, their lengths (signed) for a ground of 1; of fitted designs also coupler and side
Found = tuple[Floats, Floats, float, float] | tuple[Floats, Floats, float, float, float, int]


def _exact(phi: Floats, psi: Floats, free: frozenset[str]) -> Iterator[Found]:
    if not free:
        yield from _solved(phi, psi)
    elif free == {"output"}:
        for zero in _one_zero(np.cos(phi), psi, phi):
            yield from _solved(phi, psi + zero)
    elif free == {"input"}:
        for zero in _one_zero(np.cos(psi), phi, psi):
            yield from _solved(phi + zero, psi)
    else:
        yield from _both_zeros(phi, psi)


def _freudenstein(phi: Floats, psi: Floats) -> tuple[Floats, Floats]:
    """Rows of K1 cos(psi) - K2 cos(phi) + K3 = cos(phi - psi)."""
    return np.column_stack([np.cos(psi), -np.cos(phi), np.ones(len(phi))]), np.cos(phi - psi)


def _solved(phi: Floats, psi: Floats) -> Iterator[Found]:
    rows, right = _freudenstein(phi, psi)
    k, *_ = np.linalg.lstsq(rows, right, rcond=None)
    if np.linalg.cond(rows) < 1e13 and min(abs(k[0]), abs(k[1])) > 1e-9:
        yield phi, psi, 1.0 / k[0], 1.0 / k[1]


def _with_crank(phi: Floats, psi: Floats, crank: float) -> Iterator[Found]:
    """Freudenstein's equation at two points, the first of its numbers given; drawn opposite to the directions, too."""
    rows, right = _freudenstein(phi, psi)
    if np.linalg.cond(rows[:, 1:]) < 1e13:
        for length in (crank, -crank):
            k = np.linalg.solve(rows[:, 1:], right - rows[:, 0] / length)
            if abs(k[0]) > 1e-9:
                yield phi, psi, length, 1.0 / k[0]


def _one_zero(plain: Floats, moved: Floats, other: Floats) -> list[float]:
    """Zeros z with det[cos(moved + z), plain, 1, cos(other - moved - z)] = 0: a quadratic in tan z."""
    one = np.ones(len(plain))
    first = np.cos(moved), -np.sin(moved)  # of cos z and sin z
    last = np.cos(other - moved), np.sin(other - moved)
    det = [[np.linalg.det(np.column_stack([f, plain, one, g])) for g in last] for f in first]
    c2, cs, s2 = det[0][0], det[0][1] + det[1][0], det[1][1]
    scale = max(abs(c2), abs(cs), abs(s2))
    root = cs * cs - 4.0 * c2 * s2
    if scale < 1e-14 or root < 0.0:
        return []
    # sin z : cos z are the roots of s2 x^2 + cs x + c2, in the form without cancellation
    q = -0.5 * (cs + math.copysign(math.sqrt(root), cs))
    return [math.atan2(q, s2), math.atan2(c2, q)]


def _both_zeros(phi: Floats, psi: Floats) -> Iterator[Found]:
    """Seen from the crank, a point of the rocker moves on a circle about B: a dyad of five relative poses."""
    spin = np.exp(1j * (psi - phi))
    shift = np.exp(-1j * phi)  # D = 1 as seen from the crank
    for b, c in five_pose_dyads(spin, shift):
        if abs(b) > 1e-7 and abs(c) > 1e-7:  # D itself moves on a circle about A: no crank, no rocker
            yield phi + np.angle(b), psi + np.angle(c), abs(b), abs(c)


def _made(
    phi: Floats, psi: Floats, crank: float, rocker: float, coupler: float | None = None, side: int | None = None, *, size: float
) -> FourBar | None:  # fmt: skip
    """The four-bar, with its true error: of the rocker's direction when the crank stands as asked."""
    b, wanted = crank * np.exp(1j * phi), 1.0 + rocker * np.exp(1j * psi)
    c = wanted if coupler is None or side is None else meet(b, 1.0 + 0.0j, coupler, abs(rocker), side)
    lengths = np.array([abs(c[0] - b[0]), abs(crank), abs(rocker)])
    if not (np.all(np.isfinite(lengths)) and lengths.min() > 1e-9 and lengths.max() < 1e6):
        return None
    bar = FourBar((0.0, 0.0), pair(size * b[0]), pair(size * c[0]), (size, 0.0))
    bar = bar.visiting(list(zip((size * b).tolist(), (size * c).tolist(), strict=True)), 0.0, GOAL)
    reached = bar.complex_at(bar.cranks, side=bar.sides)["C"]
    error = float(np.max(np.abs(np.angle((reached / size - 1.0) / (wanted - 1.0)))))
    return replace(bar, residual=error) if math.isfinite(error) else None


def _starts(phi: Floats, psi: Floats, free: frozenset[str]) -> Iterator[tuple[Found, Floats]]:
    """Exact designs through some of the points and those of Freudenstein's equation, on both sides; their numbers for a fit."""
    count = 3 + len(free)
    chosen = np.unique(np.round(chebyshev_spacing(0.0, len(phi) - 1.0, count)).astype(int))
    starts = list(_exact(phi[chosen], psi[chosen], free)) if len(chosen) == count else []
    if not free:
        starts += list(_solved(phi, psi))
    for p, q, a, c in (each[:4] for each in starts):
        first = 0 if len(p) == len(phi) else chosen[0]
        coupler = abs(1.0 + c * np.exp(1j * q[0]) - a * np.exp(1j * p[0]))
        zeros = {"input": float(p[0] - phi[first]), "output": float(q[0] - psi[first])}
        numbers = np.array([a, c, coupler, *(zeros[each] for each in sorted(free))])
        for side in (1, -1):
            turned = phi + zeros["input"] * ("input" in free), psi + zeros["output"] * ("output" in free)
            yield (*turned, float(a), float(c), float(coupler), side), numbers


def _least_squares(phi: Floats, psi: Floats, free: frozenset[str]) -> Iterator[Found]:
    """Least squares of the rocker's direction from every start."""
    from scipy.optimize import least_squares

    sides = sorted(free)
    for (*_, side), start in _starts(phi, psi, free):
        error = _structural_error(phi, psi, sides, int(side))
        best = least_squares(error, start, method="lm", xtol=1e-15, ftol=1e-15, gtol=1e-15, x_scale=np.abs(start) + 0.1)
        if np.max(np.abs(best.fun)) < math.pi / 2:
            turned = dict(zip(sides, best.x[3:], strict=True))
            p2, q2 = phi + turned.get("input", 0.0), psi + turned.get("output", 0.0)
            yield p2, q2, float(best.x[0]), float(best.x[1]), abs(float(best.x[2])), int(side)


def _structural_error(phi: Floats, psi: Floats, free: list[str], side: int) -> Callable[[Floats], Floats]:
    def error(x: Floats) -> Floats:
        crank, rocker, coupler = x[:3]
        turned = dict(zip(free, x[3:], strict=True))
        b = crank * np.exp(1j * (phi + turned.get("input", 0.0)))
        c = meet(b, 1.0 + 0.0j, abs(coupler), abs(rocker), side)
        away = wrapped(np.angle((c - 1.0) / rocker) - psi - turned.get("output", 0.0))
        return np.where(np.isfinite(away), away, math.pi)

    return error


@checked
@in_sentences
def function_slider_cranks(
    inputs: ArrayLike, strokes: ArrayLike, *, offset: float | None = None
) -> tuple[SliderCrank, ...]:
    """Slider-cranks whose slider stands at wanted places when the crank stands in given directions.

    The slide runs along x, A is the origin. Three points are met exactly, two for a given offset; more in the sense of least squares of
    the linear equation 2 a s cos(phi) + 2 a e sin(phi) + (l² - a² - e²) = s² (crank a, offset e, rod l).

    Args:
        inputs: Directions of the crank, from the slide's direction [rad].
        strokes: x of the slider's pin [m], one for each.
        offset: y of the slide's line [m]; by default it is found, too.
    """
    phi, s = read_pairs(inputs, strokes, 3 if offset is None else 2)
    given = None if offset is None else checked_number(offset, "the offset of the slider-crank")
    along, across, one = 2.0 * s * np.cos(phi), 2.0 * np.sin(phi), np.ones(len(phi))
    rows = np.column_stack([along, across, one] if given is None else [along + given * across, one])
    (crank, *product, rest), *_ = np.linalg.lstsq(rows, s * s, rcond=None)
    if np.linalg.cond(rows) > 1e13 or abs(crank) < 1e-9 * np.max(np.abs(s)):
        raise ModelError(
            "no slider-crank meets these strokes: the equations for its lengths are singular; choose other points."
        )
    height = product[0] / crank if given is None else given
    rod2 = rest + crank**2 + height**2
    if not rod2 > 0.0:
        raise ModelError(
            f"no slider-crank meets these strokes: the rod's length squared would be {rod2:.4g} m²; choose other points."
        )
    b = crank * np.exp(1j * phi)
    ahead = np.sign(s - b.real)
    reached = b.real + ahead * np.sqrt(np.maximum(rod2 - (height - b.imag) ** 2, 0.0))
    pins = list(zip(b.tolist(), (reached + 1j * height).tolist(), strict=True))
    made = SliderCrank((0.0, 0.0), pair(pins[0][0]), pair(pins[0][1]))
    return (made.visiting(pins, float(np.max(np.abs(reached - s))), "stroke [m]"),)
