"""Terms of constraints as the book prints them: planar tables 4.2 and 4.3 without masses, tables 7.1 and 7.2 by Euler parameters,
closed inverses of problems 11.3 and 11.4 (Nikravesh 1988; digest 6-8, section 3.3, and digest 11-14, section 2.2)."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import rotations
from pytrammel.analysis.small_motions.reduced import State
from pytrammel.analysis.study.parameter_rows import parameter_terms
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.system.lowering import lower

DIFFERENCES = 1e-10  # sixth-order differences with a step of 0.01 of rows up to the fourth order, entries up to 30

R = ([1.0, -2.0, 0.5], [-1.0, 0.5, 2.0])
P = ([0.5, 0.7, -0.5, 0.1], [0.1, -0.5, 0.5, 0.7])
V = ([0.2, -0.1, 0.4], [-0.3, 0.6, 0.1])
W = ([1.0, -2.0, 0.5], [-0.5, 1.5, 2.0])
S = ([1.0, -1.0, 2.0], [0.5, 2.0, -1.0])
B = ([0.3, -0.4, 1.2], [-0.7, 0.2, 0.5])
# columns r_i, p_i, r_j, p_j; gamma of the pair (table 7.1 and the unmodified right side), then the modified ones of table 7.2
TABLES = {
    "n1": (
        [[0, 0, 0, 11.62, 1.316, -8.884, 1.004, 0, 0, 0, -0.448, -2.776, -8.336, 3.512]], [65.2962],
        [[0, 0, 0, 9.0, -2.352, -6.264, 0.48, 0, 0, 0, 0.192, -5.976, -5.136, 7.992]], [61.7737],
    ),
    "n2j": (
        [[0.92, 1.94, -0.8, -6.8852, -1.2764, 3.7252, -0.8724, -0.92, -1.94, 0.8, 3.004, 5.5552, 17.9912, -7.0576]], [-50.00419],
        [[0.92, 1.94, -0.8, -5.4252, 0.7676, 2.2652, -0.5804, -0.92, -1.94, 0.8, 1.9676, 10.7372, 12.8092, -14.3124]], [-36.99519],
    ),
    "n2": (
        [[-0.56, 2.2, 0.92, -12.696, -28.1936, 13.8096, -5.2432, 0.56, -2.2, -0.92, 0.2024, 3.9128, -4.4024, -3.2104]], [17.78434],
        [[-0.56, 2.2, 0.92, -12.04, -27.2752, 13.1536, -5.112, 0.56, -2.2, -0.92, 0.4608, 2.6208, -3.1104, -1.4016]], [11.86334],
    ),
    "s": (
        [
            [1, 0, 0, -0.52, 1.48, 0.64, 2.08, -1, 0, 0, 0.06, -2.3, 0.1, 0.54],
            [0, 1, 0, -2.42, -1.5, 1.46, -0.9, 0, -1, 0, 0.4, 0.8, -1.8, -0.36],
            [0, 0, 1, 2.14, -0.34, -0.38, 1.3, 0, 0, -1, -0.7, 0.94, -0.42, -2.3],
        ], [-9.0775, 0.3495, -1.868],
        [
            [1, 0, 0, -0.82, 1.06, 0.94, 2.02, -1, 0, 0, -0.08, -1.6, -0.6, -0.44],
            [0, 1, 0, -2.02, -0.94, 1.06, -0.82, 0, -1, 0, 0.44, 0.6, -1.6, -0.08],
            [0, 0, 1, 0.94, -2.02, 0.82, 1.06, 0, 0, -1, -0.6, 0.44, 0.08, -1.6],
        ], [-6.015, -1.3505, -0.343],
    ),
    "ss": (
        [[4.248, -8.392, -5.608, 6.09856, 20.78176, -7.40256, 9.09824, -4.248, 8.392, 5.608, 0.82368, -21.75552, 17.88576, 18.21344]],
        [-33.657216],
        [[4.248, -8.392, -5.608, 8.19696, 23.71952, -9.50096, 9.51792, -4.248, 8.392, 5.608, -0.66752, -14.29952, 10.42976, 7.77504]],
        [-14.933516],
    ),
}  # fmt: skip


def two_bodies():
    m = tm.SpatialModel("two")
    for k, name in enumerate("ij"):
        m.body(name, position=R[k], rotation=P[k])
    return m


def rows_of(name):
    """The book's rows at its state: both Jacobians and right-hand sides, in its signs."""
    m = two_bodies()
    if name == "n1":
        m.constrain("c", Quantity("axis_dot", ("i", "j"), (*S[0], *S[1]), ("1",), "n1"))
    elif name == "n2j":  # ours counts from the body that carries the vector: s_j . (-d)
        m.constrain("c", Quantity("axis_offset", ("j", "i"), (*S[1], *B[1], *B[0]), ("m",), "n2j"))
    elif name == "n2":
        m.constrain("c", Quantity("axis_offset", ("i", "j"), (*S[0], *B[0], *B[1]), ("m",), "n2"))
    elif name == "s":
        m.spherical("c", m["i"].at(*B[0]), m["j"].at(*B[1]))
    else:
        m.constrain("c", Quantity("point_distance", ("i", "j"), (*B[0], *B[1]), ("m",), "ss"))
    system = lower(m)
    v = np.concatenate([np.concatenate([V[k], W[k]]) for k in range(2)])
    rows = tuple(range(len(system.rows)))
    found = parameter_terms(State(system, system.floats, rows, 0.0, system.start.copy(), v, np.zeros(0)), rows)
    parts = [getattr(found, part).values for part in ("jacobian", "gamma", "modified_jacobian", "modified_gamma")]
    if name == "n2j":
        return [-part for part in parts]
    if name == "ss":  # (|d|)^2: twice |d| times, and the square of its rate
        A = [rotations.matrix(P[k]) for k in range(2)]
        d = R[1] + A[1] @ B[1] - R[0] - A[0] @ B[0]
        rate = V[1] + A[1] @ np.cross(W[1], B[1]) - V[0] - A[0] @ np.cross(W[0], B[0])
        size = np.linalg.norm(d)
        square = 2.0 * (d @ rate / size) ** 2
        return [2 * size * part - (square if k % 2 else 0.0) for k, part in enumerate(parts)]
    return parts


@pytest.mark.parametrize("name", TABLES)
def test_jacobians_by_euler_parameters_are_those_of_tables_7_1_and_7_2(name):
    found = rows_of(name)
    if name == "s" and found[0][0, 0] < 0:
        found = [-part for part in found]
    for got, expected in zip(found, TABLES[name], strict=True):
        np.testing.assert_allclose(got, expected, rtol=0, atol=DIFFERENCES)


def moving_machine():
    """An RSSR-like loop with a screw and a driver: many kinds of rows."""
    m = tm.SpatialModel("machine", gravity=(0, 0, -9.81))
    m.body("a", position=(0.2, 0, 0), mass=1.0, inertia=(0.1, 0.2, 0.15))
    m.body("b", position=(0.5, 0.3, 0.1), mass=2.0, inertia=(0.2, 0.1, 0.3))
    m.body("c", position=(0.8, 0.0, 0.5), mass=1.5, inertia=(0.2, 0.3, 0.1))
    m.revolute("A", "ground", "a", at=(0, 0, 0), axis=(0, 0, 1))
    m.universal("U", "a", "b", at=(0.4, 0.1, 0), axis=(1, 0, 0), second_axis=(0, 1, 0))
    m.spherical("S", "b", "c", at=(0.7, 0.2, 0.2))
    m.screw("T", "ground", "c", at=(0.9, 0.1, 0.4), axis=(0, 1, 0), lead=0.3)
    return m


def test_equations_by_coordinates_hold_along_a_motion():
    m = moving_machine()
    r = m.simulate(0.4, samples=3)
    found = m.terms(at=r)
    parts = found.parameters
    v, a = r.v[-1], r.a[-1]
    dq, ddq = [], []
    for b in range(3):
        p, w = r.q[-1, 7 * b + 3 : 7 * b + 7], v[6 * b + 3 : 6 * b + 6]
        dp = rotations.parameter_rate(p, w)
        ddp = rotations.parameter_acceleration(p, w, a[6 * b + 3 : 6 * b + 6])
        dq += [v[6 * b : 6 * b + 3], dp]
        ddq += [a[6 * b : 6 * b + 3], ddp]
    dq, ddq = np.concatenate(dq), np.concatenate(ddq)
    for J, gamma in ((parts.jacobian, parts.gamma), (parts.modified_jacobian, parts.modified_gamma)):
        np.testing.assert_allclose(J.values @ dq, found.nu.values, rtol=0, atol=1e-9)
        np.testing.assert_allclose(J.values @ ddq, gamma.values, rtol=0, atol=1e-8)
    assert parts.jacobian.columns[:7] == ("a.x", "a.y", "a.z", "a.e0", "a.e1", "a.e2", "a.e3")
    assert "Phi_q*" in str(parts)


# --- planar, without masses ------------------------------------------------------------------------------------------------


def test_terms_of_revolute_and_translational_joints_need_no_masses():
    """Tables 4.2 and 4.3 at an arbitrary consistent state, from their formulas."""
    m = tm.PlanarModel("pair")
    m.body("i", position=(0.4, 0.2), angle=0.5, velocity=(0.3, -0.2), omega=1.5)
    m.body("j", position=(1.2, 0.7), angle=-0.4, omega=-2.0)
    m.revolute("r", "i", "j", at=(0.8, 0.6))
    found = m.terms()
    assert found.mass is None and found.gravity is None and "M:" not in str(found)
    s = [np.array([0.8, 0.6]) - r for r in ([0.4, 0.2], [1.2, 0.7])]
    turned = [np.array([-u[1], u[0]]) for u in s]
    J = np.column_stack([np.eye(2), turned[0], -np.eye(2), -turned[1]])
    got = found.jacobian.values * np.sign(found.jacobian.values[0, 0])
    np.testing.assert_allclose(got, J, rtol=0, atol=1e-14)
    w = found.velocities.values[[2, 5]]
    gamma = s[0] * w[0] ** 2 - s[1] * w[1] ** 2
    np.testing.assert_allclose(found.gamma.values * np.sign(found.jacobian.values[0, 0]), gamma, rtol=0, atol=1e-13)
    np.testing.assert_allclose(found.jacobian.values @ found.velocities.values, found.nu.values, rtol=0, atol=1e-14)


def turned(u):
    return np.array([-u[1], u[0]])


def cross(u, w):
    return u[0] * w[1] - u[1] * w[0]


RI, RJ, PI, PJ = np.array([0.4, 0.2]), np.array([1.2, 0.7]), np.array([0.9, 0.65]), np.array([1.5, 1.1])
ALONG = np.array([0.8, 0.6])  # unit vector from Q to P


def free_pair():
    m = tm.PlanarModel("pair")
    m.body("i", position=tuple(RI), angle=0.5, velocity=(0.3, -0.2), omega=1.5)
    m.body("j", position=tuple(RJ), angle=-0.4, velocity=(-0.1, 0.4), omega=-2.0)
    return m


def translational_joint(m):
    m.prismatic("c", "i", "j", at=tuple(PI), axis=tuple(ALONG))


def translational_table(v):
    (vi, wi), (vj, wj) = v
    a, P = 0.7 * ALONG, PI + 1.3 * ALONG  # a = P_i - Q_i, P = P_j on the line of translation
    s_j, d = P - RJ, P - PI
    first = [a[1], -a[0], -a @ (P - RI), -a[1], a[0], a @ s_j]
    gamma = -wi * (2 * a @ (vi - vj) + wi * cross(a, RI - RJ))
    assert wi == pytest.approx(wj) and cross(a, d) == pytest.approx(0.0)
    return [first, [0, 0, 1, 0, 0, -1]], [gamma, 0.0]


def link(m):
    m.link("c", m["i"].at_global(*PI), m["j"].at_global(*PJ))


def link_table(v):
    (vi, wi), (vj, wj) = v
    s_i, s_j, d = PI - RI, PJ - RJ, PI - PJ
    row = [2 * d[0], 2 * d[1], 2 * cross(s_i, d), -2 * d[0], -2 * d[1], -2 * cross(s_j, d)]
    way = vi - vj
    gamma = -2 * (
        way @ way + s_i @ (PJ - RI) * wi**2 + s_j @ (PI - RJ) * wj**2 - 2 * s_i @ s_j * wi * wj
        + 2 * cross(s_i, way) * wi - 2 * cross(s_j, way) * wj
    )  # fmt: skip
    return [row], [gamma]


def pin_on_a_line(m):
    line = (m["j"].at_global(*PI), m["j"].at_global(*(PI + ALONG)))
    m.point_on_line("c", "j", m["i"].at_global(*PI), line=line)


def pin_on_a_line_table(v):
    (vi, wi), (vj, wj) = v
    a, P = 0.7 * ALONG, PI + 0.9 * ALONG  # a = P_j - Q_j, P = P_j on the line
    s_i, d = PI - RI, P - PI
    row = [a[1], -a[0], -a @ s_i, -a[1], a[0], a @ (PI - RJ)]
    gamma = cross(s_i, a) * (wi - 2 * wj) * wi + cross(PI - RJ, a) * wj**2 - 2 * wj * a @ (vi - vj)
    assert cross(a, d) == pytest.approx(0.0)
    return [row], [gamma]


def point_at_a_height(m):
    m.point("P", "i", at=tuple(PI))
    m.constrain("c", "P.y")


def point_at_a_height_table(v):
    (_, wi), _ = v
    return [[0, 1, PI[0] - RI[0], 0, 0, 0]], [(PI[1] - RI[1]) * wi**2]


@pytest.mark.parametrize(
    ("join", "table"),
    [(translational_joint, translational_table), (link, link_table), (pin_on_a_line, pin_on_a_line_table),
     (point_at_a_height, point_at_a_height_table)],
)  # fmt: skip
def test_terms_without_masses_are_those_of_tables_4_2_and_4_3(join, table):
    """Rows of the digest (1-5, sections 2.2 to 2.5), with other scales and combinations of the rows."""
    m = free_pair()
    join(m)
    found = m.terms()
    assert found.mass is None
    v = found.velocities.values
    J, gamma = (np.array(part) for part in table(((v[:2], v[2]), (v[3:5], v[5]))))
    assert v[[2, 5]] != pytest.approx([0.0, 0.0])
    assert found.jacobian.values.shape == J.shape
    scales = found.jacobian.values @ np.linalg.pinv(J)  # rows of ours from rows of the book
    np.testing.assert_allclose(scales @ J, found.jacobian.values, rtol=0, atol=1e-13)
    assert abs(np.linalg.det(scales)) > 1e-3
    np.testing.assert_allclose(scales @ gamma, found.gamma.values, rtol=0, atol=1e-12)
    np.testing.assert_allclose(J @ v, 0.0, rtol=0, atol=1e-13)


def driven_slider_crank(*, masses):
    m = tm.PlanarModel("slider crank")
    for name, place in (("crank", (0.2, 0.1)), ("rod", (0.7, 0.1)), ("slider", (1.0, 0.0))):
        m.body(name, position=place, **({"mass": 1.0, "inertia": 0.1} if masses else {}))
    m.revolute("O", "ground", "crank", at=(0, 0))
    m.revolute("A", "crank", "rod", at=(0.4, 0.2))
    m.revolute("B", "rod", "slider", at=(1.0, 0))
    m.prismatic("T", "ground", "slider", at=(1.0, 0), axis=(1, 0))
    m.driver("motor", m["O"].angle, "2*t + 0.5*t^2")
    return m


@pytest.mark.parametrize("time", [0.0, 0.3])
def test_terms_of_a_driven_mechanism_without_masses_are_those_with_masses(time):
    bare, whole = driven_slider_crank(masses=False), driven_slider_crank(masses=True)
    k = bare.kinematics(0.3, samples=4)
    for found in (
        bare.terms(time=time),
        bare.terms(at=k, time=time),
        whole.terms(at=whole.kinematics(0.3, samples=4), time=time),
    ):
        expected = whole.terms(time=time)
        for part in ("residuals", "jacobian", "nu", "gamma", "velocities"):
            np.testing.assert_allclose(getattr(found, part).values, getattr(expected, part).values, rtol=0, atol=1e-9)
        at = int(np.argmin(np.abs(k.times - time)))
        np.testing.assert_allclose(found.jacobian.values @ k.a[at], found.gamma.values, rtol=0, atol=1e-9)
    assert whole.terms(at=whole.kinematics(0.3)).mass is not None


def hanging():
    m = tm.PlanarModel("hanging", gravity=(0, -9.81))
    m.body("a", position=(0.1, -1.0), mass=1.0, inertia=0.1)
    m.revolute("A", "ground", "a", at=(0, 0))
    return m


def test_a_state_of_a_model_without_masses_is_rejected_where_there_is_none():
    m = driven_slider_crank(masses=False)
    with pytest.raises(tm.ModelError, match=r"result of kinematics"):
        m.terms(at=hanging().equilibrium())
    with pytest.raises(tm.ModelError, match=r"level='velocity'"):
        m.terms(at=m.kinematics(0.3, samples=3, level="position"))


# --- blocks of formulations I and II -----------------------------------------------------------------------------------------


def test_closed_inverses_of_the_blocks_of_one_body():
    rng = np.random.default_rng(3)
    p = rotations.normalised(rng.normal(size=(20, 4)))
    root = rng.normal(size=(20, 3, 3))
    J = root @ np.swapaxes(root, -1, -2) + 0.1 * np.eye(3)
    for matrix, inverse, n in (
        (rotations.formulation_i_matrix, rotations.formulation_i_inverse, 5),
        (rotations.formulation_ii_matrix, rotations.formulation_ii_inverse, 4),
    ):
        np.testing.assert_allclose(
            matrix(p, J) @ inverse(p, J), np.broadcast_to(np.eye(n), (20, n, n)), rtol=0, atol=1e-12
        )
        assert inverse(p[0], J).shape == (20, n, n) and inverse(p, J[0]).shape == (20, n, n)


def test_the_block_of_formulation_i_moves_a_free_body_as_euler_does():
    p, J, w, n = (
        np.array([0.5, 0.7, -0.5, 0.1]),
        np.diag([0.2, 0.3, 0.4]),
        np.array([1.0, -2.0, 0.5]),
        np.array([0.3, 0.1, -0.2]),
    )
    dp = rotations.parameter_rate(p, w)
    H = 4.0 * rotations.L(dp).T @ J @ rotations.L(p)
    right = np.append(2.0 * rotations.L(p).T @ n - 2.0 * H @ dp, -dp @ dp)
    found = rotations.formulation_i_inverse(p, J) @ right
    spin = np.linalg.solve(J, n - np.cross(w, J @ w))
    np.testing.assert_allclose(rotations.angular_acceleration(p, found[:4]), spin, rtol=0, atol=1e-13)
    assert found[4] == pytest.approx(2.0 * w @ J @ w, abs=1e-13)  # sigma of a free body: four times its energy


@pytest.mark.parametrize(
    ("p", "inertia", "text"),
    [
        ([1.1, 0, 0, 0], np.eye(3), r"squared norm .*0\.21.*limit"),
        ([1, 0, 0, 0], np.diag([1.0, 1.0, 0.0]), r"inertia is singular.*0 kg"),
        ([1, 0, 0, 0], np.eye(2), r"inertia: the shape is \(2, 2\)"),
        ([1, 0, 0, 0], [[1, 1, 0], [0, 1, 0], [0, 0, 1]], r"not symmetric"),
    ],
)
def test_inverses_reject_what_has_none(p, inertia, text):
    with pytest.raises(tm.ModelError, match=text):
        rotations.formulation_i_inverse(p, inertia)
    with pytest.raises(tm.ModelError, match=text):
        rotations.formulation_ii_inverse(p, inertia)
