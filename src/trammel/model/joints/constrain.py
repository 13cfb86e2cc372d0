"""Constraints on measured quantities: coordinates, differences, user formulas, and drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trammel.errors import ModelError
from trammel.model.body import checked_number
from trammel.model.constraint import Block, Constraint, check_positive, constraint_type
from trammel.model.expression import Expression, as_expression, time
from trammel.model.quantity import ANGLE, LENGTH, NUMBER, Quantity
from trammel.model.spatial.registries import spatial_constraint_type
from trammel.model.tables import Table

if TYPE_CHECKING:
    from trammel.model.base import Model


@constraint_type(sample=lambda a, b, c: {"quantity": a.at(0.2, 0.5).y})
@spatial_constraint_type(sample=lambda a, b, c: {"quantity": a.at(0.2, 0.5, -0.3).y})
def constrain(model: Model, name: str, quantity: Quantity | str, *, value: float | None = None) -> Constraint:
    """Keep a measured quantity constant (1 row): a coordinate, a point coordinate, a difference, a joint's measure.

    Args:
        quantity: E.g. ``body.x``, ``model.point("P").y``, ``model.angle_between(a, b)``, or its name "crank.x".
        value: Constant [m or rad]; by default the value in the drawn pose. What has a rate only (spin, slip) is held still.
    """
    measured = model.scalar(quantity, f"constraint {name!r}")
    target = model.drawn_value(measured) if value is None else checked_number(value, f"value of constraint {name!r}")
    if target != 0.0 and not measured.has_value:
        raise ModelError(
            f"constraint {name!r}: {measured} has a rate but no value, so that it can only be held still; to give it the rate "
            f"{target:g}, use driver({name!r}, ..., '{target:g}*t')."
        )
    return Constraint(
        "constrain", name, {"quantity": model.spoken(measured), "value": target}, measured.bodies, (Block(measured, (target,)),),
        {"value": measured}, prescribes=measured,
    )  # fmt: skip


@constraint_type(
    sample=lambda a, b, c: {"formula": f"{a.name}.x*{b.name}.y + sin({a.name}.phi - t)*{b.name}.phi^2 - 0.2"}
)
@spatial_constraint_type(
    sample=lambda a, b, c: {"formula": f"{a.name}.x*{b.name}.y + sin({c.name}.z - t)*{b.name}.z^2 - 0.2"}
)
def equation(
    model: Model, name: str, formula: str | Expression, *, unit: str = LENGTH, scale: float = 1.0
) -> Constraint:
    """User constraint: a formula of measured quantities and t that must be zero (1 row).

    Jacobian and acceleration terms are derived from the formula.

    Args:
        formula: E.g. ``"crank.phi + 2*wheel.phi - 0.3"`` or ``"P.x^2 + P.y^2 - 4"``.
        unit: What the formula measures: "m", "rad" or "1".
        scale: Size of the formula that counts as a violation of one unit; only tolerances depend on it.
    """
    expression = as_expression(formula, f"equation {name!r}")
    if unit not in (LENGTH, ANGLE, NUMBER):
        raise ModelError(f"equation {name!r}: unit {unit!r} is not known; use 'm', 'rad' or '1'.")
    size = check_positive(checked_number(scale, f"scale of equation {name!r}"), f"scale of equation {name!r}")
    names = sorted(expression.names - {"t"})
    if not names:
        raise ModelError(f"equation {name!r} ({expression}) depends on no body; name at least one measured quantity.")
    inputs = {key: model.scalar(key, f"equation {name!r}", valued=True) for key in names}
    bodies = tuple(dict.fromkeys(b for quantity in inputs.values() for b in quantity.bodies))
    quantity = Quantity("expression", bodies, (size,), (unit,), f"equation {name}", formula=expression, inputs=inputs)
    return Constraint(
        "equation",
        name,
        {"formula": expression, "unit": unit, "scale": size},
        quantity.bodies,
        (Block(quantity, (0.0,)),),
    )


@constraint_type(sample=lambda a, b, c: {"quantity": a.phi, "motion": "0.3*sin(2*t) + t^2"})
@spatial_constraint_type(sample=lambda a, b, c: {"quantity": a.at(0.1, 0.2, 0.3).z, "motion": "0.3*sin(2*t) + t^2"})
def driver(model: Model, name: str, quantity: Quantity | str, motion: Expression | Table | str | float) -> Constraint:
    """Drive a measured quantity as a function of time (1 row).

    Args:
        quantity: Any measured quantity, e.g. ``m["A"].angle``, ``body.phi``, ``m.point("P").x``, "T.distance".
        motion: Formula of t, e.g. ``"2*pi*t"``, a motion program, a table (read at t), or a number [m or rad].
    """
    measured = model.scalar(quantity, f"driver {name!r}")
    if isinstance(motion, Table):
        motion = motion(time)
    target = as_expression(motion, f"motion of driver {name!r}")
    unknown = target.names - {"t"}
    if unknown:
        raise ModelError(
            f"driver {name!r}: the motion {target} may depend on t only, but it uses {', '.join(sorted(unknown))}. "
            "Use an equation for relations between bodies."
        )
    return Constraint(
        "driver", name, {"quantity": model.spoken(measured), "motion": target}, measured.bodies, (Block(measured, (target,)),),
        {"value": measured}, is_driver=True, prescribes=measured,
    )  # fmt: skip
