"""Elimination of small systems: mass matrices of trees, and rows of loops over passive speeds."""

from __future__ import annotations

from pytrammel.kernels.jit import kernel

PIVOT = 1e-13  # pivot tolerance, relative to the diagonal entry before elimination


@kernel()
def decompose(H, n, before, at):
    """H = L'D L in place, along the branches of a tree (or densely, at < 0): before[at + k] is the speed before k. False if singular."""
    for k in range(n):
        H[n * n + k] = H[k * n + k]
    for k in range(n - 1, -1, -1):
        pivot = H[k * n + k]
        if not pivot > PIVOT * H[n * n + k]:
            return False
        i = before[at + k] if at >= 0 else k - 1
        while i >= 0:
            factor = H[k * n + i] / pivot
            j = i
            while j >= 0:
                H[i * n + j] -= factor * H[k * n + j]
                j = before[at + j] if at >= 0 else j - 1
            H[k * n + i] = factor
            i = before[at + i] if at >= 0 else i - 1
    return True


@kernel()
def solve_decomposed(H, n, before, at, x):
    """Solve with the factors, in place."""
    for k in range(n - 1, -1, -1):
        j = before[at + k] if at >= 0 else k - 1
        while j >= 0:
            x[j] -= H[k * n + j] * x[k]
            j = before[at + j] if at >= 0 else j - 1
    for k in range(n):
        x[k] /= H[k * n + k]
    for k in range(n):
        j = before[at + k] if at >= 0 else k - 1
        while j >= 0:
            x[k] -= H[k * n + j] * x[j]
            j = before[at + j] if at >= 0 else j - 1


@kernel()
def weigh_rows(H, n, J, m, right, out):
    """Add J'WJ to the mass matrix and J'W right to the efforts: the same accelerations, where only loops move links without mass."""
    largest = 0.0
    for c in range(n):
        largest = max(largest, H[c * n + c])
    for k in range(m):
        size = 0.0
        for c in range(n):
            size += J[n * k + c] * J[n * k + c]
        weight = largest / size if size > 0.0 else 0.0
        for r in range(n):
            share = weight * J[n * k + r]
            if share != 0.0:
                out[r] += share * right[k]
                for c in range(n):
                    H[r * n + c] += share * J[n * k + c]


@kernel()
def scale_rows(J, m, n, speeds, rows):
    """Rows without units; their largest entry."""
    largest = 0.0
    for k in range(m):
        for c in range(n):
            J[n * k + c] *= speeds[c] / rows[k]
            largest = max(largest, abs(J[n * k + c]))
    return largest


@kernel()
def eliminate(J, m, n, passive, order, least):
    """Eliminate the first `passive` columns of `order` from the rows, with complete pivoting; False if a pivot is below `least`."""
    for k in range(passive):
        best = 0.0
        row = k
        column = k
        for i in range(k, m):
            for j in range(k, passive):
                size = abs(J[n * i + int(order[j])])
                if size > best:
                    best = size
                    row = i
                    column = j
        if not best > least:
            return False
        order[k], order[column] = order[column], order[k]
        if row != k:
            for c in range(n):
                J[n * k + c], J[n * row + c] = J[n * row + c], J[n * k + c]
        at = int(order[k])
        for i in range(k + 1, m):
            factor = J[n * i + at] / J[n * k + at]
            if factor != 0.0:
                for j in range(k + 1, n):
                    c = int(order[j])
                    J[n * i + c] -= factor * J[n * k + c]
    for i in range(passive, m):
        for j in range(passive, n):
            if abs(J[n * i + int(order[j])]) > least:
                return False
    return True
