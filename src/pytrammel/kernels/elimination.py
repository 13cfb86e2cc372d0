"""Dense elimination with complete pivoting, for the few systems that need it."""

from __future__ import annotations

import math

import numpy as np

from pytrammel.kernels.jit import kernel


@kernel()
def eliminate(K, size):
    """Solve a dense system in place; the solution is left in the first `size` numbers, NaN where there is none."""
    width = size + 1
    order = np.arange(size)
    # rows to comparable size
    largest_rhs = 1e-300
    for i in range(size):
        big = 0.0
        for j in range(size):
            big = max(big, abs(K[i * width + j]))
        if big > 0.0:
            for j in range(width):
                K[i * width + j] /= big
        largest_rhs = max(largest_rhs, abs(K[i * width + size]))
    rank = size
    first = 0.0
    for p in range(size):
        best = 0.0
        row = p
        column = p
        for i in range(p, size):
            for j in range(p, size):
                if abs(K[i * width + j]) > best:
                    best = abs(K[i * width + j])
                    row = i
                    column = j
        if p == 0:
            first = best
        if best <= 1e-13 * first:
            rank = p
            break
        for j in range(width):
            K[p * width + j], K[row * width + j] = K[row * width + j], K[p * width + j]
        for i in range(size):
            K[i * width + p], K[i * width + column] = K[i * width + column], K[i * width + p]
        order[p], order[column] = order[column], order[p]
        for i in range(p + 1, size):
            factor_ = K[i * width + p] / K[p * width + p]
            if factor_ != 0.0:
                for j in range(p, width):
                    K[i * width + j] -= factor_ * K[p * width + j]
    contradiction = False
    for i in range(rank, size):
        if abs(K[i * width + size]) > 1e-9 * largest_rhs:
            contradiction = True
    solution = np.zeros(size)
    for p in range(rank - 1, -1, -1):
        total = K[p * width + size]
        for j in range(p + 1, rank):
            total -= K[p * width + j] * solution[j]
        solution[p] = total / K[p * width + p]
    for p in range(size):
        K[p] = 0.0
    for p in range(rank):
        K[order[p]] = math.nan if contradiction else solution[p]
