"""Bodies in space: position r and Euler parameters p (scalar first); velocity r' and angular velocity in body components.

A = G L', p' = 1/2 L' w'. Small rotations are body components too: a step d turns p into p * (cos |d|/2, d/|d| sin |d|/2).

The functions that `bodies` needs are elements, reached by address: planar models never compile them. Their arguments are named after
what an element's buffers hold in each case.
"""

from __future__ import annotations

import math

from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import element, kernel
from pytrammel.kernels.vectors import to_global, turned

TURN = 2.0 * math.pi


@kernel()
def write_rotation(state, at, e0, e1, e2, e3):
    """Unit Euler parameters and their rotation matrix into a body's state."""
    state[at + L.E0] = e0
    state[at + L.E0 + 1] = e1
    state[at + L.E0 + 2] = e2
    state[at + L.E0 + 3] = e3
    a = at + L.ROT
    d = e0 * e0 - 0.5
    state[a] = 2.0 * (d + e1 * e1)
    state[a + 1] = 2.0 * (e1 * e2 - e0 * e3)
    state[a + 2] = 2.0 * (e1 * e3 + e0 * e2)
    state[a + 3] = 2.0 * (e1 * e2 + e0 * e3)
    state[a + 4] = 2.0 * (d + e2 * e2)
    state[a + 5] = 2.0 * (e2 * e3 - e0 * e1)
    state[a + 6] = 2.0 * (e1 * e3 - e0 * e2)
    state[a + 7] = 2.0 * (e2 * e3 + e0 * e1)
    state[a + 8] = 2.0 * (d + e3 * e3)


@element
def space_load(I, io, F, state, q, o, v, jo, work):
    """Unpack coordinates and rates. The parameters are normalised here, so that stages of a step need no care."""
    for b in range(1, I[L.N_BODIES]):
        at = L.FIRST_BODY + L.SPACE_BODY_SIZE * b
        k = 7 * (b - 1)
        c = 6 * (b - 1)
        for i in range(3):
            state[at + L.R + i] = q[k + i]
            state[at + L.RD + i] = v[c + i]
            state[at + L.WB + i] = v[c + 3 + i]
        size = 1.0 / math.sqrt(q[k + 3] * q[k + 3] + q[k + 4] * q[k + 4] + q[k + 5] * q[k + 5] + q[k + 6] * q[k + 6])
        write_rotation(state, at, q[k + 3] * size, q[k + 4] * size, q[k + 5] * size, q[k + 6] * size)
        x, y, z = to_global(state, at, v[c + 3], v[c + 4], v[c + 5])
        state[at + L.WG] = x
        state[at + L.WG + 1] = y
        state[at + L.WG + 2] = z


@element
def space_move(I, io, F, state, q, o, step, jo, out):
    """out = q moved by a step (r by addition, p by the rotation vector). q and out may be the same."""
    for b in range(I[L.N_BODIES] - 1):
        k = 7 * b
        c = 6 * b
        for i in range(3):
            out[k + i] = q[k + i] + step[c + i]
        x = 0.5 * step[c + 3]
        y = 0.5 * step[c + 4]
        z = 0.5 * step[c + 5]
        half = math.sqrt(x * x + y * y + z * z)
        w = math.cos(half)
        sinc = math.sin(half) / half if half > 1e-6 else 1.0 - half * half / 6.0
        x *= sinc
        y *= sinc
        z *= sinc
        e0 = q[k + 3]
        e1 = q[k + 4]
        e2 = q[k + 5]
        e3 = q[k + 6]
        n0 = e0 * w - e1 * x - e2 * y - e3 * z
        n1 = e0 * x + e1 * w + e2 * z - e3 * y
        n2 = e0 * y - e1 * z + e2 * w + e3 * x
        n3 = e0 * z + e1 * y - e2 * x + e3 * w
        size = 1.0 / math.sqrt(n0 * n0 + n1 * n1 + n2 * n2 + n3 * n3)
        out[k + 3] = n0 * size
        out[k + 4] = n1 * size
        out[k + 5] = n2 * size
        out[k + 6] = n3 * size


@element
def space_difference(I, io, F, state, q_to, o, q_from, jo, out):
    """The step that leads from one position to another: inverse of `move_spatial` with the shorter rotation."""
    for b in range(I[L.N_BODIES] - 1):
        k = 7 * b
        c = 6 * b
        for i in range(3):
            out[c + i] = q_to[k + i] - q_from[k + i]
        e0 = q_from[k + 3]
        e1 = -q_from[k + 4]
        e2 = -q_from[k + 5]
        e3 = -q_from[k + 6]
        w = q_to[k + 3]
        x = q_to[k + 4]
        y = q_to[k + 5]
        z = q_to[k + 6]
        n0 = e0 * w - e1 * x - e2 * y - e3 * z
        n1 = e0 * x + e1 * w + e2 * z - e3 * y
        n2 = e0 * y - e1 * z + e2 * w + e3 * x
        n3 = e0 * z + e1 * y - e2 * x + e3 * w
        if n0 < 0.0:
            n0 = -n0
            n1 = -n1
            n2 = -n2
            n3 = -n3
        sine = math.sqrt(n1 * n1 + n2 * n2 + n3 * n3)
        scale = 2.0 * math.atan2(sine, n0) / sine if sine > 1e-9 else 2.0 / n0
        out[c + 3] = scale * n1
        out[c + 4] = scale * n2
        out[c + 5] = scale * n3


@kernel()
def write_rates(bodies, q, v, dq):
    """q' of r and p: r', 1/2 L' w'."""
    for b in range(bodies):
        k = 7 * b
        c = 6 * b
        for i in range(3):
            dq[k + i] = v[c + i]
        x = 0.5 * v[c + 3]
        y = 0.5 * v[c + 4]
        z = 0.5 * v[c + 5]
        dq[k + 3] = -q[k + 4] * x - q[k + 5] * y - q[k + 6] * z
        dq[k + 4] = q[k + 3] * x - q[k + 6] * y + q[k + 5] * z
        dq[k + 5] = q[k + 6] * x + q[k + 3] * y - q[k + 4] * z
        dq[k + 6] = -q[k + 5] * x + q[k + 4] * y + q[k + 3] * z


@element
def space_rates(I, io, F, state, q, o, v, jo, dq):
    """q' of r and p from v, and the rates of the turn counters from the state."""
    write_rates(I[L.N_BODIES] - 1, q, v, dq)
    first = I[L.N_COORDINATES] - I[L.N_TURNS]
    for k in range(I[L.N_TURNS]):
        at = I[L.AT_TURNS] + L.TURN_SIZE * k
        dq[first + k] = turn_rate(state, I[at], I[at + 1], F, I[at + 2])


@element
def space_to_rates(I, io, q, v, a, o, dq, jo, ddq):
    """q' and q'' of r and p: p'' = 1/2 L' w'' - 1/4 w'² p (6.113)."""
    bodies = I[L.N_BODIES] - 1
    write_rates(bodies, q, v, dq)
    write_rates(bodies, q, a, ddq)
    for b in range(bodies):
        k = 7 * b
        c = 6 * b
        square = 0.25 * (v[c + 3] * v[c + 3] + v[c + 4] * v[c + 4] + v[c + 5] * v[c + 5])
        for i in range(4):
            ddq[k + 3 + i] -= square * q[k + 3 + i]


@kernel()
def normalise_body(q, k):
    size = 1.0 / math.sqrt(q[k + 3] * q[k + 3] + q[k + 4] * q[k + 4] + q[k + 5] * q[k + 5] + q[k + 6] * q[k + 6])
    for i in range(3, 7):
        q[k + i] *= size


@kernel()
def from_parameter_rates(q, k, source, target, c):
    """w' = 2 L p' of one body; likewise w'' = 2 L p''."""
    e0 = q[k + 3]
    e1 = q[k + 4]
    e2 = q[k + 5]
    e3 = q[k + 6]
    d0 = source[k + 3]
    d1 = source[k + 4]
    d2 = source[k + 5]
    d3 = source[k + 6]
    target[c + 3] = 2.0 * (-e1 * d0 + e0 * d1 + e3 * d2 - e2 * d3)
    target[c + 4] = 2.0 * (-e2 * d0 - e3 * d1 + e0 * d2 + e1 * d3)
    target[c + 5] = 2.0 * (-e3 * d0 + e2 * d1 - e1 * d2 + e0 * d3)


@element
def space_from_rates(I, io, q, dq, ddq, o, v, jo, a):
    """v and a from q, q' and q''. The parameters are normalised."""
    for b in range(I[L.N_BODIES] - 1):
        k = 7 * b
        c = 6 * b
        for i in range(3):
            v[c + i] = dq[k + i]
            a[c + i] = ddq[k + i]
        normalise_body(q, k)
        from_parameter_rates(q, k, dq, v, c)
        from_parameter_rates(q, k, ddq, a, c)


@kernel()
def angle_parts(state, i, j, fp, f):
    """Components along x and y of body i's frame of a vector of body j: data x'_i, y'_i, s'_j. The angle is atan2(y, x)."""
    xx, xy, xz = turned(state, i, fp, f)
    yx, yy, yz = turned(state, i, fp, f + 3)
    sx, sy, sz = turned(state, j, fp, f + 6)
    return xx * sx + xy * sy + xz * sz, yx * sx + yy * sy + yz * sz


@kernel()
def nearest_turn(angle, reference):
    """The angle shifted by whole turns to be as close to a reference as possible."""
    return angle + TURN * math.floor((reference - angle) / TURN + 0.5)


@kernel()
def turn_rate(state, i, j, fp, f):
    """Rate of the angle that `angle_parts` measures."""
    xx, xy, xz = turned(state, i, fp, f)
    yx, yy, yz = turned(state, i, fp, f + 3)
    sx, sy, sz = turned(state, j, fp, f + 6)
    wx = state[j + L.WG] - state[i + L.WG]
    wy = state[j + L.WG + 1] - state[i + L.WG + 1]
    wz = state[j + L.WG + 2] - state[i + L.WG + 2]
    dx = wy * sz - wz * sy
    dy = wz * sx - wx * sz
    dz = wx * sy - wy * sx
    along = xx * sx + xy * sy + xz * sz
    across = yx * sx + yy * sy + yz * sz
    along_rate = xx * dx + xy * dy + xz * dz
    across_rate = yx * dx + yy * dy + yz * dz
    return (along * across_rate - across * along_rate) / (along * along + across * across)


@element
def space_settle(I, io, F, state, q, o, jac, jo, work):
    """Euler parameters back to length one (13.9); turn counters to the angles of the state, each on the turn it is nearest to."""
    for b in range(I[L.N_BODIES] - 1):
        normalise_body(q, 7 * b)
    first = I[L.N_COORDINATES] - I[L.N_TURNS]
    for k in range(I[L.N_TURNS]):
        at = I[L.AT_TURNS] + L.TURN_SIZE * k
        along, across = angle_parts(state, I[at], I[at + 1], F, I[at + 2])
        q[first + k] = nearest_turn(math.atan2(across, along), q[first + k])
