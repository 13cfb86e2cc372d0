"""Numbers that hold a mechanism at rest where it is drawn: free lengths, places of attachment, loads, suspensions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm

pytestmark = pytest.mark.search

G = 9.81


def test_free_lengths_hold_a_chassis_level():
    m = tm.PlanarModel("car")
    c = m.body("c", position=(0, 1.0), mass=100.0, inertia=20.0)
    m.constrain("x", c.x)
    for name, x in (("front", 0.8), ("rear", -1.1)):
        m.spring(name, m.ground.at(x, 0), c.at(x, 0), stiffness=8000.0, free_length=1.0)
    ready = m.trim(["front.free_length", "rear.free_length"])
    rest = ready.equilibrium()
    assert rest.pose("c") == pytest.approx((0.0, 1.0, 0.0), abs=1e-10)
    # levers: the front carries 1.1 / 1.9 of the weight
    assert ready["front"].parameters["free_length"] == pytest.approx(1.0 + 100.0 * G * 1.1 / 1.9 / 8000.0, rel=1e-9)
    run = rest.simulate(1.0, samples=3, progress=False)
    assert np.abs(run["c"].y - 1.0).max() < 1e-9
    with pytest.raises(tm.ConvergenceError, match=r"no values of front\.stiffness"):
        m.trim(["front.stiffness"])


def held_bar(name="", free_length=None):
    """A bar of 2 kg and 1 m, level on a pin at one end, and a spring of 300 N/m from a place above to a point along it."""
    m = tm.PlanarModel("bar", gravity=(0, -G))
    bar = m.body("bar", position=(0.5, 0), mass=2.0, inertia=0.2)
    m.revolute("O", m.ground, bar, at=(0, 0))
    end = m.point(name, bar, local=(0.1, 0)) if name else bar.at(0.1, 0)
    m.spring("S", m.ground.at(0, 0.8), end, stiffness=300.0, free_length=free_length)
    return m


@pytest.mark.parametrize("free_length", [None, 0.9])
@pytest.mark.parametrize(("name", "unknown"), [("", "S.second.x"), ("hook", "hook.x")])
def test_a_place_of_attachment_holds_a_bar_level(name, unknown, free_length):
    """Moments about the pin: k (l - l0) 0.8 x / l = m g / 2 with l² = x² + 0.8²; a free length once read off the drawing stays."""
    m = held_bar(name, free_length)
    free = m["S"].parameters["free_length"]
    ready = m.trim([unknown])
    point = ready["S"].parameters["second"]
    x = 0.5 + point.local[0]
    length = math.hypot(x, 0.8)
    assert 300.0 * (length - free) * 0.8 * x / length == pytest.approx(2.0 * G * 0.5, rel=1e-9)
    assert ready["S"].parameters["free_length"] == free
    assert ready.equilibrium(allow_unstable=True).pose("bar") == pytest.approx((0.5, 0.0, 0.0), abs=1e-9)


def test_both_coordinates_of_a_place_change_least():
    """One equation for two unknowns: together they move less than one alone."""
    m = held_bar(free_length=0.7)
    ready = m.trim(["S.first.x", "S.first.y"])
    assert ready.equilibrium(allow_unstable=True).pose("bar") == pytest.approx((0.5, 0.0, 0.0), abs=1e-9)
    moved = np.hypot(*np.subtract(ready["S"].parameters["first"].local, (0, 0.8)))
    alone = m.trim(["S.first.y"])["S"].parameters["first"].local
    assert moved < abs(alone[1] - 0.8)
    with pytest.raises(
        tm.ConvergenceError, match=r"no values of S\.first\.x put model 'bar' at rest .* % of the forces"
    ):
        m.trim(["S.first.x"])


def test_a_load_is_found_by_its_component():
    m = held_bar(free_length=0.7)
    m.force("P", m["bar"].at(0.5, 0), (0.0, 1.0))
    ready = m.trim(["P.vector.y"])
    length = math.hypot(0.6, 0.8)
    lift = 300.0 * (length - 0.7) * 0.8 * 0.6 / length
    assert ready["P"].parameters["vector"] == pytest.approx((0.0, 2.0 * G * 0.5 - lift), rel=1e-9)


CORNERS = {"fl": (1.2, 0.7), "fr": (1.2, -0.7), "rl": (-1.4, 0.7), "rr": (-1.4, -0.7)}


def car(*, tyres):
    """A chassis of 900 kg with its centroid off the middle, on four springs, or on four wheels with springs and tyres; drawn level."""
    m = tm.SpatialModel("car", gravity=(0, 0, -G))
    chassis = m.body("chassis", position=(0, 0, 0.8), centroid=(0.2, -0.1, 0.1), mass=900.0, inertia=(300, 900, 1000))
    for name, (x, y) in CORNERS.items():
        top = chassis.at(x, y, 0)
        if not tyres:
            m.spring(name, m.ground.at(x, y, 0), top, stiffness=20e3, free_length=0.8)
            continue
        wheel = m.body(f"wheel_{name}", position=(x, y, 0.3), mass=30.0, inertia=1.0)
        m.prismatic(f"guide_{name}", chassis, wheel, at=(x, y, 0.3), axis="z")
        m.spring(name, wheel.at(0, 0, 0), top, stiffness=20e3, free_length=0.5)
        m.spring(f"tyre_{name}", m.ground.at(x, y, 0), wheel.at(0, 0, 0), stiffness=180e3, free_length=0.3)
    return m


@pytest.mark.parametrize("tyres", [False, True])
def test_a_vehicle_in_space_is_prepared_to_stand_level(tyres):
    """Four free lengths for heave, pitch and roll: loads obey the levers, and of all that do, lengths change least (equal wheel rates)."""
    m = car(tyres=tyres)
    unknowns = [f"{name}.free_length" for name in CORNERS]
    ready = m.trim([*unknowns, *(f"tyre_{name}.free_length" for name in CORNERS if tyres)])
    rest = ready.equilibrium(allow_unstable=True)
    assert rest.pose("chassis") == pytest.approx((0, 0, 0.8, 1, 0, 0, 0), abs=1e-9)
    drawn = 0.5 if tyres else 0.8
    loads = np.array([20e3 * (ready[name].parameters["free_length"] - drawn) for name in CORNERS])
    x, y = np.array(list(CORNERS.values())).T
    assert loads.sum() == pytest.approx(900.0 * G, rel=1e-9)
    assert loads @ x == pytest.approx(900.0 * G * 0.2, rel=1e-8)
    assert loads @ y == pytest.approx(-900.0 * G * 0.1, rel=1e-8)
    if tyres:
        for load, name in zip(loads, CORNERS, strict=True):
            on_the_road = 180e3 * (ready[f"tyre_{name}"].parameters["free_length"] - 0.3)
            assert on_the_road == pytest.approx(load + 30.0 * G, rel=1e-8)
    else:
        # the smallest changes from 0.8 m: no part along the twist of the four, which no balance sees
        twist = np.linalg.svd(np.array([np.ones(4), x, y]))[2][-1]
        assert abs(twist @ loads) < 1e-6 * loads.sum()


def test_attachments_prepare_a_vehicle_in_space():
    """Stiffer springs at given lengths: where they stand along and across the car levels it, height by one free length."""
    m = car(tyres=False).copy(changes={name: {"stiffness": 30e3, "free_length": 0.8735} for name in CORNERS})
    ready = m.trim(["fl.second.x", "fl.first.x", "rl.second.y", "rl.first.y", "rr.free_length"])
    assert ready.equilibrium(allow_unstable=True).pose("chassis") == pytest.approx((0, 0, 0.8, 1, 0, 0, 0), abs=1e-8)


def test_a_vehicle_in_the_plane_with_wheels_and_tyres():
    """Chassis, two wheels in vertical guides, struts and tyres: all four free lengths, by levers and weights."""
    m = tm.PlanarModel("half car", gravity=(0, -G))
    c = m.body("c", position=(0, 0.8), mass=500.0, inertia=600.0)
    m.constrain("x", c.x)
    for name, x in (("front", 1.1), ("rear", -1.4)):
        w = m.body(f"w_{name}", position=(x, 0.3), mass=25.0, inertia=1.0)
        m.prismatic(f"g_{name}", c, w, at=(x, 0.3), axis=(0, 1))
        m.spring(f"s_{name}", w.at(0, 0), c.at(x, 0), stiffness=15e3, free_length=0.5)
        m.spring(f"t_{name}", m.ground.at(x, 0), w.at(0, 0), stiffness=150e3, free_length=0.3)
    ready = m.trim([f"{part}_{name}.free_length" for part in "st" for name in ("front", "rear")])
    assert ready.equilibrium(allow_unstable=True).pose("c") == pytest.approx((0, 0.8, 0), abs=1e-9)
    for name, share in (("front", 1.4 / 2.5), ("rear", 1.1 / 2.5)):
        load = 500.0 * G * share
        assert ready[f"s_{name}"].parameters["free_length"] == pytest.approx(0.5 + load / 15e3, rel=1e-9)
        assert ready[f"t_{name}"].parameters["free_length"] == pytest.approx(0.3 + (load + 25.0 * G) / 150e3, rel=1e-9)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: held_bar().trim(5), "must be a list"),
        (lambda: held_bar().trim([5]), "holds 5"),
        (lambda: held_bar().trim(["S.colour"]), "is no number"),
        (lambda: held_bar().trim(["nobody.length"]), "nothing called 'nobody'"),
        (lambda: held_bar().trim(["nobody.first.x"]), "nothing called 'nobody'"),
        (
            lambda: held_bar().trim(["S.second.z"]),
            r"'S' has: first\.x …, second\.x …, stiffness, free_length",
        ),
        (
            lambda: held_bar().trim(["O.second.x"]),
            "a joint that is moved on its body would move the body",
        ),
        (lambda: held_bar("hook").trim(["S.second.x"]), r"belongs to the point 'hook'; find 'hook\.x'"),
        (lambda: held_bar("hook").trim(["hook.z"]), "'hook' has: x, y"),
        (lambda: held_bar().trim(["S.stiffness", "S.stiffness"]), "names something twice"),
    ],
)
def test_refusals(call, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        call()
