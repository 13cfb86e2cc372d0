"""What designs with a driven crank have in common: their places, wanted positions, defects, and how their models begin."""

from __future__ import annotations

import cmath
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pytrammel._util.checks import checked
from pytrammel._util.messages import short
from pytrammel.design.synthesis.argument_checks import Complexes, Floats, Pair, pair, place, told_error
from pytrammel.design.synthesis.circuits import Range, found_defects, ordered_turns
from pytrammel.errors import ModelError

if TYPE_CHECKING:
    from pytrammel.model.planar import PlanarModel


def keep_points(design: object, names: str, what: str) -> None:
    """Points of a frozen design, checked and as pairs of numbers; only P may be missing."""
    for name in names:
        value = getattr(design, name)
        if name != "P" or value is not None:
            object.__setattr__(design, name, pair(place(value, f"{name} of the {what}")))


class Fitted(Protocol):
    """A design that was fitted."""

    @property
    def defects(self) -> tuple[str, ...]: ...

    @property
    def residual(self) -> float: ...


def worth(design: Fitted) -> tuple[int, float]:
    """Order of designs: those without defects first, of these the nearest."""
    return len(design.defects), design.residual


class Cranked(ABC):
    """A four-bar or slider-crank; the attributes are fields of those."""

    P: Pair | None
    cranks: tuple[float, ...]
    sides: tuple[int, ...]
    residual: float
    goal: str

    @property
    @abstractmethod
    def full_turn(self) -> bool:
        """Whether the crank can go round."""

    @property
    @abstractmethod
    def crank_ranges(self) -> tuple[Range, ...]:
        """Directions of the crank in which the linkage closes, as (from, to) [rad]."""

    @property
    @abstractmethod
    def branch(self) -> int:
        """Assembly of the design, 1 or -1."""

    def _side_of(self, cranks: ArrayLike, side: ArrayLike | None) -> NDArray[np.float64]:
        """Return the assembly for directions of the crank; that of the design if `side` is None.

        Raises:
            ModelError: A side is neither 1 nor -1, or its shape does not fit the directions.
        """
        sides = np.asarray(self.branch if side is None else side, dtype=float)
        if not (np.abs(sides) == 1.0).all():
            raise ModelError(f"side must be 1 or -1 (or an array of them), but it is {short(side)}.")
        try:
            np.broadcast_shapes(np.shape(cranks), sides.shape)
        except ValueError:
            raise ModelError(
                f"side has shape {sides.shape}, but cranks have shape {np.shape(cranks)}. Use one side, or one for each direction."
            ) from None
        return sides

    @abstractmethod
    def complex_at(self, cranks: ArrayLike, *, side: ArrayLike | None = None) -> dict[str, Complexes]:
        """Places of B, C and P for directions of the crank, as complex numbers [m]; nan where the linkage does not close."""

    @property
    @abstractmethod
    def _dead_pins(self) -> tuple[complex, complex] | None:
        """C from A where crank and coupler are stretched, and where they are folded [m]; None if the crank does not swing the output."""

    @property
    def dead_centres(self) -> tuple[float, float] | None:
        """Directions of the crank where the output turns back, the second one after it; a counterclockwise crank takes longer from
        the first to the second than on to the next turn [rad]. None unless the crank goes round while the output swings."""
        pins = self._dead_pins
        if pins is None:
            return None
        outer, lean = cmath.phase(pins[0]), cmath.phase(pins[1] / pins[0])
        return (outer, outer + lean + math.pi) if lean >= 0.0 else (outer + lean + math.pi, outer + math.tau)

    @property
    def time_ratio(self) -> float | None:
        """Duration of the slow stroke over that of the quick one, the crank turning evenly; None without dead centres."""
        if (centres := self.dead_centres) is None:
            return None
        slow = centres[1] - centres[0]
        return slow / (math.tau - slow)

    @checked
    def at(self, cranks: ArrayLike, *, side: ArrayLike | None = None) -> dict[str, Floats]:
        """Places of B, C and P for directions of the crank, by the closed form.

        Args:
            cranks: Directions of AB [rad], any shape.
            side: Assembly, 1 or -1 as in `sides`; the drawn one by default.

        Returns:
            Arrays of shape (..., 2) [m]; nan where the linkage does not close.
        """
        moved = self.complex_at(cranks, side=side)
        return {
            name: np.stack([z.real, z.imag], axis=-1) for name, z in moved.items() if name != "P" or self.P is not None
        }

    @property
    def turns(self) -> Floats | None:
        """Angle of the crank from the first prescribed position to each [rad], in order; None with defects."""
        return ordered_turns(self.crank_ranges, self.cranks, self.sides)

    @property
    def travel(self) -> Range:
        """Directions of the crank that the design runs through: a turn, or from the first to the last wanted position [rad]."""
        if self.full_turn:
            return self.crank_ranges[0]
        turns = self.turns
        if turns is not None and len(turns) > 1:
            return self.cranks[0] + float(np.min(turns)), self.cranks[0] + float(np.max(turns))
        for low, high in self.crank_ranges:
            if low - 1e-9 <= low + (self.cranks[0] - low) % math.tau <= high + 1e-9:
                return low, high
        return self.crank_ranges[0]

    @property
    def flat(self) -> bool:
        """Whether all links can lie in one line, a change point."""
        return False

    @property
    def defects(self) -> tuple[str, ...]:
        """Sentences about wanted positions on different circuits or branches, or passed in another order; () if there are none."""
        return found_defects(self.crank_ranges, self.cranks, self.sides, flat=self.flat)

    def told(self) -> list[str]:
        """Lines about the wanted positions."""
        lines = [f"  {len(self.cranks)} positions, {self.goal}: {told_error(self.residual)}"] if self.goal else []
        return lines + [
            f"  {sentence}" for sentence in self.defects or (("no defects",) if len(self.cranks) > 1 else ())
        ]

    def driven_model(
        self, name: str, gravity: Sequence[float], speed: float, bodies: Mapping[str, Pair], pins: Mapping[str, tuple[str, str, Pair]]
    ) -> PlanarModel:  # fmt: skip
        """A model with bodies, pins (first body, second body, place), the point P of the second body, and a motor at A."""
        from pytrammel.expressions.expression import time
        from pytrammel.model.planar import PlanarModel

        m = PlanarModel(name, gravity=gravity)
        for body, at in bodies.items():
            m.body(body, position=at)
        for pin, (first, second, at) in pins.items():
            m.revolute(pin, m.ground if first == "ground" else first, second, at=at)
        if self.P is not None:
            m.point("P", list(bodies)[1], at=self.P)
        m.driver("motor", m["A"].angle, speed * time)
        return m
