"""Every registered type passes the checks that `pytrammel.testing` offers to other packages."""

from __future__ import annotations

import pytest

import pytrammel as tm
from pytrammel.io.registry import file_formats
from pytrammel.testing import check_file_format, check_force, check_joint, checks
from pytrammel.testing.file_formats import check_damage, check_round_trip
from pytrammel.testing.files import check_files
from pytrammel.testing.units import check_labels, check_units, scaled_model
from registry_samples import FORCES, JOINTS, TYPES


@pytest.mark.parametrize("kind", JOINTS, ids=str)
def test_units_and_labels_of_every_joint_are_right(kind):
    check_units(kind)


@pytest.mark.parametrize("kind", FORCES, ids=str)
def test_labels_of_every_force_are_right(kind):
    check_labels(kind)


def test_units_of_most_joints_are_compared_in_a_model_of_twice_the_size():
    # the others follow a curve, a formula or a given quantity, bring lengths that may be angles, or act on another joint
    compared = [kind for kind in JOINTS if scaled_model(kind) is not None]
    assert len(compared) >= 32


@pytest.mark.sampled(20)
@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_every_type_is_written_to_files_and_stands_in_the_schema(kind):
    check_files(kind)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("kind", FORCES, ids=str)
def test_every_force_does_virtual_work_and_acts_as_it_reacts(kind):
    checks.OF_FORCES["states"](kind)


def test_a_joint_is_named_by_its_builder_its_method_or_its_name():
    passed = tuple(checks.OF_JOINTS)
    assert check_joint("weld") == passed and check_joint(tm.PlanarModel().weld) == passed
    assert check_joint(tm.constraint_types()["weld"]) == passed


def test_a_force_passes_all_checks_in_the_plane_and_in_space():
    assert check_force("gas_spring") == tuple(checks.OF_FORCES)


@pytest.mark.parametrize("ending", [".toml", ".json"])
def test_model_files_pass_the_checks_of_file_formats(ending, tmp_path):
    model = tm.examples.find("four_bar").build() if hasattr(tm, "examples") else tm.PlanarModel("empty")
    model.body("more", position=(1 / 3, -1e-17), mass=0.1, inertia=1e300)
    check_round_trip(ending, model, tmp_path / f"m{ending}")
    check_damage(ending, tmp_path / f"m{ending}")


def test_damaged_robot_files_raise_the_error_of_file_formats(tmp_path):
    model = tm.SpatialModel("arm")
    model.body("link", position=(1 / 3, 0.0, 0.2), mass=1.3, inertia=(0.1, 0.2, 0.25))
    model.revolute("A", model.ground, "link", at=(0.0, 0.0, 0.0), axis="z")
    model.save(tmp_path / "arm.urdf")
    check_damage(".urdf", tmp_path / "arm.urdf")
    assert not file_formats()[".urdf"].exact


def test_a_format_without_a_sample_is_named():
    with pytest.raises(tm.ModelError, match=r"file format '.urdf' has no sample=. Specify it"):
        check_file_format(".urdf")
