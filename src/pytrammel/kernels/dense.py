"""Small dense systems: LU factors with row exchanges, for real and for complex matrices."""

from __future__ import annotations

from pytrammel.kernels.jit import kernel


@kernel()
def lu_factor(A, order):
    """Factors in place; False if a pivot vanishes."""
    n = A.shape[0]
    for p in range(n):
        best = abs(A[p, p])
        row = p
        for i in range(p + 1, n):
            if abs(A[i, p]) > best:
                best = abs(A[i, p])
                row = i
        if not best > 0.0:  # also true for NaN
            return False
        order[p] = row
        if row != p:
            for j in range(n):
                A[p, j], A[row, j] = A[row, j], A[p, j]
        for i in range(p + 1, n):
            if A[i, p] != 0.0:
                A[i, p] /= A[p, p]
                share = A[i, p]
                for j in range(p + 1, n):
                    A[i, j] -= share * A[p, j]
    return True


@kernel()
def lu_solve(A, order, b):
    """Solve in place with the factors of `lu_factor`."""
    n = A.shape[0]
    for p in range(n):
        row = int(order[p].real)
        if row != p:
            b[p], b[row] = b[row], b[p]
    for i in range(1, n):
        total = b[i]
        for j in range(i):
            total -= A[i, j] * b[j]
        b[i] = total
    for i in range(n - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, n):
            total -= A[i, j] * b[j]
        b[i] = total / A[i, i]
