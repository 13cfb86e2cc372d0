"""URDF: what is read, what loops become, what is told, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from robot_files import (
    ARM,
    BALL,
    CONSTRAINT,
    FLYER,
    FOUR_BAR_JOINTS,
    FOUR_BAR_LINKS,
    FOUR_BARS,
    GRIPPER,
    PLANAR_TREE,
    four_bar_by_hand,
    furthest,
    loaded,
    saved,
    state,
    urdf,
    urdf_joint,
    urdf_link,
    written,
)

RATES = {"A.angle.rate": 2.0}


def test_an_arm_has_its_masses_joints_and_points(tmp_path: Path) -> None:
    m = loaded(tmp_path, ARM)
    assert [b.mass for b in m.bodies.values()][1:] == pytest.approx([2.0, 1.2, 0.5])  # the probe is part of the hand
    assert [c.kind for c in m.constraints.values()] == ["revolute", "revolute", "prismatic"]
    assert m.mobility().dof == 3
    assert {"base", "probe", "tip"} <= set(m.points)


def test_links_that_are_fixed_may_stay_bodies_and_move_alike(tmp_path: Path) -> None:
    rates = {"shoulder.angle.rate": 1.0, "elbow.angle.rate": -2.0, "slide.distance.rate": 0.3}
    apart = loaded(tmp_path, ARM, merge_fixed=False)
    assert {"base", "probe", "tip"} <= set(apart.bodies)
    assert furthest(state(loaded(tmp_path, ARM), rates), state(apart, rates)) < 1e-9


def test_an_inertia_frame_is_turned_into_the_link(tmp_path: Path) -> None:
    m = loaded(tmp_path, ARM)
    given = np.array([[0.02, 0.001, -0.002], [0.001, 0.03, 0.003], [-0.002, 0.003, 0.04]])
    turn = tm.rotations.matrix(tm.rotations.from_angles((0.1, 0.2, 0.3), "xyz", fixed=True))
    assert np.array(m.bodies["upper"].inertia) == pytest.approx(turn @ given @ turn.T, rel=1e-12)


@pytest.mark.parametrize("kind", FOUR_BARS)
def test_a_loop_closes_and_moves_as_built_by_hand(tmp_path: Path, kind: str) -> None:
    m = loaded(tmp_path, FOUR_BARS[kind])
    assert m.assemble().residual < 1e-12
    assert furthest(state(m, RATES), state(four_bar_by_hand(), RATES)) < 1e-9


def test_a_loop_stays_closed_while_it_moves(tmp_path: Path) -> None:
    m = loaded(tmp_path, FOUR_BARS["constraint"])
    run = m.simulate(1.0, initial=RATES, progress=False)
    hand = four_bar_by_hand().simulate(1.0, initial=RATES, progress=False)
    assert np.abs(run.q - hand.q).max() < 1e-6  # the same motion, integrated with rtol 1e-8


def test_gazebo_joints_close_loops_where_they_are_drawn(tmp_path: Path) -> None:
    closed = four_bar_by_hand().assemble().model()
    path = saved(closed.copy(without=["C"]), tmp_path / "open.urdf")
    joint = (
        '<gazebo><joint name="C" type="revolute"><parent>coupler</parent><child>rocker</child><pose>0.4 0 0 0 0 0</pose>'
        "<axis><xyz>0 1 0</xyz></axis></joint></gazebo>"
    )
    m = loaded(tmp_path, path.read_text(encoding="utf-8").replace("</robot>", f"{joint}</robot>"), "closed.urdf")
    assert m.mobility().dof == 1
    assert furthest(state(m, RATES), state(closed, RATES)) < 1e-9


def test_a_mimic_is_an_equation_between_joints(tmp_path: Path) -> None:
    m = loaded(tmp_path, GRIPPER)
    assert m.mobility().dof == 1
    run = m.simulate(0.2, initial={"left_slide.distance.rate": 0.4}, progress=False)
    left, right, turn = (
        run.series(name).value for name in ("left_slide.distance", "right_slide.distance", "crank_turn.angle")
    )
    assert np.ptp(left) > 0.05
    assert right == pytest.approx(left, abs=1e-10)
    assert turn == pytest.approx(8.0 * left + 0.1, abs=1e-10)


def test_a_robot_flies_if_told_so(tmp_path: Path) -> None:
    assert loaded(tmp_path, FLYER).mobility().dof == 1
    m = loaded(tmp_path, FLYER, floating_base=True)
    assert m.mobility().dof == 7
    assert state(m)["trunk"][2] == pytest.approx([0.0, 0.0, -9.81], abs=1e-9)


def test_a_floating_joint_leaves_its_link_free(tmp_path: Path) -> None:
    text = urdf(
        '<link name="world"/>', urdf_link("ball", 2.0), urdf_joint("loose", "floating", "world", "ball", "0 0 3")
    )
    assert loaded(tmp_path, text).mobility().dof == 6


@pytest.mark.parametrize(("kind", "freedom"), [("ball", 3), ("universal", 2), ("planar", 3), ("screw", 1)])
def test_joints_that_urdf_lacks_come_in_drakes_words(tmp_path: Path, kind: str, freedom: int) -> None:
    pitch = '<drake:screw_thread_pitch value="0.02"/>' if kind == "screw" else ""
    joint = urdf_joint("j", kind, "base", "arm", "0.1 0 0", "0.1 0.2 0.3", extra=pitch).replace(
        "<joint", "<drake:joint"
    )
    text = urdf('<link name="base"/>', urdf_link("arm", 1.0, "0 0.1 0.3"), joint.replace("</joint", "</drake:joint"))
    m = loaded(tmp_path, text)
    assert m.mobility().dof == freedom
    again = loaded(tmp_path, saved(m, tmp_path / "again.urdf").read_text(encoding="utf-8"), "again.urdf")
    assert furthest(state(m), state(again)) < 1e-9


def test_a_pose_draws_the_robot_elsewhere(tmp_path: Path) -> None:
    m = loaded(tmp_path, PLANAR_TREE, pose={"rail": 0.4, "hinge": 0.5})
    assert m.bodies["cart"].position == pytest.approx((0.4, 0.0, 0.0))
    assert m.bodies["branch"].position == pytest.approx((0.4 + 0.5 * np.sin(0.5), 0.0, 0.5 * np.cos(0.5)))
    assert state(m)["cart"][0] == pytest.approx([0.4, 0.0, 0.0])
    with pytest.raises(tm.ModelError, match="no joint with a coordinate"):
        loaded(tmp_path, PLANAR_TREE, pose={"wheel": 1.0})


def test_controls_drive_joints_and_actuators(tmp_path: Path) -> None:
    drive = (
        '<transmission name="t"><joint name="hinge"/><actuator name="motor"><mechanicalReduction>5</mechanicalReduction></actuator>'
        "</transmission>"
    )
    text = PLANAR_TREE.replace("</robot>", f"{drive}</robot>")
    by_motor = state(loaded(tmp_path, text, controls={"motor": 0.4}))
    by_joint = state(loaded(tmp_path, text, controls={"hinge": "2.0 + 0*t"}))
    assert furthest(by_motor, by_joint) < 1e-9
    assert furthest(by_motor, state(loaded(tmp_path, text))) > 0.1
    with pytest.raises(tm.ModelError, match="neither an actuator nor a joint"):
        loaded(tmp_path, text, controls={"wheel": 1.0})


def test_a_rotor_adds_its_inertia_to_the_joint_alone(tmp_path: Path) -> None:
    rotor = (
        '<transmission name="t"><joint name="swing"/><actuator name="motor"><drake:rotor_inertia value="0.002"/>'
        '<drake:gear_ratio value="10"/></actuator></transmission>'
    )
    m = loaded(tmp_path, FLYER.replace("</robot>", f"{rotor}</robot>"))
    plain = loaded(tmp_path, FLYER)
    with_rotor, without = (
        state(m, {"swing.angle.rate": 1.0})["arm"][3],
        state(plain, {"swing.angle.rate": 1.0})["arm"][3],
    )
    # about the hinge: (J + 0.2) qdd = torque of gravity, the same for both
    about = 0.7 * 0.1**2 + 0.03
    assert with_rotor[1] * (about + 0.2) == pytest.approx(without[1] * about, rel=1e-9)


def test_ranges_are_told_and_become_stops_if_asked_for(tmp_path: Path) -> None:
    m = loaded(tmp_path, ARM)
    assert any("ranges of 2 coordinates" in str(note) for note in m.conversion_report)
    assert sum(f.kind == "end_stop" for f in loaded(tmp_path, ARM, stops=1e4).forces.values()) == 2


def test_the_account_names_lines_and_warns_of_what_matters(tmp_path: Path) -> None:
    text = ARM.replace('<link name="tip"/>', '<link name="tip"/>\n<magnet strength="3"/>')
    with pytest.warns(tm.ModelWarning, match="1 thing that can change the motion"):
        m = tm.load_robot(written(tmp_path, text))
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "magnet" in row)
    assert any(note.line == line and "<magnet> in <robot>" in note.what for note in m.conversion_report.serious)
    assert f"line {line}: <magnet> in <robot> ignored" in str(m.conversion_report)


def test_names_that_formulas_cannot_read_are_changed_and_told(tmp_path: Path) -> None:
    text = urdf(urdf_link("base link"), urdf_link("arm"), urdf_joint("arm", "continuous", "base link", "arm"))
    m = loaded(tmp_path, text)
    assert set(m.bodies) == {"ground", "base_link", "arm"}
    assert "arm_joint" in m.constraints
    assert sum(note.kind == "renamed" for note in m.conversion_report) == 2


BAD = {
    "an unknown type": (
        ARM.replace('type="prismatic"', 'type="slider"'),
        r"line 11, <joint>: joint 'slide' has the type 'slider'",
    ),
    "a missing link": (
        ARM.replace('parent link="fore"', 'parent link="four"'),
        r"names the link 'four', which does not exist",
    ),
    "a word for a number": (
        ARM.replace('mass value="2.0"', 'mass value="two"'),
        r"line 4, <mass>: value='two' is not a number",
    ),
    "two numbers for three": (ARM.replace('xyz="0 0 0.2"', 'xyz="0 0.2"'), r"has 2 numbers; it must have 3"),
    "a negative mass": (ARM.replace('mass value="2.0"', 'mass value="-2.0"'), r"is -2 kg; it must not be negative"),
    "an impossible inertia": (ARM.replace('izz="0.04"', 'izz="0.4"'), r"triangle inequality.*repair=True"),
    "an axis without direction": (
        ARM.replace('axis xyz="1 0 0"', 'axis xyz="0 0 0"'),
        r"\(0, 0, 0\), which has no direction",
    ),
    "two of a name": (ARM.replace('name="hand"><', 'name="fore"><'), r"two of the link 'fore'"),
    "two roots": (ARM.replace("</robot>", '<link name="spare"/></robot>'), r"'base', 'spare' have no parent"),
    "not a number": (ARM.replace('mass value="2.0"', 'mass value="nan"'), r"not finite"),
    "open tags": (ARM.replace("</robot>", ""), r"not well-formed XML"),
    "an unknown root": ("<machine/>", r"line 1: it begins with <machine>"),
    "a macro": (ARM.replace("</robot>", "<xacro:arm/></robot>"), r"run 'xacro"),
    "a reversed range": (ARM.replace('lower="-3"', 'lower="4"'), r"from 4 to 3"),
    "a loop to nowhere": (
        FOUR_BARS["constraint"].replace('<parent link="coupler"/><parent_o', '<parent link="couple"/><parent_o'),
        r"neither a link nor a frame",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_files_are_refused_with_a_sentence(tmp_path: Path, what: str) -> None:
    text, sentence = BAD[what]
    with pytest.raises(tm.FileFormatError) as caught:
        tm.read_robot(written(tmp_path, text))
    assert re.search(sentence, str(caught.value))
    assert "robot.urdf, line" in str(caught.value)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    text = ARM.replace('mass value="2.0"', 'mass value="two"').replace('type="prismatic"', 'type="slider"')
    with pytest.raises(tm.FileFormatError) as caught:
        tm.read_robot(written(tmp_path, text))
    assert len(str(caught.value).splitlines()) == 2


def test_an_inertia_that_cannot_be_is_mended_on_demand(tmp_path: Path) -> None:
    robot = tm.read_robot(written(tmp_path, ARM.replace('izz="0.04"', 'izz="0.06"')), repair=True)
    a, b, c = np.linalg.eigvalsh(robot.links["fore"].inertia)
    assert c == pytest.approx(a + b)
    assert robot.conversion_report.serious


LAUGHS = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><robot name="&b;"/>'
OUTSIDE = '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot name="x">&a;</robot>'


@pytest.mark.parametrize("text", [LAUGHS, OUTSIDE, "<a>" * 300 + "</a>" * 300])
def test_entities_and_depth_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(tm.FileFormatError, match=r"entity|deep"):
        tm.read_robot(written(tmp_path, text))


def test_meshes_stay_inside_the_folder_and_missing_ones_are_told(tmp_path: Path) -> None:
    home = tmp_path / "arm_description"
    (home / "urdf").mkdir(parents=True)
    (home / "meshes").mkdir()
    tm.inertia.box_mesh(0.1, 0.2, 0.3).write_stl(home / "meshes" / "part.stl")
    tm.inertia.box_mesh(0.1, 0.2, 0.3).write_stl(tmp_path / "secret.stl")

    def looks(name: str, **options: object) -> tuple[int, str]:
        visual = f'<visual><geometry><mesh filename="{name}" scale="2 1 1"/></geometry></visual>'
        path = written(home / "urdf", urdf(urdf_link("part", extra=visual)))
        robot = tm.read_robot(path, **options)
        return len(robot.links["part"].looks), str(robot.conversion_report)

    assert looks("package://arm_description/meshes/part.stl")[0] == 1
    assert looks("../meshes/part.stl", package_dirs=home)[0] == 1
    assert looks("package:///part.stl", package_dirs=home / "meshes")[0] == 1  # without the name of a package
    assert "the folder that holds 'part.stl'" in looks("package:///part.stl")[1]
    for name in ("../meshes/part.stl", "../../secret.stl", str(tmp_path / "secret.stl"), "package://arm_description/../secret.stl",
                 "http://example.com/part.stl", "package://other/part.stl", "missing.stl"):  # fmt: skip
        count, told = looks(name)
        assert count == 0
        assert "the link is drawn without it" in told


def test_a_collada_mesh_is_placed_by_its_scene(tmp_path: Path) -> None:
    (tmp_path / "part.dae").write_text(
        '<COLLADA><asset><unit meter="0.001"/></asset><library_geometries><geometry id="g"><mesh><source id="s"><float_array id="f" '
        'count="12">0 0 0 1000 0 0 0 1000 0 0 0 1000</float_array></source><vertices id="v"><input semantic="POSITION" source="#s"/>'
        '</vertices><polylist count="4"><input semantic="VERTEX" source="#v" offset="0"/><vcount>3 3 3 3</vcount>'
        "<p>0 2 1 0 1 3 1 2 3 2 0 3</p></polylist></mesh></geometry></library_geometries><library_visual_scenes><visual_scene>"
        "<node><translate>0 0 500</translate><instance_geometry url='#g'/></node></visual_scene></library_visual_scenes></COLLADA>",
        encoding="utf-8",
    )
    visual = '<visual><geometry><mesh filename="part.dae"/></geometry></visual>'
    robot = tm.read_robot(written(tmp_path, urdf(urdf_link("part", extra=visual))))
    mesh = robot.links["part"].looks[0].shape.mesh
    assert mesh.volume == pytest.approx(1.0 / 6.0)
    assert mesh.bounds[0] == pytest.approx([0.0, 0.0, 0.5])


# --- out ---

ROBOTS = {"arm": ARM, "tree": PLANAR_TREE, "gripper": GRIPPER, "flyer": FLYER, **FOUR_BARS}


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_written_and_read_again_moves_alike(tmp_path: Path, name: str) -> None:
    m = loaded(tmp_path, ROBOTS[name])
    path = saved(m, tmp_path / "again.urdf")
    again = loaded(tmp_path, path.read_text(encoding="utf-8"), "again.urdf")
    assert furthest(state(m), state(again)) < 1e-9
    robot = tm.read_robot(tmp_path / "robot.urdf")
    direct = loaded(tmp_path, saved(robot, tmp_path / "direct.urdf").read_text(encoding="utf-8"), "direct.urdf")
    assert furthest(state(m), state(direct)) < 1e-9


def test_frames_off_their_joints_are_kept(tmp_path: Path) -> None:
    closed = four_bar_by_hand().assemble().model()
    m = tm.SpatialModel("centred")  # body frames in the middle of the links, as hand-made models have them
    for body in list(closed.bodies.values())[1:]:
        at = body.at(*body.centroid).drawn
        m.body(body.name, position=at, rotation=body.rotation, mass=body.mass, inertia=body.inertia)
    for joint in closed.constraints.values():
        m.revolute(joint.name, *joint.bodies, at=joint.parameters["first"].drawn, axis="y")
    again = loaded(tmp_path, saved(m, tmp_path / "again.urdf").read_text(encoding="utf-8"), "again.urdf")
    assert furthest(state(m, RATES), state(again, RATES)) < 1e-9


def test_what_a_robot_file_cannot_say_is_refused_or_warned_of(tmp_path: Path) -> None:
    m = four_bar_by_hand().assemble().model()
    m.force("push", "coupler", ("sin(t)", 0, 0))
    with pytest.warns(tm.ModelWarning, match="force 'push' ignored"):
        tm.save_robot(m, tmp_path / "m.urdf")
    m.parallel_axes("level", "ground", "crank", axis="y")
    with pytest.raises(tm.ModelError, match="parallel_axes 'level'"):
        tm.save_robot(m, tmp_path / "m.urdf")
    with pytest.raises(tm.FileFormatError, match=r"ends in '\.txt'"):
        tm.save_robot(m, tmp_path / "m.txt")
    with pytest.raises(tm.ModelError, match="open as drawn"):
        bent = tm.SpatialModel()
        bent.body("a", mass=1.0, inertia=1.0)
        bent.revolute("A", bent.ground.marker((1, 0, 0)), bent.bodies["a"].marker((0, 0, 0)))
        tm.save_robot(bent, tmp_path / "m.urdf")


def test_loops_of_a_file_are_listed(tmp_path: Path) -> None:
    robot = tm.read_robot(written(tmp_path, urdf(FOUR_BAR_LINKS, FOUR_BAR_JOINTS, CONSTRAINT, BALL)))
    assert [joint.kind for joint in robot.loops] == ["revolute", "ball"]
    assert robot.mass == pytest.approx(2.4)


@pytest.mark.parametrize("limits", ['lower="1" upper="-1"', 'lower="0" upper="0"', 'lower="-1" upper="1"'])
def test_limits_of_a_continuous_joint_have_no_effect(tmp_path: Path, limits: str) -> None:
    """As in the specification of URDF."""
    limit = f'<limit {limits} effort="1" velocity="1"/>'
    text = urdf('<link name="base"/>', urdf_link("arm"), urdf_joint("j", "continuous", "base", "arm", extra=limit))
    m = loaded(tmp_path, text, stops=1e4)
    assert m.mobility().dof == 1 and not m.forces


@pytest.mark.parametrize(
    "tag, key, given",
    [
        ("axis", "xyz", "<axis/>"), ("mass", "value", "<mass/>"), ("inertia", "ixx", '<inertia iyy="1" izz="1"/>'),
        ("inertia", "iyy", '<inertia ixx="1" izz="1"/>'), ("inertia", "izz", '<inertia ixx="1" iyy="1"/>'),
    ],
)  # fmt: skip
def test_missing_required_attributes_are_reported(tmp_path: Path, tag: str, key: str, given: str) -> None:
    """Without them urdfdom rejects the joint or the inertia; a default would be another robot without a message."""
    parts = {
        "axis": '<axis xyz="0 0 1"/>',
        "mass": '<mass value="1"/>',
        "inertia": '<inertia ixx="1" iyy="1" izz="1"/>',
    } | {tag: given}
    text = (
        f'<robot name="r"><link name="a"/><link name="b"><inertial>{parts["mass"]}{parts["inertia"]}</inertial></link>'
        f'<joint name="j" type="continuous"><parent link="a"/><child link="b"/>{parts["axis"]}</joint></robot>'
    )
    with pytest.raises(tm.FileFormatError, match=f"line 1, <{tag}>.*'{key}' is missing"):
        tm.read_robot(written(tmp_path, text, "robot.urdf"))
