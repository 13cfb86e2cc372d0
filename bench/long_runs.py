"""Energy of a pendulum over very many periods with the symplectic method: bounded, not growing.

    python bench/long_runs.py [periods]        # 1,000,000 by default: some minutes

Prints the largest energy error met at the beginning and at the end of the run, in parts of m g d.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import pytrammel as tm

PERIOD = 2.64732777737798  # s, by elliptic integrals
STEPS = 20  # per period
WINDOW = 100  # periods looked at closely at each end


def pendulum() -> tm.PlanarModel:
    m = tm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    bob = m.body("bob", position=(1.0, 0.0), mass=2.0, inertia=0.5)
    m.revolute("pivot", m.ground.at(0.0, 0.0), bob.at(-1.0, 0.0))
    return m


def main(periods: float) -> None:
    looks = np.arange(WINDOW * STEPS)
    times = PERIOD / STEPS * np.concatenate([looks, (periods - WINDOW) * STEPS + looks])
    began = time.perf_counter()
    r = pendulum().simulate(times=times, method=tm.methods.rattle(step=PERIOD / STEPS, max_steps=10**12))
    seconds = time.perf_counter() - began
    error = np.abs(r.energy.kinetic + r.energy.gravity) / (2.0 * 9.81)
    steps = r.dynamics.statistics.steps
    print(f"{periods:g} periods, {steps} steps, {seconds:.1f} s, {1e6 * seconds / steps:.1f} us per step")
    print(
        f"largest energy error / (m g d): first {WINDOW} periods {error[: looks.size].max():.6f}, last {error[looks.size :].max():.6f}"
    )


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1e6)
