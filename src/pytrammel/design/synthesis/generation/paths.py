"""Path generation: four-bars and slider-cranks whose coupler point passes through wanted points, with timing or without."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.checks import checked, checked_bool
from pytrammel._util.messages import in_sentences, short
from pytrammel.design.synthesis.argument_checks import Complexes, Floats, distinct, numbers, pair, places, whole_number
from pytrammel.design.synthesis.cranked import worth
from pytrammel.design.synthesis.dyads import five_pose_dyads, four_pose_dyads
from pytrammel.design.synthesis.four_bar import FourBar, best_first, moved_pins
from pytrammel.design.synthesis.generation.fitting import FAR, Moved, drawn, fitted, too_far, undrawn
from pytrammel.design.synthesis.generation.motion_links import dyads
from pytrammel.design.synthesis.generation.path_starts import Start, random_four_bars, random_slider_cranks
from pytrammel.design.synthesis.slider_crank import SliderCrank, moved_rod
from pytrammel.errors import ModelError
from pytrammel.model.argument_types import Points

GOAL = "coupler point [m]"
EXACT = 9  # points that a four-bar can meet without timing
NEAR = 0.02  # of the size of a path: fitted designs that stand in for exact ones with defects miss it by less
SAMPLES = 12  # turns tried for each link of four timed points


Design = TypeVar("Design", FourBar, SliderCrank)


@checked("starts")
@in_sentences
def path_four_bars(
    points: Points, *, timing: ArrayLike | None = None, fixed: Sequence[object] | None = None,
    full_turn: bool = False, starts: int | Sequence[FourBar | SliderCrank] = 40, seed: int = 0,
) -> tuple[FourBar, ...]:  # fmt: skip
    """Four-bars whose coupler point P passes through points, best first.

    With `timing` three points are met exactly for given fixed pivots, four for a family, of which samples are given, five by up to
    twelve four-bars; more in the sense of least squares. Without timing up to nine points are met exactly, by Newton's method from
    random starts; more, and fewer where all those have defects (within 2 % of their size), by least squares from random linkages that
    are first laid over the points, or from given ones. `residual` says how near a design comes.

    Args:
        points: Points (x, y) in the order they shall be passed [m].
        timing: Turns of the crank from the first point to each, the first one 0 [rad]; None if they do not matter.
        fixed: Three points with timing: fixed pivots A and D [m].
        full_turn: Whether only linkages count whose crank goes round.
        starts: How many random starts, where there are any; or designs to start the least squares from, as an atlas finds them
            (slider-cranks among them are passed over).
        seed: Of the random starts; the same seed gives the same designs.
    """
    path, turns = read_path(points, timing)
    checked_bool(full_turn, "full_turn")
    given, count = given_starts(starts, FourBar, path)
    timed_three = turns is not None and len(path) == 3
    if (fixed is not None) != timed_three:
        raise ModelError(
            "three points with timing leave both fixed pivots free; give fixed=(A, D)."
            if timed_three
            else "fixed= is for three points with timing; leave it out."
        )
    random = np.random.default_rng(seed)
    if turns is not None and len(path) <= 5 and not given:
        found = best_first(list(_timed(path, turns, fixed)))
    elif turns is None and len(path) <= EXACT:
        found = _through(path, given, count, full_turn, random)
    else:
        begin = given or random_four_bars(scaled(path)[0], turns, count, random)
        found = _nearest(path, turns, begin, full_turn, _BAR)
    return _some(found, full_turn, f"four-bar through these {len(path)} points")


@checked("starts")
@in_sentences
def path_slider_cranks(
    points: Points, *, timing: ArrayLike | None = None,
    full_turn: bool = False, starts: int | Sequence[FourBar | SliderCrank] = 40, seed: int = 0,
) -> tuple[SliderCrank, ...]:  # fmt: skip
    """Slider-cranks whose point P of the rod passes through points, by least squares, nearest first.

    Up to eight points without timing and four with it can be met exactly, where the starts lead there.

    Args:
        points: Points (x, y) in the order they shall be passed [m], at least 3.
        timing: Turns of the crank from the first point to each, the first one 0 [rad]; None if they do not matter.
        full_turn: Whether only linkages count whose crank goes round.
        starts: How many random starts; or designs to start from (four-bars among them are passed over).
        seed: Of the random starts; the same seed gives the same designs.
    """
    path, turns = read_path(points, timing)
    checked_bool(full_turn, "full_turn")
    given, count = given_starts(starts, SliderCrank, path)
    random = np.random.default_rng(seed)
    begin = given or random_slider_cranks(scaled(path)[0], turns, count, random)
    return _some(
        _nearest(path, turns, begin, full_turn, _SLIDER), full_turn, f"slider-crank near these {len(path)} points"
    )


def _some(found: tuple[Design, ...], full_turn: bool, what: str) -> tuple[Design, ...]:
    """Those whose crank goes round, if that is asked for; refused where none are left."""
    kept = tuple(each for each in found if each.full_turn or not full_turn)
    if not kept:
        whose = " whose crank goes round" if full_turn else ""
        raise ModelError(f"no {what}{whose} was found; change a point or its timing a little, or raise starts=.")
    return kept


def scaled(path: Complexes) -> tuple[Complexes, complex, float]:
    """Points of size 1 about the origin, their middle and size."""
    middle = complex(path.mean())
    size = float(np.max(np.abs(path - middle)))
    return (path - middle) / size, middle, size


def read_path(points: object, timing: object) -> tuple[Complexes, Floats | None]:
    """Points that differ, and turns of the crank for each if they are prescribed."""
    turns = None if timing is None else numbers(timing, "timing", least=3)
    path = places(points, "points", least=3)
    if turns is not None:
        distinct(turns, "timing")
        if len(turns) != len(path):
            raise ModelError(f"timing has {len(turns)} values for {len(path)} points; give one turn for each point.")
        if turns[0] != 0.0:
            raise ModelError(f"timing must begin with 0, the turn at the first point, but it begins with {turns[0]:g}.")
    return path, turns


def given_starts(starts: object, kind: type[Design], path: Complexes) -> tuple[list[Design], int]:
    """Designs of one kind to start from, or how many random starts are asked for."""
    if isinstance(starts, FourBar | SliderCrank):
        starts = [starts]
    if isinstance(starts, str) or not isinstance(starts, Sequence):
        return [], whole_number(starts, "starts")
    for each in starts:
        if not isinstance(each, FourBar | SliderCrank):
            raise ModelError(
                f"starts must be a whole number of at least 1 or designs, but one of them is {short(each)}."
            )
        if each.P is None or len(each.cranks) != len(path):
            raise ModelError(
                f"a design to start from needs P and a position for each of the {len(path)} points, but one has {len(each.cranks)}; "
                "take what an atlas found for these points."
            )
    kept = [each for each in starts if isinstance(each, kind)]
    if not kept:
        raise ModelError(f"starts holds no {kind.__name__}; give some, or a number of random starts.")
    return kept, 0


def _through(
    path: Complexes, given: Sequence[FourBar], count: int, full_turn: bool, random: np.random.Generator
) -> tuple[FourBar, ...]:
    """Four-bars that meet all points; where each has a defect, also those that the nearest ones lead to, or these themselves."""
    exact = _once(_untimed(path, given, count, random))
    if not _any_useful(exact, full_turn):
        fits = _nearest(path, None, given or random_four_bars(scaled(path)[0], None, count, random), full_turn, _BAR)
        exact = _once([*exact, *_untimed(path, fits, 0, random)])
        near = [each for each in fits if given or each.residual < NEAR * scaled(path)[2]]
        if not _any_useful(exact, full_turn):
            return tuple(sorted((*near, *exact), key=worth))
    return best_first(exact)


def _any_useful(found: Iterable[FourBar], full_turn: bool) -> bool:
    return any(not each.defects and (each.full_turn or not full_turn) for each in found)


def _once(found: Iterable[FourBar]) -> list[FourBar]:
    """Each design once."""
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


def _untimed(path: Complexes, given: Sequence[FourBar], starts: int, random: np.random.Generator) -> Iterator[FourBar]:
    """Newton's method on both lengths of every position; unknown are four pivots and the coupler's turns."""
    from scipy.optimize import least_squares

    size = float(np.max(np.abs(path - path[0])))
    moved = (path - path[0]) / size
    begin = (_gap_start(each, size) for each in given) if given else (
        np.concatenate([1.5 * random.normal(size=8), 0.8 * random.normal(size=len(path) - 1)]) for _ in range(starts)
    )  # fmt: skip
    for start in begin:
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


def _gap_start(bar: FourBar, size: float) -> Floats:
    """A, D, B, C from the first point, and the coupler's turns of a design."""
    a, b, c, d, p = bar.complex_points
    at = bar.complex_at(bar.cranks, side=bar.sides)
    return np.concatenate([drawn((np.array([a, d, b, c]) - p) / size), np.angle((at["C"] - at["B"]) / (c - b))[1:]])


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


@dataclass(frozen=True)
class _Family(Generic[Design]):
    """A kind of linkage in a fit: its motion, how far its crank is from going round (0 or less: it does), and the design drawn."""

    moved: Callable[[Floats, Floats], Moved]
    stuck: Callable[[Floats], Floats]
    design: Callable[[Complexes, Floats], Design]


def _nearest(
    path: Complexes, turns: Floats | None, begin: Iterable[Design | Start], full_turn: bool, family: _Family[Design]
) -> tuple[Design, ...]:
    """Fitted designs, each once, those without defects first, of these the nearest."""
    wanted, middle, size = scaled(path)
    reach = FAR

    def error(x: Floats, at: Moved) -> Floats:
        gap = at["P"] - wanted
        held = too_far(x[..., : x.shape[-1] // 2 * 2], 0.0, 1.0, reach=reach)
        stuck = 10.0 * np.maximum(0.0, 1e-3 + family.stuck(x)) if full_turn else held[..., :0]
        return np.concatenate([gap.real, gap.imag, held, stuck], axis=-1)

    out: list[Design] = []
    given: list[Design] = []
    for start in begin:
        if not isinstance(start, tuple):
            given.append(_as_given(start, path, turns))
        x, at = start if isinstance(start, tuple) else _from_design(start, turns, middle, size)
        reach = max(FAR, 1.2 * float(np.max(np.abs(x))))
        x, at, worst = fitted(family.moved, error, x, at, timed=turns is not None)
        if not math.isfinite(worst) or np.max(np.abs(x)) > 2.0 * reach:
            continue
        pins = family.moved(x, at)
        both = [(pins[name] * size + middle).tolist() for name in "BC"]
        reached = float(np.max(np.abs(pins["P"] - wanted))) * size
        bar = family.design(undrawn(x[: len(x) // 2 * 2]) * size + middle, x)
        out.append(bar.visiting(list(zip(*both, strict=True)), reached, GOAL))
    ordered: list[Design] = sorted(out, key=worth)
    given = [each for each in given if each.full_turn or not full_turn]
    as_good: list[Design] = [
        each for each in given if not ordered or worth(each) < worth(ordered[0])
    ]  # a fit may run into a defect
    kept: list[Design] = []
    for each in sorted(as_good, key=worth)[:1] + ordered:
        if not any(_alike(each, other) for other in kept):
            kept.append(each)
    return tuple(kept)


def _as_given(bar: Design, path: Complexes, turns: Floats | None) -> Design:
    """A design to start from, with its error in these points."""
    cranks = np.array(bar.cranks) if turns is None else bar.cranks[0] + turns
    moved = bar.complex_at(cranks, side=bar.sides)
    away = np.abs(moved["P"] - path)
    if not np.all(np.isfinite(away)):
        return replace(bar, residual=math.inf)
    return bar.visiting(list(zip(moved["B"].tolist(), moved["C"].tolist(), strict=True)), float(np.max(away)), GOAL)


def _alike(one: FourBar | SliderCrank, other: FourBar | SliderCrank) -> bool:
    if isinstance(one, FourBar) and isinstance(other, FourBar):
        return np.allclose(one.lengths, other.lengths, rtol=1e-6)
    if isinstance(one, SliderCrank) and isinstance(other, SliderCrank):
        return np.allclose((one.crank, one.rod, one.offset), (other.crank, other.rod, other.offset), rtol=1e-6)
    return False


def _from_design(bar: FourBar | SliderCrank, turns: Floats | None, middle: complex, size: float) -> Start:
    """Drawing and turns of a design, in the axes of the fit."""
    places = [complex(*each) for each in (bar.A, bar.B, bar.C)]
    places += [complex(*bar.D)] if isinstance(bar, FourBar) else []
    x = drawn((np.array([*places, complex(*(bar.P or bar.C))]) - middle) / size)
    if isinstance(bar, SliderCrank):
        x = np.append(x, bar.direction)
    return x, np.unwrap(np.array(bar.cranks) - bar.cranks[0]) if turns is None else turns


def _stuck_bar(x: Floats) -> Floats:
    a, b, c, d, _ = np.moveaxis(undrawn(x), -1, 0)
    ground, crank, coupler, rocker = np.abs(d - a), np.abs(b - a), np.abs(c - b), np.abs(c - d)
    return np.stack([ground + crank - coupler - rocker, np.abs(coupler - rocker) - np.abs(ground - crank)], axis=-1)


def _stuck_slider(x: Floats) -> Floats:
    a, b, c, _ = np.moveaxis(undrawn(x[..., :8]), -1, 0)
    offset = ((c - a) * np.exp(-1j * x[..., 8])).imag
    return np.asarray((np.abs(b - a) + np.abs(offset) - np.abs(c - b))[..., None])


_BAR = _Family(lambda x, turns: moved_pins(undrawn(x), turns), _stuck_bar, lambda points, _: FourBar.drawn(points))
_SLIDER = _Family(
    lambda x, turns: moved_rod(undrawn(x[..., :8]), x[..., 8], turns),
    _stuck_slider,
    lambda points, x: SliderCrank.drawn(points, float(x[8])),
)
