"""Quadratic drag at a centre of pressure (problem 10.18): f = -k |v| v."""

from __future__ import annotations

import math

from pytrammel.kernels.force_elements import force_element
from pytrammel.kernels.layout import COS, FORCE, OUTPUT_SIZE, POWER, SIN, STATE_RATE, XD, YD, W


@force_element
def drag_force(ip, io, fp, state, out, o, jac, jo, work):
    # integers: floats, body; floats: s', k, wind x, y
    f = ip[io]
    b = ip[io + 1]
    c = state[b + COS]
    s = state[b + SIN]
    sx = c * fp[f] - s * fp[f + 1]
    sy = s * fp[f] + c * fp[f + 1]
    px = state[b + XD] - state[b + W] * sy
    py = state[b + YD] + state[b + W] * sx
    vx = px - fp[f + 3]
    vy = py - fp[f + 4]
    speed = math.sqrt(vx * vx + vy * vy)
    fx = -fp[f + 2] * speed * vx
    fy = -fp[f + 2] * speed * vy
    jac[jo] = fx
    jac[jo + 1] = fy
    jac[jo + 2] = sx * fy - sy * fx
    out[OUTPUT_SIZE * o + FORCE] = fp[f + 2] * speed * speed
    out[OUTPUT_SIZE * o + STATE_RATE] = 0.0
    out[OUTPUT_SIZE * o + POWER] = fx * px + fy * py
