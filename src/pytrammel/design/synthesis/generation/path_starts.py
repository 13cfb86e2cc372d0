"""Random linkages laid over wanted points, to start the least squares of path generation from."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from pytrammel.design.synthesis.argument_checks import Complexes, Floats
from pytrammel.design.synthesis.atlas.shapes import between, lay, spots
from pytrammel.design.synthesis.four_bar import meet
from pytrammel.design.synthesis.generation.fitting import drawn

Start = tuple[Floats, Floats]  # drawing, turns of the crank
TRIED = 25  # random linkages for each start
FINE = 48  # positions of a random linkage without timing


def random_four_bars(
    wanted: Complexes, turns: Floats | None, starts: int, random: np.random.Generator
) -> Iterator[Start]:
    """The best of random crank-rockers: their points A, B, C, D, P."""
    count = TRIED * starts
    ground, coupler, rocker = random.uniform(1.0, 5.0, size=(3, count))
    order = np.sort(np.stack([np.ones(count), ground, coupler, rocker]), axis=0)
    fits = order[0] + order[3] < order[1] + order[2]
    ground, coupler, rocker = ground[fits, None], coupler[fits, None], rocker[fits, None]
    side = random.choice([-1.0, 1.0], size=(len(ground), 1))
    cranks = _cranks(len(ground), wanted, turns, random)
    b = np.exp(1j * cranks)
    c = meet(b, ground + 0.0j, coupler, rocker, side)
    for k, turn, corner, at, p in _best(b, c, cranks, wanted, turns, starts, random):
        first = np.exp(1j * at[0])
        pin = meet(first, ground[k] + 0.0j, coupler[k], rocker[k], side[k])[0]
        z = np.array([0.0, first, pin, complex(ground[k, 0]), first + p * (pin - first)])
        yield drawn(corner + turn * z), at - at[0]


def random_slider_cranks(
    wanted: Complexes, turns: Floats | None, starts: int, random: np.random.Generator
) -> Iterator[Start]:
    """The best of random slider-cranks: their points A, B, C, P and the direction of the slide."""
    count = TRIED * starts
    offset = random.uniform(-2.0, 2.0, size=(count, 1))
    rod = 1.0 + np.abs(offset) + random.uniform(0.1, 3.0, size=(count, 1))
    cranks = _cranks(count, wanted, turns, random)
    b = np.exp(1j * cranks)
    rise = offset - b.imag
    c = b + np.sqrt(rod**2 - rise**2) + 1j * rise
    for k, turn, corner, at, p in _best(b, c, cranks, wanted, turns, starts, random):
        first = np.exp(1j * at[0])
        up = offset[k, 0] - first.imag
        pin = first + math.sqrt(rod[k, 0] ** 2 - up**2) + 1j * up
        z = np.array([0.0, first, pin, first + p * (pin - first)])
        yield np.append(drawn(corner + turn * z), float(np.angle(turn))), at - at[0]


def _cranks(count: int, wanted: Complexes, turns: Floats | None, random: np.random.Generator) -> Floats:
    """Directions of the cranks: at the timing, or at fine steps over a random span."""
    begin = random.uniform(0.0, math.tau, size=(count, 1))
    if turns is not None:
        return np.asarray(begin + turns)
    span = random.uniform(1.0, math.tau, size=(count, 1)) * random.choice([-1.0, 1.0], size=(count, 1))
    return np.asarray(begin + span * np.linspace(0.0, 1.0, FINE))


def _best(
    b: Complexes, c: Complexes, cranks: Floats, wanted: Complexes, turns: Floats | None, starts: int, random: np.random.Generator
) -> Iterator[tuple[int, complex, complex, Floats, complex]]:  # fmt: skip
    """Trials with a random coupler point that lie nearest: number, similarity, directions of the crank at the points, coupler point."""
    shape = random.uniform(-1.5, 1.5, size=(2, len(b), 1))
    point = shape[0] + 1j * shape[1]
    p = b + point * (c - b)
    at = cranks
    if turns is None:
        # without timing the points are met in the shares of arc length that they have on the wanted path
        length = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(wanted)))])
        spot = spots(p, length / length[-1])
        p, at = between(p, spot), between(cranks.astype(complex), spot).real
    turn, corner, left = lay(p, wanted[None])
    left = np.where(np.isfinite(left), left, np.inf)
    for k in np.argsort(left)[: max(4, starts // 4)]:
        if math.isfinite(left[k]):
            yield int(k), complex(turn[k]), complex(corner[k]), at[k], complex(point[k, 0])
