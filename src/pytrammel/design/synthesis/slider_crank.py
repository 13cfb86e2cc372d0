"""A slider-crank as a design."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.checks import checked
from pytrammel.design.synthesis.argument_checks import Complexes, Floats, Pair, degrees, pair
from pytrammel.design.synthesis.circuits import Range
from pytrammel.design.synthesis.cranked import Cranked, keep_points
from pytrammel.errors import ModelError

if TYPE_CHECKING:
    from pytrammel.model.planar import PlanarModel


def moved_rod(points: Complexes, direction: Floats, turns: Floats) -> dict[str, Complexes]:
    """Places of B, C and P of slider-cranks drawn at A, B, C and P, after turns of their cranks, on the branch as drawn.

    Points have the shape (..., 4), directions of the slide (...), turns (..., positions).
    """
    a, b, c, p = (points[..., k, None] for k in range(4))
    along = np.exp(1j * direction)[..., None]
    moved = a + (b - a) * np.exp(1j * turns)
    rod = c - b
    rise = ((c - moved) / along).imag
    ahead = np.sqrt((np.abs(rod) - rise) * (np.abs(rod) + rise)) * np.where((rod / along).real >= 0.0, 1.0, -1.0)
    pin = moved + (ahead + 1j * rise) * along
    return {"B": moved, "C": pin, "P": moved + (pin - moved) * ((p - b) / rod)}


@checked("A", "B", "C", "P")
@dataclass(frozen=True)
class SliderCrank(Cranked):
    """A slider-crank: crank A-B, rod B-C, C slides along a line; drawn in the first wanted position.

    Attributes:
        A: Fixed pivot of the crank [m].
        B: Pin between crank and rod [m].
        C: Pin between rod and slider [m].
        direction: Direction of the slide [rad].
        P: Point of the rod, or None [m].
        cranks: Directions of AB in the wanted positions, in the order asked for [rad].
        sides: For each 1 if C lies ahead of B along the slide, -1 if behind.
        residual: Largest error in the wanted positions, of points and strokes [m].
        goal: What the error is of, in words.
    """

    A: Pair
    B: Pair
    C: Pair
    direction: float = 0.0
    P: Pair | None = None
    cranks: tuple[float, ...] = ()
    sides: tuple[int, ...] = ()
    residual: float = 0.0
    goal: str = ""

    def __post_init__(self) -> None:
        keep_points(self, "ABCP", "slider-crank")
        for word, length in (("crank AB", self.crank), ("rod BC", self.rod)):
            if length <= 1e-12 * (self.crank + self.rod):
                raise ModelError(f"slider-crank: the {word} has no length; its two pins are the same point.")
        object.__setattr__(self, "cranks", tuple(self.cranks))
        object.__setattr__(self, "sides", tuple(self.sides))
        if len(self.cranks) != len(self.sides):
            raise ModelError(
                f"slider-crank: cranks has {len(self.cranks)} directions, but sides has {len(self.sides)} entries; give one side for each."
            )
        if not self.cranks:
            object.__setattr__(self, "cranks", (cmath.phase(complex(*self.B) - complex(*self.A)),))
            object.__setattr__(self, "sides", (self.branch,))

    @classmethod
    def drawn(cls, points: Complexes, direction: float) -> Self:
        """A slider-crank drawn at A, B, C, P, as complex numbers."""
        a, b, c, p = (pair(complex(z)) for z in points)
        return cls(a, b, c, math.remainder(direction, math.tau), p)

    @property
    def crank(self) -> float:
        """Length AB [m]."""
        return math.dist(self.A, self.B)

    @property
    def rod(self) -> float:
        """Length BC [m]."""
        return math.dist(self.B, self.C)

    @property
    def offset(self) -> float:
        """Distance of the slide's line from A, positive to the left of `direction` [m]."""
        return float(((complex(*self.C) - complex(*self.A)) * cmath.exp(-1j * self.direction)).imag)

    @property
    def branch(self) -> int:
        """Assembly as drawn: 1 if C lies ahead of B along the slide, -1 if behind."""
        ahead = (complex(*self.C) - complex(*self.B)) * cmath.exp(-1j * self.direction)
        return 1 if ahead.real >= 0.0 else -1

    @property
    def full_turn(self) -> bool:
        """Whether the crank can go round."""
        return self.crank + abs(self.offset) <= self.rod * (1.0 + 1e-12)

    @property
    def crank_ranges(self) -> tuple[Range, ...]:
        """Directions of the crank in which the linkage closes, as (from, to) [rad]."""
        if self.full_turn:
            return ((self.direction - math.pi, self.direction + math.pi),)
        # |offset - crank sin| <= rod
        lowest, highest = (self.offset - self.rod) / self.crank, (self.offset + self.rod) / self.crank
        low = -math.pi / 2 if lowest <= -1.0 else math.asin(min(1.0, lowest))
        high = math.pi / 2 if highest >= 1.0 else math.asin(max(-1.0, highest))
        d = self.direction
        if lowest <= -1.0:  # both halves join below the line
            return ((d - math.pi - high, d + high),)
        if highest >= 1.0:
            return ((d + low, d + math.pi - low),)
        return (d + low, d + high), (d + math.pi - high, d + math.pi - low)

    @property
    def _dead_pins(self) -> tuple[complex, complex] | None:
        if not self.full_turn or self.rod <= self.crank + abs(self.offset):
            return None
        turn, e = cmath.exp(1j * self.direction), self.offset
        outer, inner = (
            (self.branch * math.sqrt((long - e) * (long + e)) + 1j * e) * turn
            for long in (self.rod + self.crank, self.rod - self.crank)
        )
        return outer, inner

    @property
    def stroke_length(self) -> float | None:
        """Way of the slider between its dead centres [m]; None if the crank does not go round."""
        if (pins := self._dead_pins) is None:
            return None
        return abs(pins[0] - pins[1])

    @checked
    def complex_at(self, cranks: ArrayLike, *, side: ArrayLike | None = None) -> dict[str, Complexes]:
        """Places of B, C and P for directions of the crank, as complex numbers [m]; nan where the linkage does not close."""
        turn = cmath.exp(1j * self.direction)
        arm = self.crank * np.exp(1j * (np.asarray(cranks, dtype=float) - self.direction))
        rise = self.offset - arm.imag
        with np.errstate(invalid="ignore"):
            ahead = np.sqrt((self.rod - rise) * (self.rod + rise))
        chosen = self._side_of(cranks, side)
        a = complex(*self.A)
        b = a + arm * turn
        c = a + (arm + chosen * ahead + 1j * rise) * turn
        p = complex(*(self.P or (math.nan, math.nan)))
        shape = (p - complex(*self.B)) / (complex(*self.C) - complex(*self.B))
        return {"B": b, "C": np.asarray(c), "P": np.asarray(b + (c - b) * shape)}

    @checked
    def stroke(self, cranks: ArrayLike, *, side: ArrayLike | None = None) -> Floats:
        """Displacement of C along `direction` from the foot of A [m]."""
        c = self.complex_at(cranks, side=side)["C"]
        return np.asarray(((c - complex(*self.A)) * cmath.exp(-1j * self.direction)).real, dtype=float)

    @property
    def transmission_worst(self) -> float:
        """Smallest angle between rod and the normal of the slide over `travel` [rad]."""
        low, high = (each - self.direction - math.pi / 2 for each in self.travel)
        # the rod leans most at the ends, or where the crank stands across the slide
        turns = np.arange(math.ceil(low / math.pi), math.floor(high / math.pi) + 1)
        rise = self.offset - self.crank * np.cos([low, high, *(math.pi * turns)])
        return float(np.arccos(np.minimum(1.0, np.max(np.abs(rise)) / self.rod)))

    def visiting(self, pins: Sequence[tuple[complex, complex]], residual: float, goal: str) -> Self:
        """The same with the wanted positions given by the places of B and C in each."""
        back = cmath.exp(-1j * self.direction)
        return replace(
            self,
            cranks=tuple(cmath.phase(b - complex(*self.A)) for b, _ in pins),
            sides=tuple(1 if ((c - b) * back).real >= 0.0 else -1 for b, c in pins),
            residual=float(residual),
            goal=goal,
        )

    @checked
    def model(
        self, *, speed: float = math.tau, name: str = "slider-crank", gravity: Sequence[float] = (0.0, -9.81)
    ) -> PlanarModel:
        """A model of it, its crank driven from the first wanted position.

        Bodies "crank", "rod", "slider"; pins "A", "B", "C"; slide "guide"; point "P"; driver "motor": ``A.angle = speed * t``.

        Args:
            speed: Angular velocity of the crank [rad/s].
            name: Name of the model.
            gravity: Acceleration of gravity [m/s²].
        """
        pins = {
            "A": ("ground", "crank", self.A),
            "B": ("crank", "rod", self.B),
            "C": ("rod", "slider", self.C),
        }
        m = self.driven_model(name, gravity, speed, {"crank": self.A, "rod": self.B, "slider": self.C}, pins)
        along = (math.cos(self.direction), math.sin(self.direction))
        m.prismatic("guide", m.ground, "slider", at=self.C, axis=along)
        return m

    def __str__(self) -> str:
        turn = "goes round" if self.full_turn else f"swings through {degrees(self.travel[1] - self.travel[0])}"
        if self.stroke_length is not None:
            turn += f", the stroke is {self.stroke_length:.6g} m, time ratio {self.time_ratio:.4g}"
        lines = [
            f"slider-crank: crank {self.crank:.6g} m, rod {self.rod:.6g} m, offset {self.offset:.6g} m, "
            f"slide along {degrees(self.direction)}",
            "  " + "  ".join("{} ({:.6g}, {:.6g})".format(n, *getattr(self, n)) for n in "ABCP" if getattr(self, n) is not None),
            f"  the crank {turn}; transmission angle at least {degrees(self.transmission_worst)}",
        ]  # fmt: skip
        return "\n".join([*lines, *self.told()])
