"""Rotational springs, dampers and actuators about a joint's axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util.checks import checked_number
from pytrammel.errors import ModelError
from pytrammel.forces.force import Force
from pytrammel.forces.loads import Law
from pytrammel.forces.spatial.loads import along_joint
from pytrammel.forces.springs import spring_uses
from pytrammel.joints.constraint import Constraint, symbol_along
from pytrammel.model.quantities.quantity import ANGLE, Quantity
from pytrammel.model.spatial_registries import spatial_force_type

if TYPE_CHECKING:
    from pytrammel.model.spatial import SpatialModel


@spatial_force_type(
    sample=lambda a, b, c: {"joint": ("revolute", {"first": a.marker((0.3, 0.1, 0.2), axis="y"),
    "second": b.marker((-0.2, 0.4, 0.1))}), "stiffness": 5.0, "free_angle": 0.2, "damping": 0.3, "torque": "0.1*t"}
)  # fmt: skip
def torsion_spring(
    model: SpatialModel,
    name: str,
    joint: Constraint | Quantity | str,
    *,
    stiffness: Law | None = None,
    free_angle: float | None = None,
    damping: Law | None = None,
    torque: Law | None = None,
) -> Force:
    """Rotational spring, damper and actuator along a joint's angle (RSDA); the angle counts revolutions.

    Formulas may use ``theta``, ``thetadot``, ``t``, and measured quantities, their rates and states.

    Args:
        joint: Revolute, cylindrical, screw or other joint with an angle, or a measured angle (``m.angle_between(...)``).
        stiffness: Spring rate [N m/rad], a table of torque against angle, or a formula of ``theta``.
        free_angle: Angle at which the spring is slack [rad]; defaults to the initial value.
        damping: Damping [N m s/rad], a table, or a formula of theta, ``thetadot``.
        torque: Actuator torque that turns the bodies back towards each other [N m].

    Measures: ``angle`` [rad].
    """
    angle = along_joint(model, joint, f"torsion_spring {name!r}", ("angle",))
    if angle.unit != ANGLE:
        raise ModelError(
            f"torsion_spring {name!r} needs an angle, but {angle} is measured in {angle.unit}; use user_force."
        )
    if free_angle is not None:
        free = checked_number(free_angle, f"free_angle of spring {name!r}")
    else:
        free = model.drawn_value(angle) if angle.turn is None else angle.turn.start
    given = {
        "joint": model.spoken(angle), "stiffness": stiffness, "free_angle": free, "damping": damping, "torque": torque,
    }  # fmt: skip
    return Force(
        "torsion_spring", name, given, angle.bodies,
        spring_uses(model, name, angle, free, stiffness, damping, torque, ("theta", "thetadot"), "torque"), {"angle": angle},
        symbols=(
            symbol_along("motor" if stiffness is None and damping is None else "torsion", angle, free=free),
        ),
    )  # fmt: skip
