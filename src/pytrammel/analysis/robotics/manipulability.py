"""Manipulability of an end effector by the actuators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.options import verb
from pytrammel.analysis.robotics.measures import maps, sizes_of
from pytrammel.analysis.robotics.mechanism import coordinates_from, mechanism_of
from pytrammel.analysis.robotics.task import POSITIONS, Task, label_of
from pytrammel.errors import AssemblyError, ModelError
from pytrammel.model.base import Model
from pytrammel.results.robotics.manipulability import Manipulability

Array = NDArray[np.float64]
SINGULAR = 1e-12  # singular value of the actuators, relative to the largest, below which they do not control a motion


@verb
def manipulability(
    model: Model,
    place: Any,
    q: Any = None,
    *,
    components: Sequence[str] | None = None,
    actuators: Sequence[str] | None = None,
) -> Manipulability:
    """Return how fast the actuators move an end effector, and in which directions.

        now = m.manipulability("tool0", {"elbow.angle": 1.2})
        print(now.index, now.conditioning)
        now.plot("ellipsoid.png")

    Args:
        model: The mechanism, an open chain or with closed loops; drivers are ignored.
        place: End effector: a named point or a body.
        q: Joint coordinates: an array, shape (coordinates,) or (n, coordinates), or values by name; loops are closed near them. Defaults
            to the design configuration.
        components: Components of its velocity: "x", "y", "z", "rx", "ry", "rz", in the plane "x", "y", "angle". Defaults to the position.
        actuators: Joint coordinates that are driven. Defaults to the actuators of `m.functions`.

    Raises:
        AssemblyError: The loops do not close near the coordinates.
    """
    mechanism = mechanism_of(model, actuators)
    task = Task(mechanism.f, place, POSITIONS[: model.space.dimension] if components is None else tuple(components))
    if q is None or isinstance(q, Mapping):
        many = coordinates_from(mechanism, q, "q")[None]
    else:
        many = np.atleast_2d(mechanism.f._array("q", q, mechanism.nq, "coordinates"))
        if many.ndim > 2 or not len(many):
            raise ModelError(
                f"manipulability of {label_of(place)}: q has shape {many.shape}, but must be one state or (n, coordinates)."
            )
    held = mechanism.acting if len(mechanism.acting) == mechanism.freedoms else ()
    places, good = mechanism.solve(many, held=held)
    if not good.all():
        places, good = mechanism.solve(many)
    if not good.all():
        raise AssemblyError(
            f"manipulability of {label_of(place)} in model {model.name!r}: the loops do not close near position "
            f"{int(np.flatnonzero(~good)[0])}. Pass joint coordinates near a closed position."
        )
    N = mechanism.basis(places)
    J = task.jacobian(places) @ N @ np.linalg.pinv(N[..., mechanism.acting, :], rcond=SINGULAR)
    sizes = sizes_of(*maps(mechanism, task, places, N))
    linear = J[:, : len(task.positions)]
    directions, lengths, _ = (
        np.linalg.svd(linear) if linear.size else (np.zeros((len(J), 0, 0)), np.zeros((len(J), 0)), None)
    )
    values = np.linalg.svd(J, compute_uv=False)
    index = np.prod(values, axis=-1) if J.shape[-2] <= J.shape[-1] else np.zeros(len(J))
    return Manipulability(
        model, label_of(place).strip("'"), task.components, mechanism.f.coordinates, mechanism.units, places, mechanism.f.actuators, J,
        index, sizes["dexterity"], sizes["serial"], sizes["parallel"], lengths, np.swapaxes(directions, -1, -2)[:, : lengths.shape[-1]],
        mechanism.f.position(place, places), mechanism.body_coordinates(places),
    )  # fmt: skip
