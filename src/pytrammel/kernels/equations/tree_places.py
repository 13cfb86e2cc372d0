"""Places on bodies of a tree: pose, velocity, acceleration and Jacobian of a point at the loaded state."""

from __future__ import annotations

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.equations.tree_state import (
    AT_X,
    AT_Y,
    FEWER,
    N_V,
    X_SPEEDS,
    bodies_accelerate,
)
from pytrammel.kernels.jit import kernel
from pytrammel.kernels.trees import layout as T_
from pytrammel.kernels.trees.data import bare_floats, bare_ints, room, tree_at
from pytrammel.kernels.vectors import cross, to_global


@kernel()
def state_of(T, place):
    """Position of the body of a point in the state; node -1 is the ground."""
    node = int(place[0])
    return T[T[T_.AT_NODES] + T_.NODE_SIZE * node + T_.PLACE] if node >= 0 else L.FIRST_BODY


@kernel()
def write_pose(E, place, out):
    """Position of a point and orientation of its body: rotation matrix by rows, or the angle in the plane."""
    T = tree_at(E)
    state = room(E, T[T_.W_STATE])
    at = state_of(T, place)
    if bare_ints(E[engine.INTS])[L.IS_SPATIAL] != 0:
        x, y, z = to_global(state, at, place[1], place[2], place[3])
        out[0] = state[at + L.R] + x
        out[1] = state[at + L.R + 1] + y
        out[2] = state[at + L.R + 2] + z
        for i in range(9):
            out[3 + i] = state[at + L.ROT + i]
    else:
        out[0] = state[at + L.X] + state[at + L.COS] * place[1] - state[at + L.SIN] * place[2]
        out[1] = state[at + L.Y] + state[at + L.SIN] * place[1] + state[at + L.COS] * place[2]
        out[2] = state[at + L.PHI]


@kernel()
def write_velocity(E, place, out):
    """Velocity of a point and angular velocity of its body, global components."""
    T = tree_at(E)
    state = room(E, T[T_.W_STATE])
    at = state_of(T, place)
    if bare_ints(E[engine.INTS])[L.IS_SPATIAL] != 0:
        px, py, pz = to_global(state, at, place[1], place[2], place[3])
        x, y, z = cross(state[at + L.WG], state[at + L.WG + 1], state[at + L.WG + 2], px, py, pz)
        out[0] = state[at + L.RD] + x
        out[1] = state[at + L.RD + 1] + y
        out[2] = state[at + L.RD + 2] + z
        for i in range(3):
            out[3 + i] = state[at + L.WG + i]
    else:
        px = state[at + L.COS] * place[1] - state[at + L.SIN] * place[2]
        py = state[at + L.SIN] * place[1] + state[at + L.COS] * place[2]
        out[0] = state[at + L.XD] - state[at + L.W] * py
        out[1] = state[at + L.YD] + state[at + L.W] * px
        out[2] = state[at + L.W]


@kernel()
def write_acceleration(E, a, place, out):
    """Acceleration of a point and angular acceleration of its body, global components."""
    T = tree_at(E)
    state = room(E, T[T_.W_STATE])
    at = state_of(T, place)
    spatial = bare_ints(E[engine.INTS])[L.IS_SPATIAL] != 0
    accel = room(E, T[T_.W_ACCEL])
    node = int(place[0])
    for i in range(6 if spatial else 3):
        out[i] = 0.0
    if node < 0:
        return
    bodies_accelerate(E, a, accel)
    body = T[T[T_.AT_NODES] + T_.NODE_SIZE * node + T_.BODY]
    if spatial:
        c = 6 * body
        px, py, pz = to_global(state, at, place[1], place[2], place[3])
        ax, ay, az = to_global(state, at, accel[c + 3], accel[c + 4], accel[c + 5])
        tx, ty, tz = cross(ax, ay, az, px, py, pz)
        wx = state[at + L.WG]
        wy = state[at + L.WG + 1]
        wz = state[at + L.WG + 2]
        ux, uy, uz = cross(wx, wy, wz, px, py, pz)
        ux, uy, uz = cross(wx, wy, wz, ux, uy, uz)
        out[0] = accel[c] + tx + ux
        out[1] = accel[c + 1] + ty + uy
        out[2] = accel[c + 2] + tz + uz
        out[3] = ax
        out[4] = ay
        out[5] = az
    else:
        c = 3 * body
        w = state[at + L.W]
        px = state[at + L.COS] * place[1] - state[at + L.SIN] * place[2]
        py = state[at + L.SIN] * place[1] + state[at + L.COS] * place[2]
        out[0] = accel[c] - accel[c + 2] * py - w * w * px
        out[1] = accel[c + 1] + accel[c + 2] * px - w * w * py
        out[2] = accel[c + 2]


@kernel()
def write_jacobian(E, place, out):
    """Velocity of a point and angular velocity of its body per unit of each speed, by rows."""
    T = tree_at(E)
    X = bare_ints(E[AT_X])
    Y = bare_floats(E[AT_Y])
    state = room(E, T[T_.W_STATE])
    spatial = bare_ints(E[engine.INTS])[L.IS_SPATIAL] != 0
    n = X[N_V]
    at = state_of(T, place)
    for i in range((6 if spatial else 3) * n):
        out[i] = 0.0
    px = 0.0
    py = 0.0
    pz = 0.0
    if spatial:
        px, py, pz = to_global(state, at, place[1], place[2], place[3])
        px += state[at + L.R]
        py += state[at + L.R + 1]
        pz += state[at + L.R + 2]
    else:
        px = state[at + L.X] + state[at + L.COS] * place[1] - state[at + L.SIN] * place[2]
        py = state[at + L.Y] + state[at + L.SIN] * place[1] + state[at + L.COS] * place[2]
    up = int(place[0])
    while up >= 0:
        node = T[T_.AT_NODES] + T_.NODE_SIZE * up
        origin = T[node + T_.PLACE]
        for a in range(T[node + T_.SPEEDS]):
            u = T[node + T_.AT_U] + a
            pairs = 1
            start = 0
            if X[FEWER] != 0:
                start = X[X[X_SPEEDS] + 2 * u]
                pairs = X[X[X_SPEEDS] + 2 * u + 1]
            for e in range(pairs):
                c = u
                factor = 1.0
                if X[FEWER] != 0:
                    c = X[start + 2 * e]
                    factor = Y[X[start + 2 * e + 1]]
                if spatial:
                    B = room(E, T[T_.W_B] + 6 * u)
                    x, y, z = cross(
                        B[3], B[4], B[5], px - state[origin + L.R], py - state[origin + L.R + 1], pz - state[origin + L.R + 2]
                    )  # fmt: skip
                    out[c] += factor * (B[0] + x)
                    out[n + c] += factor * (B[1] + y)
                    out[2 * n + c] += factor * (B[2] + z)
                    out[3 * n + c] += factor * B[3]
                    out[4 * n + c] += factor * B[4]
                    out[5 * n + c] += factor * B[5]
                else:
                    B = room(E, T[T_.W_B] + 3 * u)
                    out[c] += factor * (B[0] - B[2] * (py - state[origin + L.Y]))
                    out[n + c] += factor * (B[1] + B[2] * (px - state[origin + L.X]))
                    out[2 * n + c] += factor * B[2]
        up = T[node + T_.PARENT]
