"""closure_tolerance is kept by files, copies, parameters, assemblies and robots, and checked."""

import pickle
import re

import pytest

import pytrammel as tm
from pytrammel.errors import FileFormatError, ModelError


def cranks(**given):
    m = tm.PlanarModel("cranks", **given)
    for k, x in enumerate((0.0, 0.4)):
        m.body(f"crank{k}", position=(x, 0.0))
        m.revolute(f"G{k}", m.ground, f"crank{k}", at=(x, 0.0))
    return m


@pytest.mark.parametrize("model", [tm.PlanarModel, tm.SpatialModel])
@pytest.mark.parametrize(
    ("given", "metres"), [(1e-5, 1e-5), ("0.02 mm", 2e-5), ("10 um", 1e-5), (0.0, 0.0), (0, 0.0), ("1e-6", 1e-6)]
)
def test_a_tolerance_is_a_length_with_or_without_a_unit(model, given, metres):
    assert model("m", closure_tolerance=given).closure_tolerance == pytest.approx(metres, rel=1e-15)


@pytest.mark.parametrize(
    "given", [-1e-9, float("nan"), float("inf"), "1 kg", "3 deg", "wide", None, (1e-5, 1e-5), object()]
)
def test_a_tolerance_that_is_not_a_length_is_rejected(given):
    with pytest.raises(ModelError, match="closure_tolerance"):
        tm.PlanarModel("m", closure_tolerance=given)


@pytest.mark.parametrize("ending", [".toml", ".json", ".yaml"])
@pytest.mark.parametrize("given", ["0.02 mm", 3e-6])
def test_files_keep_the_tolerance_as_it_was_given(tmp_path, ending, given):
    m = cranks(closure_tolerance=given)
    again = tm.load(m.save(tmp_path / f"cranks{ending}"))
    assert again.closure_tolerance == m.closure_tolerance
    assert again.save(tmp_path / f"again{ending}").read_text(encoding="utf-8") == (
        tmp_path / f"cranks{ending}"
    ).read_text(encoding="utf-8")


def test_files_without_a_tolerance_do_not_mention_one(tmp_path):
    assert "closure_tolerance" not in cranks().save(tmp_path / "cranks.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("given", ["'wide'", "-1.0", "[1.0]"])
def test_files_with_a_wrong_tolerance_name_line_and_field(tmp_path, given):
    file = tmp_path / "m.toml"
    file.write_text(f"format = 1\nmodel = 'planar'\nclosure_tolerance = {given}\n", encoding="utf-8")
    with pytest.raises(FileFormatError) as caught:
        tm.load(file)
    (problem,) = caught.value.problems
    assert problem.line == 3
    assert problem.path == "closure_tolerance"


def test_copies_keep_or_change_the_tolerance():
    m = cranks(closure_tolerance="20 um")
    assert m.copy().closure_tolerance == pickle.loads(pickle.dumps(m)).closure_tolerance == m.closure_tolerance
    assert m.copy(closure_tolerance=0.0).closure_tolerance == 0.0
    assert m.closure_tolerance == pytest.approx(2e-5)


def test_a_tolerance_follows_its_parameter():
    m = tm.PlanarModel("m")
    m.parameter("play", "20 um")
    m.closure_tolerance = "2*play"
    assert m.closure_tolerance == pytest.approx(4e-5)
    assert m.with_parameters(play="50 um").closure_tolerance == pytest.approx(1e-4)
    assert "play" not in m.unused_parameters


@pytest.mark.parametrize(("outer", "inner"), [(0.0, 1e-5), (1e-4, 1e-5)])
def test_an_assembly_takes_the_larger_tolerance(outer, inner):
    whole = tm.PlanarModel("whole", closure_tolerance=outer)
    whole.subsystem("left", cranks(closure_tolerance=inner))
    assert whole.closure_tolerance == max(outer, inner)


def test_included_files_leave_the_tolerance_to_the_outer_file(tmp_path):
    (tmp_path / "part.toml").write_text("format = 1\nclosure_tolerance = 1e-5\n", encoding="utf-8")
    (tmp_path / "whole.toml").write_text("format = 1\ninclude = ['part.toml']\n", encoding="utf-8")
    with pytest.raises(FileFormatError, match="closure_tolerance"):
        tm.load(tmp_path / "whole.toml")


ROBOT = """<robot name="table">
  <link name="base"/>
  <link name="a"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="A" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>
</robot>"""


def test_robot_files_are_read_with_a_tolerance_and_written_with_a_note(tmp_path):
    file = tmp_path / "table.urdf"
    file.write_text(ROBOT, encoding="utf-8")
    m = tm.load_robot(file, closure_tolerance=1e-5)
    assert m.closure_tolerance == 1e-5
    assert tm.load_robot(file).closure_tolerance == 0.0
    with pytest.warns(tm.ModelWarning, match="closure_tolerance"):
        account = tm.save_robot(m, tmp_path / "again.urdf")
    assert re.search(r"closure_tolerance 1e-05 m", str(account))


def test_results_are_read_back_with_the_tolerance_of_their_model(tmp_path):
    m = cranks(closure_tolerance=1e-5)
    for k in range(2):
        m.driver(f"motor{k}", m[f"G{k}"].angle, "t")
    k = m.kinematics(duration=0.1, samples=3)
    k.save(tmp_path / "run.trammel")
    assert tm.load_result(tmp_path / "run.trammel").model.closure_tolerance == 1e-5
