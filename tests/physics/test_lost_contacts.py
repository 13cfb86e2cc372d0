"""Cams and wheels that would have to pull, or to slip: reported with time and force."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.geometry.curves import analytic
from pytrammel.joints.constraint import constraint_types, sample_arguments
from pytrammel.model.spatial_registries import spatial_constraint_types, spatial_sample_arguments

G = 9.81
E, R, W, MASS = 0.02, 0.05, 30.0, 0.4  # E W² = 18 > g: too fast for its weight alone


def cam(kind, speed=W):
    """Eccentric disc under a follower that is guided along y; the follower's height is known in closed form."""
    m = tm.PlanarModel("cam", gravity=(0.0, -G))
    m.body("cam", mass=1.0, inertia=1.0)
    m.revolute("A", "ground", "cam", at=(0, 0))
    outline = tm.curves.circle(R, center=(E, 0.0))
    height = {"cam_flat": R, "cam_roller": math.sqrt((R + 0.01) ** 2 - E**2), "cam_point": math.sqrt(R**2 - E**2)}[kind]
    m.body("f", position=(0.0, height), mass=MASS, inertia=1.0)
    m.prismatic("T", "ground", "f", at=(0, 0), axis=(0, 1))
    if kind == "cam_flat":
        m.cam_flat("c", "cam", "f", curve=outline, at=(0.0, height), axis=(1, 0))
    elif kind == "cam_roller":
        m.cam_roller("c", "cam", "f", curve=outline, radius=0.01, at=(0.0, height))
    else:
        m.cam_point("c", "cam", "f", curve=outline, at=(0.0, height))
    m.driver("motor", "A.angle", f"{speed}*t")
    return m


def lost(model, **run):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        r = model.inverse_dynamics(0.2, samples=401) if not run else model.simulate(0.2, samples=401)
    return (
        r,
        [w for w in r.warnings if w.kind == "contact lost"],
        [w for w in told if issubclass(w.category, tm.RunWarning)],
    )


@pytest.mark.parametrize("run", [{}, {"simulate": True}], ids=["inverse", "simulate"])
def test_a_flat_follower_lifts_off_where_its_acceleration_exceeds_gravity(run):
    """y = R + E sin(W t): N = m (g - E W² sin(W t)) passes zero at sin(W t) = g/(E W²), with the largest pull at W t = pi/2."""
    r, found, told = lost(cam("cam_flat"), **run)
    (warning,) = found
    assert told
    due = math.asin(G / (E * W**2)) / W
    assert warning.time == pytest.approx(due, abs=2e-5)  # between instants 0.5 ms apart the force is nearly straight
    assert f"{MASS * (E * W**2 - G):.4g} N" in str(warning)
    assert "'c' would have to pull" in str(warning)
    assert str(warning) in str(r)


@pytest.mark.parametrize("mass", [1e3, 1e6])
def test_a_light_follower_lifts_off_beside_a_heavy_body(mass):
    """Forces of a millionth of the weights are no rounding."""
    m = cam("cam_flat")
    m.body("anvil", position=(1.0, 0.0), mass=mass, inertia=1.0)
    m.weld("bolts", "ground", "anvil", at=(1.0, 0.0))
    _, (warning,), _ = lost(m)
    assert warning.time == pytest.approx(math.asin(G / (E * W**2)) / W, abs=2e-5)
    assert f"{MASS * (E * W**2 - G):.4g} N" in str(warning)


@pytest.mark.parametrize("kind", ["cam_roller", "cam_point"])
def test_rollers_and_knife_edges_lift_off_too(kind):
    """y = E sin(a) + sqrt(r² - E² cos²(a)): the vertical force changes sign where y" = -g."""
    rho = R + (0.01 if kind == "cam_roller" else 0.0)
    t = np.linspace(0.0, 0.2, 400001)
    y = E * np.sin(W * t) + np.sqrt(rho**2 - (E * np.cos(W * t)) ** 2)
    bend = np.gradient(np.gradient(y, t), t)
    due = t[5 + int(np.argmax(bend[5:-5] < -G))]
    _, found, _ = lost(cam(kind))
    assert found[0].time == pytest.approx(due, abs=1e-4)


@pytest.mark.parametrize("kind", ["cam_flat", "cam_roller", "cam_point"])
def test_a_slow_cam_is_not_reported(kind):
    _, found, told = lost(cam(kind, speed=15.0))
    assert not found
    assert not told


def wheel(lift, push=0.0, friction=None):
    m = tm.PlanarModel("wheel", gravity=(0.0, -G))
    m.body("w", position=(0.0, 0.3), mass=2.0, inertia=0.05)
    m.rolling("r", track="ground", wheel="w", radius=0.3, at=(0, 0), axis=(1, 0), friction=friction)
    m.force("lift", "w", (0.0, lift))
    m.torque("push", "w", push)
    return m


def test_a_wheel_that_is_lifted_is_reported():
    _, found, _ = lost(wheel("150*t"), simulate=True)
    assert found[0].time == pytest.approx(2.0 * G / 150.0, abs=1e-6)
    assert "10.38 N at t = 0.2 s" in str(found[0])  # 30 N of lift against 19.62 N of weight


def test_a_wheel_on_the_other_side_of_its_track_is_pressed_upwards():
    m = tm.PlanarModel("under", gravity=(0.0, -G))
    m.body("w", position=(0.0, -0.3), mass=2.0, inertia=0.05)
    m.rolling("r", track="ground", wheel="w", radius=0.3, at=(0, 0), axis=(1, 0))
    assert lost(m, simulate=True)[1]


def test_rolling_that_needs_more_friction_than_there_is_would_slip():
    """A torque T on the wheel needs the force T r m/(J + m r²) along the track: 1.9 N of 19.62 N pressing."""
    along = 0.9 * 0.3 * 2.0 / (0.05 + 2.0 * 0.09)
    needed = along / (2.0 * G)
    for friction, slips in ((0.9 * needed, True), (1.1 * needed, False)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            r = wheel("0", push=0.9, friction=friction).simulate(0.1, samples=3)
        found = [w for w in r.warnings if w.kind == "slip"]
        assert bool(found) == slips
        if slips:
            assert f"coefficient of friction of {needed:.4g}" in str(found[0])


def test_a_ball_rolling_off_the_crest_of_its_plane_is_reported_in_space():
    m = tm.SpatialModel("ball", gravity=(0, 0, -G))
    m.body("b", position=(0, 0, 0.1), mass=1.0, inertia=(0.004,) * 3)
    m.rolling_sphere("r", "ground", "b", radius=0.1, at=(0, 0, 0), axis=(0, 0, 1))
    m.force("lift", "b", (0.0, 0.0, "100*t"))
    _, found, _ = lost(m, simulate=True)
    assert found[0].time == pytest.approx(G / 100.0, abs=1e-6)


@pytest.mark.parametrize("turn", [0.0, 2.0])
@pytest.mark.parametrize("u", [-1.5, -0.2, 0.0, 1.5])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_knife_edge_is_on_the_side_of_its_open_curve_on_which_its_body_is_drawn(side, u, turn):
    """Right of the direction of growing u is +1: a body at the end of the normal (u, -1) of the parabola y = u²/2."""
    curve = analytic("u", "u^2/2", -2.0, 2.0)
    m = tm.PlanarModel("edge")
    m.body("cam", position=(0.3, -0.2), angle=turn)
    place = np.exp(1j * turn) * complex(u, u * u / 2) + complex(0.3, -0.2)
    away = place + 0.7 * side * np.exp(1j * turn) * complex(u, -1.0)
    m.body("rod", position=(away.real, away.imag), angle=0.4)
    edge = m["rod"].at_global(place.real, place.imag)
    joint = m.cam_point("edge", "cam", edge, curve=curve)
    assert joint.presses.side == side


PLANE = [k for k in sorted(constraint_types()) if k.startswith("cam_") or k == "rolling"]


@pytest.mark.parametrize("kind", PLANE)
@pytest.mark.parametrize("seed", range(4))
def test_every_one_sided_joint_pushes_its_bodies_apart(kind, seed):
    """By geometry alone: along the push the follower leaves the outline, the wheel its track."""
    rng = np.random.default_rng(seed)
    m = tm.PlanarModel("sample")
    bodies = [m.body(n, position=tuple(rng.normal(size=2)), angle=float(rng.uniform(-3, 3))) for n in "abc"]
    joint = getattr(m, kind)("j", **sample_arguments(kind, *bodies))
    assembled = m.assemble()
    posed = {
        name: (assembled.q[3 * k : 3 * k + 2], assembled.q[3 * k + 2]) for k, name in enumerate(list(m.bodies)[1:])
    }
    posed["ground"] = (np.zeros(2), 0.0)
    presses = joint.presses

    def placed(body, point, shift=0.0):
        r, a = posed[body]
        c, s = math.cos(a), math.sin(a)
        return r + np.array([c * point[0] - s * point[1], s * point[0] + c * point[1]]) + shift

    def turned(body, vector):
        return placed(body, vector) - posed[body][0]

    if presses.side:
        u = assembled.q[assembled.system.coordinates.index("j.u")]
        tangent = np.asarray(joint.blocks[0].quantity.curve.tangent(u))
        push = turned(presses.carrier, presses.side * np.array([tangent[1], -tangent[0]]))
    else:
        push = turned(presses.carrier, presses.normal)
    assert np.linalg.norm(push) == pytest.approx(1.0, abs=1e-12)

    def overlap(step):
        """Depth by which the follower, moved by the step along the push, is inside the outline or beyond the track."""
        shift = step * push
        if kind == "rolling":
            track, seat = joint.seats
            line = turned(track.body, track.axis)
            d = placed(seat.body, seat.point, shift) - placed(track.body, track.point)
            return joint.seats[1].radius - abs(line[0] * d[1] - line[1] * d[0])
        curve = joint.blocks[0].quantity.curve
        outline = np.array([placed("a", p) for p in np.asarray(curve.sample(4001))])
        seat = joint.seats[1]
        if kind == "cam_flat":
            face, at = turned(seat.body, seat.axis), placed(seat.body, seat.point, shift)
            heights = face[0] * (outline[:, 1] - at[1]) - face[1] * (outline[:, 0] - at[0])
            far = heights.mean()
            return float((heights * -np.sign(far)).max())
        centre = placed(seat.body, seat.point, shift)
        d = np.linalg.norm(outline - centre, axis=1).min()
        angles = np.unwrap(np.arctan2(*(outline - centre).T[::-1]))
        inside = abs(angles[-1] - angles[0]) > math.pi
        return (d if inside else -d) + seat.radius

    assert overlap(1e-3) < overlap(0.0) < overlap(-1e-3)


def test_rolling_in_space_pushes_along_the_normal_of_its_plane():
    for kind in ("rolling_sphere", "rolling_disc"):
        assert kind in spatial_constraint_types()
        rng = np.random.default_rng(1)
        m = tm.SpatialModel("sample")
        bodies = [m.body(n, position=tuple(rng.normal(size=3))) for n in "abc"]
        joint = getattr(m, kind)("j", **spatial_sample_arguments(kind, *bodies))
        plane, ball = joint.seats
        assert joint.presses.body == ball.body
        assert joint.presses.normal == plane.axis


@pytest.mark.parametrize("formulation", ["cartesian", "joint", "points"])
def test_rounding_is_no_pull_where_nothing_presses(formulation):
    """A wheel and the plate it could roll on fall together: between them there is nothing but rounding."""
    m = tm.PlanarModel("falling", gravity=(0.0, -G))
    m.body("plate", mass=2.0, inertia=0.3)
    m.body("wheel", position=(0.1, 0.2), mass=0.7, inertia=0.01)
    m.rolling("roll", track="plate", wheel="wheel", radius=0.2, line=((0.0, 0.0), (1.0, 0.0)))
    r = m.simulate(0.3, samples=31, formulation=formulation, progress=False)
    assert not r.warnings
    assert r["wheel"].vy[-1] == pytest.approx(-G * 0.3)
