"""Quantities: uses of a primitive. A measured quantity, a joint row and a driven coordinate are all the same thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from pytrammel._util import traced_numbers
from pytrammel._util.messages import brief
from pytrammel._util.not_numbers import NotNumber
from pytrammel.expressions.expression import NAME_PATTERN, Expression
from pytrammel.geometry.curves import AnyCurve

LENGTH, ANGLE, NUMBER = "m", "rad", "1"


@brief
@dataclass(frozen=True)
class Turn:
    """An angle in space whose turns are counted.

    Attributes:
        name: Name of the angle, e.g. "A.angle".
        first, second: Bodies: the angle of a vector of the second in the x-y plane of a frame on the first.
        data: x and y axis of that frame in the first body, the vector in the second: nine numbers.
        start: The angle in the drawn pose [rad].
    """

    name: str
    first: str
    second: str
    data: tuple[float, ...]
    start: float


@brief
@dataclass(frozen=True)
class Quantity(NotNumber):
    """A scalar or two-component function of the coordinates, as data.

    Attributes:
        primitive: Name of the kernel primitive that evaluates it.
        bodies: Names of the bodies it depends on, in the primitive's order.
        data: Constants of the primitive, SI.
        units: One unit per output: "m", "rad" or "1".
        label: How people call it, e.g. "A.angle".
        curve: Curve that is followed, if any.
        extra: Name of the curve coordinate, if any.
        formula: Expression of `inputs` and t, for the primitive "expression".
        inputs: Measured quantities used by the formula, by the name used there.
        rate_only: It has a rate but no value (its primitive is `velocity_only`).
        turn: Counter of an angle that must not jump by whole turns.
        rates: Those of the inputs whose rate is meant (in formulas that are watched, not enforced).
    """

    primitive: str
    bodies: tuple[str, ...]
    data: tuple[float, ...]
    units: tuple[str, ...] = (LENGTH,)
    label: str = ""
    curve: AnyCurve | None = None
    extra: str | None = None
    formula: Expression | None = None
    inputs: Mapping[str, Quantity] = field(default_factory=lambda: MappingProxyType({}))
    rates: frozenset[str] = frozenset()
    turn: Turn | None = None
    rate_only: bool = False

    def _title(self) -> str:
        return f"the quantity {self}"

    def _formula_remedy(self, sign: str) -> str:
        if not NAME_PATTERN.fullmatch(self.label):
            return "Use a named point, joint or measure, and its name in the text of a formula."
        if sign:
            return f"Use its name in the text of a formula, e.g. '{self.label} {sign} 3', or tm.parse('{self.label}') {sign} 3."
        return (
            f"Use its name in the text of a formula, e.g. 'sin({self.label})', or result['{self.label}'] after a run."
        )

    @property
    def has_value(self) -> bool:
        """False for angular velocities and slip, which are not the derivative of anything."""
        return not self.rate_only

    @property
    def all_turns(self) -> tuple[Turn, ...]:
        """Its own turn counter and those of its inputs."""
        own = () if self.turn is None else (self.turn,)
        if not self.inputs:
            return own
        return own + tuple(turn for inner in self.inputs.values() for turn in inner.all_turns)

    @property
    def unit(self) -> str:
        """Unit of the first output."""
        return self.units[0]

    def __str__(self) -> str:
        return self.label or f"{self.primitive}({', '.join(self.bodies)})"


def linear(weights: Mapping[str, tuple[float, float, float]], unit: str, label: str) -> Quantity:
    """Weighted sum of coordinates: per body the weights of x, y and phi."""
    data = [float(len(weights))]
    for triple in weights.values():
        data.extend(map(traced_numbers.real, triple))
    return Quantity("linear", tuple(weights), tuple(data), (unit,), label)
