"""Forces as data: what a spring, a motor or a contact is once its geometry has been worked out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from pytrammel._util.checks import checked_names, checked_number, with_checked_names
from pytrammel._util.messages import brief, measured, short, unlike
from pytrammel._util.registry import Measured, Registry
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression
from pytrammel.geometry.curves import Curve
from pytrammel.joints.constraint import Block, Symbol
from pytrammel.model.quantities.quantity import Quantity, Turn

Role = Literal["spring", "damping", "input", "contact"]


@brief
@dataclass(frozen=True)
class Load:
    """How what a joint carries presses its surfaces together.

    Attributes:
        body: A moving body of the joint.
        carrier: Body that carries the bearing or guide.
        point, axis: Its middle and its axis, in components of the carrier; in the plane the line of a guide.
        length: Length over which a couple across the axis is carried [m]; None if couples do not count.
        radius: Distance from the axis at which a guide carries a couple about it [m]; None if it does not count.
        slides: A guide, not a bearing.
    """

    body: str
    carrier: str
    point: tuple[float, ...]
    axis: tuple[float, ...]
    length: float | None = None
    radius: float | None = None
    slides: bool = False


@brief
@dataclass(frozen=True)
class Input:
    """An argument of a law: a quantity's value or rate, the size of a joint's reaction (or how it presses), time, or a user's state.

    `joint` is the name of the joint, or that of the state.
    """

    kind: Literal["value", "rate", "reaction", "time", "state"]
    quantity: Quantity | None = None
    joint: str = ""
    load: Load | None = None


@brief
@dataclass(frozen=True)
class ForceUse:
    """One use of a force element.

    Attributes:
        element: Name of the kernel element.
        role: Where its work is booked: stored in a spring, dissipated, given by an actuator, or both (contact).
        along: Quantity along which a scalar force acts.
        law: Formula of `inputs`.
        function: Python function instead of a formula, called with the inputs in order.
        inputs: Arguments by the name used in the law.
        bodies: Bodies it acts on, for elements with a geometry of their own.
        data: Constants of such an element.
        curve: Curve of a contact.
        has_state: The element has an inner state.
        state: Name by which formulas use it, for states of the user.
        start: Its value at the start.
        scale: Its size for the control of errors; None where the motion tells how accurate it must be.
        stored: Stored energy as a formula of the along-quantity "x", or of the inputs where there is none, if it is known.
        slack: Value of the along-quantity at which a spring stores nothing.
        label: What it is called in tables.
        unit: Unit of its value; by default that of a force along its quantity.
        sign: -1 where people count the force against its quantity: a spring that pulls shortens its length.
    """

    element: str
    role: Role
    along: Quantity | None = None
    law: Expression | None = None
    function: Callable[..., float] | None = None
    inputs: Mapping[str, Input] = field(default_factory=lambda: MappingProxyType({}))
    bodies: tuple[str, ...] = ()
    data: tuple[float, ...] = ()
    curve: Curve | None = None
    has_state: bool = False
    state: str = ""
    start: float = 0.0
    scale: float | None = None
    stored: Expression | None = None
    slack: float | None = None
    label: str = ""
    sign: float = 1.0
    unit: str = ""

    def stored_inputs(self) -> dict[str, Quantity]:
        """What the names in the formula of the stored energy stand for."""
        if self.stored is None:
            return {}
        quantities = {key: self.along or self.inputs[key].quantity for key in sorted(self.stored.names)}
        return {key: quantity for key, quantity in quantities.items() if quantity is not None}


@brief
@dataclass(frozen=True)
class Hold:
    """Rows that a force brings into play by turns: friction that sticks, rigid bodies that rest on each other.

    Attributes:
        name: Owner of the rows, e.g. "brake.stick", "floor.rest".
        bodies: Bodies they act on.
        blocks: The rows: a quantity that keeps its value, or its zero rate.
        reported: Uses of the force whose values are the rows' multipliers while they hold.
        limit: Use whose value, times `share`, is what the rows can carry at most; None where they can only push (rest).
        slow: Rate below which a motion is caught [unit/s].
        needs: Name of another hold without which this one cannot be.
        bristle: Place among the constants of the first reported use that says whether it slides, where a bristle holds instead of the rows.
    """

    name: str
    bodies: tuple[str, ...]
    blocks: tuple[Block, ...]
    reported: tuple[int, ...]
    limit: int | None = None
    share: float = 1.0
    slow: float = 0.0
    needs: str = ""
    bristle: int | None = None


@brief
@dataclass(frozen=True)
class Impact:
    """What happens when rigid bodies meet.

    Attributes:
        rest: Name of the hold whose row is the gap.
        slip: Name of the hold whose rows are the slip, or "".
        restitution, friction: Coefficients.
        poisson: By Poisson's hypothesis (impulses) instead of Newton's (speeds).
    """

    rest: str
    slip: str
    restitution: float
    friction: float
    poisson: bool


@brief
@dataclass(frozen=True)
class Gap:
    """Distance of the surfaces of a contact, or of a quantity from its stops.

    Attributes:
        quantity: Quantity that falls by what the surfaces overlap.
        closed: Its value where the surfaces touch [m or rad].
        stiffness, exponent: Force k d^p for an overlap d that does not change; None for rigid bodies.
        radii: Radii of the discs or spheres in contact [m]; 0 for a point, () for stops.
        travel: Range between two stops [m or rad]; 0 where there is one.
    """

    quantity: Quantity
    closed: float
    stiffness: float | None
    exponent: float | None
    radii: tuple[float, ...] = ()
    travel: float = 0.0


@with_checked_names
@brief
@dataclass(frozen=True)
class Force(Measured):
    """One force element of a model.

    Attributes:
        kind: Registered kind, e.g. "spring".
        name: Unique name.
        parameters: Arguments that build it again.
        bodies: Names of the bodies it acts on.
        uses: What the kernels evaluate.
        measures: Quantities that can be read: length, angle, gap.
        symbols: For pictures.
        impact_slot: Index of the constant that must hold the speed at first touch, or None.
        holds: Rows that it brings into play by turns.
        impact: What happens when the bodies of a rigid contact meet.
        gap: Distance of the surfaces; required of every contact.
    """

    kind: str
    name: str
    parameters: Mapping[str, Any]
    bodies: tuple[str, ...]
    uses: tuple[ForceUse, ...]
    measures: Mapping[str, Quantity] = field(default_factory=lambda: MappingProxyType({}))
    symbols: tuple[Symbol, ...] = ()
    impact_slot: int | None = None
    holds: tuple[Hold, ...] = ()
    impact: Impact | None = None
    gap: Gap | None = None

    def __post_init__(self) -> None:
        if self.gap is None and any(use.role == "contact" for use in self.uses):
            raise TypeError(f"{self.kind} {self.name!r} is a contact: specify gap=Gap(...).")

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Turn counters that its laws and measures need."""
        quantities = [*self.measures.values()]
        for use in self.uses:
            quantities += [q for q in (use.along, *(given.quantity for given in use.inputs.values())) if q is not None]
        quantities += [block.quantity for hold in self.holds for block in hold.blocks]
        return tuple(turn for quantity in quantities for turn in quantity.all_turns)

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r} ({' – '.join(self.bodies)})"


_registry: Registry[Force] = Registry("pytrammel.forces", what="force")
force_type = _registry.register
force_sample = _registry.sample
follow_force_types = _registry.follow


@checked_names
def force_types() -> Mapping[str, Callable[..., Force]]:
    """All force types by name: files of `pytrammel.forces`, and plugins."""
    return _registry.types


def friction_pair(given: object, what: str) -> tuple[float, float]:
    """Static and dynamic coefficient of friction from one number for both, or from two."""
    listed = given if isinstance(given, Sequence) or (isinstance(given, np.ndarray) and given.ndim) else (given, given)
    if isinstance(given, str | bytes) or len(listed) != 2:
        raise ModelError(f"{what} must be a number or two (static, dynamic), but it is {short(given)}.")
    mu_s, mu_d = (check_not_negative(checked_number(mu, what), what) for mu in listed)
    if mu_d > mu_s:
        texts = unlike(mu_d, mu_s, digits=6)
        raise ModelError(
            f"{what}: the dynamic coefficient {texts[0]} is larger than the static one {texts[1]}; give (static, dynamic)."
        )
    return mu_s, mu_d


def check_not_negative(value: float, what: str) -> float:
    if not value >= 0.0:
        raise ModelError(f"{what} is {measured(value, what)}; it must not be negative.")
    return value
