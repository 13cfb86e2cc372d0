"""Size of the error of a step in fewer coordinates than those of the bodies."""

from __future__ import annotations

from pytrammel.kernels.engine import N_SHARED
from pytrammel.kernels.jit import kernel

# entries of the workspace after those of all equations, as in all of them
ENERGY_MET, ENERGY_NOW = N_SHARED + 4, N_SHARED + 5


@kernel()
def motion_error(y, y1, error, positions, of_positions, first, speeds, of_speeds, rtol, atol):
    """Largest error in units of what is allowed: positions against the model's size, speeds, from `first` on, against the fastest."""
    speed = 1e-3
    for c in range(speeds):
        speed = max(speed, max(abs(y[first + c]), abs(y1[first + c])) / of_speeds[c])
    total = 0.0
    for c in range(positions):
        ratio = abs(error[c]) / (of_positions[c] * (rtol + atol))
        if not ratio <= total:  # also true for NaN
            total = ratio
    for c in range(speeds):
        ratio = abs(error[first + c]) / (of_speeds[c] * (rtol * speed + atol))
        if not ratio <= total:
            total = ratio
    return total


@kernel()
def with_works(W, y1, error, first, size, energy, rtol, total):
    """The same where works, from `first` on, count too: against the energy there is."""
    off = 0.0
    for c in range(first, size):
        energy += abs(y1[c])
        if not abs(error[c]) <= off:
            off = abs(error[c])
    energy = max(energy, W[ENERGY_MET])
    W[ENERGY_NOW] = energy
    return max(total, off / (rtol * energy)) if rtol * energy > 0.0 else total
