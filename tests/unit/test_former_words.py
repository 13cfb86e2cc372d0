"""Former words of elements, arguments, sections and attributes: messages name the word that replaced them."""

from __future__ import annotations

import pytest

import pytrammel as tm
from pytrammel._util.former_names import new_word
from pytrammel.io.models.model_file import loads


def model(space=False):
    m = tm.SpatialModel("m") if space else tm.PlanarModel("m")
    zero = (0.0,) * (3 if space else 2)
    for name in "ab":
        m.body(name, position=zero, mass=1.0, inertia=(1.0, 1.0, 1.0) if space else 1.0)
    return m


@pytest.mark.parametrize("space, action, word", [
    (False, lambda m: m.couple("T", "a", 1.0), "torque"),
    (False, lambda m: m.translational("T", "a", "b"), "prismatic"),
    (False, lambda m: m.pin_on_line("T", "a", "b"), "point_on_line"),
    (False, lambda m: m.bellows, "gas_spring"), (True, lambda m: m.bellows, "gas_spring"),
    (False, lambda m: m.stop, "end_stop"), (True, lambda m: m.assembly, "subsystem"), (True, lambda m: m.rack, "rack_and_pinion"),
    (False, lambda m: m.units, "display_unit"), (True, lambda m: m.account, "conversion_report"),
    (False, lambda m: m["a"].spin, "omega"), (True, lambda m: m["a"].spin, "angular_velocity_about"),
    (True, lambda m: m["a"].at(0, 0, 0).drift, "velocity_along"),
])  # fmt: skip
def test_a_former_attribute_is_answered_with_the_new_word(space, action, word):
    with pytest.raises(AttributeError, match=rf"has no attribute '\w+'\. Use '{word}'\."):
        action(model(space))


@pytest.mark.parametrize("space, action, word", [
    (False, lambda m: m.torque("T", "a", moment=1.0), "torque"), (True, lambda m: m.torque("T", "a", vector=(1, 0, 0)), "torque"),
    (False, lambda m: m.prismatic("T", "a", "b", direction=(1, 0)), "axis"),
    (False, lambda m: m.contact_line("T", "a", "b", direction=(1, 0)), "axis"),
    (False, lambda m: m.difference("a", "b", direction=(1, 0)), "axis"),
    (False, lambda m: m.joint_friction("T", "A", coefficient=1), "friction"),
    (True, lambda m: m.joint_friction("T", "A", stick_rate=1), "stick_speed"),
    (False, lambda m: m.stick_slip("T", "a.x", normal=1, coefficients=1), "friction"),
    (False, lambda m: m.body("c", spin=1.0), "omega"), (False, lambda m: m.disc("c", centre=(0, 0), radius=1, mass=1), "center"),
    (False, lambda m: m.copy(units="mm"), "display_unit"), (False, lambda m: tm.PlanarModel(units="mm"), "display_unit"),
    (True, lambda m: tm.SpatialModel(units="mm"), "display_unit"), (True, lambda m: tm.Box((1, 1, 1), centre=(0, 0, 0)), "center"),
    (True, lambda m: tm.load_robot("arm.urdf", floating=True), "floating_base"),
    (True, lambda m: tm.load_robot("arm.urdf", merge=False), "merge_fixed"),
    (True, lambda m: tm.read_robot("arm.urdf", folders=["x"]), "package_dirs"),
])  # fmt: skip
def test_a_former_argument_is_answered_with_the_new_word(space, action, word):
    with pytest.raises(tm.ModelError, match=rf"Use '{word}'\."):
        action(model(space))


@pytest.mark.parametrize("text, word", [
    ('units = "mm"', "display_unit"), ('[assemblies.left]\nfile = "leg.toml"', "subsystems"),
    ('[forces.T]\ntype = "couple"\nbody = "ground"\nmoment = 1', "torque"),
    ('[forces.T]\ntype = "torque"\nbody = "ground"\nmoment = 1', "torque"),
    ('[constraints.T]\ntype = "translational"', "prismatic"), ('[bodies.a]\nspin = 1', "omega"),
    ('[bodies.a]\n[constraints.T]\ntype = "prismatic"\nfirst = "ground"\nsecond = "a"\nat = [0, 0]\ndirection = [1, 0]', "axis"),
])  # fmt: skip
def test_a_former_word_of_a_model_file_is_answered_with_the_new_word(text, word):
    with pytest.raises(tm.FileFormatError, match=rf"(use {word}\.|did you mean {word}\?)"):
        loads(f"format = 1\n{text}\n")


def test_a_word_that_nothing_replaces_has_no_new_one():
    assert new_word("couple", ["force", "motor"]) is None
    assert new_word("torque", ["torque"]) is None
    assert new_word(3, ["torque"]) is None
