"""Accelerations and multipliers where massless coordinates matter: all equations at once, by elimination."""

from __future__ import annotations

from pytrammel.kernels import layout as L
from pytrammel.kernels.elimination import eliminate
from pytrammel.kernels.jit import FLOATS, INTS, apart
from pytrammel.kernels.mass import apply_mass


@apart(INTS, FLOATS, INTS, *(9 * (FLOATS,)), seconds=2.0)
def solve_densely(I, F, P, state, jac, g, gamma, K, unit, image, a, lam):
    """[M -J'; J 0] [a; lam] = [g; gamma] by elimination with complete pivoting: for massless coordinates that matter.

    A coordinate that neither mass nor constraint determines stays unaccelerated if no force acts on it; else there is no
    solution and the accelerations are not numbers.
    """
    n = I[L.N_COLUMNS]
    m = P[L.P_ROWS]
    size = n + m
    width = size + 1
    for k in range(size * width):
        K[k] = 0.0
    # columns in scaled units, so that lengths and angles can be compared
    for c in range(n):
        for d in range(n):
            unit[d] = 0.0
        unit[c] = F[I[L.AT_COLUMN_SCALES] + c]
        apply_mass(I, F, state, unit, image)
        for d in range(n):
            K[d * width + c] = image[d] * F[I[L.AT_COLUMN_SCALES] + d]
        K[c * width + size] = g[c] * F[I[L.AT_COLUMN_SCALES] + c]
    for k in range(m):
        at = I[L.AT_ROWS] + L.ROW_SIZE * P[P[L.P_AT_ROWS] + k]
        for e in range(I[at + 2]):
            column = I[I[at + 3] + e]
            if column >= 0:
                value = jac[I[at + 1] + e] * F[I[L.AT_COLUMN_SCALES] + column]
                K[column * width + n + k] -= value
                K[(n + k) * width + column] += value
        K[(n + k) * width + size] = gamma[k]
    eliminate(K, size)
    for c in range(n):
        a[c] = K[c] * F[I[L.AT_COLUMN_SCALES] + c]
    for k in range(m):
        lam[k] = K[n + k]
    return 0.0
