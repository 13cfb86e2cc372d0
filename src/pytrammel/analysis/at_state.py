"""Mass matrix and forces at one state, asked from Python (statics, impulses, inverse dynamics)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel.errors import ModelError
from pytrammel.kernels import formulations
from pytrammel.kernels import layout as L
from pytrammel.kernels.measures import measures_run
from pytrammel.kernels.state import state_run
from pytrammel.model.base import Model
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.system.lowering import System, lower_measures

Array = NDArray[np.float64]

ROUNDING = 1e-15  # moment of inertia relative to the largest one, below which a computed principal moment is rounding

Formulation = Literal["I", "II", "III"]


def in_formulation(system: System, formulation: Formulation) -> NDArray[np.int64]:
    """The system's integers, set to solve the equations of motion by one of the formulations of chapter 11.

    III has angular velocities as unknowns and is solved sparsely; I (Euler parameters with a multiplier for each norm) and II (mixed) are
    solved densely, for comparison and teaching. All give the same accelerations and reactions.
    """
    codes = {"III": formulations.ANGULAR_VELOCITIES, "I": formulations.PARAMETERS, "II": formulations.MIXED}
    if formulation == "III":
        return system.ints
    if system.model.space.dimension == 2:
        raise ModelError(
            f"formulation {formulation!r} is for spatial models: model {system.model.name!r} is planar and has no Euler parameters."
        )
    ints = system.ints.copy()
    ints[L.FORMULATION] = codes[formulation]
    ints[L.IN_PARAMETERS] = formulations.solve_in_parameters.address()
    return ints


@dataclass(frozen=True)
class StateValues:
    """Everything the kernels know at one state.

    Attributes:
        accelerations: Accelerations, shape (n,).
        multipliers: Multipliers in elimination order.
        generalised: Force vector g, gravity and velocity terms included, shape (n,).
        forces: Scalar value of each force element.
    """

    accelerations: Array
    multipliers: Array
    generalised: Array
    forces: Array


def evaluate_state(
    system: System, floats: Array, pattern: NDArray[np.int64], time: float, q: Array, v: Array, z: Array | None = None,
    *, formulation: Formulation = "III",
) -> StateValues:  # fmt: skip
    """Evaluate forces, accelerations and multipliers at one state, by one of the book's formulations."""
    inner = system.inner_start if z is None else z
    found = evaluate_states(
        in_formulation(system, formulation), floats, pattern, np.array([float(time)]),
        q.copy()[None], v.copy()[None], inner[None],
    )  # fmt: skip
    return StateValues(
        found.accelerations[0], found.multipliers[0], found.generalised[0], found.forces[0, : len(system.forces)]
    )


def evaluate_states(
    ints: NDArray[np.int64], floats: Array, pattern: NDArray[np.int64], times: Array, q: Array, v: Array, z: Array
) -> StateValues:
    """Batch version of `evaluate_state`: tables with one row per state, from the integers of `in_formulation`."""
    count, nf = times.size, max(1, int(ints[L.N_FORCES]))
    a, g = np.zeros((count, v.shape[1])), np.zeros((count, v.shape[1]))
    lam, outs = np.zeros((count, int(pattern[L.P_ROWS]))), np.zeros((count, nf))
    for k, time in enumerate(times.tolist()):
        state_run(ints, floats, pattern, time, q[k], v[k], z[k], a[k], lam[k], g[k], outs[k])
    return StateValues(a, lam, g, outs)


def mass_matrix(system: System, q: Array) -> Array:
    """Dense mass matrix; zero for massless coordinates."""
    out = np.zeros((system.n_columns, system.n_columns))
    for b, block in enumerate(mass_blocks(system, q)):
        own = slice(len(block) * b, len(block) * (b + 1))
        out[own, own] = block
    return out


def momenta(system: System, q: Array, v: Array) -> Array:
    """Generalised momenta M v; zero for massless coordinates."""
    return np.asarray(momenta_by(mass_blocks(system, q)[None], v[None])[0])


def momenta_by(blocks: Array, v: Array) -> Array:
    """Generalised momenta of many variants from the blocks of their mass matrices, shape (N, n_columns)."""
    count, bodies, per, _ = blocks.shape
    found = np.zeros_like(v)
    own = v[:, : per * bodies].reshape(count, bodies, per, 1)
    found[:, : per * bodies] = (blocks @ own).reshape(count, bodies * per)
    return found


def kinetic_energy(system: System, q: Array, v: Array) -> float:
    """Kinetic energy [J]."""
    return float(energies_by(mass_blocks(system, q)[None], v[None])[0])


def energies_by(blocks: Array, v: Array) -> Array:
    """Kinetic energies of many variants from the blocks of their mass matrices [J], shape (N,)."""
    return np.asarray(0.5 * (v[:, None, :] @ momenta_by(blocks, v)[:, :, None])[:, 0, 0])


def mass_blocks(system: System, q: Array) -> Array:
    """Block of the mass matrix of every moving body, shape (bodies, k, k); the extra coordinates have no mass."""
    return np.asarray(mass_blocks_of_variants(system, system.floats[None], q[None])[0])


def mass_blocks_of_variants(system: System, floats: Array, places: Array) -> Array:
    """The same for many variants, one row of floats and of coordinates each, shape (N, bodies, k, k)."""
    numbers, poses = _masses_and_poses(system, floats, places)
    return _spatial_blocks(numbers, poses) if system.model.space.dimension == 3 else _planar_blocks(numbers, poses)


def _masses_and_poses(system: System, floats: Array, places: Array) -> tuple[Array, Array]:
    """Mass properties and poses of moving bodies, shape (N, bodies, ...)."""
    size = L.SPACE_MASS_SIZE if system.model.space.dimension == 3 else L.MASS_SIZE
    bodies, at, per = len(system.model.bodies) - 1, int(system.ints[L.AT_MASSES]), len(system.model.space.positions)
    numbers = floats[:, at : at + size * bodies].reshape(-1, bodies, size)
    return numbers, places[:, : per * bodies].reshape(-1, bodies, per)


def _cosines_and_sines(poses: Array) -> tuple[Array, Array]:
    """Cosines and sines of planar bodies, one by one: those of a whole array need not equal those of its numbers to the last bit."""
    angles = poses[..., 2].ravel().tolist()
    c, s = (np.array([f(x) for x in angles]).reshape(poses.shape[:-1]) for f in (math.cos, math.sin))
    return c, s


def _planar_blocks(numbers: Array, poses: Array) -> Array:
    xi, eta, m, mu = (numbers[..., k] for k in range(2, 6))
    c, s = _cosines_and_sines(poses)
    sx, sy = c * xi - s * eta, s * xi + c * eta
    out = np.zeros((*m.shape, 3, 3))
    out[..., 0, 0] = out[..., 1, 1] = m
    out[..., 0, 2] = out[..., 2, 0] = -m * sy
    out[..., 1, 2] = out[..., 2, 1] = m * sx
    out[..., 2, 2] = mu + m * (sx * sx + sy * sy)
    return out


def _spatial_blocks(numbers: Array, poses: Array) -> Array:
    """Translation in global, rotation in body components (Haug 11.1.11)."""
    m, inertia = numbers[..., 1, None, None], numbers[..., 6:15].reshape(*numbers.shape[:2], 3, 3)
    skew = rotations.skew(numbers[..., 3:6])
    across = -m * rotations.matrix(poses[..., 3:]) @ skew
    out = np.zeros((*numbers.shape[:2], 6, 6))
    out[..., :3, :3], out[..., 3:, 3:] = m * np.eye(3), inertia - m * skew @ skew
    out[..., :3, 3:], out[..., 3:, :3] = across, np.swapaxes(across, -1, -2)
    return out


def mass_roots(system: System, q: Array) -> Array:
    """R of every moving body with R' R its block of the mass matrix, shape (bodies, k, k)."""
    return np.asarray(mass_roots_of_variants(system, system.floats[None], q[None])[0])


def mass_roots_of_variants(system: System, floats: Array, places: Array) -> Array:
    """Batch version of `mass_roots`, shape (N, bodies, k, k).

    Mass and inertia about the centroid have separate rows. In a block about another origin, rounding of the mass exceeds a small inertia.
    """
    numbers, poses = _masses_and_poses(system, floats, places)
    if system.model.space.dimension == 3:
        return _spatial_roots(numbers, poses)
    xi, eta, m, mu = (numbers[..., k] for k in range(2, 6))
    c, s = _cosines_and_sines(poses)
    root = np.sqrt(m)
    out = np.zeros((*m.shape, 3, 3))
    out[..., 0, 0] = out[..., 1, 1] = root
    out[..., 0, 2], out[..., 1, 2] = -root * (s * xi + c * eta), root * (c * xi - s * eta)
    out[..., 2, 2] = np.sqrt(np.maximum(mu, 0.0))
    return out


def _spatial_roots(numbers: Array, poses: Array) -> Array:
    root = np.sqrt(numbers[..., 1, None, None])
    out = np.zeros((*numbers.shape[:2], 6, 6))
    out[..., :3, :3] = root * np.eye(3)
    out[..., :3, 3:] = -root * rotations.matrix(poses[..., 3:]) @ rotations.skew(numbers[..., 3:6])
    moments, axes = principal_moments(numbers[..., 6:15].reshape(*numbers.shape[:2], 3, 3))
    out[..., 3:, 3:] = np.sqrt(moments)[..., None] * np.swapaxes(axes, -1, -2)
    return out


def principal_moments(inertia: Array) -> tuple[Array, Array]:
    """Moments of inertia matrices about their principal axes, in ascending order, and these axes; moments that are rounding are zero."""
    moments, axes = np.linalg.eigh(inertia)
    full = np.abs(inertia * (1.0 - np.eye(3))).max(axis=(-2, -1))[..., None] > 0.0
    rounding = np.where(full, ROUNDING * moments[..., -1:], 0.0)
    return np.where(moments > rounding, moments, 0.0), axes


def mechanical_energy(system: System, q: Array, v: Array) -> float:
    """Kinetic energy and potential energy of gravity, zero at the global origin [J]."""
    kinetic = kinetic_energy(system, q, v)
    per_body, gravity = len(system.model.space.positions), np.array(system.model.gravity)
    height = 0.0
    for b, body in enumerate(list(system.model.bodies.values())[1:]):
        own, centroid = q[per_body * b : per_body * (b + 1)], np.array(body.centroid)
        if system.model.space.dimension == 3:
            arm = rotations.matrix(own[3:]) @ centroid
        else:
            c, s = math.cos(own[2]), math.sin(own[2])
            arm = np.array([c * centroid[0] - s * centroid[1], s * centroid[0] + c * centroid[1]])
        height += (body.mass or 0.0) * float(gravity @ (own[: gravity.size] + arm))
    return kinetic - height


def measured_value(model: Model, quantity: Quantity, t: float, q: Array, v: Array) -> tuple[float, float]:
    """Value and rate of a quantity at one state."""
    small = lower_measures(model, [quantity])
    values, rates, seconds = (np.zeros((1, 1)) for _ in range(3))
    zeros = np.zeros((1, v.size))
    measures_run(
        small.ints,
        small.floats,
        np.array([t]),
        q.reshape(1, -1).copy(),
        v.reshape(1, -1).copy(),
        zeros,
        values,
        rates,
        seconds,
    )
    return float(values[0, 0]), float(rates[0, 0])
