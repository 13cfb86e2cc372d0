"""The three runs of DAP printed by Nikravesh."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator

import numpy as np

import pytrammel as tm
from dap_runs import (
    DUMP_TRUCK,
    DUMP_TRUCK_PRINTED,
    FOUR_BAR_ACCELERATIONS,
    FOUR_BAR_GROUND,
    FOUR_BAR_PATH,
    FOUR_BAR_REACTIONS,
    PLATFORM_END,
    PLATFORM_START,
    PRINTED,
    SIXTH,
    accelerations,
    as_dap_did,
    deck,
    reactions,
)
from pytrammel.errors import RunWarning
from pytrammel.io.decks.dap_report import element_table
from verification.case import Row, case
from verification.cases.book.kap import AREA, BOOK, HALF_DIGIT

SINGLE = "; DAP ran in single precision"


def as_dap(name: str) -> tm.results.Result:
    """Run a deck as DAP did; drift and contradicting starts of the printed input are expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        return as_dap_did(name)


def reaction_rows(found: dict, table: dict, tolerance: float, when: str) -> Iterator[Row]:
    for joint, sides in table.items():
        for (body, *want), side in zip(sides, found[joint], strict=True):
            if side[0] != body:
                raise AssertionError(f"{joint}: body {side[0]} stands where body {body} is printed")
            yield Row(f"{joint} on body {body} {when}: FX, FY, N", "N, N m", want, side[1:], tolerance)


@case("DAP run A, four-bar, first step", area=AREA, source=f"{BOOK}, section 10.3.1, printed to 3 decimals",
      reason=HALF_DIGIT, uses="DAP deck; rk4 with the steps of DAP, no correction")  # fmt: skip
def four_bar_start() -> Iterator[Row]:
    r = as_dap("four_bar")
    for body, want in FOUR_BAR_ACCELERATIONS.items():
        yield Row(
            f"acceleration of body {body}",
            "m/s², rad/s²",
            want,
            accelerations(r, 0)[body],
            PRINTED,
        )
    p = r.point("P1")
    yield Row("point P: position and acceleration", "m, m/s²", [2.664, 4.126, 5.364, -3.131],
              np.array([p.x[0], p.y[0], p.ax[0], p.ay[0]]), PRINTED)  # fmt: skip
    found = reactions("four_bar", r, 0)
    yield from reaction_rows(found, FOUR_BAR_REACTIONS, PRINTED, "at 0 s")
    yield Row(
        "multipliers of the ground",
        "N, N m",
        FOUR_BAR_GROUND,
        found["fix1"][0][1:],
        0.5e-5 * 1.0001,
    )


@case("DAP run A, four-bar, path", area=AREA, source=f"{BOOK}, section 10.3.1, recomputed with the same steps to 6 decimals",
      reason=HALF_DIGIT, uses="DAP deck; rk4 with the steps of DAP, no correction")  # fmt: skip
def four_bar_path() -> Iterator[Row]:
    r = as_dap("four_bar")
    for time, (position, speed) in FOUR_BAR_PATH.items():
        k = int(np.argmin(np.abs(r.times - time)))
        yield Row(f"positions at {time:g} s", "m, rad", position, r.q[k, 3:], SIXTH)
        yield Row(f"angular velocities at {time:g} s", "rad/s", speed, r.v[k, 5::3], SIXTH)
    end = {
        "revolute1": (2, 6.6711, 12.0579, -1.5616), "revolute2": (3, 4.0449, 4.8842, -5.6071),
        "revolute3": (4, -7.1830, -6.6416, 4.0536), "revolute4": (1, -11.9109, -22.1595, -55.3988),
    }  # fmt: skip
    found = reactions("four_bar", r, -1)
    for joint, (body, *want) in end.items():
        side = found[joint][1]
        if side[0] != body:
            raise AssertionError(f"{joint}: body {side[0]} stands where body {body} is expected")
        yield Row(f"{joint} on body {body} at the end", "N, N m", want, side[1:], 0.5e-4 * 1.0001)


@case("DAP run B, platform", area=AREA, source=f"{BOOK}, section 10.3.2, printed to 3 decimals",
      reason=HALF_DIGIT + SINGLE + ": one unit of the last digit after 300 steps",
      uses="DAP deck, spring-damper; rk4 with the steps of DAP, no correction")  # fmt: skip
def platform() -> Iterator[Row]:
    # the printed run belongs to y3 = 0.470; the listing's 0.46895 is a misprint
    r = as_dap("platform")
    for body, want in ((2, [13.630, 4.829, -57.838]), (3, [27.260, 9.658, 0]), (4, [13.630, 4.829, -57.838])):
        yield Row(
            f"acceleration of body {body} at 0 s",
            "m/s², rad/s²",
            want,
            accelerations(r, 0)[body],
            PRINTED,
        )
    spring = element_table(deck("platform"), r, 1)
    yield Row(
        "spring at 0 s: length, rate, force, damping",
        "m, m/s, N",
        [0.819, -0.201, 153.462, -10.072],
        spring[0],
        PRINTED,
    )
    yield from reaction_rows(reactions("platform", r, 0), PLATFORM_START, PRINTED, "at 0 s")
    want = [-0.173, 0.238, -0.311, 0.153, 0.476, 0, 0.327, 0.238, -0.311]
    yield Row("positions at 3 s", "m, rad", want, r.q[-1, 3:], PRINTED)
    yield Row("velocities at 3 s", "m/s, rad/s", np.zeros(r.v.shape[1]), r.v[-1], PRINTED)
    yield Row("accelerations at 3 s", "m/s², rad/s²", np.zeros(r.a.shape[1]), r.a[-1], PRINTED)
    yield Row("spring at 3 s: length, rate, force, damping", "m, m/s, N", [0.589, 0, -7.805, 0], spring[-1], PRINTED)
    yield Row("spring force at 3 s, double precision", "N", -7.8048, float(spring[-1, 2]), 0.5e-4)
    yield from reaction_rows(reactions("platform", r, -1), PLATFORM_END, 1.0e-3 * 1.0001, "at 3 s")


@case("DAP run C, dump truck at rest", area=AREA, source=f"{BOOK}, section 10.3.3, printed table recomputed in double precision",
      reason=HALF_DIGIT + SINGLE + ": the print differs by up to 0.0045 of 5000", uses="DAP deck, strut; input as printed")  # fmt: skip
def dump_truck() -> Iterator[Row]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        r = deck("dump_truck_static").run(correct=False)
    found = reactions("dump_truck_static", r, 0)
    yield from reaction_rows(found, DUMP_TRUCK, PRINTED, "at 0 s")
    for joint, sides in DUMP_TRUCK_PRINTED.items():
        for (body, *numbers), printed in zip(found[joint], sides, strict=True):
            pairs = [(want, number) for want, number in zip(printed, numbers, strict=True) if want is not None]
            want, got = np.array(pairs).T
            yield Row(f"{joint} on body {body}, legible print", "N, N m", want, got, 0.0045)
    yield Row("vertical force on the ground", "N", 104.801 * 9.81, float(found["fix1"][0][2]), 1e-9)
    _, fx, fy, _ = found["revolute9"][0]
    yield Row("force of the strut", "N", 3916.0, math.hypot(fx, fy), 0.5)
