"""Joint coordinates and velocities of the states of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.results.result import Result
from pytrammel.system.tree import scales

if TYPE_CHECKING:
    from pytrammel.analysis.functions.model_functions import ModelFunctions

Array = NDArray[np.float64]
ITERATIONS = 40
SETTLED = 1e-13  # step, in scales of the coordinates, that ends the iteration
FITS = 1e-6  # misfit of a body, in scales, that exceeds rounding


def read_states(f: ModelFunctions, result: Result) -> tuple[Array, Array]:
    """Find coordinates and velocities that put the bodies where a result has them, by Newton's method for all times together."""
    if not isinstance(result, Result):
        raise ModelError(f"states needs a result of an analysis, but it is given {short(result)}.")
    bodies = list(f.model.bodies)[1:]
    if list(result.model.bodies)[1:] != bodies:
        raise ModelError(
            f"the result is one of model {result.model.name!r}, which has other bodies than {f.model.name!r}."
        )
    per = len(f.model.space.positions)
    places = result.q[:, : per * len(bodies)].reshape(len(result), len(bodies), per)
    q = np.tile(f.start, (len(result), 1))
    known = result._table_names()
    for k, name in enumerate(f.coordinates):
        if name in known:
            q[:, k] = result._column(name)[0]
    of_speeds = scales(f._packed.tree)[1][list(f._packed.couplings.kept)]
    length = f._packed.system.length
    misfit = np.zeros(0)
    for _ in range(ITERATIONS):
        misfit, J = _misfits(f, q, bodies, places, length)
        step = np.einsum("kvm,km->kv", np.linalg.pinv(J * of_speeds), misfit)
        q = f.integrate(q, step * of_speeds)
        if np.abs(step).max(initial=0.0) < SETTLED:
            break
    misfit, J = _misfits(f, q, bodies, places, length)
    if np.abs(misfit).max(initial=0.0) > FITS:
        k = int(np.argmax(np.abs(misfit).max(axis=1)))
        raise ModelError(
            f"the joints of model {f.model.name!r} do not lead to the positions of the result at t = {result.times[k]:g} s: they differ by "
            f"{float(np.abs(misfit).max()):.3g} of the size of the model. Use a result of the same model, in which its joints hold."
        )
    if result.v is None:
        return q, np.zeros((len(q), len(f.velocities)))
    wide = 3 if f.model.space.dimension == 2 else 6
    rates = result.v[:, : wide * len(bodies)].reshape(len(result), len(bodies), wide).copy()
    if wide == 6:
        rates[..., 3:] = np.einsum("kbij,kbj->kbi", rotations.matrix(places[..., 3:]), rates[..., 3:])
    rates[..., : f.model.space.dimension] /= length
    v = np.einsum("kvm,km->kv", np.linalg.pinv(J * of_speeds), rates.reshape(len(q), -1)) * of_speeds
    return q, np.asarray(v)


def _misfits(f: ModelFunctions, q: Array, bodies: list[str], places: Array, length: float) -> tuple[Array, Array]:
    """Translations [model sizes] and rotations that lead to the given places, and the Jacobian of all bodies."""
    offs, rows = [], []
    dimension = f.model.space.dimension
    for b, body in enumerate(bodies):
        r, turn = f.pose(body, q)
        J = f.jacobian(body, q)
        J[:, :dimension] /= length
        shift = (places[:, b, :dimension] - r) / length
        if dimension == 2:
            rotation = (places[:, b, 2] - turn)[:, None]
        else:
            there = np.asarray(rotations.matrix(places[:, b, 3:]))
            between = there @ np.swapaxes(turn, -1, -2)
            axis, angle = rotations.axis_angle(rotations.parameters(between))
            rotation = np.asarray(axis) * np.asarray(angle)[:, None]
        offs.append(np.concatenate([shift, rotation], axis=1))
        rows.append(J)
    return np.concatenate(offs, axis=1), np.concatenate(rows, axis=1)
