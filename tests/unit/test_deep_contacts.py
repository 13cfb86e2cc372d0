"""Contacts whose bodies overlap too far carry a warning, whatever the type, the analysis and the way there."""

from __future__ import annotations

import contextlib
import math
import re

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.errors import RunWarning
from pytrammel.forces.force import Force, ForceUse, force_sample
from pytrammel.geometry.curves import analytic
from pytrammel.model.spatial_registries import spatial_force_sample
from pytrammel.results.forces.overlaps import about_overlaps

RADIUS = 0.05  # m, smallest radius of the bodies
LIMIT = 0.1 * RADIUS  # m: a tenth of it
STIFF = 1e7  # N/m: 1 kg presses this 1 µm deep, far below every limit


def plane(g, y):
    m = tm.PlanarModel("plane", gravity=(0.0, -g))
    m.body("b", position=(0.0, y), mass=1.0, inertia=0.01)
    return m


def space(g, z):
    m = tm.SpatialModel("space", gravity=(0.0, 0.0, -g))
    m.body("b", position=(0.0, 0.0, z), mass=1.0, inertia=(0.01, 0.01, 0.01))
    return m


def line(depth, g, **law):
    m = plane(g, RADIUS - depth)
    m.contact_line("c", "b", m.ground, radius=RADIUS, at=(0.0, 0.0), axis=(1.0, 0.0), **law)
    return m


def discs(depth, g, **law):
    m = plane(g, 4.0 * RADIUS - depth)
    m.contact_discs("c", "b", m.ground, radii=(RADIUS, 3.0 * RADIUS), **law)
    return m


def terrain(depth, g, side="left", **law):
    m = plane(g, RADIUS - depth)
    m.contact_curve("c", "b", m.ground, curve=analytic("u", "0", -1.0, 1.0), radius=RADIUS, side=side, **law)
    return m


def cam(depth, g, side="right", **law):
    m = plane(g, 5.0 * RADIUS - depth)
    outline = analytic("0.2*cos(u)", "0.2*sin(u)", 0.0, 2.0 * math.pi, closed=True)  # 4 radii large
    m.contact_curve("c", "b", m.ground, curve=outline, radius=RADIUS, side=side, **law)
    return m


def sphere_plane(depth, g, **law):
    m = space(g, RADIUS - depth)
    m.contact_sphere_plane("c", "b", m.ground, radius=RADIUS, at=(0.0, 0.0, 0.0), normal=(0.0, 0.0, 1.0), **law)
    return m


def spheres(depth, g, **law):
    m = space(g, 3.0 * RADIUS - depth)
    m.contact_sphere_sphere("c", "b", m.ground, radii=(RADIUS, 2.0 * RADIUS), **law)
    return m


def stop(depth, g, stiffness=STIFF, **law):
    m = plane(g, -depth)
    m.end_stop("c", "b.y", low=0.0, high=10.0 * LIMIT, stiffness=stiffness)
    return m


MACHINES = {
    "contact_line": [line], "contact_discs": [discs], "contact_curve": [terrain, cam], "contact_sphere_plane": [sphere_plane],
    "contact_sphere_sphere": [spheres], "end_stop": [stop],
}  # fmt: skip
ALL = [machine for machines in MACHINES.values() for machine in machines]


def deep(warnings):
    return [w for w in warnings if w.kind == "overlap"]


def run(model, duration=1e-5, **options):
    with pytest.warns(RunWarning) if options.pop("warned", False) else contextlib.nullcontext():
        return model.simulate(duration, samples=2, progress=False, **options)


def test_every_registered_contact_has_a_machine_here():
    found = set()
    for space_too, kinds, sample in (
        (False, tm.force_types(), force_sample),
        (True, tm.spatial_force_types(), spatial_force_sample),
    ):
        for kind in kinds:
            model = tm.SpatialModel("m") if space_too else tm.PlanarModel("m")
            for k, name in enumerate("abc"):
                model.body(name, position=(1.0 * k, 2.0 * k, 0.5)[: 3 if space_too else 2])
            try:
                force = getattr(model, kind)("it", **sample(kind, *(model[name] for name in "abc")))
            except (tm.TrammelError, TypeError):
                continue  # a sample that needs joints; no contact does
            if force.gap is not None:
                found.add(kind)
                assert any(use.role == "contact" for use in force.uses)
    assert found == set(MACHINES)


def test_a_contact_type_without_a_gap_cannot_be_made():
    with pytest.raises(TypeError, match="gap"):
        Force("new", "n", {}, (), (ForceUse("x", "contact"),))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
@pytest.mark.parametrize("machine", ALL)
def test_contact_below_a_tenth_of_the_radius_does_not_warn(machine, share):
    assert not deep(run(machine(share * LIMIT, 0.0, stiffness=STIFF)).warnings)


@pytest.mark.parametrize("share", [1.01, 4.0, 9.9, 15.0])
@pytest.mark.parametrize("machine", ALL)
def test_contact_above_a_tenth_of_the_radius_warns_once_with_its_figures(machine, share):
    model = machine(share * LIMIT, 0.0, stiffness=STIFF)
    result = run(model, start_time=3.0, times=None, warned=True)
    (warning,) = deep(result.warnings)
    text = str(warning)
    assert warning.time == 3.0
    assert f"{model.forces['c'].kind} 'c'" in text
    depth, limit = (float(x) for x in re.findall(r"([-+.e\d]+) m\b", text)[:2])
    assert depth == pytest.approx(share * LIMIT, rel=1e-3)  # four digits are printed
    assert limit == pytest.approx(LIMIT, rel=1e-3)


@pytest.mark.parametrize("law", ["linear", "hertz"])
@pytest.mark.parametrize("machine", [m for m in ALL if m is not stop])
def test_a_soft_contact_at_rest_under_its_weight_does_not_warn(machine, law):
    """Static indentation of 6 limits by its stiffness; without weight the same depth is an overlap."""
    depth, exponent = 6.0 * LIMIT, 1.0 if law == "linear" else 1.5
    soft = {"stiffness": 9.81 / depth**exponent, "law": law}
    assert not deep(run(machine(depth, 9.81, **soft)).warnings)
    assert deep(run(machine(depth, 0.0, **soft), warned=True).warnings)


def test_a_preloaded_contact_is_judged_by_the_force_that_presses_it():
    m = line(3.0 * LIMIT, 0.0, stiffness=1e4)
    m.force("press", m["b"], (0.0, -1e4 * 3.0 * LIMIT))
    assert not deep(run(m).warnings)


@pytest.mark.parametrize("machine", [terrain, cam])
@pytest.mark.parametrize(
    "height", [0.0, 0.3, 5.0, 40.0]
)  # in radii: touching, near, far beyond the reach of the contact
def test_a_disc_on_the_wrong_side_of_a_curve_warns(machine, height):
    wrong = "right" if machine is terrain else "left"
    model = machine(-height * RADIUS, 0.0, side=wrong, stiffness=STIFF)
    assert deep(run(model, warned=True).warnings)
    assert not deep(run(machine(-height * RADIUS, 0.0, stiffness=STIFF)).warnings)


def test_a_disc_beyond_the_end_of_an_open_curve_does_not_warn():
    m = tm.PlanarModel("edge")
    m.body("b", position=(2.0, -0.3), mass=1.0, inertia=0.01)  # one metre beside the end of the table, below its top
    m.contact_curve("c", "b", m.ground, curve=analytic("u", "0", -1.0, 1.0), radius=RADIUS, stiffness=STIFF)
    assert not deep(run(m).warnings)


@pytest.mark.parametrize("machine", [discs, spheres])
def test_coinciding_centres_warn_although_their_force_vanishes(machine):
    whole = (4.0 if machine is discs else 3.0) * RADIUS
    model = machine(whole, 0.0, stiffness=STIFF)
    assert deep(run(model, warned=True).warnings)


@pytest.mark.parametrize("size", [0.02, 1.0, 50.0])
@pytest.mark.parametrize("depth, warns", [(0.9e-2, False), (1.1e-2, True)])
def test_points_are_judged_by_the_size_of_the_model(depth, warns, size):
    m = tm.PlanarModel("point", gravity=(0.0, 0.0))
    m.body("b", position=(size, -depth * size), mass=1.0, inertia=0.01)
    m.contact_line("c", "b", m.ground, at=(0.0, 0.0), axis=(1.0, 0.0), stiffness=STIFF)
    assert bool(deep(run(m, warned=warns).warnings)) is warns


@pytest.mark.parametrize("depth, warns", [(0.019, False), (0.021, True)])
def test_stops_of_an_angle_are_judged_by_their_travel(depth, warns):
    m = tm.PlanarModel("arm", gravity=(0.0, 0.0))
    m.body("b", position=(0.0, 0.0), angle=0.2 + depth, mass=1.0, inertia=0.01)
    m.end_stop("c", "b.phi", low=0.0, high=0.2, stiffness=1e6)
    found = deep(run(m, warned=warns).warnings)
    assert bool(found) is warns
    assert all("rad" in str(w) and "N m" in str(w) for w in found)


@pytest.mark.parametrize("machine", [m for m in ALL if m is not stop])
def test_rigid_bodies_that_overlap_are_rejected_with_depth_and_limit(machine):
    with pytest.raises(tm.ModelError, match=r"'c' overlap by 0\.01 m"):
        run(machine(2.0 * LIMIT, 9.81, law="rigid", restitution=0.5))


@pytest.mark.parametrize("formulation", ["cartesian", "joint", "relative"])
def test_all_formulations_give_the_same_warning(formulation):
    m = tm.PlanarModel("slide", gravity=(0.0, -9.81))
    m.body("b", position=(0.0, RADIUS - 3.0 * LIMIT), mass=1.0, inertia=0.01)
    m.prismatic("T", m.ground, "b", at=(0.0, 0.0), axis=(0.0, 1.0))
    m.contact_line("c", "b", m.ground, radius=RADIUS, at=(0.0, 0.0), axis=(1.0, 0.0), stiffness=STIFF)
    (warning,) = deep(run(m, formulation=formulation, warned=True).warnings)
    assert "0.015 m" in str(warning)


def driven(depth):
    """A disc that a driver lowers by 0.1 m per second from 50 mm above the floor."""
    m = tm.PlanarModel("press", gravity=(0.0, -9.81))
    m.body("b", position=(0.0, RADIUS), mass=1.0, inertia=0.01)
    m.prismatic("T", m.ground, "b", at=(0.0, RADIUS), axis=(0.0, 1.0))
    m.driver("D", "T.distance", f"{-depth!r}*t")
    m.contact_line("c", "b", m.ground, radius=RADIUS, at=(0.0, 0.0), axis=(1.0, 0.0), stiffness=STIFF)
    return m


def test_statics_and_inverse_dynamics_warn_where_the_driven_pose_is_too_deep():
    m = driven(2.0 * LIMIT)
    assert not m.statics(time=0.4).warnings
    with pytest.warns(RunWarning, match="overlap"):
        (warning,) = m.statics(time=1.0).warnings
    assert warning.kind == "overlap" and warning.time == 1.0
    with pytest.warns(RunWarning, match="overlap"):
        (warning,) = m.inverse_dynamics(1.0, samples=11, progress=False).warnings
    # half the way is the limit itself; the next output time is above it, and the last one is the deepest
    assert warning.time == pytest.approx(0.6)
    assert "0.01 m at t = 1 s" in str(warning)
    assert not driven(0.9 * LIMIT).inverse_dynamics(1.0, samples=11, progress=False).warnings


def test_an_equilibrium_whose_driver_holds_a_body_deep_in_the_floor_warns_once():
    m = driven(2.0 * LIMIT)
    with pytest.warns(RunWarning) as told:
        rest = m.equilibrium(time=1.0)
        result = rest.result
    assert [w.kind for w in rest.warnings] == ["overlap"]
    assert deep(result.warnings)
    assert len([w for w in told if "overlap" in str(w.message)]) == 1


def test_an_event_that_makes_a_contact_deep_warns_at_its_time():
    m = line(0.9 * LIMIT, 0.0, stiffness=1e4)
    grow = tm.Event("swell", "t - 1e-5", change={"c": {"radius": 1.2 * RADIUS}})
    with pytest.warns(RunWarning, match="overlap"):
        result = m.simulate(2e-5, samples=3, events=[grow], progress=False)
    (warning,) = deep(result.warnings)
    assert warning.time == pytest.approx(1e-5)


def test_every_variant_of_a_batch_that_starts_deep_has_its_warning():
    m = tm.PlanarModel("many", gravity=(0.0, -9.81))
    m.parameter("y", RADIUS)
    m.parameter("k", STIFF)
    m.body("b", position=(0.0, "y"), mass=1.0, inertia=0.01)
    m.prismatic("T", m.ground, "b", at=(0.0, 0.0), axis=(0.0, 1.0))
    m.contact_line("c", "b", m.ground, radius=RADIUS, at=(0.0, 0.0), axis=(1.0, 0.0), stiffness="k")
    depths = LIMIT * np.array([0.0, 0.5, 0.9, 1.1, 3.0, 8.0])
    with pytest.warns(RunWarning, match="3 of 6"):
        found = m.batch({"y": RADIUS - depths}).simulate(1e-5, samples=2, keep=["b.y"], progress=False)
    assert sorted(k for k, told in found.warnings.items() if deep(told)) == [3, 4, 5]
    # at rest the indentation is m g / k: beyond the radius the centre has passed the floor
    rest = [0.1 * LIMIT, 5.0 * LIMIT, 9.0 * LIMIT, 11.0 * LIMIT]
    with pytest.warns(RunWarning, match="1 of 4"):
        found = m.batch({"k": [9.81 / d for d in rest]}).equilibrium(keep=["b.y"], progress=False)
    assert sorted(found.warnings) == [3]


def test_many_deep_contacts_share_one_warning_that_names_them():
    m = plane(0.0, RADIUS - 2.0 * LIMIT)
    for k in range(8):
        m.contact_line(f"c{k}", "b", m.ground, radius=RADIUS, at=(0.0, 0.0), axis=(1.0, 0.0), stiffness=STIFF)
    (warning,) = deep(run(m, warned=True).warnings)
    assert sum(f"'c{k}'" in str(warning) for k in range(8)) == 5 and "3 more" in str(warning)


def test_a_stored_result_keeps_its_warning_and_a_later_deep_instant_does_not_add_one(tmp_path):
    result = run(line(2.0 * LIMIT, 0.0, stiffness=STIFF), warned=True)
    result.save(tmp_path / "r.trammel")
    assert [str(w) for w in tm.load_result(tmp_path / "r.trammel").warnings] == [str(w) for w in result.warnings]
    assert len(about_overlaps(result, start_only=True)) == 1
