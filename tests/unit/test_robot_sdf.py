"""SDF: frames and poses, its joint types, loops, models in models, and the way back."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.io.robots.poses import from_rpy
from robot_files import (
    ARM,
    FLYER,
    FOUR_BARS,
    GRIPPER,
    PLANAR_TREE,
    four_bar_by_hand,
    furthest,
    loaded,
    saved,
    state,
    written,
)

RATES = {"A.angle.rate": 2.0}


def link(
    name: str,
    pose: str = "0 0 0 0 0 0",
    mass: float = 1.0,
    at: str = "0 0 0 0 0 0",
    relative: str = "",
    extra: str = "",
) -> str:
    to = f' relative_to="{relative}"' if relative else ""
    return (
        f'<link name="{name}"><pose{to}>{pose}</pose><inertial><pose>{at}</pose><mass>{mass}</mass><inertia><ixx>0.02</ixx><iyy>0.03</iyy>'
        f"<izz>0.04</izz><ixy>0.001</ixy></inertia></inertial>{extra}</link>\n"
    )


def joint(
    name: str, kind: str, parent: str, child: str, axis: str = "0 0 1", pose: str = "0 0 0 0 0 0", extra: str = ""
) -> str:
    line = f"<axis><xyz>{axis}</xyz></axis>" if axis else ""
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child><pose>{pose}</pose>{line}{extra}</joint>\n'


def model(*parts: str, version: str = "1.9") -> str:
    return (
        f'<?xml version="1.0"?>\n<sdf version="{version}"><model name="robot">\n' + "".join(parts) + "</model></sdf>\n"
    )


BASE = joint("foot", "fixed", "world", "base", "")


@pytest.mark.parametrize(
    ("kind", "freedom", "extra"),
    [
        ("revolute", 1, ""),
        ("continuous", 1, ""),
        ("prismatic", 1, ""),
        ("fixed", 0, ""),
        ("ball", 3, ""),
        ("screw", 1, "<screw_thread_pitch>0.05</screw_thread_pitch>"),
        ("universal", 2, "<axis2><xyz>1 0 0</xyz></axis2>"),
        ("revolute2", 2, "<axis2><xyz>0.6 0 0.8</xyz></axis2>"),
    ],
)
def test_every_joint_type_has_its_freedoms_and_comes_back(tmp_path: Path, kind: str, freedom: int, extra: str) -> None:
    text = model(
        link("base"),
        link("arm", "0.3 0 0.2 0.1 0.2 0.3", at="0.1 0.2 0 0 0 0"),
        BASE,
        joint("j", kind, "base", "arm", extra=extra),
    )
    m = loaded(tmp_path, text, "robot.sdf")
    assert m.mobility().dof == freedom
    again = loaded(tmp_path, saved(m, tmp_path / "again.sdf").read_text(encoding="utf-8"), "again.sdf")
    assert furthest(state(m), state(again)) < 1e-9


def test_the_older_thread_pitch_counts_radians_per_metre_of_a_left_hand_thread(tmp_path: Path) -> None:
    parts = [link("base"), link("nut", "0 0 0.1 0 0 0"), BASE]
    new = model(*parts, joint("j", "screw", "base", "nut", extra="<screw_thread_pitch>0.05</screw_thread_pitch>"))
    old = model(*parts, joint("j", "screw", "base", "nut", extra=f"<thread_pitch>{-2 * np.pi / 0.05!r}</thread_pitch>"))
    assert furthest(state(loaded(tmp_path, new, "a.sdf")), state(loaded(tmp_path, old, "b.sdf"))) < 1e-9


def test_poses_are_relative_to_links_frames_and_joints(tmp_path: Path) -> None:
    text = model(
        link("base", "0 0 1 0 0 0"),
        link("one", "0.5 0 0 0 0 1.5707963267948966", relative="base"),
        '<frame name="end" attached_to="one"><pose>0.2 0 0 0 0 0</pose></frame>',
        link("two", "0 0 0.3 0 0 0", relative="end"),
        link("three", "0.1 0 0 0 0 0", relative="turn"),
        BASE,
        joint("turn", "revolute", "base", "one"),
        joint("next", "revolute", "end", "two", pose="0 0 0.05 0 0 0"),
        '<joint name="last" type="revolute"><parent>two</parent><child>three</child><pose relative_to="end">0 0 0 0 0 0</pose>'
        '<axis><xyz expressed_in="__model__">1 0 0</xyz></axis></joint>',
    )
    m = loaded(tmp_path, text, "robot.sdf")
    assert m.bodies["two"].position == pytest.approx((0.5, 0.2, 1.3))
    assert m.constraints["next"].parameters["second"].drawn == pytest.approx((0.5, 0.2, 1.35))
    assert m.constraints["last"].parameters["first"].drawn == pytest.approx((0.5, 0.2, 1.0))
    assert m.constraints["last"].parameters["first"].drawn_axis(2) == pytest.approx((1.0, 0.0, 0.0))
    assert m.point("end").drawn == pytest.approx((0.5, 0.2, 1.0))


@pytest.mark.parametrize(
    "around", [("", ""), ('<model name="outer"><pose>0 -0.4 0 0.2 0 0</pose>', "</model>")], ids=["top", "nested"]
)
def test_the_pose_of_a_model_is_that_of_its_placement_frame(tmp_path: Path, around: tuple[str, str]) -> None:
    """The frame "grip" on the tool lies where <pose> of the model is, and links keep their places beside each other."""
    first, last = around
    text = (
        '<sdf version="1.9">' + first + '<model name="robot" placement_frame="grip"><pose>0.3 -0.2 0.5 0.4 -0.3 1.1</pose>'
        + link("base", "0.1 0 0 0 0 0.3") + link("tool", "0 0.2 0.6 1 0.5 0", relative="base")
        + '<frame name="grip" attached_to="tool"><pose>0.05 0.1 0 0 0.7 0</pose></frame></model>' + last + "</sdf>"
    )  # fmt: skip
    robot = tm.read_robot(written(tmp_path, text, "robot.sdf"))
    base, tool = (next(at.pose for name, at in robot.links.items() if name.endswith(each)) for each in ("base", "tool"))
    outer = from_rpy((0, -0.4, 0), (0.2, 0, 0)) if first else from_rpy((0, 0, 0), (0, 0, 0))
    wanted = outer @ from_rpy((0.3, -0.2, 0.5), (0.4, -0.3, 1.1))
    for found, expected in (
        (tool @ from_rpy((0.05, 0.1, 0), (0, 0.7, 0)), wanted),
        (base.inverse @ tool, from_rpy((0, 0.2, 0.6), (1, 0.5, 0))),
    ):
        np.testing.assert_allclose(found.position, expected.position, atol=1e-14)
        np.testing.assert_allclose(found.rotation, expected.rotation, atol=1e-14)


def test_a_placement_frame_must_be_known(tmp_path: Path) -> None:
    text = model(link("base")).replace('name="robot"', 'name="robot" placement_frame="grip"', 1)
    with pytest.raises(tm.FileFormatError, match="placement frame 'grip'"):
        tm.read_robot(written(tmp_path, text, "robot.sdf"))


def test_a_pose_relative_to_itself_is_refused(tmp_path: Path) -> None:
    with pytest.raises(tm.FileFormatError, match="relative to a frame that is not known, or to itself"):
        tm.read_robot(written(tmp_path, model(link("a", relative="b"), link("b", relative="a")), "robot.sdf"))


def test_degrees_and_quaternions_say_the_same_pose(tmp_path: Path) -> None:
    half = math.sqrt(0.5)
    poses = [
        "<pose>1 2 3 0 0 1.5707963267948966</pose>",
        '<pose degrees="true">1 2 3 0 0 90</pose>',
        f'<pose rotation_format="quat_xyzw">1 2 3 0 0 {half!r} {half!r}</pose>',
    ]
    turns = []
    for pose in poses:
        text = model(link("a").replace("<pose>0 0 0 0 0 0</pose><inertial>", f"{pose}<inertial>"))
        turns.append(loaded(tmp_path, text, "robot.sdf").bodies["a"].rotation)
    assert turns[1] == pytest.approx(turns[0])
    assert turns[2] == pytest.approx(turns[0])


def test_a_cyclic_joint_closes_the_loop(tmp_path: Path) -> None:
    closed = four_bar_by_hand().assemble().model()
    path = saved(closed, tmp_path / "four_bar.sdf")
    assert "<joint" in path.read_text(encoding="utf-8")
    robot = tm.read_robot(path)
    assert [j.name for j in robot.loops] == ["C"]
    m = loaded(tmp_path, path.read_text(encoding="utf-8"), "four_bar.sdf")
    assert m.mobility().dof == 1
    assert m.assemble().residual < 1e-12
    assert furthest(state(m, RATES), state(closed, RATES)) < 1e-9


def test_springs_damping_and_friction_of_an_axis_act(tmp_path: Path) -> None:
    dynamics = (
        "<axis><xyz>0 1 0</xyz><dynamics><damping>0.5</damping><spring_stiffness>8</spring_stiffness>"
        "<spring_reference>0.2</spring_reference></dynamics></axis>"
    )
    text = model(
        link("base"), link("arm", at="0 0 0 0 0 0"), BASE, joint("j", "revolute", "base", "arm", "", extra=dynamics)
    )
    m = loaded(tmp_path, text, "robot.sdf")
    turned = state(m, {"j.angle.rate": 2.0})["arm"][3][1]
    assert turned == pytest.approx((8.0 * 0.2 - 0.5 * 2.0) / 0.03, rel=1e-9)
    rough = text.replace("<damping>0.5</damping>", "<damping>0.5</damping><friction>0.3</friction>")
    assert state(loaded(tmp_path, rough, "robot.sdf"), {"j.angle.rate": 2.0})["arm"][3][1] == pytest.approx(
        (8.0 * 0.2 - 0.5 * 2.0 - 0.3) / 0.03, rel=1e-9
    )


def test_a_gearbox_turns_its_child_against_its_parent(tmp_path: Path) -> None:
    gear = "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>base</gearbox_reference_body><axis2><xyz>0 0 1</xyz></axis2>"
    text = model(
        link("base"), link("in", "0 0 0 0 0 0"), link("out", "1 0 0 0 0 0"), BASE,
        joint("a", "revolute", "base", "in"), joint("b", "revolute", "base", "out"), joint("g", "gearbox", "in", "out", extra=gear),
    )  # fmt: skip
    m = loaded(tmp_path, text, "robot.sdf")
    assert m.mobility().dof == 1
    run = m.simulate(0.1, initial={"a.angle.rate": 1.0}, progress=False)
    assert run.series("b.angle").value == pytest.approx(-3.0 * run.series("a.angle").value, abs=1e-10)


def test_models_in_models_and_includes_have_names_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "wheel").mkdir()
    (tmp_path / "wheel" / "model.sdf").write_text(
        model(link("rim", "0 0 0.1 0 0 0")).replace('name="robot"', 'name="wheel"'),
        encoding="utf-8",
    )
    text = model(
        link("base"),
        '<model name="left"><pose>0 1 0 0 0 0</pose>' + link("hub") + "</model>",
        "<include><uri>model://wheel</uri><name>front</name><pose>1 0 0 0 0 0</pose></include>",
        joint("l", "revolute", "base", "left::hub"),
        joint("f", "revolute", "base", "front::rim"),
    )
    robot = tm.read_robot(written(tmp_path, text, "robot.sdf"), package_dirs=tmp_path)
    assert set(robot.links) == {"base", "left::hub", "front::rim"}
    assert robot.links["front::rim"].pose.position == pytest.approx([1.0, 0.0, 0.1])
    m = robot.model()
    assert {"left__hub", "front__rim"} <= set(m.bodies)
    text = text.replace("model://wheel", "../wheel").replace(joint("f", "revolute", "base", "front::rim"), "")
    alone = tm.read_robot(written(tmp_path, text, "r.sdf"))
    assert any(
        "<include>" in note.what and "outside of the robot's folder" in note.text
        for note in alone.conversion_report.serious
    )


def test_a_world_says_gravity_and_static_models_stand(tmp_path: Path) -> None:
    text = (
        '<sdf version="1.6"><world name="w"><gravity>0 0 -1.62</gravity><model name="a">' + link("box") + '</model><model name="b"><static>'
        "true</static>" + link("rock") + "</model></world></sdf>"
    )  # fmt: skip
    m = loaded(tmp_path, text, "robot.sdf")
    assert m.gravity == (0.0, 0.0, -1.62)
    assert m.mobility().dof == 6
    assert state(m)["a__box"][2] == pytest.approx([0.0, 0.0, -1.62])


def test_a_mass_may_follow_from_the_collision_shapes(tmp_path: Path) -> None:
    text = model(
        '<link name="a"><inertial auto="true"><density>500</density></inertial><collision name="c"><pose>0.1 0 0 0 0 0</pose><geometry>'
        "<box>"
        '<size>0.2 0.3 0.4</size></box></geometry></collision></link>'
    )  # fmt: skip
    body = loaded(tmp_path, text, "robot.sdf").bodies["a"]
    assert body.mass == pytest.approx(12.0)
    assert body.centroid == pytest.approx((0.1, 0.0, 0.0))
    assert body.inertia[0][0] == pytest.approx(12.0 * (0.3**2 + 0.4**2) / 12.0)


@pytest.mark.parametrize("missing", ["", "ixx", "iyy", "izz", "ixy", "ixz", "iyz", "mass"])
def test_entries_of_an_inertia_that_are_missing_have_the_defaults_of_the_specification(
    tmp_path: Path, missing: str
) -> None:
    """sdformat, inertial.sdf: mass, ixx, iyy and izz are 1 where they are not stated, products of inertia are 0."""
    stated = {"mass": 2.5, "ixx": 0.9, "iyy": 0.8, "izz": 1.1, "ixy": 0.05, "ixz": -0.03, "iyz": 0.02}
    found = {key: value for key, value in stated.items() if key != missing}
    entries = "".join(f"<{key}>{value}</{key}>" for key, value in found.items() if key != "mass")
    mass = f"<mass>{found['mass']}</mass>" if "mass" in found else ""
    text = model(f'<link name="a"><inertial>{mass}<inertia>{entries}</inertia></inertial></link>')
    body = loaded(tmp_path, text, "robot.sdf").bodies["a"]
    true = {"mass": 1.0, "ixx": 1.0, "iyy": 1.0, "izz": 1.0, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0, **found}
    assert body.mass == true["mass"]
    tensor = [[true["".join(("i", *sorted((a, b))))] for b in "xyz"] for a in "xyz"]
    np.testing.assert_allclose(body.inertia, tensor, rtol=0, atol=1e-15)


ROBOTS = {"arm": ARM, "tree": PLANAR_TREE, "gripper": GRIPPER, "flyer": FLYER}


@pytest.mark.parametrize("name", ROBOTS)
def test_a_urdf_robot_written_as_sdf_moves_alike(tmp_path: Path, name: str) -> None:
    m = loaded(tmp_path, ROBOTS[name])
    for number, source in enumerate((m, tm.read_robot(tmp_path / "robot.urdf"))):
        again = loaded(
            tmp_path, saved(source, tmp_path / f"again{number}.sdf").read_text(encoding="utf-8"), "again.sdf"
        )
        assert furthest(state(m), state(again)) < 1e-9


def test_an_open_loop_is_refused_because_sdf_places_a_joint_once(tmp_path: Path) -> None:
    robot = tm.read_robot(written(tmp_path, FOUR_BARS["constraint"]))
    with pytest.raises(tm.ModelError, match="open as drawn"):
        tm.save_robot(robot, tmp_path / "robot.sdf")
