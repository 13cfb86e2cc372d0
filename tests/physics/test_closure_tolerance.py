"""Overconstrained loops from rounded data: with closure_tolerance their motion converges to that of the exact mechanism."""

import re

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.errors import AssemblyError, MobilityError, RunWarning

pytestmark = pytest.mark.filterwarnings("ignore::pytrammel.errors.RunWarning")
# rounding of a number moves points and axes by up to half a unit of the last digit; a loop of four joints adds up about ten such shifts
LOOSE = 20.0
# positions and velocities follow gaps over the smallest singular value of the rows in use, which stays above 1/50 in these mechanisms
AMPLIFIED = 50.0


def rounded(values, digits):
    """Numbers with so many significant digits, as somebody would print them."""
    return tuple(float(f"{x:.{digits}g}") for x in values)


def three_cranks(seed, digits, *, tolerance=None, mass=None):
    """Parallelogram with one crank too many, and where the origin of its table is at a crank angle (closed form)."""
    random = np.random.default_rng(seed)
    pins = np.array([[0.0, 0.0], [0.4, 0.02], [0.2, 0.15]]) + random.uniform(-0.02, 0.02, (3, 2))
    length, start = random.uniform(0.15, 0.25), random.uniform(0.3, 1.0)
    tips = pins + length * np.array([np.cos(start), np.sin(start)])
    m = tm.PlanarModel("cranks", closure_tolerance=LOOSE * 10.0**-digits if tolerance is None else tolerance)
    with_mass = {} if mass is None else {"mass": mass, "inertia": 0.01 * mass}
    m.body("table", position=rounded(tips[0], digits), **with_mass)
    for k, pin in enumerate(pins):
        m.body(f"crank{k}", position=rounded(pin, digits), angle=start, **with_mass)
        m.revolute(f"G{k}", m.ground, f"crank{k}", at=rounded(pin, digits))
        m.revolute(f"T{k}", f"crank{k}", "table", at=rounded(tips[k], digits))
    return m, start, lambda turn: pins[0] + length * np.array([np.cos(turn), np.sin(turn)])


def four_bar_in_space(seed, digits, *, tolerance=None, mass=None):
    """Planar four-bar in space: three rows too many; and the same with exact numbers in the plane."""
    random = np.random.default_rng(seed)
    corners = np.array([[0.0, 0.0], [0.1, 0.0], [0.35, 0.25], [0.4, 0.0]]) + random.uniform(-0.02, 0.02, (4, 2))
    corners[3, 1] = corners[0, 1]
    frame, _ = np.linalg.qr(random.normal(size=(3, 3)))
    frame[:, 2] *= np.linalg.det(frame)
    plane = tm.PlanarModel("plane", gravity=(0, 0))
    space = tm.SpatialModel(
        "space", gravity=(0, 0, 0), closure_tolerance=LOOSE * 10.0**-digits if tolerance is None else tolerance
    )
    names = ("ground", "crank", "coupler", "rocker")
    for k, name in enumerate(names[1:]):
        own = {} if mass is None else {"mass": mass}
        plane.body(name, position=tuple(corners[k]), **own, **({} if mass is None else {"inertia": 0.01 * mass}))
        inertia = {} if mass is None else {"inertia": (0.01 * mass,) * 3}
        space.body(name, position=tuple(frame[:, :2] @ corners[k]), **own, **inertia)
    for k, joint in enumerate("ABCD"):
        first, second = names[k], names[(k + 1) % 4]
        if joint == "D":
            first, second = second, first
        plane.revolute(joint, first, second, at=tuple(corners[k]))
        # every axis with another length, so that their directions differ by the rounding
        axis = rounded(frame[:, 2] * random.uniform(0.5, 2.0), digits)
        space.revolute(joint, first, second, at=rounded(frame[:, :2] @ corners[k], digits), axis=axis)
    return space, plane, frame


def driven(m, joint, motion):
    m.driver("motor", m[joint].angle, motion)
    return m


@pytest.mark.parametrize("digits", range(3, 10))
@pytest.mark.parametrize("seed", range(3))
def test_rounded_three_cranks_follow_the_circle_of_the_exact_ones(seed, digits):
    m, start, place = three_cranks(seed, digits)
    k = driven(m, "G0", f"{start!r} + 0.5*t").kinematics(duration=1.0, samples=21)
    exact = np.array([place(start + 0.5 * t) for t in k.times])
    error = np.hypot(k["table"].x - exact[:, 0], k["table"].y - exact[:, 1]).max()
    assert error <= AMPLIFIED * 10.0**-digits
    assert (
        k.constraint_violation() <= m.closure_tolerance / 0.2
    )  # of the model's size, which is at least the length of a crank


@pytest.mark.parametrize("digits", range(3, 10))
@pytest.mark.parametrize("seed", range(3))
def test_rounded_four_bars_in_space_move_as_exact_ones_in_the_plane(seed, digits):
    space, plane, frame = four_bar_in_space(seed, digits)
    runs = [driven(m, "A", "0.5*t").kinematics(duration=2.0, samples=21) for m in (space, plane)]
    for body in ("coupler", "rocker"):
        own = np.stack([getattr(runs[0][body], c) for c in ("vx", "vy", "vz")])
        exact = np.stack([runs[1][body].vx, runs[1][body].vy])
        assert np.abs(own - frame[:, :2] @ exact).max() <= AMPLIFIED * 10.0**-digits
        turning = np.stack([getattr(runs[0][body], c) for c in ("wx", "wy", "wz")])
        assert np.linalg.norm(turning, axis=0) == pytest.approx(
            np.abs(runs[1][body].omega), abs=AMPLIFIED * 10.0**-digits
        )


@pytest.mark.parametrize("seed", range(3))
def test_rounded_loops_have_the_freedom_of_exact_ones_only_with_a_tolerance(seed):
    for digits in (3, 5):
        for build in (three_cranks, four_bar_in_space):
            assert build(seed, digits)[0].mobility().dof == 1
            assert build(seed, digits, tolerance=0.0)[0].mobility().generic_dof == 0


@pytest.mark.parametrize("formulation", ["cartesian", "joint", "relative", "points"])
@pytest.mark.parametrize("digits", [4, 7])
def test_rounded_loops_swing_as_exact_ones_in_every_formulation(formulation, digits):
    space, plane, _ = four_bar_in_space(1, digits, mass=1.0)
    for m in (space, plane):
        m.motor("M", m["A"], torque="0.05")
    r = space.simulate(duration=0.5, samples=11, formulation=formulation)
    exact = plane.simulate(duration=0.5, samples=11)
    # twice the amplification: the motion integrates the acceleration's error
    assert np.abs(r["A"].angle - exact["A"].angle).max() <= 2 * AMPLIFIED * 10.0**-digits
    assert np.abs(r["A"].angle_rate - exact["A"].angle_rate).max() <= 4 * AMPLIFIED * 10.0**-digits
    assert not [w for w in r.warnings if w.kind in ("energy", "constraint drift", "contradiction")]


@pytest.mark.parametrize("constraints", ["projection", "baumgarte", "partitioning", "penalty", "augmented"])
def test_every_treatment_of_constraints_keeps_the_declared_gap(constraints):
    m, start, place = three_cranks(2, 5, mass=1.0)
    r = m.simulate(duration=0.2, samples=5, constraints=constraints)
    turn = start + r["G0"].angle - r["G0"].angle[0]
    exact = np.array([place(angle) for angle in turn])
    assert np.hypot(r["table"].x - exact[:, 0], r["table"].y - exact[:, 1]).max() <= AMPLIFIED * 1e-5
    assert 0.0 < r.constraint_violation() <= m.closure_tolerance / 0.2


def test_efforts_of_rounded_loops_converge_to_those_of_exact_ones():
    errors = []
    for digits in (3, 5, 7):
        space, plane, _ = four_bar_in_space(0, digits, mass=2.0)
        efforts = [
            driven(m, "A", "t**2").inverse_dynamics(duration=1.0, samples=6).effort("motor") for m in (space, plane)
        ]
        errors.append(np.abs(efforts[0] - efforts[1]).max() / np.abs(efforts[1]).max())
        assert errors[-1] <= AMPLIFIED * 10.0**-digits
    assert errors[2] < 1e-3 * errors[0]


@pytest.mark.parametrize("method", ["newton", "partitioned", "augmented", "damping"])
def test_rounded_loops_rest_where_exact_ones_do(method):
    m, start, _ = three_cranks(0, 5, mass=1.0)
    m.torsion_spring("S", first=m.ground, second="crank0", stiffness=60.0, free_angle=start, damping=3.0)
    e = m.equilibrium(method=method)
    # by hand: the centroids of the cranks are at their pins, so that only the table is lifted
    turn = e.pose("crank0")[2]
    tip = np.array(e.pose("table")[:2]) - np.array(e.pose("crank0")[:2])
    assert 60.0 * (turn - start) == pytest.approx(-9.81 * tip[0], abs=AMPLIFIED * 1e-5 * 60.0)
    assert [w.kind for w in e.warnings] == ["closure gap"]


def test_the_gap_of_every_redundant_constraint_is_a_warning_with_value_and_limit():
    m, _, _ = three_cranks(0, 4)
    driven(m, "G0", "0.5 + t")
    with pytest.warns(RunWarning, match="stays open") as caught:
        k = m.kinematics(duration=0.5, samples=11)
    warnings = [w for w in k.warnings if w.kind == "closure gap"]
    assert len(warnings) == len(caught) >= 1
    for warning in warnings:
        name, size, limit = re.search(
            r"'(\w+)' stays open by ([\d.e-]+) m \(\w+ accepts ([\d.e-]+) m", str(warning)
        ).groups()
        assert name in m.constraints
        assert 0.0 < float(size) <= float(limit) == pytest.approx(m.closure_tolerance, rel=1e-2)
    # the largest of them is what closure() states, in units of the model's size
    largest = max(float(re.search(r"by ([\d.e-]+) m", str(w))[1]) for w in warnings)
    assert largest / k._system.length == pytest.approx(k.constraint_violation(), rel=1e-2)


@pytest.mark.parametrize("share", [0.0, 1e-3, 0.1])
@pytest.mark.parametrize("digits", [3, 4, 5])
def test_a_gap_above_the_tolerance_names_loop_gap_and_tolerance(digits, share):
    wide, start, _ = three_cranks(1, digits)
    motion = f"{start!r} + 0.5*t"
    gap = driven(wide, "G0", motion).kinematics(duration=1.0, samples=21).constraint_violation() * 0.4
    m, _, _ = three_cranks(1, digits, tolerance=share * gap)
    with pytest.raises((AssemblyError, MobilityError)) as caught:
        driven(m, "G0", motion).kinematics(duration=1.0, samples=21)
    text = str(caught.value)
    loop = re.search(r"loop ([\w–]+) ", text)[1].split("–")
    assert {"ground", "table"} <= set(loop)
    stated = float(re.search(r"gap ([\d.e-]+) m", text)[1])
    assert m.closure_tolerance < stated <= 10 * gap
    assert f"{m.closure_tolerance:.3g} m" in text
    # the tolerance that the message proposes is enough for the place where the loop opens most
    needed = float(re.search(r"closure_tolerance of ([\d.e-]+) m", text)[1])
    assert needed >= stated


def test_a_tolerance_of_zero_changes_no_bit_of_an_exact_mechanism():
    runs = []
    for given in ({}, {"closure_tolerance": 0.0}):
        m = tm.PlanarModel("exact", **given)
        for k, x in enumerate((0.0, 0.5, 1.0)):
            m.body(f"crank{k}", position=(x, 0.0))
            m.revolute(f"G{k}", m.ground, f"crank{k}", at=(x, 0.0))
        m.body("table", position=(0.0, 0.25))
        for k, x in enumerate((0.0, 0.5, 1.0)):
            m.revolute(f"T{k}", f"crank{k}", "table", at=(x, 0.25))
        runs.append(driven(m, "G0", "t").kinematics(duration=1.0, samples=11))
    assert runs[0].q.tobytes() == runs[1].q.tobytes()
    assert not runs[1].warnings


def test_a_generous_tolerance_does_not_free_an_exact_mechanism():
    """Rows that matter stay, although each is open by less than the tolerance in the drawn position."""
    _, plane, _ = four_bar_in_space(0, 9)
    exact = driven(plane, "A", "t").kinematics(duration=1.0, samples=11)
    loose = plane.copy(closure_tolerance="1 mm")
    assert loose.mobility().dof == 1
    assert loose.kinematics(duration=1.0, samples=11).q == pytest.approx(exact.q, abs=1e-12)


def test_rough_drawings_of_rounded_loops_are_assembled():
    m, start, place = three_cranks(0, 4)
    changes = {"table": {"position": (0.1, 0.1), "angle": 0.1}, "crank1": {"angle": start + 0.2}}
    rough = m.copy(changes=changes)
    with pytest.warns(RunWarning, match="stays open"):
        found = rough.assemble()
    assert found.gaps and all(gap.size <= gap.limit for gap in found.gaps)
    turn = found.pose("crank0")[2]
    assert np.array(found.pose("table")[:2]) == pytest.approx(place(turn), abs=AMPLIFIED * 1e-4)


def test_the_plain_newton_method_cannot_leave_gaps():
    m, _, _ = three_cranks(0, 4)
    with pytest.raises(tm.ModelError, match="closure_tolerance"):
        m.assemble(newton="full")


def test_gradients_of_rounded_loops_are_those_of_exact_ones():
    m = tm.PlanarModel("cranks", closure_tolerance=4e-5)
    m.parameter("r", 0.23457)
    pins = ((0.0, 0.0), (0.41235, 0.0), (0.21235, 0.1))
    m.body("table", position=("r*cos(0.7)", "r*sin(0.7)"))
    for k, pin in enumerate(pins):
        m.body(f"crank{k}", position=pin, angle=0.7)
        m.revolute(f"G{k}", m.ground, f"crank{k}", at=pin)
        m.point(f"P{k}", f"crank{k}", local=("r" if k < 2 else "r + 0.00001", 0.0))
        m.point(f"Q{k}", "table", local=pin)
        m.revolute(f"T{k}", f"P{k}", f"Q{k}")
    driven(m, "G0", "0.7 + t")
    slope = m.gradient("table.x[end]", 1.0, analysis="kinematics", wrt=["r"], samples=5).derivatives["r"]
    assert slope == pytest.approx(np.cos(1.7), abs=AMPLIFIED * 1e-5)
    batch = m.batch({"r": [0.23457, 0.24, 0.25]}).kinematics(1.0, samples=5, keep=["table.x"])
    assert not batch.failures
    assert batch["table.x"][:, -1] == pytest.approx(np.array([0.23457, 0.24, 0.25]) * np.cos(1.7), abs=AMPLIFIED * 1e-5)
    assert len(batch.warnings) == 3


def test_actuators_lifting_a_rounded_loop_share_its_weight():
    """Reactions of redundant joints carry the weight together, whatever the rounding."""
    for digits in (4, 6):
        m, start, _ = three_cranks(0, digits, mass=1.0)
        s = driven(m, "G0", f"{start!r}").statics()
        lifted = sum(s[f"G{k}"].reaction[0, 1] for k in range(3))
        # pins carry four bodies of 1 kg; the sign says which body the joint pushes
        assert abs(lifted) == pytest.approx(4 * 9.81, rel=AMPLIFIED * 10.0**-digits)


@pytest.mark.parametrize("formulation", ["cartesian", "joint", "relative", "points"])
@pytest.mark.parametrize(("count", "digits"), [(10, 4), (10, 6), (40, 4)])
def test_many_rounded_cranks_keep_one_degree_of_freedom(count, digits, formulation):
    """Ten cranks have independent rows with singular values below 0.03, too; forty exceed the size of dense matrices."""
    random = np.random.default_rng(1)
    length, start = 0.2345678, 0.7
    tip = length * np.array([np.cos(start), np.sin(start)])
    m = tm.PlanarModel("cranks", gravity=(0, 0), closure_tolerance=6 * LOOSE * 10.0**-digits)
    m.body("table", position=rounded(tip, digits), mass=1.0, inertia=0.1)
    for k in range(count):
        pin = random.uniform(0.0, 1.0, 2) if k else np.zeros(2)
        m.body(
            f"crank{k}", position=rounded(pin, digits), angle=start, mass=0.1, inertia=0.01, omega=None if k else 1.0
        )
        m.revolute(f"G{k}", m.ground, f"crank{k}", at=rounded(pin, digits))
        m.revolute(f"T{k}", f"crank{k}", "table", at=rounded(pin + tip, digits))
    found = m.mobility()
    assert found.dof == 1
    assert len(found.redundant) == count - 2  # by Grübler: 2 + 2 cranks would do
    r = m.simulate(duration=0.2, samples=5, formulation=formulation)
    # no force acts, so that the cranks turn evenly
    assert r["G0"].angle - r["G0"].angle[0] == pytest.approx(r.times, abs=AMPLIFIED * 10.0**-digits)


def test_rounded_loops_change_phases():
    m, start, place = three_cranks(0, 5, mass=1.0)
    m.driver("slow", m["G0"].angle, f"{start!r} + 0.2*t")
    m.driver("fast", m["G0"].angle, f"{start!r} + 0.1 + 0.5*(t - 0.5)")
    m.phase("one", active=["slow"])
    m.phase("two", active=["fast"])
    m.switch("faster", "one", "two", when="t - 0.5")
    for r in (m.kinematics(duration=1.0, samples=11), m.simulate(duration=1.0, samples=11)):
        assert [r["table"].x[-1], r["table"].y[-1]] == pytest.approx(place(start + 0.35), abs=AMPLIFIED * 1e-5)
