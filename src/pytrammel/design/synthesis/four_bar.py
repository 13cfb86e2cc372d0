"""A four-bar as a design: dimensions, Grashof type, transmission angle, defects, and the model that confirms it."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.checks import checked
from pytrammel.design.synthesis.argument_checks import Complexes, Floats, Pair, degrees, pair
from pytrammel.design.synthesis.circuits import Range, crank_ranges
from pytrammel.design.synthesis.cranked import Cranked, keep_points
from pytrammel.errors import ModelError

if TYPE_CHECKING:
    from pytrammel.model.planar import PlanarModel

CHANGE = 1e-9  # of the sum of lengths: linkages as near to a change point as this count as one


def left_of(first: Any, point: Any, second: Any) -> Any:
    """1 where points lie left of the way from the first to the second, -1 elsewhere."""
    return np.where(((point - first) * np.conj(second - first)).imag >= 0.0, 1.0, -1.0)


def meet(first: Any, second: Any, a: Any, b: Any, side: Any) -> Complexes:
    """Places at the distance a from the first and b from the second, left (1) or right (-1) of the way; nan if too far apart."""
    way = np.asarray(second - first, dtype=complex)
    gap = np.abs(way)
    with np.errstate(divide="ignore", invalid="ignore"):
        along = (gap**2 + a**2 - b**2) / (2.0 * gap)
        height = (a - along) * (a + along)
        # at a dead point the height is the root of a rounding error
        height = np.where(np.abs(height) < 1e-14 * (a * a + gap**2), 0.0, height)
        return np.asarray(first + (along + 1j * side * np.sqrt(height)) * way / gap, dtype=complex)


def moved_pins(points: Complexes, turns: Floats) -> dict[str, Complexes]:
    """Places of B, C and P of four-bars drawn at A, B, C, D (and P), after turns of their cranks, on the branch as drawn.

    Points have the shape (..., 4 or 5), turns (..., positions).
    """
    a, b, c, d, p = (points[..., min(k, points.shape[-1] - 1), None] for k in range(5))
    moved = a + (b - a) * np.exp(1j * turns)
    pin = meet(moved, d, np.abs(c - b), np.abs(c - d), left_of(b, c, d))
    return {"B": moved, "C": pin, "P": moved + (pin - moved) * ((p - b) / (c - b))}


@checked("A", "B", "C", "D", "P")
@dataclass(frozen=True)
class FourBar(Cranked):
    """A four-bar A-B-C-D, drawn in the first wanted position; A and D are fixed, AB is the crank.

    Attributes:
        A: Fixed pivot of the crank [m].
        B: Pin between crank and coupler [m].
        C: Pin between coupler and rocker [m].
        D: Fixed pivot of the rocker [m].
        P: Coupler point, or None [m].
        cranks: Directions of AB in the wanted positions, in the order asked for [rad].
        sides: For each of them 1 if C lies left of the way from B to D, -1 if right.
        residual: Largest error in the wanted positions; of angles [rad], of points [m].
        goal: What the error is of, in words.
    """

    A: Pair
    B: Pair
    C: Pair
    D: Pair
    P: Pair | None = None
    cranks: tuple[float, ...] = ()
    sides: tuple[int, ...] = ()
    residual: float = 0.0
    goal: str = ""

    def __post_init__(self) -> None:
        keep_points(self, "ABCDP", "four-bar")
        size = sum(self.lengths)
        for word, length in zip(("ground AD", "crank AB", "coupler BC", "rocker DC"), self.lengths, strict=True):
            if length <= 1e-12 * size:
                raise ModelError(f"four-bar: the {word} has no length; its two pivots are the same point.")
        object.__setattr__(self, "cranks", tuple(self.cranks))
        object.__setattr__(self, "sides", tuple(self.sides))
        if len(self.cranks) != len(self.sides):
            raise ModelError(
                f"four-bar: cranks has {len(self.cranks)} directions, but sides has {len(self.sides)} entries; give one side for each."
            )
        if not self.cranks:
            _, b, c, d, _ = self.complex_points
            object.__setattr__(self, "cranks", (self.crank_angle,))
            object.__setattr__(self, "sides", (_side(b, c, d),))

    @classmethod
    def drawn(cls, points: Complexes) -> Self:
        """A four-bar drawn at A, B, C, D (and P), as complex numbers."""
        a, b, c, d, *rest = (pair(complex(z)) for z in points)
        return cls(a, b, c, d, rest[0] if rest else None)

    # dimensions --------------------------------------------------------------------------------------------------

    @property
    def complex_points(self) -> tuple[complex, complex, complex, complex, complex]:
        """A, B, C, D, P as complex numbers [m]; P is nan where there is none."""
        given = (self.A, self.B, self.C, self.D, self.P or (math.nan, math.nan))
        a, b, c, d, p = (complex(*each) for each in given)
        return a, b, c, d, p

    @property
    def lengths(self) -> tuple[float, float, float, float]:
        """Ground, crank, coupler, rocker [m]."""
        a, b, c, d, _ = self.complex_points
        return abs(d - a), abs(b - a), abs(c - b), abs(c - d)

    @property
    def crank_angle(self) -> float:
        """Direction of AB as drawn [rad]."""
        a, b, *_ = self.complex_points
        return cmath.phase(b - a)

    @property
    def branch(self) -> int:
        """Assembly as drawn: 1 if C lies left of the way from B to D, -1 if right."""
        _, b, c, d, _ = self.complex_points
        return _side(b, c, d)

    @property
    def grashof(self) -> str:
        """Type by Grashof's rule: crank-rocker, double crank, rocker-crank, double rocker, triple rocker or change point."""
        order = sorted(self.lengths)
        excess = order[0] + order[3] - order[1] - order[2]
        if abs(excess) <= CHANGE * sum(order):
            return "change point"
        if excess > 0.0:
            return "triple rocker"
        return ("double crank", "crank-rocker", "double rocker", "rocker-crank")[int(np.argmin(self.lengths))]

    @property
    def flat(self) -> bool:
        return self.grashof == "change point"

    @property
    def crank_ranges(self) -> tuple[Range, ...]:
        """Directions of the crank in which the linkage closes, as (from, to) [rad]; one pair of a full turn if it goes round."""
        a, _, _, d, _ = self.complex_points
        return crank_ranges(self.lengths, cmath.phase(d - a))

    @property
    def full_turn(self) -> bool:
        """Whether the crank can go round."""
        return self.crank_ranges[0][1] - self.crank_ranges[0][0] >= math.tau * (1.0 - 1e-15)

    @property
    def _dead_pins(self) -> tuple[complex, complex] | None:
        if self.grashof != "crank-rocker":
            return None
        a, _, _, d, _ = self.complex_points
        _, crank, coupler, rocker = self.lengths
        outer, inner = (
            complex(meet(a, d, long, rocker, self.branch)) - a for long in (coupler + crank, coupler - crank)
        )
        return outer, inner

    @property
    def swing(self) -> float | None:
        """Angle through which the rocker swings while the crank goes round [rad]; None if it does not swing."""
        if (pins := self._dead_pins) is None:
            return None
        a, _, _, d, _ = self.complex_points
        return abs(cmath.phase((pins[0] + a - d) / (pins[1] + a - d)))

    # motion ------------------------------------------------------------------------------------------------------

    @checked
    def complex_at(self, cranks: ArrayLike, *, side: ArrayLike | None = None) -> dict[str, Complexes]:
        """Places of B, C and P for directions of the crank, as complex numbers [m]; nan where the linkage does not close."""
        a, b, c, d, p = self.complex_points
        _, crank, coupler, rocker = self.lengths
        moved: Complexes = np.asarray(a + crank * np.exp(1j * np.asarray(cranks, dtype=float)), dtype=complex)
        pin = meet(moved, d, coupler, rocker, self._side_of(cranks, side))
        return {"B": moved, "C": pin, "P": moved + (pin - moved) * ((p - b) / (c - b))}

    @checked
    def transmission(self, cranks: ArrayLike) -> Floats:
        """Transmission angle between coupler and rocker at C, 0 to pi, for directions of the crank [rad]."""
        a, _, _, d, _ = self.complex_points
        ground, crank, coupler, rocker = self.lengths
        turned = np.asarray(cranks, dtype=float) - cmath.phase(d - a)
        gap2 = ground**2 + crank**2 - 2.0 * ground * crank * np.cos(turned)
        cosine = (coupler**2 + rocker**2 - gap2) / (2.0 * coupler * rocker)
        return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)), dtype=float)

    @property
    def transmission_range(self) -> Range:
        """Smallest and largest transmission angle over `travel` [rad]."""
        low, high = self.travel
        a, _, _, d, _ = self.complex_points
        zero = cmath.phase(d - a)
        turns = np.arange(math.ceil((low - zero) / math.pi), math.floor((high - zero) / math.pi) + 1)
        angles = self.transmission(np.array([low, high, *(zero + math.pi * turns)]))
        return float(angles.min()), float(angles.max())

    @property
    def transmission_worst(self) -> float:
        """The transmission angle that is farthest from 90°, as an angle of at most 90° [rad]."""
        low, high = self.transmission_range
        return min(low, math.pi - high)

    # wanted positions --------------------------------------------------------------------------------------------

    def visiting(self, pins: Sequence[tuple[complex, complex]], residual: float, goal: str) -> Self:
        """The same with the wanted positions given by the places of B and C in each."""
        a, _, _, d, _ = self.complex_points
        return replace(
            self,
            cranks=tuple(cmath.phase(b - a) for b, _ in pins),
            sides=tuple(_side(b, c, d) for b, c in pins),
            residual=float(residual),
            goal=goal,
        )

    @checked
    def model(
        self, *, speed: float = math.tau, name: str = "four-bar", gravity: Sequence[float] = (0.0, -9.81)
    ) -> PlanarModel:
        """A model of the linkage, its crank driven from the first wanted position.

        Bodies "crank", "coupler", "rocker"; pins "A" to "D"; point "P"; driver "motor": ``A.angle = speed * t``.

        Args:
            speed: Angular velocity of the crank [rad/s].
            name: Name of the model.
            gravity: Acceleration of gravity [m/s²].
        """
        pins = {
            "A": ("ground", "crank", self.A),
            "B": ("crank", "coupler", self.B),
            "C": ("coupler", "rocker", self.C),
            "D": ("ground", "rocker", self.D),
        }
        return self.driven_model(name, gravity, speed, {"crank": self.A, "coupler": self.B, "rocker": self.D}, pins)

    def __str__(self) -> str:
        lengths = zip(("ground", "crank", "coupler", "rocker"), self.lengths, strict=True)
        lines = [f"four-bar, {self.grashof}: " + ", ".join(f"{word} {length:.6g} m" for word, length in lengths)]
        points = [name for name in "ABCDP" if getattr(self, name) is not None]
        lines.append("  " + "  ".join("{} ({:.6g}, {:.6g})".format(name, *getattr(self, name)) for name in points))
        low, high = self.transmission_range
        turn = "goes round" if self.full_turn else f"swings through {degrees(self.travel[1] - self.travel[0])}"
        swing = (
            ""
            if self.swing is None
            else f", the rocker swings through {degrees(self.swing)}, time ratio {self.time_ratio:.4g}"
        )
        lines.append(f"  the crank {turn}{swing}; transmission angle {degrees(low)} to {degrees(high)}")
        return "\n".join([*lines, *self.told()])


def _side(b: complex, c: complex, d: complex) -> int:
    return 1 if ((c - b) * (d - b).conjugate()).imag >= 0.0 else -1


def best_first(found: Sequence[FourBar]) -> tuple[FourBar, ...]:
    """Designs without defects first, of these the ones with the better transmission angle."""
    return tuple(sorted(found, key=lambda each: (len(each.defects), -each.transmission_worst)))
