"""Write docs/theory/drift.md with its pictures: how far joints, energies and Euler parameters drift, by treatment and method.

    python docs/make_drift_page.py            # half a minute, and the compiler

Every number of the page is computed here, constraints and energy from the coordinates themselves.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import pytrammel as tm
from pytrammel._util.atomic_write import write_whole

FOLDER = Path(__file__).parent
MASS, INERTIA, GRAVITY = 2.0, 0.5, 9.81
PERIOD = 2.64732777737798  # s, by elliptic integrals
STEP = 0.02
TREATMENTS: tuple[tuple[str, dict[str, float]], ...] = (
    ("none", {}), ("baumgarte", {"alpha": 1.0, "beta": 1.0}), ("baumgarte", {"alpha": 5.0, "beta": 5.0}),
    ("baumgarte", {"alpha": 10.0, "beta": 10.0}), ("baumgarte", {"alpha": 50.0, "beta": 50.0}), ("projection", {}),
    ("partitioning", {}), ("hybrid", {}), ("penalty", {}), ("augmented", {}),
)  # fmt: skip
METHODS = ("rk4", "ab4", "abm4", "bdf4", "heun", "rattle", "generalized_alpha", "hht", "bdf2_index3", "bdf2_ggl")
LONG = ("rk4", "bdf4", "heun", "rattle", "generalized_alpha")
Array = NDArray[np.float64]


def pendulum() -> tm.PlanarModel:
    """P1 of the digest: a body of 2 kg and 0.5 kg m² on a pivot 1 m from its centre, released level."""
    m = tm.PlanarModel("pendulum", gravity=(0.0, -GRAVITY))
    bob = m.body("bob", position=(1.0, 0.0), mass=MASS, inertia=INERTIA)
    m.revolute("pivot", m.ground.at(0.0, 0.0), bob.at(-1.0, 0.0))
    return m


def swing(duration: float, method: str, treatment: str, step: float = STEP, **options: float) -> tm.results.Result:
    times = step * np.arange(round(duration / step) + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.RunWarning)  # drift is what this is about
        return pendulum().simulate(
            times=times,
            method=tm.methods[method](step=step),
            constraints=tm.enforcement[treatment](**options),
            progress=False,
        )


def openings(r: tm.results.Result) -> tuple[Array, Array]:
    """Largest component of Phi and of its rate at every instant [m, m/s]."""
    (x, y, phi), (u, v, w) = r.q.T, r.v.T
    c, s = np.cos(phi), np.sin(phi)
    return np.maximum(np.abs(x - c), np.abs(y - s)), np.maximum(np.abs(u + s * w), np.abs(v - c * w))


def energy_error(r: tm.results.Result) -> Array:
    """Kinetic and gravity energy, which begin at 0 [J]."""
    u, v, w = r.v.T
    return np.asarray(0.5 * MASS * (u**2 + v**2) + 0.5 * INERTIA * w**2 + MASS * GRAVITY * r.q[:, 1])


def up_to(r: tm.results.Result, values: Array, time: float) -> float:
    return float(np.abs(values[r.times <= time + 1e-9]).max())


def truth(duration: float) -> float:
    r = pendulum().simulate(times=[0.0, duration], method="gbs12", rtol=1e-13, atol=1e-15, progress=False)
    return float(r["bob"].phi[-1])


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def number(x: float) -> str:
    return f"{x:.1e}" if abs(x) > 4e-15 else "rounding"


def named(treatment: str, options: dict[str, float]) -> str:
    return f"`{treatment}`" + (f", α = β = {options['alpha']:g}" if options else "")


def direct() -> tuple[str, tm.results.Result]:
    r = swing(100.0, "rk4", "none")
    gap, rate = openings(r)
    rows = [
        [f"{t:g} s", number(up_to(r, gap, t)), number(up_to(r, rate, t)), number(up_to(r, energy_error(r), t))]
        for t in (10.0, 20.0, 50.0, 100.0)
    ]
    return table(["until", "Φ [m]", "Φ̇ [m/s]", "energy error [J]"], rows), r


def by_treatment() -> str:
    exact = truth(10.0)
    rows = []
    for treatment, options in TREATMENTS:
        r = swing(10.0, "rk4", treatment, **options)
        gap, rate = openings(r)
        off = float(r["bob"].phi[-1]) - exact
        rows.append(
            [
                named(treatment, options),
                number(gap.max()),
                number(rate.max()),
                number(np.abs(energy_error(r)).max()),
                number(off),
            ]
        )
    return table(["treatment", "Φ [m]", "Φ̇ [m/s]", "energy error [J]", "error of the angle at 10 s [rad]"], rows)


def by_method() -> str:
    """Openings, their rates and energy errors of methods over treatments."""
    names = ["none", "baumgarte", "projection", "partitioning"]
    rows = []
    for method in METHODS:
        row = [f"`{method}`"]
        known = tm.methods[method].treatments
        for treatment in names:
            if known is not None and treatment not in known:
                row.append("–")
                continue
            r = swing(10.0, method, treatment)
            gap, rate = openings(r)
            row.append(f"{number(gap.max())} / {number(rate.max())} / {number(np.abs(energy_error(r)).max())}")
        rows.append(row)
    return table(["method", *(f"`{name}`" for name in names)], rows)


def long_runs() -> tuple[str, dict[str, tm.results.Result]]:
    runs = {name: swing(100.0, name, "projection") for name in LONG}
    rows = [
        [f"`{name}`", *(number(up_to(r, energy_error(r), t)) for t in (10.0, 50.0, 100.0))] for name, r in runs.items()
    ]
    return table(["method", "10 s", "50 s", "100 s"], rows), runs


def by_index() -> str:
    """BDF on index 3 and with velocity rows, over the step."""
    exact = truth(1.0)
    rows = []
    for method in ("bdf2_index3", "bdf3_index3", "bdf2_ggl", "generalized_alpha", "rattle"):
        row = [f"`{method}`"]
        for h in (0.02, 0.01, 0.005):
            r = swing(1.0, method, "none" if "index3" in method else "projection", h)
            off = float(r["bob"].phi[-1]) - exact
            row.append(f"{number(off)} / {number(openings(r)[1].max())}")
        rows.append(row)
    return table(["method", "h = 0.02 s", "h = 0.01 s", "h = 0.005 s"], rows)


def box() -> tm.SpatialModel:
    """Problem 13.2: a force of 12 N that stays normal to a side of a box, at its corner."""
    m = tm.SpatialModel("box", gravity=(0.0, 0.0, 0.0))
    inertia = 50.0 / 12.0 * np.array([0.4**2 + 0.2**2, 0.6**2 + 0.2**2, 0.6**2 + 0.4**2])
    body = m.body("b", position=(0.0, 5.0, 4.0), mass=50.0, inertia=tuple(inertia))
    m.force("thrust", body.at(0.3, 0.2, 0.1), (0.0, 0.0, 12.0), frame="body")
    return m


def lengths() -> str:
    """p'p - 1 after 5 s without correction, and the error of the place with it."""
    exact = box().simulate(times=[0.0, 5.0], rtol=1e-12, atol=1e-14, progress=False)["b"].position[-1]
    rows = []
    for label, options in (
        ("DI-2, uncorrected", {"formulation": tm.formulations.I(rotations="rates", normalize="none")}),
        ("DI-2, corrected", {"formulation": tm.formulations.I(rotations="rates", normalize="corrected")}),
        ("DI-3, uncorrected", {"formulation": tm.formulations.cartesian(rotations="velocities", normalize="none")}),
        ("DI-3, corrected", {"formulation": tm.formulations.cartesian(rotations="velocities", normalize="corrected")}),
    ):
        row = [label]
        for h in (0.1, 0.05, 0.025):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", tm.RunWarning)
                r = box().simulate(
                    5.0, samples=round(5 / h) + 1, method=tm.methods.rk4(step=h), progress=False, **options
                )  # fmt: skip
            off = float(np.linalg.norm(r["b"].position[-1] - exact))
            row.append(f"{number(abs(float(r['b'].norm_error[-1])))} / {number(off)}")
        rows.append(row)
    return table(["state", "h = 0.1 s", "h = 0.05 s", "h = 0.025 s"], rows)


def draw(drift: tm.results.Result, runs: dict[str, tm.results.Result]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.0), constrained_layout=True)
    for label, r in (
        ("none", drift), ("baumgarte, 5", swing(100.0, "rk4", "baumgarte")), ("hybrid", swing(100.0, "rk4", "hybrid")),
        ("projection", swing(100.0, "rk4", "projection")),
    ):  # fmt: skip
        left.semilogy(r.times[1:], np.maximum.accumulate(openings(r)[0][1:]), label=label)
    left.set(xlabel="time [s]", ylabel="largest opening so far [m]", title="joint opening, rk4, h = 0.02 s")
    left.legend(loc="lower right", bbox_to_anchor=(1.0, 0.15), fontsize=8)
    for name, r in runs.items():
        right.semilogy(r.times[1:], np.maximum.accumulate(np.abs(energy_error(r)[1:])), label=name)
    right.set(xlabel="time [s]", ylabel="largest energy error so far [J]", title="energy, projection, h = 0.02 s")
    right.legend(loc="center right", fontsize=8)
    for axes in (left, right):
        axes.grid(True, alpha=0.3)
    figure.savefig(FOLDER / "images" / "drift.png", dpi=110)
    plt.close(figure)


PAGE = """# Drift and energy

How far joints come apart, and how well energy is kept, by [treatment of constraints](treatments.md) and [method](../reference/methods.md). Written by `docs/make_drift_page.py`, which computes every number; Φ, its rate and the energy come from the coordinates themselves.

The machine is a body of {mass:g} kg and {inertia:g} kg m² on a pivot 1 m from its centre, released level (period {period:.4f} s), with fixed steps of {step:g} s, about {steps:.0f} per period, unless said otherwise. Tables show the largest size met, of the larger component where there are two; “rounding” is below 4e-15.

![Joint opening and energy over 100 s](../images/drift.png)

## Direct integration (DI-4)

`rk4`, `constraints="none"`. The opening Φ grows with the square of time, its rate Φ̇ linearly, and the energy goes wrong with them.

{direct}

## Treatments

`rk4`, 10 s. Larger gains are not better: those near 1/h = {near:g} 1/s hold worst. Partitioning has the same angle as direct integration, without the drift.

{treatments}

## Methods and treatments

10 s; Φ [m] / Φ̇ [m/s] / energy error [J]. “–”: not offered. Projection and partitioning close the joints to rounding whatever the method; the energy is then as good as the method.

{methods}

## Energy of long runs

Largest energy error [J] with `projection`. `rattle` is bounded: what it has at 10 s it has at 100 s. In a million periods (`bench/long_runs.py`, {long_steps:g} steps of a twentieth of a period) it was {first:.6f} m g d in the first hundred periods and {last:.6f} in the last.

{energy}

## Methods on positions

Error of the angle at 1 s [rad] / Φ̇ [m/s]. BDF on index 3 holds Φ to rounding but not its rate, which only falls with the step; with velocity rows (GGL) both hold. All are put right for output where `projection` is asked for.

{index}

## Euler parameters

Problem 13.2: a box under a force that turns with it, `rk4`, 5 s. p'p − 1 at the end / error of the place [m]. The length drifts with the fifth power of the step; bringing it back to one costs no order.

{lengths}
"""  # noqa: E501 (a paragraph is a line)
# a million periods take a quarter of an hour: bench/long_runs.py prints these
LONG_STEPS, LONG_FIRST, LONG_LAST = 2e7, 0.047889, 0.047889


def main() -> None:
    drift_table, drift = direct()
    energy_table, runs = long_runs()
    draw(drift, runs)
    page = PAGE.format(
        mass=MASS, inertia=INERTIA, period=PERIOD, step=STEP, steps=PERIOD / STEP, near=1.0 / STEP, direct=drift_table,
        treatments=by_treatment(), methods=by_method(), energy=energy_table, index=by_index(), lengths=lengths(),
        long_steps=LONG_STEPS, first=LONG_FIRST, last=LONG_LAST,
    )  # fmt: skip
    write_whole(FOLDER / "theory" / "drift.md", page)


if __name__ == "__main__":
    main()
