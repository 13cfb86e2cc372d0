"""A torque on body i about a direction fixed in it or in space, and the opposite torque on body j."""

from __future__ import annotations

from pytrammel.kernels.force_elements import force_element
from pytrammel.kernels.force_elements._law import law_value
from pytrammel.kernels.force_elements._space import write_wrench
from pytrammel.kernels.layout import FORCE, OUTPUT_SIZE, POWER, STATE_RATE, WG
from pytrammel.kernels.vectors import turned


@force_element
def space_couple(ip, io, fp, state, out, o, jac, jo, work):
    # integers: floats, tape, inputs, body i, body j, then the inputs; floats: unit direction u, 1 if it turns with body i
    f = ip[io]
    i = ip[io + 3]
    j = ip[io + 4]
    torque = law_value(ip, ip[io + 1], io + 5, ip[io + 2], fp, state, out, jac, work)
    if fp[f + 3] != 0.0:
        ux, uy, uz = turned(state, i, fp, f)
    else:
        ux = fp[f]
        uy = fp[f + 1]
        uz = fp[f + 2]
    tx = torque * ux
    ty = torque * uy
    tz = torque * uz
    write_wrench(state, i, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, tx, ty, tz, 1.0, jac, jo)
    write_wrench(state, j, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, tx, ty, tz, -1.0, jac, jo + 6)
    out[OUTPUT_SIZE * o + FORCE] = torque
    out[OUTPUT_SIZE * o + STATE_RATE] = 0.0
    out[OUTPUT_SIZE * o + POWER] = (
        tx * (state[i + WG] - state[j + WG])
        + ty * (state[i + WG + 1] - state[j + WG + 1])
        + tz * (state[i + WG + 2] - state[j + WG + 2])
    )
