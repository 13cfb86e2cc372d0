"""Velocity of a body's point along a direction fixed in the body or in space: a quantity that has a rate but no value.

Along a direction of the body it is not the derivative of anything: constraints on it are non-holonomic (a skate, a wheel's side),
forces along it are follower forces.
"""

from __future__ import annotations

from pytrammel.kernels.layout import BODIES, FLOATS, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, RD, VALUE
from pytrammel.kernels.spatial_primitives import ALL, spatial_primitive
from pytrammel.kernels.spatial_primitives._rows import spun, write_moment, write_three
from pytrammel.kernels.vectors import turned


@spatial_primitive(n_bodies=1, n_outputs=1, n_data=7, velocity_only=True, touched=(ALL,))
def drift(ip, io, fp, state, out, o, jac, jo, work):
    # rate = u . (r' + w x s) ; data: s', u, 1 if u is in body components and 0 if it is global
    f = ip[io + FLOATS]
    b = ip[io + BODIES]
    sx, sy, sz = turned(state, b, fp, f)
    vx, vy, vz = spun(state, b, sx, sy, sz)
    ax, ay, az = spun(state, b, vx, vy, vz)
    p = OUTPUT_SIZE * o
    out[p + VALUE] = 0.0
    out[p + PARTIAL_T] = 0.0
    if fp[f + 6] != 0.0:
        ux, uy, uz = turned(state, b, fp, f + 3)
        dx, dy, dz = spun(state, b, ux, uy, uz)
        turning = dx * (state[b + RD] + vx) + dy * (state[b + RD + 1] + vy) + dz * (state[b + RD + 2] + vz)
    else:
        ux = fp[f + 3]
        uy = fp[f + 4]
        uz = fp[f + 5]
        turning = 0.0
    out[p + QUADRATIC] = ux * ax + uy * ay + uz * az + turning
    write_three(jac, jo, ux, uy, uz)
    write_moment(state, b, sx, sy, sz, ux, uy, uz, 1.0, jac, jo + 3)
