"""Friction along a measured quantity with true sticking: a bristle bends until it breaks away (LuGre's model).

z' = v - |v| z / z_max(v), force = -(sigma0 z + sigma1 z'), sigma0 z_max(v) = N (mu_d + (mu_s - mu_d) exp(-(v/v_s)²)).
"""

from __future__ import annotations

import math

from trammel.kernels.force_elements import force_element
from trammel.kernels.force_elements._law import law_value
from trammel.kernels.layout import FORCE, OUTPUT_SIZE, POWER, STATE_RATE


@force_element
def bristle_friction(ip, io, fp, state, out, o, jac, jo, work):
    # integers: floats, tape of N, inputs, place of z, Jacobian start and entries, rate places, then the inputs
    # floats: mu_s, mu_d, v_s, sigma0, sigma1
    f = ip[io]
    row = ip[io + 4]
    n = ip[io + 5]
    normal = law_value(ip, ip[io + 1], io + 6 + n, ip[io + 2], fp, state, out, jac, work)
    if normal < 0.0:
        normal = -normal
    v = 0.0
    for e in range(n):
        if ip[io + 6 + e] >= 0:
            v += jac[row + e] * state[ip[io + 6 + e]]
    z = state[ip[io + 3]]
    ratio = v / fp[f + 2]
    level = normal * (fp[f + 1] + (fp[f] - fp[f + 1]) * math.exp(-ratio * ratio)) + 1e-300
    rate = v - abs(v) * z * fp[f + 3] / level
    force = -(fp[f + 3] * z + fp[f + 4] * rate)
    for e in range(n):
        jac[jo + e] = force * jac[row + e]
    out[OUTPUT_SIZE * o + FORCE] = force
    out[OUTPUT_SIZE * o + STATE_RATE] = rate
    out[OUTPUT_SIZE * o + POWER] = force * v
