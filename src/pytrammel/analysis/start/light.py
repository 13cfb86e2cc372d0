"""Masses and inertias far below the others: which of them the equations of motion are to be solved with.

Beside a tiny inertia the rows of a joint cannot be told apart in double precision, so the factorised matrix has a larger one in its
place, for which the true balance then corrects. That works where joints hold the light part, so that its inertia hardly counts.
Where it moves by itself, only its own inertia gives its acceleration, and the factorised matrix must have that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel.analysis.at_state import principal_moments
from pytrammel.analysis.freedom.rank import exact_rows, jacobian, rank_of
from pytrammel.analysis.start.idle import LARGEST, idle_directions
from pytrammel.analysis.start.start_velocities import kinetic_roots
from pytrammel.errors import ModelError
from pytrammel.kernels import layout as L
from pytrammel.kernels import spatial_mass
from pytrammel.system.lowering import System

Array = NDArray[np.float64]

MOVES = 1e-6  # share of a motion from which on a body takes part in it
FEATHER = 1e-9  # share of the largest mass below which a body moves by itself for all the others feel of it
NO_ENERGY = 1e-15  # root of the share of the largest kinetic energy that is rounding
SEEN = 1e-12  # share of the largest kinetic energy that the balance of forces, good to 1e-13 of them, can see
LOST = 1e-13  # smallest eigenvalue of the normalised matrix J M^-1 J' at which a row drowns in rounding


def own_inertias_where_free(system: System, rows: Sequence[int], time: float, q: Array) -> None:
    """Let light parts that move by themselves be solved for with their own mass and inertia (changes the system's constants).

    Raises:
        ModelError: A light part moves by itself, but double precision cannot tell how beside the others; or the model is too large to
            find out.
    """
    if not int(system.ints[L.HAS_MASSLESS]):
        return
    light = [b for b in range(len(system.model.bodies) - 1) if _true_inverse(system, b) is not None]
    if not light:
        return
    if system.n_columns > LARGEST:
        body = list(system.model.bodies.values())[1 + light[0]]
        raise ModelError(
            f"body {body.name!r} is so light ({body.mass:g} kg, inertia {np.max(body.inertia):g} kg m²) against the others that its motion "
            f"may be lost in rounding, and a model with {system.n_columns} coordinates is too large to find out (the limit is {LARGEST}). "
            "Make it heavier, or say massless=True."
        )
    moving = _moving_alone(system, rows, time, q, light)
    free = [
        b for b in light if np.abs(moving[system.per_body * b : system.per_body * (b + 1)]).max(initial=0.0) > MOVES
    ]
    for b in free:
        at, inverse = _true_inverse(system, b) or (0, np.zeros(0))
        system.floats[at : at + inverse.size] = inverse
        if system.model.space.dimension == 3:
            own = _place(system, b)
            system.floats[own + spatial_mass.INVERSE_MASS] = 1.0 / system.floats[own + spatial_mass.MASS]
    if free and (_rows_lost(system, rows, time, q) or _balance_lost(system, rows, time, q, moving)):
        body = list(system.model.bodies.values())[1 + free[0]]
        raise ModelError(
            f"body {body.name!r} moves by itself, but is so light ({body.mass:g} kg, inertia {np.max(body.inertia):g} kg m²) against the "
            "others that its motion is lost in rounding. Make it heavier, or leave it out."
        )


def _place(system: System, b: int) -> int:
    """Where the mass properties of a body stand."""
    size = L.MASS_SIZE if system.model.space.dimension == 2 else L.SPACE_MASS_SIZE
    return int(system.ints[L.AT_MASSES]) + size * b


def _true_inverse(system: System, b: int) -> tuple[int, Array] | None:
    """Where the inverse of a body's inertia stands, and its true value, if another one is in its place."""
    floats, at = system.floats, _place(system, b)
    if system.model.space.dimension == 2:
        mass, inertia = floats[at + 4], floats[at + 5]
        if not (mass > 0.0 and inertia > 0.0) or min(mass * floats[at], inertia * floats[at + 1]) > 0.5:
            return None
        return at, np.array([1.0 / mass, 1.0 / inertia])
    inertia = floats[at + spatial_mass.INERTIA : at + spatial_mass.INERTIA + 9].reshape(3, 3)
    inverse = floats[at + spatial_mass.INVERSE_INERTIA : at + spatial_mass.INVERSE_INERTIA + 9].reshape(3, 3)
    mass, moments = floats[at + spatial_mass.MASS], principal_moments(inertia)[0]
    if not (mass > 0.0 and moments[0] > 0.0):
        return None
    share = min(mass * floats[at + spatial_mass.INVERSE_MASS], float(np.linalg.eigvals(inertia @ inverse).real.min()))
    return (
        None
        if share > 0.5
        else (at + spatial_mass.INVERSE_INERTIA, np.asarray(np.linalg.inv(inertia).ravel(), dtype=float))
    )


def _moving_alone(system: System, rows: Sequence[int], time: float, q: Array, light: Sequence[int]) -> Array:
    """Free motions in which only light parts have kinetic energy."""
    floats = system.floats.copy()
    spatial = system.model.space.dimension == 3
    for b in light:
        body = list(system.model.bodies.values())[1 + b]
        at = _place(system, b)
        place = spatial_mass.INERTIA if spatial else 5
        floats[at + place : at + place + (9 if spatial else 1)] = 0.0
        if body.mass < FEATHER * max((other.mass or 0.0) for other in system.model.bodies.values()):
            floats[at + (spatial_mass.MASS if spatial else 4)] = 0.0
    without = idle_directions(replace(system, floats=floats), rows, time, q)
    if not without.shape[1]:
        return without
    _, values, right = np.linalg.svd(kinetic_roots(system, q) @ without)
    found = without @ right[: int((values > NO_ENERGY).sum())].T
    found[np.abs(found) < MOVES] = 0.0  # rounding, times the forces on heavy bodies, would drown what light ones do
    return np.asarray(found)


def _balance_lost(system: System, rows: Sequence[int], time: float, q: Array, moving: Array) -> bool:
    """True if light parts that rows hang on to other bodies are too light for the balance of forces to see them."""
    hung = np.abs(jacobian(system, q, time, rows)).max(axis=0, initial=0.0) > MOVES
    alone = moving[:, np.abs(moving[hung]).max(axis=0, initial=0.0) > 0.0]
    energies = np.linalg.norm(kinetic_roots(system, q) @ alone, axis=0) ** 2
    return bool((energies < SEEN).any())


def _rows_lost(system: System, rows: Sequence[int], time: float, q: Array) -> bool:
    """True if rows that are independent cannot be told apart in the mass metric."""
    dense = jacobian(system, q, time, exact_rows(system, q, time, rows))
    J = dense[list(rank_of(dense).independent)]
    scales, per = system.column_scales(), system.per_body
    weights = np.diag(scales**2)
    for b in range(len(system.model.bodies) - 1):
        own = slice(per * b, per * (b + 1))
        weights[own, own] = _inverse_block(system, b, q)
    S = (J / scales) @ weights @ (J / scales).T
    sizes = np.sqrt(np.maximum(np.diag(S), 1e-300))
    return bool(np.linalg.eigvalsh(S / np.outer(sizes, sizes)).min(initial=1.0) < LOST)


def _inverse_block(system: System, b: int, q: Array) -> Array:
    """Inverse of a body's block of the mass matrix from the inverses of its mass and inertia, as the kernels compute it."""
    floats, at = system.floats, _place(system, b)
    shift = np.eye(system.per_body)
    if system.model.space.dimension == 2:
        xi, eta = floats[at + 2 : at + 4]
        c, s = math.cos(q[3 * b + 2]), math.sin(q[3 * b + 2])
        shift[:2, 2] = s * xi + c * eta, -(c * xi - s * eta)
        return np.asarray((shift * [floats[at], floats[at], floats[at + 1]]) @ shift.T)
    centroid = floats[at + spatial_mass.CENTROID : at + spatial_mass.CENTROID + 3]
    shift[:3, 3:] = rotations.matrix(q[7 * b + 3 : 7 * b + 7]) @ rotations.skew(centroid)
    between = np.diag(np.full(6, floats[at + spatial_mass.INVERSE_MASS]))
    inverse = floats[at + spatial_mass.INVERSE_INERTIA : at + spatial_mass.INVERSE_INERTIA + 9]
    between[3:, 3:] = inverse.reshape(3, 3)
    return np.asarray(shift @ between @ shift.T)
