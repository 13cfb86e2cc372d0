"""Links that are fixed to each other: merged in any order they move as in the file, also where one alone could be no body."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.io.robots.conversion_report import ConversionReport, Note
from pytrammel.io.robots.merge_fixed import fold
from pytrammel.io.robots.poses import from_rpy
from pytrammel.io.robots.robot import WORLD, Axis, Joint, Link, Robot
from robot_files import FLYER, furthest, loaded, mjcf, state, urdf, urdf_joint, urdf_link, written
from tree_truth import TreeTruth

CLOSE = 1e-9  # against accelerations of order 10: rounding of sums over some ten links


# --- every order of merging ---


def random_tree(seed: int) -> Robot:
    """A tree of links, most of them fixed to their parent, some without mass but with an inertia."""
    random = np.random.default_rng(seed)
    robot = Robot("tree", gravity=(1.0, -2.0, -9.0))
    names: list[str] = []
    joints = []
    for k in range(int(random.integers(6, 14))):
        name, parent = f"l{k}", str(random.choice(names)) if names else WORLD
        spread = random.normal(size=(3, 3))
        inertia = 0.05 * spread @ spread.T
        inertia = 0.5 * np.trace(inertia) * np.eye(3) - 0.5 * inertia  # obeys the triangle inequalities
        about = {"mass": float(random.uniform(0.5, 3.0)), "centroid": random.normal(size=3), "inertia": inertia}
        sort = random.integers(4)
        if sort == 0:
            about = {}
        elif sort == 1:
            about = {"inertia": inertia}
        robot.links[name] = Link(name, **about)
        kind = "fixed" if names and random.random() < 0.7 else str(random.choice(["revolute", "prismatic"]))
        frame, own = from_rpy(random.normal(size=3), random.normal(size=3)), from_rpy(random.normal(size=3), (1, 2, 3))
        joints.append(Joint(f"j{k}", kind, parent, name, frame, own, (Axis(),) * (kind != "fixed")))
        names.append(name)
    random.shuffle(joints)
    robot.joints = {joint.name: joint for joint in joints}
    for k in list(robot.links):  # what moves must have mass
        if not any(robot.links[other].mass for other in rigid(robot, k)):
            robot.links[k] = Link(k, mass=1.0, inertia=np.eye(3))
    robot.place()
    return robot


def rigid(robot: Robot, link: str) -> set[str]:
    found = {link}
    while (
        more := {
            end
            for joint in robot.joints.values()
            if joint.kind == "fixed" and {joint.parent, joint.child} & found
            for end in (joint.parent, joint.child)
        }
        - found
    ):
        found |= more
    return found


@pytest.mark.parametrize("seed", range(12))
def test_merged_in_any_order_a_tree_moves_as_its_links_say(seed: int) -> None:
    robot = random_tree(seed)
    speeds = {name: 0.3 * k for k, name in enumerate(robot.joints, start=1) if robot.joints[name].axes}
    truth = TreeTruth(robot, speeds).accelerations
    random = np.random.default_rng(seed)
    for order in [random.permutation(list(robot.joints)) for _ in range(5)]:
        mixed = Robot(
            robot.name, dict(robot.links), {name: robot.joints[name] for name in order}, gravity=robot.gravity
        )
        merged = fold(mixed)
        assert not any(joint.kind == "fixed" and joint.parent != WORLD for joint in merged.joints.values())
        found = TreeTruth(merged, speeds).accelerations
        for link in merged.links:
            assert found[link][0] == pytest.approx(truth[link][0], abs=CLOSE * 10)
            assert found[link][1] == pytest.approx(truth[link][1], abs=CLOSE * 10)


@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_model_of_a_tree_moves_as_its_links_say(seed: int, merge: bool) -> None:
    robot = random_tree(seed)
    truth = TreeTruth(robot, {}).accelerations
    found = state(robot.model(merge_fixed=merge))
    assert len(found) == len(robot.links) or merge
    for link, (_, _, linear, angular) in found.items():
        assert linear == pytest.approx(truth[link][0], abs=CLOSE * 10)
        assert angular == pytest.approx(truth[link][1], abs=CLOSE * 10)


@pytest.mark.parametrize("merge", [True, False])
def test_the_inertia_of_a_link_without_mass_counts_where_it_is_fixed(tmp_path: Path, merge: bool) -> None:
    disc = '<inertia ixx="{0}" iyy="{0}" izz="{0}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    text = urdf(
        '<link name="base"/>',
        '<link name="rotor"><inertial><mass value="0"/>' + disc.format(0.1),
        '<link name="wheel"><inertial><mass value="2"/>' + disc.format(1.0),
        urdf_joint("axle", "continuous", "base", "wheel"),
        urdf_joint("press", "fixed", "wheel", "rotor", "0.3 0.2 0.1"),
    )
    m = loaded(tmp_path, text, merge_fixed=merge, controls={"axle": 1.0})
    assert state(m)["wheel"][3][2] == pytest.approx(1.0 / 1.1, rel=1e-12)  # 1 N m on 1.0 + 0.1 kg m²


# --- inertias that no body can have ---

ODD = '<inertia ixx="0.5" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/>'  # 0.5 > 0.002


def with_placeholder(mass: float, joint: str, parent: str = "arm") -> str:
    odd = f'<link name="odd"><inertial><mass value="{mass}"/>{ODD}</inertial></link>'
    arm = '<link name="arm"><inertial><mass value="3"/><inertia ixx="2" iyy="2" izz="2" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    hinge = urdf_joint("hinge", "continuous", "base", "arm")
    return urdf('<link name="base"/>', arm, odd, hinge, urdf_joint("mount", joint, parent, "odd", "0.1 0 0"))


def warned(path: Path, **options: object) -> tuple[tm.SpatialModel, str]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        m = tm.load_robot(path, **options)
    return m, "\n".join(str(one.message) for one in said if issubclass(one.category, tm.ModelWarning))


@pytest.mark.parametrize("mass", [0.0, 0.2])
def test_an_odd_inertia_that_is_merged_counts_as_it_stands(tmp_path: Path, mass: float) -> None:
    m, told = warned(written(tmp_path, with_placeholder(mass, "fixed")), controls={"hinge": 1.0})
    assert "'odd'" in told and "'arm'" in told and "0.5" in told
    turning = 2.0 + 0.001 + mass * 0.1**2  # about the vertical hinge
    assert state(m)["arm"][3][2] == pytest.approx(1.0 / turning, rel=1e-12)


@pytest.mark.parametrize("mass", [0.0, 0.2])
def test_an_odd_inertia_on_the_ground_is_named_and_does_not_matter(tmp_path: Path, mass: float) -> None:
    m, told = warned(written(tmp_path, with_placeholder(mass, "fixed", "base")), controls={"hinge": 1.0})
    assert "'odd'" in told and "ground" in told
    assert state(m)["arm"][3][2] == pytest.approx(0.5, rel=1e-12)


def test_an_odd_inertia_on_the_ground_is_refused_where_the_robot_floats_with_it(tmp_path: Path) -> None:
    path = written(tmp_path, with_placeholder(0.2, "fixed", "base"))
    with pytest.raises(tm.ModelError, match=r"'(odd|base)'.*0\.5 exceeds.*0\.002.*repair=True"):
        warned(path, floating_base=True)


@pytest.mark.parametrize(("joint", "merge"), [("continuous", True), ("fixed", False)])
def test_an_odd_inertia_that_matters_is_refused(tmp_path: Path, joint: str, merge: bool) -> None:
    with pytest.raises(tm.TrammelError, match=r"'odd'.*0\.5 exceeds.*0\.002.*repair=True"):
        warned(written(tmp_path, with_placeholder(0.2, joint)), merge_fixed=merge)


def test_merged_inertias_whose_sum_no_body_can_have_are_refused(tmp_path: Path) -> None:
    text = with_placeholder(0.2, "fixed").replace('ixx="2" iyy="2"', 'ixx="2" iyy="0.1"')
    with pytest.raises(tm.FileFormatError, match=r"'odd'.*0\.5"):
        warned(written(tmp_path, text.replace('izz="2"', 'izz="1.9"')))


def test_a_transmission_left_over_is_named(tmp_path: Path) -> None:
    left = '<transmission name="t"><joint name="gone"/><actuator name="m"/></transmission>'
    m, told = warned(written(tmp_path, FLYER.replace("</robot>", left + "</robot>")))
    assert "'gone'" in told and "transmission" in told
    assert set(m.constraints) == {"trunk_base", "swing"}


# --- a root that is called world ---


@pytest.mark.parametrize("count", [1, 2])
def test_a_root_called_world_floats_like_any_other(tmp_path: Path, count: int) -> None:
    parts = [
        *(urdf_link(f"part{k}", 1.0 + k, "0.1 0.2 0") for k in range(count)), urdf_link("arm", 0.5, "0 0.3 0"),
        *(urdf_joint(f"fix{k}", "fixed", "ROOT", f"part{k}", f"{k} 0 0") for k in range(count)),
        urdf_joint("hinge", "continuous", "part0", "arm", axis="0 1 0"),
    ]  # fmt: skip
    found = []
    for root in ("world", "base"):
        text = urdf(f'<link name="{root}"/>', *parts).replace("ROOT", root)
        m = loaded(tmp_path, text, floating_base=True, controls={"hinge": 1.0})
        assert m.mobility().dof == 7
        found.append(state(m))
    assert furthest(*found) < 1e-12


@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("mass", [1.6, 0.05])
def test_the_mass_of_a_root_called_world_counts_where_it_floats(
    tmp_path: Path, mass: float, fixed: bool, merge: bool
) -> None:
    """The same file with another name of its root is the truth."""
    parts = [
        urdf_link("ROOT", mass, "0.1 0.2 0.3", "0.4 0.5 0.6"), urdf_link("arm", 0.5, "0 0.3 0"),
        urdf_joint("hinge", "continuous", "ROOT", "arm", "0.2 0 0", axis="0 1 0"),
    ]  # fmt: skip
    if fixed:
        parts += [urdf_link("part", 0.7, "0 0 0.1"), urdf_joint("mount", "fixed", "ROOT", "part", "0 0.1 0", "0.3 0 0")]
    options = {"floating_base": True, "merge_fixed": merge, "controls": {"hinge": 1.0}}
    found = [state(loaded(tmp_path, urdf(*parts).replace("ROOT", root), **options)) for root in ("world", "base")]
    assert np.abs(found[1]["arm"][3]).max() > 1.0
    for one, other in zip(found[0]["arm"], found[1]["arm"], strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


def test_a_massless_root_that_something_moves_against_cannot_float(tmp_path: Path) -> None:
    text = urdf('<link name="world"/>', urdf_link("cart"), urdf_joint("rail", "prismatic", "world", "cart"))
    with pytest.raises(tm.ModelError, match=r"'world'.*0 kg.*'rail'"):
        loaded(tmp_path, text, floating_base=True)


def test_floating_is_refused_where_nothing_can_be_let_go(tmp_path: Path) -> None:
    text = mjcf('<body name="post"><geom size="0.1"/><body name="arm"><joint/><geom size="0.1"/></body></body>')
    with pytest.raises(tm.ModelError, match=r"floating_base=True.*'post_fixed'"):
        loaded(tmp_path, text, "robot.xml", floating_base=True)
    free = mjcf('<body name="ball"><freejoint/><geom size="0.1"/></body>')
    assert loaded(tmp_path, free, "robot.xml", floating_base=True).mobility().dof == 6


# --- poses of joints ---


@pytest.mark.parametrize("value", [0.0, 0.7, -2.5, 9.0])
def test_a_screw_advances_by_its_lead_per_turn(value: float) -> None:
    joint = Joint("s", "screw", WORLD, "nut", axes=(Axis(),), lead=0.02)
    c, s = np.cos(value), np.sin(value)
    moved = joint.moved((value,))
    assert moved.position == pytest.approx([0.0, 0.0, 0.02 * value / (2.0 * np.pi)], abs=1e-17)
    assert moved.rotation == pytest.approx(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), abs=1e-15)


def test_a_screw_is_drawn_where_its_pose_says(tmp_path: Path) -> None:
    pitch = '<drake:screw_thread_pitch value="0.02"/>'
    text = urdf(
        '<link name="base"/>',
        urdf_link("nut"),
        urdf_joint("s", "screw", "base", "nut", "0 0 1", axis="1 0 0", extra=pitch),
    )
    m = loaded(tmp_path, text, pose={"s": np.pi / 2})
    assert m.bodies["nut"].position == pytest.approx([0.005, 0.0, 1.0], abs=1e-15)
    assert m.assemble().residual < 1e-12


# --- servos that take over the range of their joint ---


@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize(("low", "high"), [(-170.0, -20.0), (10.0, 30.0), (-20.0, 40.0)])
def test_a_servo_holds_the_nearest_place_in_the_range_it_inherits(
    tmp_path: Path, low: float, high: float, share: float
) -> None:
    text = mjcf(
        f'<body name="b"><inertial pos="0 0 0" mass="1" diaginertia="2 2 2"/><joint name="j" range="{low} {high}"/></body>',
        after=f'<actuator><position name="a" joint="j" kp="30" inheritrange="{share}"/></actuator>',
    )
    middle, half = 0.5 * (low + high), 0.5 * share * (high - low)
    held = np.radians(min(max(0.0, middle - half), middle + half))
    assert state(loaded(tmp_path, text, "r.xml"))["b"][3][2] == pytest.approx(30.0 * held / 2.0, abs=1e-12)


@pytest.mark.parametrize(
    ("own", "of_class", "held"),
    [
        ("", 'inheritrange="1"', 10.0), ('ctrlrange="-1 -0.5"', 'inheritrange="1"', np.degrees(-0.5)),
        ('inheritrange="1"', 'ctrlrange="-1 -0.5"', 10.0), ('inheritrange="0"', 'inheritrange="1"', 0.0),
        ('inheritrange="1" ctrllimited="false"', "", 0.0),
    ],
)  # fmt: skip
def test_the_nearer_range_of_a_servo_counts(tmp_path: Path, own: str, of_class: str, held: float) -> None:
    text = mjcf(
        '<body name="b"><inertial pos="0 0 0" mass="1" diaginertia="2 2 2"/><joint name="j" range="10 30"/></body>',
        f'<default><default class="c"><position kp="30" {of_class}/></default></default>',
        f'<actuator><position name="a" class="c" joint="j" {own}/></actuator>',
    )
    assert state(loaded(tmp_path, text, "r.xml"))["b"][3][2] == pytest.approx(15.0 * np.radians(held), abs=1e-12)


@pytest.mark.parametrize("share", [1.0, 0.5, 1.3])
@pytest.mark.parametrize("unit", ["radian", "degree"])
@pytest.mark.parametrize("where", ["joint", "class", "parent class"])
def test_a_servo_inherits_a_range_that_is_not_in_force(tmp_path: Path, where: str, unit: str, share: float) -> None:
    """MuJoCo 3.3 takes the numbers of the file, in degrees too, where limited="false" takes the range out of force."""
    own = 'range="0.2 0.6" limited="false"'
    joint = f'<joint name="j" {own}/>' if where == "joint" else '<joint name="j" class="c"/>'
    outer, inner = ("", own) if where == "class" else (own, "") if where == "parent class" else ("", "")
    text = mjcf(
        f'<body name="b"><inertial pos="0 0 0" mass="1" diaginertia="2 2 2"/>{joint}</body>',
        f'<default><default class="p"><joint {outer}/><default class="c"><joint {inner}/></default></default></default>',
        f'<actuator><position name="a" joint="j" kp="30" inheritrange="{share}"/></actuator>',
    )
    text = text.replace("<mujoco>", f'<mujoco><compiler angle="{unit}"/>', 1)
    held = max(0.0, 0.4 - 0.2 * share)
    assert state(loaded(tmp_path, text, "r.xml"))["b"][3][2] == pytest.approx(15.0 * held, abs=1e-12)


# --- long accounts ---


def test_notes_are_not_compared_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    def same(one: object, other: object) -> bool:
        nonlocal compared
        compared += 1
        return str(one) == str(other)

    monkeypatch.setattr(Note, "__eq__", same)
    account = ConversionReport()
    for k in [*range(500), *range(500)]:
        account.add("ignored", f"a{k}=", "not known to this reader", line=1)
    assert len(account) == 500  # each once
    assert compared < 2000  # one by one it would be 375,000
