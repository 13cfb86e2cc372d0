"""Cams and slots: reports about profiles, ends of slots, sides of rollers."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import pytrammel as tm


def cam_model(add):
    m = tm.PlanarModel("cam")
    cam = m.body("cam")
    follower = m.body("follower", position=(0.0, 2.0))
    m.revolute("O", m.ground, cam, at=(0, 0))
    m.prismatic("guide", m.ground, follower, at=(0, 2.0), axis=(0, 1))
    add(m, cam, follower)
    m.driver("motor", cam.phi, "t")
    return m


def test_a_self_crossing_outline_is_reported():
    figure_eight = tm.curves.analytic("cos(u)", "sin(2*u)", 0.0, 2 * math.pi, closed=True, name="eight")
    with pytest.warns(tm.ModelWarning, match=r"outline 'eight' crosses itself .* Check the table"):
        cam_model(lambda m, c, f: m.cam_point("K", c, f.at(0, 0), curve=figure_eight))


def test_a_roller_too_large_for_a_hollow_is_reported():
    # r = 1 + 0.2 cos 3u has its hollows at u = 60°, ...; there the curvature is (r² - r r'')/r³ with r = 0.8, r'' = 1.8
    wavy = tm.curves.analytic(
        "(1+0.2*cos(3*u))*cos(u)", "(1+0.2*cos(3*u))*sin(u)", 0.0, 2 * math.pi, closed=True, name="wavy"
    )
    hollow = 0.8**3 / (0.8 * 1.8 - 0.8**2)
    with pytest.warns(tm.ModelWarning, match="undercuts the outline 'wavy'.*smaller roller"):
        cam_model(lambda m, c, f: m.cam_roller("K", c, f.at(0, 0), curve=wavy, radius=1.05 * hollow))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cam_model(lambda m, c, f: m.cam_roller("K", c, f.at(0, 0), curve=wavy, radius=0.95 * hollow))


def test_a_flat_face_on_a_hollow_outline_is_reported():
    wavy = tm.curves.analytic(
        "(1+0.2*cos(3*u))*cos(u)", "(1+0.2*cos(3*u))*sin(u)", 0.0, 2 * math.pi, closed=True, name="wavy"
    )
    with pytest.warns(tm.ModelWarning, match="is hollow near"):
        cam_model(lambda m, c, f: m.cam_flat("K", c, f.at(0, 0), curve=wavy, axis=(1, 0)))


def test_a_pin_that_leaves_its_slot_stops_the_run_there():
    m = tm.PlanarModel()
    plate = m.body("plate")
    pin = m.body("pin", position=(0.0, 0.0))
    m.fix("hold", plate)
    m.constrain("upright", pin.phi)
    m.slot("track", plate, pin.at(0, 0), curve=tm.curves.analytic("u", "u^2", -1.0, 1.0, name="track"))
    m.driver("push", pin.x, "t")
    with pytest.raises(tm.SingularError, match=r"slot 'track': the pin leaves its curve at t = 1 s") as error:
        m.kinematics(2.0, samples=201)
    partial = error.value.partial
    assert partial.times[-1] <= 1.0 + 1e-9
    np.testing.assert_allclose(partial["pin"].y, partial.times**2, atol=1e-13)


def test_an_open_outline_keeps_the_roller_on_the_side_where_it_is_drawn():
    for side in (1.0, -1.0):
        m = tm.PlanarModel()
        rail = m.body("rail")
        roller = m.body("roller", position=(0.0, 0.5 * side))
        m.fix("hold", rail)
        m.constrain("upright", roller.phi)
        m.cam_roller("contact", rail, roller.at(0, 0), curve=tm.curves.line((-5.0, 0.0), (5.0, 0.0)), radius=0.4)
        m.driver("push", roller.x, "t")
        np.testing.assert_allclose(m.kinematics(1.0)["roller"].y, 0.4 * side, atol=1e-14)


def test_roller_radius_must_be_positive():
    with pytest.raises(tm.ModelError, match="radius of roller 'K' is 0 m; it must be greater than 0"):
        cam_model(lambda m, c, f: m.cam_roller("K", c, f.at(0, 0), curve=tm.curves.circle(1.0), radius=0.0))


@pytest.mark.parametrize("seed", range(6))
def test_a_flat_follower_drawn_in_touch_stays_where_it_is_drawn(seed):
    """The place of touch is found to rounding, so that nothing has to give way when the joint is closed."""
    rng = np.random.default_rng(seed)
    centre, radius, angle = rng.uniform(-0.3, 0.3, 2), rng.uniform(0.2, 0.6), rng.uniform(-3, 3)
    normal, along = np.array([-math.sin(angle), math.cos(angle)]), np.array([math.cos(angle), math.sin(angle)])
    foot = centre + radius * normal + 0.2 * along
    m = tm.PlanarModel("follower")
    m.body("follower", position=foot, angle=angle)
    m.cam_flat("touch", m.ground, "follower", curve=tm.curves.circle(radius, center=centre), at=foot, axis=along)
    assert m.assemble().pose("follower") == pytest.approx((*foot, angle), abs=1e-13)


@pytest.mark.parametrize("seed", range(6))
def test_a_bead_drawn_on_its_wire_stays_where_it_is_drawn(seed):
    u = np.random.default_rng(seed).uniform(0.5, 12.0)
    place = (0.3 * math.cos(u), 0.3 * math.sin(u), 0.2 * u / (2 * math.pi))
    m = tm.SpatialModel("bead")
    m.body("bead", position=place)
    m.point_on_curve("wire", m.ground, m["bead"].at(0, 0, 0), curve=tm.curves.helix(0.3, 0.2, turns=2))
    assert m.assemble().pose("bead")[:3] == pytest.approx(place, abs=1e-13)


def test_the_seam_of_a_closed_wire_is_no_place_to_stop():
    ring = tm.curves.space_analytic("cos(u)", "sin(u)", "0*u", end=2 * math.pi, closed=True)
    for angle in (-1e-3, 0.0, 1e-3):
        found = ring.nearest((2 * math.cos(angle), 2 * math.sin(angle), 0.3))
        assert math.remainder(found - angle, 2 * math.pi) == pytest.approx(0.0, abs=1e-12)
