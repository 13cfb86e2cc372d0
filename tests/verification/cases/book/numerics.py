"""Numerical methods of Nikravesh: linear equations, integration, constrained integration."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import pytrammel as tm
from pytrammel.analysis.runs.rotations import HOLDINGS
from pytrammel.errors import RunWarning
from pytrammel.textbook import linear
from verification.case import Row, case
from verification.cases.book.haug import SPHERE, on_a_sphere
from verification.cases.book.kap import BOOK
from verification.cases.book.space import THRUST

AREA = "Nikravesh: numerical methods"
TIGHT = {"rtol": 1e-12, "atol": 1e-14, "progress": False}
ROUNDING = 1e-13


@case("Examples 3.6 to 3.11, linear equations", area=AREA,
      source=f"{BOOK}, ex. 3.6 to 3.11, prob. 3.10", reason="rounding; two printed decimals",
      uses="linear.gauss and linear.lu with row, column and full pivoting")  # fmt: skip
def linear_equations() -> Iterator[Row]:
    A, c = [[3, 1, -1], [-1, 2, 1], [2, -3, 1]], [2, 6, -1]
    found = linear.gauss(A, c, pivoting="none")
    yield Row("ex. 3.6, pivots", "", [3, 7 / 3, 19 / 7], found.pivots, ROUNDING)
    yield Row("ex. 3.6, solution", "", [1, 2, 3], found.solution, ROUNDING)
    A, c = [[4, -3, 5, 2], [-3, 1, 1, -6], [5, -5, 10, 0], [2, -3, 9, -7]], [-1.5, 9, 2.5, 13.5]
    found = linear.gauss(A, c, pivoting="row")
    yield Row("ex. 3.8, order of the rows", "", [3, 2, 4, 1], [k + 1 for k in found.row_order], 1e-9)
    yield Row(
        "ex. 3.8, triangle",
        "",
        [[1, -1, 2, 0], [0, 1, -3.5, 3], [0, 0, 1, -2.67], [0, 0, 0, 1]],
        found.reduced,
        0.51e-2,
    )
    yield Row("ex. 3.8, solution", "", [0.5, -1, -0.5, -2], found.solution, ROUNDING)
    found = linear.gauss([[2, -1, 1], [-1, 0, 2], [1, 4, -2]], [0, 5, -5], pivoting="full")
    yield Row("ex. 3.9, pivots", "", [4, 2.25, 20 / 9], found.pivots, ROUNDING)
    yield Row("ex. 3.9, solution", "", [-1, 0, 2], found.solution, ROUNDING)
    f = linear.lu([[2, 1, 3, -2], [-1, 0, -2, -1], [0, 1, 2, 3], [4, 2, 0, -1]], pivoting="none")
    yield Row("ex. 3.10, lower factor", "", [[1, 0, 0, 0], [-0.5, 1, 0, 0], [0, 2, 1, 0], [2, 0, -2, 1]], f.L, ROUNDING)
    yield Row(
        "ex. 3.10, upper factor", "", [[2, 1, 3, -2], [0, 0.5, -0.5, -2], [0, 0, 3, 7], [0, 0, 0, 17]], f.U, ROUNDING
    )
    f = linear.lu([[1, 2, -1, -3], [4, 1, -1, 1], [2, -3, 0, -1], [-1, 0, 5, 2]], pivoting="full")
    yield Row("ex. 3.11, pivots", "", [5, 19 / 5, -67 / 19, -253 / 67], f.pivots, ROUNDING)
    yield Row(
        "ex. 3.11, order of the rows and columns",
        "",
        [4, 2, 3, 1, 3, 1, 2, 4],
        [k + 1 for k in (*f.row_order, *f.column_order)],
        1e-9,
    )
    yield Row("ex. 3.11, forward substitution", "", [1, 21 / 5, 167 / 19, 253 / 67], f.forward([0, 4, 11, 1]), ROUNDING)
    yield Row("ex. 3.11, solution", "", [2, -2, 1, -1], f.solve([0, 4, 11, 1]), ROUNDING)
    A, c = [[3, 1, -1, 2], [-6, -2, 4, 3], [0, 3, 2, -2], [1, 1, -5, 6]], [0, 4, 1, -10]
    for pivoting in ("row", "column", "full"):
        yield Row(
            f"prob. 3.10, gauss with {pivoting} pivoting",
            "",
            [1, -1, 2, 0],
            linear.gauss(A, c, pivoting=pivoting).solution,
            ROUNDING,
        )
        yield Row(
            f"prob. 3.10, lu with {pivoting} pivoting",
            "",
            [1, -1, 2, 0],
            linear.lu(A, pivoting=pivoting).solve(c),
            ROUNDING,
        )


# y(5) of y' = -y², y(0) = 1 with h = 0.1 and three exact states to start from; orders seen when h is halved
MULTISTEP = {
    "ab3": (0.1665706182, 2.91), "ab4": (0.1666986338, 3.93), "am3": (0.1666753480, 2.84), "am4": (0.1666648861, 3.82),
    "abm4": (0.1666688016, 3.84), "bdf1": (0.1708709227, 0.94), "bdf2": (0.1662973451, 1.92), "bdf3": (0.1667272810, 2.89),
    "bdf4": (0.1666499451, 3.90),
}  # fmt: skip


@case("Example 12.1, one equation by many methods", area=AREA,
      source=f"{BOOK}, ex. 12.1: table of rk4, multistep methods recomputed with ten digits",
      reason="half a unit of the last digit given; orders with two decimals",
      uses="integrate: rk4, euler, heun, midpoint, ab3 to bdf4")  # fmt: skip
def example_12_1() -> Iterator[Row]:
    def last(method: str, h: float, end: float = 5.0, **options: Any) -> float:
        chosen = tm.methods[method](step=h, **options)
        return tm.textbook.integrate("y' = -y^2", {"y": 1.0}, times=[0.0, end], method=chosen)["y"][-1]

    times = [0.0, 0.1, 0.5, 1.0, 2.0, 4.9, 5.0]
    table = [1.0, 0.909091186332, 0.666667091066, 0.500000297580, 0.333333479093, 0.169491564390, 0.166666704354]
    r = tm.textbook.integrate("y' = -y^2", {"y": 1.0}, times=times, method=tm.methods.rk4(step=0.1))
    yield Row("values by rk4", "", table, r["y"], 1e-12, at=np.array(times))
    for method, value in (("euler", 0.9), ("heun", 0.9095), ("midpoint", 0.90975)):
        yield Row(f"first step by {method}", "", value, last(method, 0.1, end=0.1), 1e-15)
    for method, (value, order) in MULTISTEP.items():
        found = {h: last(method, h, starter=[1.0 / (1.0 + k * h) for k in (1, 2, 3)]) for h in (0.1, 0.05, 0.025)}
        yield Row(f"value at 5 s by {method}", "", value, found[0.1], 1e-10)
        seen = math.log2(abs(found[0.05] - 1 / 6) / abs(found[0.025] - 1 / 6))
        yield Row(f"order of {method}", "", order, seen, 0.01)


@case("Example 12.2, two masses between walls", area=AREA,
      source=f"{BOOK}, ex. 12.2; matrix exponential with ten digits", reason="ten digits",
      uses="integrate: dop853, rk4")  # fmt: skip
def example_12_2() -> Iterator[Row]:
    equations = {
        "x1''": "-25*(x1 - 1) - 10*x1' + 25*(x2 - x1 - 1)",
        "x2''": "-25*(x2 - x1 - 1) + 25*(3 - x2 - 1) - 10*x2'",
    }
    start, times = {"x1": 1.0, "x1'": 0.0, "x2": 1.9, "x2'": 0.0}, np.array([0.0, 0.1, 0.2, 0.5, 1.0])
    exact = np.array([
        [0.991496661, -0.1331468318, 1.9175237401, 0.2847794967], [0.97892786, -0.1007408416, 1.9474962518, 0.2846805621],
        [0.9807313149, 0.0680120999, 1.9905389356, 0.0345941484], [0.9983851124, 0.0058894342, 1.9975721194, 0.0109554333],
    ])  # fmt: skip
    r = tm.textbook.integrate(equations, start, times=times, rtol=1e-11, atol=1e-13)
    for k, name in enumerate(("place of mass 1", "speed of mass 1", "place of mass 2", "speed of mass 2")):
        yield Row(name, "m/s" if k % 2 else "m", exact[:, k], r.y[1:, k], 1e-10, at=times[1:])
    coarse = tm.textbook.integrate(equations, start, times=times, method=tm.methods.rk4(step=0.1))
    yield Row(
        "place of mass 1 by rk4 in steps of 0.1 s",
        "m",
        [0.9916666667, 0.9806278235, 0.9983959397],
        coarse["x1"][[1, 3, 4]],
        1e-10,
    )
    yield Row(
        "place of mass 2 by rk4 in steps of 0.1 s",
        "m",
        [1.9174479167, 1.9906737485, 1.9975597715],
        coarse["x2"][[1, 3, 4]],
        1e-10,
    )


NAMES = ["x1", "y1", "f1", "x2", "y2", "f2", "x3", "y3", "f3"]
# angle [rad], radius [m], independent coordinates, entries of the influence matrix other than zero
PARTITIONS = {
    "a": (math.radians(60), 0.8, ("x3", "f3"),
          {("x2", "f3"): 0.25, ("y2", "f3"): 0.4330, ("y3", "x3"): -0.5774, ("y3", "f3"): 0.9238, ("f2", "f3"): 1.0}),
    "b": (math.radians(-25), 1.0, ("y3", "x3"),
          {("x2", "y3"): -0.1915, ("x2", "x3"): 0.4107, ("y2", "y3"): 0.0893, ("y2", "x3"): -0.1915, ("f2", "y3"): -0.4226,
           ("f2", "x3"): 0.9063, ("f3", "y3"): -0.4226, ("f3", "x3"): 0.9063}),
}  # fmt: skip


@case("Example 13.1, partition of coordinates", area=AREA,
      source=f"{BOOK}, ex. 13.1: pendulum with a sliding mass", reason="four printed digits",
      uses="linear.partition by gauss")  # fmt: skip
def example_13_1() -> Iterator[Row]:
    for name, (angle, radius, independent, influence) in PARTITIONS.items():
        s, c = math.sin(angle), math.cos(angle)
        x2, y2, x3, y3 = 0.5 * s, -0.5 * c, radius * s, -radius * c
        J = np.zeros((7, 9))
        J[0, 0] = J[1, 1] = J[2, 2] = 1.0
        J[3, [0, 3, 5]] = 1.0, -1.0, 0.5 * c
        J[4, [1, 4, 5]] = 1.0, -1.0, 0.5 * s
        J[5, 3:8] = -c, -s, -s * (x3 - x2) + c * (y3 - y2), c, s
        J[6, [5, 8]] = 1.0, -1.0
        p = linear.partition(J, method="gauss", names=NAMES)
        pairs = [(u, v) for u in p.dependent for v in independent]
        want = [influence.get(pair, 0.0) for pair in pairs]
        yield Row(
            f"influence of {' and '.join(independent)} ({name})",
            "",
            want,
            [p.influence(*pair) for pair in pairs],
            0.51e-4,
        )


# time: angle and speed of the pendulum of 2 kg with an inertia of 0.5 kg m² on 1 m, from the horizontal
PENDULUM = {
    0.25: (-0.2447597671, -1.9502578986), 0.5: (-0.9509621881, -3.5743738924), 1.0: (-2.7328170963, -2.4977872841),
    2.0: (-1.5133492683, 3.9585486521), 5.0: (-0.3393786004, 2.2858734088), 10.0: (-1.2854463373, 3.8808895704),
}  # fmt: skip


def pendulum(x: float = 1.0) -> tm.PlanarModel:
    m = tm.PlanarModel("P1")
    bob = m.body("bob", position=(x, 0.0), mass=2.0, inertia=0.5)
    m.revolute("O", m.ground.at(0.0, 0.0), bob.at(-1.0, 0.0))
    return m


@case("Pendulum under every constraint enforcement", area=AREA,
      source=f"{BOOK}, ch. 13, recomputed with ten digits in the angle", reason="ten digits; rtol 1e-12 over 10 s",
      uses="constraints projection, baumgarte, none, partitioning, hybrid, augmented")  # fmt: skip
def treatments() -> Iterator[Row]:
    times, table = np.array(list(PENDULUM)), np.array(list(PENDULUM.values()))
    for treatment in ("projection", "baumgarte", "none", "partitioning", "hybrid", "augmented"):
        r = pendulum().simulate(times=[0.0, *times], constraints=treatment, **TIGHT)
        yield Row(f"angle ({treatment})", "rad", table[:, 0], r["bob"].phi[1:], 1e-9, at=times)
        yield Row(f"speed ({treatment})", "rad/s", table[:, 1], r["bob"].omega[1:], 1e-8, at=times)
        yield Row(
            f"reaction at 1 s ({treatment})",
            "N",
            [17.1747113113, 11.363676749],
            r.reaction("O", on="bob").force[3],
            1e-7,
        )
    yield Row("accelerations at 0 s", "m/s², rad/s²", [0, -7.848, -7.848], r.a[0], 1e-10)


@case("Baumgarte's stabilisation", area=AREA, source=f"{BOOK}, section 13.3: error of a joint drawn open by 10 mm, e'' + 2 α e' + β² e = 0",
      reason="ten digits", uses="constraints='baumgarte' with gains")  # fmt: skip
def baumgarte() -> Iterator[Row]:
    for gains, left in (
        ((5.0, 5.0), {0.1: 0.0090979599, 0.2: 0.0073575888, 0.5: 0.0028729750, 1.0: 0.0004042768}),
        ((2.0, 10.0), {0.1: 0.0059496623, 0.5: -0.0000554445, 1.0: -0.0013609205}),
    ):
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", "the energy balance does not close", RunWarning
            )  # closing the joint does work
            r = pendulum(1.01).simulate(
                times=[0.0, *left],
                constraints=tm.enforcement.baumgarte(alpha=gains[0], beta=gains[1]),
                initial=tm.InitialConditions(correct=False),
                **TIGHT,
            )
        bob = r["bob"]
        times = np.array(list(left))
        yield Row(
            f"opening of the joint, α = {gains[0]:g}, β = {gains[1]:g}",
            "m",
            list(left.values()),
            (bob.x - np.cos(bob.phi))[1:],
            1e-10,
            at=times,
        )


@case("Rotations with corrected Euler parameters", area=AREA,
      source=f"{BOOK}, prob. 13.2 to 13.7; Haug, section 11.6; ten digits", reason="ten digits after 1 s; rtol 1e-12",
      uses="rotations velocities and rates, every correction of Euler parameters; formulations I, II, III")  # fmt: skip
def corrections() -> Iterator[Row]:
    m = tm.SpatialModel("box", gravity=(0, 0, 0))
    J = 50 / 12 * np.array([0.4**2 + 0.2**2, 0.6**2 + 0.2**2, 0.6**2 + 0.4**2])
    b = m.body("b", position=(0, 5, 4), mass=50.0, inertia=J)
    m.force("thrust", b.at(0.3, 0.2, 0.1), (0, 0, 12.0), frame="body")
    for held in HOLDINGS:
        r = m.simulate(times=[0.0, 1.0], formulation=tm.formulations.III(rotations="rates", normalize=held), **TIGHT)
        yield Row(
            f"box under a thrust, angular velocity at 1 s ({held})", "rad/s", THRUST[1][2], r["b"].omega_body[1], 1e-8
        )
    for formulation in ("I", "II", "III"):
        r = on_a_sphere("link").simulate(
            times=[0.0, 1.0],
            formulation=tm.formulations[formulation](rotations="rates", normalize="corrected"),
            **TIGHT,
        )
        yield Row(f"point on a sphere, position at 1 s ({formulation})", "m", SPHERE[1][0], r["b"].position[1], 1e-8)
