"""Systems whose entries stand in a band along the diagonal: LU factors with row exchanges, for real and for complex matrices.

Entry (i, j) stands at A[i, j - i + below]. Row exchanges widen the band above the diagonal by `below`: A has 2 below + above + 1 columns.
Inside the band each row ends at its last entry, and each column at its last multiplier: `order` holds, three numbers per row, the row
exchanged with it and both ends.
"""

from __future__ import annotations

from pytrammel.kernels.jit import kernel


@kernel()
def band_factor(A, below, above, order):
    """Factors in place; False if a pivot vanishes."""
    n = A.shape[0]
    for i in range(n):
        last = min(n - 1, i + above)
        while last > i and A[i, last - i + below] == 0.0:
            last -= 1
        order[3 * i + 1] = last
    for p in range(n):
        best = abs(A[p, below])
        row = p
        deepest = p
        for i in range(p + 1, min(n, p + below + 1)):
            size = abs(A[i, p - i + below])
            if size != 0.0:
                deepest = i
                if size > best:
                    best = size
                    row = i
        if not best > 0.0:  # also true for NaN
            return False
        order[3 * p] = row
        order[3 * p + 2] = deepest
        if row != p:
            count = int(max(order[3 * p + 1], order[3 * row + 1])) + 1 - p
            pivots = A[p, below : below + count]
            others = A[row, p - row + below : p - row + below + count]
            for c in range(count):
                pivots[c], others[c] = others[c], pivots[c]
            order[3 * p + 1], order[3 * row + 1] = order[3 * row + 1], order[3 * p + 1]
        end = order[3 * p + 1]
        count = int(end) + 1 - p
        pivots = A[p, below : below + count]
        for i in range(p + 1, deepest + 1):
            entries = A[i, p - i + below : p - i + below + count]
            if entries[0] != 0.0:
                share = entries[0] / pivots[0]
                entries[0] = share
                for c in range(1, count):
                    entries[c] -= share * pivots[c]
                order[3 * i + 1] = max(order[3 * i + 1], end)
    return True


@kernel()
def band_solve(A, below, order, b):
    """Solve in place with the factors of `band_factor`."""
    n = A.shape[0]
    for p in range(n):
        row = int(order[3 * p])
        if row != p:
            b[p], b[row] = b[row], b[p]
        value = b[p]
        if value != 0.0:
            for i in range(p + 1, int(order[3 * p + 2]) + 1):
                b[i] -= A[i, p - i + below] * value
    for p in range(n - 1, -1, -1):
        count = int(order[3 * p + 1]) + 1 - p
        pivots = A[p, below : below + count]
        behind = b[p : p + count]
        total = behind[0]
        other = 0.0 * total  # two sums do not wait for each other
        for c in range(1, count - 1, 2):
            total -= pivots[c] * behind[c]
            other -= pivots[c + 1] * behind[c + 1]
        if count % 2 == 0:
            total -= pivots[count - 1] * behind[count - 1]
        b[p] = (total + other) / pivots[0]
