"""Disc of body i against disc of body j."""

from __future__ import annotations

import math

from pytrammel.kernels.force_elements import force_element
from pytrammel.kernels.force_elements._contact import N_CONTACT, add_contact
from pytrammel.kernels.layout import COS, FORCE, OUTPUT_SIZE, POWER, SIN, STATE_RATE, X, Y


@force_element
def contact_disc_disc(ip, io, fp, state, out, o, jac, jo, work):
    # integers: floats, body i, body j; floats: contact constants, s'_i, radius_i, s'_j, radius_j
    f = ip[io]
    i = ip[io + 1]
    j = ip[io + 2]
    g = f + N_CONTACT
    px = state[i + X] + state[i + COS] * fp[g] - state[i + SIN] * fp[g + 1]
    py = state[i + Y] + state[i + SIN] * fp[g] + state[i + COS] * fp[g + 1]
    qx = state[j + X] + state[j + COS] * fp[g + 3] - state[j + SIN] * fp[g + 4]
    qy = state[j + Y] + state[j + SIN] * fp[g + 3] + state[j + COS] * fp[g + 4]
    dx = px - qx
    dy = py - qy
    length = math.sqrt(dx * dx + dy * dy)
    depth = fp[g + 2] + fp[g + 5] - length
    for e in range(6):
        jac[jo + e] = 0.0
    normal = 0.0
    power = 0.0
    if depth > 0.0 and length > 0.0:
        nx = dx / length
        ny = dy / length
        reach = fp[g + 5] - 0.5 * depth
        normal, power = add_contact(fp, f, state, i, j, qx + reach * nx, qy + reach * ny, nx, ny, depth, jac, jo)
    out[OUTPUT_SIZE * o + FORCE] = normal
    out[OUTPUT_SIZE * o + STATE_RATE] = 0.0
    out[OUTPUT_SIZE * o + POWER] = power
