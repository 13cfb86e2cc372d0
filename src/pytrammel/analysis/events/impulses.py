"""Velocities that jump: what blows, joints that close and drivers that start at once do to the momenta of bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel._util.messages import short
from pytrammel._util.progress import interruptible
from pytrammel.analysis.at_state import mass_matrix, momenta
from pytrammel.analysis.events.impacts import balancing
from pytrammel.analysis.freedom.rank import LARGE, jacobian, sparse_jacobian
from pytrammel.analysis.start.initial import velocity_target
from pytrammel.analysis.start.start_velocities import DENSE, closest_in_energy
from pytrammel.errors import ModelError
from pytrammel.model.base import Model
from pytrammel.system.lowering import System
from pytrammel.system.positions import coordinates_of

Array = NDArray[np.float64]
SAME_SPEED = 1e-9  # relative: a smaller jump of a velocity is rounding


def check_impulse(model: Model, place: Any, amount: Any, what: str) -> None:
    """Find mistakes before the run."""
    if model.body_of(place).name == model.ground.name:
        raise ModelError(f"{what}: an impulse on the ground does nothing; name a moving body.")
    try:
        values = np.atleast_1d(np.asarray(amount, dtype=float))
    except (TypeError, ValueError):
        raise ModelError(f"{what}: an impulse must be numbers, but it is {short(amount)}.") from None
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ModelError(f"{what}: an impulse must be a few finite numbers, but it is {short(amount)}.")
    size = values.size
    if model.space.dimension == 2 and size not in (1, 2):
        raise ModelError(f"{what}: an impulse is a number [N m s] or two components [N s], not {amount!r}.")
    if model.space.dimension == 3 and size not in (3, 6):
        raise ModelError(
            f"{what}: an impulse in space has three components [N s], or six: three linear [N s] and three angular ones [N m s], all "
            f"global; it is {amount!r}."
        )


def add_impulse(system: System, place: Any, amount: Any, q: Array, momentum: Array) -> None:
    """Add an impulse to the generalised momenta of all columns."""
    model = system.model
    body = model.body_of(place).name
    k = system.columns.index(f"{body}.x")
    own = coordinates_of(system, q, body)
    values = np.atleast_1d(np.asarray(amount, dtype=float))
    arm = np.array(model.place(place, None, "an impulse", origin=True).local)
    if model.space.dimension == 2:
        if values.size == 1:
            momentum[k + 2] += values[0]
            return
        c, s = np.cos(own[2]), np.sin(own[2])
        arm = np.array([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]])
        momentum[k : k + 3] += [*values, arm[0] * values[1] - arm[1] * values[0]]
        return
    turn = rotations.matrix(own[3:])
    twist = values[3:] if values.size == 6 else np.zeros(3)
    momentum[k : k + 3] += values[:3]
    momentum[k + 3 : k + 6] += turn.T @ twist + np.cross(arm, turn.T @ values[:3])


def velocities_after(
    system: System, rows: Sequence[int], t: float, q: Array, v: Array, impulses: Sequence[tuple[Any, Any]] = ()
) -> Array:
    """Velocities after impulses and with the constraints that act from now on: balance of momentum."""
    n, m = system.n_columns, len(rows)
    momentum = momenta(system, q, v)
    for place, amount in impulses:
        add_impulse(system, place, amount, q, momentum)
    if n > DENSE:
        return closest_in_energy(system, rows, t, q, momentum)
    row_scales = system.row_scales()[list(rows)]
    J = jacobian(system, q, t, rows) / system.column_scales() * row_scales[:, None]
    nu = velocity_target(system, rows, t, q) * row_scales
    kkt = np.block([[mass_matrix(system, q), -J.T], [J, np.zeros((m, m))]])
    scales = balancing(kkt)
    kkt, right = kkt * np.outer(scales, scales), scales * np.concatenate([momentum, nu])
    solution, *_ = interruptible(lambda: np.linalg.lstsq(kkt, right, rcond=None), when=kkt.size > LARGE)
    return np.asarray((scales * solution)[:n])


def slips(system: System, rows: Sequence[int], t: float, q: Array, v: Array) -> bool:
    """True if velocities do not fit the constraints by more than rounding."""
    if not rows:
        return False
    speeds = v / system.column_scales()
    off = sparse_jacobian(system, q, t, rows) @ speeds - velocity_target(system, rows, t, q)
    return bool(np.abs(off).max() > SAME_SPEED * max(1.0, float(np.abs(speeds).max())))
