"""Sphere of body i against sphere of body j."""

from __future__ import annotations

import math

from pytrammel.kernels.force_elements import force_element
from pytrammel.kernels.force_elements._contact import N_CONTACT
from pytrammel.kernels.force_elements._space import write_contact
from pytrammel.kernels.layout import FORCE, OUTPUT_SIZE, POWER, STATE_RATE, R
from pytrammel.kernels.vectors import turned


@force_element
def space_sphere_sphere(ip, io, fp, state, out, o, jac, jo, work):
    # integers: floats, body i, body j; floats: contact constants, s'_i, radius_i, s'_j, radius_j
    f = ip[io]
    i = ip[io + 1]
    j = ip[io + 2]
    g = f + N_CONTACT
    px, py, pz = turned(state, i, fp, g)
    qx, qy, qz = turned(state, j, fp, g + 4)
    qx += state[j + R]
    qy += state[j + R + 1]
    qz += state[j + R + 2]
    dx = state[i + R] + px - qx
    dy = state[i + R + 1] + py - qy
    dz = state[i + R + 2] + pz - qz
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    depth = fp[g + 3] + fp[g + 7] - length
    for e in range(12):
        jac[jo + e] = 0.0
    normal = 0.0
    power = 0.0
    if depth > 0.0 and length > 0.0:
        nx = dx / length
        ny = dy / length
        nz = dz / length
        reach = fp[g + 7] - 0.5 * depth
        cx = qx + reach * nx
        cy = qy + reach * ny
        cz = qz + reach * nz
        normal, power = write_contact(fp, f, state, i, j, cx, cy, cz, nx, ny, nz, depth, jac, jo)
    out[OUTPUT_SIZE * o + FORCE] = normal
    out[OUTPUT_SIZE * o + STATE_RATE] = 0.0
    out[OUTPUT_SIZE * o + POWER] = power
