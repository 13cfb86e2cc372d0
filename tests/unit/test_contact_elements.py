"""Force and moment of contacts at one state, against the laws of docs/theory/forces.md written out anew."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

import pytrammel as tm
from pytrammel.forces.contact_laws import exact_damping
from pytrammel.testing.forces import At

RADIUS, OTHER = 0.13, 0.4  # of the disc, and of the disc or circle that it touches
LAWS = [
    {"law": "linear", "damping": 40.0},
    {"law": "linear", "damping": 40.0, "exponent": 1.3},
    {"law": "hertz"},
    {"law": "hunt_crossley", "damping": 0.7, "exponent": 1.2},
    {"law": "classic_hunt_crossley", "restitution": 0.4},
    {"law": "classic_lankarani_nikravesh", "restitution": 0.4},
    {"law": "lankarani_nikravesh", "restitution": 0.4},
]
FRICTION = [
    {},
    {"friction": 0.3, "stick_speed": 0.8},
    {"friction": (0.5, 0.3), "stick_speed": 0.8, "viscous": 3.0},
    {"viscous": 3.0},
    {"friction": (0.5, 0.3), "slip_slope": 60.0, "viscous": 3.0},
    {"friction": (0.5, 0.3), "slip_slope": 1e6},
]


def normal_law(given, depth, rate):
    stiff = 5000.0 * depth ** given.get("exponent", 1.0 if given["law"] == "linear" else 1.5)
    e = given.get("restitution", 1.0)
    factor = {
        "linear": 1.0,
        "hertz": 1.0,
        "hunt_crossley": 1.0 + given.get("damping", 0.0) * rate,
        # the speed of first touch is 1 m/s before any touch
        "classic_hunt_crossley": 1.0 + 1.5 * (1.0 - e) * rate,
        "classic_lankarani_nikravesh": 1.0 + 0.75 * (1.0 - e * e) * rate,
        "lankarani_nikravesh": 1.0 + exact_damping(e) * rate,
    }[given["law"]]
    return max(0.0, stiff * factor + (given["damping"] * rate if given["law"] == "linear" else 0.0))


def friction_law(given, normal, slip):
    static, dynamic = np.broadcast_to(given.get("friction", 0.0), 2)
    viscous = given.get("viscous", 0.0) * slip if normal > 0.0 else 0.0
    if "slip_slope" in given:
        return -float(np.clip(given["slip_slope"] * slip, -dynamic * normal, dynamic * normal)) - viscous
    ratio = slip / given.get("stick_speed", 1e-3)
    return -(dynamic + (static - dynamic) * math.exp(-((ratio / 2) ** 2))) * normal * math.tanh(2 * ratio) - viscous


def turned(angle, vector):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


class Scene:
    """A disc of body a, off its origin, pressed into something of body b by a random depth; both move at random."""

    def __init__(self, where, law, seed):
        rng = np.random.default_rng(seed)
        self.where, self.law, self.depth = where, law, rng.uniform(0.005, 0.04)
        angles, self.off, centre = (
            rng.uniform(-3, 3, size=2),
            rng.normal(scale=0.3, size=2),
            rng.normal(scale=0.3, size=2),
        )
        origin, way = rng.normal(size=2), turned(rng.uniform(-3, 3), (1.0, 0.0))
        middle = origin + turned(angles[1], centre)
        reach = {"line": RADIUS, "bowl": RADIUS - OTHER}.get(where, RADIUS + OTHER) - self.depth
        self.normal = way  # on a, away from b
        disc = middle + reach * way
        self.point = {
            "line": middle,
            "bowl": middle - OTHER * way,
            "discs": disc - (RADIUS - 0.5 * self.depth) * way,
        }.get(where, middle + OTHER * way)
        start = disc - turned(angles[0], self.off)
        self.m = tm.PlanarModel("pair", gravity=(0, 0))
        a = self.m.body("a", position=tuple(start), angle=angles[0], mass=1.0, inertia=1.0)
        b = self.m.body("b", position=tuple(origin), angle=angles[1], mass=1.0, inertia=1.0)
        self.q, self.v = np.r_[start, angles[0], origin, angles[1]], rng.normal(size=6)
        common = {"stiffness": 5000.0, **law}
        if where == "line":
            self.m.contact_line(
                "c", a.at(*self.off), b, radius=RADIUS, at=tuple(middle), axis=(way[1], -way[0]), **common
            )
        elif where == "discs":
            self.m.contact_discs("c", a.at(*self.off), b.at(*centre), radii=(RADIUS, OTHER), **common)
        else:
            self.m.contact_curve(
                "c", a.at(*self.off), b, curve=tm.curves.circle(OTHER, center=tuple(centre)), radius=RADIUS,
                side="left" if where == "bowl" else "right", **common,
            )  # fmt: skip

    def expected(self):
        """Forces and moments on a and b."""
        arms = self.point - self.q[:2], self.point - self.q[3:5]
        across = lambda arm: np.array([-arm[1], arm[0]])  # noqa: E731
        speed = self.v[:2] + self.v[2] * across(arms[0]) - self.v[3:5] - self.v[5] * across(arms[1])
        tangent = across(self.normal)
        normal = normal_law(self.law, self.depth, -self.normal @ speed)
        force = normal * self.normal + friction_law(self.law, normal, tangent @ speed) * tangent
        moments = [arm[0] * force[1] - arm[1] * force[0] for arm in arms]
        return np.r_[force, moments[0], -force, -moments[1]]


@pytest.mark.parametrize("where", ["line", "discs", "hill", "bowl"])
@pytest.mark.parametrize("law", LAWS, ids=lambda g: g["law"])
@pytest.mark.parametrize("friction", FRICTION, ids=lambda g: "-".join(g) or "smooth")
def test_a_contact_pushes_and_rubs_by_its_law(where, law, friction):
    for seed in range(4):
        scene = Scene(where, {**law, **friction}, seed)
        expected = scene.expected()
        found = At(scene.m, 0.0, scene.q, scene.v).total
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * (1.0 + np.abs(expected).max()))


@pytest.mark.parametrize("where", ["plane", "spheres"])
@pytest.mark.parametrize("law", LAWS, ids=lambda g: g["law"])
@pytest.mark.parametrize("friction", FRICTION, ids=lambda g: "-".join(g) or "smooth")
def test_a_contact_in_space_pushes_and_rubs_by_its_law(where, law, friction):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        depth, given = rng.uniform(0.005, 0.04), {**law, **friction}
        poses = [tm.rotations.normalised(rng.normal(size=4)) for _ in "ab"]
        turns = [np.asarray(tm.rotations.matrix(p)) for p in poses]
        origin, off, centre, way = rng.normal(size=3), *rng.normal(scale=0.3, size=(2, 3)), rng.normal(size=3)
        way /= np.linalg.norm(way)
        middle = origin + turns[1] @ centre
        disc = middle + (RADIUS - depth + (OTHER if where == "spheres" else 0.0)) * way
        point = disc - (RADIUS - (0.5 if where == "spheres" else 1.0) * depth) * way
        start = disc - turns[0] @ off
        m = tm.SpatialModel("pair", gravity=(0, 0, 0))
        a = m.body("a", position=tuple(start), rotation=tuple(poses[0]), mass=1.0, inertia=1.0)
        b = m.body("b", position=tuple(origin), rotation=tuple(poses[1]), mass=1.0, inertia=1.0)
        if where == "plane":
            m.contact_sphere_plane(
                "c", a.at(*off), b, radius=RADIUS, at=tuple(middle), normal=tuple(way), stiffness=5000.0, **given
            )
        else:
            m.contact_sphere_sphere("c", a.at(*off), b.at(*centre), radii=(RADIUS, OTHER), stiffness=5000.0, **given)
        v = rng.normal(size=12)
        arms = point - start, point - origin
        spins = turns[0] @ v[3:6], turns[1] @ v[9:12]  # angular velocities are in body components
        speed = v[:3] + np.cross(spins[0], arms[0]) - v[6:9] - np.cross(spins[1], arms[1])
        slip = speed - (speed @ way) * way
        size = float(np.linalg.norm(slip))
        normal = normal_law(given, depth, -way @ speed)
        force = normal * way + friction_law(given, normal, size) * slip / size
        moments = [turn.T @ np.cross(arm, force) for turn, arm in zip(turns, arms, strict=True)]
        expected = np.r_[force, moments[0], -force, -moments[1]]
        found = At(m, 0.0, np.r_[start, poses[0], origin, poses[1]], v).total
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * (1.0 + np.abs(expected).max()))


@pytest.mark.parametrize("e", [0.9991, 0.9995, 0.9999, 1.0 - 1e-6, 1.0 - 1e-9])
def test_damping_near_perfect_restitution_follows_from_the_energy_integral(e):
    """(1 + e) d = ln((1 + d) / (1 - e d)), solved in 60 digits; the series in 1 - e leaves out 0.9 (1 - e)² of the damping."""
    with mpmath.workdps(60):
        away = 1 - mpmath.mpf(e)
        exact = mpmath.findroot(
            lambda d: (2 - away) * d - mpmath.log((1 + d) / (1 - (1 - away) * d)),
            (1.4 * away, 1.6 * away),
            solver="anderson",
        )
    assert exact_damping(e) == pytest.approx(float(exact), rel=(1.0 - e) ** 2 + 1e-15)
