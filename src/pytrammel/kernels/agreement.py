"""Loads of joints that agree with the forces that depend on them.

A pass leads from loads to forces, multipliers and loads again. Passes go on by themselves while they come together quickly; else Newton's
method takes over, with slopes from one pass per load. Only loads to which passes by themselves lead are taken: elsewhere a change comes
back larger than it was (self-locking), and no loads agree, or several do.
"""

from __future__ import annotations

import math

from pytrammel.kernels import layout as L
from pytrammel.kernels.bare import tail
from pytrammel.kernels.jit import kernel

AGREED, GO_ON, NONE_AGREE = 0.0, 1.0, 2.0  # verdicts
SAME = 1e-12  # relative change of a load that ends the passes
NEARLY = 1e-6  # relative change that does at the very end
NO_LOAD = 1e-9  # [N] added to loads that changes are compared with
FREE_PASSES = 4  # before their pace is judged
MOST_PASSES = 400
MOST_STEPS = 12  # of Newton's method
MOVED = 1e-6  # share of the largest load by which one is moved for its slopes
BY_ITSELF = -1.0  # stage in which no load is moved
STAGE, STEPS, LAST, HEAD = range(
    4
)  # of the buffer: which load is moved, steps taken, last change; then loads, slopes and room


@kernel()
def agreement_size(I):
    """Size of the buffer: loads found, those they were found for, what those led to, slopes, room for two matrices and a column."""
    n = I[L.N_REACTIONS]
    return HEAD + 4 * n + 3 * n * n


@kernel()
def place_of_load(I, r):
    """Where a load lies among the outputs."""
    return L.OUTPUT_SIZE * I[I[L.AT_REACTIONS] + L.REACTION_SIZE * r]


@kernel()
def compare_loads(I, passed, out, b):
    """Take the loads found in a pass, at the head of the buffer, and leave those for the next in the outputs; returns a verdict."""
    verdict = next_loads(I, passed, out, b)
    if verdict == NONE_AGREE:
        for r in range(I[L.N_REACTIONS]):  # the next search begins anew, not where this one went astray
            out[place_of_load(I, r)] = 0.0
    return verdict


@kernel()
def next_loads(I, passed, out, b):
    """The same, with loads left as they are where none agree."""
    n = I[L.N_REACTIONS]
    if passed == 0:
        b[STAGE] = BY_ITSELF
        b[STEPS] = 0.0
        b[LAST] = math.inf
    if b[STAGE] != BY_ITSELF:
        return after_moving(I, int(b[STAGE]), out, b)
    found = tail(b, HEAD)
    change = 0.0
    for r in range(n):
        change = max(change, abs(found[r] - out[place_of_load(I, r)]) / (NO_LOAD + found[r]))
    ended = b[STEPS] >= MOST_STEPS
    strays = passed >= MOST_PASSES or not change < b[LAST]
    if change < SAME or (ended and (strays or not comes_back_smaller(n, b))):
        agreed = change < (NEARLY if ended else SAME) and (b[STEPS] == 0.0 or comes_back_smaller(n, b))
        take_found(I, out, b)
        return AGREED if agreed else NONE_AGREE
    soon = change * (change / b[LAST]) ** (2 * (n + 1)) < SAME
    b[LAST] = change
    if passed < FREE_PASSES or ended or (b[STEPS] == 0.0 and soon):
        take_found(I, out, b)
        return GO_ON
    b[STEPS] += 1.0
    for r in range(n):
        b[HEAD + n + r] = out[place_of_load(I, r)]
        b[HEAD + 2 * n + r] = found[r]
    move_load(I, 0, out, b)
    return GO_ON


@kernel()
def take_found(I, out, b):
    """Go on with the loads found."""
    for r in range(I[L.N_REACTIONS]):
        out[place_of_load(I, r)] = b[HEAD + r]


@kernel()
def move_load(I, r, out, b):
    """Move one load for its slopes."""
    n = I[L.N_REACTIONS]
    largest = NO_LOAD
    for k in range(2 * n):
        largest = max(largest, b[HEAD + n + k])
    out[place_of_load(I, r)] = b[HEAD + n + r] + MOVED * largest
    b[STAGE] = float(r)


@kernel()
def after_moving(I, r, out, b):
    """Note the slopes by a load that was moved; then move the next, or take a step of Newton's method."""
    n = I[L.N_REACTIONS]
    base = tail(b, HEAD + n)
    image = tail(b, HEAD + 2 * n)
    slopes = tail(b, HEAD + 4 * n)
    step = tail(b, HEAD + 3 * n)
    moved = out[place_of_load(I, r)] - base[r]
    for k in range(n):
        slopes[n * k + r] = (b[HEAD + k] - image[k]) / moved
    out[place_of_load(I, r)] = base[r]
    if r + 1 < n:
        move_load(I, r + 1, out, b)
        return GO_ON
    b[STAGE] = BY_ITSELF
    b[LAST] = math.inf
    matrix = tail(b, HEAD + 4 * n + n * n)
    for k in range(n):
        step[k] = image[k] - base[k]
        for j in range(n):
            matrix[n * k + j] = (1.0 if j == k else 0.0) - slopes[n * k + j]
    solve_small(n, matrix, step)
    stands = True
    for k in range(n):
        after = max(0.0, base[k] + step[k])
        if not math.isfinite(step[k]):
            return NONE_AGREE
        stands = stands and after == base[k]
        out[place_of_load(I, k)] = after
    return NONE_AGREE if stands else GO_ON


@kernel()
def solve_small(n, matrix, b):
    """Solve matrix x = b by elimination with pivoting; both are overwritten. A singular matrix leaves no finite numbers."""
    for j in range(n):
        pivot = j
        for i in range(j + 1, n):
            if abs(matrix[n * i + j]) > abs(matrix[n * pivot + j]):
                pivot = i
        for k in range(n):
            matrix[n * j + k], matrix[n * pivot + k] = matrix[n * pivot + k], matrix[n * j + k]
        b[j], b[pivot] = b[pivot], b[j]
        if matrix[n * j + j] == 0.0:
            b[j] = math.nan
            return
        for i in range(j + 1, n):
            share = matrix[n * i + j] / matrix[n * j + j]
            for k in range(j, n):
                matrix[n * i + k] -= share * matrix[n * j + k]
            b[i] -= share * b[j]
    for j in range(n - 1, -1, -1):
        for k in range(j + 1, n):
            b[j] -= matrix[n * j + k] * b[k]
        b[j] /= matrix[n * j + j]


@kernel()
def comes_back_smaller(n, b):
    """Whether the slopes, applied again and again, let a change die out: squares of squares of them become small."""
    power = tail(b, HEAD + 4 * n + n * n)
    square = tail(b, HEAD + 4 * n + 2 * n * n)
    for k in range(n * n):
        power[k] = b[HEAD + 4 * n + k]
    for _ in range(40):
        size = 0.0
        for i in range(n):
            total = 0.0
            for k in range(n):
                total += abs(power[n * i + k])
            size = max(size, total)
        if size < 1.0:
            return True
        if not size < 1e12:
            return False
        for i in range(n):
            for k in range(n):
                total = 0.0
                for j in range(n):
                    total += power[n * i + j] * power[n * j + k]
                square[n * i + k] = total
        for k in range(n * n):
            power[k] = square[k]
    return False
