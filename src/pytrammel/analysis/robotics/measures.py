"""Conditioning of a mechanism between actuators, joints and end effector."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.robotics.mechanism import Mechanism
from pytrammel.analysis.robotics.task import Task

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Measures:
    """Conditioning at positions, smallest over largest singular value, and oriented determinants.

    Attributes:
        serial: Conditioning of the end effector's velocities along the allowed ones: zero at singularities of type 1.
        parallel: Conditioning of the actuators' velocities along the allowed ones: zero at singularities of type 2.
        serial_sign, parallel_sign: Signs of the determinants, 0 where the matrices are not square; comparable between neighbours only.
    """

    serial: Array
    parallel: Array
    serial_sign: Array
    parallel_sign: Array


def maps(mechanism: Mechanism, task: Task, q: Array, N: Array | None = None) -> tuple[Array, Array]:
    """Velocities of the end effector and of the actuators along allowed velocities, without units.

    Args:
        q: Positions, shape (n, nq).
        N: Basis of the allowed velocities; computed if None.
    """
    N = mechanism.basis(q) if N is None else N
    T = task.jacobian(q) @ N / task.scales(mechanism.length)[:, None]
    S = N[..., mechanism.acting, :] / mechanism.of_speeds[mechanism.acting][:, None]
    return T, S


def measures(mechanism: Mechanism, task: Task, q: Array) -> Measures:
    """Conditioning at positions along a path; the basis of the allowed velocities is carried along it."""
    N = mechanism.basis(q)
    T, S = maps(mechanism, task, q, N)
    orientation = np.ones(len(q))
    if mechanism.f.constraints:
        N = N / mechanism.of_speeds[:, None]
        between = np.swapaxes(N[:-1], -1, -2) @ N[1:]
        orientation[1:] = np.cumprod(np.sign(np.linalg.det(between)))
    return Measures(_conditioning(T), _conditioning(S), orientation * _sign(T), orientation * _sign(S))


def pair_signs(mechanism: Mechanism, task: Task, q: Array, other: Array) -> tuple[Array, Array]:
    """Signs that compare neighbouring positions: 1 where the determinants of end effector or actuators have the same sign, else -1.

    Args:
        q, other: Positions, shape (n, nq) each.
    """
    N, M = mechanism.basis(q), mechanism.basis(other)
    turned = np.ones(len(q))
    if mechanism.f.constraints and len(q):
        scaled = np.swapaxes(N / mechanism.of_speeds[:, None], -1, -2) @ (M / mechanism.of_speeds[:, None])
        turned = np.sign(np.linalg.det(scaled))
    (T, S), (U, V) = maps(mechanism, task, q, N), maps(mechanism, task, other, M)
    return turned * _sign(T) * _sign(U), turned * _sign(S) * _sign(V)


def sizes_of(T: Array, S: Array) -> dict[str, Array]:
    """Conditioning of the end effector and of the actuators, dexterity and manipulability of the end effector by the actuators.

    Dexterity is the conditioning of the end effector's velocity along those of the actuators, manipulability the product of its singular
    values; both without units, lengths relative to the model's length.
    """
    parallel = _conditioning(S) if S.shape[-2] <= S.shape[-1] else _conditioning(np.swapaxes(S, -1, -2))
    J = T @ np.linalg.pinv(S, rcond=1e-12) if S.size else T
    sizes = np.linalg.svd(J, compute_uv=False) if J.size else np.zeros((len(T), 0))
    return {
        "serial": _conditioning(T), "parallel": parallel, "dexterity": _conditioning(J), "manipulability": np.prod(sizes, axis=-1),
    }  # fmt: skip


def _conditioning(A: Array) -> Array:
    """Smallest over largest singular value; zero without rows or with more rows than columns."""
    if not A.size or A.shape[-2] > A.shape[-1]:
        return np.zeros(len(A))
    sizes = np.linalg.svd(A, compute_uv=False)
    return np.asarray(sizes[:, -1] / np.maximum(sizes[:, 0], 1e-300))


def _sign(A: Array) -> Array:
    if A.shape[-1] != A.shape[-2] or not A.size:
        return np.zeros(len(A))
    return np.asarray(np.sign(np.linalg.det(A)))


def aligned(mechanism: Mechanism, q: Array, reference: Array) -> Array:
    """Bases of the allowed velocities at positions, rotated to be as near as possible to a reference basis in scaled velocities."""
    N = mechanism.basis(q)
    if not mechanism.f.constraints:
        return N
    scaled = N / mechanism.of_speeds[:, None]
    U, _, V = np.linalg.svd(np.swapaxes(scaled, -1, -2) @ (reference / mechanism.of_speeds[:, None]))
    return np.asarray(N @ (U @ V))
