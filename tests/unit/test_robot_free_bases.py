"""Free bases of imported robots start at rest unless initial= names them, whatever else moves at the start."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm

URDF = """<robot name="r">
<link name="base"><inertial><origin xyz="0 0 0"/><mass value="3"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""
SDF = """<sdf version="1.9"><model name="r">
<link name="base"><inertial><mass>3</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link>
<link name="arm"><inertial><pose>0.2 0 0 0 0 0</pose><mass>1</mass>
  <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial></link>
<joint name="turn" type="revolute"><parent>base</parent><child>arm</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""
MJCF = """<mujoco><worldbody><body name="base"><freejoint/><inertial pos="0 0 0" mass="3" diaginertia="0.1 0.1 0.1"/>
<body name="arm"><joint name="turn" axis="0 0 1"/><inertial pos="0.2 0 0" mass="1" diaginertia="0.01 0.01 0.01"/></body>
</body></worldbody></mujoco>"""
FILES = {"urdf": (URDF, {"floating_base": True}), "sdf": (SDF, {}), "xml": (MJCF, {})}


def robot(tmp_path, kind):
    text, options = FILES[kind]
    (tmp_path / f"r.{kind}").write_text(text, encoding="utf-8")
    return tm.load_robot(tmp_path / f"r.{kind}", **options)


def start(m, initial):
    r = m.simulate(0.01, samples=2, initial=initial, progress=False)
    return {name: np.array([r[f"base.{name}"][0] for name in names]) for name, names in RATES.items()}, r


RATES = {"v": ("vx", "vy", "vz"), "w": ("wx", "wy", "wz")}


@pytest.mark.parametrize("kind", FILES)
def test_a_free_base_starts_at_rest_while_a_joint_turns(tmp_path, kind):
    m = robot(tmp_path, kind)
    rates, r = start(m, {"turn.angle.rate": 2.0})
    for found in rates.values():
        np.testing.assert_allclose(found, 0.0, atol=1e-12)  # rounding of a rate of 2 rad/s
    assert r["turn.angle.rate"][0] == pytest.approx(2.0, rel=1e-12)


@pytest.mark.parametrize("kind", FILES)
def test_a_free_base_starts_as_initial_says(tmp_path, kind):
    rates, _ = start(robot(tmp_path, kind), {"base.vx": 0.3, "base.wz": -0.5})
    np.testing.assert_allclose(rates["v"], [0.3, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(rates["w"], [0.0, 0.0, -0.5], atol=1e-12)
