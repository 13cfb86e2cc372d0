"""Named states of MJCF files through load and save, by the places of bodies and against MuJoCo."""

from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from robot_files import written

ROBOT = """<mujoco model="states"><compiler angle="radian"/>
<worldbody>
  <body name="base" pos="0 0 1"><freejoint name="fly"/><geom type="box" size=".1 .2 .05"/>
    <body name="arm" pos=".1 0 0" euler=".2 .1 0"><joint name="h" axis="0 2 0" ref=".1"/><joint name="g" type="slide" axis="1 0 0"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .3 0 0"/>
      <body name="hand" pos=".3 0 0" euler="0 0 .4"><joint name="b" type="ball"/><geom type="box" size=".1 .02 .04"/></body></body></body>
  <body name="post" pos="1 0 0"><joint name="k" axis="0 0 1"/><geom type="box" size=".1 .02 .04"/></body>
</worldbody>
<actuator><motor name="m" joint="k"/><general name="lag" joint="h" dyntype="filterexact" dynprm=".2" gainprm="3"/></actuator>
<keyframe>
  <key name="home" qpos=".1 .2 .9 .8 .6 0 0 .3 -.2 .5 .5 -.5 .5 .7" ctrl=".4 -.1" act=".25"/>
  <key name="fast" qvel=".1 .2 .3 .4 .5 .6 1 2 3 4 5 6"/>
</keyframe></mujoco>"""


def places(model):
    """Position and rotation of every body of the file; the link between two joints of a body has its origin anywhere."""
    return {name: np.append(model[name].position, model[name].matrix) for name in ("base", "arm", "hand", "post")}


def same(first, second):
    assert first.keys() == second.keys()
    for name, place in first.items():
        assert np.allclose(second[name], place, rtol=0, atol=1e-12), name


@pytest.mark.filterwarnings("ignore::pytrammel.errors.ModelWarning")
@pytest.mark.parametrize("drawn", [None, "home"])
def test_named_states_come_back(tmp_path: Path, drawn: str | None) -> None:
    path = written(tmp_path, ROBOT, "robot.xml")
    model = tm.load_robot(path, pose=drawn)
    tm.save_robot(model, tmp_path / "again.xml")
    robot, again = tm.read_robot(path), tm.read_robot(tmp_path / "again.xml")
    assert list(again.keys) == ["home", "fast"]
    for state in robot.keys:
        same(places(tm.load_robot(path, pose=state)), places(tm.load_robot(tmp_path / "again.xml", pose=state)))
    assert again.keys["home"].controls == {"m": 0.4, "lag": -0.1}
    assert again.keys["home"].states == {"lag": 0.25}
    assert {name: rates for name, rates in again.keys["fast"].rates.items() if any(rates)} == dict(
        robot.keys["fast"].rates
    )


@pytest.mark.filterwarnings("ignore::pytrammel.errors.ModelWarning")
@pytest.mark.parametrize("ending", ["urdf", "sdf"])
def test_states_are_reported_where_the_format_has_none(tmp_path: Path, ending: str) -> None:
    text = ROBOT.replace('<freejoint name="fly"/>', "").replace(' qpos=".1 .2 .9 .8 .6 0 0 .3', ' qpos=".3')
    robot = tm.read_robot(written(tmp_path, text.replace('qvel=".1 .2 .3 .4 .5 .6 1', 'qvel="1'), "robot.xml"))
    account = tm.save_robot(robot, tmp_path / f"robot.{ending}")
    assert {note.what for note in account} >= {"state 'home'", "state 'fast'"}


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore::pytrammel.errors.ModelWarning")
@pytest.mark.parametrize("drawn", [None, "home"])
def test_mujoco_reads_the_states_that_were_written(tmp_path: Path, drawn: str | None) -> None:
    mj = pytest.importorskip("mujoco", reason="the package mujoco is not installed (extra 'peers')")
    path = written(tmp_path, ROBOT, "robot.xml")
    tm.save_robot(tm.load_robot(path, pose=drawn), tmp_path / "again.xml")
    found = []
    for file in (path, tmp_path / "again.xml"):
        model = mj.MjModel.from_xml_path(str(file))
        data = mj.MjData(model)
        for key in range(2):
            mj.mj_resetDataKeyframe(model, data, key)
            mj.mj_forward(model, data)
            names = [model.body(k).name for k in range(1, model.nbody)]
            speeds = {}
            for name in names:
                speed = np.zeros(6)
                mj.mj_objectVelocity(model, data, mj.mjtObj.mjOBJ_XBODY, model.body(name).id, speed, 0)
                speeds[name] = np.concatenate([data.body(name).xpos, data.body(name).xmat, speed])
            found.append((speeds, dict(zip([model.actuator(k).name for k in range(model.nu)], data.ctrl.tolist(), strict=True)),
                          data.act.tolist()))  # fmt: skip
    for (one, controls, act), (other, controls_2, act_2) in zip(found[:2], found[2:], strict=True):
        for name, state in one.items():
            # the quaternions of files are those of the library to rounding; speeds up to 10
            assert np.allclose(other[name], state, rtol=0, atol=1e-10), name
        assert controls == controls_2
        assert act == act_2
