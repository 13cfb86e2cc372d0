"""Disc (or point, with radius zero) of body i against a straight line of body j; the normal points to the free side."""

from __future__ import annotations

from pytrammel.kernels.force_elements import force_element
from pytrammel.kernels.force_elements._contact import N_CONTACT, add_contact
from pytrammel.kernels.layout import COS, FORCE, OUTPUT_SIZE, POWER, SIN, STATE_RATE, X, Y


@force_element
def contact_disc_line(ip, io, fp, state, out, o, jac, jo, work):
    # integers: floats, body i, body j; floats: contact constants, s'_i (centre), radius, s'_j, n'_j
    f = ip[io]
    i = ip[io + 1]
    j = ip[io + 2]
    g = f + N_CONTACT
    px = state[i + X] + state[i + COS] * fp[g] - state[i + SIN] * fp[g + 1]
    py = state[i + Y] + state[i + SIN] * fp[g] + state[i + COS] * fp[g + 1]
    qx = state[j + X] + state[j + COS] * fp[g + 3] - state[j + SIN] * fp[g + 4]
    qy = state[j + Y] + state[j + SIN] * fp[g + 3] + state[j + COS] * fp[g + 4]
    nx = state[j + COS] * fp[g + 5] - state[j + SIN] * fp[g + 6]
    ny = state[j + SIN] * fp[g + 5] + state[j + COS] * fp[g + 6]
    height = nx * (px - qx) + ny * (py - qy)
    depth = fp[g + 2] - height
    for e in range(6):
        jac[jo + e] = 0.0
    normal = 0.0
    power = 0.0
    if depth > 0.0:
        normal, power = add_contact(fp, f, state, i, j, px - height * nx, py - height * ny, nx, ny, depth, jac, jo)
    out[OUTPUT_SIZE * o + FORCE] = normal
    out[OUTPUT_SIZE * o + STATE_RATE] = 0.0
    out[OUTPUT_SIZE * o + POWER] = power
