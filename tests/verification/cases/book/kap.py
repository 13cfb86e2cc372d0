"""The five runs of KAP printed by Nikravesh."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from kap_runs import (
    DUMP_TRUCK,
    FOUR_BAR,
    HALF_OF_FIFTH,
    PLATFORM_PRINTED,
    PRINTED,
    QUICK_RETURN,
    SLIDER,
    TO_MODEL_2,
    point,
    rows,
    run,
    tool_and_arm,
)
from pytrammel.examples import find
from pytrammel.io.decks.kap_deck import read_kap
from verification.case import Row, case

AREA = "Nikravesh: programs KAP and DAP"
BOOK = "Nikravesh, Computer-Aided Analysis of Mechanical Systems (1988)"
HALF_DIGIT = "half a unit of the last digit given"
FOURTH = 0.5e-4 * 1.0001


@case("KAP run A, four-bar", area=AREA, source=f"{BOOK}, section 5.2.1, recomputed from the printed input to 5 decimals",
      reason=HALF_DIGIT, uses="KAP deck, kinematics")  # fmt: skip
def four_bar() -> Iterator[Row]:
    result = run("four_bar")
    for time, expected in FOUR_BAR.items():
        for who, want in expected.items():
            found = point(result, time) if who == "P" else rows(result, time)[who]
            name = "point P" if who == "P" else f"body {who}"
            yield Row(
                f"{name} at {time:g} s: position, velocity, acceleration",
                "",
                want,
                found,
                HALF_OF_FIFTH,
            )


@case("KAP run B, slider-crank", area=AREA, source=f"{BOOK}, sections 4.4.1 and 5.2.2; closed form",
      reason=HALF_DIGIT, uses="KAP deck with a translational joint, or with simple constraints; kinematics")  # fmt: skip
def slider_crank() -> Iterator[Row]:
    times, table = np.array(list(SLIDER)), np.array(list(SLIDER.values()))
    for model, changes in (("translational joint", {}), ("simple constraints", TO_MODEL_2)):
        result = run("slider_crank", **changes)
        found = np.array([rows(result, t)[4] for t in times])[:, [0, 3, 6]]
        for k, (name, unit) in enumerate([("position", "mm"), ("velocity", "mm/s"), ("acceleration", "mm/s²")]):
            yield Row(f"{name} of the slider ({model})", unit, table[:, k], found[:, k], FOURTH, at=times)
        want = [-467.19395, 39.97135, 0.20121, 145.35697, 83.15828, 0.42435, 286.99918, -57.55874, -0.25699]
        yield Row(f"state of the rod at 0 s ({model})", "", want, rows(result, 0.0)[3], HALF_OF_FIFTH)


@case("KAP run B, dead centres", area=AREA, source="r ω² (1 ± r/l) with r = 200 mm, l = 500 mm, ω = 1.2 rad/s",
      reason="rounding of numbers of 1000", uses="KAP deck, kinematics")  # fmt: skip
def dead_centres() -> Iterator[Row]:
    state = rows(run("slider_crank"), 4.8)[4]
    yield Row(
        "x, velocity, acceleration at the outer dead centre",
        "mm, s",
        [-700.0, 0.0, 403.2],
        np.array(state)[[0, 3, 6]],
        1e-9,
    )
    inner = read_kap(find("kap_slider_crank").source().replace("0, 5.3, 0.1 ", f"{(5.76 - math.pi) / 1.2!r},9,0")).run()
    state = rows(inner, inner.times[0])[4]
    yield Row(
        "x, velocity, acceleration at the inner dead centre",
        "mm, s",
        [-300.0, 0.0, -172.8],
        np.array(state)[[0, 3, 6]],
        1e-9,
    )


@case("KAP run C, quick-return", area=AREA, source=f"{BOOK}, sections 4.4.2 and 5.2.3, recomputed to 5 and 6 decimals",
      reason=HALF_DIGIT, uses="three models: bodies, revolute-translational joints, massless link; kinematics")  # fmt: skip
def quick_return() -> Iterator[Row]:
    times = np.array(list(QUICK_RETURN))
    slider, arm = (np.array([row[k] for row in QUICK_RETURN.values()]) for k in (0, 1))
    for number in (1, 2, 3):
        table = tool_and_arm(number, times)
        for k, (name, unit) in enumerate([("position", "mm"), ("velocity", "mm/s"), ("acceleration", "mm/s²")]):
            yield Row(f"{name} of the tool (model {number})", unit, slider[:, k], table[:, k], HALF_OF_FIFTH, at=times)
        for k, (name, unit) in enumerate([("angle", "rad"), ("speed", "rad/s"), ("acceleration", "rad/s²")]):
            yield Row(
                f"{name} of the arm (model {number})", unit, arm[:, k], table[:, 3 + k], 0.5e-6 * 1.0001, at=times
            )


@case("KAP run D, platform", area=AREA, source=f"{BOOK}, ch. 10, printed to 3 decimals and recomputed to 5",
      reason=HALF_DIGIT, uses="KAP deck, kinematics")  # fmt: skip
def platform() -> Iterator[Row]:
    # the printed results belong to 0.46985 = 0.5 sin 110°, not to the 0.46895 of the printed input
    state = rows(run("platform"), 0.0)
    for body, want in PLATFORM_PRINTED.items():
        yield Row(f"body {body}, printed", "", want, state[body], PRINTED)
    for body, want in (
        (2, [-0.33550, 0.23492, 0.34904, 0.16486, 0.06, -0.70175, 0.35999, 0, -1.35311]),
        (3, [-0.17100, 0.46985, 0, 0.32972, 0.12, 0, 0.71997, 0, 0]),
    ):
        yield Row(f"body {body}, recomputed", "", want, state[body], HALF_OF_FIFTH)
    typed = rows(run("platform", height=("0.46985", "0.46895")), 0.0)
    found = [typed[2][2], typed[2][5], typed[3][6], typed[2][8]]
    yield Row(
        "input as printed: angle, rates, accelerations",
        "",
        [0.35427, -0.69183, 0.68986, -1.29403],
        found,
        HALF_OF_FIFTH,
    )
    yield Row("input as printed: angle, arccos(y / 0.5)", "rad", math.acos(0.46895 / 0.5), typed[2][2], 1e-12)


@case("KAP run E, dump truck", area=AREA, source=f"{BOOK}, ch. 10, recomputed to 5 decimals",
      reason=HALF_DIGIT, uses="KAP deck without a driver, kinematics")  # fmt: skip
def dump_truck() -> Iterator[Row]:
    result = run("dump_truck")
    state = rows(result, 0.0)
    for body, want in DUMP_TRUCK.items():
        yield Row(f"position of body {body}", "", want, state[body][:3], HALF_OF_FIFTH)
    yield Row("position of P", "m", [0.91425, 0.34054], point(result, 0.0)[:2], HALF_OF_FIFTH)
