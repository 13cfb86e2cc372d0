"""Bodies in the plane or in space, behind one set of functions: the only place where the two kinds of coordinates differ.

q are coordinates, v velocities, a step is a small motion with the meaning of v times a time. In the plane q and v correspond one
to one; in space orientation is four Euler parameters in q and three components in v and in steps. What is special in space is reached
by address (`spatial_bodies`), so that planar models do not wait for its compilation.
"""

from __future__ import annotations

from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import call_element, kernel
from pytrammel.kernels.planar_bodies import load_planar, load_planar_ground


@kernel()
def body_size(I):
    return L.BODY_SIZE if I[L.IS_SPATIAL] == 0 else L.SPACE_BODY_SIZE


@kernel()
def state_size(I):
    return L.FIRST_BODY + body_size(I) * I[L.N_BODIES] + L.EXTRA_SIZE * I[L.N_EXTRAS] + I[L.N_TURNS] + I[L.N_STATES]


@kernel()
def load_state(I, t, q, v, state):
    """Unpack coordinates and velocities into the state buffer."""
    state[L.TIME] = t
    if I[L.IS_SPATIAL] == 0:
        load_planar(I, q, v, state)
    else:
        call_element(I[L.SPACE_LOAD], I, 0, state, state, q, 0, v, 0, state)
    at = L.FIRST_BODY + body_size(I) * I[L.N_BODIES]
    first_q = I[L.N_COORDINATES] - I[L.N_EXTRAS] - I[L.N_TURNS]
    first_v = I[L.N_COLUMNS] - I[L.N_EXTRAS]
    for x in range(I[L.N_EXTRAS]):
        state[at] = q[first_q + x]
        state[at + 1] = v[first_v + x]
        at += L.EXTRA_SIZE
    first_q += I[L.N_EXTRAS]
    for k in range(I[L.N_TURNS]):
        state[at + k] = q[first_q + k]


@kernel()
def load_ground(I, state):
    """Ground is body 0: at the origin, unturned, at rest."""
    if I[L.IS_SPATIAL] == 0:
        load_planar_ground(state)
    else:
        for k in range(L.SPACE_BODY_SIZE):
            state[L.FIRST_BODY + k] = 0.0
        state[L.FIRST_BODY + L.E0] = 1.0
        for k in range(3):
            state[L.FIRST_BODY + L.ROT + 4 * k] = 1.0


@kernel()
def plain_from(I):
    """First coordinate and first column that correspond one to one: all in the plane, those after the bodies in space."""
    if I[L.IS_SPATIAL] == 0:
        return 0, 0
    return 7 * (I[L.N_BODIES] - 1), 6 * (I[L.N_BODIES] - 1)


@kernel()
def move(I, q, step, out):
    """out = q moved by a step; turn counters stay (`settle` brings them up to date)."""
    first_q, first_v = plain_from(I)
    if I[L.IS_SPATIAL] != 0:
        call_element(I[L.SPACE_MOVE], I, 0, q, q, q, 0, step, 0, out)
    for k in range(I[L.N_COLUMNS] - first_v):
        out[first_q + k] = q[first_q + k] + step[first_v + k]
    for k in range(I[L.N_COORDINATES] - I[L.N_TURNS], I[L.N_COORDINATES]):
        out[k] = q[k]


@kernel()
def difference(I, q_to, q_from, out):
    """The step that leads from one position to another."""
    first_q, first_v = plain_from(I)
    if I[L.IS_SPATIAL] != 0:
        call_element(I[L.SPACE_DIFFERENCE], I, 0, q_to, q_to, q_to, 0, q_from, 0, out)
    for k in range(I[L.N_COLUMNS] - first_v):
        out[first_v + k] = q_to[first_q + k] - q_from[first_q + k]


@kernel()
def coordinate_rates(I, F, state, q, v, dq):
    """q' from v; the state must hold q and v (turn counters are measured there)."""
    first_q, first_v = plain_from(I)
    if I[L.IS_SPATIAL] != 0:
        call_element(I[L.SPACE_RATES], I, 0, F, state, q, 0, v, 0, dq)
    for k in range(I[L.N_COLUMNS] - first_v):
        dq[first_q + k] = v[first_v + k]


@kernel()
def to_rates(I, q, v, a, dq, ddq):
    """First and second time derivative of the coordinates; turn counters are taken to rest."""
    for k in range(I[L.N_COORDINATES]):
        dq[k] = 0.0
        ddq[k] = 0.0
    first_q, first_v = plain_from(I)
    if I[L.IS_SPATIAL] != 0:
        call_element(I[L.SPACE_TO_RATES], I, 0, q, v, a, 0, dq, 0, ddq)
    for k in range(I[L.N_COLUMNS] - first_v):
        dq[first_q + k] = v[first_v + k]
        ddq[first_q + k] = a[first_v + k]


@kernel()
def from_rates(I, q, dq, ddq, v, a):
    """Velocities and accelerations from the derivatives of the coordinates."""
    first_q, first_v = plain_from(I)
    if I[L.IS_SPATIAL] != 0:
        call_element(I[L.SPACE_FROM_RATES], I, 0, q, dq, ddq, 0, v, 0, a)
    for k in range(I[L.N_COLUMNS] - first_v):
        v[first_v + k] = dq[first_q + k]
        a[first_v + k] = ddq[first_q + k]


@kernel()
def settle(I, F, state, q):
    """After a motion: Euler parameters of length one, turn counters up to date with the state."""
    if I[L.IS_SPATIAL] != 0:
        call_element(I[L.SPACE_SETTLE], I, 0, F, state, q, 0, q, 0, q)
