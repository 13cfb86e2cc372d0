"""Point of body i on a space curve fixed in body j; the place on the curve is an extra coordinate."""

from __future__ import annotations

from pytrammel.kernels.jit import kernel
from pytrammel.kernels.layout import BODIES, FLOATS, OUTPUT_SIZE, PARTIAL_T, QUADRATIC, VALUE, R
from pytrammel.kernels.primitives._curve import CURVE_SCRATCH
from pytrammel.kernels.spatial_primitives import ROTATION, spatial_primitive
from pytrammel.kernels.spatial_primitives._rows import spun, write_point_rows
from pytrammel.kernels.tape import tape_run
from pytrammel.kernels.vectors import to_global, turned


@kernel()
def component(ip, tape, fp, u, work):
    """Value, first and second derivative of one component of the curve."""
    slots = CURVE_SCRATCH
    work[slots] = u
    work[slots + 1] = 1.0
    work[slots + 2] = 0.0
    work[slots + 3] = 0.0
    r = tape_run(ip, tape, fp, work, slots)
    return work[r], work[r + 1], 2.0 * work[r + 2]


@spatial_primitive(
    n_bodies=2, n_outputs=3, n_data=3, n_extras=1, n_tapes=3, smooth_in_complex=False,
    touched=((0, 3, 4, 5), (1, 3, 4, 5), (2, 3, 4, 5)), curved=ROTATION,
)  # fmt: skip
def point_on_space_curve(ip, io, fp, state, out, o, jac, jo, work):
    # value = r_i + A_i s'_i - r_j - A_j c'(u) ; data: s'_i ; integers: bodies, extra, three tapes
    f = ip[io + FLOATS]
    i = ip[io + BODIES]
    j = ip[io + BODIES + 1]
    extra = ip[io + BODIES + 2]
    u = state[extra]
    ud = state[extra + 1]
    lx, lx1, lx2 = component(ip, ip[io + BODIES + 3], fp, u, work)
    ly, ly1, ly2 = component(ip, ip[io + BODIES + 4], fp, u, work)
    lz, lz1, lz2 = component(ip, ip[io + BODIES + 5], fp, u, work)
    sx, sy, sz = turned(state, i, fp, f)
    cx, cy, cz = to_global(state, j, lx, ly, lz)
    tx, ty, tz = to_global(state, j, lx1, ly1, lz1)
    hx, hy, hz = to_global(state, j, lx2, ly2, lz2)
    p = OUTPUT_SIZE * o
    out[p + VALUE] = state[i + R] + sx - state[j + R] - cx
    out[p + OUTPUT_SIZE + VALUE] = state[i + R + 1] + sy - state[j + R + 1] - cy
    out[p + 2 * OUTPUT_SIZE + VALUE] = state[i + R + 2] + sz - state[j + R + 2] - cz
    ax, ay, az = spun(state, i, sx, sy, sz)
    ax, ay, az = spun(state, i, ax, ay, az)
    bx, by, bz = spun(state, j, cx, cy, cz)
    # w x (w x c + 2 u' t) + u'² h
    bx, by, bz = spun(state, j, bx + 2.0 * ud * tx, by + 2.0 * ud * ty, bz + 2.0 * ud * tz)
    out[p + QUADRATIC] = ax - bx - ud * ud * hx
    out[p + OUTPUT_SIZE + QUADRATIC] = ay - by - ud * ud * hy
    out[p + 2 * OUTPUT_SIZE + QUADRATIC] = az - bz - ud * ud * hz
    jac[jo + 12] = -tx
    jac[jo + 25] = -ty
    jac[jo + 38] = -tz
    for k in range(3):
        out[p + OUTPUT_SIZE * k + PARTIAL_T] = 0.0
    write_point_rows(state, i, j, fp[f], fp[f + 1], fp[f + 2], lx, ly, lz, jac, jo, 13)
