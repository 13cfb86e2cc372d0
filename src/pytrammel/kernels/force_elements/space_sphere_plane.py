"""Sphere (or point, with radius zero) of body i against a plane of body j; the normal points to the free side."""

from __future__ import annotations

from pytrammel.kernels.force_elements import force_element
from pytrammel.kernels.force_elements._contact import N_CONTACT
from pytrammel.kernels.force_elements._space import write_contact
from pytrammel.kernels.layout import FORCE, OUTPUT_SIZE, POWER, STATE_RATE, R
from pytrammel.kernels.vectors import turned


@force_element
def space_sphere_plane(ip, io, fp, state, out, o, jac, jo, work):
    # integers: floats, body i, body j; floats: contact constants, s'_i (centre), radius, s'_j, n'_j
    f = ip[io]
    i = ip[io + 1]
    j = ip[io + 2]
    g = f + N_CONTACT
    px, py, pz = turned(state, i, fp, g)
    qx, qy, qz = turned(state, j, fp, g + 4)
    nx, ny, nz = turned(state, j, fp, g + 7)
    px += state[i + R]
    py += state[i + R + 1]
    pz += state[i + R + 2]
    height = nx * (px - state[j + R] - qx) + ny * (py - state[j + R + 1] - qy) + nz * (pz - state[j + R + 2] - qz)
    depth = fp[g + 3] - height
    for e in range(12):
        jac[jo + e] = 0.0
    normal = 0.0
    power = 0.0
    if depth > 0.0:
        cx = px - height * nx
        cy = py - height * ny
        cz = pz - height * nz
        normal, power = write_contact(fp, f, state, i, j, cx, cy, cz, nx, ny, nz, depth, jac, jo)
    out[OUTPUT_SIZE * o + FORCE] = normal
    out[OUTPUT_SIZE * o + STATE_RATE] = 0.0
    out[OUTPUT_SIZE * o + POWER] = power
