"""Springs, dampers and actuators between two points, and their rotational counterparts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, as_expression, variable
from pytrammel.expressions.tables import Table
from pytrammel.forces.force import Force, ForceUse, Input, check_not_negative, force_type
from pytrammel.forces.loads import acting_bodies, axle_symbols, between_bodies, law_of
from pytrammel.joints.constraint import Symbol, SymbolKind
from pytrammel.model.quantities.quantity import ANGLE, Quantity
from pytrammel.model.spatial_registries import spatial_force_type

if TYPE_CHECKING:
    from pytrammel.joints.constraint import Constraint
    from pytrammel.model.argument_types import Angle, Law, Length, Place
    from pytrammel.model.base import Model


def spring_uses(
    model: Model,
    name: str,
    along: Quantity,
    free: float,
    stiffness: Law | None,
    damping: Law | None,
    force: Law | None,
    names: tuple[str, str],
    pull_name: str = "force",
) -> tuple[ForceUse, ...]:
    """Spring, damper and actuator parts; each pulls against its quantity: the generalised force is minus the tension."""
    value, rate = names
    x, v = variable(value), variable(rate)
    stiffness, damping = (
        _rate(stiffness, f"stiffness of spring {name!r}"),
        _rate(damping, f"damping of spring {name!r}"),
    )
    inputs = {value: Input("value", along), rate: Input("rate", along), "t": Input("time")}
    uses = []
    given = inputs
    if stiffness is None and damping is None and force is None:
        raise ModelError(f"spring {name!r} has neither stiffness=, damping= nor force=; give at least one of them.")
    if stiffness is not None:
        stored = None
        if isinstance(stiffness, int | float):
            k = check_not_negative(
                checked_number(stiffness, f"stiffness of spring {name!r}"), f"stiffness of spring {name!r}"
            )
            tension = k * (x - free)
            stored = as_expression(0.5 * k * (variable("x") - free) ** 2, name)
        elif isinstance(stiffness, Table):
            tension = stiffness(x - free)
        else:
            tension, given = law_of(model, stiffness, f"stiffness of spring {name!r}", inputs)
        uses.append(
            ForceUse(
                "law_force",
                # a law of other quantities does work that no position stores
                "spring" if given.keys() == inputs.keys() else "input",
                along,
                -tension,
                inputs=given,
                stored=stored,
                slack=free,
                label=f"{name}.spring",
                sign=-1.0,
            )
        )
    if damping is not None:
        given = inputs
        if isinstance(damping, int | float):
            c = checked_number(damping, f"damping of spring {name!r}")
            drag: Expression = as_expression(c * v, name)
        elif isinstance(damping, Table):
            drag = damping(v)
        else:
            drag, given = law_of(model, damping, f"damping of spring {name!r}", inputs)
        uses.append(ForceUse("law_force", "damping", along, -drag, inputs=given, label=f"{name}.damper", sign=-1.0))
    if force is not None:
        pull, given = law_of(model, force, f"{pull_name} of spring {name!r}", inputs)
        uses.append(ForceUse("law_force", "input", along, -pull, inputs=given, label=f"{name}.actuator", sign=-1.0))
    return tuple(uses)


def _rate(law: Law | None, label: str) -> Law | None:
    """A stiffness or damping: the number of a text without names, such as "2*50 N/m", is a rate and not a constant force."""
    if not isinstance(law, str):
        return law
    formula = as_expression(law, label)
    return formula if formula.constant is None else formula.constant


def spring_look(
    stiffness: Law | None, damping: Law | None, force: Law | None, uses: tuple[ForceUse, ...], free: float
) -> SymbolKind:
    """How a spring, damper or actuator is drawn; one that only pulls is a rope."""
    if stiffness is None:
        return "damper" if force is None else "actuator"
    law = uses[0].law
    if law is not None and not isinstance(stiffness, int | float) and free > 0.0 and law.names <= {"l"}:
        pulls = [-float(law.evaluate({"l": share * free})) for share in (0.5, 0.8, 0.99, 1.2)]
        if pulls[:3] == [0.0, 0.0, 0.0] and pulls[3] > 0.0:
            return "rope"
    return "spring" if damping is None else "spring-damper"


@force_type(
    sample=lambda a, b, c: {"first": a.at(0.3, 0.1), "second": b.at(-0.2, 0.4), "stiffness": 50.0,
    "free_length": 0.4, "damping": 3.0, "force": "2*sin(t)"}
)  # fmt: skip
@spatial_force_type(
    sample=lambda a, b, c: {"first": a.at(0.3, 0.1, 0.2), "second": b.at(-0.2, 0.4, 0.1), "stiffness": 50.0,
    "free_length": 0.4, "damping": 3.0, "force": "2*sin(t)"}
)  # fmt: skip
def spring(
    model: Model,
    name: str,
    first: Place,
    second: Place,
    *,
    stiffness: Law | None = None,
    free_length: Length | None = None,
    damping: Law | None = None,
    force: Law | None = None,
) -> Force:
    """Translational spring, damper and actuator between two points, alone or together.

    Each part is a number (linear), a table, or a formula of the length ``l``, its rate ``ldot``, ``t``, and measured quantities,
    their rates and states. Forces are positive when they pull the points together. At zero length the direction is arbitrary but
    the force stays finite.

    Args:
        first, second: Points on two bodies.
        stiffness: Spring rate [N/m], a table of force [N] against elongation [m], or a formula of l.
        free_length: Length at which a linear or tabulated spring is slack [m]; defaults to the initial value.
        damping: Damping [N s/m], a table of force against ldot, or a formula of l, ldot.
        force: Actuator pull [N]: a number, a table of t, or a formula.

    Measures: ``length`` [m].
    """
    p = model.place(first, None, f"the first end of spring {name!r}", origin=True)
    q = model.place(second, None, f"the second end of spring {name!r}", origin=True)
    model.different_bodies(name, p.body, q.body, "spring")
    length = model.distance(p, q, f"{name}.length")
    free = (
        traced_numbers.dist(p.drawn, q.drawn)
        if free_length is None
        else checked_number(free_length, f"free_length of spring {name!r}")
    )
    check_not_negative(free, f"free_length of spring {name!r}")
    given = {"first": p, "second": q, "stiffness": stiffness, "free_length": free, "damping": damping, "force": force}
    uses = spring_uses(model, name, length, free, stiffness, damping, force, ("l", "ldot"))
    return Force(
        "spring", name, given, (p.body, q.body), uses, {"length": length},
        symbols=(
            Symbol(
                spring_look(stiffness, damping, force, uses, free), p.body, p.local, other_body=q.body, other_position=q.local, free=free,
            ),
        ),
    )  # fmt: skip


@force_type(
    sample=lambda a, b, c: {"joint": ("revolute", {"first": a.at(0.3, 0.1), "second": b.at(-0.2, 0.4)}),
    "stiffness": 5.0, "free_angle": 0.2, "damping": 0.3, "torque": "0.1*t"}
)  # fmt: skip
@spatial_force_type(
    sample=lambda a, b, c: {"joint": ("revolute", {"first": a.marker((0.3, 0.1, 0.2), axis="y"),
    "second": b.marker((-0.2, 0.4, 0.1))}), "stiffness": 5.0, "free_angle": 0.2, "damping": 0.3, "torque": "0.1*t"}
)  # fmt: skip
def torsion_spring(
    model: Model,
    name: str,
    joint: Constraint | Quantity | str | None = None,
    *,
    first: Place | None = None,
    second: Place | None = None,
    stiffness: Law | None = None,
    free_angle: Angle | None = None,
    damping: Law | None = None,
    torque: Law | None = None,
) -> Force:
    """Rotational spring, damper and actuator along a joint's angle (RSDA); the angle counts revolutions.

    ``m.torsion_spring("T", "A", stiffness=5.0)`` acts in joint "A"; ``m.torsion_spring("T", first="a", second="b", stiffness=5.0)``
    between two bodies.

    Formulas may use ``theta``, ``thetadot``, ``t``, and measured quantities, their rates and states.

    Args:
        joint: Revolute, cylindrical, screw or other joint with an angle, or a measured angle (``m.angle_between(...)``).
        first, second: Instead of `joint`, in the plane: two bodies; the angle is the angle of the second relative to the first.
        stiffness: Spring rate [N m/rad], a table of torque against angle, or a formula of ``theta``.
        free_angle: Angle at which the spring is slack [rad]; defaults to the initial value.
        damping: Damping [N m s/rad], a table, or a formula of theta, ``thetadot``.
        torque: Actuator torque that turns the bodies back towards each other [N m].

    Measures: ``angle`` [rad].
    """
    user = f"torsion_spring {name!r}"
    angle, given = between_bodies(model, user, name, joint, first, second, ("angle",))
    if angle.unit != ANGLE:
        raise ModelError(f"{user} needs an angle, but {angle} is measured in {angle.unit}. Use user_force.")
    if free_angle is not None:
        free = checked_number(free_angle, f"free_angle of spring {name!r}")
    else:
        free = model.drawn_value(angle) if angle.turn is None else angle.turn.start
    look: SymbolKind = "motor" if stiffness is None and damping is None else "torsion"
    return Force(
        "torsion_spring", name,
        {**given, "stiffness": stiffness, "free_angle": free, "damping": damping, "torque": torque}, acting_bodies(angle),
        spring_uses(model, name, angle, free, stiffness, damping, torque, ("theta", "thetadot"), "torque"), {"angle": angle},
        symbols=axle_symbols(look, angle, model.space.dimension, free),
    )  # fmt: skip
