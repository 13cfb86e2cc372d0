"""Bushings: springs and dampers in all six directions between two markers."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number
from pytrammel._util.messages import measured, short
from pytrammel.errors import ModelError
from pytrammel.expressions import functions
from pytrammel.expressions.expression import Expression, as_expression, variable
from pytrammel.forces.force import Force, ForceUse, Input
from pytrammel.geometry import vectors
from pytrammel.geometry.vectors import Matrix
from pytrammel.joints.constraint import Symbol
from pytrammel.joints.spatial.frames import dot, joint_markers, offset
from pytrammel.model.spatial_bodies import AXES, Marker, space_vector
from pytrammel.model.spatial_registries import spatial_force_type

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Direction, MatrixLike, Place, Position, Scalar
    from pytrammel.model.spatial import SpatialModel

SYMMETRY = 1e-9  # relative difference of mirrored entries that counts as rounding
TINY = 1e-300  # keeps 0/0 out of the energy of an unturned bushing


def six_matrix(value: Any, what: str) -> Matrix:
    """A symmetric 3x3 matrix without negative eigenvalues from one number, three, or nine; zero for None."""
    if value is None:
        return ((0.0,) * 3,) * 3
    try:
        shape = np.shape(value)
    except ValueError:  # rows of different lengths
        shape = (-1,)
    if shape in ((), (3,)):
        a, b, c = (checked_number(value, what),) * 3 if shape == () else space_vector(value, what)
        rows: Matrix = ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))
        if traced_numbers.minimum((a, b, c)) >= 0.0:
            return rows
    elif shape == (3, 3):
        one, two, three = (space_vector(row, f"a row of {what}") for row in value)
        rows = (one, two, three)
    else:
        raise ModelError(
            f"{what} must be one number, three numbers (x, y, z) or a 3x3 matrix, but it is {short(value)}."
        )
    size = traced_numbers.maximum(abs(x) for row in rows for x in row)
    skew = traced_numbers.maximum(abs(rows[i][k] - rows[k][i]) for i in range(3) for k in range(i + 1))
    if skew > SYMMETRY * size:
        raise ModelError(
            f"{what} is not symmetric: mirrored entries differ by {measured(skew, what)}; there would be no energy that it stores."
        )
    lowest = traced_numbers.found(_lowest, *(x for row in rows for x in row))
    if lowest < -SYMMETRY * size:
        raise ModelError(
            f"{what} has the negative eigenvalue {measured(lowest, what)}; it must not push away from its rest position."
        )
    turned = vectors.transposed(rows)
    first, second, third = (
        vectors.times(0.5, vectors.plus(row, mirror)) for row, mirror in zip(rows, turned, strict=True)
    )
    return first, second, third


def _lowest(*entries: float) -> float:
    return float(np.linalg.eigvalsh(np.array(entries).reshape(3, 3)).min())


def quadratic(matrix: Matrix, components: list[Expression]) -> Expression:
    """Half of x'Kx."""
    total = as_expression(0.0, "bushing")
    for row, x in zip(matrix, components, strict=True):
        for k, y in zip(row, components, strict=True):
            if not traced_numbers.always(k, 0.0):
                total = total + 0.5 * k * x * y
    return total


def stored_energy(translation: Matrix, rotation: Matrix) -> Expression:
    """Energy as a formula of x, y, z and the nine scalar products c00 ... c22 of the markers' axes."""
    c = [[variable(f"c{k}{m}") for m in range(3)] for k in range(3)]
    # sine times unit axis, then the rotation vector
    axis = [0.5 * (c[2][1] - c[1][2]), 0.5 * (c[0][2] - c[2][0]), 0.5 * (c[1][0] - c[0][1])]
    sine = functions.sqrt(axis[0] ** 2 + axis[1] ** 2 + axis[2] ** 2)
    angle = functions.atan2(sine, 0.5 * (c[0][0] + c[1][1] + c[2][2] - 1.0))
    theta = [part * (angle / (sine + TINY)) for part in axis]
    return quadratic(translation, [variable(key) for key in AXES]) + quadratic(rotation, theta)


def energy_inputs(i: Marker, j: Marker, name: str) -> dict[str, Input]:
    """What the stored energy depends on."""
    out = {key: Input("value", offset(i, k, j, f"{name}.{key}")) for k, key in enumerate(AXES)}
    for k in range(3):
        for m in range(3):
            out[f"c{k}{m}"] = Input("value", dot(i, k, j, m, f"{name}.c{k}{m}"))
    return out


@spatial_force_type(
    sample=lambda a, b, c: {"first": a.marker((0.3, 0.1, 0.2), axis="y"), "second": b.marker((-0.2, 0.4, 0.1)),
    "stiffness": (50.0, 30.0, 80.0), "rotational_stiffness": ((4.0, 1.0, 0.0), (1.0, 6.0, 0.5), (0.0, 0.5, 2.0)),
    "damping": (1.0, 2.0, 0.5), "rotational_damping": 0.3}
)  # fmt: skip
def bushing(
    model: SpatialModel,
    name: str,
    first: Place,
    second: Place,
    *,
    stiffness: Scalar | MatrixLike | None = None,
    rotational_stiffness: Scalar | MatrixLike | None = None,
    damping: Scalar | MatrixLike | None = None,
    rotational_damping: Scalar | MatrixLike | None = None,
    at: Position | None = None,
    axis: Direction | None = None,
    x: Direction | None = None,
) -> Force:
    """Elastic joint: springs and dampers in all six directions, slack where the two markers coincide.

    Each matrix is one number (the same in all directions), three numbers along the first marker's axes, or a symmetric 3x3 matrix.
    The torque follows from the rotation vector between the markers and is exact up to half a turn.

    Args:
        first, second: Bodies, points, or oriented markers.
        stiffness: [N/m].
        rotational_stiffness: [N m/rad].
        damping: [N s/m], of the velocity seen from the first marker.
        rotational_damping: [N m s/rad], of the relative angular velocity.
        at: Where, global, design configuration [m]; by default the second body's origin.
        axis, x: z and x axis of the bushing, global, design configuration; the global ones by default.

    Measures: ``x``, ``y``, ``z`` of the second marker in the first one's axes [m].
    """
    if axis is None and (model.oriented(first) is None or model.oriented(second) is None):
        axis, x = "z", "x" if x is None else x
    if at is None and model.is_body(second):
        at = model.body_of(second).position
    i, j = joint_markers(model, name, "bushing", first, second, at, axis, x=x)
    geometry = (
        *i.local, *i.axis(0), *i.axis(1), *i.axis(2), *j.local,
        *vectors.parameters(i.axes), *vectors.parameters(j.axes),
    )  # fmt: skip
    uses = []
    if stiffness is not None or rotational_stiffness is not None:
        k = six_matrix(stiffness, f"stiffness of bushing {name!r}")
        kr = six_matrix(rotational_stiffness, f"rotational stiffness of bushing {name!r}")
        data = (1.0, *chain(*k), *chain(*kr), *geometry)
        uses.append(
            ForceUse(
                "space_bushing", "spring", inputs=energy_inputs(i, j, name), bodies=(i.body, j.body), data=data,
                stored=stored_energy(k, kr), label=f"{name}.spring",
            )
        )  # fmt: skip
    if damping is not None or rotational_damping is not None:
        c = six_matrix(damping, f"damping of bushing {name!r}")
        cr = six_matrix(rotational_damping, f"rotational damping of bushing {name!r}")
        data = (0.0, *chain(*c), *chain(*cr), *geometry)
        uses.append(ForceUse("space_bushing", "damping", bodies=(i.body, j.body), data=data, label=f"{name}.damper"))
    if not uses:
        raise ModelError(
            f"bushing {name!r} has neither stiffness=, rotational_stiffness=, damping= nor rotational_damping=; give at least one."
        )
    given = {
        "first": i, "second": j, "stiffness": stiffness, "rotational_stiffness": rotational_stiffness, "damping": damping,
        "rotational_damping": rotational_damping,
    }  # fmt: skip
    return Force(
        "bushing", name, given, (i.body, j.body), tuple(uses),
        {key: offset(i, k, j, f"{name}.{key}") for k, key in enumerate(AXES)},
        symbols=(Symbol("spring", i.body, i.local, other_body=j.body, other_position=j.local),),
    )  # fmt: skip
