"""Values of MJCF attributes: required ones, words, negative numbers, and lists that classes share.

MuJoCo rejects each wrong file here. In lists that are shorter than those of the class, the class gives the remaining numbers.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from robot_files import written

LUMP = "<inertial pos='0 0 0' mass='2' diaginertia='1 1.5 2'/>"
POINTS = "0 0 0  1 0 0  0 1 0  0 0 1"


def robot(folder: Path, joint: str = "", body: str = LUMP, before: str = "", after: str = "") -> tm.Robot:
    """A robot with two hinges i and j; the arguments are put into its file."""
    text = (
        f"<mujoco>{before}<worldbody><site name='r' pos='1 0 0'/><body name='b'><joint name='j' {joint}/>{body}<site name='s'/></body>"
        f"<body name='c' pos='0 0 1'><joint name='i'/>{LUMP}</body></worldbody>{after}</mujoco>"
    )
    return tm.read_robot(written(folder, text, "robot.xml"))


MISSING = [
    ("body", "<inertial pos='0 0 0' diaginertia='1 1 1'/>", "inertial", "mass"),
    ("body", "<inertial mass='2' diaginertia='1 1 1'/>", "inertial", "pos"),
    ("after", "<tendon><fixed name='t'><joint joint='j'/></fixed></tendon>", "joint", "coef"),
    ("after", "<tendon><fixed name='t'><joint coef='2'/></fixed></tendon>", "joint", "joint"),
    ("after", "<tendon><spatial name='t'><site site='s'/><pulley/></spatial></tendon>", "pulley", "divisor"),
    ("after", "<equality><connect body1='b' body2='c'/></equality>", "connect", "anchor"),
    ("after", "<equality><connect anchor='0 0 0' body2='c'/></equality>", "connect", "body1"),
    ("after", "<equality><connect site1='s'/></equality>", "connect", "site2"),
    ("after", "<equality><weld body2='c'/></equality>", "weld", "body1"),
    ("after", "<equality><joint joint2='j'/></equality>", "joint", "joint1"),
]


@pytest.mark.parametrize("place, text, tag, key", MISSING, ids=[f"{row[2]}-{row[3]}" for row in MISSING])
def test_missing_required_attributes_are_reported(tmp_path: Path, place: str, text: str, tag: str, key: str) -> None:
    with pytest.raises(tm.FileFormatError, match=f"line 1, <{tag}>.*'{key}'"):
        robot(tmp_path, **{place: text})


WORDS = [
    ("joint", "limited='yes' range='-1 1'", "limited"),
    ("joint", "actuatorfrclimited='on' actuatorfrcrange='-1 1'", "actuatorfrclimited"),
    ("before", "<compiler angle='degrees'/>", "angle"),
    ("before", "<compiler inertiafromgeom='True'/>", "inertiafromgeom"),
    *(("before", f"<option><flag {key}='off'/></option>", key)
      for key in ("gravity", "equality", "constraint", "spring", "damper", "frictionloss", "actuation", "clampctrl")),
    ("before", f"<asset><mesh name='m' vertex='{POINTS}' inertia='Exact'/></asset>", "inertia"),
    *(("after", f"<actuator><{tag} joint='j' {key}limited='TRUE' {key}range='-1 1'/></actuator>", f"{key}limited")
      for tag, key in (("motor", "ctrl"), ("position", "force"), ("intvelocity", "act"))),
    ("after", "<tendon><fixed limited='TRUE' range='-1 1'><joint joint='j' coef='2'/></fixed></tendon>", "limited"),
]  # fmt: skip


@pytest.mark.parametrize("place, text, key", WORDS, ids=[f"{place}-{key}" for place, _, key in WORDS])
def test_unknown_words_are_reported_with_the_allowed_ones(tmp_path: Path, place: str, text: str, key: str) -> None:
    with pytest.raises(tm.FileFormatError, match=rf"{key}=.*not supported\. Use one of: \w+, \w+"):
        robot(tmp_path, **{place: text})


NUMBERS = [
    ("joint", "armature='1 2'", "armature"),
    ("joint", "frictionloss='1 2'", "frictionloss"),
    ("joint", "damping='1 2 3 4'", "damping"),
    ("body", "<geom type='box' size='1 2 3 4'/>", "size"),
    ("after", "<equality><joint joint1='i' polycoef='1 2 3 4 5 6'/></equality>", "polycoef"),
    ("after", "<tendon><fixed springlength='1 2 3' stiffness='1'><joint joint='j' coef='2'/></fixed></tendon>", "springlength"),
    ("after", "<actuator><motor joint='j' gear='1 2 3 4 5 6 7'/></actuator>", "gear"),
    ("after", "<actuator><motor joint='j' armature='-0.1'/></actuator>", "armature"),
    ("after", "<actuator><motor joint='j' damping='-0.1'/></actuator>", "damping"),
    ("after", "<actuator><position joint='j' kv='-1'/></actuator>", "kv"),
    ("after", "<actuator><position joint='j' dampratio='-1'/></actuator>", "dampratio"),
    ("after", "<actuator><position joint='j' timeconst='-1'/></actuator>", "timeconst"),
    ("after", "<actuator><cylinder joint='j' timeconst='0'/></actuator>", "time constant"),
    ("after", "<actuator><general joint='j' dyntype='filter' dynprm='-1'/></actuator>", "time constant"),
    ("after", "<tendon><fixed armature='-1'><joint joint='j' coef='2'/></fixed></tendon>", "armature"),
    ("after", "<tendon><spatial><site site='s'/><pulley divisor='0'/></spatial></tendon>", "divisor"),
]  # fmt: skip


@pytest.mark.parametrize("place, text, key", NUMBERS, ids=[f"{key}-{text[-30:]}" for _, text, key in NUMBERS])
def test_impossible_numbers_are_reported(tmp_path: Path, place: str, text: str, key: str) -> None:
    with pytest.raises(tm.FileFormatError, match=rf"{key}.*(at most \d|negative|greater than 0)"):
        robot(tmp_path, **{place: text})


def test_classes_give_the_remaining_numbers_of_shorter_lists(tmp_path: Path) -> None:
    classes = (
        "<default><joint damping='2 3 4' stiffness='5 6 7'/><geom type='box' size='.1 .2 .3'/><motor gear='1 2 3 4 5 6'/>"
        "<tendon stiffness='3' springlength='.1 .2'/></default>"
    )
    r = robot(
        tmp_path, "damping='1'", "<geom size='.5'/>", classes,
        "<tendon><fixed name='t' springlength='.3'><joint joint='i' coef='1'/></fixed></tendon>"
        "<equality><joint name='e' joint1='i' joint2='j' polycoef='.3'/></equality>"
        "<actuator><motor name='m' site='s' gear='7'/></actuator>",
    )  # fmt: skip
    axis = r.joints["j"].axes[0]
    assert (axis.damping, *axis.more_damping) == (1.0, 3.0, 4.0)
    assert (axis.stiffness, *axis.more_stiffness) == (5.0, 6.0, 7.0)
    assert r.links["b"].mass == pytest.approx(8000.0 * 0.5 * 0.2 * 0.3)
    assert r.actuators["m"].wrench == (7.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert r.relations["e"].coefficients[:2] == (0.3, 1.0)  # polycoef= is 0 1 0 0 0 where the file omits it
    assert (r.tendons["t"].low, r.tendons["t"].high) == (0.3, 0.3)  # one length is both ends, in MuJoCo too


def test_damping_of_actuators_has_powers_of_the_rate_of_the_joint(tmp_path: Path) -> None:
    """MuJoCo 4.0.0 multiplies all three coefficients by the square of the gear."""
    r = robot(
        tmp_path, "damping='1 2'", after="<actuator><motor joint='j' gear='-3' damping='0.1 0.2 0.3'/></actuator>"
    )
    axis = r.joints["j"].axes[0]
    np.testing.assert_allclose((axis.damping, *axis.more_damping), (1.0 + 0.9, 2.0 + 1.8, 2.7))


@pytest.mark.parametrize("sizes", [".1", ".1 .2", ".1 .2 .3"])
@pytest.mark.parametrize(
    "kind, volume",
    [("box", 0.04), ("ellipsoid", math.pi * 0.02 / 3), ("cylinder", math.pi * 0.01),
     ("capsule", math.pi * (0.01 + 0.004 / 3))],
)  # fmt: skip
def test_shapes_between_two_points_take_their_first_size(tmp_path: Path, kind: str, volume: float, sizes: str) -> None:
    r = robot(tmp_path, body=f"<geom type='{kind}' size='{sizes}' fromto='0 0 0  0 0 1'/>")
    assert r.links["b"].mass == pytest.approx(1000.0 * volume, rel=1e-12)


def test_geoms_with_a_mesh_but_no_type_are_spheres_around_it(tmp_path: Path) -> None:
    """MuJoCo fits the default type: here, the mean half side of the box with the inertia of the tetrahedron."""
    asset = f"<asset><mesh name='m' vertex='{POINTS}'/></asset>"
    fitted = robot(tmp_path, body="<geom mesh='m'/>", before=asset).links["b"].mass
    named = robot(tmp_path, body="<geom mesh='m' type='sphere'/>", before=asset).links["b"].mass
    meshed = robot(tmp_path, body="<geom mesh='m' type='mesh'/>", before=asset).links["b"].mass
    assert fitted == named != meshed == pytest.approx(1000.0 / 6)
    sides = np.sqrt(3.0 * np.array([1 / 20, 1 / 20, 1 / 80]))  # half sides of that box [m]
    assert fitted == pytest.approx(4000.0 / 3.0 * math.pi * sides.mean() ** 3, rel=1e-6)


@pytest.mark.parametrize("off, stiffness, damping", [("", 128.0, 8.0), ("spring", 0.0, 8.0), ("damper", 128.0, 0.0)])
def test_flags_switch_off_springs_and_dampers_from_times(
    tmp_path: Path, off: str, stiffness: float, damping: float
) -> None:
    """Inertia 2 kg m² about z, time constant 0.5 s and damping ratio 0.25: k = J / (T d)², c = 2 J / T."""
    before = f"<option><flag {off}='disable'/></option>" if off else ""
    axis = robot(tmp_path, "springdamper='0.5 0.25'", before=before).joints["j"].axes[0]
    assert (axis.stiffness, axis.damping) == pytest.approx((stiffness, damping))


@pytest.mark.parametrize("after, count", [("", 1), ("<actuator><motor joint='i'/></actuator>", 0)])
def test_weights_compensated_by_actuators_are_reported_without_actuators(
    tmp_path: Path, after: str, count: int
) -> None:
    r = robot(tmp_path, "actuatorgravcomp='true'", after=after)
    assert sum("actuatorgravcomp" in str(note) for note in r.conversion_report) == count


BALANCED = [
    ("1 1 1.9", "1 1 1.9"),
    ("1 1.5 2.5", "1 1.5 2.5"),  # a plate: the largest moment is the sum of the others
    ("1 1.5 2.6", "1.7 1.7 1.7"),
    ("3 0.5 1", "1.5 1.5 1.5"),
]


@pytest.mark.parametrize("given, found", BALANCED)
def test_moments_that_no_body_has_are_replaced_by_their_mean_if_asked_for(
    tmp_path: Path, given: str, found: str
) -> None:
    body = f"<inertial pos='0 0 0' mass='2' diaginertia='{given}'/>"
    r = robot(tmp_path, body=body, before="<compiler balanceinertia='true'/>")
    np.testing.assert_allclose(r.links["b"].inertia, np.diag([float(x) for x in found.split()]), atol=1e-15)


def test_masses_and_moments_have_least_values(tmp_path: Path) -> None:
    r = robot(tmp_path, before="<compiler boundmass='3' boundinertia='1.2'/>")
    assert r.links["b"].mass == r.links["c"].mass == 3.0
    np.testing.assert_allclose(r.links["b"].inertia, np.diag([1.2, 1.5, 2.0]), atol=1e-15)
    r = robot(tmp_path, before="<compiler boundmass='1.5' boundinertia='0.5'/>")
    assert r.links["b"].mass == 2.0
    np.testing.assert_allclose(r.links["b"].inertia, np.diag([1.0, 1.5, 2.0]), atol=1e-15)


def test_all_masses_are_scaled_to_a_given_total(tmp_path: Path) -> None:
    r = robot(tmp_path, before="<compiler settotalmass='6'/>")
    assert (r.links["b"].mass, r.mass) == pytest.approx((3.0, 6.0))
    np.testing.assert_allclose(r.links["c"].inertia, np.diag([1.5, 2.25, 3.0]), atol=1e-15)
    assert robot(tmp_path, before="<compiler settotalmass='0'/>").mass == pytest.approx(4.0)


NOT_READ = [
    ("<plugin {}joint='j'/>", "<plugin>{} ignored: plugins are not run"),
    ("<general {}joint='j' gaintype='muscle'/>", "<general>{} ignored: its gain has the type 'muscle'"),
    ("<general {}joint='j' biastype='user'/>", "<general>{} ignored: its bias has the type 'user'"),
    ("<general {}joint='j' dyntype='muscle'/>", "<general>{} ignored: its dynamics have the type 'muscle'"),
    ("<motor {}body='b'/>", "<motor>{} ignored: transmission by body"),
    ("<motor {}slidersite='s' cranksite='r'/>", "<motor>{} ignored: transmission by cranksite"),
    ("<motor {}/>", "<motor>{} ignored: transmission by nothing"),
    ("<position {}site='s' kp='3'/>", "<position>{} ignored: a law of length or rate at a site"),
    ("<motor {}site='s' refsite='s'/>", "<motor>{} ignored: its reference site 's' is not on the ground"),
    ("<motor {}joint='j' group='3'/>", "<motor>{} ignored: the options of the file disable it"),
]


@pytest.mark.parametrize("name", ["", "m"])
@pytest.mark.parametrize("text, note", NOT_READ)
def test_actuators_that_are_not_read_are_named(tmp_path: Path, name: str, text: str, note: str) -> None:
    actuator = text.format(f"name='{name}' " if name else "")
    r = robot(tmp_path, before="<option actuatorgroupdisable='3'/>", after=f"<actuator>{actuator}</actuator>")
    assert not r.actuators
    (found,) = map(str, r.conversion_report)
    assert note.format(f" '{name}'" if name else "") in found


PARTS_NOT_READ = [
    (
        "<position name='m' joint='j' inheritrange='1'/>",
        "inheritrange= of <position> 'm' approximated: 'j' has no range",
    ),
    ("<motor name='m' site='s' armature='1'/>", "armature= of <motor> 'm' ignored: only along a joint"),
]


@pytest.mark.parametrize("text, note", PARTS_NOT_READ)
def test_actuators_with_attributes_that_are_not_read_act(tmp_path: Path, text: str, note: str) -> None:
    r = robot(tmp_path, after=f"<actuator>{text}</actuator>")
    assert list(r.actuators) == ["m"]
    (found,) = map(str, r.conversion_report)
    assert note in found


MISSING_NAMES = [
    ("<tendon><spatial><site site='s'/><site site='q'/></spatial></tendon>", "<site>: it names the site 'q'"),
    (
        "<tendon><fixed><joint joint='q' coef='1'/></fixed></tendon>",
        "<fixed>: it names 'q', which is no hinge or slide",
    ),
    ("<actuator><motor joint='q'/></actuator>", "<motor>: it names the joint 'q'"),
    ("<actuator><motor tendon='q'/></actuator>", "<motor>: it names the tendon 'q'"),
    ("<actuator><motor site='q'/></actuator>", "<motor>: it names the site 'q'"),
    ("<actuator><motor site='s' refsite='q'/></actuator>", "<motor>: it names the site 'q'"),
    ("<equality><joint joint1='q'/></equality>", "<joint>: it names 'q', which is no hinge or slide"),
    ("<equality><joint joint1='j' joint2='q'/></equality>", "<joint>: it names 'q', which is no hinge or slide"),
    ("<equality><tendon tendon1='q'/></equality>", "<tendon>: tendon1='q' is no tendon"),
    ("<equality><connect body1='q' anchor='0 0 0'/></equality>", "<connect>: body1='q' does not exist"),
    ("<equality><connect site1='s' site2='q'/></equality>", "<connect>: site2='q' does not exist"),
    ("<equality><weld body1='b' body2='q'/></equality>", "<weld>: body2='q' does not exist"),
]


@pytest.mark.parametrize("text, message", MISSING_NAMES)
def test_references_to_missing_parts_are_reported(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(tm.FileFormatError) as caught:
        robot(tmp_path, after=text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "given, low, high",
    [
        ("-1 -1", 1.0, 1.0),
        ("-1", 1.0, 1.0),
        (None, 1.0, 1.0),
        ("-1 1", -1.0, 1.0),
        ("0.3", 0.3, 0.3),
        ("0.2 0.7", 0.2, 0.7),
    ],
)
def test_lengths_between_which_a_tendon_is_slack(tmp_path: Path, given: str | None, low: float, high: float) -> None:
    """Two numbers of -1 stand for the length in the initial pose, here 1 m."""
    rest = "" if given is None else f"springlength='{given}'"
    tendon = f"<spatial name='t' stiffness='3 1' {rest}><site site='s'/><site site='r'/></spatial>"
    found = robot(tmp_path, after=f"<tendon>{tendon}</tendon>").tendons["t"]
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-15)


@pytest.mark.parametrize("rest, length", [("", 1.0), ("springlength='0.3'", 0.3), ("springlength='-1 -1'", 1.0)])
def test_one_strand_with_one_slack_length_is_a_spring(tmp_path: Path, rest: str, length: float) -> None:
    tendon = f"<spatial name='t' stiffness='3' damping='2' {rest}><site site='s'/><site site='r'/></spatial>"
    spring = robot(tmp_path, after=f"<tendon>{tendon}</tendon>").springs["t"]
    assert (spring.stiffness, spring.damping, spring.rest) == pytest.approx((3.0, 2.0, length))
