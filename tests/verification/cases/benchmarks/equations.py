"""Differential equations of the Reference-FMUs, integrated with the steps of the reference."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import pytrammel as tm
from verification.case import Row, case
from verification.cases.benchmarks.contact import sampled

AREA = "Published benchmarks: equations"
FMUS = "modelica/Reference-FMUs"
EULER = "the reference takes the same steps of order one; rounding of some thousand steps"
NOTES = {
    AREA: "Feedthrough and Stair of the Reference-FMUs are not compared: the first passes inputs on, the second counts seconds, and "
    "neither has a differential equation."
}


@case("Dahlquist's equation", area=AREA, source=f"{FMUS}, Dahlquist_out.csv", reason=EULER, uses="integrate: euler")
def dahlquist() -> Iterator[Row]:
    rows = sampled("reference_fmus", "equations", "Dahlquist")
    r = tm.textbook.integrate("x' = -x", {"x": 1.0}, times=rows[:, 0], method=tm.methods.euler(step=0.1))
    yield Row("x", "", rows[:, 1], r["x"], 1e-12, at=rows[:, 0])


@case("Van der Pol's oscillator", area=AREA, source=f"{FMUS}, VanDerPol_out.csv", reason=EULER, uses="integrate: euler")
def van_der_pol() -> Iterator[Row]:
    rows = sampled("reference_fmus", "equations", "VanDerPol")
    start = {"x": 2.0, "y": 0.0}
    r = tm.textbook.integrate(
        ["x' = y", "y' = (1 - x^2)*y - x"], start, times=rows[:, 0], method=tm.methods.euler(step=0.01)
    )
    for k, name in enumerate("xy", start=1):
        yield Row(name, "", rows[:, k], np.asarray(r[name]), 1e-10, at=rows[:, 0])


@case("State space", area=AREA, source=f"{FMUS}, StateSpace_out.csv", reason=EULER, uses="integrate: euler")
def state_space() -> Iterator[Row]:
    rows = sampled("reference_fmus", "equations", "StateSpace")
    start = {f"x{k}": float(k) for k in (1, 2, 3)}
    r = tm.textbook.integrate(
        [f"{x}' = {x}" for x in start], start, times=rows[:, 0], method=tm.methods.euler(step=1e-3)
    )
    for k, x in enumerate(start, start=1):
        yield Row(f"output {k}", "", rows[:, k], np.asarray(r[x]), 1e-11, float(rows[-1, k]), at=rows[:, 0])
