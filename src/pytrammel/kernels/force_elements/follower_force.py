"""A force at a point of a body along a direction that turns with the body (problem 9.1)."""

from __future__ import annotations

from pytrammel.kernels.force_elements import force_element
from pytrammel.kernels.force_elements._law import law_value
from pytrammel.kernels.layout import COS, FORCE, OUTPUT_SIZE, POWER, SIN, STATE_RATE, XD, YD, W


@force_element
def follower_force(ip, io, fp, state, out, o, jac, jo, work):
    # integers: floats, tape, inputs, body, then the inputs; floats: s', unit direction u' (body components)
    f = ip[io]
    b = ip[io + 3]
    force = law_value(ip, ip[io + 1], io + 4, ip[io + 2], fp, state, out, jac, work)
    c = state[b + COS]
    s = state[b + SIN]
    sx = c * fp[f] - s * fp[f + 1]
    sy = s * fp[f] + c * fp[f + 1]
    fx = force * (c * fp[f + 2] - s * fp[f + 3])
    fy = force * (s * fp[f + 2] + c * fp[f + 3])
    moment = sx * fy - sy * fx
    jac[jo] = fx
    jac[jo + 1] = fy
    jac[jo + 2] = moment
    out[OUTPUT_SIZE * o + FORCE] = force
    out[OUTPUT_SIZE * o + STATE_RATE] = 0.0
    out[OUTPUT_SIZE * o + POWER] = fx * state[b + XD] + fy * state[b + YD] + moment * state[b + W]
