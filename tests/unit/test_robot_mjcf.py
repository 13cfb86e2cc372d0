"""MJCF: defaults, geoms, joints, equalities, actuators, and the way back."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.io.robots.geometry.shapes import SOLIDS
from pytrammel.io.robots.geometry.shells import shell
from robot_files import (
    ARM,
    DELTA,
    FLYER,
    FOUR_BARS,
    GRIPPER,
    LEG,
    MJCF_FOUR_BAR,
    PLANAR_TREE,
    STEWART,
    four_bar_by_hand,
    furthest,
    loaded,
    mjcf,
    saved,
    state,
    urdf,
    urdf_joint,
    urdf_link,
    written,
)

RATES = {"A.angle.rate": 2.0}
HUB = '<body name="hub"><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.2 0.25"/>'


@pytest.mark.parametrize(
    ("geom", "mass", "xx", "zz"),
    [
        ('type="sphere" size="0.1"', 4e3 / 3 * math.pi * 1e-3, 0.4 * 1e-2, 0.4 * 1e-2),
        ('type="box" size="0.1 0.2 0.3"', 48.0, (0.4**2 + 0.6**2) / 12, (0.2**2 + 0.4**2) / 12),
        ('type="cylinder" size="0.1 0.2"', 4.0 * math.pi, 0.1**2 / 4 + 0.4**2 / 12, 0.1**2 / 2),
        ('type="ellipsoid" size="0.1 0.2 0.3"', 8.0 * math.pi, (0.2**2 + 0.3**2) / 5, (0.1**2 + 0.2**2) / 5),
        ('type="cylinder" size="0.1" fromto="0 0 -0.2 0 0 0.2"', 4.0 * math.pi, 0.1**2 / 4 + 0.4**2 / 12, 0.1**2 / 2),
        ('type="box" size="0.1 0.2 0.3" mass="6"', 6.0, (0.4**2 + 0.6**2) / 12, (0.2**2 + 0.4**2) / 12),
        ('type="sphere" size="0.1" density="500"', 2e3 / 3 * math.pi * 1e-3, 0.4 * 1e-2, 0.4 * 1e-2),
    ],
)  # fmt: skip
def test_geoms_weigh_what_their_solids_weigh(tmp_path: Path, geom: str, mass: float, xx: float, zz: float) -> None:
    body = loaded(tmp_path, mjcf(f'<body name="b"><freejoint/><geom {geom}/></body>'), "r.xml").bodies["b"]
    assert body.mass == pytest.approx(mass)
    assert body.inertia[0][0] == pytest.approx(mass * xx)
    assert body.inertia[2][2] == pytest.approx(mass * zz)


SHELLS = {  # MuJoCo 4.0.0: body_mass, and moments about x, y and z
    'type="sphere" size="0.1"': (125.66370614359174, (0.8377580409572783, 0.8377580409572783, 0.8377580409572783)),
    'type="box" size="0.1 0.2 0.3"': (880.0, (54.13333333333334, 42.13333333333334, 24.266666666666673)),
    'type="box" size="0.1 0.2 0.3" mass="2"': (2.0, (0.12303030303, 0.09575757576, 0.05515151515)),
    'type="cylinder" size="0.1 0.2"': (314.1592653589793, (7.278022980816355, 7.278022980816355, 2.827433388230814)),
    'type="capsule" size="0.05 0.2"': (157.07963267948966, (3.4557519189487733, 3.4557519189487733, 0.3665191429188092)),
    'type="ellipsoid" size="0.1 0.2 0.15"': (279.0100776994508, (5.29049205078627, 3.1013284621440107, 4.335415295296116)),
}  # fmt: skip


@pytest.mark.parametrize("geom", SHELLS)
def test_shells_weigh_what_their_surfaces_weigh(tmp_path: Path, geom: str) -> None:
    path = written(tmp_path, mjcf(f'<body name="b"><freejoint/><geom {geom} shellinertia="true"/></body>'), "r.xml")
    link = tm.read_robot(path).links["b"]
    mass, moments = SHELLS[geom]
    assert link.mass == pytest.approx(mass, rel=1e-12)
    close = (
        1e-5 if "ellipsoid" in geom else 1e-9
    )  # MuJoCo takes a layer of 1e-6 m of 0.1 m; ten digits of one box are given
    np.testing.assert_allclose(link.inertia, np.diag(moments), rtol=close, atol=1e-12)
    assert not any("shellinertia" in str(note) for note in tm.read_robot(path).conversion_report)


@pytest.mark.parametrize("kind, sizes", [
    ("box", (0.2, 0.4, 0.6)), ("sphere", (0.3,)), ("cylinder", (0.1, 0.7)), ("capsule", (0.2, 0.3)), ("ellipsoid", (0.3, 0.3, 0.3)),
])  # fmt: skip
def test_a_shell_is_the_difference_of_two_solids(kind: str, sizes: tuple[float, ...]) -> None:
    """Of bodies a little larger on all sides than each other; a sphere among ellipsoids, of which only its area is known exactly."""
    e = 1e-4
    ends = {"cylinder": (e, 2 * e), "capsule": (e, 0.0)}  # length of a capsule's wall stays
    more = ends.get(kind, (2 * e if kind == "box" else e,) * len(sizes))

    def solid(side: float) -> tm.inertia.MassProperties:
        return SOLIDS[kind](*(size + side * extra for size, extra in zip(sizes, more, strict=True)), density=1.0)

    outer, inner = solid(0.5), solid(-0.5)
    found = shell(kind, sizes, density=e)
    assert found.mass == pytest.approx(outer.mass - inner.mass, rel=1e-6)  # e² of the sizes
    np.testing.assert_allclose(found.inertia, np.subtract(outer.inertia, inner.inertia), rtol=1e-5, atol=1e-12)


def test_inertia_of_geoms_or_given_as_the_compiler_says(tmp_path: Path) -> None:
    body = '<body name="b"><freejoint/><inertial pos="0 0 0" mass="7" diaginertia="1 1 1"/><geom type="box" size="0.1 0.1 0.1"/></body>'
    assert loaded(tmp_path, mjcf(body), "r.xml").bodies["b"].mass == 7.0
    assert loaded(tmp_path, mjcf(body, '<compiler inertiafromgeom="true"/>'), "r.xml").bodies[
        "b"
    ].mass == pytest.approx(8.0)
    assert loaded(tmp_path, mjcf(body, '<compiler settotalmass="3"/>'), "r.xml").bodies["b"].mass == pytest.approx(3.0)


def test_angles_are_degrees_unless_told_otherwise(tmp_path: Path) -> None:
    body = '<body name="b" euler="0 0 90"><joint name="j" ref="30" range="-60 60"/><geom size="0.1"/></body>'
    robot = tm.read_robot(written(tmp_path, mjcf(body), "r.xml"))
    assert robot.links["b"].pose.rotation[:, 0] == pytest.approx([0.0, 1.0, 0.0])
    assert robot.joints["j"].axes[0].value == pytest.approx(math.pi / 6)
    assert robot.joints["j"].axes[0].high == pytest.approx(math.pi / 3)
    radian = tm.read_robot(
        written(tmp_path, mjcf(body.replace("90", "1.5707963267948966"), '<compiler angle="radian"/>'), "r.xml")
    )
    assert radian.links["b"].pose.rotation[:, 0] == pytest.approx([0.0, 1.0, 0.0])
    assert radian.joints["j"].axes[0].value == 30.0


@pytest.mark.parametrize(
    "said", ['euler="0 90 0"', 'quat="1 0 1 0"', 'axisangle="0 2 0 90"', 'xyaxes="0 0 -1 0 1 0"', 'zaxis="1 0 0"']
)
def test_all_ways_to_say_an_orientation(tmp_path: Path, said: str) -> None:
    robot = tm.read_robot(
        written(tmp_path, mjcf(f'<body name="b" {said}><freejoint/><geom size="0.1"/></body>'), "r.xml")
    )
    assert robot.links["b"].pose.rotation == pytest.approx(
        np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]), abs=1e-12
    )


def test_capital_letters_of_eulerseq_mean_fixed_axes(tmp_path: Path) -> None:
    body = '<body name="b" euler="20 30 40"><freejoint/><geom size="0.1"/></body>'
    for sequence, fixed in (("xyz", False), ("XYZ", True), ("zyx", False)):
        robot = tm.read_robot(written(tmp_path, mjcf(body, f'<compiler eulerseq="{sequence}"/>'), "r.xml"))
        turn = tm.rotations.matrix(tm.rotations.from_angles(np.radians([20, 30, 40]), sequence.lower(), fixed=fixed))
        assert robot.links["b"].pose.rotation == pytest.approx(turn, abs=1e-12)


def test_defaults_and_classes_reach_what_they_are_meant_for(tmp_path: Path) -> None:
    before = (
        '<default><geom density="100"/><joint damping="1"/><default class="heavy"><geom density="2000"/><default class="lead">'
        '<joint damping="3"/></default></default></default>'
    )
    body = (
        '<body name="a"><joint name="ja"/><geom size="0.1"/><body name="b" childclass="lead"><joint name="jb"/><geom size="0.1"/>'
        '<geom class="main" size="0.1"/></body></body>'
    )
    robot = tm.read_robot(written(tmp_path, mjcf(body, before), "r.xml"))
    ball = 4.0 / 3.0 * math.pi * 1e-3
    assert robot.links["a"].mass == pytest.approx(100.0 * ball)
    assert robot.links["b"].mass == pytest.approx(2100.0 * ball)
    assert [robot.joints[name].axes[0].damping for name in ("ja", "jb")] == [1.0, 3.0]
    with pytest.raises(tm.FileFormatError, match="class 'gold' has no <default>"):
        tm.read_robot(written(tmp_path, mjcf(body.replace("lead", "gold"), before), "r.xml"))


def test_a_site_between_two_points_lies_in_their_middle(tmp_path: Path) -> None:
    """MuJoCo's XML reference, fromto: the position is the middle of both points; also where the body is turned and moved."""
    text = mjcf(
        '<body name="arm" pos="1 2 3" euler="0 0 90"><joint name="j"/><geom size="0.1"/>'
        '<site name="tip" fromto="0.1 0.4 -0.2 0.5 0.6 0.8"/></body><site name="post" fromto="-1 0 0 0 3 1"/>'
    )
    m = loaded(tmp_path, text, "robot.xml")
    run = m.simulate(1e-9, samples=2, progress=False)
    found = {name: [run[f"{name}.{axis}"][0] for axis in "xyz"] for name in ("tip", "post")}
    # (0.3, 0.5, 0.3), turned by 90° about z and moved
    assert found["tip"] == pytest.approx([1.0 - 0.5, 2.0 + 0.3, 3.0 + 0.3], rel=1e-14)
    assert found["post"] == pytest.approx([-0.5, 1.5, 0.5], rel=1e-14)


def test_several_joints_in_a_body_follow_each_other(tmp_path: Path) -> None:
    body = (
        HUB
        + '<joint name="x" type="slide" axis="1 0 0"/><joint name="turn" axis="0 1 0"/><joint name="twist" axis="0 0 1" ref="20"/></body>'
    )
    m = loaded(tmp_path, mjcf(body), "r.xml")
    assert m.mobility().dof == 3
    assert m["twist"].angle.turn.start == pytest.approx(math.radians(20))
    # a body that turns about y and then twists: Euler's equations about its principal axes, gravity at the centroid
    found = state(m, {"turn.angle.rate": 2.0, "twist.angle.rate": 3.0})["hub"]
    A, B, C = 0.1, 0.2, 0.25
    w = np.array([0.0, 2.0, 3.0])  # body components, twist zero as drawn
    M = np.zeros(3)
    free = (M - np.cross(w, np.array([A, B, C]) * w)) / np.array([A, B, C])
    assert found[3][1:] == pytest.approx(free[1:], abs=1e-9)  # about x the joints hold it


def test_a_ball_joint_has_damping_and_a_spring(tmp_path: Path) -> None:
    m = loaded(tmp_path, mjcf(HUB + '<joint name="j" type="ball" damping="0.4" stiffness="2"/></body>'), "r.xml")
    found = state(m, {"hub.rx.rate": 2.0, "hub.ry.rate": 0.0, "hub.rz.rate": 0.0})["hub"][3]
    assert found == pytest.approx([-0.4 * 2.0 / 0.1, 0.0, 0.0], abs=1e-9)


def test_armature_springs_and_damping_of_a_hinge(tmp_path: Path) -> None:
    joint = '<joint name="j" axis="0 0 1" armature="0.15" stiffness="5" springref="30" damping="0.5"/>'
    m = loaded(tmp_path, mjcf(HUB + joint + "</body>"), "r.xml")
    found = state(m, {"j.angle.rate": 2.0})["hub"][3][2]
    assert found == pytest.approx((5.0 * math.radians(30) - 0.5 * 2.0) / (0.25 + 0.15), rel=1e-9)


def test_compensated_weight_is_lifted(tmp_path: Path) -> None:
    m = loaded(tmp_path, mjcf(HUB.replace('name="hub"', 'name="hub" gravcomp="0.75"') + "<freejoint/></body>"), "r.xml")
    assert state(m)["hub"][2] == pytest.approx([0.0, 0.0, -9.81 / 4])


@pytest.mark.parametrize(
    ("actuator", "control", "torque"),
    [
        ('<motor joint="j" gear="3" name="m"/>', 2.0, 6.0),
        ('<motor joint="j" gear="3" name="m"/>', None, 0.0),
        ('<motor joint="j" gear="3" name="m" ctrlrange="-1 1"/>', 2.0, 3.0),
        ('<position joint="j" kp="10" kv="2" name="m"/>', 0.5, 10.0 * 0.5 - 2.0 * 4.0),
        ('<position joint="j" kp="10" name="m" forcerange="-1 1"/>', 0.5, 1.0),
        ('<velocity joint="j" kv="2" name="m"/>', None, -2.0 * 4.0),
        (
            '<general joint="j" gainprm="5" biastype="affine" biasprm="1 0 -0.5" name="m"/>',
            0.2,
            5.0 * 0.2 + 1.0 - 0.5 * 4.0,
        ),
    ],
)
def test_actuators_push_as_their_law_says(tmp_path: Path, actuator: str, control: float | None, torque: float) -> None:
    text = mjcf(HUB + '<joint name="j" axis="0 0 1"/></body>', after=f"<actuator>{actuator}</actuator>")
    m = loaded(tmp_path, text, "r.xml", controls={} if control is None else {"m": control})
    assert state(m, {"j.angle.rate": 4.0})["hub"][3][2] == pytest.approx(torque / 0.25, abs=1e-9)


def test_includes_are_read_from_the_folder_only(tmp_path: Path) -> None:
    home = tmp_path / "robot"
    home.mkdir()
    part = '<mujocoinclude><body name="b"><freejoint/><geom size="0.1"/></body></mujocoinclude>'
    (home / "part.xml").write_text(part, encoding="utf-8")
    (tmp_path / "part.xml").write_text(part, encoding="utf-8")
    assert "b" in tm.read_robot(written(home, mjcf('<include file="part.xml"/>'), "r.xml")).links
    with pytest.raises(tm.FileFormatError, match="outside of the robot's folder"):
        tm.read_robot(written(home, mjcf('<include file="../part.xml"/>'), "r.xml"))
    (home / "loop.xml").write_text('<mujocoinclude><include file="loop.xml"/></mujocoinclude>', encoding="utf-8")
    with pytest.raises(tm.FileFormatError, match="without end"):
        tm.read_robot(written(home, mjcf('<include file="loop.xml"/>'), "r.xml"))


def test_meshes_give_masses_and_missing_ones_are_refused_then(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    tm.inertia.box_mesh(0.2, 0.4, 0.6).write_stl(tmp_path / "parts" / "block.stl")
    before = '<compiler meshdir="parts"/><asset><mesh file="block.stl" scale="1 1 2"/></asset>'
    body = '<body name="b"><freejoint/><geom type="mesh" mesh="block" density="100"/></body>'
    found = loaded(tmp_path, mjcf(body, before), "r.xml").bodies["b"]
    assert found.mass == pytest.approx(100 * 0.2 * 0.4 * 1.2, rel=1e-6)
    with pytest.raises(tm.FileFormatError, match="needed for the mass"):
        tm.read_robot(
            written(
                tmp_path,
                mjcf(body, before.replace("block.stl", "gone.stl").replace("<mesh ", '<mesh name="block" ')),
                "r.xml",
            )
        )


def test_points_without_faces_mean_their_hull_and_open_meshes_take_it_on_demand(tmp_path: Path) -> None:
    corners = " ".join(f"{x} {y} {z}" for x in (0, 0.2) for y in (0, 0.4) for z in (0, 0.6))
    before = f'<asset><mesh name="block" vertex="{corners}"/></asset>'
    body = '<body name="b"><freejoint/><geom type="mesh" mesh="block" density="100"/></body>'
    found = loaded(tmp_path, mjcf(body, before), "r.xml").bodies["b"]
    assert found.mass == pytest.approx(100 * 0.2 * 0.4 * 0.6)
    assert found.centroid == pytest.approx((0.1, 0.2, 0.3))
    box = tm.inertia.box_mesh(0.2, 0.4, 0.6)
    tm.inertia.Mesh(box.vertices, box.triangles[:-1]).write_stl(tmp_path / "open.stl")
    text = mjcf(body, '<asset><mesh name="block" file="open.stl" inertia="exact"/></asset>')
    with pytest.raises(tm.FileFormatError, match=r"(?s)not closed.*repair=True"):
        tm.read_robot(written(tmp_path, text, "r.xml"))
    robot = tm.read_robot(tmp_path / "r.xml", repair=True)
    assert robot.mass == pytest.approx(100 * 0.2 * 0.4 * 0.6, rel=1e-6)
    assert any("that of its hull" in note.text for note in robot.conversion_report.serious)


def test_what_stands_on_the_ground_needs_no_mass(tmp_path: Path) -> None:
    box = tm.inertia.box_mesh(0.2, 0.4, 0.6)
    tm.inertia.Mesh(box.vertices, box.triangles[:-1]).write_stl(tmp_path / "open.stl")
    stand = '<body name="stand"><geom type="mesh" mesh="block"/>' + HUB + '<joint name="j"/></body></body>'
    m = loaded(tmp_path, mjcf(stand, '<asset><mesh name="block" file="open.stl" inertia="exact"/></asset>'), "r.xml")
    assert m.mobility().dof == 1
    assert "stands on the ground and is taken without mass" in str(m.conversion_report)


def test_what_lies_beyond_is_told(tmp_path: Path) -> None:
    text = mjcf(
        '<geom type="plane" size="1 1 1"/>' + HUB + "<freejoint/></body>", '<option density="1.2" timestep="0.01"/>',
        "<sensor><gyro site='s'/></sensor>",
    )  # fmt: skip
    with pytest.warns(tm.ModelWarning, match="bodies feel no drag"):
        m = tm.load_robot(written(tmp_path, text, "r.xml"))
    said = str(m.conversion_report)
    assert "sensors are not taken over" in said
    assert "nothing rests on anything" in said
    assert any("contacts" in note.what for note in m.conversion_report.serious)


# --- loops ---


def test_a_four_bar_closed_by_connect_moves_as_built_by_hand(tmp_path: Path) -> None:
    m = loaded(tmp_path, MJCF_FOUR_BAR, "r.xml")
    assert m.assemble().residual < 1e-12
    assert furthest(state(m, RATES), state(four_bar_by_hand(), RATES)) < 1e-9


def test_two_connects_are_one_hinge(tmp_path: Path) -> None:
    text = MJCF_FOUR_BAR.replace(
        "</equality>",
        '<connect body1="coupler" body2="rocker" site1="c2" site2="r2"/></equality>'.replace(
            'body1="coupler" body2="rocker" ', ""
        ),
    )
    text = text.replace('<site name="c"', '<site name="c2" pos="0.5 0.1 0"/><site name="c"').replace(
        '<site name="r"', '<site name="r2" pos="0.4 0.1 0"/><site name="r"'
    )
    m = loaded(tmp_path, text, "r.xml")
    assert [c.kind for c in m.constraints.values()] == ["revolute"] * 4
    assert furthest(state(m, RATES), state(four_bar_by_hand(), RATES)) < 1e-9


def test_a_weld_saws_a_link_in_half_and_holds_it_together(tmp_path: Path) -> None:
    half = (
        '<body name="half" pos="0.25 0 0"><inertial pos="0.125 0 0" mass="0.5" diaginertia="0.01 0.01 0.01"/>{}</body>'
    )
    one = mjcf(HUB + '<joint name="j" axis="0 1 0"/>' + half.format("") + "</body>")
    two = mjcf(
        HUB + '<joint name="j" axis="0 1 0"/></body>' + half.format("<freejoint/>"),
        after='<equality><weld body1="hub" body2="half"/></equality>',
    )
    assert (
        furthest(state(loaded(tmp_path, one, "a.xml", merge_fixed=False)), state(loaded(tmp_path, two, "b.xml"))) < 1e-9
    )


def test_joints_and_tendons_are_coupled_by_polynomials(tmp_path: Path) -> None:
    bodies = "".join(
        f'<body name="{n}" pos="{k} 0 0"><joint name="j{n}" axis="0 0 1" ref="{ref}"/><geom size="0.1"/></body>'
        for k, (n, ref) in enumerate((("a", 10), ("b", 20), ("c", 0)))
    )
    after = (
        '<equality><joint joint1="ja" joint2="jb" polycoef="0.1 2 0.5 0 0"/>'
        '<tendon tendon1="t" tendon2="u" polycoef="0 1 0 0 0"/></equality>'
        '<tendon><fixed name="t"><joint joint="jb" coef="2"/><joint joint="ja" coef="1"/></fixed><fixed name="u">'
        '<joint joint="jc" coef="3"/>'
        "</fixed></tendon>"
    )  # fmt: skip
    m = loaded(tmp_path, mjcf(bodies, after=after), "r.xml")
    assert m.mobility().dof == 1
    run = m.simulate(0.3, initial={"jb.angle.rate": 1.0}, progress=False)
    a, b, c = (run.series(f"j{n}.angle").value for n in "abc")
    x = b - math.radians(20)
    assert np.ptp(b) > 0.1
    assert a - math.radians(10) == pytest.approx(0.1 + 2.0 * x + 0.5 * x**2, abs=1e-9)
    assert 3.0 * c == pytest.approx(2.0 * x + a - math.radians(10), abs=1e-9)


def test_a_straight_tendon_of_fixed_length_is_a_rod(tmp_path: Path) -> None:
    after = '<tendon><spatial name="t"><site site="s"/><site site="o"/></spatial></tendon><equality><tendon tendon1="t"/></equality>'
    bob = '<site name="o" pos="0 0 1"/><body name="bob"><freejoint/><geom size="0.01" mass="2"/><site name="s"/></body>'
    m = loaded(tmp_path, mjcf(bob, after=after), "r.xml")
    run = m.simulate(0.5, initial={"bob.x.rate": 1.0}, progress=False)
    assert np.linalg.norm(run.q[:, :3] - [0, 0, 1], axis=1) == pytest.approx(1.0, abs=1e-10)
    again = loaded(tmp_path, saved(m, tmp_path / "again.xml").read_text(encoding="utf-8"), "again.xml")
    assert again.constraints[m.constraints and next(iter(m.constraints))].kind == "link"


@pytest.mark.parametrize(("text", "freedom"), [(STEWART, 6), (DELTA, 3), (LEG, 2)])
def test_parallel_robots_close_and_keep_their_freedoms(tmp_path: Path, text: str, freedom: int) -> None:
    m = loaded(tmp_path, text, "r.xml")
    closed = m.assemble()
    assert closed.residual < 1e-12
    found = closed.model().mobility()
    idle = sum(n.startswith("spin") for n in m.bodies)
    assert found.dof - idle == freedom
    run = closed.model().simulate(0.05, samples=11, progress=False)
    assert run.constraint_violation() < 1e-10


# --- out ---

URDFS = {"arm": ARM, "tree": PLANAR_TREE, "gripper": GRIPPER, "flyer": FLYER, **FOUR_BARS}


@pytest.mark.parametrize("name", URDFS)
def test_a_urdf_robot_written_as_mjcf_moves_alike(tmp_path: Path, name: str) -> None:
    m = loaded(tmp_path, URDFS[name])
    for number, source in enumerate((m, tm.read_robot(tmp_path / "robot.urdf"))):
        again = loaded(
            tmp_path, saved(source, tmp_path / f"again{number}.xml").read_text(encoding="utf-8"), "again.xml"
        )
        assert furthest(state(m), state(again)) < 1e-9


MJCFS = {
    "four-bar": MJCF_FOUR_BAR,
    "several joints": mjcf(
        HUB
        + '<joint name="x" type="slide" axis="1 0 0"/><joint name="turn" pos="0.1 0 0" axis="0 1 0" ref="20" damping="0.2"/></body>'
    ),
    "spring and servo": mjcf(
        HUB
        + '<joint name="j" axis="0 0.6 0.8" pos="0.1 0.2 0" armature="0.15" stiffness="5" springref="30" ref="10"/></body>',
        after='<actuator><position name="p" joint="j" kp="3" kv="0.1"/></actuator>',
    ),
    "ball and lift": mjcf(
        HUB.replace('name="hub"', 'name="hub" gravcomp="0.5"')
        + '<joint type="ball" pos="0 0.1 0.2" damping="0.3"/></body>'
    ),
    "free": mjcf(HUB + "<freejoint/></body>"),
    "leg": LEG,
}


@pytest.mark.parametrize("name", MJCFS)
def test_an_mjcf_robot_written_and_read_again_moves_alike(tmp_path: Path, name: str) -> None:
    m = loaded(tmp_path, MJCFS[name], "r.xml")
    closed = m.assemble().model()
    again = loaded(tmp_path, saved(closed, tmp_path / "again.xml").read_text(encoding="utf-8"), "again.xml")
    assert furthest(state(m), state(again)) < 1e-9


@pytest.mark.parametrize("kind", ["cylindrical", "planar", "universal", "screw", "ball", "prismatic"])
@pytest.mark.parametrize("ending", [".xml", ".sdf", ".urdf"])
def test_every_joint_of_the_model_comes_back_through_every_format(tmp_path: Path, kind: str, ending: str) -> None:
    m = tm.SpatialModel("one joint")
    turn = tm.rotations.from_axis_angle((0.6, 0.0, 0.8), 0.7)
    m.body(
        "arm", position=(0.3, -0.2, 0.4), rotation=turn, mass=2.0, inertia=(0.1, 0.2, 0.25), centroid=(0.1, 0.05, 0.0)
    )
    if kind == "ball":
        m.spherical("j", "ground", "arm", at=(0.1, 0.2, 0.3))
    elif kind == "universal":
        m.universal("j", "ground", "arm", at=(0.1, 0.2, 0.3), axis="z", second_axis="x")
    else:
        extra = {"lead": 0.3} if kind == "screw" else {}
        getattr(m, kind)("j", "arm", "ground", at=(0.1, 0.2, 0.3), axis=(0.0, 0.6, 0.8), **extra)
    again = loaded(tmp_path, saved(m, tmp_path / f"j{ending}").read_text(encoding="utf-8"), f"again{ending}")
    assert furthest(state(m), state(again)) < 1e-9


def test_a_loop_is_cut_where_an_equality_can_close_it(tmp_path: Path) -> None:
    text = urdf(
        '<link name="base"/>', urdf_link("crank", 0.5, "0.1 0 0"), urdf_link("rod", 0.4, "0.2 0 0"), urdf_link("piston", 1.0),
        urdf_joint("A", "continuous", "base", "crank", axis="0 1 0"),
        urdf_joint("B", "continuous", "crank", "rod", "0.2 0 0", axis="0 1 0"),
        urdf_joint("P", "continuous", "rod", "piston", "0.5 0 0", axis="0 1 0"),
        '<constraint name="S" type="prismatic"><parent link="base"/><parent_origin xyz="0 0 0"/><parent_axis xyz="1 0 0"/>'
        '<child link="piston"/><child_origin xyz="0 0 0"/><child_axis xyz="1 0 0"/></constraint>',
    )  # fmt: skip
    m = loaded(tmp_path, text, pose={"A": 0.5, "B": -0.7}).assemble().model()
    assert m.mobility().dof == 1
    path = saved(m, tmp_path / "slider.xml")
    assert "slide" in path.read_text(encoding="utf-8")
    again = loaded(tmp_path, path.read_text(encoding="utf-8"), "again.xml")
    assert furthest(state(m, {"A.angle.rate": 3.0}), state(again, {"A.angle.rate": 3.0})) < 1e-9


# --- free bases ---

FLOATER = mjcf(
    '<body name="base"><freejoint/><geom size="0.1" mass="1"/><body name="wheel" pos="0.3 0 0"><joint name="turn" axis="0 1 0"/>'
    '<geom type="cylinder" size="0.1 0.01" mass="2"/></body></body>'
)


def test_a_free_base_is_at_rest_while_its_joints_turn(tmp_path: Path) -> None:
    run = loaded(tmp_path, FLOATER, "r.xml").simulate(0.0, initial={"turn.angle.rate": 3.0}, progress=False)
    base, wheel = np.split(run.v[0], 2)
    assert not base.any()
    assert wheel == pytest.approx([0, 0, 0, 0, 3, 0], abs=1e-12)


def test_a_free_base_moves_as_it_is_told_without_a_warning(tmp_path: Path) -> None:
    told = {"base.x.rate": 0.5, "turn.angle.rate": 3.0}
    run = loaded(tmp_path, FLOATER, "r.xml").simulate(0.0, initial=told, progress=False)  # warnings are errors here
    assert run.v[0] == pytest.approx([0.5, 0, 0, 0, 0, 0, 0.5, 0, 0, 0, 3, 0], abs=1e-12)


def test_a_urdf_robot_that_floats_is_at_rest_while_its_joints_turn(tmp_path: Path) -> None:
    m = loaded(tmp_path, FLYER, floating_base=True)
    run = m.simulate(0.0, initial={"swing.angle.rate": 2.0}, progress=False)
    assert np.abs(run.v[0][:6]).max() == 0.0
    assert np.linalg.norm(run.v[0][9:12]) == pytest.approx(2.0, rel=1e-12)
