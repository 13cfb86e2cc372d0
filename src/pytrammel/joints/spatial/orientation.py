"""A body's orientation as a function of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, as_expression, variable
from pytrammel.expressions.functions import cos, sin
from pytrammel.joints.constraint import Block, Constraint, Seat
from pytrammel.model.bodies import GROUND
from pytrammel.model.quantities.quantity import ANGLE, NUMBER, Quantity
from pytrammel.model.spatial_bodies import UNIT
from pytrammel.model.spatial_registries import spatial_constraint_type

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Place
    from pytrammel.model.spatial import SpatialModel

Entries = list[list[Expression]]


@spatial_constraint_type(sample=lambda a, b, c: {"body": a, "angles": ("0.3*t", "0.2 + 0.1*sin(t)", 0.4)})
def orientation_driver(
    model: SpatialModel, name: str, body: Place, angles: Sequence[Expression | str | float], *, sequence: str = "xyz"
) -> Constraint:
    """Drive a body's orientation: three angles as functions of time (3 rows).

    The rows compare rotation matrices, so that no orientation is singular whatever the sequence. The body may be drawn anyhow.

    Args:
        body: The body.
        angles: Formulas of t [rad].
        sequence: Axes of the three rotations, each about the turned body axis: "xyz" (Bryant), "zxz" (Euler), or any other.
    """
    driven = model.body_of(body)
    if not isinstance(angles, list | tuple) or len(angles) != 3:
        raise ModelError(
            f"angles of orientation driver {name!r} must be three angles in rad, but it is {short(angles)}."
        )
    if not isinstance(sequence, str) or len(sequence) != 3 or not set(sequence) <= set("xyz"):
        raise ModelError(
            f"orientation driver {name!r}: give a sequence of three axes such as 'xyz', not {short(sequence)}."
        )
    formulas = [as_expression(a, f"angles of orientation driver {name!r}") for a in angles]
    for formula in formulas:
        if formula.names - {"t"}:
            raise ModelError(f"orientation driver {name!r}: the angle {formula} may depend on t only.")
    goal = _matrix(sequence, formulas)
    # 2 sin(error) times its axis: the antisymmetric part of goal' A, nonsingular up to half a turn
    inputs = {
        f"a{i}{j}": Quantity("axis_dot", (GROUND, driven.name), (*UNIT[i], *UNIT[j]), (NUMBER,), f"a{i}{j}")
        for i in range(3)
        for j in range(3)
    }
    blocks = []
    for j, k in ((1, 2), (2, 0), (0, 1)):
        terms = [goal[i][j] * variable(f"a{i}{k}") - goal[i][k] * variable(f"a{i}{j}") for i in range(3)]
        formula = terms[0] + terms[1] + terms[2]
        used = {key: quantity for key, quantity in inputs.items() if key in formula.names}
        row = Quantity(
            "expression",
            (GROUND, driven.name),
            (1.0,),
            (NUMBER,),
            f"orientation of {driven.name}",
            formula=formula,
            inputs=used,
        )
        blocks.append(Block(row, (0.0,)))
    # the trace of goal' A, 1 + 2 cos(error): negative where the body is half a turn off
    trace = sum((goal[i][j] * variable(f"a{i}{j}") for i in range(3) for j in range(3)), as_expression(0.0, name))
    near = Quantity(
        "expression", (GROUND, driven.name), (1.0,), (NUMBER,), f"orientation of {driven.name}", formula=trace,
        inputs=inputs,
    )  # fmt: skip
    return Constraint(
        "orientation_driver", name, {"body": driven.name, "angles": tuple(formulas), "sequence": sequence},
        (GROUND, driven.name), tuple(blocks),
        is_driver=True, seats=(Seat(driven.name, (0.0, 0.0, 0.0)),), aligned=(near,),
        motions={
            f"{driven.name} turned about {axis} ({k} of {sequence})": (angle, ANGLE)
            for k, (axis, angle) in enumerate(zip(sequence, formulas, strict=True), start=1)
        },
    )  # fmt: skip


def _matrix(sequence: str, angles: Sequence[Expression]) -> Entries:
    """Rotation matrix of three rotations about successive body axes, entry by entry."""
    zero, one = as_expression(0.0, ""), as_expression(1.0, "")
    total: Entries = [[one if i == j else zero for j in range(3)] for i in range(3)]
    for axis, angle in zip(sequence, angles, strict=True):
        k = "xyz".index(axis)
        i, j = (k + 1) % 3, (k + 2) % 3
        turn: Entries = [[one if r == c else zero for c in range(3)] for r in range(3)]
        turn[i][i] = turn[j][j] = cos(angle)
        turn[j][i], turn[i][j] = sin(angle), -sin(angle)
        total = [
            [total[r][0] * turn[0][c] + total[r][1] * turn[1][c] + total[r][2] * turn[2][c] for c in range(3)]
            for r in range(3)
        ]
    return total
