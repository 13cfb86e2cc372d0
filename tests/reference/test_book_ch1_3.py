"""Worked examples of Nikravesh (1988), chapters 1 to 4 without the cams.

Numbers come from the book's printed tables, recomputed independently in double precision where the print has only two or
three digits. Unless a test says otherwise its tolerance is half a unit of the last digit written down.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from book_mechanisms import example_3_2
from mechanisms import double_parallel_crank, four_bar, quick_return, slider_crank
from pytrammel.analysis.freedom.rank import jacobian, rank_of
from pytrammel.analysis.positions.assembly import residuals
from pytrammel.system.lowering import lower

SIX_DIGITS = 0.5e-6
EXACT = 1e-12  # closed forms: a few hundred roundings of numbers of order one to ten


def carriers(name: str, **numbers: float) -> tm.PlanarModel:
    """Model whose bodies carry one unknown number each, as their angle; for equations without a mechanism."""
    m = tm.PlanarModel(name)
    for key, value in numbers.items():
        m.body(key, angle=value)
        m.constrain(f"{key}_at_x", f"{key}.x")
        m.constrain(f"{key}_at_y", f"{key}.y")
    return m


def gradient(m: tm.PlanarModel, equation: str, columns: list[str]) -> np.ndarray:
    """Jacobian row of an equation in the drawn pose, in SI units."""
    system = lower(m)
    rows = system.rows_of([equation])
    dense = jacobian(system, system.start, 0.0, rows) / system.column_scales() * system.row_scales()[rows][:, None]
    return dense[0, [system.columns.index(c) for c in columns]]


# --- redundancy (3.1.4, 3.1.5) ---------------------------------------------------------------------------------------------

EXAMPLE_3_1 = {
    "phi1": "6*cos(phi1.phi) - l2.phi",
    "phi2": "6*sin(phi1.phi) - l3.phi",
    "phi3": "l1.phi*cos(phi1.phi) - 2*cos(phi2.phi)",
    "phi4": "l1.phi*sin(phi1.phi) - 2*sin(phi2.phi) - l3.phi + 3",
    "phi5": "2*cos(phi2.phi) + (6 - l1.phi)*cos(phi1.phi) - l2.phi",
    "phi6": "2*sin(phi2.phi) + (6 - l1.phi)*sin(phi1.phi) - 3",
}


def example_3_1() -> tm.PlanarModel:
    m = carriers("example 3.1", l1=3.0, phi1=0.5, l2=5.0, phi2=0.1, l3=3.0)
    for name, formula in EXAMPLE_3_1.items():
        m.equation(f"row_{name}", formula, unit="1")
    return m


def test_example_3_1_has_two_redundant_rows() -> None:
    # Phi1 = Phi3 + Phi5 and Phi2 = Phi4 + Phi6: rank 4 of 6 rows in 5 unknowns, one degree of freedom
    found = example_3_1().mobility()
    assert len(found.redundant) == 2
    assert found.dof == 1


def test_example_3_1_blames_the_later_rows() -> None:
    # rows 1 to 4 are independent, so 5 and 6 repeat them
    assert example_3_1().mobility().redundant_joints == ("row_phi5", "row_phi6")


def test_example_3_1_jacobian_written_by_hand_has_rank_four() -> None:
    # any point will do, the dependence is an identity; l1 = 2.5, phi1 = 0.6, phi2 = 0.2
    l1, (c1, s1), (c2, s2) = 2.5, (math.cos(0.6), math.sin(0.6)), (math.cos(0.2), math.sin(0.2))
    rows = np.array([
        [0, -6 * s1, -1, 0, 0],
        [0, 6 * c1, 0, 0, -1],
        [c1, -l1 * s1, 0, 2 * s2, 0],
        [s1, l1 * c1, 0, -2 * c2, -1],
        [-c1, -(6 - l1) * s1, -1, -2 * s2, 0],
        [-s1, (6 - l1) * c1, 0, 2 * c2, 0],
    ])  # fmt: skip
    found = rank_of(rows)
    assert found.rank == 4
    assert found.redundant == (4, 5)
    assert found.freedom.shape == (5, 1)


def test_double_parallel_crank_has_rank_eleven_of_twelve_rows() -> None:
    found = double_parallel_crank().mobility()
    assert (found.coordinates, found.constraints, found.rank) == (12, 12, 11)
    assert (found.count, found.dof) == (0, 1)  # the naive count says it cannot move


def test_double_parallel_crank_moves_as_a_parallelogram() -> None:
    m = double_parallel_crank()
    m.driver("motor", "left.phi", "pi/2 + t")
    k = m.kinematics(1.0)
    # translation on a circle of radius 0.6 about (1, 0)
    assert k["lower"].position[:, 0] == pytest.approx(1 - 0.6 * np.sin(k.times), abs=EXACT)
    assert k["lower"].phi == pytest.approx(np.zeros(len(k)), abs=EXACT)


@pytest.mark.parametrize(
    ("model", "coordinates", "rows"),
    [
        # without the ground's own 3 coordinates and 3 rows: 12 - 11, 12 - 11 and 18 - 17 in the book
        (four_bar(1, 3, 3, 3), 9, 8),
        (slider_crank(1, 3), 9, 8),
        (quick_return(0.1, 0.25, 0.5, 0.2, 0.55), 15, 14),
    ],
    ids=["four-bar", "slider-crank", "quick-return"],
)
def test_degrees_of_freedom_of_the_three_mechanisms(model: tm.PlanarModel, coordinates: int, rows: int) -> None:
    found = model.mobility()
    assert (found.coordinates, found.constraints, found.dof) == (coordinates, rows, 1)


# --- Examples 3.2 and 3.4: four-bar by its three angles ------------------------------------------------------------------


@pytest.fixture(scope="module")
def four_bar_run() -> tm.results.Result:
    return example_3_2().kinematics(1.0, output_step=0.025)


def test_example_3_2_other_branch_is_kept_for_a_whole_turn() -> None:
    k = example_3_2(side=-1).kinematics(1.0, samples=41)
    # the two branches are mirror images: left of the diagonal B–D or right of it
    B = k.point(k.model["crank"].at(0.1, 0)).position
    C = k.point(k.model["coupler"].at(0.2, 0)).position
    to_D, to_C = np.array([0.35, 0.1]) - B, C - B
    assert (to_D[:, 0] * to_C[:, 1] - to_D[:, 1] * to_C[:, 0] < 0).all()


def test_example_3_2_as_user_equations_agrees_with_bodies_and_pins(four_bar_run: tm.results.Result) -> None:
    m = carriers("example 3.2", one=2.36, two=0.57, three=2.11)
    m.equation("along_x", "0.2*cos(one.phi) + 0.4*cos(two.phi) - 0.3*cos(three.phi) - 0.35")
    m.equation("along_y", "0.2*sin(one.phi) + 0.4*sin(two.phi) - 0.3*sin(three.phi) - 0.1")
    m.driver("motor", "one.phi", "2.36 + 2*pi*t")
    k = m.kinematics(1.0, output_step=0.025)
    assert k["three"].phi == pytest.approx(four_bar_run["rocker"].phi, abs=EXACT)
    # accelerations reach 60: relative accuracy of a dozen digits
    assert k["three"].alpha == pytest.approx(four_bar_run["rocker"].alpha, abs=100 * EXACT)


# --- Example 3.3: four angles, two of them driven ------------------------------------------------------------------------


def example_3_3() -> tm.PlanarModel:
    m = carriers("example 3.3", p1=0.5, p2=-1.0, p3=1.0, p4=2.0)
    body = "2*{f}(p1.phi) + 3*{f}(p1.phi - p2.phi) - 2*{f}(p3.phi + p4.phi) - 4*{f}(p4.phi) - {c}"
    m.equation("with_cos", body.format(f="cos", c=5), unit="1")
    m.equation("with_sin", body.format(f="sin", c=1), unit="1")
    m.driver("first", "p1.phi", "0.5 + 0.3*t + 0.1*t^2")
    m.driver("third", "p3.phi", "1.0 - 0.2*t")
    return m


def example_3_3_rows(p: np.ndarray) -> np.ndarray:
    # Phi_q of the book: [-2 s1 - 3 s12, 3 s12, 2 s34, 2 s34 + 4 s4] and the same with cosines
    s1, s12, s34, s4 = np.sin(p[0]), np.sin(p[0] - p[1]), np.sin(p[2] + p[3]), np.sin(p[3])
    c1, c12, c34, c4 = np.cos(p[0]), np.cos(p[0] - p[1]), np.cos(p[2] + p[3]), np.cos(p[3])
    return np.array([
        [-2 * s1 - 3 * s12, 3 * s12, 2 * s34, 2 * s34 + 4 * s4],
        [2 * c1 + 3 * c12, -3 * c12, -2 * c34, -2 * c34 - 4 * c4],
    ])  # fmt: skip


def example_3_3_gamma(p: np.ndarray, w: np.ndarray) -> np.ndarray:
    def one(f: np.ufunc) -> float:
        return (
            2 * f(p[0]) * w[0] ** 2 + 3 * f(p[0] - p[1]) * (w[0] - w[1]) ** 2 - 2 * f(p[2] + p[3]) * (w[2] + w[3]) ** 2
            - 4 * f(p[3]) * w[3] ** 2
        )  # fmt: skip

    return np.array([one(np.cos), one(np.sin)])


NAMES_3_3 = ["p1", "p2", "p3", "p4"]


def test_example_3_3_jacobian_of_a_user_equation_is_the_books() -> None:
    m = example_3_3()
    p = np.array([m[n].angle for n in NAMES_3_3])
    rows = np.array([gradient(m, name, [f"{n}.phi" for n in NAMES_3_3]) for name in ("with_cos", "with_sin")])
    assert rows == pytest.approx(example_3_3_rows(p), abs=1e-14)  # sines times small integers: a few roundings


def test_example_3_3_velocities_satisfy_the_books_jacobian() -> None:
    k = example_3_3().kinematics(1.0, samples=5)
    for i in range(len(k)):
        p, w = (np.array([getattr(k[n], what)[i] for n in NAMES_3_3]) for what in ("phi", "omega"))
        assert example_3_3_rows(p) @ w == pytest.approx([0, 0], abs=EXACT)


def test_example_3_3_accelerations_satisfy_the_books_gamma() -> None:
    k = example_3_3().kinematics(1.0, samples=5)
    for i in range(len(k)):
        p, w, al = (np.array([getattr(k[n], what)[i] for n in NAMES_3_3]) for what in ("phi", "omega", "alpha"))
        assert example_3_3_rows(p) @ al == pytest.approx(example_3_3_gamma(p, w), abs=EXACT)


# --- Example 3.5: two quadratic equations, two drivers ---------------------------------------------------------------------

NAMES_3_5 = ["x1", "x2", "x3", "x4"]


def example_3_5() -> tm.PlanarModel:
    m = carriers("example 3.5", x1=0.0, x2=0.2, x3=0.0, x4=-0.5)
    m.equation("first", "x1.phi^2 + 2*x2.phi*x3.phi - x1.phi*x4.phi", unit="1")
    m.equation("second", "3*x1.phi*x2.phi - x2.phi^2 + x3.phi*x4.phi - x3.phi", unit="1")
    m.driver("drive2", "x2.phi", "0.2*t")
    m.driver("drive4", "x4.phi", "-0.5*t + 0.03*t^2")
    return m


def test_example_3_5_jacobian_is_the_books() -> None:
    m = carriers("example 3.5", x1=0.7, x2=-0.4, x3=1.3, x4=0.9)  # any point
    for c in list(example_3_5().constraints.values())[-4:-2]:
        m.equation(c.name, c.parameters["formula"], unit="1")
    x1, x2, x3, x4 = 0.7, -0.4, 1.3, 0.9
    rows = np.array([gradient(m, name, [f"{n}.phi" for n in NAMES_3_5]) for name in ("first", "second")])
    book = [[2 * x1 - x4, 2 * x3, 2 * x2, -x1], [3 * x2, 3 * x1 - 2 * x2, x4 - 1, x3]]
    assert rows == pytest.approx(np.array(book), abs=1e-14)


def test_example_3_5_motion_satisfies_both_derivatives() -> None:
    # at t = 0 the equations are singular (x1 = x2 = x4 = 0), so the run begins at t = 1
    k = example_3_5().kinematics(1.0, samples=6, start_time=1.0)
    for i in range(len(k)):
        (x1, x2, x3, x4), v, a = (
            np.array([getattr(k[n], what)[i] for n in NAMES_3_5]) for what in ("phi", "omega", "alpha")
        )
        rows = np.array([[2 * x1 - x4, 2 * x3, 2 * x2, -x1], [3 * x2, 3 * x1 - 2 * x2, x4 - 1, x3]])
        # -(Phi_q qd)_q qd of two quadratic forms
        gamma = [
            -(2 * v[0] ** 2 + 4 * v[1] * v[2] - 2 * v[0] * v[3]),
            -(6 * v[0] * v[1] - 2 * v[1] ** 2 + 2 * v[2] * v[3]),
        ]
        assert rows @ v == pytest.approx([0, 0], abs=EXACT)
        assert rows @ a == pytest.approx(gamma, abs=EXACT)
        assert (v[1], v[3], a[1], a[3]) == pytest.approx((0.2, -0.5 + 0.06 * k.times[i], 0.0, 0.06), abs=EXACT)


# --- section 3.3: matrices ---------------------------------------------------------------------------------------------------

MATRICES = {
    "example 3.6": [[3, 1, -1], [-1, 2, 1], [2, -3, 1]],
    "example 3.8": [[4, -3, 5, 2], [-3, 1, 1, -6], [5, -5, 10, 0], [2, -3, 9, -7]],
    "example 3.9": [[2, -1, 1], [-1, 0, 2], [1, 4, -2]],
    "example 3.10": [[2, 1, 3, -2], [-1, 0, -2, -1], [0, 1, 2, 3], [4, 2, 0, -1]],
    "example 3.11": [[1, 2, -1, -3], [4, 1, -1, 1], [2, -3, 0, -1], [-1, 0, 5, 2]],
    "problem 3.10": [[3, 1, -1, 2], [-6, -2, 4, 3], [0, 3, 2, -2], [1, 1, -5, 6]],  # second pivot exactly 0 unpivoted
}


@pytest.mark.parametrize("name", MATRICES)
def test_matrices_of_section_3_3_have_full_rank(name: str) -> None:
    matrix = np.array(MATRICES[name], dtype=float)
    assert rank_of(matrix).rank == len(matrix)


@pytest.mark.parametrize("name", MATRICES)
def test_a_combination_of_earlier_rows_is_blamed(name: str) -> None:
    matrix = np.array(MATRICES[name], dtype=float)
    matrix[-1] = 2 * matrix[0] - 3 * matrix[1]
    assert rank_of(matrix).redundant == (len(matrix) - 1,)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_rank_does_not_depend_on_the_size_of_a_row(scale: float) -> None:
    # the book's absolute pivot threshold of 0.001 fails here
    matrix = np.array(MATRICES["problem 3.10"], dtype=float)
    matrix[2] *= scale
    assert rank_of(matrix).rank == 4


# --- Examples 3.13 and 3.14: disk and plane ----------------------------------------------------------------------------------


def test_example_3_13_newton_solution_from_the_books_start() -> None:
    # start p2 = 320 deg, d = 10; exact solution p2 = 11 pi/6, d = 12 cos 30 deg
    m = carriers("disk and plane", p2=math.radians(320), d=10.0)
    m.equation("along_x", "2*cos(p2.phi) - d.phi + 10*cos(pi/6)", unit="1")
    m.equation("along_y", "2*sin(p2.phi) - 4 + 10*sin(pi/6)", unit="1")
    found = m.assemble()
    assert found.pose("p2")[2] == pytest.approx(11 * math.pi / 6, abs=EXACT)
    assert found.pose("d")[2] == pytest.approx(12 * math.cos(math.pi / 6), abs=EXACT)


# --- small examples of chapters 2 and 4 --------------------------------------------------------------------------------------


def test_problem_4_10_estimates_violate_both_revolute_joints() -> None:
    m = tm.PlanarModel("problem 4.10")
    m.body("one", position=(-2, 2.5), angle=math.radians(-12))
    m.body("two", position=(0.5, 3.6), angle=math.radians(-8))
    m.body("three", position=(1.6, 1.7), angle=math.radians(56))
    m.revolute("A", m["one"].at(0, 1.5), m["two"].at(-2.2, 0))
    m.revolute("B", m["two"].at(2.2, 0), m["three"].at(2, 0))
    system = lower(m)
    m.mobility()  # makes the kernels ready
    gaps = residuals(system, system.start, 0.0)
    assert gaps == pytest.approx([-0.009543, 0.061041, -0.039796, -0.064256], abs=SIX_DIGITS)


def two_vectors() -> tm.PlanarModel:
    # s1' = (1.2, -0.5) at 30 deg, s2' = (-0.3, 0.8) at 45 deg, r1 = (6.2, 1), r2 = (-1.9, 2.3)
    m = tm.PlanarModel("problem 4.9")
    m.body("one", position=(6.2, 1.0), angle=math.radians(30))
    m.body("two", position=(-1.9, 2.3), angle=math.radians(45))
    m.point("P", "one", local=(1.2, -0.5))
    m.point("Q", "two", local=(-0.3, 0.8))
    return m


COLUMNS_4_9 = ["one.x", "one.y", "one.phi", "two.x", "two.y", "two.phi"]
PRODUCTS_4_9 = {
    "s1 . s2": (
        "(P.x - one.x)*(Q.x - two.x) + (P.y - one.y)*(Q.y - two.y)", -0.943747, [0, 0, 0.585697, 0, 0, -0.585697],
    ),
    "s1 . d": (
        "(P.x - one.x)*(two.x - one.x) + (P.y - one.y)*(two.y - one.y)", -10.225683,
        [-1.289230, -0.166987, 3.028597, 1.289230, 0.166987, 0],
    ),
    "s1 x d": (
        "(P.x - one.x)*(two.y - one.y) - (P.y - one.y)*(two.x - one.x)", 3.028597,
        [0.166987, -1.289230, 10.225683, -0.166987, 1.289230, 0],
    ),
}  # fmt: skip


@pytest.mark.parametrize("product", PRODUCTS_4_9)
def test_problem_4_9_products_of_body_vectors(product: str) -> None:
    formula, value, _ = PRODUCTS_4_9[product]
    m = two_vectors()
    m.equation("product", formula, unit="1")
    m.mobility()
    system = lower(m)
    assert residuals(system, system.start, 0.0)[0] == pytest.approx(value, abs=SIX_DIGITS)


@pytest.mark.parametrize("product", PRODUCTS_4_9)
def test_problem_4_9_gradients_of_products(product: str) -> None:
    formula, value, expected = PRODUCTS_4_9[product]
    m = two_vectors()
    m.equation("product", f"{formula} - ({value})", unit="1")
    m.mobility()
    assert gradient(m, "product", COLUMNS_4_9) == pytest.approx(expected, abs=SIX_DIGITS)
