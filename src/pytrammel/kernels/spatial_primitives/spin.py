"""Angular velocity of a body about a direction fixed in it or in space: a quantity that has a rate but no value."""

from __future__ import annotations

from pytrammel.kernels.layout import BODIES, FLOATS, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, VALUE
from pytrammel.kernels.spatial_primitives import ROTATION, spatial_primitive
from pytrammel.kernels.spatial_primitives._rows import write_three
from pytrammel.kernels.vectors import to_body


@spatial_primitive(n_bodies=1, n_outputs=1, n_data=4, velocity_only=True, touched=(ROTATION,))
def spin(ip, io, fp, state, out, o, jac, jo, work):
    # rate = u . w ; data: u, 1 if u is in body components and 0 if it is global
    f = ip[io + FLOATS]
    b = ip[io + BODIES]
    p = OUTPUT_SIZE * o
    out[p + VALUE] = 0.0
    out[p + PARTIAL_T] = 0.0
    out[p + QUADRATIC] = 0.0  # the rate of w in the body's axes is the rate of w in space, turned
    write_three(jac, jo, 0.0, 0.0, 0.0)
    if fp[f + 3] != 0.0:
        write_three(jac, jo + 3, fp[f], fp[f + 1], fp[f + 2])
    else:
        x, y, z = to_body(state, b, fp[f], fp[f + 1], fp[f + 2])
        write_three(jac, jo + 3, x, y, z)
