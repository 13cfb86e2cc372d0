"""What every motion in space must satisfy: Newton and Euler body by body, conservation laws, independence of frames; singular
positions are reported; starts are made consistent around what is held."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import pytrammel as tm
from spatial_models import (
    EYE,
    RELEASED,
    X,
    Y,
    Z,
    bennett,
    bricard,
    four_bar,
    haug_pendulum,
    heavy_top,
    imbalance,
    rod,
    rssr,
    sarrus,
    stewart_with_legs,
    turn,
)

QUIET = {"progress": False}
LIMITED = QUIET
TIGHT = {"rtol": 1e-11, "atol": 1e-13, **LIMITED}
TILTED = turn((0.48, -0.6, 0.64), 1.1)


def balanced(found, loads=None, share=1e-9):
    """Newton and Euler for every body; the share of the largest force that rounding may leave (lever arms are about 1 m)."""
    for name in list(found.model.bodies)[1:]:
        force, moment, size = imbalance(found, name, (loads or {}).get(name, ()))
        np.testing.assert_allclose(force, 0.0, atol=share * size, err_msg=f"forces on {name}")
        np.testing.assert_allclose(moment, 0.0, atol=share * size, err_msg=f"moments on {name}")


@pytest.fixture(scope="module")
def released():
    """Each released model, simulated once."""
    done = {}

    def run(name):
        if name not in done:
            build, duration = RELEASED[name]
            done[name] = build().simulate(duration, samples=41, **TIGHT)
        return done[name]

    return run


@pytest.mark.parametrize("name", RELEASED)
def test_energy_is_kept(name, released):
    r = released(name)
    total = r.energy.total
    scale = float(np.abs(r.energy.kinetic).max())
    np.testing.assert_allclose(total, total[0], atol=1e-8 * max(1.0, scale))  # rtol 1e-11 in a few hundred steps
    np.testing.assert_allclose(r.energy.balance, 0.0, atol=1e-8 * max(1.0, scale))
    assert scale > 1e-3  # it moves


@pytest.mark.parametrize("name", RELEASED)
def test_joints_stay_closed(name, released):
    r = released(name)
    assert r.constraint_violation() < 1e-12
    for body in list(r.model.bodies)[1:]:
        np.testing.assert_allclose((r[body].parameters ** 2).sum(axis=1), 1.0, atol=1e-13)


@pytest.mark.parametrize("name", RELEASED)
def test_newton_and_euler_hold_for_every_body(name, released):
    balanced(released(name))


@pytest.mark.parametrize("name", RELEASED)
def test_what_a_joint_does_to_one_body_it_does_to_the_other_the_other_way_round(name, released):
    r = released(name)
    for joint in r.model.constraints.values():
        first, second = (r.reaction(joint.name, on=body) for body in joint.bodies)
        size = max(1.0, float(np.abs(first.force).max()))
        np.testing.assert_allclose(first.force, -second.force, atol=1e-11 * size)
        np.testing.assert_allclose(first.moment_about(second.point), -second.moment, atol=1e-11 * size)


@pytest.mark.parametrize("name", RELEASED)
def test_accelerations_are_the_derivatives_of_velocities(name, released):
    """Fourth-order differences 0.25 ms apart: errors of h⁴ times the fifth derivative, and rounding over h, below 1e-5."""
    build, duration = RELEASED[name]
    t0, h = 0.3 * duration, 2.5e-4
    r = build().simulate(times=[0.0, *(t0 + k * h for k in (-2, -1, 0, 1, 2))], **TIGHT)
    weights = np.array([1, -8, 0, 8, -1]) / (12 * h)
    scale = max(1.0, float(np.abs(r.a[3]).max()))
    np.testing.assert_allclose(weights @ r.v[1:], r.a[3], atol=1e-5 * scale)
    for body in list(r.model.bodies)[1:]:
        s = r[body]
        np.testing.assert_allclose(weights @ s.position[1:], s.velocity[3], atol=1e-5 * scale)
        skew = s.matrix[3].T @ np.einsum("k,kij->ij", weights, s.matrix[1:])  # A' dA/dt = omega' tilde
        np.testing.assert_allclose([skew[2, 1], skew[0, 2], skew[1, 0]], s.omega_body[3], atol=1e-5 * scale)


# --- conservation without a ground -------------------------------------------------------------------------------------------


def floating():
    """Three bodies joined by a universal joint and a hinge with a spring across, adrift and tumbling."""
    m = tm.SpatialModel("adrift", gravity=(0, 0, 0))
    a = rod(m, "a", (0, 0, 0), (1, 0, 0), 1.0, omega=(0.5, 1.0, -2.0), velocity=(0.3, 0.2, 0.1))
    b = rod(m, "b", (1, 0, 0), (1, 1, 0.2), 2.0, omega=(1.0, None, None))
    c = m.body(
        "c", position=(1.2, 1.5, 0.2), rotation=TILTED, mass=1.5, inertia=(0.2, 0.3, 0.4), centroid=(0.1, -0.2, 0.05)
    )
    m.universal("U", a, b, at=(1, 0, 0), axis="z", second_axis="x")
    m.revolute("R", b, c, at=(1, 1, 0.2), axis=(0.6, 0.0, 0.8))
    m.spring("S", a.at(0, 0.1, 0), c.at(0.1, 0.2, 0.3), stiffness=20.0, free_length=1.0)
    return m


def test_momentum_angular_momentum_and_energy_of_a_system_adrift():
    r = floating().simulate(4.0, samples=41, **TIGHT)
    for series in (r.momentum, r.angular_momentum):
        np.testing.assert_allclose(series, np.tile(series[0], (41, 1)), atol=1e-9)
        assert np.abs(series[0]).max() > 0.1
    np.testing.assert_allclose(r.energy.total, r.energy.total[0], atol=1e-8)
    centre = sum(r.model[b].mass * r[b].centroid for b in "abc") / 4.5
    want = centre[0] + r.times[:, None] * r.momentum[0] / 4.5
    np.testing.assert_allclose(centre, want, atol=1e-9)
    assert np.ptp(r.energy.stored) > 1e-2  # the spring works
    np.testing.assert_allclose(r.ground_reaction, 0.0, atol=1e-12)


def test_newton_and_euler_with_a_spring_between():
    r = floating().simulate(2.0, samples=21, **TIGHT)
    a, c = r["a"], r["c"]
    P = a.position + a.matrix @ (0, 0.1, 0)
    Q = c.position + c.matrix @ (0.1, 0.2, 0.3)
    d = Q - P
    length = np.linalg.norm(d, axis=1)[:, None]
    pull = 20.0 * (length - 1.0) * d / length  # on a, towards c
    none = np.zeros_like(d)
    balanced(r, {"a": [(pull, P, none)], "c": [(-pull, Q, none)]})


# --- driven machines ---------------------------------------------------------------------------------------------------------


DRIVEN = {
    "RSSR": lambda: rssr(0.3, drive="0.3 + 2*t"),
    "Bennett": lambda: bennett(1.0, drive="1 + 0.8*sin(t)"),
    "four-bar": lambda: four_bar(tilt=TILTED, drive="pi/3 + 3*t"),
    "Sarrus": lambda: sarrus(1.2, drive="1.2 + 0.4*sin(2*t)"),
    "off-centre frame": lambda: haug_pendulum(drive="0.5*sin(2*t)"),
}


@pytest.mark.parametrize("name", DRIVEN)
def test_efforts_balance_the_bodies_and_pay_for_the_energy(name):
    """Newton–Euler with the driver's own moment, and the motor's power is what the energy changes by."""
    times = np.linspace(0.0, 2.0, 401)
    r = DRIVEN[name]().inverse_dynamics(times=times, **QUIET)
    balanced(r)
    total = r.energy.kinetic + r.energy.gravity
    driven = r.model["motor"].measures["value"]
    power = r.effort("motor") * r.series(driven).rate
    # fourth-order differences of the energy, dt = 5 ms: their error is dt⁴ / 30 times its fifth derivative
    slope = (total[:-4] - 8 * total[1:-3] + 8 * total[3:-1] - total[4:]) / (12 * 5e-3)
    np.testing.assert_allclose(slope, power[2:-2], atol=1e-4 * np.abs(power).max())


@pytest.mark.parametrize("name", DRIVEN)
def test_a_driven_simulation_is_its_own_kinematics(name):
    m = DRIVEN[name]()
    r, k = m.simulate(1.0, samples=11, **TIGHT), m.kinematics(1.0, samples=11, **QUIET)
    for body in list(m.bodies)[1:]:
        np.testing.assert_allclose(r[body].position, k[body].position, atol=1e-9)
        np.testing.assert_allclose(r[body].matrix, k[body].matrix, atol=1e-9)
        np.testing.assert_allclose(r[body].velocity, k[body].velocity, atol=1e-8)
        np.testing.assert_allclose(r[body].omega_body, k[body].omega_body, atol=1e-8)
    efforts = m.inverse_dynamics(1.0, samples=11, **QUIET).effort("motor")
    np.testing.assert_allclose(r.effort("motor"), efforts, atol=1e-7 * max(1.0, float(np.abs(efforts).max())))
    np.testing.assert_allclose(r.energy.balance, 0.0, atol=1e-8 * max(1.0, float(np.abs(r.energy.input).max())))


def test_statics_of_the_hexapod_balances_every_body():
    m = stewart_with_legs()
    for n in range(6):
        m.driver(f"leg{n}", f"P{n}.distance", m.drawn_value(m[f"P{n}"].measures["distance"]))
    s = m.statics()
    balanced(s)
    weight = 9.81 * (10 + 6 * 3)
    np.testing.assert_allclose(s.ground_reaction[0, :3], [0, 0, -weight], atol=1e-9 * weight)


# --- independence of frames ----------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*across singular positions")  # no step over the change point meets this tolerance
@pytest.mark.parametrize(
    "build",
    [four_bar, lambda tilt: four_bar((0.8, 0.8, 0.8, 0.8), crank=1.0, tilt=tilt)],
    ids=["crank-rocker", "rhombus through its change point"],
)
def test_the_same_machine_turned_in_space_moves_alike(build):
    straight, turned = (build(tilt=tilt).simulate(1.0, samples=11, **TIGHT) for tilt in (EYE, TILTED))
    for body in ("crank", "coupler", "rocker"):
        np.testing.assert_allclose(straight[body].position @ TILTED.T, turned[body].position, atol=1e-8)
        np.testing.assert_allclose(straight[body].omega_body, turned[body].omega_body, atol=1e-7)
    np.testing.assert_allclose(straight.energy.total, turned.energy.total, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_body_frame_does_not_matter(seed):
    """A pendulum on a universal joint, described in its principal frame and in a random one: one motion, one reaction."""
    random = np.random.default_rng(seed)
    axis = random.normal(size=3)
    frame, shift = turn(axis / np.linalg.norm(axis), random.uniform(0, 3)), random.uniform(-0.5, 0.5, 3)
    J, arm, spin = np.diag([0.2, 0.3, 0.4]), np.array([0.1, 0.3, -0.7]), np.array([1.0, -0.5, 0.0])
    found = []
    for A, s in ((EYE, np.zeros(3)), (frame, shift)):
        m = tm.SpatialModel("pendulum")
        m.body("b", position=s, rotation=A, mass=2.0, inertia=A.T @ J @ A, centroid=A.T @ (arm - s), omega=A.T @ spin,
               velocity=np.cross(spin, s))  # fmt: skip
        m.universal("U", m.ground, "b", at=(0, 0, 0), axis="x", second_axis="y")
        found.append(m.simulate(2.0, samples=11, **TIGHT))
    one, other = found
    np.testing.assert_allclose(one["b"].matrix, other["b"].matrix @ frame.T, atol=1e-9)
    np.testing.assert_allclose(one["b"].centroid, other["b"].centroid, atol=1e-9)
    np.testing.assert_allclose(one.reaction("U").force, other.reaction("U").force, atol=1e-7)
    np.testing.assert_allclose(one.reaction("U").moment, other.reaction("U").moment, atol=1e-7)
    np.testing.assert_allclose(one.energy.kinetic, other.energy.kinetic, atol=1e-9)


# --- closed chains with more rows than they need ----------------------------------------------------------------------------


OVER = {
    "Bennett": (lambda: bennett(2.0), 3, 3.0),
    "Bricard": (bricard, 1, 4.0),
    "four-bar": (lambda: four_bar(tilt=TILTED), 3, 4.0),
    "Sarrus": (lambda: sarrus(1.5), 1, 0.3),
    "parallelogram": (lambda: four_bar((1.0, 2.0, 1.0, 2.0), crank=-0.6, side=-1, masses=(1, 1, 1)), 3, 2.0),
}


@pytest.mark.parametrize("name", OVER)
def test_over_constrained_chains_move_without_complaint(name):
    build, extra, duration = OVER[name]
    m = build()
    found = m.mobility()
    assert (found.dof, len(found.redundant), found.singular) == (1, extra, False)
    r = m.simulate(duration, samples=41, rtol=1e-10, **LIMITED)
    # rtol 1e-10 in some hundred steps, 10 to 100 J
    np.testing.assert_allclose(r.energy.total, r.energy.total[0], atol=1e-6)
    assert r.redundant
    assert f"redundant but consistent: {', '.join(r.redundant)}" in r.summary()
    assert r.singularities == ()
    balanced(r)


def test_parallelogram_swings_like_one_pendulum():
    """Cranks 1 m (1 kg each) carry a beam of 2 kg: (m/3 + m/3 + 2) th'' = -(1/2 + 1/2 + 2) g cos th, whatever the closure rows do."""
    m = four_bar((1.0, 2.0, 1.0, 2.0), crank=0.3, tilt=TILTED, masses=(1.0, 2.0, 1.0))
    r = m.simulate(times=[0.0], **LIMITED)
    want = -3.0 * 9.81 * math.cos(0.3) / (2 / 3 + 2)
    assert r.series("O.angle").acceleration[0] == pytest.approx(want, rel=1e-12)


def test_sarrus_linkage_lifts_its_stage_straight_up():
    """Kutzbach: 6·5 - 5·6 = 0, yet the stage moves: straight, without turning, wherever it is driven."""
    m = sarrus(1.2, drive="1.2 + 0.5*sin(2*t)")
    k = m.kinematics(3.2, samples=33, **QUIET)
    np.testing.assert_allclose(
        k["stage"].position, np.column_stack([0 * k.times, 0 * k.times, 1.2 + 0.5 * np.sin(2 * k.times)]), atol=1e-12
    )
    np.testing.assert_allclose(k["stage"].matrix, np.tile(EYE, (33, 1, 1)), atol=1e-12)
    # knees stand out by sqrt(1 - (h/2)²)
    half = k["stage"].position[:, 2] / 2
    np.testing.assert_allclose(2 * k["low_x"].position[:, 0] - 1.0, 1.0 + np.sqrt(1 - half**2), atol=1e-12)
    # by virtual work: 2 kg rise by dh, the low plates of each pair by dh / 4, the high ones by 3 dh / 4
    s = m.statics()
    lift = 9.81 * (2.0 + 2 * (0.25 + 0.75))
    assert s.effort("motor")[0] == pytest.approx(lift, rel=1e-12)


# --- singular positions ------------------------------------------------------------------------------------------------------


def test_driving_a_four_bar_past_its_dead_point_is_refused_with_the_angle():
    """Triple rocker 1, .6, .5, 1: the crank stops where coupler and rocker line up, cos = (1 + 1 - 1.1²) / 2 (cosine rule)."""
    m = four_bar((1.0, 0.6, 0.5, 1.0), crank=0.8, tilt=TILTED, drive="0.8 + t")
    limit = math.acos((1 + 1 - 1.1**2) / 2)
    with pytest.raises(tm.SingularError, match="dead point") as caught:
        m.kinematics(2.0, samples=41, **QUIET)
    text = str(caught.value)
    told = float(re.search(r"O\.angle = ([\d.]+)°", text)[1])
    assert told == pytest.approx(math.degrees(limit), abs=1e-3)
    partial = caught.value.partial
    assert 0.8 + partial.times[-1] <= limit
    assert partial.constraint_violation() < 1e-11


def test_driving_an_rssr_past_its_dead_point_is_refused_with_the_angle():
    """The output of the RSSR four-bar swings between two limits; driven beyond the upper one it stops there."""
    m = rssr(0.5)
    start = float(m["D"].measures["angle"].turn.start)
    m.driver("motor", "D.angle", f"{start!r} + t")
    with pytest.raises(tm.SingularError, match="dead point") as caught:
        m.kinematics(2.0, samples=41, **QUIET)
    told = float(re.search(r"D\.angle = ([\d.]+)°", str(caught.value))[1])
    assert told == pytest.approx(math.degrees(2.49809154479650885166), abs=1e-3)  # psi at theta = 180° (rssr.json)


def test_parallelogram_in_space_passes_its_change_point_and_says_so():
    m = four_bar((1.0, 2.0, 1.0, 2.0), crank=0.5, tilt=TILTED, drive="0.5 + t")
    k = m.kinematics(6.0, samples=61, **QUIET)
    times = sorted(p.time for p in k.singularities)
    assert times == pytest.approx([math.pi - 0.5, 2 * math.pi - 0.5], abs=1e-6)
    assert "change point (singular position)" in k.summary()
    # the coupler stays parallel to the ground: the branch was kept
    np.testing.assert_allclose(k["coupler"].matrix, np.tile(k["coupler"].matrix[0], (61, 1, 1)), atol=1e-9)


def test_mobility_tells_a_change_point_from_redundant_rows():
    flat = four_bar((1.0, 2.0, 1.0, 2.0), crank=0.0, side=-1).mobility()
    assert flat.singular and flat.dof == 2 and flat.generic_dof == 1
    assert len(flat.redundant) == 3
    assert "singular" in str(flat)


# --- consistent starts ---------------------------------------------------------------------------------------------------------


def start_of(m, **options):
    return m.simulate(times=[0.0], **options, **LIMITED)


def test_a_rough_start_is_closed_and_told():
    m = four_bar(tilt=TILTED).copy(
        changes={"coupler": {"position": tuple(four_bar(tilt=TILTED)["coupler"].position + 0.01 * X)}}
    )
    r = start_of(m)
    assert r.constraint_violation() < 1e-12
    text = "\n".join(r.dynamics.changed)
    assert "coupler.x moved from" in text
    assert "start made consistent" in r.summary()


@pytest.mark.parametrize(
    "hold, what",
    [
        (["b.x", "b.y", "b.z"], "position"), (["b.position"], "position"), (["b.rx", "b.ry", "b.rz"], "rotation"),
        (["b.rotation"], "rotation"),
    ],
)  # fmt: skip
def test_held_position_or_rotation_stays(hold, what):
    """A body on a link that is drawn 5 cm too long and 0.1 rad askew: what is held stays, what is not moves."""
    m = tm.SpatialModel("held")
    m.body("b", position=(1.0, 0.2, 0.1), rotation=turn(Y, 0.1), mass=1.0, inertia=(0.1, 0.2, 0.2))
    m.link("L", m.ground.at(0, 0, 0), m["b"].at(-0.3, 0.2, 0.1), length=0.75)
    r = start_of(m, initial=tm.InitialConditions(hold=hold))
    moved = np.abs(r["b"].position[0] - m["b"].position).max()
    turned = np.abs(r["b"].matrix[0] - m["b"].matrix).max()
    held, free = (moved, turned) if what == "position" else (turned, moved)
    assert held < 1e-8  # HELD moves 1e-9 as readily as the others
    assert free > 1e-3
    assert r.series("L.length").value[0] == pytest.approx(0.75, abs=1e-12)


@pytest.mark.parametrize("hold, kept", [(["top.wz"], [2]), (["top.wx", "top.wz"], [0, 2]), (["top.omega"], [0, 1, 2])])
def test_held_angular_velocity_stays_and_the_rest_follows(hold, kept):
    """Top with its frame at the centroid and no velocity given: with all of omega held, v = omega x arm must follow."""
    spin = np.array([0.3, 1.0, 30.0])
    m = heavy_top(spin, frame="centroid").copy(changes={"top": {"velocity": None}})
    r = start_of(m, initial=tm.InitialConditions(hold=hold))
    np.testing.assert_allclose(r["top"].omega_body[0, kept], spin[kept], atol=1e-9)
    arm = r["top"].matrix[0] @ (0, 0, 0.2)
    np.testing.assert_allclose(r["top"].velocity[0], np.cross(r["top"].omega[0], arm), atol=1e-12)
    assert r.dynamics.changed == ()


@pytest.mark.parametrize("hold", [["top.velocity"], ["top.vx", "top.vy", "top.vz"]])
def test_held_velocity_stays_and_the_angular_velocity_follows(hold):
    m = heavy_top((None, None, 30.0), frame="centroid")
    axis = m["top"].matrix @ Z
    speed = 0.4 * np.cross(axis, X)
    m = m.copy(changes={"top": {"velocity": speed}})
    r = start_of(m, initial=tm.InitialConditions(hold=hold))
    np.testing.assert_allclose(r["top"].velocity[0], speed, atol=1e-9)
    # omega x arm = v with the spin about the axis as given: omega = axis x v / 0.2 + 30 axis
    want = np.cross(axis, speed) / 0.2 + 30.0 * axis
    np.testing.assert_allclose(r["top"].omega[0], want, atol=1e-9)


def test_one_held_speed_moves_a_whole_closed_chain():
    """The crank of a spatial four-bar starts at 2 rad/s: the others get the velocities of the linkage."""
    m = four_bar(tilt=TILTED).copy(changes={"crank": {"omega": (0, 0, 2.0)}})
    r = start_of(m, initial=tm.InitialConditions(hold=["crank.wz"]))
    k = four_bar(tilt=TILTED, drive="pi/3 + 2*t").kinematics(times=[0.0], **QUIET)
    for body in ("crank", "coupler", "rocker"):
        np.testing.assert_allclose(r[body].velocity[0], k[body].velocity[0], atol=1e-9)
        np.testing.assert_allclose(r[body].omega[0], k[body].omega[0], atol=1e-9)


def test_holding_what_the_joints_forbid_gets_a_sentence():
    m = four_bar(tilt=TILTED).copy(changes={"crank": {"omega": (0.5, 0, 2.0)}})
    with pytest.raises(
        tm.AssemblyError, match=r"velocity of crank\.rx is held at 0\.5, but the constraints do not allow it"
    ):
        start_of(m, initial=tm.InitialConditions(hold=["crank.omega"]))
    m = tm.SpatialModel("far")
    m.body("b", position=(1, 0, 0), mass=1.0, inertia=1.0)
    m.spherical("S", m.ground.at(0, 0, 0), m["b"].at(-0.5, 0, 0))
    with pytest.raises(tm.AssemblyError, match=r"b\.x.*held"):
        start_of(m, initial=tm.InitialConditions(hold=["b.position", "b.rotation"]))
    with pytest.raises(
        tm.ModelError, match=r"there is no coordinate 'b\.phi' to hold; choose from: b\.x, b\.y, b\.z, b\.rx"
    ):
        start_of(m, initial=tm.InitialConditions(hold=["b.phi"]))


def test_a_start_against_a_driver_gets_a_sentence():
    """Two drivers want different speeds of the same hinge."""
    m = haug_pendulum(drive="t")
    m.driver("second", m.angle_between(m.ground, "b", "y"), "2*t")
    with pytest.raises(tm.TrammelError, match=r"no velocities satisfy the constraints|driven against"):
        start_of(m)


# --- blows ---------------------------------------------------------------------------------------------------------------


def test_a_blow_at_a_point_and_a_twist_change_the_momenta_by_themselves():
    m = tm.SpatialModel("thrown", gravity=(0, 0, 0))
    b = m.body(
        "b", position=(0.3, -0.2, 0.1), rotation=(0.5, 0.5, 0.5, 0.5), mass=2.0, inertia=(0.2, 0.3, 0.4), centroid=(0.1, 0.0, -0.05),
        omega=(1.0, 2.0, -0.5), velocity=(0.3, 0.0, 0.1),
    )  # fmt: skip
    blow, twist = np.array([0.4, -0.7, 0.2]), np.array([0.05, 0.1, -0.2])
    kick = tm.Event("kick", "t - 0.5", impulse=[(b.at(0.2, 0.1, 0.3), blow), ("b", (0, 0, 0, *twist))])
    r = m.simulate(times=[0.0, 0.5, 1.0], events=[kick], rtol=1e-11)
    at = m.simulate(0.5, samples=2, rtol=1e-11).point(b.at(0.2, 0.1, 0.3)).position[-1]
    # exact laws of momentum; the motion before and after is good to the tolerance
    np.testing.assert_allclose(r.momentum[-1] - r.momentum[0], blow, rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        r.angular_momentum[-1] - r.angular_momentum[0], twist + np.cross(at, blow), rtol=0, atol=1e-9
    )
    assert np.abs(r.energy.balance).max() < 1e-9  # the blow's work is booked


def test_wrong_impulses_in_space_are_refused_before_the_run():
    m = tm.SpatialModel("thrown")
    m.body("b", mass=1.0, inertia=0.1)
    for amount in (0.5, (0.1, 0.2)):
        with pytest.raises(tm.ModelError, match=r"three components .* or six"):
            m.simulate(1.0, events=[tm.Event("kick", "t - 0.5", impulse=[("b", amount)])])


def test_tiny_components_do_not_stop_the_step_control():
    """A pendulum in a plane: components across it are rounding of rounding, whose squares vanish."""
    m = tm.SpatialModel("locked, then free")
    b = m.body("b", position=(1, 0, 0), mass=1.0, inertia=(0.01, 0.1, 0.1))
    m.revolute("A", m.ground, b, at=(0, 0, 0), axis="y")
    m.constrain("lock", "A.angle")
    m.phase("locked", active=["lock"])
    m.phase("free", active=[])
    m.switch("go", "locked", "free", when="t - 0.5")
    r = m.simulate(1.5, samples=16)
    assert len(r) == 16
    # after the release a compound pendulum from rest at the horizontal: (J + m) w² / 2 = m g sin(angle)
    angle, rate = r.series("A.angle").value, r.series("A.angle").rate
    np.testing.assert_allclose(0.55 * rate**2, 9.81 * np.sin(angle), rtol=0, atol=1e-6)


def test_platform_on_three_legs_balances_although_nothing_constrains_it():
    """Forces at work cancel without any constraint: residuals count against each of them, not against their sum."""
    m = tm.SpatialModel("platform")
    p = m.body("p", position=(0, 0, 1), mass=10.0, inertia=(1, 1, 2))
    for k in range(3):
        a = 2 * math.pi * k / 3
        foot, head = m.ground.at(1.2 * math.cos(a), 1.2 * math.sin(a), 0), p.at(math.cos(a), math.sin(a), 0)
        m.spring(f"s{k}", foot, head, stiffness=1000.0, free_length=1.1)
    e = m.equilibrium()
    z = e.pose("p")[2]
    length = math.hypot(0.2, z)
    # a third of the weight on each leg: k (l0 - l) z / l = m g / 3
    assert 1000.0 * (1.1 - length) * z / length == pytest.approx(10 * 9.81 / 3, rel=1e-9)
    assert not e.stable  # three legs in compression topple


@pytest.mark.parametrize(
    ("options", "off"),
    [
        ({"method": "dopri5", "rtol": 1e-9}, 1e-8),
        ({"method": tm.methods.rk4(step=1e-3)}, 1e-10),
        ({"method": tm.methods.rk4(step=1e-3), "constraints": "baumgarte"}, 1e-10),
        ({"method": tm.methods.rk4(step=1e-3), "constraints": "none"}, 1e-10),
        ({"constraints": "none", "rtol": 1e-10}, 1e-9),
        ({"constraints": "baumgarte", "rtol": 1e-10}, 1e-9),
        ({"initial": tm.InitialConditions(correct=False), "rtol": 1e-10}, 1e-9),
        ({"max_step": 0.01}, 1e-10),
        ({"formulation": "I", "rtol": 1e-9}, 1e-8),
    ],
)
def test_every_way_to_integrate_gives_the_same_motion(options, off):
    """Against a run with a tolerance near rounding; `off` is ten times the tolerance, or the error of RK4 (1e-12 h⁴ of it)."""
    m = rssr(0.7, coupler="body")
    right = m.simulate(1.0, samples=11, rtol=1e-11, atol=1e-13)
    r = m.simulate(1.0, samples=11, **options)
    np.testing.assert_allclose(r.q, right.q, rtol=0, atol=off)
    for name in list(m.bodies)[1:]:  # normalised after every step, whatever holds the constraints
        np.testing.assert_allclose((r[name].parameters ** 2).sum(axis=1), 1.0, rtol=0, atol=1e-14)
