"""Relative coordinates after Kamman: the same motion as in body coordinates, known coordinates eliminated, singular angles left in time."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
import spatial_models as space
from formulation_models import MODELS as SHARED
from formulation_models import (
    driven_crank,
    geared_arms,
    robot_on_a_floating_trunk,
    slider_crank,
)
from moving_samples import ALL, sample_model
from pytrammel.analysis.formulations.relative import at_rest, layout_of, part, relative_table, structure_of, vector_at
from pytrammel.analysis.positions.assembly import active_rows, assemble, residuals
from pytrammel.kernels.equations.relative import relative_to_bodies_run
from pytrammel.kernels.links import layout as K
from pytrammel.system.lowering import lower

TIGHT = {"rtol": 1e-12, "atol": 1e-13, "progress": False}


def driven_arm():
    """Hinge, slide and a universal joint, the first two prescribed in time, the last in one of its two angles; then a ball."""
    m = tm.SpatialModel("driven arm", gravity=(0, 0, -9.81))
    m.body("post", position=(0, 0, 0.5), mass=3.0, inertia=(0.1, 0.2, 0.3), centroid=(0.02, 0.0, 0.1))
    m.body("sledge", position=(0.2, 0.1, 0.8), mass=1.0, inertia=(0.02, 0.03, 0.02))
    m.body("hand", position=(0.6, 0.1, 0.8), mass=0.7, inertia=(0.01, 0.02, 0.015))
    m.body("tail", position=(0.9, 0.1, 0.7), mass=0.4, inertia=(0.004, 0.01, 0.01))
    m.revolute("A", "ground", "post", at=(0, 0, 0), axis=(0, 0.6, 0.8))
    m.prismatic("B", "sledge", "post", at=(0.2, 0.1, 0.8), axis=(1, 0, 0))
    m.universal("C", "sledge", "hand", at=(0.4, 0.1, 0.8), axis="y", second_axis="z")
    m.spherical("D", "hand", "tail", at=(0.8, 0.1, 0.8))
    m.driver("turn", "A.angle", "0.5*sin(3*t)")
    m.driver("push", "B.distance", "0.1*t**2")
    m.driver("nod", "C.angle", "0.3*(1 - cos(2*t))")
    m.spring("s", m.ground.at(1.5, 0.5, 0.0), "tail", stiffness=40.0, free_length=0.3, damping=0.2)
    return m


def driven_floater():
    """A body of which one coordinate and, through a mixed quantity, another are prescribed."""
    m = tm.SpatialModel("floater", gravity=(0, 0, -9.81))
    m.body("base", position=(0, 0, 0), mass=3.0, inertia=(0.1, 0.2, 0.3), omega=(0.2, 0.1, 0.4))
    m.body("arm", position=(0.3, 0, 0), mass=1.0, inertia=(0.02, 0.03, 0.02))
    m.revolute("A", "base", "arm", at=(0.1, 0, 0), axis="z")
    m.driver("lift", "base.z", "0.2*sin(4*t)")
    m.driver("both", "arm.y", "0.3*t**2")
    return m


def jerked_arm():
    """A driver whose velocity jumps: the blow does work."""
    m = tm.SpatialModel("jerked arm", gravity=(0, 0, -9.81))
    m.body("one", position=(0.2, 0, 0), mass=1.0, inertia=(0.02, 0.03, 0.04))
    m.body("two", position=(0.6, 0, 0), mass=1.0, inertia=(0.02, 0.03, 0.04))
    m.revolute("A", "ground", "one", at=(0, 0, 0), axis="y")
    m.revolute("B", "one", "two", at=(0.4, 0, 0), axis="y")
    m.driver("jerk", "A.angle", "0.6 - 2*abs(t - 0.3)")
    return m


def turned_round():
    """Joints written from the outer to the inner body, with axes along no body's."""
    m = tm.SpatialModel("turned round", gravity=(1.0, 0, -9.81))
    m.body(
        "one",
        position=(0.2, 0, 0),
        rotation=tm.rotations.from_axis_angle((1, 2, 3), 0.4),
        mass=1.0,
        inertia=(0.02, 0.03, 0.04),
    )
    m.body(
        "two",
        position=(0.6, 0, 0),
        rotation=tm.rotations.from_axis_angle((3, -2, 1), 0.9),
        mass=1.0,
        inertia=(0.02, 0.03, 0.04),
    )
    m.body("three", position=(1.0, 0, 0), mass=1.0, inertia=(0.02, 0.03, 0.04))
    m.cylindrical("A", "one", "ground", at=(0, 0, 0), axis=(0.6, 0.64, 0.48))
    m.universal("B", "two", "one", at=(0.4, 0, 0), axis=(0.6, 0.8, 0), second_axis=(0.8, -0.6, 0))
    m.revolute("C", "three", "two", at=(0.8, 0, 0), axis=(0, 0.6, 0.8))
    m.spring("s", "ground", "one", stiffness=100.0, free_length=0.1)
    return m


def tumbling():
    """A body whose second angle goes round and round."""
    m = tm.SpatialModel("tumbling", gravity=(0, 0, 0))
    m.body("b", mass=1.0, inertia=(0.1, 0.2, 0.25), omega=(0.3, 7.0, 0.2))
    return m


def swinging_ball():
    """A pendulum on a ball that swings over the top, past ±90 degrees of its second angle."""
    m = tm.SpatialModel("ball", gravity=(0, 0, -9.81))
    m.body(
        "rod",
        position=(0, 0, -0.5),
        mass=1.0,
        inertia=(0.1, 0.1, 0.02),
        velocity=(3.5, -0.4, 0),
        omega=(-0.8, -7.0, 0.3),
    )
    m.body(
        "bob",
        position=(0, 0, -1.2),
        mass=0.5,
        inertia=(0.03, 0.03, 0.01),
        velocity=(8.4, -0.96, 0),
        omega=(-0.8, -7.0, 0.3),
    )
    m.spherical("S", "ground", "rod", at=(0, 0, 0))
    m.spherical("T", "rod", "bob", at=(0, 0, -1.0))
    return m


LIKE_OTHERS = ("four-bar", "cam", "friction by reactions", "phases", "Bennett")  # here, to save time
MODELS = {name: made for name, made in SHARED.items() if name not in LIKE_OTHERS} | {
    "driven arm": (driven_arm, 1.0),
    "driven floater": (driven_floater, 1.0),
    "driver that jerks": (jerked_arm, 0.6),
    "turned round": (turned_round, 0.6),
    "tumbling": (tumbling, 2.0),
    "ball over the top": (swinging_ball, 1.0),
}


def largest_differences(one, two):
    """Of positions, velocities, accelerations, multipliers and works, against their sizes."""
    loads = max(1.0, np.abs(one.dynamics.multipliers).max(initial=0.0), np.abs(one.a).max())
    return (
        np.abs(one.q - two.q).max() / max(1.0, np.abs(one.q).max()),
        np.abs(one.v - two.v).max() / max(1.0, np.abs(one.v).max()),
        np.abs(one.a - two.a).max() / max(1.0, np.abs(one.a).max()),
        np.abs(one.dynamics.multipliers - two.dynamics.multipliers).max(initial=0.0) / loads,
        np.abs(one.dynamics.work - two.dynamics.work).max() / max(1.0, np.abs(one.dynamics.work).max()),
    )


@pytest.mark.parametrize("rotations", ["angles", "parameters"])
@pytest.mark.parametrize("name", MODELS)
def test_the_motion_and_all_reactions_are_those_in_body_coordinates(name, rotations):
    build, duration = MODELS[name]
    m = build()
    if m.space.dimension == 2 and rotations == "parameters":
        return  # there are none in the plane
    one = m.simulate(duration, samples=21, **TIGHT)
    two = m.simulate(duration, samples=21, formulation=tm.formulations.relative(rotations=rotations), **TIGHT)
    # both runs are asked for 1e-12 a step; what that leaves after some dozen steps
    assert max(largest_differences(one, two)) < 1e-9
    assert two.constraint_violation() < 1e-11


@pytest.mark.parametrize("treatment", ["projection", "baumgarte", "none"])
@pytest.mark.parametrize("method", ["dopri5", "adams", "radau5"])
def test_loops_are_closed_under_every_treatment_that_is_offered(treatment, method):
    m = slider_crank()
    one = m.simulate(0.4, samples=5, **TIGHT)
    two = m.simulate(
        0.4, formulation="relative", method=method, constraints=treatment, rtol=1e-7, progress=False, samples=5
    )
    assert two.q == pytest.approx(one.q, abs=3e-5)  # a hundred steps of 1e-7, and a swing that amplifies


def test_parts_that_come_and_go_and_stick_are_those_in_body_coordinates():
    """A driver that an event releases, a blow, and dry friction that sticks and slips."""
    m = driven_arm()
    m.stick_slip("rub", "C.second_angle", normal=1.0, friction=0.3)
    off = [
        tm.Event("let go", when="t - 0.25", release=["turn"]),
        tm.Event("hit", "t - 0.4", impulse=[("tail", (0.1, 0.0, 0.2))]),
    ]
    runs = [m.simulate(0.5, samples=11, events=off, formulation=each, **TIGHT) for each in ("cartesian", "relative")]
    assert max(largest_differences(*runs)) < 1e-9


def test_energy_and_angular_momentum_survive_the_change_of_frames():
    """A free body without forces tumbles; its second angle passes 90 degrees again and again."""
    m = tumbling()
    r = m.simulate(5.0, samples=501, formulation="relative", **TIGHT)
    w = r["b"].omega_body
    energy = (w**2 @ np.array([0.1, 0.2, 0.25])) / 2
    momentum = r["b"].spin_momentum
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-11
    assert np.abs(momentum - momentum[0]).max() < 1e-11
    second = np.arcsin(np.clip(r["b"].matrix[:, 0, 2], -1.0, 1.0))
    assert np.abs(second).max() > math.radians(85.0)  # it did come there


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_a_hinge_may_be_about_any_axis_of_its_frames(axes):
    m = space.chain(3)
    one = m.simulate(0.4, samples=9, **TIGHT)
    hinges = {name: axes for name, joint in m.constraints.items() if joint.kind == "revolute"}
    two = m.simulate(0.4, samples=9, formulation=tm.formulations.relative(axes=hinges), **TIGHT)
    assert max(largest_differences(one, two)) < 1e-9


@pytest.mark.parametrize("axes", [(1, 2), (1, 3), (2, 3)])
def test_a_universal_joint_may_leave_any_two_angles(axes):
    m = robot_on_a_floating_trunk()
    one = m.simulate(0.5, samples=9, **TIGHT)
    two = m.simulate(0.5, samples=9, formulation=tm.formulations.relative(axes={"hip0": axes, "hip1": axes}), **TIGHT)
    assert max(largest_differences(one, two)) < 1e-9


@pytest.mark.parametrize(
    ("formulation", "options", "said"),
    [
        (lambda: tm.formulations.relative(base="nobody"), {}, "is no body"),
        (lambda: tm.formulations.relative(cut=["nothing"]), {}, "is no joint"),
        (lambda: tm.formulations.relative(cut=[]), {}, "leaves a loop closed"),
        (lambda: tm.formulations.relative(axes={"nothing": 1}), {}, "no joint of this name"),
        (lambda: tm.formulations.relative(axes={"A": 4}), {}, "give 1, 2 or 3"),
        (lambda: tm.formulations.relative(axes={"A": (1, 3)}), {}, "one axis"),
        (lambda: tm.formulations.relative(axes={"A": 1}), {}, "turn about axis 3"),
        (lambda: tm.formulations.relative(axes=[1]), {}, "axes must be a mapping by name"),
        (
            lambda: tm.formulations.relative(rotations="matrices"),
            {},
            "rotations must be one of the words .*but it is 'matrices'",
        ),
        (lambda: tm.formulations.relative(form="bodies"), {}, "no option 'form'"),
        (lambda: "relative", {"constraints": "penalty"}, "loops are closed by"),
        (lambda: "relative", {"initial": tm.InitialConditions(correct=False)}, "closed"),
    ],
)
def test_what_cannot_be_had_is_refused_with_the_reason(formulation, options, said):
    with pytest.raises(tm.ModelError, match=said):
        slider_crank().simulate(0.1, formulation=formulation(), progress=False, **options)


def test_forces_that_depend_on_reactions_are_refused():
    m = slider_crank()
    m.joint_friction("f", "A", friction=0.2, radius=0.02)
    for ask in (
        lambda: m.simulate(0.1, formulation="relative", progress=False),
        lambda: tm.textbook.relative_equations(m),
        lambda: m.matrices(formulation="relative"),
    ):
        with pytest.raises(tm.ModelError, match=r"depends on reactions.*use.*'cartesian' or 'joint'"):
            ask()


def test_methods_that_do_not_tell_their_steps_need_euler_parameters_for_balls():
    m = swinging_ball()
    with pytest.raises(tm.ModelError, match="rotations='parameters'"):
        m.simulate(0.1, formulation="relative", method="scipy_lsoda", progress=False)
    one = m.simulate(0.2, samples=3, **TIGHT)
    found = tm.formulations.relative(rotations="parameters")
    two = m.simulate(0.2, samples=3, formulation=found, method="scipy_lsoda", rtol=1e-10, progress=False)
    assert two.q == pytest.approx(one.q, abs=1e-7)  # its own error control


# --- maps of joints, one type at a time -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("where", "kind"), ALL)
@pytest.mark.parametrize("rotations", ["angles", "parameters"])
def test_every_joint_map_holds_its_rows_and_has_the_derivatives_it_claims(where, kind, rotations):
    model, constraint = sample_model(where, kind, 3)
    chosen = tm.formulations.relative(rotations=rotations)
    closed = assemble(model)
    system = lower(model, dynamics=True)
    structure = structure_of(system, active_rows(system), closed.q, chosen)
    if constraint.name not in {link.joint for link in structure.links}:
        return  # it is cut, and its rows act
    layout = layout_of(structure, chosen)
    table = relative_table(layout, system.floats, [], closed.q)
    nq, n, size = system.n_coordinates, system.n_columns, int(table.entries[0])
    start = vector_at(table, layout, 0.0, at_rest(system, closed.q))
    first = len(layout.positions) + len(system.extras) + len(model.turns)
    rng = np.random.default_rng(5)
    u, a = rng.normal(size=(2, len(layout.unknown)))

    def at(t):
        """Coordinates with speeds u + a t; of Euler parameters the speeds stay as they are."""
        y = start.copy()
        speeds = u + a * t
        for k, (_, column) in enumerate(layout.positions):
            if column >= 0:
                y[k] += u[column] * (1.0 + t) + 0.5 * a[column] * t * t
        for k, link in enumerate(structure.links):
            if layout.parameters[k]:
                own = [c for c, (j, i) in enumerate(layout.unknown) if j == k and i < 3]
                s = next(e for e, (x, _) in enumerate(layout.positions) if x // 7 == k)
                speeds[own] = u[own]
                y[s : s + 4] = tm.rotations.product(y[s : s + 4], tm.rotations.exp(u[own] * (1.0 + t)))
                assert link.is_ball
        y[first : first + u.size] = speeds
        out = np.zeros(nq + n + size)
        relative_to_bodies_run(table.entries, 0.0, y, out)
        return out[:nq].copy(), out[nq : nq + n].copy()

    h = 1e-3
    moved = {k: at(k * h) for k in (-2, -1, 1, 2)}
    q, v = at(0.0)
    bias, partial = part(table, K.W_BIAS, n).copy(), part(table, K.W_P, len(layout.unknown), n).copy()
    own = [k for k, row in enumerate(system.rows) if row.owner == constraint.name and "thread" not in row.label]
    pose = np.concatenate([q[: nq - len(model.turns)], closed.q[nq - len(model.turns) :]])
    assert np.abs(residuals(system, pose, 0.0)[own]).max(initial=0.0) < 1e-11 * max(1.0, np.abs(q).max())
    assert v == pytest.approx(u @ partial, abs=1e-12)
    dq, dv = (
        (8.0 * (moved[1][k] - moved[-1][k]) - (moved[2][k] - moved[-2][k])) / (12.0 * h) for k in (0, 1)
    )  # fmt: skip
    for b in range(len(model.bodies) - 1):
        if where == "plane":
            assert dq[3 * b : 3 * b + 3] == pytest.approx(v[3 * b : 3 * b + 3], abs=1e-8)
            continue
        assert dq[7 * b : 7 * b + 3] == pytest.approx(v[6 * b : 6 * b + 3], abs=1e-8)
        spin = 2.0 * tm.rotations.L(q[7 * b + 3 : 7 * b + 7]) @ dq[7 * b + 3 : 7 * b + 7]
        assert spin == pytest.approx(v[6 * b + 3 : 6 * b + 6], abs=1e-8)
    steady = {c for c, (k, i) in enumerate(layout.unknown) if layout.parameters[k] and i < 3}
    push = np.array([0.0 if c in steady else x for c, x in enumerate(a)])
    assert dv == pytest.approx(bias + push @ partial, abs=1e-7)


# --- the equations at one state -------------------------------------------------------------------------------------------


# in redundant machines the shares are not determined; reactions of bearings tell what teeth push, too
UNLIKE = ("redundant parallel cranks", "Bricard", "Sarrus", "gears")


@pytest.mark.parametrize("rotations", ["angles", "parameters"])
@pytest.mark.parametrize("name", [name for name in MODELS if name not in UNLIKE])
def test_loads_of_all_joints_are_the_reactions_in_body_coordinates(name, rotations):
    build, duration = MODELS[name]
    m = build()
    r = m.simulate(0.5 * duration, samples=3, **TIGHT)
    chosen = tm.formulations.relative(rotations=rotations)
    for k, t in enumerate(r.times):
        found = tm.textbook.relative_equations(m, result=r, time=t, formulation=chosen)
        driven = {m.constraints[name].prescribes.label.split(".")[0] for name in found.efforts}
        size = max(1.0, np.abs(r.dynamics.multipliers).max(initial=0.0), np.abs(r.a).max())
        for joint, load in found.loads.items():
            cartesian = r.reaction(joint, on=load.body)
            force, moment = _in_space(cartesian, k)
            turn = _rotation(r, load.body, k)
            assert np.abs(turn @ load.force_body - force).max() < 1e-9 * size or joint in driven
            if joint not in driven:  # which carries its driver, too
                assert np.abs(turn @ load.moment_body - moment).max() < 1e-9 * size
            inner = _rotation(r, load.lower, k)
            assert inner @ load.force_lower == pytest.approx(turn @ load.force_body, abs=1e-12 * size)
            assert inner @ load.moment_lower == pytest.approx(turn @ load.moment_body, abs=1e-12 * size)
        for driver, effort in found.efforts.items():
            assert abs(effort - r.effort(driver)[k]) < 1e-9 * size


def _in_space(reaction, k):
    if reaction.force.shape[1] == 3:
        return reaction.force[k], reaction.moment[k]
    return np.array([*reaction.force[k], 0.0]), np.array([0.0, 0.0, reaction.moment[k]])


def _rotation(r, body, k):
    if body == "ground":
        return np.eye(3)
    if r.model.space.dimension == 3:
        return r[body].matrix[k]
    phi = r[body].phi[k]
    return np.array([[math.cos(phi), -math.sin(phi), 0], [math.sin(phi), math.cos(phi), 0], [0, 0, 1.0]])


def test_teeth_and_redundant_rows_are_noted():
    assert "teeth" in tm.textbook.relative_equations(geared_arms()).notes[0]
    assert "carries no load here" in tm.textbook.relative_equations(space.bricard()).notes[0]


def test_drivers_of_coordinates_are_known_and_others_are_rows():
    arm = tm.textbook.relative_equations(driven_arm())
    assert set(arm.efforts) == {"turn", "push", "nod"}
    assert arm.rows == ()
    assert "tail.theta2" in arm.unknown
    floater = tm.textbook.relative_equations(driven_floater())
    assert set(floater.efforts) == {"lift"}
    assert floater.rows == ("both",)


def test_rows_that_are_given_act_like_those_of_the_model():
    """b.y + b0 = 0 with a constant and with a changing b0, against the same condition as a part of the model."""
    m = turned_round()
    free = tm.textbook.relative_equations(m)
    angle, distance = (next(n for n in free.unknown if n.startswith(f"one.{c}")) for c in ("theta", "s"))
    found = tm.textbook.relative_equations(
        m, rows=[({angle: 1.0, distance: -4.0}, "0.5*t**2"), ({"three.theta3": 2.0}, "-6*t")]
    )
    rates = dict(zip(found.names, found.rates, strict=True))
    assert rates[angle] - 4.0 * rates[distance] == pytest.approx(0.0, abs=1e-9)
    assert rates["three.theta3"] == pytest.approx(3.0, abs=1e-9)
    # what the rows do to the coordinates is all that is lacking in the equations of the unknown ones
    at = [found.names.index(name) for name in found.unknown]
    lacking = (found.A @ found.rates - found.f)[at]
    assert lacking == pytest.approx((found.b.T @ found.row_multipliers)[at], abs=1e-10)
    m.driver("turn", "C.angle", "-1.5*t**2")  # of body two against body three
    driven = tm.textbook.relative_equations(m, rows=[({angle: 1.0, distance: -4.0}, 0.0)])
    assert driven.rates == pytest.approx(found.rates, abs=1e-9)
    assert driven.multipliers["three.theta3"] == pytest.approx(2.0 * found.row_multipliers[1], abs=1e-9)
    # loads tell what the lower body does to the body, driver included but not what is given as a row
    assert found.loads["A"].moment_lower == pytest.approx(driven.loads["A"].moment_lower, abs=1e-9)


def test_a_driver_that_accelerates_carries_a_free_link_along():
    """A straight arm at rest, its first link driven with a: (I + m c²)(a + b) + m L c a = 0 for the angle b of the second link."""
    length, c, mass, inertia, a = 0.8, 0.3, 2.0, 0.1, 1.5
    m = tm.PlanarModel("arm", gravity=(0.0, 0.0))
    m.body("one", position=(0.0, 0.0), mass=1.0, inertia=0.2)
    m.body("two", position=(length + c, 0.0), mass=mass, inertia=inertia)
    m.revolute("A", m.ground, "one", at=(0.0, 0.0))
    m.revolute("B", "one", "two", at=(length, 0.0))
    m.driver("motor", m["A"].angle, f"{a}/2*t^2")
    found = tm.textbook.relative_equations(m)
    rates = dict(zip(found.names, found.rates, strict=True))
    expected = -a * (1.0 + mass * length * c / (inertia + mass * c**2))
    assert rates["one.theta3"] == pytest.approx(a, rel=1e-12)
    assert rates["two.theta3"] == pytest.approx(expected, rel=1e-9)
    # the motor turns its link, and carries the hinge at the end of it
    pin = mass * (length * a + c * (a + expected))
    assert found.efforts["motor"] == pytest.approx(0.2 * a + length * pin, rel=1e-9)
    # with a row between both angles, the second follows the driver
    tied = tm.textbook.relative_equations(m, rows=[({"two.theta3": 1.0, "one.theta3": 2.0}, 0.0)])
    assert dict(zip(tied.names, tied.rates, strict=True))["two.theta3"] == pytest.approx(-2.0 * a, rel=1e-9)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rows": [({"crank.phi": 1.0}, 0.0)]}, "there is no speed 'crank.phi'"),
        ({"rows": [({"crank.theta3": 1.0}, -1.0)]}, "does not hold"),
        ({"rows": [{"crank.theta3": 1.0}]}, "rows: member 0 must be 2 values"),
        ({"formulation": "joint"}, "is about formulation 'relative'"),
    ],
)
def test_what_cannot_be_studied_is_refused(given, said):
    with pytest.raises(tm.ModelError, match=said):
        tm.textbook.relative_equations(slider_crank(), **given)


def test_a_state_is_one_of_the_model_s_own_run():
    m = slider_crank()
    r = m.simulate(0.2, samples=3, progress=False)
    with pytest.raises(tm.ModelError, match=r"nearest is 0\.1 s"):
        tm.textbook.relative_equations(m, result=r, time=0.13)
    with pytest.raises(tm.ModelError, match="this very model"):
        tm.textbook.relative_equations(slider_crank(), result=r)


def test_the_equations_print_as_tables():
    text = str(tm.textbook.relative_equations(driven_crank()))
    for said in (
        "body-connection array",
        "hinge 3 'A', driven",
        "crank.theta3",
        "A of the unknown ones",
        "driver motor",
        "loads of joints",
    ):
        assert said in text
