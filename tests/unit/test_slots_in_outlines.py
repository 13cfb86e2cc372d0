"""Pictures of bodies whose outline has slots: notches and grooves follow the ways of the pins."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

from pytrammel.examples import geneva, scissor_lift, scotch_yoke
from pytrammel.view.result_views import build_scene
from pytrammel.view.scene.still import still
from pytrammel.view.scene.symbols import GROOVE

CENTRES, CRANK = geneva.CENTRES, geneva.CRANK


def disc(radius, corners=720):
    return [(radius * math.cos(t), radius * math.sin(t)) for t in np.linspace(0, 2 * math.pi, corners, endpoint=False)]


def wheel_of(outline, duration=4.0):
    """A Geneva wheel with an outline: shapes of the wheel, half width of a slot, and the result."""
    m = geneva.build().copy(changes={"wheel": {"outline": outline}})
    k = m.kinematics(duration, samples=int(100 * duration) + 1)
    scene = build_scene(k)
    return shapes_of(scene, "wheel"), GROOVE * scene.symbol_size(), k


def shapes_of(scene, name):
    return next(body for body in scene.bodies if body.name == name).shapes


def of_role(shapes, role):
    return [shape for shape in shapes if shape.role == role]


def area(points):
    x, y = np.array(points).T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def is_inside(points, place):
    """Return True if a closed line winds round a place."""
    d = np.array(points) - place
    angles = np.arctan2(d[:, 1], d[:, 0])
    turns = np.diff(np.append(angles, angles[0]))
    return abs(float(np.sum((turns + math.pi) % (2 * math.pi) - math.pi))) > math.pi


def pin_in_wheel(k):
    """Places of the pin in the wheel while it turns it."""
    turning = np.cos(k["crank"].phi) > math.cos(math.pi / 4)
    c, s = np.cos(k["wheel"].phi), np.sin(k["wheel"].phi)
    dx, dy = k["pin"].x - CENTRES, k["pin"].y
    return np.column_stack([c * dx + s * dy, c * dy - s * dx])[turning]


@pytest.mark.parametrize("radius", [0.045, 0.05])
def test_slots_of_a_disc_open_at_its_rim(radius):
    """The area lost is that of four notches with round ends, of a circle."""
    shapes, half, k = wheel_of(disc(radius))
    assert of_role(shapes, "groove") == []
    (outline,) = of_role(shapes, "outline")
    deepest = min(math.hypot(x, y) for x, y in outline.points)
    assert deepest < CENTRES - CRANK - half  # the pin comes to the distance of the centres less the crank
    tip = deepest + half  # centre of the round end
    one = quad(lambda y: math.sqrt(radius**2 - y**2) - (tip - math.sqrt(half**2 - y**2)), -half, half)[0]
    # a round end of 8 chords misses 2.6 % of its half disc, a tenth of the notch; 720 chords miss 1e-5 of the disc
    assert area(disc(radius)) - area(outline.points) == pytest.approx(4 * one, rel=0.01)
    places = pin_in_wheel(k)
    within = places[np.hypot(*places.T) < radius]
    assert len(within) > 50
    assert not any(is_inside(outline.points, place) for place in within)
    # between the slots the disc is whole
    assert all(is_inside(outline.points, (0.9 * radius * math.cos(a), 0.9 * radius * math.sin(a)))
               for a in np.radians([0, 90, 180, 270]))  # fmt: skip


def test_slots_that_end_before_the_rim_are_grooves():
    shapes, half, k = wheel_of(disc(0.06))
    grooves = of_role(shapes, "groove")
    assert len(grooves) == 4
    for groove in grooves:
        near, far = sorted(math.hypot(*p) for p in groove.points)
        assert near < CENTRES - CRANK and CRANK < far < 0.06 - half
    for place in pin_in_wheel(k):
        assert min(_distance(place, *groove.points) for groove in grooves) < 1e-9


def _distance(place, a, b):
    a, b = np.array(a), np.array(b)
    t = np.clip((place - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    return float(np.hypot(*(place - a - t * (b - a))))


def test_an_outline_that_shows_its_slots_is_kept():
    shapes, _, _ = wheel_of(geneva.wheel_outline())
    (outline,) = of_role(shapes, "outline")
    assert np.allclose(outline.points, geneva.wheel_outline(), rtol=0, atol=1e-15)
    assert of_role(shapes, "groove") == []


def test_a_slot_that_a_run_does_not_use_is_as_long_as_the_others():
    """In the first turn of the crank the second slot stays empty."""
    shapes, _, _ = wheel_of((), duration=1.0)
    lengths = [math.dist(*groove.points) for groove in of_role(shapes, "groove")]
    assert len(lengths) == 2
    assert lengths[0] == pytest.approx(lengths[1], rel=1e-12)


def test_the_slot_of_a_yoke_lies_in_its_outline():
    m = scotch_yoke.build()
    k = m.kinematics(1.0, samples=101)
    shapes = shapes_of(build_scene(k), "yoke")
    (groove,) = of_role(shapes, "groove")
    x = [p[0] for p in groove.points]
    y = [p[1] for p in groove.points]
    assert x == pytest.approx([x[0]] * 2, abs=1e-12)
    assert min(y) < np.min(k["pin"].y) and max(y) > np.max(k["pin"].y)
    (outline,) = of_role(shapes, "outline")
    assert all(is_inside(outline.points, p) for p in groove.points)
    (short,) = of_role(shapes_of(build_scene(still(m)), "yoke"), "groove")  # one position: along the slot all the same
    assert short.points[0][0] == pytest.approx(short.points[1][0], abs=1e-12)
    assert math.dist(*short.points) > 0.0


def test_a_rail_on_the_edge_of_an_outline_is_not_a_slot():
    shapes = shapes_of(build_scene(scissor_lift.run()), "platform")
    assert of_role(shapes, "groove") == []


@pytest.mark.parametrize("clockwise", [False, True])
def test_notches_do_not_depend_on_the_sense_of_the_outline(clockwise):
    corners = disc(0.05)[::-1] if clockwise else disc(0.05)
    (outline,) = of_role(wheel_of(corners)[0], "outline")
    (other,) = of_role(wheel_of(disc(0.05))[0], "outline")
    assert area(outline.points) == pytest.approx(area(other.points), rel=1e-12)


def test_an_outline_of_two_lines_keeps_its_hole():
    hole = [(0.004 * math.cos(t), 0.004 * math.sin(t)) for t in np.linspace(0, 2 * math.pi, 24, endpoint=False)]
    shapes, _, _ = wheel_of([disc(0.05), hole])
    outlines = of_role(shapes, "outline")
    assert len(outlines) == 2
    assert np.allclose(outlines[1].points, hole, rtol=0, atol=1e-15)
    assert max(math.dist(a, b) for a, b in pairwise(outlines[0].points)) < 0.05
