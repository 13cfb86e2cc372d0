"""What all contacts share: normal laws, friction laws, and the forces of one contact point on two bodies."""

from __future__ import annotations

import math

from pytrammel.kernels.jit import kernel
from pytrammel.kernels.layout import XD, YD, W, X, Y

# constants of a contact, in this order
LAW, STIFFNESS, EXPONENT, DAMPING, IMPACT_SPEED, MU_STATIC, MU_DYNAMIC, STICK_SPEED, VISCOUS, SLIP_SLOPE, N_CONTACT = (
    range(11)
)
LINEAR, ELASTIC, RATE, IMPACT = 0, 1, 2, 3


@kernel()
def normal_force(fp, f, depth, rate):
    """Normal force for a penetration and its rate; never pulls.

    Linear: k d^p + c d'. Elastic: k d^p. Rate: k d^p (1 + c d'). Impact: k d^p (1 + c d'/d'0) with the rate d'0 at first touch.
    """
    if depth <= 0.0:
        return 0.0
    law = int(fp[f + LAW])
    elastic = fp[f + STIFFNESS] * depth if fp[f + EXPONENT] == 1.0 else fp[f + STIFFNESS] * depth ** fp[f + EXPONENT]
    if law == LINEAR:
        force = elastic + fp[f + DAMPING] * rate
    elif law == ELASTIC:
        force = elastic
    elif law == RATE:
        force = elastic * (1.0 + fp[f + DAMPING] * rate)
    else:
        force = elastic * (1.0 + fp[f + DAMPING] * rate / fp[f + IMPACT_SPEED])
    return max(force, 0.0)


@kernel()
def friction_force(fp, f, normal, slip):
    """Tangential force against a slip speed: regularised Coulomb with a static peak, viscous part, or a tyre's slip slope."""
    if fp[f + SLIP_SLOPE] > 0.0:
        limit = fp[f + MU_DYNAMIC] * normal
        grip = -min(max(fp[f + SLIP_SLOPE] * slip, -limit), limit)
        return grip - (fp[f + VISCOUS] * slip if normal > 0.0 else 0.0)
    if fp[f + MU_STATIC] == 0.0 and fp[f + MU_DYNAMIC] == 0.0:
        return -fp[f + VISCOUS] * slip if normal > 0.0 else 0.0
    ratio = slip / fp[f + STICK_SPEED]
    mu = fp[f + MU_DYNAMIC] + (fp[f + MU_STATIC] - fp[f + MU_DYNAMIC]) * math.exp(-0.25 * ratio * ratio)
    return -mu * normal * math.tanh(2.0 * ratio) - (fp[f + VISCOUS] * slip if normal > 0.0 else 0.0)


@kernel()
def add_contact(fp, f, state, i, j, cx, cy, nx, ny, depth, jac, jo):
    """Add the forces of one contact point: on body i along n (from j to i), the opposite on j. Returns normal force and power."""
    ix = cx - state[i + X]
    iy = cy - state[i + Y]
    jx = cx - state[j + X]
    jy = cy - state[j + Y]
    vx = state[i + XD] - state[i + W] * iy - state[j + XD] + state[j + W] * jy
    vy = state[i + YD] + state[i + W] * ix - state[j + YD] - state[j + W] * jx
    approach = -(nx * vx + ny * vy)
    slip = -ny * vx + nx * vy  # along the tangent (-ny, nx)
    normal = normal_force(fp, f, depth, approach)
    tangential = friction_force(fp, f, normal, slip)
    fx = normal * nx - tangential * ny
    fy = normal * ny + tangential * nx
    jac[jo] += fx
    jac[jo + 1] += fy
    jac[jo + 2] += ix * fy - iy * fx
    jac[jo + 3] -= fx
    jac[jo + 4] -= fy
    jac[jo + 5] -= jx * fy - jy * fx
    return normal, fx * vx + fy * vy
