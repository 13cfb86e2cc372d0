"""Inverses of the small matrices of joints with several freedoms."""

from __future__ import annotations

from pytrammel.kernels.jit import kernel


@kernel()
def invert_positive(D, n):
    """Overwrite a symmetric positive matrix by its inverse; False if it is not positive."""
    for k in range(n):
        pivot = D[k * n + k]
        if not pivot > 0.0:
            return False
        D[k * n + k] = 1.0
        for j in range(n):
            D[k * n + j] /= pivot
        for i in range(n):
            if i != k:
                factor = D[i * n + k]
                D[i * n + k] = 0.0
                for j in range(n):
                    D[i * n + j] -= factor * D[k * n + j]
    return True
