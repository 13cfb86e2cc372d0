"""Robots as files, written for the tests, and the questions that tests ask of them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import pytrammel as tm

INERTIA = {"ixx": 0.02, "iyy": 0.03, "izz": 0.04, "ixy": 0.001, "ixz": -0.002, "iyz": 0.003}


def urdf_link(
    name: str, mass: float = 1.0, xyz: str = "0 0 0", rpy: str = "0 0 0", scale: float = 1.0, extra: str = ""
) -> str:
    moments = " ".join(f'{key}="{value * scale!r}"' for key, value in INERTIA.items())
    return (
        f'<link name="{name}"><inertial><origin xyz="{xyz}" rpy="{rpy}"/><mass value="{mass!r}"/><inertia {moments}/></inertial>'
        f"{extra}</link>\n"
    )


def urdf_joint(
    name: str,
    kind: str,
    parent: str,
    child: str,
    xyz: str = "0 0 0",
    rpy: str = "0 0 0",
    axis: str = "0 0 1",
    extra: str = "",
) -> str:
    limit = '<limit lower="-3" upper="3" effort="50" velocity="5"/>' if kind in ("revolute", "prismatic") else ""
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="{xyz}" rpy="{rpy}"/><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="{axis}"/>{limit}{extra}</joint>\n'
    )


def urdf(*parts: str) -> str:
    return (
        '<?xml version="1.0"?>\n<robot name="test" xmlns:drake="http://drake.mit.edu">\n'
        + "".join(parts)
        + "</robot>\n"
    )


ARM = urdf(
    '<link name="base"/>\n',
    urdf_link("upper", 2.0, "0 0 0.2", "0.1 0.2 0.3"),
    urdf_link("fore", 1.2, "0.05 0 0.15", extra='<visual><geometry><box size="0.05 0.06 0.3"/></geometry></visual>'),
    urdf_link("hand", 0.4, "0 0.02 0.05"),
    urdf_link("probe", 0.1, "0 0 0.05", scale=0.01),
    '<link name="tip"/>\n',
    urdf_joint("shoulder", "revolute", "base", "upper", "0 0 0.3", "0.2 0.1 0", "0 1 0", '<dynamics damping="0.3"/>'),
    urdf_joint("elbow", "continuous", "upper", "fore", "0.02 0.01 0.4", "0 0.4 0.1", "1 0 0"),
    urdf_joint("slide", "prismatic", "fore", "hand", "0 0 0.3", "0 0 0.7", "0.6 0 0.8"),
    urdf_joint("mount", "fixed", "hand", "probe", "0.01 0 0.1", "0 0.3 0"),
    urdf_joint("tool", "fixed", "probe", "tip", "0 0 0.1"),
)

PLANAR_TREE = urdf(
    urdf_link("cart", 3.0),
    urdf_link("pole", 0.5, "0 0 0.4"),
    urdf_link("branch", 0.3, "0.1 0 0.1"),
    '<link name="world"/>\n',
    urdf_joint("rail", "prismatic", "world", "cart", axis="1 0 0"),
    urdf_joint("hinge", "continuous", "cart", "pole", axis="0 1 0"),
    urdf_joint("side", "continuous", "pole", "branch", "0 0 0.5", axis="0 1 0"),
)

GRIPPER = urdf(
    urdf_link("palm", 1.0),
    urdf_link("left", 0.2, "0.05 0 0"),
    urdf_link("right", 0.2, "0.05 0 0"),
    urdf_link("crank", 0.3, "0 0.05 0"),
    urdf_joint("left_slide", "prismatic", "palm", "left", axis="0 1 0"),
    urdf_joint(
        "right_slide",
        "prismatic",
        "palm",
        "right",
        axis="0 -1 0",
        extra='<mimic joint="left_slide" multiplier="1" offset="0"/>',
    ),
    urdf_joint(
        "crank_turn", "continuous", "palm", "crank", extra='<mimic joint="left_slide" multiplier="8" offset="0.1"/>'
    ),
)

FLYER = urdf(
    urdf_link("trunk", 4.0, "0.01 0.02 0.03"),
    urdf_link("arm", 0.7, "0 0 -0.1"),
    urdf_joint("swing", "continuous", "trunk", "arm", "0.1 0 0", "0 0.2 0", "0 1 0"),
)

# a parallelogram-like four-bar in the x-z plane, cut at the pin between coupler and rocker: 0.3, 0.5, 0.4, ground 0.45
FOUR_BAR_LINKS = (
    '<link name="base"/>\n'
    + urdf_link("crank", 0.6, "0.15 0 0")
    + urdf_link("coupler", 1.0, "0.25 0 0")
    + urdf_link("rocker", 0.8, "0.2 0 0")
)
FOUR_BAR_JOINTS = (
    urdf_joint("A", "continuous", "base", "crank", rpy="0 -1.0 0", axis="0 1 0")
    + urdf_joint("B", "continuous", "crank", "coupler", "0.3 0 0", rpy="0 0.8 0", axis="0 1 0")
    + urdf_joint("D", "continuous", "base", "rocker", "0.45 0 0", rpy="0 -1.2 0", axis="0 1 0")
)
CONSTRAINT = (
    '<constraint name="C" type="revolute"><parent link="coupler"/><parent_origin xyz="0.5 0 0" rpy="0 0 0"/><parent_axis xyz="0 1 0"/>'
    '<child link="rocker"/><child_origin xyz="0.4 0 0" rpy="0 0 0"/><child_axis xyz="0 1 0"/></constraint>\n'
)
BALL = (
    '<drake:ball_constraint><drake:ball_constraint_body_A name="coupler"/><drake:ball_constraint_body_B name="rocker"/>'
    '<drake:ball_constraint_p_AP value="0.5 0 0"/><drake:ball_constraint_p_BQ value="0.4 0 0"/></drake:ball_constraint>\n'
)
LOOP_JOINT = (
    '<loop_joint name="C" type="spherical"><link1 link="coupler" xyz="0.5 0 0" rpy="0 0 0"/>'
    '<link2 link="rocker" xyz="0.4 0 0" rpy="0 0 0"/></loop_joint>\n'
)
CYCLIC = (
    '<link name="pin"/>\n'
    + urdf_joint("pinned", "fixed", "rocker", "pin", "0.4 0 0")
    + urdf_joint("C", "continuous", "coupler", "pin", "0.5 0 0", axis="0 1 0")
)
FOUR_BARS = {
    "constraint": urdf(FOUR_BAR_LINKS, FOUR_BAR_JOINTS, CONSTRAINT),
    "drake ball": urdf(FOUR_BAR_LINKS, FOUR_BAR_JOINTS, BALL),
    "loop_joint": urdf(FOUR_BAR_LINKS, FOUR_BAR_JOINTS, LOOP_JOINT),
    "cyclic joint": urdf(FOUR_BAR_LINKS, FOUR_BAR_JOINTS, CYCLIC),
}


def four_bar_by_hand() -> tm.SpatialModel:
    """The same four-bar in words of the model, drawn as the files are: open at C."""
    m = tm.SpatialModel("four-bar")
    turn = {"crank": -1.0, "coupler": -0.2, "rocker": -1.2}
    place = {
        "crank": np.zeros(3),
        "coupler": 0.3 * np.array([np.cos(1.0), 0.0, np.sin(1.0)]),
        "rocker": np.array([0.45, 0.0, 0.0]),
    }
    about = {"crank": (0.6, 0.15), "coupler": (1.0, 0.25), "rocker": (0.8, 0.2)}
    xx, yy, zz, xy, xz, yz = (INERTIA[key] for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    for name, (mass, x) in about.items():
        m.body(
            name, position=place[name], rotation=tm.rotations.from_axis_angle((0.0, 1.0, 0.0), turn[name]), mass=mass,
            inertia=[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], centroid=(x, 0.0, 0.0),
        )  # fmt: skip
    crank, coupler, rocker = (m.bodies[name] for name in about)
    m.revolute("A", m.ground, crank, at=(0, 0, 0), axis="y")
    m.revolute("B", crank, coupler, at=place["coupler"], axis="y")
    m.revolute("D", m.ground, rocker, at=(0.45, 0, 0), axis="y")
    m.revolute("C", coupler.marker((0.5, 0, 0), axis="y"), rocker.marker((0.4, 0, 0), axis="y"))
    return m


def written(folder: Path, text: str, name: str = "robot.urdf") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def loaded(folder: Path, text: str, name: str = "robot.urdf", **options: object) -> tm.SpatialModel:
    """The model of a file; warnings about what was left out are looked at elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.ModelWarning)
        return tm.load_robot(written(folder, text, name), **options)


def saved(robot: object, path: Path) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tm.ModelWarning)
        tm.save_robot(robot, path)
    return path


def state(model: tm.SpatialModel, rates: Mapping[str, float] | None = None) -> dict[str, tuple[np.ndarray, ...]]:
    """Per body: position, rotation matrix, and at the start of a run linear and angular acceleration, all global."""
    run = model.simulate(1e-9, samples=2, initial=dict(rates or {}), progress=False)
    out = {}
    for k, name in enumerate(list(model.bodies)[1:]):
        q, a = run.q[0][7 * k : 7 * k + 7], run.a[0][6 * k : 6 * k + 6]
        turn = np.asarray(tm.rotations.matrix(q[3:]))
        out[name] = (q[:3], turn, a[:3], turn @ a[3:])
    return out


def furthest(one: dict[str, tuple[np.ndarray, ...]], two: dict[str, tuple[np.ndarray, ...]]) -> float:
    """Largest difference between the states of bodies that both have."""
    common = [name for name in one if name in two]
    assert common
    return max(float(np.abs(a - b).max()) for name in common for a, b in zip(one[name], two[name], strict=True))


# --- MJCF ---


def mjcf(world: str, before: str = "", after: str = "") -> str:
    return f'<mujoco model="test">\n{before}\n<worldbody>\n{world}\n</worldbody>\n{after}\n</mujoco>\n'


def _bar(name: str, mass: float, x: float, rest: str, place: str) -> str:
    full = " ".join(repr(INERTIA[key]) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    return f'<body name="{name}" {place}><inertial pos="{x} 0 0" mass="{mass}" fullinertia="{full}"/>{rest}</body>\n'


MJCF_FOUR_BAR = mjcf(
    _bar(
        "crank", 0.6, 0.15,
        '<joint name="A" axis="0 1 0"/>'
        + _bar("coupler", 1.0, 0.25, '<joint name="B" axis="0 1 0"/><site name="c" pos="0.5 0 0"/>', 'pos="0.3 0 0" euler="0 0.8 0"'),
        'euler="0 -1 0"',
    )
    + _bar("rocker", 0.8, 0.2, '<joint name="D" axis="0 1 0"/><site name="r" pos="0.4 0 0"/>', 'pos="0.45 0 0" euler="0 -1.2 0"'),
    '<compiler angle="radian"/>',
    '<equality><connect name="C" site1="c" site2="r"/></equality>',
)  # fmt: skip


def _stewart() -> str:
    """Platform on six legs of two halves that slide in each other, universal joints below, balls above."""
    world, after = '<body name="plate" pos="0 0 1"><freejoint/><geom type="cylinder" size="0.4 0.02"/>', ""
    legs = ""
    for k in range(6):
        low = np.radians(60 * k + (12 if k % 2 else -12))
        high = np.radians(60 * k + (-12 if k % 2 else 12))
        foot = np.array([0.8 * np.cos(low), 0.8 * np.sin(low), 0.0])
        head = np.array([0.4 * np.cos(high), 0.4 * np.sin(high), 1.0])
        way = (head - foot) / np.linalg.norm(head - foot)
        world += f'<site name="p{k}" pos="{head[0]:.17g} {head[1]:.17g} 0"/>'
        length = float(np.linalg.norm(head - foot))
        legs += (
            f'<body name="lower{k}" pos="{foot[0]:.17g} {foot[1]:.17g} 0" zaxis="{way[0]:.17g} {way[1]:.17g} {way[2]:.17g}">'
            f'<joint name="u{k}" axis="1 0 0"/><joint name="w{k}" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0 0 0.5"/>'
            f'<body name="upper{k}"><joint name="l{k}" type="slide" axis="0 0 1"/>'
            f'<geom type="capsule" size="0.015" fromto="0 0 0.4 0 0 {length:.17g}"/>'
            f'<site name="q{k}" pos="0 0 {length:.17g}"/></body></body>\n'
        )
        after += f'<connect site1="p{k}" site2="q{k}"/>'
    return mjcf(world + "</body>\n" + legs, after=f"<equality>{after}</equality>")


def _delta() -> str:
    """Three arms on hinges, two rods with balls each, a platform that only translates."""
    world, after = '<body name="plate" pos="0 0 -0.7"><freejoint/><geom type="cylinder" size="0.1 0.01"/>', ""
    arms = ""
    for k in range(3):
        c, s = float(np.cos(2 * np.pi * k / 3)), float(np.sin(2 * np.pi * k / 3))
        for side, y in (("a", 0.05), ("b", -0.05)):
            world += f'<site name="p{k}{side}" pos="{0.1 * c - y * s:.17g} {0.1 * s + y * c:.17g} 0"/>'
            after += f'<tendon name="rod{k}{side}" tendon1="t{k}{side}"/>'
        arms += (
            f'<body name="arm{k}" pos="{0.2 * c:.17g} {0.2 * s:.17g} 0" euler="0 0 {120 * k}"><joint name="j{k}" axis="0 1 0"/>'
            f'<geom type="capsule" size="0.01" fromto="0 0 0 0.3 0 -0.1"/><site name="e{k}a" pos="0.3 0.05 -0.1"/>'
            f'<site name="e{k}b" pos="0.3 -0.05 -0.1"/></body>\n'
        )
    ropes = "".join(
        f'<spatial name="t{k}{side}"><site site="e{k}{side}"/><site site="p{k}{side}"/></spatial>'
        for k in range(3)
        for side in "ab"
    )
    return mjcf(world + "</body>\n" + arms, after=f"<tendon>{ropes}</tendon><equality>{after}</equality>")


STEWART, DELTA = _stewart(), _delta()

# a leg as Cassie has it: hip, knee, shin, tarsus, and a rod from hip to heel that closes the loop; a foot is coupled to the knee
LEG = mjcf(
    '<body name="thigh" pos="0 0 1"><joint name="hip" axis="0 1 0"/><geom type="capsule" size="0.04" fromto="0 0 0 0.1 0 -0.4"/>'
    '<site name="hook" pos="0 0 -0.05"/>'
    '<body name="shin" pos="0.1 0 -0.4"><joint name="knee" axis="0 1 0" damping="0.1"/>'
    '<geom type="capsule" size="0.03" fromto="0 0 0 -0.15 0 -0.4"/>'
    '<body name="tarsus" pos="-0.15 0 -0.4"><joint name="ankle" axis="0 1 0" stiffness="20" springref="5"/>'
    '<geom type="capsule" size="0.02" fromto="-0.08 0 0.02 0.2 0 -0.1"/><site name="heel" pos="-0.08 0 0.02"/>'
    '<body name="foot" pos="0.2 0 -0.1"><joint name="toe" axis="0 1 0"/><geom type="box" size="0.06 0.02 0.01"/></body>'
    "</body></body></body>",
    after='<tendon><spatial name="rod"><site site="hook"/><site site="heel"/></spatial></tendon>'
    '<equality><tendon tendon1="rod" name="achilles"/><joint joint1="toe" joint2="knee" polycoef="0 -0.5 0 0 0"/></equality>',
)
