"""Centres of mass, momenta, resultants, force vectors, contacts, energies and works by name, against Newton's and Euler's laws."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.errors import ModelError
from pytrammel.forces.force import force_sample, force_types
from pytrammel.model.spatial_registries import spatial_force_sample, spatial_force_types
from pytrammel.results.forces.contacts import PLACES

SOFT = {"stiffness": 1e5, "damping": 300.0}
FLAT = {kind: {} for kind in sorted(force_types())} | {
    "contact_line rigid": {
        "law": "rigid",
        "restitution": 0.5,
        "stiffness": None,
        "damping": None,
        "radius": 0.0,
        "at": (-20.0, -5.0),
    },
    "contact_line stick": {"stick": True},
}
SPACE = {kind: {} for kind in sorted(spatial_force_types())} | {
    "contact_sphere_plane rigid": {"law": "rigid", "restitution": 0.5, "stiffness": None, "damping": None},
    "force body": {"frame": "body"},
}


def sampled(case, changes, space):
    """Three bodies, eccentric and moving, one of them on a pin, with one force of a registered kind."""
    kind = case.split()[0]
    rng = np.random.default_rng(sum(map(ord, case)))
    d = 3 if space else 2
    m = (tm.SpatialModel if space else tm.PlanarModel)("sample")
    bodies = []
    for key in "abc":
        inertia = tuple(rng.uniform(0.3, 0.4, 3)) if space else 0.7
        given = {"omega": float(rng.normal())} if not space else {"omega": tuple(rng.normal(size=3))}
        at = tuple(rng.normal(size=d))
        bodies.append(
            m.body(key, position=at, mass=1.5, inertia=inertia, centroid=tuple(0.1 * rng.normal(size=d)),
                   velocity=None if key == "c" else tuple(rng.normal(size=d)), **given)
        )  # fmt: skip
    m.spherical("pin", "ground", "c", at=bodies[2].position) if space else m.revolute(
        "pin", "ground", "c", at=bodies[2].position
    )
    given = {**(spatial_force_sample if space else force_sample)(kind, *bodies), **changes}
    if isinstance(given.get("joint"), tuple):
        joint, arguments = given["joint"]
        arguments = arguments(*bodies[:2]) if callable(arguments) else arguments
        given["joint"] = getattr(m, joint)("J", **arguments).name
    getattr(m, kind)("f", **given)
    return m


@pytest.mark.parametrize(
    "case, space", [*((c, False) for c in FLAT), *((c, True) for c in SPACE)], ids=lambda x: str(x)
)
def test_all_loads_on_a_body_are_its_mass_times_acceleration(case, space):
    """Force elements, gravity and joints together: Newton's law for the centre of mass, Euler's for the rotation about it."""
    m = sampled(case, (SPACE if space else FLAT)[case], space)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.RunWarning)  # starting velocities of bodies that a sample joins
        r = m.simulate(0.2, samples=5, method="dopri5")
    for name in "abc":
        total, body = r.resultant(name, joints=True), m[name]
        com = np.column_stack([r[f"{name}.com.a{axis}"] for axis in m.space.axes])
        size = 1.0 + np.abs(com).max() + np.abs(total.force).max()
        # elements are evaluated again from the stored state: rounding of sums of the forces at work
        np.testing.assert_allclose(total.force, body.mass * com, rtol=0, atol=1e-9 * size)
        series = r[name]
        if space:
            inertia, w = np.array(body.inertia), series.omega_body
            turn = series.alpha_body @ inertia + np.cross(w, w @ inertia)
            turn = np.einsum("nij,nj->ni", series.matrix, turn)
        else:
            turn = body.inertia * series.alpha
        np.testing.assert_allclose(total.moment, turn, rtol=0, atol=1e-9 * (size + np.abs(turn).max()))
        rate = r[f"{name}.power"]
        np.testing.assert_allclose(rate, _power(r, name, total), rtol=0, atol=1e-8 * (1.0 + np.abs(rate).max()))


def _power(r, name, total):
    """Work of the resultant per second, at the centre of mass."""
    axes = r.model.space.axes
    v = np.column_stack([r[f"{name}.com.v{axis}"] for axis in axes])
    turned = total.moment * r[name].omega
    return (total.force * v).sum(axis=1) + (turned if turned.ndim == 1 else turned.sum(axis=1))


def double_pendulum(gravity=(0.0, -9.81), pinned=True):
    m = tm.PlanarModel("double pendulum", gravity=gravity)
    m.body("a", mass=1.0, inertia=0.1, position=(0.5, 0.0), centroid=(0.1, 0.05), omega=3.0)
    m.body("b", mass=2.0, inertia=0.2, position=(1.5, 0.0))
    if pinned:
        m.revolute("A", "ground", "a", at=(0.0, 0.0))
    m.revolute("B", "a", "b", at=(1.0, 0.0))
    m.group("arm", ["a", "b"])
    m.point("P", "b", at=(2.0, 0.0))
    return m


@pytest.mark.parametrize("space", [False, True])
def test_momenta_of_a_free_system_are_kept(space):
    """Bodies that pull at each other without gravity: momentum and angular momentum about any point stay, the centre moves straight."""
    if space:
        m = tm.SpatialModel("free", gravity=(0.0, 0.0, 0.0))
        for k, name in enumerate("ab"):
            m.body(name, mass=1.0 + k, inertia=(0.1, 0.2, 0.25), position=(k, 0.0, 0.0), centroid=(0.0, 0.1, 0.02),
                   velocity=(0.1, 0.2 * k, -0.3), omega=(1.0, -0.5 * k, 0.3))  # fmt: skip
        m.spring("s", m["a"].at(0.1, 0.2, 0.0), m["b"].at(0.0, -0.1, 0.3), stiffness=20.0, damping=0.5)
    else:
        m = double_pendulum((0.0, 0.0), pinned=False)
        m.spring("s", m["a"].at(0.0, 0.3), m["b"].at(0.1, 0.2), stiffness=20.0, damping=0.5)
    r = m.simulate(1.0, samples=21, rtol=1e-10, atol=1e-12)
    axes = m.space.axes
    whole = r.group("system")
    for axis in axes:
        p = r[f"system.momentum.{axis}"]
        np.testing.assert_allclose(p, p[0], atol=1e-9)
        x, v = r[f"system.com.{axis}"], r[f"system.com.v{axis}"]
        np.testing.assert_allclose(x, x[0] + v[0] * r.times, atol=1e-9)
    for about in (None, (0.3, -0.2, 0.9)[: len(axes)]):
        h = whole.angular_momentum(about)
        np.testing.assert_allclose(h, np.broadcast_to(h[0], h.shape), atol=1e-8)
    np.testing.assert_allclose(whole.momentum, r.momentum, atol=1e-12)
    np.testing.assert_allclose(whole.angular_momentum(), r.angular_momentum, atol=1e-12)
    np.testing.assert_allclose(r["system.kinetic"], r["energy.kinetic"], atol=1e-12)
    # the pair of a spring is equal and opposite, and lies on one line
    on_a, on_b = r.force_on("s", "a"), r.force_on("s", "b")
    np.testing.assert_allclose(on_a.force, -on_b.force, atol=1e-12)
    np.testing.assert_allclose(
        on_a.moment_about(np.zeros(len(axes))), -on_b.moment_about(np.zeros(len(axes))), atol=1e-12
    )
    np.testing.assert_allclose(on_a.magnitude, np.abs(r["s.force"]), atol=1e-12)


def test_what_the_names_mean():
    m = double_pendulum()
    m.spring("s", m["b"].at(0.1, 0.0), m.ground.at(2.0, 1.0), stiffness=50.0, damping=1.0)
    r = m.simulate(0.5, samples=26, rtol=1e-9)
    assert r["arm.com.x"] == pytest.approx((r["a.com.x"] + 2 * r["b.com.x"]) / 3)
    assert r["arm.com.x"] == pytest.approx(r["system.com.x"])
    assert r["b.com.x"] == pytest.approx(r["b.x"], abs=1e-15)  # its centroid is its origin
    ends = np.column_stack([r["s.b.fx"], r["s.b.fy"]])
    away = np.array([2.0, 1.0]) - r.point(m["b"].at(0.1, 0.0)).position
    assert np.abs(ends[:, 0] * away[:, 1] - ends[:, 1] * away[:, 0]).max() < 1e-9  # along the spring
    assert r["s.ground.fx"] == pytest.approx(-r["s.b.fx"])
    assert r["A.a.fx"] == pytest.approx(r["A.fx"])
    assert r["b.applied.fy"] == pytest.approx(r["s.b.fy"] - 2.0 * 9.81)
    about_p = r.resultant("b", about="P")
    arm = r["b"].position - r["P"].position
    assert about_p.moment == pytest.approx(
        r["b.applied.moment"] + arm[:, 0] * about_p.force[:, 1] - arm[:, 1] * about_p.force[:, 0], abs=1e-12
    )
    assert r.resultant("b", about=(0.0, 0.0)).moment == pytest.approx(about_p.moment_about((0.0, 0.0)))
    # work-energy: what the spring took is stored and dissipated; what everything gave the bodies is their kinetic energy
    assert r["s.work"] == pytest.approx(
        -(r["energy.stored"] - r["energy.stored"][0]) - r["energy.dissipated"], abs=1e-7
    )
    assert r["system.work"] == pytest.approx(r["energy.kinetic"] - r["energy.kinetic"][0], abs=1e-12)
    assert r.formula("a.kinetic + b.kinetic - system.kinetic") == pytest.approx(np.zeros(26), abs=1e-12)
    known = r.names()
    for name in (
        "system.com.vx",
        "arm.momentum.y",
        "system.angular_momentum",
        "a.kinetic",
        "s.work",
        "s.b.moment",
        "b.applied.fx",
    ):
        assert name in known
        r[name]


def test_the_work_of_an_element_is_the_integral_of_its_power():
    m = double_pendulum()
    m.spring("s", m["b"].at(0.1, 0.0), m.ground.at(2.0, 1.0), stiffness=50.0, damping=1.0)
    m.user_force("drive", "A.angle", "2*cos(3*t)")
    r = m.simulate(0.5, samples=2001, rtol=1e-10)
    for name in ("s", "drive", "a", "b"):
        power, h = r[f"{name}.power"], r.times[1] - r.times[0]
        simpson = h / 3 * (power[0] + power[-1] + 4 * power[1:-1:2].sum() + 2 * power[2:-1:2].sum())
        # Simpson's rule leaves (0.5 s) h^4 / 180 of a fourth derivative of the order of 1e5 W/s^4, and the run its tolerance
        assert r[f"{name}.work"][-1] == pytest.approx(simpson, abs=1e-6)


def test_centres_of_mass_serve_laws_events_and_constraints():
    """A force on the centre of mass measures it: a spring law of system.com.y makes the centre swing like one mass."""
    m = tm.PlanarModel("two", gravity=(0.0, 0.0))
    m.body("a", mass=1.0, inertia=1.0, position=(0.0, 1.0))
    m.body("b", mass=3.0, inertia=1.0, position=(0.0, 0.0))
    m.user_force("pull", "system.com.y", "-16*system.com.y")
    r = m.simulate(2.0, samples=41, rtol=1e-10, events=[tm.Event("down", "system.com.vy", direction=1)])
    # F along the mean acts on each body by its share m_i/M, so that the mean moves as one mass M would: y'' = -16 y / 4
    np.testing.assert_allclose(r["system.com.y"], 0.25 * np.cos(2.0 * r.times), atol=1e-8)
    assert r.events[0].time == pytest.approx(math.pi / 2, abs=1e-6)
    m = tm.PlanarModel("held", gravity=(0.0, -9.81))
    m.body("a", mass=1.0, inertia=1.0, position=(0.0, 1.0))
    m.body("b", mass=3.0, inertia=1.0, position=(0.0, 0.0))
    m.constrain("hold", "system.com.y")
    r = m.simulate(0.5, samples=6)
    assert r["system.com.y"] == pytest.approx(np.full(6, 0.25), abs=1e-9)
    assert r["hold.effort"] == pytest.approx(np.full(6, 4.0 * 9.81))


@pytest.mark.parametrize("space", [False, True])
def test_a_sliding_block_tells_its_contact(space):
    """A ball that slides without turning inertia to speak of: friction is mu N against the slip, at the lowest point."""
    if space:
        m = tm.SpatialModel("ball")
        m.body("b", mass=2.0, inertia=(1e3, 1e3, 1e3), position=(0.0, 0.0, 0.1), velocity=(3.0, 0.0, 0.0))
        m.contact_sphere_plane(
            "c", "b", "ground", radius=0.1, at=(0, 0, 0), normal="z", stiffness=1e6, damping=1e3, friction=0.4
        )
    else:
        m = tm.PlanarModel("ball")
        m.body("b", mass=2.0, inertia=1e3, position=(0.0, 0.1), velocity=(3.0, 0.0))
        m.contact_line("c", "b", "ground", radius=0.1, at=(0, 0), axis=(1, 0), stiffness=1e6, damping=1e3, friction=0.4)
    r = m.simulate(0.4, samples=41)
    late = slice(20, None)  # it has settled on the ground
    normal = r["c.normal"][late]
    assert normal == pytest.approx(np.full(21, 2.0 * 9.81), rel=1e-3)
    assert r["c.friction.x"][late] == pytest.approx(-0.4 * normal, rel=1e-9)
    assert np.abs(r["c.friction"][late]) == pytest.approx(0.4 * normal, rel=1e-9)
    assert r["c.slip.x"][late] == pytest.approx(r["b.vx"][late], rel=1e-3)
    assert np.abs(r["c.slip"][late]) == pytest.approx(r["b.vx"][late], rel=1e-3)
    assert r["c.point.x"] == pytest.approx(r["b.x"], abs=1e-12)
    assert r[f"c.point.{'z' if space else 'y'}"] == pytest.approx(np.zeros(41), abs=1e-12)


@pytest.mark.parametrize("law", [{"law": "rigid", "restitution": 0.0}, {**SOFT, "stick": True}, SOFT])
@pytest.mark.parametrize("push", [2.0, 30.0])
def test_contacts_that_rest_stick_and_slide_balance_the_rest(law, push):
    """A block without turning pushed on the ground: it sticks below mu m g = 7.848 N and slides above."""
    m = tm.PlanarModel("block")
    m.body("b", mass=2.0, inertia=1e3, position=(0.0, 0.1), velocity=(0.0, 0.0))
    m.contact_line("c", "b", "ground", radius=0.1, at=(0, 0), axis=(1, 0), friction=0.4, **law)
    m.force("push", "b", (push, 0.0))
    r = m.simulate(0.5, samples=11)
    total = r.resultant("b", joints=True)
    np.testing.assert_allclose(total.force, 2.0 * np.column_stack([r["b.com.ax"], r["b.com.ay"]]), atol=1e-9 * push)
    # some creep where it does not truly stick
    assert r["c.friction"][-1] == pytest.approx(-min(push, 0.4 * 2.0 * 9.81), rel=2e-2)
    assert r["c.b.fx"][-1] == pytest.approx(r["c.friction"][-1], rel=1e-9)
    assert r["c.slip"][-1] == pytest.approx(r["b.vx"][-1], abs=1e-4 + 1e-3 * push)


def test_every_contact_knows_its_place():
    kinds = {kind for kind in {**force_types(), **spatial_force_types()} if kind.startswith("contact")}
    assert kinds == PLACES.keys()
    m = tm.PlanarModel("bowl")
    m.body("b", mass=1.0, inertia=0.01, position=(0.3, -0.85), angle=0.2)
    bowl = tm.curves.analytic("cos(u)", "sin(u)", math.pi, 2 * math.pi)
    m.contact_curve("c", "b", "ground", curve=bowl, radius=0.1, stiffness=1e5, damping=10.0, friction=0.3)
    r = m.simulate(0.5, samples=11)
    place = np.column_stack([r["c.point.x"], r["c.point.y"]])
    centre = r["b"].position
    assert np.linalg.norm(place, axis=1) == pytest.approx(np.ones(11))
    assert place == pytest.approx(centre / np.linalg.norm(centre, axis=1)[:, None], abs=1e-9)


def test_wrong_questions_are_explained():
    m = double_pendulum()
    r = m.simulate(0.1, samples=3)
    with pytest.raises(ModelError, match=r"there is no body or group 'leg'"):
        r.group("leg")
    with pytest.raises(ModelError, match=r"there is no force 's'"):
        r.force_on("s", "a")
    with pytest.raises(ModelError, match=r"about= must be a point, its name or \(x, y\)"):
        r.resultant("a", about=3.0)
    with pytest.raises(ModelError, match="must name moving bodies, each once"):
        m.group("twice", ["a", "a"])
    with pytest.raises(ModelError, match="is taken already"):
        m.group("arm", ["a"])
    with pytest.raises(ModelError, match="has no forces"):
        _unloaded().resultant("a")
    light = tm.PlanarModel("light")
    light.body("a", massless=True)
    with pytest.raises(ModelError, match="nothing there has a mass"):
        light.measure("system.com.x")


def _unloaded():
    m = double_pendulum()
    m.driver("d", "A.angle", "t")
    m.driver("e", "B.angle", "t")
    return m.kinematics(0.1, samples=2)


def test_groups_are_kept(tmp_path):
    m = double_pendulum()
    for twin in (m.copy(), tm.load(m.save(tmp_path / "m.toml")), m.with_parameters()):
        assert twin.groups == {"arm": ("a", "b")}
    assert m.copy(without=["b", "B", "P"]).groups == {"arm": ("a",)}
    outer = tm.PlanarModel("outer")
    outer.subsystem("left", m)
    assert outer.groups == {"left.arm": ("left.a", "left.b")}
    assert outer.measure("left.arm.com.x").unit == "m"
