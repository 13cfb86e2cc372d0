"""RATTLE: a symplectic, symmetric method for mechanisms without losses, whose energy error stays bounded.

Half a kick by the forces and reactions at the beginning, a free flight of every body, half a kick at the end:

    v_h = v + h/2 M⁻¹ (g + J'lam),   q+ = flight of h with v_h, lam so that Phi(q+) = 0,   v+ = v_h + h/2 M⁻¹ (g+ + J+'mu), J+ v+ = nu+

M, g and J without velocity terms. In flight a centroid goes straight on; a body in space turns by Moser and Veselov's discrete free
rotation: with Pi = J' w' and the turn as a quaternion (w, x), h Pi = 2 w J'x + 2 x × J'x, after which Pi is the same vector in the new
axes. That is symplectic and keeps angular momentum. Forces that depend on velocities are taken at the beginning in the first kick and at
the end, by iteration, in the second one: the method stays symmetric and of second order.
"""

from __future__ import annotations

import math

from pytrammel.kernels import dynamics as K
from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced, bare, tail
from pytrammel.kernels.bodies import load_state
from pytrammel.kernels.dynamics import bare_workspace
from pytrammel.kernels.engine import N_METHOD, OWN, data_of
from pytrammel.kernels.equations.cartesian import WORK
from pytrammel.kernels.evaluate import row_residuals, row_times, run_elements
from pytrammel.kernels.hermite import between
from pytrammel.kernels.jit import call_routine, floats_at, kernel, routine, vector
from pytrammel.kernels.mass import apply_inverse_mass, inertia_forces, weigh_by_mass
from pytrammel.kernels.schur import add_transposed, factor, solve_factored
from pytrammel.kernels.spatial_mass import CENTROID, INERTIA, INVERSE_INERTIA, times_matrix
from pytrammel.kernels.vectors import cross

# the method's integers: states and rates at both ends of a step, the step before, multipliers, scratch
(AT_Y0, AT_F0, AT_Y1, AT_F1, AT_BEFORE, AT_LAM, AT_SCRATCH) = range(OWN, OWN + 7)
# the method's numbers: lengths of this step and the one before, the equation that could not be solved (as in `index3`)
(LENGTH, PREVIOUS, WORST, FREE) = range(N_METHOD, N_METHOD + 4)

ITERATIONS = 60
ROUNDING = 4e-16  # of the scales: nothing is left to be found
GOOD_ENOUGH = 1e-11  # an iteration that gets no further twice is at its end
SLOW = 0.7


@routine()
def rattle_start(E, t, h, y, unused, unused_too):
    S = bare(floats_at(E[engine.NUMBERS]))
    S[PREVIOUS] = 0.0
    S[WORST] = -1.0
    for c in range(E[engine.SIZE]):
        S[E[AT_LAM] + c] = 0.0
    return call_routine(E[engine.RATES], E, t, 0.0, y, advanced(S, E[AT_F0]), y)


@kernel()
def forces_at(I, F, t, q, v, zero, ws):
    """Applied forces and weight, left in the workspace with state, outputs and Jacobian at (q, v)."""
    load_state(I, t, q, zero, ws[K.STATE])
    inertia_forces(I, F, ws[K.STATE], ws[K.FORCES])
    load_state(I, t, q, v, ws[K.STATE])
    run_elements(I, F, ws[K.STATE], ws[K.OUT], ws[K.JAC], ws[K.WORK])
    K.run_forces(I, F, ws[K.STATE], ws[K.OUT], ws[K.JAC], ws[K.WORK], ws[K.FORCES])


@kernel()
def free_turn(F, at, h, wx, wy, wz):
    """Vector part of the quaternion by which a body with this angular velocity turns; NaN if it turns too far in a step."""
    px, py, pz = times_matrix(F, at + INERTIA, wx, wy, wz)
    px *= h
    py *= h
    pz *= h
    x = 0.5 * h * wx
    y = 0.5 * h * wy
    z = 0.5 * h * wz
    scale = 1.0 / math.sqrt(1.0 + x * x + y * y + z * z)
    x *= scale
    y *= scale
    z *= scale
    for _ in range(20):
        square = x * x + y * y + z * z
        if not square < 1.0:
            return math.nan, math.nan, math.nan
        w = math.sqrt(1.0 - square)
        jx, jy, jz = times_matrix(F, at + INERTIA, x, y, z)
        cx, cy, cz = cross(x, y, z, jx, jy, jz)
        rx = px - 2.0 * (w * jx + cx)
        ry = py - 2.0 * (w * jy + cy)
        rz = pz - 2.0 * (w * jz + cz)
        # 2 (w J' - J'x x'/w + x~ J' - (J'x)~), solved by Cramer's rule
        a = tail(F, at + INERTIA)
        m00 = w * a[0] - jx * x / w + y * a[6] - z * a[3]
        m01 = w * a[1] - jx * y / w + y * a[7] - z * a[4] + jz
        m02 = w * a[2] - jx * z / w + y * a[8] - z * a[5] - jy
        m10 = w * a[3] - jy * x / w + z * a[0] - x * a[6] - jz
        m11 = w * a[4] - jy * y / w + z * a[1] - x * a[7]
        m12 = w * a[5] - jy * z / w + z * a[2] - x * a[8] + jx
        m20 = w * a[6] - jz * x / w + x * a[3] - y * a[0] + jy
        m21 = w * a[7] - jz * y / w + x * a[4] - y * a[1] - jx
        m22 = w * a[8] - jz * z / w + x * a[5] - y * a[2]
        c0, c1, c2 = cross(m01, m11, m21, m02, m12, m22)
        det = 2.0 * (m00 * c0 + m10 * c1 + m20 * c2)
        dx = (rx * c0 + ry * c1 + rz * c2) / det
        c0, c1, c2 = cross(rx, ry, rz, m02, m12, m22)
        dy = (m00 * c0 + m10 * c1 + m20 * c2) / det
        c0, c1, c2 = cross(m01, m11, m21, rx, ry, rz)
        dz = (m00 * c0 + m10 * c1 + m20 * c2) / det
        x += dx
        y += dy
        z += dz
        if not abs(dx) + abs(dy) + abs(dz) > 1e-16 + 1e-15 * (abs(x) + abs(y) + abs(z)):
            break
    return x, y, z


@kernel()
def rotated(w, x, y, z, ax, ay, az):
    """A vector turned by a unit quaternion."""
    ux, uy, uz = cross(x, y, z, ax, ay, az)
    sx, sy, sz = cross(x, y, z, ux, uy, uz)
    return ax + 2.0 * (w * ux + sx), ay + 2.0 * (w * uy + sy), az + 2.0 * (w * uz + sz)


@kernel()
def fly_in_space(I, F, h, q0, v, q1, v1):
    """Free flight of bodies in space."""
    for b in range(I[L.N_BODIES] - 1):
        at = I[L.AT_MASSES] + L.SPACE_MASS_SIZE * b
        k = 7 * b
        c = 6 * b
        wx = v[c + 3]
        wy = v[c + 4]
        wz = v[c + 5]
        sx = F[at + CENTROID]
        sy = F[at + CENTROID + 1]
        sz = F[at + CENTROID + 2]
        x, y, z = free_turn(F, at, h, wx, wy, wz)
        w = math.sqrt(max(0.0, 1.0 - x * x - y * y - z * z))
        e0 = q0[k + 3]
        e1 = q0[k + 4]
        e2 = q0[k + 5]
        e3 = q0[k + 6]
        q1[k + 3] = e0 * w - e1 * x - e2 * y - e3 * z
        q1[k + 4] = e0 * x + e1 * w + e2 * z - e3 * y
        q1[k + 5] = e0 * y - e1 * z + e2 * w + e3 * x
        q1[k + 6] = e0 * z + e1 * y - e2 * x + e3 * w
        # angular momentum, the same vector in the new axes
        px, py, pz = times_matrix(F, at + INERTIA, wx, wy, wz)
        px, py, pz = rotated(w, -x, -y, -z, px, py, pz)
        nx, ny, nz = times_matrix(F, at + INVERSE_INERTIA, px, py, pz)
        v1[c + 3] = nx
        v1[c + 4] = ny
        v1[c + 5] = nz
        # the centroid goes straight on
        ox, oy, oz = rotated(e0, e1, e2, e3, sx, sy, sz)
        gx, gy, gz = rotated(q1[k + 3], q1[k + 4], q1[k + 5], q1[k + 6], sx, sy, sz)
        ux, uy, uz = cross(wx, wy, wz, sx, sy, sz)
        ux, uy, uz = rotated(e0, e1, e2, e3, ux, uy, uz)
        ux += v[c]
        uy += v[c + 1]
        uz += v[c + 2]
        q1[k] = q0[k] + h * ux + (ox - gx)
        q1[k + 1] = q0[k + 1] + h * uy + (oy - gy)
        q1[k + 2] = q0[k + 2] + h * uz + (oz - gz)
        rx, ry, rz = cross(nx, ny, nz, sx, sy, sz)
        rx, ry, rz = rotated(q1[k + 3], q1[k + 4], q1[k + 5], q1[k + 6], rx, ry, rz)
        v1[c] = ux - rx
        v1[c + 1] = uy - ry
        v1[c + 2] = uz - rz


@kernel()
def fly(I, F, h, q0, v, q1, v1):
    """Free flight of all bodies from q0 with v."""
    for c in range(I[L.N_COORDINATES]):
        q1[c] = q0[c]
    if I[L.IS_SPATIAL] != 0:
        fly_in_space(I, F, h, q0, v, q1, v1)
        return
    for b in range(I[L.N_BODIES] - 1):
        at = I[L.AT_MASSES] + L.MASS_SIZE * b
        c = 3 * b
        xi = F[at + 2]
        eta = F[at + 3]
        w = v[c + 2]
        cos = math.cos(q0[c + 2])
        sin = math.sin(q0[c + 2])
        sx = cos * xi - sin * eta
        sy = sin * xi + cos * eta
        q1[c + 2] = q0[c + 2] + h * w
        cos = math.cos(q1[c + 2])
        sin = math.sin(q1[c + 2])
        tx = cos * xi - sin * eta
        ty = sin * xi + cos * eta
        ux = v[c] - w * sy
        uy = v[c + 1] + w * sx
        q1[c] = q0[c] + sx + h * ux - tx
        q1[c + 1] = q0[c + 1] + sy + h * uy - ty
        v1[c] = ux + w * ty
        v1[c + 1] = uy - w * tx
        v1[c + 2] = w


@kernel()
def onto_positions(I, F, P, S, t, h, q0, v, lam, q1, v1, step, ws):
    """The flight that ends on the constraints: adds half a kick by reactions at the beginning to v. False if there is none.

    The workspace holds the factors at the beginning.
    """
    n = I[L.N_COLUMNS]
    m = P[L.P_ROWS]
    add_scaled(I, P, 0.5 * h, lam, step, ws, v)
    before = math.inf
    stalled = 0
    for _ in range(ITERATIONS):
        fly(I, F, h, q0, v, q1, v1)
        if m == 0:
            return True
        load_state(I, t, q1, v1, ws[K.STATE])
        run_elements(I, F, ws[K.STATE], ws[K.OUT], ws[K.JAC], ws[K.WORK])
        largest = row_residuals(I, F, P, t, ws[K.OUT], ws[K.WORK], ws[K.STEP], ws[K.PHI], ws[K.NU], ws[K.GAMMA])
        for k in range(m):
            row = P[P[L.P_AT_ROWS] + k]
            if abs(ws[K.PHI][k]) / F[I[L.AT_ROW_SCALES] + row] >= largest:
                S[WORST] = float(n + k)
            ws[K.RESIDUAL][k] = -2.0 / (h * h) * ws[K.PHI][k]
        if not largest < 1e3:
            return False
        solve_factored(P, ws[K.LOWER], ws[K.PIVOTS], ws[K.RESIDUAL])
        for k in range(m):
            lam[k] += ws[K.RESIDUAL][k]
        norm = 0.5 * h * h * add_scaled(I, P, 0.5 * h, ws[K.RESIDUAL], step, ws, v)
        if norm > SLOW * before and norm <= GOOD_ENOUGH:
            stalled += 1
        if norm <= ROUNDING or stalled > 1:
            S[WORST] = -1.0
            return True
        if norm > 2.0 * before and norm > GOOD_ENOUGH:
            return False
        before = norm
    return False


@kernel()
def add_scaled(I, P, amount, lam, step, ws, v):
    """Add amount M⁻¹ J'lam to v; returns the largest entry of M⁻¹ J'lam."""
    n = I[L.N_COLUMNS]
    for c in range(n):
        step[c] = 0.0
    add_transposed(I, P, ws[K.WEIGHTED], lam, step)
    largest = 0.0
    for c in range(n):
        v[c] += amount * step[c]
        if not abs(step[c]) <= largest:
            largest = abs(step[c])
    return largest


@kernel()
def kick_at_end(I, F, P, S, t, h, q, flown, v, zero, step, ws):
    """v = flown + half a kick at the end, on the rows of velocities; repeated where forces depend on v. False if that does not settle."""
    n = I[L.N_COLUMNS]
    for c in range(n):
        v[c] = flown[c]
    before = math.inf
    stalled = 0
    for iteration in range(ITERATIONS):
        forces_at(I, F, t, q, v, zero, ws)
        if iteration == 0:
            row_residuals(I, F, P, t, ws[K.OUT], ws[K.WORK], step, ws[K.PHI], ws[K.NU], ws[K.GAMMA])
            weigh_by_mass(I, F, P, ws[K.STATE], ws[K.JAC], ws[K.WEIGHTED])
            factor(P, ws[K.JAC], ws[K.WEIGHTED], 0.0, ws[K.Y], ws[K.LOWER], ws[K.PIVOTS])
        apply_inverse_mass(I, F, ws[K.STATE], ws[K.FORCES], step)
        for c in range(n):
            step[c] = flown[c] + 0.5 * h * step[c]
        for _ in range(2):
            for k in range(P[L.P_ROWS]):
                ws[K.RESIDUAL][k] = ws[K.NU][k] - row_times(I, P, k, ws[K.JAC], step)
            solve_factored(P, ws[K.LOWER], ws[K.PIVOTS], ws[K.RESIDUAL])
            add_transposed(I, P, ws[K.WEIGHTED], ws[K.RESIDUAL], step)
        change = 0.0
        size = 1e-300
        for c in range(n):
            size = max(size, abs(step[c]))
            if not abs(step[c] - v[c]) <= change:
                change = abs(step[c] - v[c])
                S[WORST] = float(c)
            v[c] = step[c]
        if not math.isfinite(change):
            return False
        if iteration > 0 and change > SLOW * before and change <= GOOD_ENOUGH * size:
            stalled += 1
        if (iteration > 0 and change <= ROUNDING * size) or stalled > 1:
            S[WORST] = -1.0
            return True
        if iteration > 2 and change > 2.0 * before and change > GOOD_ENOUGH * size:
            return False
        before = change
    return False


@kernel()
def finish_step(E, S, t, h, y, y1, speeds, carried):
    """What the motion leads to at the end of a step: turn counters, which stand before the speeds, rates and works. NaN without rates."""
    first = advanced(S, E[AT_F0])
    last = advanced(S, E[AT_F1])
    end = advanced(S, E[AT_Y1])
    # near enough to find the turn
    for c in range(speeds - carried, speeds):
        y1[c] = y[c] + h * first[c]
    angle = call_routine(E[engine.RATES], E, t + h, 0.0, y1, last, y1)
    for c in range(E[engine.N_ACTIVE], E[engine.SIZE]):
        y1[c] = y[c] + 0.5 * h * (first[c] + last[c])
    for c in range(E[engine.SIZE]):
        end[c] = y1[c]
    S[engine.CLOSEST] = angle
    S[engine.AT_END] = angle
    return 0.0 if not math.isnan(angle) else math.nan


@routine(seconds=12.0)
def rattle_attempt(E, t, h, y, y1, unused):
    ints, floats, pattern, W = data_of(E)
    I = bare(ints)
    F = bare(floats)
    P = bare(pattern)
    S = bare(floats_at(E[engine.NUMBERS]))
    size = E[engine.SIZE]
    n = I[L.N_COLUMNS]
    nq = I[L.N_COORDINATES]
    v = advanced(S, E[AT_SCRATCH])
    flown = advanced(v, size)
    step = advanced(v, 2 * size)
    zero = advanced(v, 3 * size)
    begin = advanced(S, E[AT_Y0])
    lam = advanced(S, E[AT_LAM])
    ws = bare_workspace(I, P, W, WORK)
    S[LENGTH] = h
    for c in range(size):
        begin[c] = y[c]
        y1[c] = y[c]
    forces_at(I, F, t, y, advanced(y, nq), zero, ws)
    weigh_by_mass(I, F, P, ws[K.STATE], ws[K.JAC], ws[K.WEIGHTED])
    factor(P, ws[K.JAC], ws[K.WEIGHTED], 0.0, ws[K.Y], ws[K.LOWER], ws[K.PIVOTS])
    apply_inverse_mass(I, F, ws[K.STATE], ws[K.FORCES], step)
    for c in range(n):
        v[c] = y[nq + c] + 0.5 * h * step[c]
    if not onto_positions(I, F, P, S, t + h, h, y, v, lam, y1, flown, step, ws):
        return math.nan
    if not kick_at_end(I, F, P, S, t + h, h, y1, flown, advanced(y1, nq), zero, step, ws):
        return math.nan
    return finish_step(E, S, t, h, y, y1, nq, I[L.N_TURNS])


@routine()
def rattle_dense(E, t, h, y, unused, unused_too):
    return 0.0


@routine()
def rattle_between(E, t, theta, y_at, out_at, unused):
    S = bare(floats_at(E[engine.NUMBERS]))
    size = E[engine.SIZE]
    before = advanced(S, E[AT_BEFORE])
    between(
        theta, S[LENGTH], vector(y_at, size), advanced(S, E[AT_F0]), advanced(S, E[AT_Y1]), advanced(S, E[AT_F1]),
        S[PREVIOUS], before, advanced(before, size), vector(out_at, size),
    )  # fmt: skip
    return 0.0


@routine()
def rattle_place(E, t, number, y, out, unused):
    return 0.0


@routine()
def rattle_accept(E, t, h, y, unused, unused_too):
    """The end of a step is on the constraints: what was evaluated there holds."""
    S = bare(floats_at(E[engine.NUMBERS]))
    size = E[engine.SIZE]
    before = advanced(S, E[AT_BEFORE])
    begin = advanced(S, E[AT_Y0])
    for c in range(size):
        before[c] = begin[c]
    first = advanced(S, E[AT_F0])
    last = advanced(S, E[AT_F1])
    for c in range(size):
        before[size + c] = first[c]
        first[c] = last[c]
    S[PREVIOUS] = S[LENGTH]
    return S[engine.AT_END]
