"""RATTLE (`rattle`) in fewer coordinates than those of the bodies: the very steps of the bodies, found along the joints.

A flight from q to q+ tells the velocities v_h that it began with. Along the freedoms, with B of the beginning,

    B'(M (v - v_h) + h/2 g) + (J B)'lam = 0,  Phi(q+) = 0

are as many equations as coordinates of q+ and multipliers; at the end M (v_h+ - v+) + h/2 g+ is balanced in the same way, on J v+ = nu+.
Forces and masses are those of the equations in body coordinates.
"""

from __future__ import annotations

import math

from pytrammel.kernels import dynamics as K
from pytrammel.kernels import engine
from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import advanced, bare
from pytrammel.kernels.dynamics import bare_workspace
from pytrammel.kernels.engine import data_of
from pytrammel.kernels.equations.cartesian import WORK
from pytrammel.kernels.equations.fewer_steps import rooms
from pytrammel.kernels.equations.steps import (
    BODIES,
    CARRIED,
    FIRST,
    LOOK,
    PULL,
    RESPOND,
    ROWS,
    N,
    move,
    room_of,
    steps_of,
)
from pytrammel.kernels.jit import call_routine, floats_at, ints_at, kernel, routine
from pytrammel.kernels.mass import apply_mass
from pytrammel.kernels.methods.rattle import (
    AT_F0,
    AT_SCRATCH,
    AT_Y0,
    GOOD_ENOUGH,
    ITERATIONS,
    LENGTH,
    ROUNDING,
    SLOW,
    WORST,
    finish_step,
    fly,
    forces_at,
    rotated,
)
from pytrammel.kernels.spatial_mass import CENTROID, INERTIA, INVERSE_INERTIA, times_matrix
from pytrammel.kernels.turning import turn_between
from pytrammel.kernels.vectors import cross

BODY_VECTORS = 8  # in the room behind that of the equations


@kernel()
def flight_in_space(I, F, h, q0, q1, v):
    """Velocities with which bodies in space begin a flight."""
    for b in range(I[L.N_BODIES] - 1):
        at = I[L.AT_MASSES] + L.SPACE_MASS_SIZE * b
        k = 7 * b
        c = 6 * b
        w, x, y, z = turn_between(q1, q0, k + 3)
        jx, jy, jz = times_matrix(F, at + INERTIA, x, y, z)
        cx, cy, cz = cross(x, y, z, jx, jy, jz)
        wx, wy, wz = times_matrix(
            F, at + INVERSE_INERTIA, 2.0 / h * (w * jx + cx), 2.0 / h * (w * jy + cy), 2.0 / h * (w * jz + cz)
        )
        v[c + 3] = wx
        v[c + 4] = wy
        v[c + 5] = wz
        sx = F[at + CENTROID]
        sy = F[at + CENTROID + 1]
        sz = F[at + CENTROID + 2]
        ox, oy, oz = rotated(q0[k + 3], q0[k + 4], q0[k + 5], q0[k + 6], sx, sy, sz)
        gx, gy, gz = rotated(q1[k + 3], q1[k + 4], q1[k + 5], q1[k + 6], sx, sy, sz)
        ux, uy, uz = cross(wx, wy, wz, sx, sy, sz)
        ux, uy, uz = rotated(q0[k + 3], q0[k + 4], q0[k + 5], q0[k + 6], ux, uy, uz)
        v[c] = (q1[k] + gx - q0[k] - ox) / h - ux
        v[c + 1] = (q1[k + 1] + gy - q0[k + 1] - oy) / h - uy
        v[c + 2] = (q1[k + 2] + gz - q0[k + 2] - oz) / h - uz


@kernel()
def flight(I, F, h, q0, q1, v):
    """Velocities with which bodies begin a flight from q0 to q1."""
    if I[L.IS_SPATIAL] != 0:
        flight_in_space(I, F, h, q0, q1, v)
        return
    for b in range(I[L.N_BODIES] - 1):
        at = I[L.AT_MASSES] + L.MASS_SIZE * b
        c = 3 * b
        xi = F[at + 2]
        eta = F[at + 3]
        sx = math.cos(q0[c + 2]) * xi - math.sin(q0[c + 2]) * eta
        sy = math.sin(q0[c + 2]) * xi + math.cos(q0[c + 2]) * eta
        tx = math.cos(q1[c + 2]) * xi - math.sin(q1[c + 2]) * eta
        ty = math.sin(q1[c + 2]) * xi + math.cos(q1[c + 2]) * eta
        w = (q1[c + 2] - q0[c + 2]) / h
        v[c] = (q1[c] + tx - q0[c] - sx) / h + w * sy
        v[c + 1] = (q1[c + 1] + ty - q0[c + 1] - sy) / h - w * sx
        v[c + 2] = w


@kernel()
def balanced(E, M, t, rest, force, x):
    """Changes of speed along the freedoms by impulses on bodies; speeds of `rest` are zero."""
    for c in range(M[N]):
        rest[M[FIRST] + c] = 0.0
    call_routine(M[RESPOND], E, t, 0.0, rest, force, x)


@kernel()
def onto_positions(E, M, I, F, S, t, h, y1, ws):
    """Positions in y1 to which a flight leads from those at rest; False if there are none. Body vectors are in the room."""
    D = room_of(M)
    at = rooms(E, M)
    whole = ints_at(E[engine.INNER])[engine.SIZE]
    rest = advanced(D, at[0])
    x = advanced(D, at[2])
    phi = advanced(D, at[3])
    off = advanced(D, at[4])
    body = advanced(D, at[5])
    end = advanced(body, whole)
    begun = advanced(body, 2 * whole)
    force = advanced(body, 3 * whole)
    change = advanced(body, 4 * whole)
    kick = advanced(body, 5 * whole)
    pulled = advanced(S, E[AT_SCRATCH])
    still = advanced(pulled, E[engine.SIZE])
    v = advanced(body, I[L.N_COORDINATES])
    n = M[N]
    m = M[ROWS]
    for c in range(n):
        rest[M[FIRST] + c] = 0.0
    if m > 0:
        call_routine(M[LOOK], E, t, 0.0, rest, phi, still)
    before = math.inf
    stalled = 0
    for _ in range(ITERATIONS):
        call_routine(M[BODIES], E, t + h, 0.0, y1, end, end)
        flight(I, F, h, body, end, begun)
        for c in range(I[L.N_COLUMNS]):
            change[c] = v[c] - begun[c]
        apply_mass(I, F, ws[K.STATE], change, kick)
        for c in range(I[L.N_COLUMNS]):
            kick[c] += 0.5 * h * force[c]
        balanced(E, M, t, rest, kick, x)
        if m > 0:
            # delta = -Phi/h - J x, of the rows at the beginning
            call_routine(M[LOOK], E, t + h, 0.0, y1, phi, off)
            largest = 0.0
            for k in range(m):
                pulled[k] = -phi[k] / h - still[k]
                if not abs(phi[k]) <= largest:
                    largest = abs(phi[k])
                    S[WORST] = float(n + k)
            for c in range(n):
                rest[M[FIRST] + c] = x[c]
            call_routine(M[LOOK], E, t, 0.0, rest, phi, off)
            for k in range(m):
                off[k] += pulled[k]
            call_routine(M[PULL], E, t, 0.0, off, pulled, pulled)
            for c in range(n):
                x[c] += pulled[c]
        norm = 0.0
        for c in range(n):
            x[c] *= h
            if not abs(x[c]) <= norm * D[c]:
                norm = abs(x[c]) / D[c]
        if not norm < 1e3:
            return False
        move(M, y1, x, y1)
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
def kick_at_end(E, M, I, F, S, t, h, y1, ws):
    """Speeds in y1 after half a kick at the end of the flight, repeated where forces depend on them. False if that does not settle."""
    D = room_of(M)
    at = rooms(E, M)
    whole = ints_at(E[engine.INNER])[engine.SIZE]
    nq = I[L.N_COORDINATES]
    rest = advanced(D, at[0])
    x = advanced(D, at[2])
    off = advanced(D, at[4])
    body = advanced(D, at[5])
    end = advanced(body, whole)
    begun = advanced(body, 2 * whole)
    change = advanced(body, 4 * whole)
    kick = advanced(body, 5 * whole)
    flown = advanced(body, 6 * whole)
    zero = advanced(body, 7 * whole)
    pulled = advanced(S, E[AT_SCRATCH])
    call_routine(M[BODIES], E, t, 0.0, y1, end, end)
    flight(I, F, h, body, end, begun)
    fly(I, F, h, body, begun, change, flown)
    for c in range(M[FIRST]):
        rest[c] = y1[c]
    before = math.inf
    stalled = 0
    for iteration in range(ITERATIONS):
        call_routine(M[BODIES], E, t, 0.0, y1, end, end)
        forces_at(I, F, t, end, advanced(end, nq), zero, ws)
        for c in range(I[L.N_COLUMNS]):
            change[c] = flown[c] - end[nq + c]
        apply_mass(I, F, ws[K.STATE], change, kick)
        for c in range(I[L.N_COLUMNS]):
            kick[c] += 0.5 * h * ws[K.FORCES][c]
        balanced(E, M, t, rest, kick, x)
        for c in range(M[N]):
            y1[M[FIRST] + c] += x[c]
        if M[ROWS] > 0:
            call_routine(M[LOOK], E, t, 0.0, y1, advanced(D, at[3]), off)
            call_routine(M[PULL], E, t, 0.0, off, pulled, pulled)
            for c in range(M[N]):
                x[c] += pulled[c]
                y1[M[FIRST] + c] += pulled[c]
        moved = 0.0
        size = 1e-300
        for c in range(M[N]):
            size = max(size, abs(y1[M[FIRST] + c]) / D[c])
            if not abs(x[c]) / D[c] <= moved:
                moved = abs(x[c]) / D[c]
                S[WORST] = float(c)
        if not math.isfinite(moved):
            return False
        if iteration > 0 and moved > SLOW * before and moved <= GOOD_ENOUGH * size:
            stalled += 1
        if (iteration > 0 and moved <= ROUNDING * size) or stalled > 1:
            S[WORST] = -1.0
            return True
        if iteration > 2 and moved > 2.0 * before and moved > GOOD_ENOUGH * size:
            return False
        before = moved
    return False


@routine(seconds=10.0)
def rattle_fewer_attempt(E, t, h, y, y1, unused):
    M = steps_of(E)
    inner = ints_at(E[engine.INNER])
    ints, floats, pattern, W = data_of(inner)
    I = bare(ints)
    F = bare(floats)
    S = bare(floats_at(E[engine.NUMBERS]))
    D = room_of(M)
    at = rooms(E, M)
    ws = bare_workspace(I, bare(pattern), W, WORK)
    size = E[engine.SIZE]
    first = M[FIRST]
    body = advanced(D, at[5])
    force = advanced(body, 3 * inner[engine.SIZE])
    rest = advanced(D, at[0])
    x = advanced(D, at[2])
    rates = advanced(S, E[AT_F0])
    S[LENGTH] = h
    for c in range(size):
        S[E[AT_Y0] + c] = y[c]
        y1[c] = y[c]
        rest[c] = y[c]
    call_routine(M[BODIES], E, t, 0.0, y, body, body)
    forces_at(I, F, t, body, advanced(body, I[L.N_COORDINATES]), advanced(body, 7 * inner[engine.SIZE]), ws)
    for c in range(I[L.N_COLUMNS]):
        force[c] = ws[K.FORCES][c]
    for c in range(M[N]):
        x[c] = h * (y[first + c] + 0.5 * h * rates[first + c])
    move(M, y, x, y1)
    if not onto_positions(E, M, I, F, S, t, h, y1, ws):
        return math.nan
    if not kick_at_end(E, M, I, F, S, t + h, h, y1, ws):
        return math.nan
    return finish_step(E, S, t, h, y, y1, first, M[CARRIED])
