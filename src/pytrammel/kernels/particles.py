"""Bodies that are a few particles at fixed distances: where things are, and how bodies follow from particles.

A body's origin r and axes f are linear in its particles, r = sum a x, f = sum c x, and so are velocities: [r'; w] = T x'. For a rigid body
T's rate times x' vanishes. In the plane a and c are complex numbers.
"""

from __future__ import annotations

import math

from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bodies import load_state
from pytrammel.kernels.dynamics import load_inner_states
from pytrammel.kernels.jit import call_routine, floats_at, ints_at, kernel
from pytrammel.kernels.spatial_bodies import nearest_turn

# header of the integers: particles that move, all particles, distances; then where tables begin: per body its number of particles, the
# particles and its weights; pairs at fixed distances; in the numbers places of fixed particles, distances, masses, what counts as
# one, and where the particles are in their bodies
(N_FREE, N_ALL, N_DISTANCES, AT_BODIES, AT_PAIRS, AT_FIXED, AT_LENGTHS, AT_MASS, AT_SCALES, AT_POINTS) = range(10)
# where parts of the workspace begin
(
    W_STATE, W_OUT, W_JAC, W_WORK, W_BODY, W_X, W_V, W_T, W_BIAS, W_J, W_Q, W_R, W_K, W_G, W_F, W_PHI, W_NU, W_GAMMA, W_STEP,
    W_RATES, W_TARGET, W_ENERGY, W_END,
) = range(10, 33)  # fmt: skip
# addresses of what the equations are made of (`equations.points_parts`), so that each is compiled once
LOAD, LOOK, INDEPENDENCE, FORCES, SOLVE = range(33, 38)
HEADER_SIZE = 38
MOST = 8  # particles of a body
BODY = MOST + 2  # integers per body: number of particles, particles, place of the weights
WEIGHTS = 4  # numbers per particle and body: in the plane the complex a and c, in space a and three c


@kernel(spread=True)
def parts(E):
    """Integers and numbers of the particles, workspace, integers of the model."""
    return (
        ints_at(E[engine.REDUCED]),
        floats_at(E[engine.REDUCED_NUMBERS]),
        floats_at(E[engine.WORKSPACE]),
        ints_at(E[engine.INTS]),
    )


@kernel()
def dimension(I):
    return 2 if I[L.IS_SPATIAL] == 0 else 3


@kernel()
def unknowns(H, I):
    """Coordinates of particles and places on curves."""
    return dimension(I) * H[N_FREE] + I[L.N_EXTRAS]


@kernel()
def references(I):
    """Numbers that tell on which turn a body is: its angle, or its Euler parameters."""
    return (1 if I[L.IS_SPATIAL] == 0 else 4) * (I[L.N_BODIES] - 1)


@kernel()
def rates_at(H, I):
    """Where the velocities begin in y."""
    return unknowns(H, I) + I[L.N_TURNS] + references(I)


@kernel()
def planar_body(H, G, W, I, b, reference, q, v):
    """Place and motion of a planar body from its particles, and how they enter it."""
    at = H[AT_BODIES] + BODY * b
    weights = H[at + 1 + MOST]
    X = W[H[W_X] :]
    V = W[H[W_V] :]
    rx = ry = vx = vy = wx = wy = dx = dy = 0.0
    for i in range(H[at]):
        p = 2 * H[at + 1 + i]
        ar = G[weights + WEIGHTS * i]
        ai = G[weights + WEIGHTS * i + 1]
        cr = G[weights + WEIGHTS * i + 2]
        ci = G[weights + WEIGHTS * i + 3]
        rx += ar * X[p] - ai * X[p + 1]
        ry += ar * X[p + 1] + ai * X[p]
        vx += ar * V[p] - ai * V[p + 1]
        vy += ar * V[p + 1] + ai * V[p]
        wx += cr * X[p] - ci * X[p + 1]
        wy += cr * X[p + 1] + ci * X[p]
        dx += cr * V[p] - ci * V[p + 1]
        dy += cr * V[p + 1] + ci * V[p]
    size = wx * wx + wy * wy
    grows = (dx * wx + dy * wy) / size  # zero for a rigid body
    turns = (dy * wx - dx * wy) / size
    q[3 * b] = rx
    q[3 * b + 1] = ry
    q[3 * b + 2] = nearest_turn(math.atan2(wy, wx), reference)
    v[3 * b] = vx
    v[3 * b + 1] = vy
    v[3 * b + 2] = turns
    W[H[W_BIAS] + 3 * b] = 0.0
    W[H[W_BIAS] + 3 * b + 1] = 0.0
    W[H[W_BIAS] + 3 * b + 2] = -2.0 * grows * turns
    T = W[H[W_T] + 3 * 2 * MOST * b :]
    for i in range(H[at]):
        ar = G[weights + WEIGHTS * i]
        ai = G[weights + WEIGHTS * i + 1]
        cr = G[weights + WEIGHTS * i + 2]
        ci = G[weights + WEIGHTS * i + 3]
        k = 2 * i
        T[k] = ar
        T[k + 1] = -ai
        T[2 * MOST + k] = ai
        T[2 * MOST + k + 1] = ar
        T[4 * MOST + k] = (ci * wx - cr * wy) / size
        T[4 * MOST + k + 1] = (cr * wx + ci * wy) / size


@kernel()
def nearest_rotation(A):
    """The rotation nearest to a matrix that is nearly one (polar decomposition, Newton's iteration)."""
    for _ in range(30):
        c0 = A[4] * A[8] - A[5] * A[7]
        c1 = A[5] * A[6] - A[3] * A[8]
        c2 = A[3] * A[7] - A[4] * A[6]
        c3 = A[2] * A[7] - A[1] * A[8]
        c4 = A[0] * A[8] - A[2] * A[6]
        c5 = A[1] * A[6] - A[0] * A[7]
        c6 = A[1] * A[5] - A[2] * A[4]
        c7 = A[2] * A[3] - A[0] * A[5]
        c8 = A[0] * A[4] - A[1] * A[3]
        det = A[0] * c0 + A[1] * c1 + A[2] * c2
        change = 0.0
        for k, c in enumerate((c0, c1, c2, c3, c4, c5, c6, c7, c8)):
            new = 0.5 * (A[k] + c / det)
            change = max(change, abs(new - A[k]))
            A[k] = new
        if not change > 1e-14:
            return


@kernel()
def parameters_of(A, y, ref, q, k):
    """Euler parameters of a rotation matrix, with the sign that is nearer to those in y."""
    trace = A[0] + A[4] + A[8]
    if trace > 0.0:
        e0 = 0.5 * math.sqrt(1.0 + trace)
        e1 = (A[7] - A[5]) / (4.0 * e0)
        e2 = (A[2] - A[6]) / (4.0 * e0)
        e3 = (A[3] - A[1]) / (4.0 * e0)
    elif A[0] >= A[4] and A[0] >= A[8]:
        e1 = 0.5 * math.sqrt(1.0 + A[0] - A[4] - A[8])
        e0 = (A[7] - A[5]) / (4.0 * e1)
        e2 = (A[1] + A[3]) / (4.0 * e1)
        e3 = (A[2] + A[6]) / (4.0 * e1)
    elif A[4] >= A[8]:
        e2 = 0.5 * math.sqrt(1.0 - A[0] + A[4] - A[8])
        e0 = (A[2] - A[6]) / (4.0 * e2)
        e1 = (A[1] + A[3]) / (4.0 * e2)
        e3 = (A[5] + A[7]) / (4.0 * e2)
    else:
        e3 = 0.5 * math.sqrt(1.0 - A[0] - A[4] + A[8])
        e0 = (A[3] - A[1]) / (4.0 * e3)
        e1 = (A[2] + A[6]) / (4.0 * e3)
        e2 = (A[5] + A[7]) / (4.0 * e3)
    sign = -1.0 if e0 * y[ref] + e1 * y[ref + 1] + e2 * y[ref + 2] + e3 * y[ref + 3] < 0.0 else 1.0
    q[k + 3] = sign * e0
    q[k + 4] = sign * e1
    q[k + 5] = sign * e2
    q[k + 6] = sign * e3


@kernel()
def spatial_body(H, G, W, I, b, y, ref, q, v):
    """Place and motion of a body in space from its particles, and how they enter it."""
    at = H[AT_BODIES] + BODY * b
    weights = H[at + 1 + MOST]
    X = W[H[W_X] :]
    V = W[H[W_V] :]
    A = W[H[W_TARGET] + 3 :]
    for k in range(9):
        A[k] = 0.0
    for k in range(3):
        q[7 * b + k] = 0.0
        v[6 * b + k] = 0.0
        v[6 * b + 3 + k] = 0.0
        W[H[W_BIAS] + 6 * b + k] = 0.0
        W[H[W_BIAS] + 6 * b + 3 + k] = 0.0
    for i in range(H[at]):
        p = 3 * H[at + 1 + i]
        g = weights + WEIGHTS * i
        for k in range(3):
            q[7 * b + k] += G[g] * X[p + k]
            v[6 * b + k] += G[g] * V[p + k]
            for j in range(3):
                A[3 * k + j] += X[p + k] * G[g + 1 + j]
    nearest_rotation(A)
    parameters_of(A, y, ref, q, 7 * b)
    T = W[H[W_T] + 6 * 3 * MOST * b :]
    width = 3 * MOST
    for i in range(H[at]):
        p = 3 * H[at + 1 + i]
        g = weights + WEIGHTS * i
        # gradient of this particle's weight, as the body lies
        bx = A[0] * G[g + 1] + A[1] * G[g + 2] + A[2] * G[g + 3]
        by = A[3] * G[g + 1] + A[4] * G[g + 2] + A[5] * G[g + 3]
        bz = A[6] * G[g + 1] + A[7] * G[g + 2] + A[8] * G[g + 3]
        for k in range(3):
            for j in range(3):
                T[width * k + 3 * i + j] = G[g] if j == k else 0.0
            ax = A[k]
            ay = A[3 + k]
            az = A[6 + k]
            row = width * (3 + k) + 3 * i
            T[row] = 0.5 * (ay * bz - az * by)
            T[row + 1] = 0.5 * (az * bx - ax * bz)
            T[row + 2] = 0.5 * (ax * by - ay * bx)
            v[6 * b + 3 + k] += T[row] * V[p] + T[row + 1] * V[p + 1] + T[row + 2] * V[p + 2]


@kernel()
def load(E, t, y):
    """The whole state at (t, y): particles, bodies, and how particles enter bodies."""
    H = parts(E)[0]
    call_routine(H[LOAD], E, t, 0.0, y, y, y)


@kernel()
def load_particles(E, t, y):
    """What `load` leads to."""
    H, G, W, I = parts(E)
    d = dimension(I)
    n = unknowns(H, I)
    first = rates_at(H, I)
    free = d * H[N_FREE]
    for c in range(free):
        W[H[W_X] + c] = y[c]
        W[H[W_V] + c] = y[first + c]
    for c in range(d * (H[N_ALL] - H[N_FREE])):
        W[H[W_X] + free + c] = G[H[AT_FIXED] + c]
        W[H[W_V] + free + c] = 0.0
    nq = I[L.N_COORDINATES]
    columns = I[L.N_COLUMNS]
    body = W[H[W_BODY] :]
    q = body[:nq]
    v = body[nq:]
    ref = n + I[L.N_TURNS]
    for b in range(I[L.N_BODIES] - 1):
        if d == 2:
            planar_body(H, G, W, I, b, y[ref + b], q, v)
        else:
            spatial_body(H, G, W, I, b, y, ref + 4 * b, q, v)
    extras = I[L.N_EXTRAS]
    turns = I[L.N_TURNS]
    for k in range(extras):
        q[nq - turns - extras + k] = y[free + k]
        W[H[W_BIAS] + columns - extras + k] = 0.0
    for k in range(turns):
        q[nq - turns + k] = y[n + k]
    tail = extras + I[L.N_STATES] + I[L.N_FORCES] + 1
    for k in range(tail):
        v[columns - extras + k] = y[first + free + k]
    state = W[H[W_STATE] :]
    load_state(I, t, q, v, state)
    load_inner_states(I, body[nq + columns :], state)


@kernel()
def spread_forces(H, W, I, forces):
    """Forces on bodies as forces on their particles, T'g."""
    d = dimension(I)
    per_body = 3 if d == 2 else 6
    width = d * MOST
    f = W[H[W_F] :]
    for c in range(unknowns(H, I)):
        f[c] = 0.0
    for b in range(I[L.N_BODIES] - 1):
        at = H[AT_BODIES] + BODY * b
        for a in range(per_body):
            T = H[W_T] + per_body * width * b + width * a
            for i in range(H[at]):
                p = H[at + 1 + i]
                if p < H[N_FREE]:
                    for k in range(d):
                        f[d * p + k] += forces[per_body * b + a] * W[T + d * i + k]
    for e in range(I[L.N_EXTRAS]):
        f[d * H[N_FREE] + e] = forces[I[L.N_COLUMNS] - I[L.N_EXTRAS] + e]


@kernel()
def add_to_particles(H, W, I, columns_first, count, jac, first, row):
    """Add entries of a row over columns of bodies, seen through the particles."""
    d = dimension(I)
    per_body = 3 if d == 2 else 6
    first_extra = I[L.N_COLUMNS] - I[L.N_EXTRAS]
    width = d * MOST
    for e in range(count):
        column = I[columns_first + e]
        value = jac[first + e]
        if column < 0 or value == 0.0:
            continue
        if column >= first_extra:
            row[d * H[N_FREE] + column - first_extra] += value
            continue
        b = column // per_body
        at = H[AT_BODIES] + BODY * b
        T = H[W_T] + per_body * width * b + width * (column % per_body)
        for i in range(H[at]):
            p = H[at + 1 + i]
            if p < H[N_FREE]:
                for k in range(d):
                    row[d * p + k] += value * W[T + d * i + k]
