"""Nikravesh, chapter 12: one-step and multistep methods on examples 12.1 and 12.2, and their coefficients."""

from __future__ import annotations

import math
from fractions import Fraction as F

import pytest

import pytrammel as tm

# tables 12.1 and 12.2 of the book, orders 5 and 6 from the same conditions; numerators and common denominator
ADAMS_BASHFORTH = {
    1: ([1], 1), 2: ([3, -1], 2), 3: ([23, -16, 5], 12), 4: ([55, -59, 37, -9], 24), 5: ([1901, -2774, 2616, -1274, 251], 720),
    6: ([4277, -7923, 9982, -7298, 2877, -475], 1440),
}  # fmt: skip
ADAMS_MOULTON = {
    1: ([1], 1), 2: ([1, 1], 2), 3: ([5, 8, -1], 12), 4: ([9, 19, -5, 1], 24), 5: ([251, 646, -264, 106, -19], 720),
    6: ([475, 1427, -798, 482, -173, 27], 1440),
}  # fmt: skip
# table 12.3: a and b of Gear's methods
BACKWARD = {
    1: ([1], 1, 1), 2: ([4, -1], 2, 3), 3: ([18, -9, 2], 6, 11), 4: ([48, -36, 16, -3], 12, 25), 5: ([300, -300, 200, -75, 12], 60, 137),
    6: ([360, -450, 400, -225, 72, -10], 60, 147),
}  # fmt: skip


def test_example_12_2_ends_at_its_lowest_point():
    equations = {
        "x1''": "-25*(x1 - 1) - 10*x1' + 25*(x2 - x1 - 1)",
        "x2''": "-25*(x2 - x1 - 1) + 25*(3 - x2 - 1) - 10*x2'",
    }
    start = {"x1": 1.0, "x1'": 0.0, "x2": 1.9, "x2'": 0.0}
    lowest = tm.Event("lowest", "x1'", direction=1, stop=True)
    assert tm.textbook.integrate(equations, start, 1.0, events=[lowest]).times[-1] == pytest.approx(0.322, abs=5e-4)


@pytest.mark.parametrize("order", range(1, 7))
def test_coefficients_are_the_fractions_of_the_tables(order):
    numerators, denominator = ADAMS_BASHFORTH[order]
    assert tm.methods[f"ab{order}"].coefficients == ((1,), (0, *(F(n, denominator) for n in numerators)))
    numerators, denominator = ADAMS_MOULTON[order]
    assert tm.methods[f"am{order}"].coefficients == ((1,), tuple(F(n, denominator) for n in numerators))
    numerators, b, denominator = BACKWARD[order]
    assert tm.methods[f"bdf{order}"].coefficients == (
        tuple(F(n, denominator) for n in numerators),
        (F(b, denominator),),
    )


@pytest.mark.parametrize("name", [f"{kind}{order}" for kind in ("ab", "am", "bdf") for order in range(1, 7)])
def test_given_coefficients_step_like_the_method_they_are_of(name):
    a, b = tm.methods[name].coefficients
    given = tm.methods.multistep(a, b)
    assert given.order == tm.methods[name].order
    times = [0.0, 2.0]
    ours = tm.textbook.integrate(
        {"x": "v", "v": "-x"}, {"x": 1.0, "v": 0.0}, times=times, method=tm.methods[name](step=0.05, starter="dop853")
    )
    theirs = tm.textbook.integrate(
        {"x": "v", "v": "-x"}, {"x": 1.0, "v": 0.0}, times=times, method=given(step=0.05, starter="dop853")
    )
    assert theirs.y == pytest.approx(ours.y, abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "order"),
    [
        ([1], [0, 1], 1),
        ([0, 1], [0, 2], 2),  # leapfrog
        ([0, 1], ["1/3", "4/3", "1/3"], 4),  # Milne and Simpson
        ([0, 0, 0, 1], [0, "8/3", "-4/3", "8/3"], 4),  # Milne's predictor
        ([-4, 5], [0, 4, 2], 3),  # Dahlquist's example: not zero-stable
        (["4/3", "-1/3"], ["2/3"], 2),
    ],
)
def test_the_order_of_given_coefficients_is_computed(a, b, order):
    assert tm.methods.multistep(a, b).order == order


def test_a_method_that_is_not_zero_stable_says_so_and_fails_as_it_must():
    dahlquist = tm.methods.multistep([-4, 5], [0, 4, 2], name="dahlquist")
    errors = []
    for h in (0.1, 0.05):
        with pytest.warns(tm.RunWarning, match="'dahlquist' is not zero-stable"):
            r = tm.textbook.integrate("y' = -y", {"y": 1.0}, times=[0.0, 1.0], method=tm.methods[dahlquist](step=h))
        errors.append(abs(r["y"][-1] - math.exp(-1.0)))
    assert errors[1] > 10.0 * errors[0]  # errors grow fivefold per step: shorter steps are worse
