"""Actuators, joints, flags and named states of MJCF compared with MuJoCo, in random states with random controls."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytrammel as tm
from robot_compare import compare_mujoco, model_of, smooth
from robot_files import loaded, mjcf, saved, written

CLOSE = 1e-9  # relative to 1 plus the largest acceleration, the required limit; observed: 1e-14
RADIANS = '<compiler angle="radian"/>'


def arm(joint: str = "", first: str = "", inside: str = "", **sections: str) -> str:
    """Two bars on hinges and a slide, with sites; sections come after the world."""
    world = (
        '<site name="peg" pos="0.3 0.1 0.9" euler="0.3 0.2 0.1"/>'
        '<body name="upper" pos="0 0 0.5"><joint name="a" axis="0 1 0" ref="0.1" FIRST/><inertial pos="0.2 0.01 0" mass="1.5" '
        'diaginertia="0.01 0.03 0.03"/><site name="u" pos="0.15 0.02 0.03" euler="0.5 0.1 0"/>'
        '<body name="fore" pos="0.4 0 0"><joint name="b" axis="0 0.6 0.8" SECOND/><inertial pos="0.15 0 0.02" mass="0.8" '
        'diaginertia="0.004 0.02 0.02"/><site name="f" pos="0.2 0 0.05" euler="0 0.4 0.2"/>'
        '<body name="tip" pos="0.3 0 0"><joint name="c" type="slide" axis="1 0 0"/>'
        '<inertial pos="0 0 0.03" mass="0.3" diaginertia="0.001 0.001 0.002"/><site name="t" pos="0.02 0.01 0" euler="0.1 0.2 0.7"/>'
        "</body></body></body>"
    )
    world = world.replace("FIRST", first).replace("SECOND", joint)
    return mjcf(world + inside, RADIANS, "".join(f"<{key}>{value}</{key}>" for key, value in sections.items()))


SUM = (
    '<fixed name="s" {}><joint joint="a" coef="0.7"/><joint joint="b" coef="-1.2"/><joint joint="c" coef="2"/></fixed>'
)
PATH = (
    '<spatial name="p" {}><site site="peg"/><site site="u"/><site site="f"/><pulley divisor="2"/><site site="u"/><site site="t"/>'
    "</spatial>"
)
STRAND = '<spatial name="w" {}><site site="peg"/><site site="t"/></spatial>'
BALL = (
    '<body name="bob" pos="1 0 0"><joint name="ball" type="ball" pos="0 0 0.1" stiffness="3" damping="0.2"/><inertial pos="0 0.05 -0.1" '
    'mass="0.7" diaginertia="0.01 0.02 0.015"/><body name="leaf" pos="0 0 -0.2"><joint name="inner" type="ball"/>'
    '<inertial pos="0.05 0 0" mass="0.2" diaginertia="0.002 0.002 0.003"/></body></body>'
)
FLOAT = (
    '<body name="drone" pos="2 0 1"><joint type="free" name="free" damping="0.3"/><inertial pos="0.01 0.02 0" mass="0.9" '
    'diaginertia="0.01 0.02 0.025"/><site name="rotor" pos="0.2 0.1 0" euler="0.2 0 0"/></body>'
)
TIMED = '<flag {}="disable"/>'


def _lifted(second: str, first: str, actuators: str, option: str = "<option/>") -> str:
    """The arm with links whose weight is compensated in part, the slide too."""
    text = arm(second, first, actuator=actuators, option="").replace("<option></option>", option)
    text = text.replace(
        'name="c" type="slide"', 'name="c" type="slide" actuatorfrcrange="-1 1" actuatorgravcomp="true"'
    )
    return text.replace('name="fore"', 'name="fore" gravcomp="0.7"').replace('name="tip"', 'name="tip" gravcomp="1.2"')


_GIVEN = {
    "motor": arm(actuator='<motor joint="a" gear="3"/><motor joint="c" gear="-2" ctrlrange="-0.2 0.2"/>'),
    "position": arm(actuator='<position joint="a" kp="20" kv="1.5" gear="0.5" forcerange="-3 2"/>'),
    "velocity": arm(actuator='<velocity joint="b" kv="2" gear="3"/>'),
    "damper": arm(actuator='<damper joint="b" kv="3" ctrlrange="0 2" gear="2"/>'),
    "affine": arm(actuator='<general joint="a" gainprm="5 2 -1" gaintype="affine" biastype="affine" biasprm="1 -2 -0.5" gear="1.5"/>'),
    "inheritrange": arm('range="-0.4 0.6"', actuator='<position joint="b" kp="30" inheritrange="0.5" gear="2"/>'),
    "inheritrange of a tendon": arm(
        tendon=SUM.format('range="-0.1 0.2"'), actuator='<position tendon="s" kp="30" inheritrange="0.8"/>'
    ),
    "dampratio": arm(actuator='<position joint="a" kp="30" dampratio="0.7" gear="2"/><position joint="c" kp="9" dampratio="1"/>'),
    "dampratio of a tendon": arm(tendon=SUM.format(""), actuator='<position tendon="s" kp="30" dampratio="0.7" gear="2"/>'),
    "dampratio with other rotors": arm(
        'armature="0.05"', actuator='<position joint="a" kp="30" dampratio="1"/><motor joint="b" gear="2" armature="0.01" damping="0.3"/>'
    ),
    "dampratio on a free base": mjcf(
        FLOAT.replace("</body>", '<body name="fin"><joint name="h" axis="1 0 0"/><inertial pos="0 0.2 0" mass="0.3" '
        'diaginertia="0.01 0.002 0.01"/></body></body>'), RADIANS, '<actuator><position joint="h" kp="4" dampratio="0.5"/></actuator>'
    ),
    "springdamper": arm('springdamper="0.1 0.5" springref="0.2"', 'springdamper="0.3 1.5"'),
    "springdamper of a ball": mjcf(BALL.replace('stiffness="3" damping="0.2"', 'springdamper="0.2 0.6"'), RADIANS),
    "actuatorfrcrange": arm(
        'actuatorfrcrange="-0.5 0.8"', actuator='<motor joint="b" gear="3"/><position joint="b" kp="10"/><motor joint="a"/>'
    ),
    "actuatorfrcrange with a tendon": arm(
        'actuatorfrcrange="-0.5 0.8"', tendon=SUM.format('actuatorfrcrange="-2 1"'),
        actuator='<motor tendon="s" gear="4"/><motor joint="b"/>'
    ),
    "actuatorfrcrange with sites": arm(
        'actuatorfrcrange="-0.2 0.3"', 'actuatorfrcrange="-0.1 0.4"', actuator='<motor site="f" gear="1 -2 3 0 0.2 0.1"/>'
        '<motor joint="b" gear="3"/><motor site="t" gear="0 0 0 0.3 0 0.7"/>'
    ),
    "actuatorfrcrange with sites alone": arm(
        'actuatorfrcrange="-0.2 0.3"', actuator='<position site="t" refsite="peg" gear="1 -0.5 0 0 0 0" kp="30" kv="2"/>'
        '<motor site="u" gear="1 2 3 1 2 3"/>'
    ),
    "actuatorfrcrange with axes of another site": arm(
        'actuatorfrcrange="-0.2 0.3"', 'actuatorfrcrange="-1 1"', actuator='<motor site="t" refsite="peg" gear="1 2 -0.5 0.1 0.2 0.3"/>'
    ),
    "actuatorfrcrange with a spatial tendon": arm(
        'actuatorfrcrange="-0.2 0.3"', 'actuatorfrcrange="-0.1 0.1"', tendon=PATH.format('actuatorfrcrange="-2 1"'),
        actuator='<motor tendon="p" gear="4"/><motor joint="b"/><position tendon="p" kp="30" gear="4"/>'
    ),
    "actuatorfrcrange with strands": arm(
        'actuatorfrcrange="-0.2 0.3"', 'actuatorfrcrange="-0.1 0.1"', tendon=PATH.format("") + STRAND.format(""),
        actuator='<position tendon="w" kp="30" kv="1"/><motor tendon="p" gear="-3" forcerange="-0.5 0.4"/>'
    ),
    "actuatorfrcrange with a site on a limited slide": _lifted(
        'actuatorfrcrange="-0.5 0.8" actuatorgravcomp="true"', 'actuatorfrcrange="-3 4"', '<motor site="t" gear="9 2 3 1 0 0"/>'
    ),
    "compensated weight within limits": _lifted(
        'actuatorfrcrange="-0.5 0.8" actuatorgravcomp="true"', 'actuatorfrcrange="-3 4" actuatorgravcomp="true"',
        '<motor joint="b" gear="3"/><motor joint="a"/><position joint="c" kp="10"/>'
    ),
    "compensated weight of joints without actuators": _lifted(
        'actuatorfrcrange="-0.5 0.8" actuatorgravcomp="true"', 'actuatorgravcomp="true"', '<position joint="c" kp="10"/>'
    ),
    "compensated weight with tilted gravity": _lifted(
        'actuatorfrcrange="-0.2 0.2" actuatorgravcomp="true"', 'actuatorfrcrange="-0.3 1" actuatorgravcomp="true"',
        '<motor joint="b" gear="3"/>', '<option gravity="1 -2 -9"/>'
    ),
    "polynomials": arm('stiffness="2 3 5" damping="0.2 0.3 0.5" springref="0.1"'),
    "fixed tendon": arm(tendon=SUM.format(""), actuator='<motor tendon="s" gear="2"/>'),
    "servo on a fixed tendon": arm(tendon=SUM.format(""), actuator='<position tendon="s" kp="8" kv="0.3" gear="1.5" forcerange="-2 2"/>'),
    "spring along a fixed tendon": arm('springref="0.3" stiffness="1"', tendon=SUM.format('stiffness="5" damping="0.4"')),
    "spring with play": arm(tendon=SUM.format('stiffness="50" damping="0.4" springlength="-0.05 0.1"')),
    "polynomials of a fixed tendon": arm(tendon=SUM.format('stiffness="5 3 -2" damping="0.4 0.3 0.2" springlength="-0.05 0.1"')),
    "polynomials of a spatial tendon": arm(tendon=PATH.format('stiffness="20 -9 30" damping="2 0 1"')),
    "polynomials of a strand": arm(tendon=STRAND.format('stiffness="20 9" damping="2 1 0.5" springlength="2"')),
    "square and cube of a strand": arm(tendon=STRAND.format('stiffness="0 9 4" damping="0 0 0.5" springlength="0.1 0.2"')),
    "polynomials switched off": arm(tendon=SUM.format('stiffness="5 3" damping="0.4 0.3"'), option=TIMED.format("spring")),
    "tendon with inertia": arm(tendon=SUM.format('armature="0.3"'), actuator='<position tendon="s" kp="8" dampratio="1"/>'),
    "spatial tendon": arm(tendon=PATH.format('stiffness="20" damping="2"'), actuator='<motor tendon="p" gear="2"/>'),
    "spatial tendon with slack": arm(tendon=PATH.format('stiffness="20" springlength="0.1 0.9"')),
    "servo on a strand": arm(tendon=STRAND.format('stiffness="3"'), actuator='<position tendon="w" kp="30" kv="1"/>'),
    "jointinparent": arm(actuator='<motor jointinparent="b" gear="2"/>'),
    "motors of a ball": mjcf(
        BALL, RADIANS, '<actuator><motor joint="ball" gear="0.3 -0.2 0.5"/><motor jointinparent="inner" gear="0.1 0.2 -0.05"/>'
        '<motor joint="inner" gear="0.05 0 0.02"/><motor jointinparent="ball" gear="0.1 0 0.3"/></actuator>'
    ),
    "motors of a free body": mjcf(
        FLOAT, RADIANS,
        '<actuator><motor joint="free" gear="1 2 3 0.1 0.2 0.3"/><motor jointinparent="free" gear="0 1 0 0.1 -0.2 0"/></actuator>'
    ),
    "site": mjcf(FLOAT, RADIANS, '<actuator><motor site="rotor" gear="0 0 5 0.1 0 -0.2"/></actuator>'),
    "site of an arm": arm(actuator='<motor site="f" gear="1 -2 3 0 0.2 0.1"/><motor site="t" gear="0 0 0 0.3 0 0"/>'),
    "site against another": arm(actuator='<position site="t" refsite="peg" gear="1 -0.5 0 0 0 0" kp="30" kv="2"/>'),
    "site with axes of another": arm(actuator='<motor site="t" refsite="peg" gear="1 2 -0.5 0.1 0.2 0.3"/>'),
    "no springs": arm('stiffness="5"', tendon=SUM.format('stiffness="7" damping="1"'), option=TIMED.format("spring")),
    "no dampers": arm('damping="5"', tendon=SUM.format('stiffness="7" damping="1"'), option=TIMED.format("damper")),
    "no actuators": arm(actuator='<position joint="a" kp="20"/>', option=TIMED.format("actuation")),
    "no limits of controls": arm(actuator='<motor joint="a" ctrlrange="-0.1 0.1"/>', option=TIMED.format("clampctrl")),
    "no gravity": arm(actuator='<motor joint="a"/>', option=TIMED.format("gravity")),
    "a group of actuators": arm(
        actuator='<motor joint="a" group="2"/><motor joint="b" group="1"/>', option="").replace(
        "<option></option>", '<option actuatorgroupdisable="0 2"/>'),
    "defaults of other kinds": arm(
        default='<general biastype="affine" gainprm="12" biasprm="0 -12 -1"/>',
        actuator='<general joint="a"/><position joint="b"/><motor joint="c"/>'
    ),
}  # fmt: skip


def _named(text: str) -> str:
    """Name every actuator of a file."""
    numbers = itertools.count(1)
    head, tag, tail = text.partition("<actuator>")
    inside, end, rest = tail.partition("</actuator>")
    return head + tag + re.sub(r"<(\w+) ", lambda found: f'<{found[1]} name="m{next(numbers)}" ', inside) + end + rest


FEATURES = {name: _named(text) for name, text in _GIVEN.items()}


def compared(mujoco: Any, path: Path, seed: int = 5) -> float:
    """Largest difference from MuJoCo in two states, everything that both have switched on."""
    robot = tm.read_robot(path)
    theirs, _ = model_of(mujoco, path, robot)
    smooth(mujoco, theirs)
    random = np.random.default_rng(seed)
    return max(compare_mujoco(mujoco, theirs, robot, random) for _ in range(2))


@pytest.mark.peers
@pytest.mark.parametrize("name", FEATURES)
def test_a_feature_of_mjcf_acts_as_in_mujoco(tmp_path: Path, name: str) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed (extra 'peers')")
    path = written(tmp_path, FEATURES[name], "robot.xml")
    if name == "a group of actuators":
        assert compared(mujoco, path) < CLOSE
        return  # the disabled actuator is not written again
    assert compared(mujoco, path) < CLOSE
    # and what is written of it acts in MuJoCo as the original
    robot = tm.read_robot(path)
    again = saved(robot, tmp_path / "again.xml")
    assert compared(mujoco, again) < CLOSE
    assert torques(mujoco, path) == pytest.approx(torques(mujoco, again), rel=1e-9, abs=1e-9)
    model = loaded(tmp_path, FEATURES[name], "robot.xml", merge_fixed=False)
    assert torques(mujoco, saved(model, tmp_path / "model.xml")) == pytest.approx(
        torques(mujoco, path), rel=1e-9, abs=1e-9
    )


def torques(mujoco: Any, path: Path) -> np.ndarray:
    """Generalised efforts of a file in a state that depends on the file's numbers of coordinates and controls only."""
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    random = np.random.default_rng(2)
    data.qpos[:] += random.uniform(-0.2, 0.2, theirs.nq)
    data.qvel[:] = random.uniform(-0.5, 0.5, theirs.nv)
    data.ctrl[:] = random.uniform(-0.5, 0.5, theirs.nu)
    mujoco.mj_forward(theirs, data)
    return np.concatenate([data.qfrc_actuator + data.qfrc_passive, data.qacc])


@pytest.mark.parametrize(("limit", "control"), [(20.0, 1.0), (3.0, 1.0), (3.0, -30.0)])
def test_compensated_weight_counts_within_the_limit_of_a_joint(tmp_path: Path, limit: float, control: float) -> None:
    """A level bar: I phi'' = min(max(u + m g l, -limit), limit) - m g l about the y axis, which points away from the lift."""
    text = mjcf(
        f'<body name="bar" gravcomp="1"><joint name="a" axis="0 -1 0" actuatorfrcrange="-{limit} {limit}" actuatorgravcomp="true"/>'
        '<inertial pos="0.5 0 0" mass="2" diaginertia="0.01 0.1 0.1"/></body>',
        "",
        '<actuator><motor name="m" joint="a"/></actuator>',
    )
    m = tm.read_robot(written(tmp_path, text, "bar.xml")).model(controls={"m": control})
    weight = 2.0 * 9.81 * 0.5
    expected = (min(max(control + weight, -limit), limit) - weight) / (0.1 + 2.0 * 0.5**2)
    run = m.simulate(1e-9, samples=2, progress=False)
    assert run.a[0][4] == pytest.approx(-expected, rel=1e-12)


@pytest.mark.parametrize(("motor", "push"), [(0.1, 0.2), (0.4, 1.0), (-9.0, 1.0), (0.0, -3.0)])
@pytest.mark.parametrize("refsite", ["", 'refsite="g"'])
def test_efforts_at_sites_count_within_the_limit_of_a_joint(
    tmp_path: Path, motor: float, push: float, refsite: str
) -> None:
    """A bar of 0.5 m without gravity: I phi'' = min(max(u + F l, -0.4), 0.4); its bearing carries F in full."""
    text = mjcf(
        '<site name="g"/><body name="bar"><joint name="a" axis="0 0 1" actuatorfrcrange="-0.4 0.4"/><site name="s" pos="0.5 0 0"/>'
        '<inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/></body>',
        '<option gravity="0 0 0"/>',
        f'<actuator><motor name="m" joint="a"/><motor name="p" site="s" {refsite} gear="0 1 0 0 0 0"/></actuator>',
    )
    m = tm.read_robot(written(tmp_path, text, "bar.xml")).model(controls={"m": motor, "p": push})
    run = m.simulate(1e-9, samples=2, progress=False)
    assert run.a[0][5] == pytest.approx(min(max(motor + 0.5 * push, -0.4), 0.4) / 0.1, rel=1e-12)
    assert run.reaction("a").force[0][1] == pytest.approx(-push, rel=1e-9)


@pytest.mark.parametrize("divisor", [1.0, 2.0, 3.0])
def test_a_pulley_begins_a_new_branch_of_a_tendon(tmp_path: Path, divisor: float) -> None:
    """A bob on a vertical slide: m z'' = F dL/dz - m g with L = |A M| + |N B| / divisor; no strand leads from M to B."""
    a, b, n = np.array([0.3, 0.1, 1.0]), np.array([-0.2, 0.0, 1.2]), np.array([0.1, 0.0, 0.0])
    text = mjcf(
        '<site name="A" pos="0.3 0.1 1"/><site name="B" pos="-0.2 0 1.2"/>'
        '<body name="bob"><joint name="z" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="2" diaginertia="0.01 0.01 0.01"/>'
        '<site name="M"/><site name="N" pos="0.1 0 0"/></body>',
        "",
        f'<tendon><spatial name="p"><site site="A"/><site site="M"/><pulley divisor="{divisor}"/><site site="B"/><site site="N"/></spatial>'
        '</tendon><actuator><motor name="m" tendon="p"/></actuator>',
    )
    m = tm.read_robot(written(tmp_path, text, "bob.xml")).model(controls={"m": -30.0})
    slope = -a[2] / np.linalg.norm(a) - (b - n)[2] / np.linalg.norm(b - n) / divisor
    run = m.simulate(1e-9, samples=2, progress=False)
    assert run.a[0][2] == pytest.approx(-30.0 * slope / 2.0 - 9.81, rel=1e-12)
