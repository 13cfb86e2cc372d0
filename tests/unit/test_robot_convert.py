"""Robot files where model files are taken: `tm.load`-like readers, and ``pytrammel convert``."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.cli.main import main
from pytrammel.io.registry import read_model
from pytrammel.io.robots.poses import shift
from pytrammel.io.robots.robot import Actuator, Axis, Joint, Link, Robot
from robot_files import ARM, FOUR_BARS, MJCF_FOUR_BAR, furthest, loaded, state, urdf, urdf_link, written

RATES = {"A.angle.rate": 2.0}


def test_one_command_converts_between_all_formats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = written(tmp_path, ARM, "arm.urdf")
    before = state(loaded(tmp_path, ARM))
    for name in ("arm.xml", "arm.sdf", "again.urdf", "arm.toml"):
        assert main(["convert", str(source), str(tmp_path / name), "--force"]) == 0
        assert "written:" in capsys.readouterr().out
        if not name.endswith(".toml"):
            source = tmp_path / name
        assert furthest(before, state(read_model(tmp_path / name))) < 1e-9
    kept = tm.read_robot(tmp_path / "again.urdf").joints["shoulder"].axes[0]
    assert (kept.low, kept.high) == (-3.0, 3.0)  # ranges survive all formats, although models do not enforce them


def test_load_and_save_take_robots_too(tmp_path: Path) -> None:
    m = tm.load(written(tmp_path, FOUR_BARS["constraint"], "bar.urdf"))
    assert m.mobility().dof == 1
    m.assemble().model().save(tmp_path / "bar.sdf")
    assert furthest(state(m, RATES), state(tm.load(tmp_path / "bar.sdf"), RATES)) < 1e-9


def test_the_account_is_printed_with_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = written(tmp_path, ARM.replace("</robot>", '<magnet strength="3"/></robot>'), "arm.urdf")
    assert main(["convert", str(source), str(tmp_path / "arm.xml"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert any("<magnet> in <robot> ignored" in note and "line 14" in note for note in told["conversion_report"])


def test_a_loop_survives_the_way_through_a_model_file(tmp_path: Path) -> None:
    source = written(tmp_path, FOUR_BARS["constraint"], "bar.urdf")
    assert main(["convert", str(source), str(tmp_path / "bar.toml"), "--quiet"]) == 0
    assert main(["convert", str(source), str(tmp_path / "bar.xml"), "--quiet"]) == 0
    hand = state(loaded(tmp_path, MJCF_FOUR_BAR, "hand.xml"), RATES)
    for name in ("bar.toml", "bar.xml"):
        assert furthest(hand, state(read_model(tmp_path / name), RATES)) < 1e-9


def test_meshes_go_along(tmp_path: Path) -> None:
    tm.inertia.box_mesh(0.1, 0.2, 0.3).write_stl(tmp_path / "part.stl")
    text = urdf(
        urdf_link("part", extra='<visual><geometry><mesh filename="part.stl" scale="2 1 1"/></geometry></visual>')
    )
    source = written(tmp_path, text, "part.urdf")
    for name in ("part.xml", "part.sdf", "copy.urdf"):
        assert main(["convert", str(source), str(tmp_path / name), "--quiet"]) == 0
        shape = read_model(tmp_path / name).bodies["part"].shapes[0]
        assert shape.mesh.bounds[1] == pytest.approx([0.1, 0.1, 0.15], rel=1e-6)
    assert main(["convert", str(source), str(tmp_path / "part.toml"), "--quiet"]) == 0
    assert read_model(tmp_path / "part.toml").bodies["part"].mass == 1.0


@pytest.mark.parametrize("ending", ["xml", "sdf", "urdf"])
def test_meshes_of_links_with_similar_or_long_names_keep_apart(ending: str, tmp_path: Path) -> None:
    # "a-b", "a.b" and "A_b" are one file name for systems that fold case; 5,000 letters are none
    names = ["a-b", "a.b", "A_b", "a_b", "x" * 5000]
    links = []
    for k, name in enumerate(names):
        tm.inertia.box_mesh(0.1 * (k + 1), 0.2, 0.3).write_stl(tmp_path / f"part{k}.stl")
        links.append(urdf_link(name, extra=f'<visual><geometry><mesh filename="part{k}.stl"/></geometry></visual>'))
    joints = [
        f'<joint name="j{k}" type="continuous"><parent link="{names[k]}"/><child link="{names[k + 1]}"/>'
        '<axis xyz="0 0 1"/></joint>'
        for k in range(len(names) - 1)
    ]
    source = written(tmp_path, urdf(*links, *joints), "robot.urdf")
    out = tmp_path / f"copy.{ending}"
    tm.load_robot(source).save(out)
    again = read_model(out)
    assert len({path.name.lower() for path in (tmp_path / "copy_meshes").iterdir()}) == len(names)
    meshes = [shape.mesh for body in again.bodies.values() for shape in getattr(body, "shapes", ())]
    widths = sorted(float(mesh.bounds[1][0] - mesh.bounds[0][0]) for mesh in meshes)
    assert widths == pytest.approx([0.1 * (k + 1) for k in range(len(names))], rel=1e-6)


KINDS_OF_ACTUATED = {"tree": ("revolute", False, 1), "loop": ("revolute", True, 1), "planar": ("planar", False, 3)}


@pytest.mark.parametrize("ending", ["urdf", "xml"])
@pytest.mark.parametrize("place", KINDS_OF_ACTUATED)
def test_an_actuator_is_written_or_its_loss_is_reported(tmp_path: Path, place: str, ending: str) -> None:
    """Motors at joints of the tree, at joints that close a loop, and at one coordinate of several."""
    kind, closing, axes = KINDS_OF_ACTUATED[place]
    inertia = np.diag([0.1, 0.1, 0.1])
    links = {
        name: Link(name, pose=shift(x, 0, 0), mass=1.0, inertia=inertia) for name, x in (("a", 0), ("b", 1), ("c", 1))
    }
    one = (Axis(),)
    joints = [
        Joint("ja", "revolute", "world", "a", axes=one),
        Joint("jb", "revolute", "a", "b", on_parent=shift(1, 0, 0), axes=one),
        Joint("jc", "revolute", "world", "c", on_parent=shift(1, 0, 0), axes=one),
    ]
    if closing:
        joints.append(Joint("x", kind, "b", "c", axes=one * axes, closing=True))
    else:
        links["d"] = Link("d", mass=1.0, inertia=inertia)
        joints.append(Joint("x", kind, "world", "d", axes=one * axes))
    robot = Robot("r", links=links, joints={j.name: j for j in joints})
    robot.actuators = {"first": Actuator("first", "ja"), "other": Actuator("other", "x")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.ModelWarning)
        account = tm.save_robot(robot, tmp_path / f"r.{ending}")
        again = tm.read_robot(tmp_path / f"r.{ending}")
    assert "first" in again.actuators
    lost = any("actuator 'other'" in str(note) for note in account.serious)
    assert ("other" in again.actuators) != lost


def idle_chain() -> tm.SpatialModel:
    """A ball and a hinge with a link without mass between them, and a point mass at the end."""
    m = tm.SpatialModel("chain")
    m.body("rod", massless=True)
    m.body("bob", mass=2.0, inertia=(0.0, 0.0, 0.0), position=(0.0, 0.1, -1.0))
    m.spherical("S", "ground", "rod", at=(0.0, 0.0, 0.0))
    m.revolute("R", "rod", "bob", at=(0.0, 0.0, -0.4), axis="x")
    return m


def test_balls_are_hinges_for_readers_of_urdf_and_come_back(tmp_path: Path) -> None:
    tm.save_robot(idle_chain(), tmp_path / "a.urdf")
    root = ElementTree.parse(tmp_path / "a.urdf").getroot()
    children = {joint.find("child").get("link") for joint in root.findall("joint")}  # type: ignore[union-attr]
    assert len({link.get("name") for link in root.findall("link")} - children) == 1  # urdfdom: one root
    assert {joint.get("type") for joint in root.findall("joint")} <= {"continuous", "revolute", "fixed"}
    again = tm.load_robot(tmp_path / "a.urdf")
    assert again.constraints["S"].kind == "spherical"
    assert again.mobility().dof == 4


def test_a_ball_tag_names_three_hinges(tmp_path: Path) -> None:
    tm.save_robot(idle_chain(), tmp_path / "a.urdf")
    text = (tmp_path / "a.urdf").read_text(encoding="utf-8").replace('second="S_y"', 'second="R"')
    (tmp_path / "a.urdf").write_text(text, encoding="utf-8")
    with pytest.raises(tm.FileFormatError, match=r"'S_x', 'R', 'S'.*three hinges"):
        tm.load_robot(tmp_path / "a.urdf")


def test_bodies_without_inertia_are_reported_in_mjcf(tmp_path: Path) -> None:
    account = tm.save_robot(idle_chain(), tmp_path / "a.xml")
    assert [note.what for note in account] == ["mass and inertia of 'rod'", "mass and inertia of 'bob'"]
    assert tm.load_robot(tmp_path / "a.xml").mobility().dof == 4


@pytest.mark.peers
def test_other_programs_read_chains_without_inertia(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra 'peers')")
    tm.save_robot(idle_chain(), tmp_path / "a.xml")
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "a.xml")).nv == 4
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (extra 'peers')")
    tm.save_robot(idle_chain(), tmp_path / "a.urdf")
    assert pin.buildModelFromUrdf(str(tmp_path / "a.urdf")).nv == 4


@pytest.mark.parametrize("kinds", [("hinge", "hinge"), ("slide", "hinge"), ("slide", "slide", "hinge")])
def test_several_joints_of_a_body_are_written_into_one_body(tmp_path: Path, kinds: tuple[str, ...]) -> None:
    """Bodies without mass between them would be rejected by MuJoCo."""
    joints = "".join(
        f'<joint name="j{k}" type="{kind}" axis="{axis}"/>'
        for k, (kind, axis) in enumerate(zip(kinds, ("1 0 0", "0 1 0", "0 0 1"), strict=False))
    )
    inertial = '<inertial mass="1.5" pos="0.1 0 -0.2" diaginertia="0.1 0.12 0.15"/>'
    (tmp_path / "one.xml").write_text(
        f'<mujoco><worldbody><body name="a" pos="0 0 1">{joints}{inertial}<body name="b" pos="0.2 0 0">'
        f'<joint name="last" type="hinge" axis="0 1 0"/>{inertial}</body></body></worldbody></mujoco>',
        encoding="utf-8",
    )
    tm.save_robot(tm.read_robot(tmp_path / "one.xml"), tmp_path / "two.xml")
    bodies = list(ElementTree.parse(tmp_path / "two.xml").iter("body"))
    assert [body.get("name") for body in bodies] == ["a", "b"]
    written = [[(joint.get("name"), joint.get("type", "hinge")) for joint in body.findall("joint")] for body in bodies]
    assert written == [[(f"j{k}", kind) for k, kind in enumerate(kinds)], [("last", "hinge")]]


@pytest.mark.parametrize("ending", ["urdf", "sdf", "xml"])
@pytest.mark.parametrize("kind", ["box", "sphere", "cylinder"])
def test_shapes_stay_where_they_are(tmp_path: Path, kind: str, ending: str) -> None:
    """As bodies of 1000 kg/m³ they have the same mass, centre of mass and inertia in the axes of the ground."""
    turn = tm.rotations.matrix(tm.rotations.from_axis_angle((0.6, 0.0, 0.8), 0.7))
    shape = {
        "box": tm.Box((0.2, 0.3, 0.4), (0.1, -0.3, 0.2), tuple(map(tuple, turn))),
        "sphere": tm.Sphere(0.07, (0.3, 0.1, 0.2)),
        "cylinder": tm.Cylinder((0.1, 0.2, 0.3), (0.4, -0.2, 0.5), 0.05),
    }[kind]
    place, rotation = np.array((0.5, -1.0, 2.0)), tm.rotations.from_axis_angle((0.0, 0.6, -0.8), 1.2)
    m = tm.SpatialModel("m")
    m.body("b", position=tuple(place), rotation=tuple(rotation), mass=1.0, inertia=0.1, shape=shape)
    m.revolute("A", "ground", "b", at=(0.3, 0.2, 0.1), axis=(0.48, 0.6, 0.64))
    tm.save_robot(m, tmp_path / f"m.{ending}")
    link = tm.read_robot(tmp_path / f"m.{ending}").links["b"]
    (look,) = link.looks
    before = shape.properties(1000.0).moved(tuple(place), tm.rotations.matrix(rotation))
    after = look.shape.properties(1000.0).moved(tuple(link.pose.position), link.pose.rotation)
    assert after.mass == pytest.approx(before.mass, rel=1e-9)
    np.testing.assert_allclose(after.centroid, before.centroid, atol=1e-9)
    np.testing.assert_allclose(after.inertia, before.inertia, rtol=1e-8, atol=1e-9)
