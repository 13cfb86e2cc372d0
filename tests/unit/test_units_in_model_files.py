"""Numbers with units in model files: masses, inertias, shapes, and the parameters in them, each with its dimension."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm

HEAD = 'format = 1\nmodel = "spatial"\nname = "m"\n\n'
PARAMETER = "[parameters.p]\nvalue = 3.0\n\n"


def loaded(folder, lines):
    path = folder / "m.toml"
    used = PARAMETER if 'p"' in lines else ""
    path.write_text(f"{HEAD}{used}[bodies.b]\n{lines}\n", encoding="utf-8")
    return tm.load(path)["b"]


def test_mass_properties_have_units_and_parameters(tmp_path):
    body = loaded(
        tmp_path, 'properties = {mass = "2*p", centroid = ["10 mm", "p", "1 in"], inertia = ["20 kg cm^2", 3.0, "p"]}'
    )
    assert body.mass == pytest.approx(6.0)
    assert tuple(body.centroid) == pytest.approx((0.01, 3.0, 0.0254))
    np.testing.assert_allclose(np.array(body.inertia), np.diag([0.002, 3.0, 3.0]), atol=1e-15)


WRONG = [
    ('properties = {mass = "2 m"}', "mass of"),
    ('properties = {mass = "2 kg s"}', "mass of"),
    ('properties = {mass = 2, centroid = ["1 kg", 0, 0]}', "centroid of"),
    ('properties = {mass = 2, inertia = ["1 kg m", 1, 1]}', "inertia of"),
    ('properties = {mass = 2, inertia = ["1 kg m^3", 1, 1]}', "inertia of"),
    ('shape = {type = "box", size = ["1 kg", 1, 1]}', "size of"),
    ('shape = {type = "sphere", radius = "1 s"}', "radius of"),
]


@pytest.mark.parametrize(("lines", "label"), WRONG)
def test_other_units_are_reported_with_the_entry(tmp_path, lines, label):
    with pytest.raises(tm.TrammelError, match=label):
        loaded(tmp_path, lines)


SHAPES = [
    ('{type = "box", size = ["10 cm", 0.2, "p"]}', 0.1 * 0.2 * 3.0),
    ('{type = "sphere", radius = "10 cm"}', 4 / 3 * math.pi * 0.001),
]


@pytest.mark.parametrize(("shape", "volume"), SHAPES)
def test_shapes_have_units_and_parameters(tmp_path, shape, volume):
    assert loaded(tmp_path, f"shape = {shape}\ndensity = 10.0").mass == pytest.approx(10.0 * volume, rel=1e-12)


UNKNOWN = [
    ("properties = {centroid = [0, 0, 0]}", "mass"),
    ("properties = {mass = 1, inertias = [1, 1, 1]}", "did you mean 'inertia'"),
    ('shape = {type = "bock", size = [1, 1, 1]}', "'bock'; the types of shapes are: box, sphere, cylinder, mesh"),
    ('shape = {type = "sphere", radus = 1}', "did you mean 'radius'"),
]


@pytest.mark.parametrize(("lines", "message"), UNKNOWN)
def test_entries_that_mean_nothing_are_reported(tmp_path, lines, message):
    with pytest.raises(tm.TrammelError, match=message):
        loaded(tmp_path, lines)


@pytest.mark.parametrize(("unit", "factor"), [("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254), ("ft", 0.3048)])
def test_lengths_with_units_are_metres(tmp_path, unit, factor):
    assert tuple(loaded(tmp_path, f'position = ["2 {unit}", 0, "-4 {unit}"]').position) == pytest.approx(
        (2 * factor, 0.0, -4 * factor)
    )
    m = tm.PlanarModel("m", display_unit=unit)
    m.body("b", position=(f"3 {unit}", 0.0))
    assert m["b"].position[0] == pytest.approx(3 * factor)


def test_an_orientation_driver_is_a_driver():
    m = tm.SpatialModel("m")
    m.body("b", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.spherical("S", "ground", "b", at=(0, 0, 0))
    assert m.mobility().drivers == 0
    assert m.orientation_driver("O", "b", ("t", 0, 0)).is_driver and not m["S"].is_driver
    assert m.mobility().drivers == m.mobility().dof == 3
