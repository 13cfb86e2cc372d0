"""Constraints as data: what a joint, a gear pair, a cam or a driver is once its geometry has been worked out."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_names, with_checked_names
from pytrammel._util.messages import brief, measured, unlike
from pytrammel._util.registry import Measured, Registry
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression
from pytrammel.geometry.curves import AnyCurve
from pytrammel.model.bodies import GROUND
from pytrammel.model.quantities.quantity import Quantity, Turn


@brief
@dataclass(frozen=True)
class Block:
    """Rows ``quantity - target = 0``; a target is a constant or a function of time."""

    quantity: Quantity
    targets: tuple[float | Expression, ...]


@dataclass(frozen=True)
class ExtraCoordinate:
    """An unknown beside the bodies' own: the place on a curve.

    Attributes:
        name: Name, e.g. "cam.u".
        start: Estimate in the drawn pose.
        scale: What counts as one for it.
        low, high: Range, or infinite if the curve is closed.
    """

    name: str
    start: float
    scale: float
    low: float
    high: float


SymbolKind = Literal[
    "pin", "slider", "point-on-line", "weld", "guide", "slot-line", "track", "face", "rod", "gear", "ring", "rack", "disc", "wheel", "tyre",
    "cam", "groove", "curve", "spring", "damper", "spring-damper", "actuator", "rope", "gas-spring", "torsion", "motor", "torque", "load",
    "drag", "end-stop", "friction", "revolute", "spherical", "universal", "cylindrical", "prismatic", "screw", "planar", "point", "ball",
]  # fmt: skip


@brief
@dataclass(frozen=True)
class Symbol:
    """Something to draw: a pin, a slider, a rod between two points, a circle. `pytrammel.view.scene.symbols` says how each kind looks.

    Attributes:
        kind: Which symbol.
        body, position: Where it stands: a body, and a point of it in body coordinates [m].
        angle: Direction in that body, in the plane [rad].
        radius: Of round ones [m].
        other_body, other_position: Its other end; of a guide, track, slot or rack: what runs along it.
        curve: Its outline or centre line, in body coordinates.
        axis: Direction in space, body components.
        free: Length at which a rope is taut [m]; angle at which a torsion spring is slack [rad].
        along: The measured quantity that it belongs to, which says where it stands: of stops, friction in joints, and in space of torsion
            springs and motors.
        limits: Of stops: the values between which that quantity is free [rad or m].
    """

    kind: SymbolKind
    body: str
    position: tuple[float, ...]
    angle: float = 0.0
    radius: float = 0.0
    other_body: str = ""
    other_position: tuple[float, ...] = (0.0, 0.0)
    curve: AnyCurve | None = None
    axis: tuple[float, ...] = ()
    free: float = 0.0
    along: Quantity | None = None
    limits: tuple[float, float] = (-traced_numbers.inf, traced_numbers.inf)


def symbol_along(
    kind: SymbolKind,
    quantity: Quantity,
    *,
    free: float = 0.0,
    limits: tuple[float, float] = (-traced_numbers.inf, traced_numbers.inf),
) -> Symbol:
    """What is drawn where a quantity is measured."""
    return Symbol(kind, quantity.bodies[0] if quantity.bodies else GROUND, (), free=free, along=quantity, limits=limits)


@brief
@dataclass(frozen=True)
class Seat:
    """Where a joint stands on one of its bodies.

    Attributes:
        body: Name of the body.
        point: The place, body coordinates [m].
        axis: Unit vector along the joint's axis or line, body components; () if it has none.
        x: Unit vector across the axis from which the joint's frame counts (in space); () if it has none.
        radius: How far the joint reaches round the point: pitch radius, roller, wheel [m].
    """

    body: str
    point: tuple[float, ...]
    axis: tuple[float, ...] = ()
    x: tuple[float, ...] = ()
    radius: float = 0.0


@dataclass(frozen=True)
class Freedom:
    """One motion of the second body against the first that a joint leaves free.

    Attributes:
        kind: "rotation" or "translation".
        seat: The seat (0 first, 1 second body) whose body carries the axis; a rotation is about its point.
        axis: Unit vector in that body's components; () for a rotation in the plane.
        pitch: Advance along the axis per radian, for a screw [m].
    """

    kind: Literal["rotation", "translation"]
    seat: int
    axis: tuple[float, ...] = ()
    pitch: float = 0.0


@brief
@dataclass(frozen=True)
class Presses:
    """Which way a contact pushes that a constraint holds on both sides although it could only push.

    Attributes:
        body: The body that is pushed.
        carrier: Body that carries the normal.
        normal: Unit vector along which `body` is pushed, in the carrier's components; () where it is the outline's.
        side: +1 if that is the right-hand normal of the carrier's outline at the contact, -1 if the left-hand one; 0 without an outline.
        friction: Coefficient of friction that must not be exceeded; None if it does not matter.
    """

    body: str
    carrier: str
    normal: tuple[float, ...] = ()
    side: float = 0.0
    friction: float | None = None


@with_checked_names
@brief
@dataclass(frozen=True)
class Constraint(Measured):
    """One joint, constraint or driver of a model.

    Attributes:
        kind: Registered kind, e.g. "revolute".
        name: Unique name.
        parameters: Arguments that build it again: ``builder(model, name, **parameters)``.
        bodies: Names of the bodies it connects.
        blocks: Rows.
        measures: Quantities that can be read, driven and used in formulas: ``m["A"].angle``.
        extras: Curve coordinates it brings along.
        symbols: For pictures.
        is_driver: True for drivers, which count apart in mobility.
        seats: Where it stands on its bodies, the first body's seat first; () for formulas and coordinates.
        freedom: Motions of the second body against the first that it leaves free, always legal and independent as drawn;
            None where they are not about axes fixed in a body (cams, gears, formulas, drivers).
        separation: For teeth: the motion of the first gear against the second along which they push each other off, and that push per
            force of the row (the tangent of the pressure angle).
        held: Quantities that its row takes for constant and other constraints must hold: where the centres of gears are on their carrier.
        aligned: Scalar products of axes, or sums of such, that are positive where it is closed as meant: rows of perpendiculars
            alone would also let it close with its axes opposite.
        span: Distance that it keeps between its two seats [m]: 0 for a common point, the length of a link; None otherwise.
        presses: Which way it pushes, for contacts that cannot pull in truth; None for the others.
        prescribes: The measured quantity that it holds or drives, where it does nothing else; it belongs to other parts, which show it.
        motions: For drivers: the given motions, as functions of time, with their units, by the quantities that they drive.
    """

    kind: str
    name: str
    parameters: Mapping[str, Any]
    bodies: tuple[str, ...]
    blocks: tuple[Block, ...]
    measures: Mapping[str, Quantity] = field(default_factory=lambda: MappingProxyType({}))
    extras: tuple[ExtraCoordinate, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    is_driver: bool = False
    seats: tuple[Seat, ...] = ()
    freedom: tuple[Freedom, ...] | None = None
    span: float | None = None
    aligned: tuple[Quantity, ...] = ()
    separation: tuple[Quantity, float] | None = None
    held: tuple[Quantity, ...] = ()
    presses: Presses | None = None
    prescribes: Quantity | None = None
    motions: Mapping[str, tuple[Expression, str]] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def turning(self) -> bool:
        """A bearing: it turns about one axis, and may slide along that axis only."""
        free = self.freedom or ()
        return sum(f.kind == "rotation" for f in free) == 1 and self._one_axis

    @property
    def sliding(self) -> bool:
        """A guide: it slides along one axis and does not turn."""
        return len(self.freedom or ()) == 1 and self._one_axis and not self.turning

    @property
    def _one_axis(self) -> bool:
        return len({(f.seat, f.axis) for f in self.freedom or ()}) == 1

    @property
    def held_body(self) -> str | None:
        """The body that it holds to the ground without any freedom, if it does."""
        if self.freedom == () and GROUND in self.bodies:
            return next(body for body in self.bodies if body != GROUND)
        return None

    @property
    def moving(self) -> tuple[str, ...]:
        """Names of its measures that its own rows do not hold or drive."""
        rows = [block.quantity for block in self.blocks]
        return tuple(name for name, measure in self.measures.items() if not any(measure is row for row in rows))

    @property
    def second(self) -> str:
        """The body on which its reaction is told unless another one is asked for."""
        return self.seats[-1].body if len(self.seats) > 1 else self.bodies[-1]

    def seat_on(self, body: str) -> Seat | None:
        """Its seat on a body, if it has one there."""
        return next((seat for seat in self.seats if seat.body == body), None)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Turn counters that its rows and measures need."""
        quantities = [*self.measures.values(), *[block.quantity for block in self.blocks]]
        found = [quantity.all_turns for quantity in quantities if quantity.turn is not None or quantity.inputs]
        return tuple(itertools.chain.from_iterable(found))

    @property
    def n_rows(self) -> int:
        """Number of equations that it adds."""
        return sum(len(block.targets) for block in self.blocks)

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r} ({' – '.join(self.bodies)})"


_registry: Registry[Constraint] = Registry("pytrammel.joints")
constraint_type = _registry.register
sample_arguments = _registry.sample
follow_constraint_types = _registry.follow


@checked_names
def constraint_types() -> Mapping[str, Callable[..., Constraint]]:
    """All constraint types by name: files of `pytrammel.joints`, and plugins."""
    return _registry.types


def check_positive(value: float, what: str) -> float:
    """A length that must be greater than zero."""
    if not value > 0.0:
        raise ModelError(f"{what} is {measured(value, what)}; it must be greater than 0.")
    return value


PRESSURE = traced_numbers.radians(20.0)  # the standard pressure angle of teeth


def pressure_tangent(angle: float, what: str) -> float:
    """Tangent of a pressure angle given in radians."""
    if not 0.0 <= angle < 0.25 * traced_numbers.pi:
        texts = unlike(float(angle), 0.25 * traced_numbers.pi)
        raise ModelError(
            f"pressure angle of {what} is {texts[0]} rad; it must be at least 0 and below pi/4 ({texts[1]} rad). Give radians: tm.deg(20)."
        )
    return traced_numbers.tan(angle)
