"""Loops in a YAML file next to a URDF file: read, closed, reported, driven and written."""

from __future__ import annotations

import dataclasses
import itertools
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from loop_robots import about, five_bar, loops_text, random_loops, written
from pytrammel.cli.main import main
from pytrammel.io.robots import closing
from pytrammel.io.robots.poses import Pose, on_axis
from pytrammel.io.robots.robot import WORLD, Axis, Joint, Link, Robot
from robot_files import furthest, state, urdf, urdf_joint, urdf_link

pytest.importorskip("ruamel.yaml", reason="ruamel.yaml is not installed (extra 'yaml')")
ROUND_TRIP = 1e-9  # relative accelerations; measured: 1e-12


def notes(model: tm.SpatialModel, kind: str) -> list[str]:
    return [str(note) for note in model.conversion_report if note.kind == kind]


# --- reading ---


@pytest.mark.parametrize(("kind", "rows", "rank"), [("6d", 6, 3), ("3d", 3, 2)])
def test_a_five_bar_closes_with_its_motors_held(tmp_path: Path, kind: str, rows: int, rank: int) -> None:
    m = tm.load_robot(written(tmp_path, *five_bar(kind)))
    assert m.motors == ("left_motor.angle", "right_motor.angle")
    assert m.assemble().residual < 1e-12
    found = m.mobility()
    assert found.dof == (5 if kind == "6d" else 4) - rank
    assert len(found.redundant) == rows - rank  # a planar chain in space
    # both elbows reach half of 0.3 m inward with bars of 0.5 m, motors upright
    assert m.assemble().model().drawn_value(m.measure("left_motor.angle")) == pytest.approx(0.0, abs=1e-12)
    elbow = m.drawn_value(m.measure("left_elbow.angle"))
    assert abs(np.sin(elbow)) == pytest.approx(0.15 / 0.5, abs=1e-9)


@pytest.mark.parametrize(
    ("stem", "yaml"), [("leg", "leg.yaml"), ("leg", "leg.yml"), ("leg_v2", "robot.yaml"), ("robot", "robot.yaml")]
)
def test_a_file_beside_is_part_of_the_robot(tmp_path: Path, stem: str, yaml: str) -> None:
    m = tm.load_robot(written(tmp_path, *five_bar("3d"), stem=stem, yaml=yaml))
    assert "meet" in m.constraints
    assert any(yaml in note for note in notes(m, "added"))
    assert any(yaml in note for note in notes(tm.load_robot(tmp_path / f"{stem}.urdf", loops=False), "ignored"))


def test_a_file_beside_that_is_about_another_robot_is_reported(tmp_path: Path) -> None:
    written(tmp_path, *five_bar("3d"))
    other = written(
        tmp_path, urdf(urdf_link("a"), urdf_link("b"), urdf_joint("j", "continuous", "a", "b")), None, "other"
    )
    m = tm.load_robot(other)
    assert list(m.constraints)[-1] == "j"
    assert any("robot.yaml" in note for note in notes(m, "ignored"))


def test_a_settings_file_without_loops_does_not_matter(tmp_path: Path) -> None:
    path = written(tmp_path, five_bar("3d")[0], "controller:\n  rate: &rate 100\n  other: *rate\n")
    assert "meet" not in tm.load_robot(path).constraints


def test_without_the_package_the_file_raises_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, *five_bar("3d"))
    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    with pytest.raises(tm.FileFormatError, match=r"robot\.yaml.*pytrammel\[yaml\].*loops=False"):
        tm.load_robot(path)
    assert "meet" not in tm.load_robot(path, loops=False).constraints


def test_loops_may_lie_elsewhere(tmp_path: Path) -> None:
    text, loops = five_bar("3d")
    path = written(tmp_path, text, None)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "my loops.yaml").write_text(loops, encoding="utf-8")
    assert "meet" in tm.load_robot(path, loops=tmp_path / "inner" / "my loops.yaml").constraints
    with pytest.raises(tm.ModelError, match="loops is 3"):
        tm.load_robot(path, loops=3)
    with pytest.raises(tm.FileFormatError, match=r"nowhere\.yaml"):
        tm.load_robot(path, loops="nowhere.yaml")


@pytest.mark.parametrize("letters", [*("".join(two) for two in itertools.permutations("XYZ", 2)), "SPHERICAL", "FIXED"])
def test_a_joint_of_another_type_turns_about_its_own_axes(tmp_path: Path, letters: str) -> None:
    word = letters if len(letters) > 2 else f"UJOINT_{letters}"
    text = urdf(
        urdf_link("a"),
        urdf_link("b", 1.0, "0.1 0 0.2"),
        urdf_joint("j", "revolute", "a", "b", "0.1 0.2 0.3", "0.3 -0.4 0.9"),
    )
    path = written(tmp_path, text, loops_text([], [], ["j"], {"j": word}))
    robot = tm.read_robot(path)
    plain = tm.read_robot(path, loops=False).links["b"].pose
    m = robot.model()
    assert m.mobility().dof == {"SPHERICAL": 3, "FIXED": 0}.get(letters, 2)
    assert plain.near(robot.links["b"].pose)
    if len(letters) == 2:
        one, two = (np.eye(3)["XYZ".index(letter)] for letter in letters)
        robot.place({"j": (0.4, -0.7)})
        assert robot.links["b"].pose.rotation == pytest.approx(
            plain.rotation @ about(one, 0.4) @ about(two, -0.7), abs=1e-12
        )
        assert m.motors == ("j.angle", "j.second_angle")
    else:
        assert m.motors == ()
        assert any("'j'" in str(note) for note in m.conversion_report.serious)  # a motor without a coordinate
    assert any("range" in note for note in notes(m, "added"))  # the range of one angle is lost


def test_misspelt_names_of_joints_are_reported_and_of_frames_raise(tmp_path: Path) -> None:
    text, _ = five_bar("3d")
    loops = loops_text([("meet_A", "meet_B")], ["3d"], ["left_motor", "right_mottor"], {"left_elbo": "SPHERICAL"})
    with pytest.warns(tm.ModelWarning, match="left_elbo.*'left_elbow'"):
        m = tm.load_robot(written(tmp_path, text, loops))
    assert m.constraints["left_elbow"].kind == "revolute"
    assert m.motors == ("left_motor.angle",)
    assert [("right_mottor" in str(n), n.line) for n in m.conversion_report.serious] == [(True, 3), (False, 4)]
    loops = loops_text([("meet_A", "meet_b")], ["3d"])
    with pytest.raises(tm.FileFormatError, match=r"robot\.yaml, line 1.*'meet_b'.*'meet_B'"):
        tm.load_robot(written(tmp_path, text, loops))


@pytest.mark.parametrize(
    "wrong", ["right_еlbow", "rıght_elbow", "right_élbow", "right_elbow\u0301", "ŕight_elbow", "right_elb0w"]
)
@pytest.mark.parametrize("side", ["urdf", "yaml"])
def test_letters_that_look_alike_are_reported_and_not_guessed(tmp_path: Path, wrong: str, side: str) -> None:
    """A joint that one of the files spells with another letter (ĥ for ph in a public robot) keeps its type, with a warning."""
    text, _ = five_bar("3d")
    plain = "right_elbow"
    names = {"urdf": (wrong, plain), "yaml": (plain, wrong)}[side]  # in the robot file, in the YAML file
    loops = loops_text([("meet_A", "meet_B")], ["3d"], ["left_motor", names[1]], {names[1]: "SPHERICAL"})
    with pytest.warns(tm.ModelWarning) as caught:
        m = tm.load_robot(written(tmp_path, text.replace(plain, names[0]), loops))
    for note, line in zip(sorted(m.conversion_report.serious, key=lambda one: one.line), (3, 4), strict=True):
        assert repr(names[1]) in str(note)
        assert f"closest match is {names[0]!r}" in str(note)
        assert f"robot.yaml, line {line}" in str(note)
        assert all(f"U+{ord(c):04X}" in str(note) for c in wrong if not c.isascii())
    assert repr(names[1]) in str(caught[0].message)
    assert m.motors == ("left_motor.angle",)
    assert "spherical" not in [one.kind for name, one in m.constraints.items() if name != "meet"]
    frames = loops_text([("meet_A", "meet_B")], ["3d"]).replace("meet_B", "meet_В")  # a Cyrillic letter
    with pytest.raises(tm.FileFormatError, match=r"robot\.yaml, line 1.*'meet_В'.*'meet_B'"):
        tm.load_robot(written(tmp_path, text, frames))


@pytest.mark.parametrize(
    ("loops", "message"),
    [
        ("closed_loop: [[meet_A, meet_B]]\ntype: ['4d']", "line 2.*'4d'.*3d or 6d"),
        ("closed_loop: [[meet_A, meet_B]]\ntype: ['3d', '3d']", "2 and 1 entries"),
        ("closed_loop: [[meet_A]]\ntype: ['3d']", "line 1.*pair"),
        ("closed_loop: [[meet_A, left_lower]]\ntype: ['3d']", "'meet_A' and 'left_lower' are fixed to each other"),
        ("closed_loop: meet_A\ntype: ['3d']", "list of pairs"),
        ("closed_loop: []\ntype: []\njoint_name: [left_elbow]\njoint_type: [BALL]", "line 4.*'BALL'.*UJOINT_XY"),
        ("closed_loop: []\ntype: []\njoint_name: [left_elbow]\njoint_type: [UJOINT_XX]", "'UJOINT_XX'"),
        ("closed_loop: []\ntype: []\njoint_name: [left_elbow]\njoint_type: []", "1 and 0 entries"),
        ("closed_loop: []\ntype: []\njoint_name: [meet_A_frame]\njoint_type: [SPHERICAL]", "'meet_A_frame' is fixed"),
        ("closed_loop: []\nname_mot: {a: 1}", "name_mot"),
        ("closed_loop: [[meet_A, meet_B]\n", "line"),
    ],
)  # fmt: skip
def test_mistakes_name_file_line_and_value(tmp_path: Path, loops: str, message: str) -> None:
    path = written(tmp_path, five_bar("3d")[0], loops)
    with pytest.raises(tm.FileFormatError, match=f"(?s)robot.yaml.*({message})"):
        tm.load_robot(path)


# --- closing ---


def joint_of(kind: str, name: str, parent: str, child: str, random: np.random.Generator, **more: object) -> Joint:
    """A joint with random frames."""
    count = {"revolute": 1, "prismatic": 1, "screw": 1, "cylindrical": 2, "universal": 2, "planar": 3}.get(kind, 0)
    frames = [Pose(random.normal(size=3), on_axis(random.normal(size=3), random.normal(size=3))) for _ in range(2)]
    return Joint(name, kind, parent, child, *frames, axes=(Axis(),) * count, lead=0.3, **more)  # type: ignore[arg-type]


TREE = ("revolute", "prismatic", "screw", "cylindrical", "universal", "planar", "ball", "floating")
CLOSING = ("fixed", "ball", "revolute", "prismatic", "cylindrical", "universal", "planar", "rod", "no_turning", "screw")


@pytest.mark.parametrize("kind", CLOSING)
def test_misfits_of_every_joint_have_their_derivatives(kind: str) -> None:
    random = np.random.default_rng(CLOSING.index(kind))
    robot = Robot(links={name: Link(name) for name in "abcdefgh"})
    for k, inner in enumerate(TREE):
        parent = WORLD if k in (0, 4) else "abcdefgh"[k - 1]
        robot.joints[f"j{k}"] = joint_of(inner, f"j{k}", parent, "abcdefgh"[k], random)
    robot.joints["loop"] = joint_of(kind, "loop", "d", "g", random, closing=True)
    tree = closing._Tree(robot)
    state = tree.moved(tree.start, 0.2 * random.normal(size=tree.count))
    rows, slopes = tree.rows(state)
    assert rows.size == {"fixed": 6, "ball": 3, "revolute": 5, "prismatic": 5, "cylindrical": 4, "universal": 4, "planar": 3, "rod": 1,
                         "no_turning": 3, "screw": 5}[kind]  # fmt: skip
    if kind in (
        "revolute",
        "cylindrical",
        "planar",
        "screw",
    ):  # exact where the axes nearly agree, as where the loop closes
        robot.joints["loop"] = aligned(robot, tree, state)
        tree = closing._Tree(robot)
        rows, slopes = tree.rows(state)
    h = 1e-6
    for k, step in enumerate(h * np.eye(tree.count)):
        central = (tree.rows(tree.moved(state, step))[0] - tree.rows(tree.moved(state, -step))[0]) / (2 * h)
        assert slopes[:, k] == pytest.approx(central, abs=1e-7)  # error of the differences


def aligned(robot: Robot, tree: closing._Tree, state: closing._State) -> Joint:
    """The loop joint with its axes along each other in a state."""
    loop = robot.joints["loop"]
    one, two = tree.frames(loop, tree.poses(state)[0])
    turn = two.rotation.T @ one.rotation @ about(np.array([0.6, 0.8, 0.0]), 1e-7)
    return dataclasses.replace(loop, on_child=loop.on_child @ Pose(np.zeros(3), turn))


@pytest.mark.parametrize("seed", range(12))
def test_random_loops_close_and_stay_closed(tmp_path: Path, seed: int) -> None:
    text, loops = random_loops(seed)
    m = tm.load_robot(written(tmp_path, text, loops))
    assert not m.conversion_report.serious
    assert m.assemble().residual < 1e-12
    found = m.mobility()
    assert found.dof == found.count + len(found.redundant)
    assert m.simulate(0.05, samples=3, progress=False).constraint_violation() < 1e-9


@pytest.mark.parametrize(("kind", "width"), [("3d", 1.2), ("3d", 2.0), ("6d", 1.5)])
def test_loops_that_cannot_close_are_named_with_their_gaps(tmp_path: Path, kind: str, width: float) -> None:
    path = written(tmp_path, *five_bar(kind, reach=0.1, width=width))
    with pytest.warns(tm.ModelWarning, match="'meet' by"):
        m = tm.load_robot(path)
    (note,) = [note for note in m.conversion_report if note.matters]
    together, alone = note.text.split("even alone")
    gap = 1e3 * (width - 2 * 0.5)  # both arms stretched towards each other, mm
    for part in (together, alone):
        found = float(part.partition("'meet' by ")[2].split(" mm")[0])
        assert found == pytest.approx(gap, rel=2e-3)  # printed with four digits
    with pytest.raises(tm.AssemblyError, match="cannot close"):
        m.assemble()
    assert not tm.load_robot(path, close_loops=False).conversion_report.serious


def test_posed_joints_are_kept_and_movements_are_reported(tmp_path: Path) -> None:
    path = written(tmp_path, *five_bar("3d"))
    m = tm.load_robot(path, pose={"left_motor": -0.3, "left_elbow": 0.9})
    assert [m.drawn_value(m.measure(f"left_{one}.angle")) for one in ("motor", "elbow")] == pytest.approx(
        [-0.3, 0.9], abs=1e-12
    )
    (note,) = notes(m, "moved")
    assert "right_motor" in note
    assert "joints of pose= keep their values" in note
    assert m.assemble().residual < 1e-12


# --- driving ---


def test_motors_are_driven_by_name(tmp_path: Path) -> None:
    path = written(tmp_path, *five_bar("3d"))
    m = tm.load_robot(path, motions={"left_motor": "0.2*sin(3*t)", "right_motor": 0.0})
    assert m.mobility().dof == 2
    found = m.inverse_dynamics(1.0, samples=11, progress=False)
    t = found.times
    angle = found.series("left_motor.angle").value
    assert angle == pytest.approx(0.2 * np.sin(3 * t), abs=1e-9)
    # power of the motors is the rate of the energy: kinetic and of gravity
    fine = m.inverse_dynamics(1.0, samples=2001, progress=False)
    work = np.trapezoid(fine.effort("left_motor_drive") * fine.series("left_motor.angle").rate, fine.times)
    total = fine.dynamics.kinetic + fine.dynamics.gravity
    assert work == pytest.approx(total[-1] - total[0], abs=2e-6)  # error of the trapezoidal rule, h²/12


def test_an_unknown_motor_is_named_with_those_there_are(tmp_path: Path) -> None:
    path = written(tmp_path, *five_bar("3d"))
    with pytest.raises(tm.ModelError, match=r"'left_moto'.*left_motor, right_motor"):
        tm.load_robot(path, motions={"left_moto": 0.0})


# --- writing ---


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("yaml", [True, False])
def test_loops_survive_a_round_trip(tmp_path: Path, seed: int, yaml: bool) -> None:
    m = tm.load_robot(written(tmp_path, *random_loops(seed)))
    target = tmp_path / "again.urdf"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.ModelWarning)
        tm.save_robot(m, target, loops=tmp_path / "again.yaml" if yaml else None)
        again = tm.load_robot(target)
    assert ("<constraint" in target.read_text(encoding="utf-8")) is (not yaml)
    assert "drake:joint" not in target.read_text(encoding="utf-8") or not yaml
    assert again.motors == m.motors
    assert set(again.bodies) == set(m.bodies)
    here, there = state(m), state(again)
    largest = 1.0 + max(float(np.abs(a).max()) for values in here.values() for a in values[2:])
    assert furthest(here, there) < ROUND_TRIP * largest


LOOP_KINDS = {
    "revolute": '<parent_axis xyz="0 1 0"/><child_axis xyz="0 1 0"/>', "cylindrical": '<parent_axis xyz="0 1 0"/><child_axis xyz="0 1 0"/>',
    "universal": '<parent_axis xyz="0 1 0"/><child_axis xyz="1 0 0"/>', "spherical": "", "distance": "", "fixed": "",
    "prismatic": '<parent_axis xyz="0 0 1"/><child_axis xyz="0 0 1"/>', "planar": '<parent_axis xyz="0 1 0"/><child_axis xyz="0 1 0"/>',
}  # fmt: skip


@pytest.mark.parametrize("kind", LOOP_KINDS)
def test_every_loop_joint_can_be_written_with_frames_and_points(tmp_path: Path, kind: str) -> None:
    bars = five_bar("3d")[0].replace('type="continuous"', 'type="spherical"')  # room for any constraint
    length = ' length="0.45"' if kind == "distance" else ""
    loop = (
        f'<constraint name="last" type="{kind}"{length}><parent link="left_lower"/><parent_origin xyz="0 0 0.5"/>'
        f'<child link="right_lower"/><child_origin xyz="0 0 0.5"/>{LOOP_KINDS[kind]}</constraint></robot>'
    )
    path = written(tmp_path, bars.replace("</robot>", loop), None)
    m = tm.load_robot(path, close_loops=True).assemble().model()
    tm.save_robot(m, tmp_path / "again.urdf", loops=tmp_path / "again.yaml")
    again = tm.load_robot(tmp_path / "again.urdf")
    assert again.mobility().dof == m.mobility().dof
    assert furthest(state(m), state(again)) < 1e-8  # links without mass in balls: found by corrections


def test_loops_go_to_yaml_beside_urdf_only(tmp_path: Path) -> None:
    m = tm.load_robot(written(tmp_path, *five_bar("3d")))
    with pytest.raises(tm.ModelError, match=r"a\.yaml.*SDF"):
        tm.save_robot(m, tmp_path / "a.sdf", loops=tmp_path / "a.yaml")
    with pytest.raises(tm.FileFormatError, match=r"a\.txt.*\.yaml"):
        tm.save_robot(m, tmp_path / "a.urdf", loops=tmp_path / "a.txt")


# --- commands ---


def test_commands_take_the_file_along(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, *five_bar("3d"))
    assert main(["check", str(path)]) == 0
    assert "2 degrees of freedom" in (told := capsys.readouterr().out)
    assert "loop 'meet'" in told
    assert main(["info", str(path)]) == 0
    assert "motors: left_motor.angle, right_motor.angle" in capsys.readouterr().out
    target, loops = tmp_path / "out.urdf", tmp_path / "out.yaml"
    assert main(["convert", str(path), str(target), "--loops", str(loops)]) == 0
    assert tm.load_robot(target).motors == tm.load_robot(path).motors
    assert main(["convert", str(path), str(tmp_path / "next.urdf"), "--loops", str(loops)]) == 2  # there already
    assert main(["convert", str(path), str(tmp_path / "out.xml"), "--loops", str(tmp_path / "x.yaml")]) == 2
    assert main(["convert", str(path), str(tmp_path / "out.xml")]) == 0
    assert tm.load_robot(tmp_path / "out.xml").mobility().dof == 2
