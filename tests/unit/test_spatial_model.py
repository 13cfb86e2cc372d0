"""Spatial models as a person meets them: copies that remember turns, columns, text, refusals, large systems."""

from __future__ import annotations

import json
import math
import sys

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.runs import simulation
from pytrammel.analysis.start import start_velocities
from pytrammel.io.results.result_json import result_json
from spatial_models import chain


def hinge(angle: float = 0.0, **body) -> tm.SpatialModel:
    m = tm.SpatialModel("hinge")
    b = m.body("b", position=(1, 0, 0), mass=2.0, inertia=(0.01, 0.1, 0.1), **body)
    m.revolute("A", m.ground, b, at=(0, 0, 0), axis="y", angle=angle)
    return m


def test_equilibrium_of_a_wound_spring_is_drawn_on_its_turn():
    """A hinge wound up by three turns and held by a spring: the copy at rest measures the same angle, not its principal value."""
    told = 6 * math.pi + 0.2
    m = hinge(told)
    # beyond half a turn from where the joint was told to be
    m.torsion_spring("s", "A", stiffness=40.0, free_angle=told + 2.0)
    e = m.equilibrium()
    at_rest = e.model.simulate(0.0).series("A.angle").value[0]
    # balance about the hinge, angles from +y rotation counted down from the drawn one: k (free - a) = -m g x(a) for the rod's centre
    lever = math.cos(at_rest - told)
    assert 40.0 * (told + 2.0 - at_rest) == pytest.approx(-2.0 * 9.81 * lever, rel=1e-9)
    assert at_rest == pytest.approx(e.q[-1], abs=1e-12)
    assert abs(at_rest - told) < math.pi


def test_assembled_model_keeps_the_turns_of_its_drivers():
    m = hinge()
    m.driver("d", "A.angle", "50 + t")
    pose = m.assemble()
    assert pose.model().assemble().q[-1] == pytest.approx(50.0, abs=1e-12)
    assert m.kinematics(1.0, samples=3).series("A.angle").value == pytest.approx([50.0, 50.5, 51.0], abs=1e-12)


def test_assembled_universal_joint_keeps_its_turns():
    m = tm.SpatialModel("shafts")
    b = m.body("b", position=(0, 0, 1))
    m.universal("U", m.ground, b, at=(0, 0, 0), axis="x", second_axis="y")
    m.driver("d", "U.angle", "20 + t")
    m.driver("e", "U.second_angle", "-15")
    twin = m.assemble().model()
    assert twin.drawn_value(twin["U"].angle) == pytest.approx(20.0, abs=1e-12)
    assert twin.drawn_value(twin["U"].second_angle) == pytest.approx(-15.0, abs=1e-12)


def test_labels_of_angles_are_not_shared_by_different_angles():
    m = hinge()
    first = m.angle_between(m.ground, "b", "y", label="turn")
    assert m.angle_between(m.ground, "b", "y", label="turn") == first
    with pytest.raises(tm.ModelError, match="'turn' is that of another angle already"):
        m.angle_between(m.ground, "b", "x", label="turn")


def test_a_model_that_has_changed_since_the_run_is_noticed():
    m = hinge()
    r = m.simulate(0.1, samples=2)
    late = m.angle_between(m.ground, "b", "y", label="late")
    with pytest.raises(tm.ModelError, match="has changed since this run"):
        r.series(late)


def test_tables_and_json_have_every_component():
    m = hinge(omega=(0, 1.0, 0))
    m.point("P", "b", local=(0.5, 0, 0))
    r = m.simulate(0.2, samples=3)
    table = r.to_dict()
    assert {
        "b.x",
        "b.e0",
        "b.e3",
        "b.vz",
        "b.wy",
        "b.alpha_y",
        "P.az",
        "A.angle",
        "A.fz",
        "A.mx",
        "energy.total",
    } <= set(table)
    assert not {"b.phi", "P.wx", "P.e0"} & set(table)
    np.testing.assert_array_equal(table["b.wy"], r["b"].omega_body[:, 1])
    np.testing.assert_allclose(table["P.x"], table["b.x"] + 0.5 * r["b"].matrix[:, 0, 0], rtol=0, atol=1e-15)
    data = json.loads(json.dumps(result_json(m, r)))
    assert data["bodies"]["b"]["wy"] == pytest.approx(r["b"].wy.tolist())
    assert set(data["points"]["P"]) == {"x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"}
    with pytest.raises(tm.ModelError, match="point 'P' has no 'wx'; it has x, y, z, vx"):
        r["P.wx"]


def test_angular_velocities_in_both_frames_and_momenta():
    m = tm.SpatialModel("free", gravity=(0, 0, 0))
    turn = tm.rotations.from_axis_angle((0.6, 0.0, 0.8), 1.1)
    m.body(
        "b",
        position=(1, 2, 3),
        rotation=turn,
        mass=2.0,
        inertia=(0.2, 0.3, 0.4),
        omega=(1.0, -2.0, 0.5),
        velocity=(0.1, 0.2, 0.3),
    )
    r = m.simulate(0.0)
    b, A = r["b"], tm.rotations.matrix(turn)
    np.testing.assert_allclose(b.omega[0], A @ [1.0, -2.0, 0.5], rtol=0, atol=1e-15)
    np.testing.assert_allclose(r.momentum[0], [0.2, 0.4, 0.6], rtol=0, atol=1e-15)
    spin = A @ (np.array([0.2, 0.3, 0.4]) * [1.0, -2.0, 0.5])
    np.testing.assert_allclose(r.angular_momentum[0], np.cross([1, 2, 3], [0.2, 0.4, 0.6]) + spin, rtol=0, atol=1e-14)
    axis, angle = b.axis_angle
    assert angle[0] == pytest.approx(1.1, abs=1e-15)
    np.testing.assert_allclose(axis[0], [0.6, 0.0, 0.8], rtol=0, atol=1e-15)
    np.testing.assert_allclose(
        tm.rotations.matrix(tm.rotations.from_angles(b.angles("zyx")[0], "zyx")), A, rtol=0, atol=1e-15
    )


def test_prescribed_coordinates_in_space():
    """Coordinate partitioning: a slide's position is prescribed; a rotation cannot be."""
    m = tm.SpatialModel("slide")
    b = m.body("b", position=(1, 0, 0))
    m.prismatic("P", m.ground, b, at=(0, 0, 0), axis="x")
    r = m.kinematics(1.0, samples=5, prescribed={"b.x": "1 + t^2"})
    np.testing.assert_allclose(r["b"].ax, 2.0, rtol=1e-12)
    with pytest.raises(tm.ModelError, match=r"'b\.rx' is a rotation, which cannot be prescribed"):
        m.kinematics(1.0, prescribed={"b.rx": "t"})


def test_rolling_needs_simulation():
    m = tm.SpatialModel("ball")
    b = m.body("b", position=(0, 0, 0.1), mass=1.0, inertia=0.004)
    m.rolling_sphere("r", m.ground, b, radius=0.1, at=(0, 0, 0), axis="z")
    assert m.mobility().dof == 3  # five freedoms of position, two of them not of velocity
    with pytest.raises(tm.MobilityError, match=r"'r' restrains velocities only .* use simulate"):
        m.kinematics(1.0)


def test_a_prescribed_angular_velocity_is_followed():
    """A driver on a quantity without a value drives its rate: turning about a body axis by the derivative of the motion."""
    m = tm.SpatialModel("spun", gravity=(0, 0, 0))
    b = m.body("b", mass=1.0, inertia=(1.0, 2.0, 3.0))
    m.spherical("S", m.ground, b, at=(0, 0, 0))
    for axis, motion in zip("xyz", ("0.3*t", "0.5*sin(t)", "t^2"), strict=True):
        m.driver(f"w{axis}", b.angular_velocity_about(axis), motion)
    r = m.simulate(1.0, samples=11)
    expected = np.column_stack([np.full(11, 0.3), 0.5 * np.cos(r.times), 2 * r.times])
    np.testing.assert_allclose(r["b"].omega_body, expected, rtol=0, atol=1e-12)  # held by projection, to rounding


def test_text_of_a_model_names_poses_and_rows():
    text = str(hinge(rotation=tm.rotations.from_axis_angle((0, 0, 1), math.pi / 6)))
    assert "body b: at (1, 0, 0) m, turned 30° about (0, 0, 1), 2 kg" in text
    assert "revolute A: ground – b, 5 rows" in text


def test_large_chains_start_without_dense_matrices(monkeypatch):
    """Rows are seen to be independent by the sparse factorisation: nothing grows with the cube of the number of bodies."""

    def too_slow(*_):
        raise AssertionError("a dense rank was asked for")

    monkeypatch.setattr(simulation, "rank_at", too_slow)
    monkeypatch.setattr(start_velocities, "Stages", too_slow)
    r = chain(150).simulate(0.01, samples=2)
    assert np.abs(r.energy.balance).max() < 1e-9


def test_spline_in_space_goes_through_its_points_and_carries_a_bead():
    points = [(0, 0, 0), (0.3, 0.2, -0.1), (0.7, 0.1, -0.3), (1.0, -0.2, -0.35), (1.4, 0, -0.2)]
    curve = tm.curves.space_spline(points)
    for point in points:
        u = curve.nearest(point)
        # the search is a grid of 1/720
        np.testing.assert_allclose(curve.points(np.array([u]))[0], point, rtol=0, atol=3e-3)
    m = tm.SpatialModel("bead")
    b = m.body("bead", position=points[1], mass=0.1, inertia=1e-5)
    m.point_on_curve("wire", m.ground, b, curve=curve)
    r = m.simulate(0.5, samples=11, rtol=1e-9)
    assert np.abs(r.energy.balance).max() < 1e-8 and np.ptp(r.series("wire.u").value) > 0.1
    off = curve.points(r.series("wire.u").value) - r["bead"].position
    assert np.abs(off).max() < 1e-12  # held by projection
    with pytest.raises(tm.ModelError, match="points 1 and 2 coincide"):
        tm.curves.space_spline([(0, 0, 0), (1, 0, 0), (1, 0, 0), (2, 0, 0)])


def test_the_matrix_of_a_body_is_that_of_its_euler_parameters_to_the_last_bit():
    m = tm.SpatialModel("turned")
    for k, p in enumerate(np.random.default_rng(3).normal(size=(200, 4))):
        body = m.body(f"b{k}", rotation=tm.rotations.normalised(p))
        assert (body.matrix == tm.rotations.matrix(np.array(body.rotation))).all()
        with pytest.raises(ValueError, match="read-only"):
            body.matrix[0, 0] = 2.0


def test_describing_a_body_in_space_takes_little_of_anything():
    """At most 0.15 ms was asked for; counted in calls of functions, which no other work on the machine can change."""
    m = tm.SpatialModel("many")
    m.body("first", position=(0.5, 0, 0), mass=1.0, inertia=(0.1, 0.2, 0.2))
    calls = 0

    def count(frame, event, _):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        m.body("second", position=(1.5, 0, 0), mass=1.0, inertia=(0.1, 0.2, 0.2))
    finally:
        sys.setprofile(None)
    assert calls < 350  # 220 or so; 500 when signatures were read and moments decomposed for every body
