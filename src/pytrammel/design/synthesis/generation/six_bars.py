"""Six-bars fitted to functions, paths and motions by least squares, from four-bars with a dyad added."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.checks import checked
from pytrammel._util.messages import in_sentences, short
from pytrammel.design.synthesis.argument_checks import Complexes, Floats, counted, pair, whole_number, wrapped
from pytrammel.design.synthesis.cranked import worth
from pytrammel.design.synthesis.four_bar import FourBar
from pytrammel.design.synthesis.generation.fitting import FAR, Moved, drawn, fitted, too_far, undrawn
from pytrammel.design.synthesis.generation.functions import function_four_bars, read_pairs
from pytrammel.design.synthesis.generation.motions import GOAL as MOTION
from pytrammel.design.synthesis.generation.motions import PoseError, motion_four_bars, read_motion
from pytrammel.design.synthesis.generation.paths import path_four_bars, read_path
from pytrammel.design.synthesis.six_bar import CARRIERS, Kind, SixBar, moved_six
from pytrammel.errors import ModelError

DYADS = 48  # dyads tried for a start without defects
SAME = 1e-9  # difference of two residuals that counts as none
Dyad = Callable[[str, FourBar, np.random.Generator], Complexes]  # A to G and P to start from


@checked
@in_sentences
def function_six_bars(
    inputs: ArrayLike, outputs: ArrayLike, *, kind: Kind = "Watt II", starts: int = 6, seed: int = 0
) -> tuple[SixBar, ...]:
    """Six-bars whose output link GF turns as wanted while the crank turns, by least squares; nearest first.

    Zeros of both scales are free: only differences of the angles matter. The search begins at the best four-bars, to which a
    parallelogram adds the output link, so the answer is at least as near as they are.

    Args:
        inputs: Directions of the crank [rad], at least 6.
        outputs: Directions of the output link [rad], one for each.
        kind: "Watt II" or "Stephenson III", whose output link turns on the ground.
        starts: Starts of the dyad for each four-bar.
        seed: Of the random starts.
    """
    if kind not in ("Watt II", "Stephenson III"):
        raise ModelError(
            f"a six-bar with its output on the ground is 'Watt II' or 'Stephenson III', but kind is {short(kind)}."
        )
    phi, psi = read_pairs(inputs, outputs, 6)
    count = whole_number(starts, "starts")

    def away(_: Floats, moved: Moved) -> Floats:
        link = moved["F"] - moved["G"]
        return wrapped(np.angle(link / link[..., :1]) - (psi - psi[0]))

    bars = function_four_bars(phi, psi, free=("input", "output"))
    wish = _Wish(away, lambda x, moved: np.abs(away(x, moved)), 0.0, 1.0, "output angle [rad]")
    return _nearest(kind, wish, [(bar, phi - phi[0]) for bar in bars[:3]], _parallelograms, count, seed, timed=True)


@checked
@in_sentences
def path_six_bars(
    points: Sequence[Sequence[float]], *, timing: ArrayLike | None = None, kind: Kind = "Stephenson III", starts: int = 6, seed: int = 0,
) -> tuple[SixBar, ...]:  # fmt: skip
    """Six-bars whose point P of the link EF passes through points, by least squares; nearest first.

    Where the coupler carries E (Watt I, Stephenson III) the search begins at fitted four-bars with P in E, so the answer is at least
    as near as they are.

    Args:
        points: Points (x, y), at least 6 [m].
        timing: Turns of the crank from the first point to each, the first one 0 [rad]; None if they do not matter.
        kind: "Watt I", "Watt I at the crank", "Watt II", "Stephenson I" or "Stephenson III".
        starts: Starts of the dyad for each four-bar.
        seed: Of the random starts.
    """
    _known(kind)
    path, turns = read_path(points, timing)
    counted(len(path), "points", 6)
    count = whole_number(starts, "starts")
    middle = complex(path.mean())
    size = float(np.max(np.abs(path - middle)))

    def away(_: Floats, moved: Moved) -> Floats:
        gap = (moved["P"] - path) / size
        return np.concatenate([gap.real, gap.imag], axis=-1)

    bars = path_four_bars(points, timing=timing, starts=20, seed=seed)
    begin = [(bar, _turned(bar) if turns is None else turns) for bar in bars[:3]]
    wish = _Wish(away, lambda _, moved: np.abs(moved["P"] - path), middle, size, "point P [m]")
    return _nearest(kind, wish, begin, _hung_on, count, seed, timed=turns is not None)


@checked
@in_sentences
def motion_six_bars(
    poses: Sequence[Sequence[float]], *, timing: ArrayLike | None = None, kind: Kind = "Stephenson III", starts: int = 6, seed: int = 0,
) -> tuple[SixBar, ...]:  # fmt: skip
    """Six-bars whose link EF passes through poses, by least squares; nearest first. P is the origin of the guided body.

    The search begins at fitted four-bars with the link fastened to the coupler, so the answer is at least as near as they are.

    Args:
        poses: (x, y, angle) of the link, at least 6 [m, m, rad].
        timing: Turns of the crank from the first pose to each, the first one 0 [rad]; None if they do not matter.
        kind: "Watt I", "Watt I at the crank", "Watt II", "Stephenson I" or "Stephenson III".
        starts: Starts of the dyad for each four-bar.
        seed: Of the random starts.
    """
    _known(kind)
    spin, shift, turns = read_motion(poses, timing)
    counted(len(spin), "poses", 6)
    count = whole_number(starts, "starts")
    bars = [bar for bar in motion_four_bars(poses, timing=timing, starts=4, seed=seed) if isinstance(bar, FourBar)]
    if not bars:
        raise ModelError(
            "no four-bar near these poses was found to start a six-bar from; change a pose a little, or raise starts=."
        )
    gaps = PoseError(spin, shift)

    def away(x: Floats, moved: Moved) -> Floats:
        points = undrawn(x)
        return gaps(moved["P"], moved["F"] - moved["E"], points[..., 5, None] - points[..., 4, None])

    begin = [(bar, _turned(bar) if turns is None else turns) for bar in bars[:3]]
    wish = _Wish(away, lambda x, moved: np.abs(away(x, moved)) * gaps.size, complex(shift[0]), gaps.size, MOTION)
    return _nearest(kind, wish, begin, _fastened, count, seed, timed=turns is not None)


@dataclass(frozen=True)
class _Wish:
    """What a six-bar shall do: residuals of a drawing and its places, the errors that are told, where it is and how large."""

    away: Callable[[Floats, Moved], Floats]
    told: Callable[[Floats, Moved], Floats]
    middle: complex
    size: float
    goal: str


def _known(kind: object) -> None:
    if kind not in get_args(Kind):
        raise ModelError(f"kind must be one of {', '.join(get_args(Kind))}, but it is {short(kind)}.")


def _turned(bar: FourBar) -> Floats:
    """Turns of the crank from the first position to each."""
    return np.unwrap(np.array(bar.cranks) - bar.cranks[0])


def _parallelograms(kind: str, bar: FourBar, random: np.random.Generator) -> Complexes:
    """E on rocker or in C, F and G so that the output link stays parallel to the rocker."""
    *_, c, d, _ = bar.complex_points
    shift = complex(*random.normal(size=2)) * abs(d - c)
    return np.array([*bar.complex_points[:4], c, c + shift, d + shift, c])


def _hung_on(kind: str, bar: FourBar, random: np.random.Generator) -> Complexes:
    """P in E, which is the coupler's point where the coupler carries E; F and G somewhere near."""
    p = bar.complex_points[4]
    size = sum(bar.lengths)
    e = p if CARRIERS[kind][0] == "coupler" else p + 0.1 * size * complex(*random.normal(size=2))
    g = e + 0.3 * size * complex(*random.normal(size=2))
    # two equal long links meet wherever E and G are
    f = (e + g) / 2 + 1j * (g - e) / abs(g - e) * size * random.choice([-1.0, 1.0]) * random.uniform(1.0, 2.0)
    return np.array([*bar.complex_points[:4], e, f, g, p])


def _fastened(kind: str, bar: FourBar, random: np.random.Generator) -> Complexes:
    """The link EF moves as the coupler: F in one of its pins, and GF cannot move against the other body of that pin."""
    a, b, c, d, p = bar.complex_points
    away, share = complex(*random.normal(size=2)) * abs(c - b), complex(*random.normal(size=2))
    if kind == "Watt II":  # the second loop is the four-bar, driven by a parallelogram
        return np.array([a + away, b + away, b, a, b, c, d, p])
    dyads = {
        "Watt I": (b + away, c, c + (d - c) * share),
        "Watt I at the crank": (c + away, b, b + (a - b) * share),
        "Stephenson I": (b, c, c + (d - c) * share),
        "Stephenson III": (b + away, c, d),
    }
    return np.array([a, b, c, d, *dyads[kind], p])


def _nearest(
    kind: Kind, wish: _Wish, begin: Sequence[tuple[FourBar, Floats]], dyad: Dyad, starts: int, seed: int, *, timed: bool
) -> tuple[SixBar, ...]:  # fmt: skip
    """Fitted six-bars, those without defects first, of these the nearest; the start of one that no fit is as good as."""
    family = _Family(kind, wish, pointed=dyad is not _parallelograms)
    found = sorted(_fits(family, begin, dyad, starts, np.random.default_rng(seed), timed), key=worth)
    for bar, turns in begin:
        if not found or worth(found[0]) > (len(bar.defects), bar.residual * (1.0 + SAME)):
            start = _start(family, dyad, bar, turns, np.random.default_rng([seed, 1]))
            if start is not None and (not found or worth(start) < worth(found[0])):
                found.insert(0, start)
    if not found:
        raise ModelError(
            f"no {kind} six-bar that closes in all positions was found; raise starts={starts} or choose another kind."
        )
    return tuple(found)


@dataclass(frozen=True)
class _Family:
    """Six-bars of one kind for one wish; `pointed` if the link EF carries a point P."""

    kind: Kind
    wish: _Wish
    pointed: bool

    def moved(self, x: Floats, turns: Floats) -> Moved:
        return moved_six(self.kind, undrawn(x), turns)

    def error(self, x: Floats, at: Moved) -> Floats:
        return np.concatenate([self.wish.away(x, at), too_far(x, self.wish.middle, self.wish.size)], axis=-1)

    def design(self, x: Floats, turns: Floats) -> SixBar:
        """The six-bar of a drawing and turns of its crank."""
        points, pins = undrawn(x), self.moved(x, turns)
        told = float(np.max(self.wish.told(x, pins)))
        four = FourBar.drawn(points[:4])
        four = four.visiting(list(zip(pins["B"].tolist(), pins["C"].tolist(), strict=True)), told, self.wish.goal)
        e, f, g, p = (pair(complex(each)) for each in points[4:])
        return SixBar(four, self.kind, e, f, g, p if self.pointed else None, told, self.wish.goal)


def _start(family: _Family, dyad: Dyad, bar: FourBar, turns: Floats, random: np.random.Generator) -> SixBar | None:
    """A four-bar with a dyad added, before any fit: the first without defects, or the best of those tried; None if none closes."""
    best: SixBar | None = None
    for _ in range(DYADS):
        x = drawn(dyad(family.kind, bar, random))
        with np.errstate(all="ignore"):
            if not np.all(np.isfinite(family.error(x, family.moved(x, turns)))):
                continue
        found = family.design(x, turns)
        if best is None or worth(found) < worth(best):
            best = found
        if not best.defects:
            break
    return best


def _fits(
    family: _Family, begin: Sequence[tuple[FourBar, Floats]], dyad: Dyad, starts: int, random: np.random.Generator, timed: bool
) -> Iterator[SixBar]:  # fmt: skip
    wish = family.wish
    for bar, turns in begin:
        for _ in range(starts):
            start = drawn(dyad(family.kind, bar, random))
            with np.errstate(all="ignore"):
                if not np.all(np.isfinite(family.error(start, family.moved(start, turns)))):
                    continue
            x, at, worst = fitted(family.moved, family.error, start, turns, timed=timed, effort=60)
            if math.isfinite(worst) and np.max(np.abs(undrawn(x) - wish.middle)) <= 2.0 * FAR * wish.size:
                yield family.design(x, at)
