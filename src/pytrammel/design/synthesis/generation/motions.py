"""Rigid-body guidance: four-bars and slider-cranks whose coupler passes through wanted poses, exactly or by least squares."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.checks import checked, checked_numbers
from pytrammel._util.messages import in_sentences, number_of, short
from pytrammel.design.synthesis.argument_checks import Complexes, Floats, counted, distinct, numbers, pair, whole_number
from pytrammel.design.synthesis.cranked import worth
from pytrammel.design.synthesis.four_bar import FourBar, moved_pins
from pytrammel.design.synthesis.generation.fitting import FAR, Moved, drawn, fitted, too_far, undrawn
from pytrammel.design.synthesis.generation.motion_links import Dyad, dyads, read_poses, size_of, track_of
from pytrammel.design.synthesis.slider_crank import SliderCrank
from pytrammel.errors import ModelError

GOAL = "places and directions of the body [m]"
EXACT = 5  # poses that a four-bar can meet without timing


@checked
@in_sentences
def motion_four_bars(
    poses: Sequence[Sequence[float]], *, timing: ArrayLike | None = None, moving: Sequence[object] | None = None,
    fixed: Sequence[object] | None = None, reach: Sequence[float] = (0.0, 0.0), turns: Sequence[float] | None = None,
    starts: int = 10, seed: int = 0,
) -> tuple[FourBar | SliderCrank, ...]:  # fmt: skip
    """Four-bars whose coupler passes through poses, best first; slider-cranks where a pivot moves along a line.

    Two links of `dyads` make a four-bar; each of them may be the crank. P is the origin of the guided body. More than five poses, or
    with `timing` more than two, are fitted: least squares of places and directions, from links that meet five of the poses.

    Args:
        poses: (x, y, angle) of the coupler in at least 2 poses, in the order they shall be passed [m, m, rad].
        timing: Turns of the crank from the first pose to each, the first one 0 [rad]; None if they do not matter.
        moving: Two or three poses: B and C in the first pose [m].
        fixed: Three poses: A and D [m].
        reach: Two poses: how far A and D stand off the middle of the ways of B and C, to their left [m].
        turns: Four poses: turns of both links from the first pose to the second [rad]; otherwise the curves are sampled.
        starts: Sets of five poses that are tried, where a fit is made.
        seed: Of their choice.
    """
    spin, shift, timed = read_motion(poses, timing)
    given = [word for word, value in (("moving", moving), ("fixed", fixed), ("turns", turns)) if value is not None]
    if timed is None and len(spin) <= EXACT:
        made = _exact(poses, spin, shift, moving, fixed, reach, turns)
        return tuple(sorted(made, key=lambda each: (len(each.defects), -each.transmission_worst)))
    if given or tuple(reach) != (0.0, 0.0):
        word = given[0] if given else "reach"
        raise ModelError(f"{word}= is for up to five poses without timing, which are met exactly; leave it out.")
    if timed is not None:
        counted(len(spin), "poses with timing", 3)
    found = _fits(spin, shift, timed, whole_number(starts, "starts"), np.random.default_rng(seed))
    if not found:
        raise ModelError(
            f"no four-bar near these {len(spin)} poses was found; change a pose a little, or raise starts={starts}."
        )
    return tuple(found)


def read_motion(poses: object, timing: object) -> tuple[Complexes, Complexes, Floats | None]:
    """Turns and places of poses, and turns of the crank for each if they are prescribed."""
    spin, shift = read_poses(poses)
    if timing is None:
        return spin, shift, None
    turns = numbers(timing, "timing", least=2)
    distinct(turns, "timing")
    if len(turns) != len(spin):
        raise ModelError(f"timing has {len(turns)} values for {len(spin)} poses; give one turn for each pose.")
    if turns[0] != 0.0:
        raise ModelError(f"timing must begin with 0, the turn at the first pose, but it begins with {turns[0]:g}.")
    return spin, shift, turns


# exact -----------------------------------------------------------------------------------------------------------------------


def _exact(
    poses: Sequence[Sequence[float]], spin: Complexes, shift: Complexes, moving: Sequence[object] | None,
    fixed: Sequence[object] | None, reach: Sequence[float], turns: Sequence[float] | None,
) -> list[FourBar | SliderCrank]:  # fmt: skip
    chosen: list[dict[str, object]] = [{}]
    for word, values in (("moving", moving), ("fixed", fixed), ("turn", turns)):
        if values is not None:
            if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or len(values) != 2:
                raise ModelError(f"{word} must be given for both links, but it is {short(values)}.")
            chosen = [{word: value} for value in values]
    if len(spin) == 2:
        _, _ = checked_numbers(reach, "reach", ("first", "second"))
        chosen = [{**each, "reach": far} for each, far in zip(chosen, reach, strict=False)]
    found = [dyad for choice in chosen for dyad in dyads(poses, **choice)]  # type: ignore[arg-type]
    if len(found) > 24:  # the curve of four poses: a few of its links are as good as all
        found = found[:: -(-len(found) // 24)]
    made = [bar for two in permutations(found, 2) if (bar := _joined(*two, spin, shift)) is not None]
    if not made:
        raise ModelError(
            f"no four-bar guides a body through these {len(spin)} poses: {number_of(len(found), 'real link')} found where two are needed; "
            "change a pose a little, or give fewer."
        )
    return made


def _joined(first: Dyad, second: Dyad, spin: Complexes, shift: Complexes) -> FourBar | SliderCrank | None:
    """The first link as the crank, the second as rocker or slide."""
    size = size_of(shift)
    if first.fixed is None or math.dist(first.moving, second.moving) <= 1e-9 * size:
        return None
    tracks = list(zip(track_of(first, spin, shift).tolist(), track_of(second, spin, shift).tolist(), strict=True))
    bar: FourBar | SliderCrank
    if second.fixed is None:
        bar = SliderCrank(first.fixed, first.moving, second.moving, second.direction or 0.0, pair(complex(shift[0])))
    elif math.dist(first.fixed, second.fixed) <= 1e-9 * size:
        return None
    else:
        bar = FourBar(first.fixed, first.moving, second.moving, second.fixed, pair(complex(shift[0])))
    bar = bar.visiting(tracks, 0.0, GOAL)
    return bar.visiting(tracks, guidance_error(bar, spin, shift), GOAL)


def guidance_error(bar: FourBar | SliderCrank, spin: Complexes, shift: Complexes) -> float:
    """Largest error of place and, as a distance over the size of the poses, of direction [m]."""
    moved = bar.complex_at(bar.cranks, side=bar.sides)
    coupler = moved["C"] - moved["B"]
    turned = np.angle(coupler / coupler[0] / (spin / spin[0]))
    away = np.maximum(np.abs(moved["P"] - shift), size_of(shift) * np.abs(turned))
    return float(np.max(away)) if np.all(np.isfinite(away)) else math.inf


# least squares ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PoseError:
    """How far a body is from its poses: residuals of places, over their size, and of directions against the drawn position."""

    spin: Complexes
    shift: Complexes

    @property
    def size(self) -> float:
        """Size of the poses [m]."""
        return size_of(self.shift)

    def __call__(self, place: Complexes, body: Complexes, drawn_body: Complexes) -> Floats:
        """For places of the body's origin and a vector of the body; one block of poses after the other."""
        gap = (place - self.shift) / self.size
        turned = np.angle(body / drawn_body / (self.spin / self.spin[0]))
        return np.concatenate([gap.real, gap.imag, turned], axis=-1)


def _fits(
    spin: Complexes, shift: Complexes, timed: Floats | None, starts: int, random: np.random.Generator
) -> list[FourBar]:
    """Fitted four-bars, each once, those without defects first, of these the nearest."""
    gaps = PoseError(spin, shift)

    def moved(x: Floats, turns: Floats) -> Moved:
        return moved_pins(undrawn(x), turns)

    def error(x: Floats, at: Moved) -> Floats:
        points = undrawn(x)
        away = gaps(at["P"], at["C"] - at["B"], points[..., 2, None] - points[..., 1, None])
        return np.concatenate([away, too_far(x, complex(shift[0]), gaps.size)], axis=-1)

    def design(x: Floats, at: Floats) -> FourBar:
        pins = moved(x, at)
        bar = FourBar.drawn(undrawn(x))
        bar = bar.visiting(list(zip(pins["B"].tolist(), pins["C"].tolist(), strict=True)), 0.0, GOAL)
        return replace(bar, residual=guidance_error(bar, spin, shift))

    found: list[FourBar] = []
    starts_tried: list[tuple[Floats, Floats]] = []
    for first, second in _pairs(spin, shift, timed, starts, random):
        a, b, c, d = (
            complex(*each)
            for each in (first.fixed or first.moving, first.moving, second.moving, second.fixed or second.moving)
        )
        turns = np.angle((track_of(first, spin, shift) - a) / (b - a)) if timed is None else timed
        starts_tried.append((drawn(np.array([a, b, c, d, shift[0]])), turns))
        x, at, worst = fitted(moved, error, *starts_tried[-1], timed=timed is not None)
        if not math.isfinite(worst) or np.max(np.abs(undrawn(x) - shift[0])) > 2.0 * FAR * gaps.size:
            continue
        bar = design(x, at)
        if not any(np.allclose(bar.lengths, other.lengths, rtol=1e-5) for other in found):
            found.append(bar)
    if all(bar.defects for bar in found):  # fits may run into defects that their starts do not have
        with np.errstate(all="ignore"):
            unfitted = [design(*each) for each in starts_tried if np.all(np.isfinite(error(each[0], moved(*each))))]
        found += sorted((bar for bar in unfitted if not bar.defects), key=worth)[:1]
    return sorted(found, key=worth)


def _pairs(
    spin: Complexes, shift: Complexes, timed: Floats | None, starts: int, random: np.random.Generator
) -> Iterator[tuple[Dyad, Dyad]]:
    """Two links to start from; with timing the crank is the one of linear equations."""
    count = len(spin)
    for trial in range(starts):
        if count > EXACT:
            chosen = np.linspace(0, count - 1, EXACT).round().astype(int) if trial == 0 else np.array(
                [0, *sorted(random.choice(np.arange(1, count), EXACT - 1, replace=False))]
            )  # fmt: skip
        else:
            chosen = np.arange(count)
        links = list(_links(spin[chosen], shift[chosen], random))
        if timed is None:
            yield from permutations(links, 2)
        else:
            crank = _timed_crank(spin, shift, timed)
            yield from ((crank, link) for link in links if math.dist(link.moving, crank.moving) > 1e-6 * size_of(shift))


def _links(spin: Complexes, shift: Complexes, random: np.random.Generator) -> Iterator[Dyad]:
    """Links of up to five poses; of a family some."""
    poses = [(z.real, z.imag, float(np.angle(r))) for z, r in zip(shift.tolist(), spin.tolist(), strict=True)]
    if len(poses) > 4:
        found = dyads(poses)
    elif len(poses) == 4:
        found = dyads(poses, turn=float(random.uniform(-math.pi, math.pi)))
    else:
        away = random.normal(size=2) * size_of(shift)
        found = dyads(poses, moving=(poses[0][0] + away[0], poses[0][1] + away[1]))
    yield from (each for each in found if each.fixed is not None)


def _timed_crank(spin: Complexes, shift: Complexes, turns: Floats) -> Dyad:
    """A + W e^{i turn} + Z spin = place, for A, W = B - A and Z = P - B, in the sense of least squares."""
    rows = np.column_stack([np.ones(len(spin)), np.exp(1j * turns), spin / spin[0]])
    (a, w, _), *_ = np.linalg.lstsq(rows, shift, rcond=None)
    return Dyad(pair(complex(a)), pair(complex(a + w)))
