"""Interpolation between steps from values and rates at their ends: quintic with the step before, cubic without."""

from __future__ import annotations

from pytrammel.kernels.jit import kernel


@kernel()
def between(theta, h, y0, f0, y1, f1, before, y_before, f_before, out):
    """State at the fraction theta of a step of length h; `before` is the length of the step before it, or 0."""
    # weights of cubic Hermite interpolation
    s = theta
    a = s * s * (3.0 - 2.0 * s)
    b = s * (1.0 - s) * (1.0 - s)
    c = -s * s * (1.0 - s)
    for k in range(y0.size):
        out[k] = y0[k] + a * (y1[k] - y0[k]) + h * (b * f0[k] + c * f1[k])
    if before <= 0.0:
        return
    # what the cubic misses of value and rate at the end of the step before, carried by s² (1-s)² and s² (1-s)² (s + r)
    r = before / h
    bump = s * s * (1.0 - s) * (1.0 - s)
    at = r * r * (1.0 + r) * (1.0 + r)  # bump at s = -r
    slope = -2.0 * r * (1.0 + r) * (1.0 + 2.0 * r)  # its derivative there
    wa = r * r * (3.0 + 2.0 * r)
    wb = -r * (1.0 + r) * (1.0 + r)
    wc = -r * r * (1.0 + r)
    da = -6.0 * r * (1.0 + r)
    db = (1.0 + r) * (1.0 + 3.0 * r)
    dc = r * (2.0 + 3.0 * r)
    for k in range(y0.size):
        value = y0[k] + wa * (y1[k] - y0[k]) + h * (wb * f0[k] + wc * f1[k])
        rate = da * (y1[k] - y0[k]) + h * (db * f0[k] + dc * f1[k])
        first = (y_before[k] - value) / at
        second = (h * f_before[k] - rate - slope * first) / at
        out[k] += bump * (first + (s + r) * second)
