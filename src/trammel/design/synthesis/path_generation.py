"""Path generation: four-bars whose coupler point passes through wanted points, with the crank's turns prescribed or not."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from trammel.design.synthesis.dyads import five_pose_dyads, four_pose_dyads
from trammel.design.synthesis.four_bar import FourBar, best_first, meet
from trammel.design.synthesis.motion_generation import dyads
from trammel.design.synthesis.wishes import Complexes, Floats, distinct, numbers, pair, places
from trammel.errors import ModelError
from trammel.sentences import in_sentences, short

GOAL = "coupler point [m]"
EXACT = 9  # points that a four-bar can meet without timing
SAMPLES = 12  # turns tried for each link of four timed points


@in_sentences
def path_four_bars(
    points: Sequence[Sequence[float]], *, timing: ArrayLike | None = None, fixed: Sequence[object] | None = None,
    starts: int = 40, seed: int = 0,
) -> tuple[FourBar, ...]:  # fmt: skip
    """Four-bars whose coupler point P passes through points, best first.

    With `timing` three points are met exactly for given fixed pivots, four for a family, of which samples are given, five by up to
    twelve four-bars; more in the sense of least squares. Without timing up to nine points are met exactly, by Newton's method from
    random starts; more by least squares from random linkages that are first laid over the points.

    Args:
        points: Points (x, y) in the order they shall be passed [m].
        timing: Turns of the crank from the first point to each, the first one 0 [rad]; None if they do not matter.
        fixed: Three points with timing: fixed pivots A and D [m].
        starts: Random starts, where there are any.
        seed: Of the random starts; the same seed gives the same designs.
    """
    if timing is None:
        path = places(points, "points", least=3)
        turns = None
    else:
        turns = numbers(timing, "timing", least=3)
        path = places(points, "points", least=3)
        distinct(turns, "timing")
        if len(turns) != len(path):
            raise ModelError(f"timing has {len(turns)} values for {len(path)} points; give one turn for each point.")
        if turns[0] != 0.0:
            raise ModelError(f"timing must begin with 0, the turn at the first point, but it begins with {turns[0]:g}.")
    if isinstance(starts, bool) or not isinstance(starts, int | np.integer) or starts < 1:
        raise ModelError(f"starts must be a whole number of at least 1, but it is {short(starts)}.")
    timed_three = turns is not None and len(path) == 3
    if (fixed is not None) != timed_three:
        raise ModelError(
            "three points with timing leave both fixed pivots free; give fixed=(A, D)."
            if timed_three
            else "fixed= is for three points with timing; leave it out."
        )
    random = np.random.default_rng(seed)
    if turns is not None and len(path) <= 5:
        found = best_first(list(_timed(path, turns, fixed)))
    elif turns is None and len(path) <= EXACT:
        found = best_first(_once(_untimed(path, starts, random)))
    else:
        found = tuple(
            sorted(_once(_fitted(path, turns, starts, random)), key=lambda bar: (len(bar.defects), bar.residual))
        )
    if not found:
        raise ModelError(
            f"no four-bar through these {len(path)} points was found; change a point or its timing a little, or raise starts={starts}."
        )
    return found


def _once(found: Iterator[FourBar]) -> list[FourBar]:
    out: list[FourBar] = []
    for bar in found:
        if not any(np.allclose(bar.lengths, other.lengths, rtol=1e-6) for other in out):
            out.append(bar)
    return out


# with timing: exact ----------------------------------------------------------------------------------------------------------


def _timed(path: Complexes, turns: Floats, fixed: Sequence[object] | None) -> Iterator[FourBar]:
    """Crank and coupler of a dyad change roles: the known turns are the crank's, those found are the coupler's."""
    crank = np.exp(1j * turns)
    for a, b in _dyads(crank, path, None if fixed is None else fixed[0]):
        known, unknown = path - (crank * b + path), crank * b + path - a  # B' to P, A to B'
        if abs(unknown[0]) < 1e-9 * np.max(np.abs(path - path[0])) or abs(known[0]) < 1e-9 * np.max(
            np.abs(path - path[0])
        ):
            continue
        arm, spin = known[0], unknown / unknown[0]
        spin = spin / np.abs(spin)
        for d, c in _dyads(spin, path, None if fixed is None else fixed[1]):
            bar = _assembled(a, a + arm, complex(spin[0] * c + path[0]), d, path, spin)
            if bar is not None:
                yield bar


def _dyads(spin: Complexes, path: Complexes, fixed: object) -> Iterator[tuple[complex, complex]]:
    if len(path) == 5:
        yield from five_pose_dyads(spin, path)
    elif len(path) == 4:
        for turn in np.linspace(-math.pi, math.pi, SAMPLES, endpoint=False):
            yield from four_pose_dyads(spin, path, float(turn) + 0.1)
    else:
        poses = [(z.real, z.imag, cmath.phase(r)) for z, r in zip(path.tolist(), spin.tolist(), strict=True)]
        for each in dyads(poses, fixed=fixed):
            if each.fixed is not None:
                yield complex(*each.fixed), complex((complex(*each.moving) - path[0]) / spin[0])


def _assembled(a: complex, b: complex, c: complex, d: complex, path: Complexes, spin: Complexes) -> FourBar | None:
    """The four-bar of both dyads, with the places of its pins in all positions; None if it is no four-bar."""
    size = float(np.max(np.abs(path - path[0])))
    lengths = np.abs([b - a, c - b, d - c, d - a])
    if not np.all(np.isfinite(lengths)) or lengths.min() < 1e-6 * size or lengths.max() > 100.0 * size:
        return None
    bar = FourBar(pair(a), pair(b), pair(c), pair(d), pair(complex(path[0])))
    track_b, track_c = path + spin * (b - path[0]), path + spin * (c - path[0])
    bar = bar.visiting(list(zip(track_b.tolist(), track_c.tolist(), strict=True)), 0.0, GOAL)
    error = float(np.max(np.abs(bar.complex_at(bar.cranks, side=bar.sides)["P"] - path)))
    return replace(bar, residual=error) if error < 1e-12 * max(size, lengths.max()) else None


# without timing: exact -------------------------------------------------------------------------------------------------------


def _untimed(path: Complexes, starts: int, random: np.random.Generator) -> Iterator[FourBar]:
    """Newton's method on both lengths of every position; unknown are four pivots and the coupler's turns."""
    from scipy.optimize import least_squares

    size = float(np.max(np.abs(path - path[0])))
    moved = (path - path[0]) / size
    for _ in range(starts):
        start = np.concatenate([1.5 * random.normal(size=8), 0.8 * random.normal(size=len(path) - 1)])
        solved = least_squares(_gaps, start, jac=_gap_slopes, args=(moved,), max_nfev=120)
        if solved.cost > 1e-12:
            continue
        x = solved.x
        for _ in range(4):  # the last digits, by the shortest steps
            x = x - np.linalg.lstsq(_gap_slopes(x, moved), _gaps(x, moved), rcond=1e-12)[0]
        spin = np.exp(1j * np.concatenate([[0.0], x[8:]]))
        a, d, b, c = (complex(*x[k : k + 2]) * size + path[0] for k in range(0, 8, 2))
        bar = _assembled(a, b, c, d, path, spin)
        if bar is not None:
            yield bar


def _parts(x: Floats, path: Complexes) -> tuple[Complexes, Complexes, Complexes]:
    """Spin of the coupler in positions 2, 3, ...; both links there and in the first position, one row each."""
    spin = np.exp(1j * x[8:])
    fixed, pins = x[0:4:2] + 1j * x[1:4:2], x[4:8:2] + 1j * x[5:8:2]
    moved = path[1:] + spin * pins[:, None]
    return spin * pins[:, None], moved - fixed[:, None], np.asarray(pins - fixed)


def _gaps(x: Floats, path: Complexes) -> Floats:
    _, links, first = _parts(x, path)
    return np.asarray((np.abs(links) ** 2 - np.abs(first[:, None]) ** 2).ravel(), dtype=float)


def _gap_slopes(x: Floats, path: Complexes) -> Floats:
    turned, links, first = _parts(x, path)
    count = len(path) - 1
    jac = np.zeros((2 * count, 8 + count))
    spin = np.exp(1j * x[8:])
    for k in range(2):
        rows = slice(k * count, (k + 1) * count)
        by_fixed = -2.0 * (links[k] - first[k])
        by_pin = 2.0 * (links[k] * spin.conj() - first[k])
        jac[rows, 2 * k], jac[rows, 2 * k + 1] = by_fixed.real, by_fixed.imag
        jac[rows, 4 + 2 * k], jac[rows, 5 + 2 * k] = by_pin.real, by_pin.imag
        jac[rows, 8:] = np.diag(2.0 * (links[k].conj() * 1j * turned[k]).real)
    return jac


# least squares ---------------------------------------------------------------------------------------------------------------


def _fitted(path: Complexes, turns: Floats | None, starts: int, random: np.random.Generator) -> Iterator[FourBar]:
    """Least squares of the distances, from random crank-rockers laid over the points; the best of them are refined."""
    from scipy.optimize import least_squares

    middle, size = complex(path.mean()), float(np.max(np.abs(path - path.mean())))
    wanted = (path - middle) / size
    rough = sorted(filter(None, (_laid(wanted, turns, random) for _ in range(25 * starts))), key=lambda each: each[0])
    for _, start in rough[: max(4, starts // 4)]:
        side = int(start[0])
        away = _distance(wanted, turns, side)
        solved = least_squares(away, start[1:], x_scale="jac", max_nfev=200)
        solved = least_squares(away, solved.x, xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=60)
        bar = _from_unknowns(solved.x, turns, side, wanted, middle, size)
        if bar is not None:
            yield bar


def _laid(wanted: Complexes, turns: Floats | None, random: np.random.Generator) -> tuple[float, Floats] | None:
    """A random crank-rocker turned, scaled and moved so that its curve lies nearest to the points: (squared error, start)."""
    ground, coupler, rocker = random.uniform(1.0, 5.0, size=3)
    lengths = sorted((1.0, ground, coupler, rocker))
    if lengths[0] + lengths[3] >= lengths[1] + lengths[2]:
        return None
    shape, side = complex(*random.uniform(-1.5, 1.5, size=2)), int(random.choice([-1, 1]))
    if turns is None:
        crank = random.uniform(0.0, math.tau) + random.choice([-1, 1]) * np.linspace(
            0.0, random.uniform(1.0, math.tau), len(wanted)
        )
    else:
        crank = random.uniform(0.0, math.tau) + turns
    b = np.exp(1j * crank)
    c = meet(b, ground + 0.0j, coupler, rocker, side)
    p = b + shape * (c - b)
    centred = p - p.mean()
    spread = float(np.sum(np.abs(centred) ** 2))
    if not math.isfinite(spread) or spread == 0.0:
        return None
    lay = complex(np.sum(wanted * centred.conj())) / spread
    error = float(np.sum(np.abs(wanted - lay * centred) ** 2))
    corner = -lay * complex(p.mean())
    points = [corner, corner + lay * ground]
    sizes = [math.log(abs(lay)), math.log(abs(lay) * coupler), math.log(abs(lay) * rocker)]
    angles = crank + cmath.phase(lay)
    start = [float(side), *(part for z in points for part in (z.real, z.imag)), *sizes, shape.real, shape.imag]
    return error, np.array([*start, *(angles if turns is None else angles[:1])])


def _pins(x: Floats, turns: Floats | None, side: int) -> tuple[Complexes, Complexes, Complexes]:
    a, d = complex(x[0], x[1]), complex(x[2], x[3])
    crank, coupler, rocker = np.exp(x[4:7])
    angles = x[9:] if turns is None else x[9] + turns
    b = a + crank * np.exp(1j * angles)
    c = meet(b, d, coupler, rocker, side)
    return np.asarray(b), c, np.asarray(b + complex(x[7], x[8]) * (c - b))


def _distance(wanted: Complexes, turns: Floats | None, side: int) -> Callable[[Floats], Floats]:
    def away(x: Floats) -> Floats:
        gap = _pins(x, turns, side)[2] - wanted
        both = np.concatenate([gap.real, gap.imag])
        return np.where(np.isfinite(both), both, 3.0)

    return away


def _from_unknowns(
    x: Floats, turns: Floats | None, side: int, wanted: Complexes, middle: complex, size: float
) -> FourBar | None:
    b, c, p = _pins(x, turns, side)
    if not np.all(np.isfinite(p)):
        return None
    back = [complex(z) * size + middle for z in (complex(x[0], x[1]), b[0], c[0], complex(x[2], x[3]), p[0])]
    if max(abs(z - middle) for z in back) > 1e4 * size:
        return None
    bar = FourBar(pair(back[0]), pair(back[1]), pair(back[2]), pair(back[3]), pair(back[4]))
    pins = list(zip((b * size + middle).tolist(), (c * size + middle).tolist(), strict=True))
    return bar.visiting(pins, float(np.max(np.abs(p - wanted))) * size, GOAL)
