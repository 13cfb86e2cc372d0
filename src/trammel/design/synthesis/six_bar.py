"""Six-bars of Watt and Stephenson: a four-bar and a dyad E-F-G between two of its bodies, fitted to functions and paths."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from trammel.design.synthesis.four_bar import FourBar, meet
from trammel.design.synthesis.function_generation import function_four_bars
from trammel.design.synthesis.path_generation import path_four_bars
from trammel.design.synthesis.wishes import (
    Complexes,
    Floats,
    Pair,
    degrees,
    distinct,
    numbers,
    pair,
    places,
    told_error,
    wrapped,
)
from trammel.errors import ModelError
from trammel.sentences import in_sentences, short

if TYPE_CHECKING:
    from trammel.model.model import PlanarModel

Kind = Literal["Watt I", "Watt II", "Stephenson I", "Stephenson III"]
# bodies of the four-bar that carry E and G
CARRIERS = {
    "Watt I": ("coupler", "rocker"),
    "Watt II": ("rocker", "ground"),
    "Stephenson I": ("crank", "rocker"),
    "Stephenson III": ("coupler", "ground"),
}
DEAD = math.radians(2.0)  # transmission angles below this are dead points of a real machine
DRAGGED = 1e3  # residual of a linkage that does not close


@dataclass(frozen=True)
class SixBar:
    """A four-bar with two more links EF and GF, drawn in the first wanted position.

    Attributes:
        four_bar: The driven four-bar A-B-C-D; `cranks` are its wanted positions.
        kind: "Watt I", "Watt II", "Stephenson I" or "Stephenson III": which bodies carry E and G.
        E: Pin on the first of them [m].
        F: Pin between both added links [m].
        G: Pin on the second of them, of a function generator the fixed pivot of the output link GF [m].
        P: Point of the link EF that draws a path, or None [m].
        residual: Largest error in the wanted positions; of angles [rad], of points [m].
        goal: What the error is of, in words.
    """

    four_bar: FourBar
    kind: Kind
    E: Pair
    F: Pair
    G: Pair
    P: Pair | None = None
    residual: float = 0.0
    goal: str = ""

    def complex_at(self, cranks: ArrayLike) -> dict[str, Complexes]:
        """Places of B, C, E, F, G and P for directions of the crank [m], as complex numbers; nan where it does not close."""
        bar = self.four_bar
        a, b, c, d, _ = bar.complex_points
        return _moved(self.kind, np.array([a, b, c, d]), [complex(*each) for each in (self.E, self.F, self.G, self.P or self.E)],
                      np.asarray(cranks, dtype=float) - bar.crank_angle)  # fmt: skip

    @property
    def defects(self) -> tuple[str, ...]:
        """Sentences about wanted positions that a crank cannot reach one after the other; () if there are none."""
        if self.four_bar.defects:
            return self.four_bar.defects
        worst = self.transmission_worst
        if math.isnan(worst):
            return ("branch defect: the links EF and GF do not meet on the way between the positions.",)
        if worst < DEAD:
            return (
                f"dead point: a transmission angle falls to {degrees(worst)} on the way; the crank cannot be trusted to drive it.",
            )
        return ()

    @property
    def transmission_worst(self) -> float:
        """Smallest angle between the links at C and at F on the way between the wanted positions [rad]; nan if it does not close."""
        turns = self.four_bar.turns
        around = np.zeros(1) if turns is None else turns
        swept = self.complex_at(self.four_bar.crank_angle + np.linspace(around.min(), around.max(), 721))
        d = complex(*self.four_bar.D)
        with np.errstate(invalid="ignore", divide="ignore"):
            knees = [
                (swept["C"] - swept["B"]) / (swept["C"] - d),
                (swept["F"] - swept["E"]) / (swept["F"] - swept["G"]),
            ]
            folded = [np.abs(np.arcsin(np.clip(knee.imag / np.abs(knee), -1.0, 1.0))) for knee in knees]
        return float(np.min(folded))

    def model(self, *, speed: float = math.tau) -> PlanarModel:
        """A model: that of the four-bar with bodies "link" (E to F) and "output" (G to F), pins "E", "F", "G", point "P" of the link.

        Args:
            speed: Angular velocity of the crank [rad/s].
        """
        m = FourBar(self.four_bar.A, self.four_bar.B, self.four_bar.C, self.four_bar.D).model(
            speed=speed, name=self.kind
        )
        first, second = (m.ground if name == "ground" else name for name in CARRIERS[self.kind])
        m.body("link", position=self.E)
        m.body("output", position=self.G)
        m.revolute("E", first, "link", at=self.E)
        m.revolute("F", "link", "output", at=self.F)
        m.revolute("G", second, "output", at=self.G)
        if self.P is not None:
            m.point("P", "link", at=self.P)
        return m

    def __str__(self) -> str:
        first, second = CARRIERS[self.kind]
        points = [name for name in "EFGP" if getattr(self, name) is not None]
        lines = [f"{self.kind} six-bar: E on the {first}, G on the {second}"]
        lines.append("  " + "  ".join("{} ({:.6g}, {:.6g})".format(name, *getattr(self, name)) for name in points))
        lines += [f"  {line}" for line in str(self.four_bar).splitlines()[:3]]
        lines.append(f"  transmission angles at C and F at least {degrees(self.transmission_worst)} on the way")
        lines.append(f"  {len(self.four_bar.cranks)} positions, {self.goal}: {told_error(self.residual)}")
        return "\n".join([*lines, *(f"  {each}" for each in self.defects or ("no defects",))])


def _moved(kind: str, bar: Complexes, dyad: Sequence[complex], turns: Floats) -> dict[str, Complexes]:
    """Places of all pins after turns of the crank, on the branches as drawn."""
    a, b, c, d = bar
    e, f, g, p = dyad
    crank = np.exp(1j * turns)
    moved_b = a + (b - a) * crank
    side = 1.0 if ((c - b) * np.conj(d - b)).imag >= 0.0 else -1.0
    moved_c = meet(moved_b, d, abs(c - b), abs(c - d), side)
    spins = {
        "ground": (a, a + 0.0 * crank, 1.0 + 0.0 * crank),
        "crank": (a, a + 0.0 * crank, crank),
        "coupler": (b, moved_b, (moved_c - moved_b) / (c - b)),
        "rocker": (d, d + 0.0 * crank, (moved_c - d) / (c - d)),
    }
    (e0, e1, e_spin), (g0, g1, g_spin) = (spins[name] for name in CARRIERS[kind])
    moved_e, moved_g = e1 + (e - e0) * e_spin, g1 + (g - g0) * g_spin
    side = 1.0 if ((f - e) * np.conj(g - e)).imag >= 0.0 else -1.0
    moved_f = meet(moved_e, moved_g, abs(f - e), abs(f - g), side)
    return {"B": moved_b, "C": moved_c, "E": moved_e, "F": moved_f, "G": moved_g,
            "P": moved_e + (p - e) * (moved_f - moved_e) / (f - e)}  # fmt: skip


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
    phi, psi = numbers(inputs, "inputs", least=6), numbers(outputs, "outputs", least=6)
    if len(phi) != len(psi):
        raise ModelError(f"inputs has {len(phi)} values and outputs has {len(psi)}; give one output for each input.")
    distinct(phi, "inputs")
    turns = phi - phi[0]

    def error(moved: dict[str, Complexes]) -> Floats:
        link = moved["F"] - moved["G"]
        return wrapped(np.angle(link / link[0]) - (psi - psi[0]))

    bars = function_four_bars(phi, psi, free=("input", "output"))
    return _nearest(kind, bars[:3], turns, error, _parallelograms, "output angle [rad]", _count(starts), seed)


@in_sentences
def path_six_bars(
    points: Sequence[Sequence[float]],
    *,
    timing: ArrayLike,
    kind: Kind = "Stephenson III",
    starts: int = 6,
    seed: int = 0,
) -> tuple[SixBar, ...]:
    """Six-bars whose point P of the link EF passes through points at given turns of the crank, by least squares; nearest first.

    Where the coupler carries E (Watt I, Stephenson III) the search begins at fitted four-bars with P in E, so the answer is at least
    as near as they are.

    Args:
        points: Points (x, y), at least 6 [m].
        timing: Turns of the crank from the first point to each, the first one 0 [rad].
        kind: "Watt I", "Watt II", "Stephenson I" or "Stephenson III".
        starts: Starts of the dyad for each four-bar.
        seed: Of the random starts.
    """
    if kind not in get_args(Kind):
        raise ModelError(f"kind must be one of {', '.join(get_args(Kind))}, but it is {short(kind)}.")
    path = places(points, "points", least=6)
    bars = path_four_bars(points, timing=timing, starts=20, seed=seed)
    turns = numbers(timing, "timing")
    size = float(np.max(np.abs(path - path.mean())))

    def error(moved: dict[str, Complexes]) -> Floats:
        gap = (moved["P"] - path) / size
        return np.concatenate([gap.real, gap.imag])

    found = _nearest(kind, bars[:3], turns, error, _hung_on, "point P [m]", _count(starts), seed)
    out = []
    for each in found:
        reached = each.complex_at(each.four_bar.cranks)["P"]
        out.append(
            SixBar(
                each.four_bar,
                each.kind,
                each.E,
                each.F,
                each.G,
                each.P,
                float(np.max(np.abs(reached - path))),
                each.goal,
            )
        )
    return tuple(sorted(out, key=lambda each: (len(each.defects), each.residual)))


def _count(starts: object) -> int:
    if isinstance(starts, bool) or not isinstance(starts, int | np.integer) or starts < 1:
        raise ModelError(f"starts must be a whole number of at least 1, but it is {short(starts)}.")
    return int(starts)


Starts = Callable[[str, FourBar, np.random.Generator], "list[complex]"]


def _parallelograms(kind: str, bar: FourBar, random: np.random.Generator) -> list[complex]:
    """E on rocker or in C, F and G so that the output link stays parallel to the rocker."""
    _, _, c, d, _ = bar.complex_points
    shift = complex(*random.normal(size=2)) * abs(d - c)
    return [c, c + shift, d + shift, c]


def _hung_on(kind: str, bar: FourBar, random: np.random.Generator) -> list[complex]:
    """P in E, which is the coupler's point where the coupler carries E; F and G somewhere near."""
    p = bar.complex_points[4]
    size = sum(bar.lengths)
    e = p if CARRIERS[kind][0] == "coupler" else p + 0.1 * size * complex(*random.normal(size=2))
    g = e + 0.3 * size * complex(*random.normal(size=2))
    # two equal long links meet wherever E and G are
    f = (e + g) / 2 + 1j * (g - e) / abs(g - e) * size * random.choice([-1.0, 1.0]) * random.uniform(1.0, 2.0)
    return [e, f, g, p]


def _nearest(
    kind: Kind, bars: Sequence[FourBar], turns: Floats, error: Callable[[dict[str, Complexes]], Floats], start: Starts,
    goal: str, starts: int, seed: int,
) -> tuple[SixBar, ...]:  # fmt: skip
    found = sorted(
        _fitted(kind, bars, turns, error, start, goal, starts, seed),
        key=lambda each: (len(each.defects), each.residual),
    )
    if not found:
        raise ModelError(
            f"no {kind} six-bar that closes in all positions was found; raise starts={starts} or choose another kind."
        )
    return tuple(found)


def _fitted(
    kind: Kind, bars: Sequence[FourBar], turns: Floats, error: Callable[[dict[str, Complexes]], Floats], start: Starts,
    goal: str, starts: int, seed: int,
) -> Iterator[SixBar]:  # fmt: skip
    from scipy.optimize import least_squares

    random = np.random.default_rng(seed)

    def residuals(x: Floats) -> Floats:
        z = x[0::2] + 1j * x[1::2]
        with np.errstate(all="ignore"):
            away = error(_moved(kind, z[:4], z[4:].tolist(), turns))
        return np.where(np.isfinite(away), away, DRAGGED)

    for bar in bars:
        first = list(bar.complex_points[:4])
        for _ in range(starts):
            z = np.array([*first, *start(kind, bar, random)])
            x = np.column_stack([z.real, z.imag]).ravel()
            if np.max(np.abs(residuals(x))) >= DRAGGED:
                continue
            best = least_squares(residuals, x, x_scale="jac", max_nfev=60)
            made = _made(kind, best.x, turns, float(np.max(np.abs(residuals(best.x)))), goal)
            if made is not None:
                yield made


def _made(kind: Kind, x: Floats, turns: Floats, residual: float, goal: str) -> SixBar | None:
    z = x[0::2] + 1j * x[1::2]
    if residual >= DRAGGED:
        return None
    a, b, c, d, e, f, g, p = (pair(complex(each)) for each in z)
    moved = _moved(kind, z[:4], z[4:].tolist(), turns)
    pins = list(zip(moved["B"].tolist(), moved["C"].tolist(), strict=True))
    bar = FourBar(a, b, c, d).visiting(pins, residual, goal)
    return SixBar(bar, kind, e, f, g, p if goal.startswith("point") else None, residual, goal)
