"""Attributes that robot files may omit: each has the default of its specification, and another value has its own effect.

Sources: sdformat 1.9 (joint.sdf, inertial.sdf, the shapes and world.sdf), the XML pages of URDF at wiki.ros.org, Drake's page on its
extensions, and the XML reference of MuJoCo. Expected numbers come from these specifications or from a formula next to them.
"""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import pytrammel as tm
from robot_files import written

INF = math.inf


class Row(NamedTuple):
    """An attribute: its place in a file, the text of its default and of another value, and the quantity that each text sets."""

    template: str
    default: str
    other: str
    formula: str  # quantity of the robot r
    for_default: object
    for_other: object


def data(thing: object) -> object:
    """All data of a robot as nested lists, without lines, paths and notes."""
    if isinstance(thing, np.ndarray):
        return thing.tolist()
    if dataclasses.is_dataclass(thing):
        skipped = ("line", "path", "conversion_report", "keys")
        return [data(getattr(thing, f.name)) for f in dataclasses.fields(thing) if f.name not in skipped]
    if isinstance(thing, Mapping):
        return [[key, data(value)] for key, value in thing.items()]
    if isinstance(thing, list | tuple):
        return [data(part) for part in thing]
    return thing


def check(folder: Path, row: Row, template: str, ending: str) -> None:
    robots = []
    for text in ("", row.default, row.other):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tm.ModelWarning)
            robots.append(tm.read_robot(written(folder, template.replace("@", text), f"robot{ending}")))
    missing, stated, other = robots
    assert data(missing) == data(stated)
    for r, expected in ((missing, row.for_default), (other, row.for_other)):
        found = eval(row.formula, {"r": r, "np": np})
        if isinstance(expected, str):
            assert found == expected
        else:
            np.testing.assert_allclose(np.asarray(found, float), expected, rtol=1e-12, atol=1e-14)


def about_y(angle: float) -> list[list[float]]:
    return [[math.cos(angle), 0.0, math.sin(angle)], [0.0, 1.0, 0.0], [-math.sin(angle), 0.0, math.cos(angle)]]


# --- SDF ---

BLOCK = "<link name='b'><pose>1 2 3 0 0 0</pose></link>"
SDF = {
    "axis": f"{BLOCK}<joint name='j' type='revolute'><parent>world</parent><child>b</child><axis>@</axis></joint>",
    "limit": f"{BLOCK}<joint name='j' type='revolute'><parent>world</parent><child>b</child><axis><limit>@</limit></axis></joint>",
    "dynamics": f"{BLOCK}<joint name='j' type='prismatic'><parent>world</parent><child>b</child><axis><dynamics>@</dynamics></axis>"
    f"</joint>",
    "second": (
        f"{BLOCK}<joint name='j' type='universal'><parent>world</parent><child>b</child><axis><xyz>1 0 0</xyz></axis>"
        "<axis2><xyz>0 1 0</xyz><limit>@</limit></axis2></joint>"
    ),
    "screw": f"{BLOCK}<joint name='j' type='screw'><parent>world</parent><child>b</child>@<axis/></joint>",
    "pose": f"{BLOCK}<joint name='j' type='revolute'><parent>world</parent><child>b</child>@<axis/></joint>",
    "two": (
        f"{BLOCK}<link name='c'/><joint name='i' type='revolute'><parent>world</parent><child>c</child><axis/></joint>"
        "<joint name='j' type='revolute'><parent>world</parent><child>b</child><axis><mimic joint='i'>@</mimic></axis></joint>"
    ),
    "gear": (
        f"{BLOCK}<link name='c'/><joint name='i' type='revolute'><parent>world</parent><child>c</child><axis/></joint>"
        "<joint name='j' type='revolute'><parent>world</parent><child>b</child><axis/></joint>"
        "<joint name='g' type='gearbox'><parent>c</parent><child>b</child><gearbox_reference_body>world</gearbox_reference_body>@</joint>"
    ),
    "rotor": (
        f"{BLOCK}<joint name='j' type='revolute'><parent>world</parent><child>b</child><axis/>"
        "<drake:rotor_inertia>0.01</drake:rotor_inertia>@</joint>"
    ),
    "link": "<link name='b'>@</link>",
    "inertial": "<link name='b'><inertial>@</inertial></link>",
    "auto": (
        "<link name='b'><inertial auto='true'>@</inertial><collision name='c'><geometry><box><size>0.1 0.2 0.3</size></box></geometry>"
        "</collision></link>"
    ),
    "collision": (
        "<link name='b'><inertial auto='1'><density>700</density></inertial><collision name='c'>@<geometry><sphere><radius>0.1</radius>"
        "</sphere></geometry></collision></link>"
    ),
    **{
        kind: f"<link name='b'><inertial auto='true'/><collision name='c'><geometry><{kind}>@</{kind}></geometry></collision></link>"
        for kind in ("box", "sphere", "ellipsoid")
    },
    "cylinder length": (
        "<link name='b'><inertial auto='true'/><collision name='c'><geometry><cylinder><radius>0.1</radius>@</cylinder></geometry>"
        "</collision></link>"
    ),
    "cylinder radius": (
        "<link name='b'><inertial auto='true'/><collision name='c'><geometry><cylinder><length>0.1</length>@</cylinder></geometry>"
        "</collision></link>"
    ),
}
AXIS = "r.joints['j'].axes[0]."
MASS = "r.links['b'].mass"
SDF_ROWS = [
    Row("axis", "<xyz>0 0 1</xyz>", "<xyz>0 1 0</xyz>", "r.joints['j'].on_parent.rotation[:, 2]", (0, 0, 1), (0, 1, 0)),
    Row("limit", "<lower>-1e16</lower>", "<lower>-0.5</lower>", AXIS + "low", -INF, -0.5),
    Row("limit", "<upper>1e16</upper>", "<upper>0.5</upper>", AXIS + "high", INF, 0.5),
    Row("limit", "<lower>-inf</lower>", "<lower>-1e14</lower>", AXIS + "low", -INF, -1e14),
    Row("limit", "<upper>inf</upper>", "<upper>1e14</upper>", AXIS + "high", INF, 1e14),
    Row("limit", "<effort>-1</effort>", "<effort>0</effort>", AXIS + "effort", INF, 0.0),
    Row("limit", "<velocity>-1</velocity>", "<velocity>0</velocity>", AXIS + "speed", INF, 0.0),
    Row("limit", "<effort>-1</effort>", "<effort>7</effort>", AXIS + "effort", INF, 7.0),
    Row("limit", "<velocity>-1</velocity>", "<velocity>3</velocity>", AXIS + "speed", INF, 3.0),
    Row("second", "<lower>-1e16</lower>", "<lower>-0.5</lower>", "r.joints['j'].axes[1].low", -INF, -0.5),
    Row("dynamics", "<damping>0</damping>", "<damping>2</damping>", AXIS + "damping", 0.0, 2.0),
    Row("dynamics", "<friction>0</friction>", "<friction>2</friction>", AXIS + "friction", 0.0, 2.0),
    Row("dynamics", "<spring_stiffness>0</spring_stiffness>", "<spring_stiffness>2</spring_stiffness>", AXIS + "stiffness", 0.0, 2.0),
    Row("dynamics", "<spring_reference>0</spring_reference>", "<spring_reference>2</spring_reference>", AXIS + "rest", 0.0, 2.0),
    # without both tags: the older one is 1 rad/m, left-handed
    Row("screw", "<thread_pitch>1</thread_pitch>", "<thread_pitch>-100</thread_pitch>", "r.joints['j'].lead", -2 * math.pi, 0.02 * math.pi),
    Row("screw", "<thread_pitch>1.0</thread_pitch>", "<screw_thread_pitch>0.3</screw_thread_pitch>",
        "r.joints['j'].lead", -2 * math.pi, 0.3),
    Row("pose", "<pose>0 0 0 0 0 0</pose>", "<pose>0.1 0 0 0 0.3 0</pose>", "r.joints['j'].on_child.position", (0, 0, 0), (0.1, 0, 0)),
    Row("pose", "<pose relative_to='b'>0 0 0 0 0 0</pose>", "<pose relative_to='world'/>",
        "r.joints['j'].on_child.position", (0, 0, 0), (-1, -2, -3)),
    Row("pose", "<pose rotation_format='euler_rpy'>0 0 0 0 0 0</pose>",
        "<pose rotation_format='quat_xyzw'>0 0 0 0 0.6 0 0.8</pose>", "r.joints['j'].on_child.rotation[:, 2]", (0, 0, 1), (0.96, 0, 0.28)),
    Row("pose", "<pose degrees='false'>0 0 0 0 0 0</pose>", "<pose degrees='true'>0 0 0 0 30 0</pose>",
        "r.joints['j'].on_child.rotation[:, 2]", (0, 0, 1), (0.5, 0, math.sqrt(0.75))),
    Row("two", "<multiplier>1</multiplier>", "<multiplier>-3</multiplier>", "r.relations['j_mimic'].coefficients", (0, 1), (0, -3)),
    Row("two", "<offset>0</offset>", "<offset>0.2</offset>", "r.relations['j_mimic'].coefficients", (0, 1), (0.2, 1)),
    Row("two", "<reference>0</reference>", "<multiplier>2</multiplier><reference>0.2</reference>",
        "r.relations['j_mimic'].coefficients", (0, 1), (-0.4, 2)),
    Row("gear", "<gearbox_ratio>1</gearbox_ratio>", "<gearbox_ratio>4</gearbox_ratio>", "r.relations['g'].coefficients", (0, -1), (0, -4)),
    Row("rotor", "<drake:gear_ratio>1</drake:gear_ratio>", "<drake:gear_ratio>5</drake:gear_ratio>", AXIS + "armature", 0.01, 0.25),
    Row("link", "<inertial/>", "<inertial><mass>3</mass></inertial>", MASS, 1.0, 3.0),
    Row("link", "<gravity>true</gravity>", "<gravity>false</gravity>", "r.links['b'].lift", 0.0, 1.0),
    Row("link", "<gravity>1</gravity>", "<gravity>0</gravity>", "r.links['b'].lift", 0.0, 1.0),
    Row("link", "<pose>0 0 0 0 0 0</pose>", "<pose>1 2 3 0 0 0</pose>", "r.links['b'].pose.position", (0, 0, 0), (1, 2, 3)),
    Row("inertial", "<pose>0 0 0 0 0 0</pose>", "<pose>1 2 3 0 0 0</pose>", "r.links['b'].centroid", (0, 0, 0), (1, 2, 3)),
    Row("inertial", "<inertia/>", "<inertia><ixx>0.5</ixx></inertia>", "r.links['b'].inertia", np.eye(3), np.diag([0.5, 1.0, 1.0])),
    Row("auto", "<density>1000</density>", "<density>500</density>", MASS, 6.0, 3.0),
    Row("collision", "<density>700</density>", "<density>100</density>", MASS, 700 * 4e-3 / 3 * math.pi, 100 * 4e-3 / 3 * math.pi),
    Row("box", "<size>1 1 1</size>", "<size>1 2 3</size>", MASS, 1000.0, 6000.0),
    Row("sphere", "<radius>1</radius>", "<radius>2</radius>", MASS, 4000 / 3 * math.pi, 32000 / 3 * math.pi),
    Row("ellipsoid", "<radii>1 1 1</radii>", "<radii>1 2 3</radii>", MASS, 4000 / 3 * math.pi, 8000 * math.pi),
    Row("cylinder length", "<length>1</length>", "<length>2</length>", MASS, 10 * math.pi, 20 * math.pi),
    Row("cylinder radius", "<radius>1</radius>", "<radius>2</radius>", MASS, 100 * math.pi, 400 * math.pi),
]  # fmt: skip


@pytest.mark.parametrize("row", SDF_ROWS, ids=[f"{row.template}-{row.other}" for row in SDF_ROWS])
def test_missing_entries_of_sdf_files_take_the_defaults_of_sdformat(tmp_path: Path, row: Row) -> None:
    check(tmp_path, row, f"<sdf version='1.9'><model name='m'>{SDF[row.template]}</model></sdf>", ".sdf")


@pytest.mark.parametrize("row", [
    Row("", "<gravity>0 0 -9.8</gravity>", "<gravity>1 2 3</gravity>", "r.gravity", (0, 0, -9.8), (1, 2, 3)),
])  # fmt: skip
def test_missing_entries_of_worlds_take_the_defaults_of_sdformat(tmp_path: Path, row: Row) -> None:
    check(tmp_path, row, f"<sdf version='1.9'><world name='w'>@<model name='m'>{BLOCK}</model></world></sdf>", ".sdf")


@pytest.mark.parametrize(
    "static, held", [("", 0), ("<static>false</static>", 0), ("<static>0</static>", 0), ("<static>true</static>", 1)]
)
def test_models_are_static_only_if_the_file_states_it(tmp_path: Path, static: str, held: int) -> None:
    text = f"<sdf version='1.9'><model name='m'>{static}{BLOCK}</model></sdf>"
    assert len(tm.read_robot(written(tmp_path, text, "robot.sdf")).joints) == held


@pytest.mark.parametrize(
    "version, turned", [("1.4", False), ("1.3", False), ("1.0", False), ("1.5", True), ("1.9", True)]
)
def test_axes_refer_to_the_frame_of_the_model_before_version_1_5(tmp_path: Path, version: str, turned: bool) -> None:
    """The link is turned by 0.3 rad about y; its axis is z of its frame, or of the model in older files (sdformat, migration notes)."""
    for extra in ("", "<use_parent_model_frame>true</use_parent_model_frame>"):
        text = (
            f"<sdf version='{version}'><model name='m'><link name='b'><pose>0 0 0 0 0.3 0</pose></link><joint name='j' type='revolute'>"
            f"<parent>world</parent><child>b</child><axis><xyz>0 0 1</xyz>{extra}</axis></joint></model></sdf>"
        )
        found = tm.read_robot(written(tmp_path, text, "robot.sdf")).joints["j"].on_parent.rotation[:, 2]
        expected = (math.sin(0.3), 0.0, math.cos(0.3)) if turned and not extra else (0.0, 0.0, 1.0)
        np.testing.assert_allclose(found, expected, atol=1e-15)


# --- URDF ---

URDF = {
    "joint": "<link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/>@</joint>",
    "limit": "<link name='a'/><link name='b'/><joint name='j' type='prismatic'><parent link='a'/><child link='b'/><limit@/></joint>",
    "upper": "<link name='a'/><link name='b'/><joint name='j' type='prismatic'><parent link='a'/><child link='b'/>"
        "<limit lower='-2'@/></joint>",
    "dynamics": "<link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/><dynamics@/></joint>",
    "ball": "<link name='a'/><link name='b'/><joint name='j' type='spherical'><parent link='a'/><child link='b'/><dynamics@/></joint>",
    "mimic": (
        "<link name='a'/><link name='b'/><link name='c'/><joint name='i' type='revolute'><parent link='a'/><child link='c'/></joint>"
        "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><mimic joint='i'@/></joint>"
    ),
    "motor": (
        "<link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/></joint>"
        "<transmission name='t'><joint name='j'/><actuator name='m'>@</actuator></transmission>"
    ),
    "rotor": (
        "<link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/></joint>"
        "<transmission name='t'><joint name='j'/><actuator name='m'><drake:rotor_inertia value='0.01'/>@</actuator></transmission>"
    ),
    "inertial": "<link name='b'><inertial><mass value='2'/>@</inertial></link>",
    "origin": "<link name='b'><inertial><mass value='2'/><origin@/></inertial></link>",
    "inertia": "<link name='b'><inertial><mass value='2'/><inertia ixx='1' iyy='1.5' izz='2'@/></inertial></link>",
    "cylindrical": (
        "<link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
        "<constraint name='c' type='cylindrical'><parent link='a'/><child link='b'/>@</constraint>"
    ),
    "loop": (
        "<link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
        "<loop_joint name='c' type='revolute'><link1 link='a' xyz='1 2 3'/><link2 link='b' xyz='1 2 3'/>@</loop_joint>"
    ),
    "pulley": (
        "<link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/></joint>"
        "<drake:tendon_constraint><drake:tendon_constraint_joint name='j'@/><drake:tendon_constraint_lower_limit value='0.5'/>"
        "<drake:tendon_constraint_upper_limit value='0.5'/></drake:tendon_constraint>"
    ),
    "length": (
        "<link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/></joint>"
        "<drake:tendon_constraint><drake:tendon_constraint_joint name='j' a='2'/><drake:tendon_constraint_lower_limit value='0.5'/>"
        "<drake:tendon_constraint_upper_limit value='0.5'/>@</drake:tendon_constraint>"
    ),
    "gazebo": (
        "<link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/></joint>"
        "<gazebo reference='j'>@</gazebo>"
    ),
    "weight": "<link name='b'/><gazebo reference='b'>@</gazebo>",
    "box": "<link name='b'><visual><geometry><box@/></geometry></visual></link>",
}  # fmt: skip
Z = "r.joints['j'].on_parent.rotation[:, 2]"
URDF_ROWS = [
    Row("joint", "<axis xyz='1 0 0'/>", "<axis xyz='0 1 0'/>", Z, (1, 0, 0), (0, 1, 0)),
    Row("joint", "<origin xyz='0 0 0' rpy='0 0 0'/>", "<origin xyz='1 2 3'/>", "r.joints['j'].on_parent.position", (0, 0, 0), (1, 2, 3)),
    Row("joint", "<origin/>", "<origin quat_xyzw='0 0.6 0 0.8'/>", Z, (1, 0, 0), (0.28, 0, -0.96)),
    Row("joint", "<limit/>", "<limit effort='7'/>", AXIS + "effort", INF, 7.0),
    Row("joint", "<dynamics/>", "<dynamics damping='3'/>", AXIS + "damping", 0.0, 3.0),
    Row("limit", " lower='0'", " lower='-1'", AXIS + "low", -INF, -1.0),
    Row("limit", " lower='0' upper='0'", " upper='2'", f"{AXIS}low, {AXIS}high", (-INF, INF), (0.0, 2.0)),
    Row("upper", " upper='0'", " upper='2'", f"{AXIS}low, {AXIS}high", (-2.0, 0.0), (-2.0, 2.0)),
    Row("limit", " effort='inf'", " effort='7'", AXIS + "effort", INF, 7.0),
    Row("limit", " velocity='inf'", " velocity='7'", AXIS + "speed", INF, 7.0),
    Row("limit", " effort='0'", " effort='0.5'", AXIS + "effort", INF, 0.5),
    Row("limit", " velocity='0'", " velocity='0.05'", AXIS + "speed", INF, 0.05),
    Row("dynamics", " damping='0'", " damping='2'", AXIS + "damping", 0.0, 2.0),
    Row("dynamics", " friction='0'", " friction='2'", AXIS + "friction", 0.0, 2.0),
    Row("dynamics", " spring_stiffness='0'", " spring_stiffness='2'", AXIS + "stiffness", 0.0, 2.0),
    Row("dynamics", " spring_reference='0'", " spring_reference='2'", AXIS + "rest", 0.0, 2.0),
    Row("ball", " damping='0'", " damping='2'", "r.joints['j'].ball.damping", 0.0, 2.0),
    Row("mimic", " multiplier='1'", " multiplier='-3'", "r.relations['j_mimic'].coefficients", (0, 1), (0, -3)),
    Row("mimic", " offset='0'", " offset='0.2'", "r.relations['j_mimic'].coefficients", (0, 1), (0.2, 1)),
    Row("motor", "<mechanicalReduction>1</mechanicalReduction>", "<mechanicalReduction>40</mechanicalReduction>",
        "r.actuators['m'].gear", 1, 40),
    Row("rotor", "<drake:gear_ratio value='1'/>", "<drake:gear_ratio value='5'/>", AXIS + "armature", 0.01, 0.25),
    Row("inertial", "<origin/>", "<origin xyz='1 2 3'/>", "r.links['b'].centroid", (0, 0, 0), (1, 2, 3)),
    Row("inertial", "<inertia/>", "<inertia ixx='1' iyy='1' izz='1'/>", "r.links['b'].inertia", np.zeros((3, 3)), np.eye(3)),
    Row("origin", " xyz='0 0 0'", " xyz='1 2 3'", "r.links['b'].centroid", (0, 0, 0), (1, 2, 3)),
    Row("inertia", " ixy='0'", " ixy='0.1'", "r.links['b'].inertia[0, 1], r.links['b'].inertia[1, 0]", (0, 0), (0.1, 0.1)),
    Row("inertia", " ixz='0'", " ixz='0.1'", "r.links['b'].inertia[0, 2], r.links['b'].inertia[2, 0]", (0, 0), (0.1, 0.1)),
    Row("inertia", " iyz='0'", " iyz='0.1'", "r.links['b'].inertia[1, 2], r.links['b'].inertia[2, 1]", (0, 0), (0.1, 0.1)),
    Row("cylindrical", "<parent_axis xyz='1 0 0'/>", "<parent_axis xyz='0 1 0'/>",
        "r.joints['c'].on_child.rotation[:, 2]", (1, 0, 0), (0, 1, 0)),
    Row("cylindrical", "<child_axis xyz='1 0 0'/>", "<child_axis xyz='0 1 0'/>",
        "np.append(r.joints['c'].on_parent.rotation[:, 2], r.joints['c'].on_child.rotation[:, 2])", (1, 0, 0, 1, 0, 0), (1, 0, 0, 0, 1, 0)),
    Row("cylindrical", "<parent_origin/>", "<parent_origin xyz='1 2 3'/>", "r.joints['c'].on_parent.position", (0, 0, 0), (1, 2, 3)),
    Row("loop", "<axis xyz='1 0 0'/>", "<axis xyz='0 0 1'/>", "r.joints['c'].on_child.rotation[:, 2]", (1, 0, 0), (0, 0, 1)),
    Row("pulley", " a='1'", " a='-3'", "r.relations['tendon_constraint'].left[0][0]", 1.0, -3.0),
    Row("length", "<drake:tendon_constraint_offset value='0'/>", "<drake:tendon_constraint_offset value='0.2'/>",
        "r.relations['tendon_constraint'].coefficients", (0.5,), (0.3,)),
    Row("gazebo", "<springStiffness>0</springStiffness>", "<springStiffness>2</springStiffness>", AXIS + "stiffness", 0.0, 2.0),
    Row("gazebo", "<springReference>0</springReference>", "<springReference>2</springReference>", AXIS + "rest", 0.0, 2.0),
    Row("weight", "<turnGravityOff>false</turnGravityOff>", "<turnGravityOff>true</turnGravityOff>", "r.links['b'].lift", 0.0, 1.0),
    Row("weight", "<gravity>true</gravity>", "<gravity>0</gravity>", "r.links['b'].lift", 0.0, 1.0),
]  # fmt: skip


@pytest.mark.parametrize("row", URDF_ROWS, ids=[f"{row.template}-{row.other}" for row in URDF_ROWS])
def test_missing_entries_of_urdf_files_take_the_defaults_of_urdf(tmp_path: Path, row: Row) -> None:
    check(tmp_path, row, f"<robot name='m' xmlns:drake='d'>{URDF[row.template]}</robot>", ".urdf")


# --- MJCF ---

LUMP = "<inertial pos='0 0 0' mass='2' diaginertia='1 1.5 2'/>"
HINGE = f"<worldbody><body name='b'><joint name='j'/>{LUMP}<site name='s'/></body></worldbody>"
PAIR = (
    f"<worldbody><body name='b' pos='0 0 1'><joint name='j'/>{LUMP}</body><body name='c' pos='0 1 0'><joint name='i'/>{LUMP}</body>"
    "</worldbody>"
)
POINTS = "0 0 0  1 0 0  0 1 0  0 0 1"
MJCF = {
    "joint": f"<compiler angle='radian'/><worldbody><body name='b' pos='1 0 0'><joint name='j'@/>{LUMP}</body></worldbody>",
    "ranged": f"<compiler angle='radian'@/><worldbody><body name='b'><joint name='j' range='-0.5 0.7'/>{LUMP}</body></worldbody>",
    "ball": f"<worldbody><body name='b'><joint name='j' type='ball'@/>{LUMP}</body></worldbody>",
    "free": f"<worldbody><body name='b'><joint name='j' type='free'@/>{LUMP}</body></worldbody>",
    "degrees": f"<compiler@/><worldbody><body name='b'><joint name='j' range='-30 90' ref='10'/>{LUMP}</body></worldbody>",
    "order": f"<compiler angle='radian'@/><worldbody><body name='b' euler='0.1 0.2 0.3'>{LUMP}</body></worldbody>",
    "compiler": f"<compiler@/><worldbody><body name='b'><freejoint/>{LUMP}</body></worldbody>",
    "both": f"<compiler@/><worldbody><body name='b'><freejoint/>{LUMP}<geom type='box' size='.5 .5 .5'/></body></worldbody>",
    "groups": "<compiler@/><worldbody><body name='b'><freejoint/><geom type='box' size='.5 .5 .5' mass='3'/>"
              "<geom type='box' size='.5 .5 .5' group='5' mass='4'/></body></worldbody>",
    "option": f"<option@/>{HINGE}",
    "flag": f"<option><flag@/></option><worldbody><body name='b'><joint name='j' damping='2' stiffness='3' frictionloss='4'/>{LUMP}"
        f"</body></worldbody>",
    "body": f"<worldbody><body name='b'@>{LUMP}</body></worldbody>",
    "inertial": "<worldbody><body name='b'><inertial mass='2' diaginertia='1 1.5 2' pos='0 0 0'@/></body></worldbody>",
    "geom": "<worldbody><body name='b'><freejoint/><geom size='0.1 0.2 0.3'@/></body></worldbody>",
    "solid": "<worldbody><body name='b'><freejoint/><geom type='box' size='0.1 0.2 0.3'@/></body></worldbody>",
    "mesh": f"<asset><mesh name='m' vertex='{POINTS}'@/></asset><worldbody><body name='b'><freejoint/><geom type='mesh' mesh='m'/>"
        f"</body></worldbody>",
    "fitted": f"<asset><mesh name='m' vertex='{POINTS}'/></asset><worldbody><body name='b'><freejoint/><geom type='box' mesh='m'@/>"
        f"</body></worldbody>",
    "site": f"<worldbody><body name='b'><joint name='j'/>{LUMP}<site name='s'@/></body></worldbody>",
    **{kind: f"{HINGE}<actuator><{kind} name='m' joint='j'@/></actuator>"
       for kind in ("general", "motor", "position", "velocity", "intvelocity", "cylinder")},
    "affine": f"{HINGE}<actuator><general name='m' joint='j' gaintype='affine' biastype='affine' dyntype='filter'@/></actuator>",
    "filtered": f"{HINGE}<actuator><position name='m' joint='j' timeconst='0.2'@/></actuator>",
    "inherit": f"<worldbody><body name='b'><joint name='j' range='-30 90'/>{LUMP}</body></worldbody><actuator>"
        f"<position name='m' joint='j'@/></actuator>",
    "ctrl": f"<compiler@/>{HINGE}<actuator><motor name='m' joint='j' ctrlrange='-1 2'/></actuator>",
    "ctrllimited": f"{HINGE}<actuator><motor name='m' joint='j' ctrlrange='-1 2'@/></actuator>",
    "forcelimited": f"{HINGE}<actuator><motor name='m' joint='j' forcerange='-1 2'@/></actuator>",
    "tendon": f"{PAIR}<tendon><fixed name='t'@><joint joint='i' coef='2'/><joint joint='j' coef='3'/></fixed></tendon>",
    "springy": f"{PAIR}<tendon><fixed name='t' stiffness='5'@><joint joint='i' coef='2'/></fixed></tendon>",
    "equal": f"{PAIR}<equality><joint name='e' joint1='i' joint2='j'@/></equality>",
    "alone": f"{PAIR}<equality><joint name='e' joint1='i'@/></equality>",
    "weld": f"{PAIR}<equality><weld name='e' body1='b' body2='c'@/></equality>",
    "grounded": f"{PAIR}<equality><weld name='e' body1='b'@/></equality>",
}  # fmt: skip
LAW = "r.actuators['m']."
MADE = "r.links['b']."
CUBE = 1000.0  # mass of 1 m³ of water [kg]
MJCF_ROWS = [
    Row("joint", " type='hinge'", " type='slide'", "r.joints['j'].kind", "revolute", "prismatic"),
    Row("joint", " pos='0 0 0'", " pos='0.1 0.2 0.3'", "r.joints['j'].on_child.position", (0, 0, 0), (0.1, 0.2, 0.3)),
    Row("joint", " axis='0 0 1'", " axis='0 1 0'", Z, (0, 0, 1), (0, 1, 0)),
    Row("joint", " ref='0'", " ref='0.2'", AXIS + "value", 0.0, 0.2),
    Row("joint", " springref='0'", " springref='0.2'", AXIS + "rest", 0.0, 0.2),
    Row("joint", " stiffness='0'", " stiffness='2 3 4'", f"({AXIS}stiffness, *{AXIS}more_stiffness)", (0, 0, 0), (2, 3, 4)),
    Row("joint", " damping='0'", " damping='2 3 4'", f"({AXIS}damping, *{AXIS}more_damping)", (0, 0, 0), (2, 3, 4)),
    Row("joint", " damping='0 0'", " damping='2 3'", f"({AXIS}damping, *{AXIS}more_damping)", (0, 0, 0), (2, 3, 0)),
    Row("joint", " frictionloss='0'", " frictionloss='2'", AXIS + "friction", 0.0, 2.0),
    Row("joint", " armature='0'", " armature='2'", AXIS + "armature", 0.0, 2.0),
    Row("joint", " springdamper='0 0'", " springdamper='0.5 0.25'", f"{AXIS}stiffness, {AXIS}damping",
        (0, 0), (2.0 / (0.5 * 0.25) ** 2, 2 * 2.0 / 0.5)),  # inertia about z: 2 kg m²
    Row("joint", " limited='auto'", " range='-0.5 0.7'", f"{AXIS}low, {AXIS}high", (-INF, INF), (-0.5, 0.7)),
    Row("joint", " limited='false'", " limited='true' range='-0.5 0.7'", f"{AXIS}low, {AXIS}high", (-INF, INF), (-0.5, 0.7)),
    Row("joint", " actuatorfrclimited='auto'", " actuatorfrcrange='-3 4'", f"{AXIS}drive_low, {AXIS}drive_high", (-INF, INF), (-3, 4)),
    Row("ranged", " autolimits='true'", " autolimits='false'", f"{AXIS}low, {AXIS}high", (-0.5, 0.7), (-INF, INF)),
    Row("ball", " damping='0'", " damping='2'", "r.joints['j'].ball.damping", 0.0, 2.0),
    Row("ball", " stiffness='0'", " stiffness='2'", "r.joints['j'].ball.stiffness", 0.0, 2.0),
    Row("free", " damping='0'", " damping='2'", "r.joints['j'].ball.damping", 0.0, 2.0),
    Row("degrees", " angle='degree'", " angle='radian'", f"{AXIS}low, {AXIS}high, {AXIS}value", np.radians([-30, 90, 10]), (-30, 90, 10)),
    Row("order", " eulerseq='xyz'", " eulerseq='XYZ'", MADE + "pose.rotation[2, 0]",
        math.sin(0.1) * math.sin(0.3) - math.cos(0.1) * math.cos(0.3) * math.sin(0.2), -math.sin(0.2)),
    Row("compiler", " boundmass='0'", " boundmass='7'", MADE + "mass", 2.0, 7.0),
    Row("compiler", " boundinertia='0'", " boundinertia='1.7'", f"np.diag({MADE}inertia)", (1, 1.5, 2), (1.7, 1.7, 2)),
    Row("compiler", " settotalmass='-1'", " settotalmass='6'", MADE + "mass", 2.0, 6.0),
    Row("compiler", " settotalmass='0'", " settotalmass='0.5'", f"np.diag({MADE}inertia)", (1, 1.5, 2), (0.25, 0.375, 0.5)),
    Row("both", " inertiafromgeom='auto'", " inertiafromgeom='true'", MADE + "mass", 2.0, CUBE),
    Row("both", " inertiafromgeom='false'", " inertiafromgeom='true' inertiagrouprange='0 0'", MADE + "mass", 2.0, CUBE),
    Row("groups", " inertiagrouprange='0 5'", " inertiagrouprange='0 4'", MADE + "mass", 7.0, 3.0),
    Row("groups", " inertiagrouprange='0  5'", " inertiagrouprange='1 5'", MADE + "mass", 7.0, 4.0),
    Row("option", " gravity='0 0 -9.81'", " gravity='1 2 3'", "r.gravity", (0, 0, -9.81), (1, 2, 3)),
    Row("flag", " gravity='enable'", " gravity='disable'", "r.gravity", (0, 0, -9.81), (0, 0, 0)),
    Row("flag", " damper='enable'", " damper='disable'", f"{AXIS}damping, {AXIS}stiffness, {AXIS}friction", (2, 3, 4), (0, 3, 4)),
    Row("flag", " spring='enable'", " spring='disable'", f"{AXIS}damping, {AXIS}stiffness, {AXIS}friction", (2, 3, 4), (2, 0, 4)),
    Row("flag", " frictionloss='enable'", " frictionloss='disable'",
        f"{AXIS}damping, {AXIS}stiffness, {AXIS}friction", (2, 3, 4), (2, 3, 0)),
    Row("flag", " constraint='enable'", " constraint='disable'", f"{AXIS}damping, {AXIS}stiffness, {AXIS}friction", (2, 3, 4), (2, 3, 0)),
    Row("body", " pos='0 0 0'", " pos='1 2 3'", MADE + "pose.position", (0, 0, 0), (1, 2, 3)),
    Row("body", " quat='1 0 0 0'", " quat='0.8 0 0.6 0'", MADE + "pose.rotation", np.eye(3), about_y(2 * math.atan2(0.6, 0.8))),
    Row("body", " axisangle='0 0 1 0'", " axisangle='0 2 0 30'", MADE + "pose.rotation", np.eye(3), about_y(math.pi / 6)),
    Row("body", " zaxis='0 0 1'", " zaxis='0.5 0 0.5'", MADE + "pose.rotation", np.eye(3), about_y(math.pi / 4)),
    Row("body", " xyaxes='1 0 0 0 1 0'", " xyaxes='0 0 -2 0 1 0'", MADE + "pose.rotation", np.eye(3), about_y(math.pi / 2)),
    Row("body", " zaxis='0 0 3'", " zaxis='0 0 -3'", MADE + "pose.rotation[:, 2]", (0, 0, 1), (0, 0, -1)),
    Row("body", " gravcomp='0'", " gravcomp='0.5'", MADE + "lift", 0.0, 0.5),
    Row("inertial", " quat='1 0 0 0'", " quat='1 1 0 0'", f"np.diag({MADE}inertia)", (1, 1.5, 2), (1, 2, 1.5)),
    Row("geom", " type='sphere'", " type='box'", MADE + "mass", 4 / 3 * math.pi, 48.0),
    Row("solid", " density='1000'", " density='500'", MADE + "mass", 48.0, 24.0),
    Row("solid", " pos='0 0 0'", " pos='1 2 3'", MADE + "centroid", (0, 0, 0), (1, 2, 3)),
    Row("solid", " shellinertia='false'", " shellinertia='true'", MADE + "mass", 48.0, 880.0),  # area 2 (.08 + .12 + .24) m²
    Row("solid", " group='0'", " group='6'", MADE + "mass", 48.0, 0.0),
    Row("mesh", " scale='1 1 1'", " scale='1 2 3'", MADE + "mass", CUBE / 6, CUBE),
    Row("mesh", " refpos='0 0 0'", " refpos='1 2 3'", MADE + "centroid", (0.25, 0.25, 0.25), (-0.75, -1.75, -2.75)),
    Row("mesh", " refquat='1 0 0 0'", " refquat='1 0 0 1'", MADE + "centroid", (0.25, 0.25, 0.25), (0.25, -0.25, 0.25)),
    Row("mesh", " inertia='legacy'", " inertia='shell'", MADE + "mass", CUBE / 6, CUBE * (1.5 + 0.5 * math.sqrt(3))),
    Row("mesh", " inertia='legacy'", " inertia='convex'", MADE + "mass", CUBE / 6, CUBE / 6),
    # a tetrahedron with edges of 1 m along the axes: variances 1/80 and 1/20 (twice) m², a box has (half side)²/3
    Row("fitted", " fitscale='1'", " fitscale='2'", MADE + "mass", CUBE * 1.2 * math.sqrt(3 / 80), CUBE * 9.6 * math.sqrt(3 / 80)),
    Row("site", " pos='0 0 0'", " pos='1 2 3'", "r.frames['s'][1].position", (0, 0, 0), (1, 2, 3)),
    Row("general", " gear='1'", " gear='7'", LAW + "gear", 1.0, 7.0),
    Row("general", " gainprm='1'", " gainprm='7'", LAW + "gain", 1.0, 7.0),
    Row("general", " gaintype='fixed' gainprm='1 0 0'", " gainprm='2 3 4'", f"({LAW}gain, *{LAW}slopes)", (1, 0, 0), (2, 0, 0)),
    Row("general", " biastype='none' biasprm='5 6 7'", " biastype='affine' biasprm='5 6 7'", LAW + "bias", (0, 0, 0), (5, 6, 7)),
    Row("general", " dyntype='none'", " dyntype='filter'", f"{LAW}lag is not None and {LAW}lag.time", 0.0, 1.0),
    Row("affine", " gainprm='1 0 0'", " gainprm='2 3 4'", f"({LAW}gain, *{LAW}slopes)", (1, 0, 0), (2, 3, 4)),
    Row("affine", " biasprm='0 0 0'", " biasprm='5'", LAW + "bias", (0, 0, 0), (5, 0, 0)),
    Row("affine", " dynprm='1'", " dynprm='0.3'", LAW + "lag.time", 1.0, 0.3),
    Row("affine", " actlimited='auto'", " actrange='-1 2'", f"{LAW}lag.low, {LAW}lag.high", (-INF, INF), (-1, 2)),
    Row("affine", " actlimited='false'", " actlimited='true' actrange='-1 2'", f"{LAW}lag.low, {LAW}lag.high", (-INF, INF), (-1, 2)),
    Row("motor", " gear='1 0 0 0 0 0'", " gear='7'", f"{LAW}gear, {LAW}gain", (1, 1), (7, 1)),
    Row("motor", " forcelimited='auto'", " forcerange='-1 2'", f"{LAW}low, {LAW}high", (-INF, INF), (-1, 2)),
    Row("motor", " ctrllimited='auto'", " ctrlrange='-1 2'", f"{LAW}control_low, {LAW}control_high", (-INF, INF), (-1, 2)),
    Row("motor", " armature='0'", " armature='0.1' gear='3'", AXIS + "armature", 0.0, 0.9),
    Row("motor", " damping='0'", " damping='0.1' gear='3'", AXIS + "damping", 0.0, 0.9),
    Row("position", " kp='1'", " kp='7'", f"({LAW}gain, *{LAW}bias)", (1, 0, -1, 0), (7, 0, -7, 0)),
    Row("position", " kv='0'", " kv='2'", f"({LAW}gain, *{LAW}bias)", (1, 0, -1, 0), (1, 0, -1, -2)),
    Row("position", " dampratio='0'", " dampratio='0.5'", LAW + "bias[2]", 0.0, -2 * 0.5 * math.sqrt(2.0)),  # inertia 2 kg m²
    Row("position", " timeconst='0'", " timeconst='0.2'", f"0.0 if {LAW}lag is None else {LAW}lag.time", 0.0, 0.2),
    Row("filtered", " kp='1'", " kp='3'", f"({LAW}gain, *{LAW}bias, {LAW}lag.time)", (1, 0, -1, 0, 0.2), (3, 0, -3, 0, 0.2)),
    Row("inherit", " inheritrange='0'", " inheritrange='0.5'", f"{LAW}control_low, {LAW}control_high", (-INF, INF), np.radians([0, 60])),
    Row("inherit", " inheritrange='0.0'", " inheritrange='1'", f"{LAW}control_low, {LAW}control_high", (-INF, INF), np.radians([-30, 90])),
    Row("velocity", " kv='1'", " kv='7'", f"({LAW}gain, *{LAW}bias)", (1, 0, 0, -1), (7, 0, 0, -7)),
    Row("intvelocity", " kp='1'", " kp='7'", f"({LAW}gain, *{LAW}bias)", (1, 0, -1, 0), (7, 0, -7, 0)),
    Row("cylinder", " area='1'", " area='7'", LAW + "gain", 1.0, 7.0),
    Row("cylinder", " timeconst='1'", " timeconst='7'", LAW + "lag.time", 1.0, 7.0),
    Row("cylinder", " bias='0 0 0'", " bias='1 2 3'", LAW + "bias", (0, 0, 0), (1, 2, 3)),
    Row("cylinder", " area='1.0'", " diameter='2' area='9'", LAW + "gain", 1.0, math.pi),
    Row("ctrl", " autolimits='true'", " autolimits='false'", f"{LAW}control_low, {LAW}control_high", (-1, 2), (-INF, INF)),
    Row("ctrllimited", " ctrllimited='auto'", " ctrllimited='false'", f"{LAW}control_low, {LAW}control_high", (-1, 2), (-INF, INF)),
    Row("ctrllimited", " ctrllimited='true'", " ctrllimited='false' forcerange='-1 2'",
        f"{LAW}control_low, {LAW}control_high", (-1, 2), (-INF, INF)),
    Row("forcelimited", " forcelimited='auto'", " forcelimited='false'", f"{LAW}low, {LAW}high", (-1, 2), (-INF, INF)),
    Row("tendon", " stiffness='0'", " stiffness='2' springlength='3'",
        "r.tendons['t'].stiffness, r.tendons['t'].low, r.tendons['t'].high", (0, 0, 0), (2, 3, 3)),
    Row("tendon", " damping='0'", " damping='2'", "r.tendons['t'].damping", 0.0, 2.0),
    Row("tendon", " frictionloss='0'", " frictionloss='2'", "r.tendons['t'].friction", 0.0, 2.0),
    Row("tendon", " armature='0'", " armature='2'", "r.tendons['t'].armature", 0.0, 2.0),
    Row("tendon", " actuatorfrclimited='auto'", " actuatorfrcrange='-3 4'",
        "r.tendons['t'].drive_low, r.tendons['t'].drive_high", (-INF, INF), (-3, 4)),
    Row("springy", " springlength='-1'", " springlength='0.1 0.2'", "r.tendons['t'].low, r.tendons['t'].high", (0, 0), (0.1, 0.2)),
    Row("springy", " springlength='-1 -1'", " springlength='-1 0.2'", "r.tendons['t'].low, r.tendons['t'].high", (0, 0), (-1, 0.2)),
    Row("equal", " polycoef='0 1 0 0 0'", " polycoef='1 2 3 4 5'",
        "np.pad(r.relations['e'].coefficients, (0, 5))[:5]", (0, 1, 0, 0, 0), (1, 2, 3, 4, 5)),
    Row("alone", " polycoef='0'", " polycoef='0.3 2'", "r.relations['e'].coefficients", (0,), (0.3,)),
    Row("equal", " active='true'", " active='false'", "len(r.relations)", 1, 0),
    Row("weld", " relpose='0 1 0 0 0 0 0'", " relpose='1 2 3 1 0 0 0'", "r.joints['e'].on_parent.position", (0, 1, -1), (1, 2, 3)),
    Row("weld", " torquescale='1'", " relpose='1 2 3 1 0 0 0'", "r.joints['e'].on_parent.position", (0, 1, -1), (1, 2, 3)),
    Row("grounded", " body2='world'", " body2='c'", "r.joints['e'].child", "world", "c"),
]  # fmt: skip


@pytest.mark.parametrize("row", MJCF_ROWS, ids=[f"{row.template}-{row.other}" for row in MJCF_ROWS])
def test_missing_entries_of_mjcf_files_take_the_defaults_of_mujoco(tmp_path: Path, row: Row) -> None:
    check(tmp_path, row, f"<mujoco model='m'>{MJCF[row.template]}</mujoco>", ".xml")
