"""Functions of a model (`m.functions()`): the same dynamics as runs in body coordinates, closed forms, and derivatives by differences."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import null_space

import pytrammel as tm
import spatial_models as space
from formulation_models import MODELS, slider_crank
from moving_samples import ALL, sample_model
from pytrammel.system.topology import can_carry
from robot_files import ARM, GRIPPER, PLANAR_TREE, loaded

FREE = [name for name in MODELS if name not in ("cam", "friction by reactions", "driven crank", "phases")]


def bodies_of(model, table, wide):
    names = list(model.bodies)[1:]
    return {name: table[:, wide * k : wide * (k + 1)] for k, name in enumerate(names)}


@pytest.mark.parametrize("name", FREE)
def test_forward_dynamics_gives_the_accelerations_of_a_run(name):
    """Trees, loops, redundant loops, gears, springs, contacts, floating bases, plane and space; the run is in body coordinates."""
    build, duration = MODELS[name]
    m = build()
    r = m.simulate(duration, samples=4, rtol=1e-10, atol=1e-12, progress=False)
    f = m.functions()
    q, v = f.states(r)
    size = max(1.0, np.abs(r.a).max())
    wide = f.model.space.dimension * 3 - 3
    accelerations, speeds = bodies_of(m, r.a, wide), bodies_of(m, r.v, wide)
    for k, t in enumerate(r.times):
        a = f.forward_dynamics(q[k], v[k], np.zeros(len(f.actuators)), t)
        for body in accelerations:
            own = f.acceleration(body, q[k], v[k], a)
            moving = f.velocity(body, q[k], v[k])
            if wide == 6:  # tables hold body components
                turn = f.pose(body, q[k])[1]
                own[3:], moving[3:] = turn.T @ own[3:], turn.T @ moving[3:]
            # closed to 1e-10 by the run; a loop's acceleration is as exact as its position times the square of the speed
            assert own == pytest.approx(accelerations[body][k], abs=1e-7 * size)
            assert moving == pytest.approx(speeds[body][k], abs=1e-8 * max(1.0, np.abs(r.v).max()))


@pytest.mark.parametrize("name", FREE)
def test_inverse_dynamics_returns_the_efforts_that_were_given(name):
    build, _ = MODELS[name]
    f = build().functions()
    rng = np.random.default_rng(5)
    v = 0.3 * rng.standard_normal(len(f.velocities))
    tau = rng.standard_normal(len(f.actuators))
    q = f.close(f.start)
    v = f.complete(q, v)
    a = f.forward_dynamics(q, v, tau)
    assert f.inverse_dynamics(q, v, a) == pytest.approx(tau, abs=1e-8 * max(1.0, np.abs(a).max()))


@pytest.mark.parametrize("where, kind", ALL)
def test_coordinates_are_measures_of_the_joint(where, kind):
    """Every joint that can be in a tree: its coordinates and rates are measured, and poses follow the velocities."""
    m, joint = sample_model(where, kind, 3)
    if not can_carry(m, joint):
        pytest.skip("closes loops")
    r = m.simulate(0.4, samples=3, rtol=1e-11, atol=1e-13, progress=False)
    f = m.functions()
    q, v = f.states(r)
    for name in joint.moving:
        label = f"{joint.name}.{name}"
        if label in f.coordinates:
            assert q[:, f.coordinates.index(label)] == pytest.approx(r[label], abs=1e-9)
            assert v[:, f.velocities.index(label)] == pytest.approx(r[f"{label}.rate"], abs=1e-8)
    check_derivatives(f, q[-1], v[-1], [b for b in m.bodies if b != "ground"])


def check_derivatives(f, q, v, places):
    """Velocities are the rates of poses, accelerations are rates of velocities, Jacobians give both."""
    h = 1e-5
    a = np.random.default_rng(1).standard_normal(v.shape)
    there, back = (f.integrate(q, s * h * v + 0.5 * h * h * a) for s in (1, -1))
    for place in places:
        J = f.jacobian(place, q)
        assert J @ v == pytest.approx(f.velocity(place, q, v), abs=1e-12 * max(1.0, np.abs(J).max() * np.abs(v).max()))
        n = f.model.space.dimension
        speed = (f.position(place, there) - f.position(place, back)) / (2 * h)
        scale = max(1.0, np.abs(v).max()) ** 3
        assert speed == pytest.approx((J @ v)[:n], abs=1e-7 * scale)
        rates = (f.velocity(place, there, v + h * a) - f.velocity(place, back, v - h * a)) / (2 * h)
        assert rates == pytest.approx(f.acceleration(place, q, v, a), abs=1e-6 * scale)
        if n == 3:
            turn = f.pose(place, q)[1]
            spin = (f.pose(place, there)[1] - f.pose(place, back)[1]) / (2 * h) @ turn.T
            assert [spin[2, 1], spin[0, 2], spin[1, 0]] == pytest.approx((J @ v)[3:], abs=1e-6 * scale)
    assert (there - back) / (2 * h) == pytest.approx(
        f.coordinate_rates(q, v), abs=1e-6 * max(1.0, np.abs(v).max()) ** 3
    )


def two_links():
    """Two uniform rods on pins; angles from the x axis, the second relative to the first."""
    m = tm.PlanarModel("two links", gravity=(0.0, -9.81))
    m.body("upper", position=(0.5, 0.0), mass=2.0, inertia=2.0 / 12)
    m.body("fore", position=(1.4, 0.0), mass=1.0, inertia=0.64 / 12)
    m.revolute("A", "ground", "upper", at=(0, 0))
    m.revolute("B", "upper", "fore", at=(1.0, 0.0))
    m.point("tip", "fore", at=(1.8, 0.0))
    return m


@pytest.mark.parametrize("seed", range(4))
def test_two_links_have_the_textbook_equations(seed):
    """Craig, Introduction to Robotics, example 6.7 with distributed masses: M, Coriolis terms and gravity written out."""
    f = two_links().functions()
    rng = np.random.default_rng(seed)
    q, v, a = rng.uniform(-3, 3, (3, 2))
    m1, m2, l1, c1, c2, i1, i2, g = 2.0, 1.0, 1.0, 0.5, 0.4, 2.0 / 12, 0.64 / 12, 9.81
    k = m2 * l1 * c2
    both = i2 + m2 * c2**2
    M = np.array(
        [
            [i1 + m1 * c1**2 + both + m2 * l1**2 + 2 * k * math.cos(q[1]), both + k * math.cos(q[1])],
            [both + k * math.cos(q[1]), both],
        ]
    )
    coriolis = k * math.sin(q[1]) * np.array([-2 * v[0] * v[1] - v[1] ** 2, v[0] ** 2])
    second = m2 * g * c2 * math.cos(q.sum())
    gravity = np.array([(m1 * c1 + m2 * l1) * g * math.cos(q[0]) + second, second])
    assert f.mass_matrix(q) == pytest.approx(M, rel=1e-13)
    assert f.gravity(q) == pytest.approx(gravity, abs=1e-12)
    assert f.bias_forces(q, v) == pytest.approx(coriolis + gravity, abs=1e-11)
    assert f.inverse_dynamics(q, v, a) == pytest.approx(M @ a + coriolis + gravity, abs=1e-11)
    s, c = np.sin(q.sum()), np.cos(q.sum())
    J = [
        [-math.sin(q[0]) - 0.8 * s, -0.8 * s],
        [math.cos(q[0]) + 0.8 * c, 0.8 * c],
        [1.0, 1.0],
    ]
    assert f.jacobian("tip", q) == pytest.approx(np.array(J), abs=1e-14)
    assert f.kinetic_energy(q, v) == pytest.approx(0.5 * v @ M @ v, rel=1e-13)


def test_power_of_the_efforts_is_the_rate_of_the_energy():
    """tau . v = d(T + V)/dt along any motion, on a floating robot with universal joints."""
    f = MODELS["floating robot"][0]().functions()
    rng = np.random.default_rng(2)
    h = 1e-5
    for _ in range(3):
        q = f.integrate(f.start, rng.standard_normal(len(f.velocities)))
        v, a = rng.standard_normal((2, len(f.velocities)))
        there, back = (f.integrate(q, s * h * v + 0.5 * h * h * a) for s in (1, -1))
        energies = [f.kinetic_energy(p, w) + f.potential_energy(p) for p, w in ((there, v + h * a), (back, v - h * a))]
        power = f.inverse_dynamics(q, v, a) @ v
        assert (energies[0] - energies[1]) / (2 * h) == pytest.approx(power, rel=1e-7)


def test_a_driven_four_bar_needs_the_torque_of_inverse_dynamics():
    """The torque of the crank by `m.inverse_dynamics` in body coordinates, and by the functions at the same states."""
    m = slider_crank()
    m.driver("motor", "A.angle", f"{m.drawn_value(m['A'].angle)} + 0.5*t + t^2")
    r = m.inverse_dynamics(0.6, samples=7, progress=False)
    f = m.functions(actuators=["A.angle"])
    assert f.actuators == m.functions().actuators == ("A.angle",)
    q, v = f.states(r)
    a = np.zeros_like(v)
    a[:, f.velocities.index("A.angle")] = 2.0
    w, a = f.complete(q, v, a)
    assert w == pytest.approx(v, abs=1e-9)
    assert f.inverse_dynamics(q, v, a)[:, 0] == pytest.approx(r["motor.effort"], abs=1e-7)


@pytest.mark.parametrize("space", ["plane", "space"])
def test_links_without_mass_move_with_their_loop(space):
    """Slider-crank with a massless rod, which gives the tree no inertia: (J + m x'^2) phi'' = tau - m x' x'' w^2, closed form."""
    r, rod, inertia, mass = 0.3, 0.8, 0.05, 2.0
    if space == "plane":
        m = tm.PlanarModel("slider-crank", gravity=(0.0, 0.0))
        m.body("crank", mass=1.0, inertia=inertia)
        m.body("rod", position=(0.3, 0.0), massless=True)
        m.body("slider", position=(1.1, 0.0), mass=mass, inertia=0.1)
        hinge, ways = {}, {"axis": (1, 0)}
    else:
        m = tm.SpatialModel("slider-crank", gravity=(0.0, 0.0, 0.0))
        m.body("crank", mass=1.0, inertia=(0.03, 0.03, inertia))
        m.body("rod", position=(0.3, 0.0, 0.0), massless=True)
        m.body("slider", position=(1.1, 0.0, 0.0), mass=mass, inertia=(0.1, 0.1, 0.1))
        hinge, ways = {"axis": "z"}, {"axis": "x"}
    zero = (0.0,) * (1 if space == "space" else 0)
    m.revolute("A", "ground", "crank", at=(0.0, 0.0, *zero), **hinge)
    m.revolute("B", "crank", "rod", at=(r, 0.0, *zero), **hinge)
    if space == "plane":
        m.prismatic("guide", "ground", "slider", at=(r + rod, 0.0), **ways)
    else:
        m.prismatic("guide", "ground", "slider", at=(r + rod, 0.0, 0.0), **ways)
    m.revolute("C", "rod", "slider", at=(r + rod, 0.0, *zero), **hinge)
    f = m.functions(actuators=["A.angle"], cut=["C"])
    crank = f.coordinates.index("A.angle")
    for angle, speed, torque in ((0.5, 2.0, 3.0), (1.7, -1.0, 0.0), (2.9, 0.4, -5.0)):
        q = np.zeros(len(f.coordinates))
        q[crank], q[f.coordinates.index("B.angle")] = angle, -angle - math.asin(r * math.sin(angle) / rod)
        q = f.close(q, hold=["A.angle"])
        v = np.zeros(len(f.velocities))
        v[crank] = speed
        v = f.complete(q, v)
        s, c = math.sin(angle), math.cos(angle)
        root = math.sqrt(rod**2 - (r * s) ** 2)
        x1 = -r * s - r * r * s * c / root
        x2 = -r * c - r * r * (c * c - s * s) / root - r**4 * (s * c) ** 2 / root**3
        expected = (torque - mass * x1 * x2 * speed**2) / (inertia + mass * x1**2)
        found = f.forward_dynamics(q, v, np.array([torque]))
        assert found[crank] == pytest.approx(expected, rel=1e-9)
        assert f.inverse_dynamics(q, v, found) == pytest.approx([torque], abs=1e-9)


def test_redundant_actuators_share_with_the_smallest_sum_of_squares():
    m = MODELS["four-bar"][0]()
    f = m.functions()
    names = [name for name in f.velocities if name.endswith("angle")]
    rich = m.functions(actuators=names)
    q = f.close(f.start)
    v = f.complete(q, np.ones(len(f.velocities)))
    v, a = f.complete(q, v, np.ones(len(f.velocities)))
    tau = rich.inverse_dynamics(q, v, a)
    assert rich.forward_dynamics(q, v, tau) == pytest.approx(a, abs=1e-9 * np.abs(a).max())
    N = rich.motions(q)
    # the smallest: all of tau acts on the motions
    acting = N[[rich.velocities.index(name) for name in names]]
    assert tau == pytest.approx(acting @ np.linalg.lstsq(acting, tau, rcond=None)[0], abs=1e-9 * np.abs(tau).max())


def chain(armature):
    """Three hinges; the rotor of the first varies."""
    inside = ""
    for k, (axis, rotor) in reversed(list(enumerate((("0 1 0", armature), ("0.6 0 0.8", "0.05"), ("0 0 1", "0"))))):
        inside = (
            f'<body name="b{k}" pos="0.1 0.2 -0.3"><joint name="j{k}" type="hinge" axis="{axis}" armature="{rotor}"/>'
            f'<inertial mass="{k + 1}" pos="0.1 0 -0.2" diaginertia="0.1 0.12 0.15"/>{inside}</body>'
        )
    return f'<mujoco><option gravity="0 0 -9.81"/><worldbody>{inside}</worldbody></mujoco>'


def test_armature_adds_to_the_diagonal_and_is_no_coordinate(tmp_path):
    """MuJoCo's rule: the reflected inertia of a rotor appears on the diagonal of the joints' mass matrix, and nowhere else."""
    found = []
    for armature in ("0", "0.3"):
        path = tmp_path / "chain.xml"
        path.write_text(chain(armature), encoding="utf-8")
        f = tm.load_robot(path).functions()
        assert f.coordinates == ("j0.angle", "j1.angle", "j2.angle") and not f.constraints
        found.append(f)
    q, v, a = np.random.default_rng(0).standard_normal((3, 3))
    plain, heavy = (f.mass_matrix(q) for f in found)
    assert heavy - plain == pytest.approx(np.diag([0.3, 0.0, 0.0]), abs=1e-13)
    assert found[1].inverse_dynamics(q, v, a) - found[0].inverse_dynamics(q, v, a) == pytest.approx(
        [0.3 * a[0], 0, 0], abs=1e-12
    )
    assert found[1].forward_dynamics(q, v, found[1].inverse_dynamics(q, v, a)) == pytest.approx(a, abs=1e-11)


def test_coupled_joints_are_one_coordinate():
    """Arms joined by gears: coordinates that follow are omitted; the coupled inertia is E'ME with E from the ratios."""
    m = MODELS["gears"][0]()
    f = m.functions()
    assert not f.constraints
    r = m.simulate(0.5, samples=3, progress=False)
    q, v = f.states(r)
    loose = m.copy(without=[n for n, c in m.constraints.items() if c.kind == "gear"]).functions()
    Q, V = loose.states(r)
    assert len(loose.velocities) == len(f.velocities) + 1
    # E from two motions, one per remaining freedom
    E = np.linalg.lstsq(v[1:], V[1:], rcond=None)[0].T
    assert v[1:] @ E.T == pytest.approx(V[1:], abs=1e-9)
    for k in range(3):
        assert f.mass_matrix(q[k]) == pytest.approx(E.T @ loose.mass_matrix(Q[k]) @ E, rel=1e-8)
        assert f.gravity(q[k]) == pytest.approx(E.T @ loose.gravity(Q[k]), rel=1e-8)


def test_closing_keeps_held_coordinates():
    f = space.rssr(0.3).functions()
    q = f.start.copy()
    at = f.coordinates.index(f.actuators[0])
    wanted = q[at] + 0.25
    q[at] = wanted
    closed = f.close(q, hold=f.actuators[:1])
    assert closed[at] == wanted
    assert np.abs(f.constraint_residuals(closed)).max() < 1e-11
    J, h = f.constraint_jacobian(closed), 1e-6
    step = np.random.default_rng(0).standard_normal(len(f.velocities))
    ends = [f.constraint_residuals(f.integrate(closed, s * h * step)) for s in (1, -1)]
    assert (ends[0] - ends[1]) / (2 * h) == pytest.approx(J @ step, abs=1e-8)


def test_a_run_by_scipy_is_a_run_of_trammel():
    """Functions as the right-hand side of `solve_ivp`, with a ball joint, against `simulate`."""
    from scipy.integrate import solve_ivp

    m = MODELS["every joint"][0]()
    f = m.functions()
    n = len(f.coordinates)
    none = np.zeros(len(f.velocities))

    def rates(t, y):
        q, v = y[:n], y[n:]
        return np.concatenate([f.coordinate_rates(q, v), f.forward_dynamics(q, v, none, t)])

    r = m.simulate(0.2, samples=2, rtol=1e-11, atol=1e-13, progress=False)
    q, v = f.states(r)
    found = solve_ivp(rates, (0.0, 0.2), np.concatenate([q[0], v[0]]), method="DOP853", rtol=1e-10, atol=1e-12)
    assert found.y[:n, -1] == pytest.approx(q[1], abs=1e-7)
    assert found.y[n:, -1] == pytest.approx(v[1], abs=1e-6)


def test_a_controller_that_computes_torques_follows_its_motion():
    """Computed torque: inverse dynamics inside a sampled controller makes two links follow a motion."""
    m = two_links()
    f = m.functions()

    def law(t, a, b, va, vb):
        want, rate, second = np.sin(t) * np.ones(2), np.cos(t) * np.ones(2), -np.sin(t) * np.ones(2)
        q, v = np.array([a, b]), np.array([va, vb])
        tau = f.inverse_dynamics(q, v, second + 400 * (want - q) + 40 * (rate - v))
        return tuple(tau)

    m.controller(
        "computed",
        law,
        inputs=["t", "A.angle", "B.angle", "A.angle.rate", "B.angle.rate"],
        outputs=["one", "two"],
        every=0.002,
    )
    m.motor("shoulder", first="ground", second="upper", torque="one")
    m.motor("elbow", first="upper", second="fore", torque="two")
    r = m.simulate(0.5, samples=11, initial={"A.angle.rate": 1.0, "B.angle.rate": 1.0}, progress=False)
    # held over 2 ms at a bandwidth of 20 rad/s
    assert r["A.angle"] == pytest.approx(np.sin(r.times), abs=5e-3)
    assert r["B.angle"] == pytest.approx(np.sin(r.times), abs=5e-3)


URDFS = {"arm": ARM, "tree": PLANAR_TREE, "gripper": GRIPPER}


@pytest.mark.peers
@pytest.mark.parametrize("name", URDFS)
def test_dynamics_agree_with_pinocchio(tmp_path, name):
    """`rnea`, `crba` and `aba` of the same file; mimicked joints move with what they mimic. `bench/functions.py` has public robots."""
    pin = pytest.importorskip("pinocchio")
    m = loaded(tmp_path, URDFS[name])
    f = m.functions(elements=False)
    model = pin.buildModelFromUrdf(str(tmp_path / "robot.urdf"))
    data = model.createData()
    T = np.zeros((model.nv, len(f.velocities)))
    rows = {label: joint.idx_v for joint, label in zip(list(model.joints)[1:], list(model.names)[1:], strict=True)}
    for k, own in enumerate(f.velocities):
        T[rows[own.rpartition(".")[0]], k] = 1.0
    if name == "gripper":  # multipliers of the file
        for follower, factor in (("right_slide", 1.0), ("crank_turn", 8.0)):
            T[rows[follower]] = factor * T[rows["left_slide"]]
    rng = np.random.default_rng(3)
    q, v, a = rng.standard_normal((3, len(f.velocities)))
    p, w, b = T @ q, T @ v, T @ a
    if name == "gripper":
        p[rows["crank_turn"]] += 0.1  # offset of the file
    if model.nq != model.nv:
        p = pin.integrate(model, pin.neutral(model), p)
    tau = pin.rnea(model, data, p, w, b)
    assert f.inverse_dynamics(q, v, a) == pytest.approx(T.T @ tau, rel=1e-11, abs=1e-12 * np.abs(tau).max())
    M = pin.crba(model, data, p)
    M = np.triu(M) + np.triu(M, 1).T
    assert f.mass_matrix(q) == pytest.approx(T.T @ M @ T, abs=1e-12 * np.abs(M).max())
    if np.allclose(T, np.eye(len(T))):
        assert f.forward_dynamics(q, v, tau) == pytest.approx(pin.aba(model, data, p, w, tau), rel=1e-9)


@pytest.mark.peers
def test_casadi_calls_the_functions():
    """The callback of the page: the numbers that it prints, and the Jacobian that CasADi finds by differences."""
    casadi = pytest.importorskip("casadi", reason="the package casadi is not installed (extra 'peers')")
    page = (Path(__file__).parents[2] / "docs/robot_functions.md").read_text(encoding="utf-8")
    names = {"np": np}
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1), names)
    code, _, printed = re.search(r"```py\n(import casadi.*?)```", page, re.DOTALL).group(1).rstrip().rpartition("\n")
    names["arm"] = arm = names["f"]
    exec(code, names)
    call, _, shown = printed.partition("  # ")
    found = np.array(eval(call, names)).ravel()
    assert found == pytest.approx(
        np.array(re.findall(r"-?[\d.]+", shown), dtype=float), rel=1e-5
    )  # six digits are printed
    state, rest = np.array([0.3, 0.5, 1.0, -0.5]), np.zeros(2)
    assert found[2:] == pytest.approx(arm.forward_dynamics(state[:2], state[2:], rest), rel=1e-14)
    x, tau = names["x"], names["tau"]
    J = casadi.Function("J", [x, tau], [casadi.jacobian(names["step"](x, tau), x)])(state, rest)
    # with efforts in their place accelerations are linear: columns of the inverse mass matrix, exact to rounding
    K = casadi.Function("K", [x, tau], [casadi.jacobian(names["step"](x, tau), tau)])(state, rest)
    assert np.array(K)[2:] == pytest.approx(
        np.linalg.inv(arm.mass_matrix(state[:2])), rel=1e-6
    )  # differences by CasADi
    assert np.array(J)[:2] == pytest.approx(np.eye(4)[2:], abs=1e-12)


@pytest.mark.parametrize("name", FREE)
def test_efforts_with_loops_follow_from_virtual_power(name):
    """N_a' tau = N' (M a + b), N the null space of the loop equations by NumPy: one state, and an array of states."""
    f = MODELS[name][0]().functions()
    rng = np.random.default_rng(11)
    q = np.array([f.close(f.integrate(f.start, 0.02 * rng.standard_normal(len(f.velocities)))) for _ in range(3)])
    v = f.complete(q, 0.5 * rng.standard_normal((3, len(f.velocities))))
    a = f.complete(q, v, rng.standard_normal(v.shape))[1]
    together = f.inverse_dynamics(q, v, a, 0.1)
    acting = [f.velocities.index(name) for name in f.actuators]
    for k in range(3):
        needed = f.mass_matrix(q[k]) @ a[k] + f.bias_forces(q[k], v[k], 0.1)
        J = f.constraint_jacobian(q[k])
        N = null_space(J, rcond=1e-8) if J.size else np.eye(len(needed))
        expected = np.linalg.solve(N[acting].T, N.T @ needed)
        size = max(1.0, np.abs(needed).max())
        assert f.inverse_dynamics(q[k], v[k], a[k], 0.1) == pytest.approx(expected, abs=1e-9 * size)
        assert together[k] == pytest.approx(expected, abs=1e-9 * size)


def flat_four_bar(space, crank, coupler, rocker):
    """A linkage with all links on one line: crank + coupler = ground + rocker."""
    ground = crank + coupler - rocker
    ends = {"crank": (0.0, crank), "coupler": (crank, crank + coupler), "rocker": (ground, ground + rocker)}
    m = tm.PlanarModel("flat") if space == "plane" else tm.SpatialModel("flat", gravity=(0.0, -9.81, 0.0))
    rest, turns = ((), {}) if space == "plane" else ((0.0,), {"axis": "z"})
    for name, (one, other) in ends.items():
        inertia = 0.1 if space == "plane" else (0.01, 0.1, 0.1)
        m.body(name, position=(0.5 * (one + other), 0.0, *rest), mass=1.0, inertia=inertia)
    m.revolute("A", "ground", "crank", at=(0.0, 0.0, *rest), **turns)
    m.revolute("B", "crank", "coupler", at=(crank, 0.0, *rest), **turns)
    m.revolute("D", "ground", "rocker", at=(ground, 0.0, *rest), **turns)
    m.revolute("C", "coupler", "rocker", at=(crank + coupler, 0.0, *rest), **turns)
    for body in ("coupler", "rocker"):
        m.point(f"{body}_end", body, at=(crank + coupler, 0.0, *rest))
    return m


@pytest.mark.parametrize("space", ["plane", "space"])
@pytest.mark.parametrize("lengths", [(1.0, 2.0, 1.0), (0.4, 1.1, 0.7), (0.9, 0.5, 0.2)])
def test_loops_that_are_drawn_flat_close_elsewhere(space, lengths):
    """Loop equations that depend on each other in the flat position only are kept; in space three of six are redundant everywhere."""
    f = flat_four_bar(space, *lengths).functions()
    assert f.actuators == ("A.angle",) and len(f.constraints) == 2
    q = f.start.copy()
    q[f.coordinates.index("A.angle")] += 0.15
    q = f.close(q, hold=f.actuators)
    ends = [f.position(f"{body}_end", q) for body in ("coupler", "rocker")]
    assert ends[0] == pytest.approx(ends[1], abs=1e-10)
    v = f.complete(q, np.ones(3))
    a = f.forward_dynamics(q, v, np.array([2.0]))
    assert f.inverse_dynamics(q, v, a) == pytest.approx([2.0], abs=1e-9 * np.abs(a).max())
    with pytest.raises(tm.SingularError, match="depend on each other"):
        f.forward_dynamics(f.start, np.zeros(3), np.zeros(1))
    for states in (f.start, np.array([f.start, f.start])):
        with pytest.raises(tm.SingularError, match=r"A\.angle"):
            f.inverse_dynamics(states, np.zeros(3), np.zeros(3))


def test_a_joint_parallel_to_a_weld_adds_no_loop_equation():
    """Its equations are zero along the tree except for rounding, in every position."""
    m = tm.PlanarModel("welded")
    m.body("one", position=(0.3, -0.2), angle=0.7, mass=1.0, inertia=0.1)
    m.body("two", position=(-0.4, 0.9), angle=-1.9, mass=0.7, inertia=0.2)
    m.revolute("pin", "one", "two", at=(0.37, 0.71))
    m.weld("weld", "two", "one")
    f = m.functions()
    assert not f.constraints and len(f.velocities) == len(f.actuators) == 3
    falling = f.forward_dynamics(f.start, np.zeros(3), np.zeros(3))
    assert f.acceleration("two", f.start, np.zeros(3), falling)[:2] == pytest.approx([0.0, -9.81], abs=1e-12)
