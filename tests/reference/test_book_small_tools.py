"""Worked numbers of Nikravesh (1988) by `pytrammel.textbook.linear` and `pytrammel.textbook.solve`: chapters 3 and 13, appendix C.

The print of the matrices is damaged in places; those that the printed intermediate results fix are used, and say so.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.textbook import linear

ROUNDING = 1e-12

EXAMPLE_3_10 = [[2, 1, 3, -2], [-1, 0, -2, -1], [0, 1, 2, 3], [4, 2, 0, -1]]
PROBLEM_3_10 = ([[3, 1, -1, 2], [-6, -2, 4, 3], [0, 3, 2, -2], [1, 1, -5, 6]], [0, 4, 1, -10], [1, -1, 2, 0])


def test_example_3_10_after_the_first_two_steps() -> None:
    steps = linear.lu(EXAMPLE_3_10, pivoting="none").steps
    assert steps[1].matrix == pytest.approx(
        np.array([[2, 1, 3, -2], [-0.5, 0.5, -0.5, -2], [0, 1, 2, 3], [2, 0, -6, 3]])
    )
    assert steps[2].matrix[2:] == pytest.approx(np.array([[0, 2, 3, 7], [2, 0, -6, 3]]))


def test_problem_3_10_fails_without_pivoting_and_only_then() -> None:
    A, c, x = PROBLEM_3_10
    with pytest.raises(tm.SingularError, match="pivot of step 2 is zero"):
        linear.gauss(A, c, pivoting="none")
    for pivoting in ("row", "column", "full"):
        assert linear.gauss(A, c, pivoting=pivoting).solution == pytest.approx(x, abs=ROUNDING)
        assert linear.lu(A, pivoting=pivoting).solve(c) == pytest.approx(x, abs=ROUNDING)


# --- example 13.1: pendulum with a sliding mass, partitioned ------------------------------------------------------------------

NAMES = ["x1", "y1", "f1", "x2", "y2", "f2", "x3", "y3", "f3"]


def example_13_1(angle: float, radius: float) -> np.ndarray:
    """Jacobian with body 3 at a distance from the pivot, body 2 at half a metre."""
    s, c = math.sin(angle), math.cos(angle)
    x2, y2, x3, y3 = 0.5 * s, -0.5 * c, radius * s, -radius * c
    J = np.zeros((7, 9))
    J[0, 0] = J[1, 1] = J[2, 2] = 1.0
    J[3, [0, 3, 5]] = 1.0, -1.0, 0.5 * c
    J[4, [1, 4, 5]] = 1.0, -1.0, 0.5 * s
    J[5, 3:8] = -c, -s, -s * (x3 - x2) + c * (y3 - y2), c, s
    J[6, [5, 8]] = 1.0, -1.0
    return J


CASES = {"a": (math.radians(60), 0.8), "b": (math.radians(-25), 1.0)}
ORDERS = {"a": [1, 2, 3, 4, 5, 8, 6, 7, 9], "b": [1, 2, 3, 4, 5, 6, 9, 8, 7]}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("method", ["gauss", "lu-column"])
def test_example_13_1_order_of_the_columns(case: str, method: str) -> None:
    found = linear.choose_columns(example_13_1(*CASES[case]), method)
    # of the equal entries of row 7 in (a) the first is taken, and columns are exchanged, not shifted
    assert [k + 1 for k in found.dependent + found.independent] == ORDERS[case]


def test_example_13_1_reduced_rows() -> None:
    # the rows printed: after full reduction of the columns in their new order
    for case, row, expected in (("a", 5, [-0.9238, 0.5774, 0.0]), ("b", 5, [0.0, 0.4226, -0.9063])):
        J = example_13_1(*CASES[case])[:, [k - 1 for k in ORDERS[case]]]
        assert linear.gauss(J, pivoting="none").reduced[row, 6:] == pytest.approx(expected, abs=0.51e-4)


@pytest.mark.parametrize("method", ["gauss-full", "lu-full", "qr", "gram-schmidt"])
@pytest.mark.parametrize("case", CASES)
def test_example_13_1_other_methods_choose_the_same_coordinates(case: str, method: str) -> None:
    p = linear.partition(example_13_1(*CASES[case]), method=method, names=NAMES)
    assert set(p.independent) == ({"x3", "f3"} if case == "a" else {"x3", "y3"})


@pytest.mark.parametrize("angle", [-70, -25, 10, 40, 60, 85])
def test_example_13_1_switches_where_the_radius_passes_the_larger_of_sine_and_cosine(angle: float) -> None:
    f = math.radians(angle)
    limit = max(abs(math.sin(f)), abs(math.cos(f)))
    for radius, chosen in ((1.01 * limit, True), (0.99 * limit, False)):
        # the pivot of row 6 is f2 exactly when the radius is larger than both
        assert (linear.choose_columns(example_13_1(f, radius), "gauss").dependent[5] == 5) is chosen


def test_example_13_1_depends_on_units_unless_scaled() -> None:
    # (a) in millimetres: 800 is larger than the sine, so that f2 takes the place of y3; scaled, nothing changes (13-17)
    J = example_13_1(*CASES["a"])
    millimetres = np.array([1000.0, 1000.0, 1.0] * 3)
    lengths = np.array([1000.0, 1000.0, 1.0, 1000.0, 1000.0, 1000.0, 1.0])
    same = lengths[:, None] * J / millimetres
    assert linear.choose_columns(same, "gauss").dependent[5] != linear.choose_columns(J, "gauss").dependent[5]
    for method in linear.METHODS:
        here, there = (linear.partition(M, method=method, scales=z) for M, z in ((J, np.ones(9)), (same, millimetres)))
        assert there.choice.independent == here.choice.independent


# --- Newton's method on formulas (sec. 3.2, 3.4) ------------------------------------------------------------------------------

DISK = ["2*cos(p2) - d + 10*cos(p1)", "2*sin(p2) - 4 + 10*sin(p1)"]  # example 3.13: a = 2, r = 4, b = 10


def test_example_3_13_ends_like_the_book_with_its_tolerance() -> None:
    s = tm.textbook.solve(DISK, {"p2": math.radians(320), "d": 10}, given={"p1": math.radians(30)}, tol=1e-3)
    assert s.iterations == 2  # the third row is the answer
    assert s["d"] == pytest.approx(10.3924, abs=0.51e-3)


SLIDER_CRANK = ["1.2*cos(phi1) + 2.6*cos(phi2) - d", "1.2*sin(phi1) + 2.6*sin(phi2)"]  # problem 3.3, in line


def test_problem_3_8_with_the_driver_appended_agrees_with_3_3_b() -> None:
    start = {"phi1": 0.7, "phi2": -0.3, "d": 3.0}
    appended = tm.textbook.solve([*SLIDER_CRANK, "phi1 - 0.8 - 0.1*t"], start)
    partitioned = tm.textbook.solve(SLIDER_CRANK, {"phi2": -0.3, "d": 3.0}, given={"phi1": "0.8 + 0.1*t"})
    for name in ("phi2", "d"):
        assert appended[name] == pytest.approx(partitioned[name], abs=1e-9)
        assert appended.velocities[name] == pytest.approx(partitioned.velocities[name], abs=1e-9)
        assert appended.accelerations[name] == pytest.approx(partitioned.accelerations[name], abs=1e-9)
    assert appended.velocities["phi1"] == pytest.approx(0.1)


def test_problem_3_6_velocity_and_acceleration_equations() -> None:
    # x^2 + x y + y z - 2 x + 3 = 0, y^2 - 3 z^2 + x z + 2 y - 1 = 0 with y given (signs as they can be read); by hand:
    # (2x + y - 2) x' + y z' = -(x + z) y',  z x' + (x - 6z) z' = -(2y + 2) y'
    y, rate, second = -4.0, 0.7, -0.3
    s = tm.textbook.solve(
        ["x^2 + x*y + y*z - 2*x + 3", "y^2 - 3*z^2 + x*z + 2*y - 1"], {"x": 2.0, "z": 1.0},
        given={"y": f"{y} + {rate}*t + {second / 2}*t^2"},
    )  # fmt: skip
    x, z = s["x"], s["z"]
    J = np.array([[2 * x + y - 2, y], [z, x - 6 * z]])
    v = np.linalg.solve(J, [-(x + z) * rate, -(2 * y + 2) * rate])
    assert list(s.velocities.values()) == pytest.approx(v)
    right = [
        -(x + z) * second - 2 * v[0] ** 2 - 2 * v[0] * rate - 2 * rate * v[1],
        -(2 * y + 2) * second - 2 * rate**2 + 6 * v[1] ** 2 - 2 * v[0] * v[1],
    ]
    assert list(s.accelerations.values()) == pytest.approx(np.linalg.solve(J, right))


def test_example_3_5_jacobian() -> None:
    s = tm.textbook.solve(
        ["x1^2 + 2*x2*x3 - x1*x4", "3*x1*x2 - x2^2 + x3*x4 - x3", "x2 - 0.2*t", "x4 + 0.5*t - 0.03*t^2"],
        {"x1": 0.5, "x3": 0.5, "x2": 0.2, "x4": -0.4}, time=1.0,
    )  # fmt: skip
    x1, x2, x3, x4 = (s[f"x{k}"] for k in (1, 2, 3, 4))
    J = np.array(
        [[2 * x1 - x4, 2 * x2, 2 * x3, -x1], [3 * x2, x4 - 1, 3 * x1 - 2 * x2, x3], [0, 0, 1, 0], [0, 0, 0, 1]]
    )
    assert s.jacobian == pytest.approx(J)


def test_problem_3_12_wheel_without_slip() -> None:
    """OA = 1.5, AB = 2, BC = 1, r = 1.2, OE = 0.2; assembled at d = 3 with phi3 = 120 deg; the figure is lost, so this is one reading."""
    equations = [
        "1.5*cos(phi1) + 2*cos(phi2) - cos(phi3) - d",
        "1.5*sin(phi1) + 2*sin(phi2) - sin(phi3) - (1.2 - 0.2)",
        "(d - 3) + 1.2*(phi3 - 2*pi/3)",
    ]
    s = tm.textbook.solve(
        equations, {"phi2": 0.3, "phi3": 2.1, "d": 3.0}, given={"phi1": math.radians(60)}, newton="full"
    )
    # the same iterations, written down by hand
    x, p1 = np.array([0.3, 2.1, 3.0]), math.radians(60)
    for k in range(s.iterations + 1):
        assert s.history.values[k] == pytest.approx(x, abs=1e-12)
        p2, p3, d = x
        phi = [
            1.5 * math.cos(p1) + 2 * math.cos(p2) - math.cos(p3) - d,
            1.5 * math.sin(p1) + 2 * math.sin(p2) - math.sin(p3) - 1.0,
            (d - 3) + 1.2 * (p3 - 2 * math.pi / 3),
        ]
        J = [[-2 * math.sin(p2), math.sin(p3), -1], [2 * math.cos(p2), -math.cos(p3), 0], [0, 1.2, 1]]
        x = x - np.linalg.solve(J, phi)
    assert np.abs(phi).max() < 1e-9
