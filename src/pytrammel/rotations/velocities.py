"""Angular velocity and acceleration, and the rates of Euler parameters (sec. 6.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pytrammel.rotations.algebra import G, L
from pytrammel.rotations.inputs import Floats, Frame, apply, as_vectors, check_frame, check_stacks, dot


def _side(p: Floats, frame: Frame) -> Floats:
    check_frame(frame)
    return L(p) if frame == "body" else G(p)


def angular_velocity(p: ArrayLike, pdot: ArrayLike, *, frame: Frame = "body") -> Floats:
    """Angular velocity, omega' = 2 L pdot (eq. 6.107) or omega = 2 G pdot (eq. 6.104).

    Args:
        p: Euler parameters, shape (..., 4).
        pdot: Their rates [1/s], shape (..., 4).
        frame: "body" for omega', "global" for omega.

    Returns:
        Angular velocities [rad/s], shape (..., 3).
    """
    p, pdot = as_vectors(p, 4, "Euler parameters"), as_vectors(pdot, 4, "rates of Euler parameters")
    check_stacks(p=p.shape[:-1], pdot=pdot.shape[:-1])
    return 2.0 * apply(_side(p, frame), pdot)


def parameter_rate(p: ArrayLike, omega: ArrayLike, *, frame: Frame = "body") -> Floats:
    """Rates of Euler parameters, pdot = L^T omega' / 2 (eq. 6.109) or G^T omega / 2 (eq. 6.106).

    Args:
        p: Euler parameters, shape (..., 4).
        omega: Angular velocities [rad/s], shape (..., 3).
        frame: In which components omega is given.

    Returns:
        Rates [1/s] with p^T pdot = 0, shape (..., 4).
    """
    p, omega = as_vectors(p, 4, "Euler parameters"), as_vectors(omega, 3, "angular velocity")
    check_stacks(p=p.shape[:-1], omega=omega.shape[:-1])
    return 0.5 * apply(np.swapaxes(_side(p, frame), -1, -2), omega)


def angular_acceleration(p: ArrayLike, pddot: ArrayLike, *, frame: Frame = "body") -> Floats:
    """Angular acceleration, 2 L pddot or 2 G pddot (eq. 6.110-6.112).

    Args:
        p: Euler parameters, shape (..., 4).
        pddot: Their second derivatives [1/s^2], shape (..., 4).
        frame: "body" for the components along the body axes, "global" for those along the global ones.

    Returns:
        Angular accelerations [rad/s^2], shape (..., 3).
    """
    p, pddot = as_vectors(p, 4, "Euler parameters"), as_vectors(pddot, 4, "accelerations of Euler parameters")
    check_stacks(p=p.shape[:-1], pddot=pddot.shape[:-1])
    return 2.0 * apply(_side(p, frame), pddot)


def parameter_acceleration(p: ArrayLike, omega: ArrayLike, omegadot: ArrayLike, *, frame: Frame = "body") -> Floats:
    """Second derivatives of Euler parameters, L^T omegadot' / 2 - omega^2 p / 4 (eq. 6.111, 6.113).

    Args:
        p: Euler parameters, shape (..., 4).
        omega: Angular velocities [rad/s], shape (..., 3).
        omegadot: Angular accelerations [rad/s^2], shape (..., 3).
        frame: In which components both are given.

    Returns:
        Second derivatives [1/s^2], shape (..., 4).
    """
    p, omega = as_vectors(p, 4, "Euler parameters"), as_vectors(omega, 3, "angular velocity")
    omegadot = as_vectors(omegadot, 3, "angular acceleration")
    check_stacks(p=p.shape[:-1], omega=omega.shape[:-1], omegadot=omegadot.shape[:-1])
    along = 0.25 * dot(omega, omega)[..., None] * p
    return 0.5 * apply(np.swapaxes(_side(p, frame), -1, -2), omegadot) - along
