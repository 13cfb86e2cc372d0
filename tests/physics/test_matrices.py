"""Matrices of every formulation at a state: they give the accelerations of a run, and Kane and Lagrange by SymPy write the same."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import (
    KanesMethod,
    LagrangesMethod,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

import dynamic_models as plane
import pytrammel as tm
import spatial_models as space

SHOWN = [name for name, each in tm.formulations.items() if each.matrices is not None]


def cam():
    """A follower whose place on the cam is a coordinate of its own."""
    m = tm.PlanarModel("cam", gravity=(0, -9.81))
    m.body("cam", position=(0.0, 0.0), mass=2.0, inertia=0.1, omega=3.0)
    m.body("follower", position=(0.0, 0.55), mass=1.0, inertia=0.01)
    m.revolute("A", "ground", "cam", at=(0, 0))
    m.prismatic("B", "ground", "follower", at=(0, 0.5), axis=(0, 1))
    curve = tm.curves.analytic("0.5*cos(u) + 0.1", "0.5*sin(u)", 0.0, 2.0 * math.pi, closed=True)
    m.cam_point("C", "cam", "follower", at=(0.0, 0.55), curve=curve)
    return m


PLANE = {
    "double pendulum": lambda: plane.chain([0.3, 1.0]),
    "four-bar": lambda: plane.n_four_bar(1),
    "redundant": plane.double_parallel_crank,
    "Andrews": plane.andrews,
}
SPACE = {
    "heavy top": lambda: space.heavy_top((1.0, 0.5, 20.0)),
    "RSSR": lambda: space.rssr(0.3),
    "Bricard": space.bricard,
    "chain": lambda: space.chain(3),
}
IN_PLANE = [(name, f) for name in PLANE for f in SHOWN if f not in ("I", "II")]
IN_SPACE = [(name, f) for name in SPACE for f in SHOWN]


@pytest.mark.parametrize(("name", "formulation"), IN_PLANE + IN_SPACE)
def test_accelerations_that_solve_the_matrices_are_those_of_a_run(name, formulation):
    m = (PLANE | SPACE)[name]()
    end = 0.01 if name == "Andrews" else 0.1
    r = m.simulate(end, samples=3, progress=False)
    for time in (0.0, float(r.times[-1])):
        found = m.matrices(formulation=formulation, at=r, time=time)
        k = 0 if time == 0.0 else -1
        # both solve the same equations; the size of rounding is that of the largest acceleration
        assert found.accelerations == pytest.approx(r.a[k], abs=1e-8 * max(1.0, np.abs(r.a[k]).max()))


def test_places_on_curves_are_coordinates_of_their_own():
    m = cam()
    r = m.simulate(0.05, samples=2, progress=False)
    for formulation in ("cartesian", "joint", "relative", "points"):
        found = m.matrices(formulation=formulation, at=r)
        assert found.accelerations == pytest.approx(r.a[-1], abs=1e-8 * np.abs(r.a[-1]).max())


@pytest.mark.parametrize("formulation", SHOWN)
def test_multipliers_are_those_of_a_run(formulation):
    m = space.heavy_top((1.0, 0.5, 20.0))
    r = m.simulate(0.1, samples=2, progress=False)
    found = m.matrices(formulation=formulation, at=r).multipliers
    own = [value for name, value in found.items() if name.startswith("lambda O")]
    if own:
        assert own == pytest.approx(r.dynamics.multipliers[-1], abs=1e-8 * np.abs(r.dynamics.multipliers[-1]).max())
    else:
        assert formulation in (
            "joint",
            "relative",
            "points",
        )  # the tree, or a common particle, holds its joint by itself


# --- SymPy writes the same -----------------------------------------------------------------------------------------------


def double_pendulum(angles, rates):
    m = tm.PlanarModel("double pendulum", gravity=(0, -9.81))
    a, b = angles[0], angles[0] + angles[1]
    first = 0.5 * np.array([math.cos(a), math.sin(a)])
    second = 2.0 * first + 0.4 * np.array([math.cos(b), math.sin(b)])
    m.body("one", position=first, angle=a, mass=2.0, inertia=0.17, omega=rates[0])
    m.body("two", position=second, angle=b, mass=1.5, inertia=0.08, omega=rates[0] + rates[1])
    m.revolute("A", m.ground.at(0.0, 0.0), m["one"].at(-0.5, 0.0))
    m.revolute("B", m["one"].at(0.5, 0.0), m["two"].at(-0.4, 0.0))
    return m


def numbers(expression, values):
    return np.array(sp.Matrix(expression).subs(values).evalf(), dtype=float)


def test_joint_coordinates_of_a_double_pendulum_are_those_of_lagrange_s_method():
    angles, rates = (0.3, -0.7), (1.2, -0.4)
    a, b = dynamicsymbols("a b")
    da, db = dynamicsymbols("a b", 1)
    N = ReferenceFrame("N")
    one, two = N.orientnew("one", "Axis", [a, N.z]), N.orientnew("two", "Axis", [a + b, N.z])
    pin = Point("pin")
    pin.set_vel(N, 0)
    first = pin.locatenew("first", 0.5 * one.x)
    second = first.locatenew("second", 0.5 * one.x + 0.4 * two.x)
    for point in (first, second):
        point.set_vel(N, point.pos_from(pin).dt(N))
    bodies = [
        RigidBody("one", first, one, 2.0, (inertia(one, 0, 0, 0.17), first)),
        RigidBody("two", second, two, 1.5, (inertia(two, 0, 0, 0.08), second)),
    ]
    kinetic = sum(body.kinetic_energy(N) for body in bodies)
    potential = sum(body.mass * 9.81 * body.masscenter.pos_from(pin).dot(N.y) for body in bodies)
    written = LagrangesMethod(kinetic - potential, [a, b])
    written.form_lagranges_equations()
    values = {da: rates[0], db: rates[1], a: angles[0], b: angles[1]}

    found = double_pendulum(angles, rates).matrices(formulation="joint")
    assert found["u"].rows == ("A.angle", "B.angle")
    assert found["u"].values == pytest.approx(rates, abs=1e-12)
    assert found["H"].values == pytest.approx(numbers(written.mass_matrix, values), rel=1e-12)
    assert found["f"].values == pytest.approx(numbers(written.forcing, values)[:, 0], rel=1e-12)


def test_body_coordinates_of_a_double_pendulum_are_those_of_lagrange_s_method_with_multipliers():
    angles, rates = (0.3, -0.7), (1.2, -0.4)
    q = dynamicsymbols("x y p X Y P")
    dq = [c.diff() for c in q]
    x, y, p, X, Y, P = q
    masses = (2.0, 2.0, 0.17, 1.5, 1.5, 0.08)
    kinetic = sum(m * d**2 / 2 for m, d in zip(masses, dq, strict=True))
    lagrangian = kinetic - 9.81 * (2.0 * y + 1.5 * Y)
    rows = [
        x - sp.cos(p) / 2,
        y - sp.sin(p) / 2,
        X - 0.4 * sp.cos(P) - x - sp.cos(p) / 2,
        Y - 0.4 * sp.sin(P) - y - sp.sin(p) / 2,
    ]
    written = LagrangesMethod(lagrangian, q, hol_coneqs=rows)
    written.form_lagranges_equations()
    m = double_pendulum(angles, rates)
    found = m.matrices(formulation="cartesian")
    start = m.simulate(0.0, progress=False)
    values = dict(zip(dq, start.v[0], strict=True)) | dict(zip(q, start.q[0], strict=True))
    whole, forcing = numbers(written.mass_matrix, values), numbers(written.forcing, values)[:, 0]
    assert found["M"].values == pytest.approx(whole[:, :6], abs=1e-12)
    assert found["g"].values == pytest.approx(forcing, abs=1e-12)
    # SymPy's rows are written from the outer body to the inner one, and its multipliers stand on the other side
    J = numbers(sp.Matrix(rows).jacobian(q), values)
    gamma = -numbers(sp.Matrix(rows).jacobian(q).diff(dynamicsymbols._t) * sp.Matrix(dq), values)[:, 0]
    signs = np.sign([found["J"].values[k] @ J[k] for k in range(4)])
    assert found["J"].values == pytest.approx(signs[:, None] * J, abs=1e-12)
    assert found["gamma"].values == pytest.approx(signs * gamma, abs=1e-12)


FOUR_BAR = {"crank": (0.3, 1.1), "rod": (0.9, 0.4), "rocker": (0.6, 1.9)}  # lengths and angles of the drawing


def four_bar(spin):
    """A closed loop with weights; the far pin lies where the three links put it."""
    m = tm.PlanarModel("four-bar", gravity=(0, -9.81))
    at = np.zeros(2)
    for name, before, sign in (("crank", "ground", 1.0), ("rod", "crank", 1.0), ("rocker", "rod", -1.0)):
        length, angle = FOUR_BAR[name]
        along = sign * length * np.array([math.cos(angle), math.sin(angle)])
        own = {"omega": spin} if name == "crank" else {}
        m.body(name, position=at + 0.5 * along, angle=angle, mass=2.0 * length, inertia=0.2 * length**3, **own)
        m.revolute("ABC"[["crank", "rod", "rocker"].index(name)], before, name, at=at)
        at = at + along
    m.revolute("D", "ground", "rocker", at=at)
    return m, at


@pytest.mark.parametrize("formulation", ["joint", "relative", "points"])
def test_a_closed_loop_is_that_of_lagrange_s_method_with_multipliers(formulation):
    """Own angles of the links for SymPy, those of joints, relative ones and particles for us; the loop is cut at C, or held whole."""
    m, ground = four_bar(3.0)
    start = m.simulate(0.0, progress=False)
    q = dynamicsymbols("a b d")
    dq = [c.diff() for c in q]
    (l1, _), (l2, _), (l3, _) = FOUR_BAR.values()
    unit = [sp.Matrix([sp.cos(c), sp.sin(c)]) for c in q]
    pins = [l1 * unit[0], l1 * unit[0] + l2 * unit[1], sp.Matrix(ground) + l3 * unit[2]]
    centres = [l1 / 2 * unit[0], pins[0] + l2 / 2 * unit[1], sp.Matrix(ground) + l3 / 2 * unit[2]]
    time = dynamicsymbols._t
    energy = sum(
        long * c.diff(time).dot(c.diff(time)) + 0.1 * long**3 * d**2 - 9.81 * 2.0 * long * c[1]
        for long, c, d in zip((l1, l2, l3), centres, dq, strict=True)
    )
    written = LagrangesMethod(energy, q, hol_coneqs=list(pins[1] - pins[2]))
    written.form_lagranges_equations()
    values = dict(zip(dq, start.v[0][2::3], strict=True)) | dict(zip(q, start.q[0][2::3], strict=True))
    whole, forcing = numbers(written.mass_matrix_full, values), numbers(written.forcing_full, values)[:, 0]
    expected = np.linalg.solve(whole, forcing)[3:6]

    chosen = tm.formulations[formulation](**({} if formulation == "points" else {"cut": "C"}))
    found = m.matrices(formulation=chosen)
    assert found.accelerations[2::3] == pytest.approx(expected, rel=1e-10)
    if formulation != "joint":
        return
    # joint angles are those of the crank, of the rod against it, and of the rocker against the ground
    assert found["u"].rows == ("A.angle", "D.angle", "B.angle")
    own = np.array([[1.0, 0, 0], [1, 0, 1], [0, 1, 0]])
    M, J = whole[3:6, 3:6], numbers((pins[1] - pins[2]).jacobian(q), values)
    assert found["H"].values == pytest.approx(own.T @ M @ own, rel=1e-12)
    assert found["f"].values == pytest.approx(own.T @ forcing[3:6], rel=1e-12)
    sign = np.sign(found["JB"].values[0] @ (J @ own)[0])
    assert found["JB"].values == pytest.approx(sign * J @ own, abs=1e-12)
    turned = numbers((pins[1] - pins[2]).jacobian(q).diff(time) * sp.Matrix(dq), values)[:, 0]
    assert found["gamma"].values == pytest.approx(-sign * turned, rel=1e-12)


def test_joint_coordinates_of_an_arm_in_space_are_those_of_kane_s_method():
    """A turntable about z carries an arm about its own y; the arm's centroid lies off its axes, its inertia is full."""
    a, b, ua, ub = dynamicsymbols("a b ua ub")
    N = ReferenceFrame("N")
    table = N.orientnew("table", "Axis", [a, N.z])
    arm = table.orientnew("arm", "Axis", [b, table.y])
    table.set_ang_vel(N, ua * N.z)
    arm.set_ang_vel(table, ub * table.y)
    foot = Point("foot")
    foot.set_vel(N, 0)
    hub = foot.locatenew("hub", 0.1 * table.x + 0.5 * table.z)
    hub.v2pt_theory(foot, N, table)
    shoulder = foot.locatenew("shoulder", 0.2 * table.x + 1.0 * table.z)
    shoulder.v2pt_theory(foot, N, table)
    hand = shoulder.locatenew("hand", 0.4 * arm.x + 0.05 * arm.y - 0.03 * arm.z)
    hand.v2pt_theory(shoulder, N, arm)
    bodies = [
        RigidBody("table", hub, table, 3.0, (inertia(table, 0.2, 0.3, 0.4), hub)),
        RigidBody("arm", hand, arm, 1.2, (inertia(arm, 0.02, 0.09, 0.08, 0.01, -0.005, 0.004), hand)),
    ]
    loads = [(hub, -3.0 * 9.81 * N.z), (hand, -1.2 * 9.81 * N.z)]
    kane = KanesMethod(N, q_ind=[a, b], u_ind=[ua, ub], kd_eqs=[a.diff() - ua, b.diff() - ub])
    kane.kanes_equations(bodies, loads)
    at = {a: 0.4, b: -0.6, ua: 1.5, ub: -2.0}

    turn = lambda angle, axis: tm.rotations.matrix(tm.rotations.exp(np.array(axis) * angle))  # noqa: E731
    A = turn(0.4, (0, 0, 1))
    B = A @ turn(-0.6, (0, 1, 0))
    m = tm.SpatialModel("arm", gravity=(0, 0, -9.81))
    m.body("table", position=A @ (0.1, 0, 0.5), rotation=A, mass=3.0, inertia=(0.2, 0.3, 0.4), omega=(0, 0, 1.5))
    spin = A @ (0, -2.0, 0) + (0, 0, 1.5)
    tensor = [[0.02, 0.01, 0.004], [0.01, 0.09, -0.005], [0.004, -0.005, 0.08]]
    m.body(
        "arm",
        position=A @ (0.2, 0, 1.0) + B @ (0.4, 0.05, -0.03),
        rotation=B,
        mass=1.2,
        inertia=tensor,
        omega=B.T @ spin,
    )
    m.revolute("A", "ground", "table", at=(0, 0, 0), axis="z")
    m.revolute("B", "table", "arm", at=A @ (0.2, 0, 1.0), axis=A @ (0, 1, 0))
    found = m.matrices(formulation="joint")
    assert found["u"].values == pytest.approx([1.5, -2.0], abs=1e-12)
    assert found["H"].values == pytest.approx(numbers(kane.mass_matrix, at), abs=1e-12)
    assert found["f"].values == pytest.approx(numbers(kane.forcing, at)[:, 0], abs=1e-11)


def test_euler_parameters_with_their_multiplier_are_those_of_lagrange_s_method():
    """A free body: T is a form in p and p', and the norm is a row whose multiplier is sigma."""
    p = dynamicsymbols("e0:4")
    dp = [c.diff() for c in p]
    e0, e1, e2, e3 = p
    L = sp.Matrix([[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]])
    w = 2 * L * sp.Matrix(dp)
    J = sp.diag(0.3, 0.4, 0.55)
    written = LagrangesMethod((w.T * J * w)[0] / 2, p, hol_coneqs=[sum(c**2 for c in p) / 2 - sp.Rational(1, 2)])
    written.form_lagranges_equations()

    m = tm.SpatialModel("body", gravity=(0, 0, 0))
    start = tm.rotations.exp(np.array([0.4, -0.3, 0.8]))
    m.body("b", rotation=start, mass=1.0, inertia=(0.3, 0.4, 0.55), omega=(1.0, 2.0, -0.5))
    r = m.simulate(0.0, progress=False)
    own, spin = r.q[0, 3:], r.v[0, 3:]
    values = dict(zip(dp, 0.5 * tm.rotations.L(own).T @ spin, strict=True)) | dict(zip(p, own, strict=True))
    whole, forcing = numbers(written.mass_matrix_full, values), numbers(written.forcing_full, values)[:, 0]
    found = m.matrices(formulation="I")
    assert found["T'MT"].values[3:, 3:] == pytest.approx(numbers(written.mass_matrix, values)[:, :4], abs=1e-12)
    assert found["g"].values[3:] == pytest.approx(numbers(written.forcing, values)[:, 0], abs=1e-12)
    solved = np.linalg.solve(whole, forcing)  # rates, accelerations, multiplier
    assert found.solution[3:7] == pytest.approx(solved[4:8], abs=1e-11)
    assert found.multipliers["sigma b"] == pytest.approx(-solved[8], abs=1e-11)
    # the mixed form has no such multiplier and the same accelerations
    assert m.matrices(formulation="II").solution[3:7] == pytest.approx(solved[4:8], abs=1e-11)


# --- how they are shown --------------------------------------------------------------------------------------------------


def test_they_are_printed_with_the_names_of_bodies_and_coordinates():
    text = str(double_pendulum((0.3, -0.7), (1.2, -0.4)).matrices(formulation="joint"))
    for word in ("double pendulum", "joint", "A.angle", "two.phi", "H: mass matrix", "Bdot u", "(empty)"):
        assert word in text
    large = str(plane.chain([0.1] * 20).matrices())
    assert "(60 x 60 numbers, too many to print)" in large


def test_entries_are_found_by_name():
    found = double_pendulum((0.3, -0.7), (1.2, -0.4)).matrices()
    assert found["M"].of("two.x", "two.x") == 1.5
    assert found["g"].of("one.y") == pytest.approx(-2.0 * 9.81)
    assert found["J"].of("A.1").shape == (6,)
    assert np.asarray(found["M"]).shape == (6, 6)
    with pytest.raises(tm.ModelError, match=r"has no 'three\.x'"):
        found["M"].of("three.x")
    with pytest.raises(tm.ModelError, match="no matrix 'H'; it has: M, g, J, gamma"):
        found["H"]


def test_the_tree_can_be_chosen():
    m = plane.n_four_bar(1)
    joints = [name for name, each in m.constraints.items() if each.kind == "revolute"]
    for cut in joints:
        found = m.matrices(formulation=tm.formulations.joint(cut=[cut]))
        assert {name.split(".")[0] for name in found["JB"].rows} == {cut}
        assert found.accelerations == pytest.approx(m.matrices().accelerations, abs=1e-9)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"formulation": "II"}, "has no Euler parameters"),
        ({"formulation": "nothing"}, "is not known"),
        ({"at": 3.0}, "at must be a Result or an Equilibrium, but it is 3"),
        ({"state": 1}, "has no option 'state'"),
    ],
)
def test_what_cannot_be_had_is_refused(options, said):
    with pytest.raises(tm.ModelError, match=said):
        double_pendulum((0.3, -0.7), (1.2, -0.4)).matrices(**options)
