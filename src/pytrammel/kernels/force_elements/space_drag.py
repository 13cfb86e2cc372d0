"""Quadratic drag in space at a centre of pressure: f = -k |w| w with the velocity w relative to the wind."""

from __future__ import annotations

import math

from pytrammel.kernels.force_elements import force_element
from pytrammel.kernels.force_elements._space import velocity_at, write_wrench
from pytrammel.kernels.layout import FORCE, OUTPUT_SIZE, POWER, STATE_RATE
from pytrammel.kernels.vectors import turned


@force_element
def space_drag(ip, io, fp, state, out, o, jac, jo, work):
    # integers: floats, body; floats: s', k, wind
    f = ip[io]
    b = ip[io + 1]
    sx, sy, sz = turned(state, b, fp, f)
    px, py, pz = velocity_at(state, b, sx, sy, sz)
    vx = px - fp[f + 4]
    vy = py - fp[f + 5]
    vz = pz - fp[f + 6]
    speed = math.sqrt(vx * vx + vy * vy + vz * vz)
    factor = -fp[f + 3] * speed
    write_wrench(state, b, sx, sy, sz, factor * vx, factor * vy, factor * vz, 0.0, 0.0, 0.0, 1.0, jac, jo)
    out[OUTPUT_SIZE * o + FORCE] = fp[f + 3] * speed * speed
    out[OUTPUT_SIZE * o + STATE_RATE] = 0.0
    out[OUTPUT_SIZE * o + POWER] = factor * (vx * px + vy * py + vz * pz)
