"""Constraints on measured quantities: coordinates, differences, user formulas, and drivers."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, as_expression, time
from pytrammel.expressions.tables import Table
from pytrammel.expressions.traced_functions import traced
from pytrammel.joints.constraint import Block, Constraint, check_positive, constraint_type
from pytrammel.model.quantities.quantity import ANGLE, LENGTH, NUMBER, Quantity
from pytrammel.model.spatial_registries import spatial_constraint_type
from pytrammel.units import UNITS

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Scalar
    from pytrammel.model.base import Model


@constraint_type(sample=lambda a, b, c: {"quantity": a.at(0.2, 0.5).y})
@spatial_constraint_type(sample=lambda a, b, c: {"quantity": a.at(0.2, 0.5, -0.3).y})
def constrain(model: Model, name: str, quantity: Quantity | str, *, value: Scalar | None = None) -> Constraint:
    """Keep a measured quantity constant (1 row): a coordinate, a point coordinate, a difference, a joint's measure.

    Args:
        quantity: E.g. ``body.x``, ``model.point("P").y``, ``model.angle_between(a, b)``, or its name "crank.x".
        value: Constant [m or rad]; by default the value in the design configuration. What has a rate only (spin, slip) is held still.
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
    model: Model, name: str, formula: str | Expression | Callable[..., Any], *, inputs: Sequence[str] = (), unit: str = LENGTH,
    scale: Scalar = 1.0,
) -> Constraint:  # fmt: skip
    """User constraint: a formula of measured quantities, their rates and t that must be zero (1 row).

    Jacobian and acceleration terms are derived from the formula. With rates it restrains velocities (non-holonomic: a skate), and must
    be linear in them.

    Args:
        formula: E.g. ``"crank.phi + 2*wheel.phi - 0.3"``, ``"P.x^2 + P.y^2 - 4"`` or ``"a.vx + 0.3*a.omega"``; or a Python function of the
            inputs, made of arithmetic and functions of NumPy or Trammel.
        inputs: For a Python function: names of the quantities it is called with, in order; "t" is time.
        unit: What the formula measures: "m", "rad" or "1".
        scale: Size of the formula that counts as a violation of one unit; only tolerances depend on it.
    """
    listed = isinstance(inputs, Sequence) and not isinstance(inputs, str)
    if not listed or not all(isinstance(key, str) for key in inputs):
        raise ModelError(
            f"inputs of equation {name!r} must be a list of names such as ['P.x', 't'], but it is {short(inputs)}."
        )
    if callable(formula) and not isinstance(formula, Table):
        expression = traced(formula, inputs, f"equation {name!r}")
    elif inputs:
        raise ModelError(f"equation {name!r}: inputs= belong to a Python function; a formula names what it uses.")
    else:
        expression = as_expression(formula, f"equation {name!r}")
    if unit not in (LENGTH, ANGLE, NUMBER):
        raise ModelError(f"equation {name!r}: unit {unit!r} is not known; use 'm', 'rad' or '1'.")
    size = check_positive(checked_number(scale, f"scale of equation {name!r}"), f"scale of equation {name!r}")
    names = sorted(expression.names - {"t"})
    if not names:
        raise ModelError(f"equation {name!r} ({expression}) depends on no body; name at least one measured quantity.")
    given = {key: _measured(model, key, f"equation {name!r}") for key in names}
    rates = frozenset(key for key, (_, is_rate) in given.items() if is_rate)
    for key in sorted(rates):
        if expression.derivative(key).names & rates:
            raise ModelError(
                f"equation {name!r} ({expression}) is not linear in the rate {key!r}; constraints on velocities must be linear in them."
            )
    found = {key: quantity for key, (quantity, _) in given.items()}
    bodies = tuple(dict.fromkeys(b for quantity in found.values() for b in quantity.bodies))
    quantity = Quantity(
        "rate_expression" if rates else "expression", bodies, (size,), (unit,), f"equation {name}", formula=expression, inputs=found,
        rates=rates, rate_only=bool(rates),
    )  # fmt: skip
    return Constraint(
        "equation",
        name,
        {"formula": formula if callable(formula) else expression, "inputs": tuple(inputs), "unit": unit, "scale": size},
        quantity.bodies,
        (Block(quantity, (0.0,)),),
    )


def _measured(model: Model, key: str, user: str) -> tuple[Quantity, bool]:
    """Quantity that a name in an equation stands for, and whether its rate is meant."""
    if key.removesuffix(".value") in model.states:
        model.measure(key, user)  # which refuses it
    found = model.law_input(key, user)
    if found.quantity is None:
        raise ModelError(
            f"{user}: {key!r} is a reaction, which follows from the constraints; use measured quantities and rates."
        )
    return found.quantity, found.kind == "rate"


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
        near = [n for word in sorted(unknown) for n in difflib.get_close_matches(word, model.parameters, n=1)]
        hint = f"Did you mean {near[0]!r}?" if near else "Use an equation for relations between bodies."
        for unit in sorted(unknown & UNITS.keys()):
            hint = f"{unit!r} is a unit and follows a number without a sign between them, as in 60 {unit}."
        raise ModelError(
            f"driver {name!r}: the motion {target} may depend on t only, but it uses {', '.join(sorted(unknown))}. {hint}"
        )
    return Constraint(
        "driver", name, {"quantity": model.spoken(measured), "motion": target}, measured.bodies, (Block(measured, (target,)),),
        {"value": measured}, is_driver=True, prescribes=measured, motions={str(measured): (target, measured.unit)},
    )  # fmt: skip
