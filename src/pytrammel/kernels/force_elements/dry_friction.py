"""Dry friction along a measured quantity that sticks and slides by turns; the analysis says which.

Sticking: a bristle bends, z' = v, force = -(sigma0 z + sigma1 v); without bristles a row holds the quantity and this force is nil.
Sliding: force = -N (mu_d + (mu_s - mu_d) exp(-(v/v_s)²)) tanh(v/v_0) with a v_0 far below v_s.
"""

from __future__ import annotations

import math

from pytrammel.kernels.force_elements import force_element
from pytrammel.kernels.force_elements._law import law_value
from pytrammel.kernels.layout import FORCE, OUTPUT_SIZE, POWER, STATE_RATE

MU_STATIC, MU_DYNAMIC, STICK_SPEED, LEAST_SPEED, VISCOUS, SIGMA0, SIGMA1, SLIDES, N_DRY = range(9)


@force_element
def dry_friction(ip, io, fp, state, out, o, jac, jo, work):
    # integers: floats, tape of N, inputs, place of z, Jacobian start and entries, rate places, then the inputs
    f = ip[io]
    row = ip[io + 4]
    n = ip[io + 5]
    v = 0.0
    for e in range(n):
        if ip[io + 6 + e] >= 0:
            v += jac[row + e] * state[ip[io + 6 + e]]
    rate = 0.0
    if fp[f + SLIDES] != 0.0:
        normal = abs(law_value(ip, ip[io + 1], io + 6 + n, ip[io + 2], fp, state, out, jac, work))
        ratio = v / fp[f + STICK_SPEED]
        mu = fp[f + MU_DYNAMIC] + (fp[f + MU_STATIC] - fp[f + MU_DYNAMIC]) * math.exp(-ratio * ratio)
        force = -normal * mu * math.tanh(v / fp[f + LEAST_SPEED])
    else:
        rate = v
        force = -(fp[f + SIGMA0] * state[ip[io + 3]] + fp[f + SIGMA1] * v)
    force -= fp[f + VISCOUS] * v
    for e in range(n):
        jac[jo + e] = force * jac[row + e]
    out[OUTPUT_SIZE * o + FORCE] = force
    out[OUTPUT_SIZE * o + STATE_RATE] = rate
    out[OUTPUT_SIZE * o + POWER] = force * v
