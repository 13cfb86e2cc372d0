"""Impulses of events: what a blow at a point or a twist does to the momenta of a body."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trammel import rotations
from trammel.errors import ModelError
from trammel.model.base import Model
from trammel.system.lowering import System
from trammel.system.positions import coordinates_of

Array = NDArray[np.float64]


def check_impulse(model: Model, place: Any, amount: Any, what: str) -> None:
    """Find mistakes before the run."""
    if model.body_of(place).name == model.ground.name:
        raise ModelError(f"{what}: an impulse on the ground does nothing; name a moving body.")
    size = 1 if isinstance(amount, int | float) else len(amount)
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
