"""Display units: a model that is too large for its display unit is reported once, with the likely cause."""

from __future__ import annotations

import copy
import math
import pickle
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest

import pytrammel as tm
from pytrammel.model.display_unit import oversize, size_of
from pytrammel.report.model_check import check

LIMIT = 10.0


def warned(action):
    """Messages of the warnings of an action."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        action()
    return [str(each.message) for each in found if each.category is tm.ModelWarning]


def plane(length, unit="mm"):
    """A pendulum whose pin is the origin, with its body at a distance."""
    m = tm.PlanarModel("pendulum", display_unit=unit)
    m.body("rod", position=(length, 0.0), mass=1.0, inertia=1.0)
    m.revolute("A", m.ground, "rod", at=(0.0, 0.0))
    return m


def space(length, unit="mm"):
    m = tm.SpatialModel("pendulum", display_unit=unit)
    m.body("rod", position=(0.0, length, 0.0), mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.revolute("A", m.ground, "rod", at=(0.0, 0.0, 0.0), axis="x")
    return m


@pytest.mark.parametrize("make", [plane, space])
@pytest.mark.parametrize("unit", ["mm", "cm", "in"])
def test_the_limit_is_ten_metres_in_small_display_units(make, unit):
    assert warned(make(LIMIT, unit).mobility) == []
    (message,) = warned(make(math.nextafter(LIMIT, 11.0), unit).mobility)
    assert "its display unit is " + unit in message and "(limit 10 m)" in message


@pytest.mark.parametrize("make", [plane, space])
@pytest.mark.parametrize("unit", ["m", "ft"])
def test_large_display_units_have_no_limit(make, unit):
    assert warned(make(1e4, unit).mobility) == []


@pytest.mark.parametrize("unit, helper", [("mm", "tm.mm"), ("cm", "tm.cm"), ("in", "tm.inch")])
def test_the_message_names_the_typed_position_and_the_remedies(unit, helper):
    m = tm.PlanarModel("four-bar", display_unit=unit)
    m.body("crank", position=(40, 60))
    assert oversize(m) == (
        f"model 'four-bar': its size is 72.1 m (limit 10 m), but its display unit is {unit}. position=(40, 60) means 40 m. "
        f"Use {helper} or '40 {unit}'. Use display_unit='m' for a machine of this size."
    )
    right = tm.PlanarModel("four-bar", display_unit=unit)
    right.body("crank", position=(f"40 {unit}", f"60 {unit}"))
    assert oversize(right) == ""


@pytest.mark.parametrize("action", ["mobility", "draw", "diagram", "linearize"])
@pytest.mark.parametrize("make", [plane, space])
def test_the_first_use_warns_and_later_uses_of_the_model_and_its_copies_do_not(make, action):
    m = make(40.0)
    assert len(warned(getattr(m, action))) == 1
    again = [m, m.copy("twin"), m.with_parameters(), pickle.loads(pickle.dumps(m)), copy.deepcopy(m)]
    assert [warned(each.mobility) for each in again] == [[]] * len(again)
    plt.close("all")


def test_describing_does_not_warn_and_another_display_unit_is_checked_again():
    m = plane(40.0, "m")
    assert warned(lambda: (m.draw(), m.mobility())) == []
    assert len(warned(m.copy(display_unit="mm").draw)) == 1
    grown = plane(1.0)
    assert warned(grown.mobility) == []
    grown.body("far", position=(0.0, 11.0))
    assert len(warned(grown.mobility)) == 1
    plt.close("all")


@pytest.mark.parametrize(
    "given", [{"outline": [(0, 0), (40, 0), (0, 30)]}, {"points": {"tip": (30, 40)}}], ids=["outline", "point"]
)
def test_typed_outlines_and_points_are_part_of_the_size(given):
    m = tm.PlanarModel(display_unit="mm")
    m.body("plate", angle=0.3, **given)
    assert size_of(m) > 30.0
    assert "position=(40, 60) means 40 m. Use tm.mm or '40 mm'." in oversize(m)


def test_size_is_the_diagonal_of_the_box_around_turned_bodies():
    m = tm.PlanarModel(display_unit="mm")
    m.body("bar", position=(3.0, 4.0), angle=math.pi / 2, points={"tip": (20.0, 0.0)})
    assert size_of(m) == pytest.approx(math.hypot(3.0, 24.0))
    s = tm.SpatialModel(display_unit="mm")
    turned = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    s.body("bar", position=(3.0, 4.0, 0.0), rotation=turned, points={"tip": (20.0, 0.0, 1.0)})
    assert size_of(s) == pytest.approx(math.sqrt(3.0**2 + 24.0**2 + 1.0))


@pytest.mark.parametrize("shape, size", [
    (tm.Sphere(20.0), math.sqrt(3) * 40.0), (tm.Cylinder((0, 0, -20), (0, 0, 20), 1.0), 40.0),
    (tm.Box((30, 40, 0.1)), math.hypot(30, 40, 0.1)),
])  # fmt: skip
def test_typed_shapes_are_part_of_the_size(shape, size):
    m = tm.SpatialModel(display_unit="mm")
    m.body("part", shape=shape, mass=1.0, inertia=(1.0, 1.0, 1.0))
    assert size_of(m) == pytest.approx(size)


def test_a_long_road_is_not_part_of_the_size():
    m = tm.PlanarModel(display_unit="mm")
    m.body("wheel", position=(0.0, 0.3), mass=1.0, inertia=1.0)
    m.rolling("road", track=m.ground, wheel="wheel", radius=0.3, line=((0, 0), (500, 0)))
    m.contact_curve(
        "bump", "wheel", m.ground, radius=0.3, curve=tm.curves.analytic("u", "0*u - 1", -50.0, 50.0), stiffness=1e5
    )
    assert oversize(m) == ""


@pytest.mark.parametrize("ending", [".toml", ".json"])
def test_model_files_are_checked_like_scripts(tmp_path, ending):
    path = plane(40.0).save(tmp_path / f"m{ending}")
    assert "display_unit" in path.read_text(encoding="utf-8")
    m = tm.load(path)
    assert len(warned(m.mobility)) == 1
    small = tm.load(plane(tm.mm(40.0)).save(tmp_path / f"small{ending}"))
    assert warned(small.mobility) == []


def test_the_checkup_of_a_file_lists_the_size_once():
    m = plane(40.0)
    assert warned(lambda: check(m)) == []
    fresh = check(plane(40.0))
    assert [f.level for f in fresh.findings if "its display unit is mm" in f.sentence] == ["warning"]
