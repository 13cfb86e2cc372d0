"""Each spatial mechanism does what its closed form says."""

import math

import numpy as np
import pytest

from closed_forms import Checks, same
from pytrammel.examples import bicycle, find, governor, gyroscope

CHECKS = Checks()
TURN = 2 * math.pi


@CHECKS.of("sarrus")
def _(r):
    table = r["table"]
    same(table.position[:, :2], 0.0)
    same(table.matrix, np.eye(3))
    same(table.z, 2 * 0.2 * np.sin(math.radians(60) - r["foot_x"].angle))
    assert r.redundant


@CHECKS.of("governor")
def _(r):
    # an equilibrium that the run's tolerance may leave a little
    same(r["top1"].angle, 0.0, 1e-4)
    same(r["top2"].angle, 0.0, 1e-4)
    same(r["sleeve"].z, -2 * 0.2 * math.cos(math.radians(40)), 1e-4)
    same(r["bearing"].angle_rate, governor.SPEED, 1e-4 * governor.SPEED)
    same(r.energy.total, r.energy.total[0], 1e-6 * r.energy.kinetic[0])


@CHECKS.of("differential")
def _(r):
    left, right = r["left_axle"].angle_rate, r["right_axle"].angle_rate
    same(r["left"].wy + r["right"].wy, 2 * TURN, 1e-10)
    same(left, 0.8 * math.pi * np.cos(math.pi * r.times), 1e-10)
    same(right, -left, 1e-10)
    same(abs(r["pin"].angle_rate), abs(left) * 40 / 25, 1e-10)


@CHECKS.of("double_cardan")
def _(r):
    same(r["output"].wx, TURN, 1e-10)
    b = math.radians(25)
    ratio = math.cos(b) / (1 - (math.sin(b) * np.cos(r["bearing"].angle)) ** 2)
    along = np.einsum("ni,ni->n", r["middle"].omega, r["middle"].matrix[:, :, 0])
    same(along, TURN * ratio, 1e-10)


@CHECKS.of("swash_plate_pump")
def _(r):
    for k in range(5):
        turned = r["shaft"].angle + TURN * k / 5
        same(r.point(f"slipper{k + 1}").z, 0.03 * math.tan(math.radians(18)) * np.cos(turned))


@CHECKS.of("gyroscope")
def _(r):
    # the run's tolerance: 1e-6 of a spin of 300 rad/s
    same(r["trunnion"].angle, 0.0, 1e-5)
    same(r["mast"].angle, gyroscope.RATE * r.times, 1e-5)
    same(r.energy.total, r.energy.total[0], 1e-6 * r.energy.kinetic[0])


@CHECKS.of("screw_jack")
def _(r):
    screw, load = r["nut"], r["load"]
    same(load.z, 0.25 + 0.006 * screw.angle / TURN)
    same(screw.angle[-1], 5 * TURN)
    lifted = 503 * (load.az + 9.81) * load.vz
    spun = 0.01 * screw.angle_rate * (load.az * TURN / 0.006)
    same(r.effort("motor") * screw.angle_rate, lifted + spun, 1e-7)


@CHECKS.of("delta_robot")
def _(r):
    same(r["plate"].matrix, np.eye(3))
    tool = r.point("tool")
    for k in range(3):
        seen = (tool.x + 1j * tool.y) * np.exp(-1j * TURN * k / 3)
        out, across, up = seen.real + 0.06 - 0.2, seen.imag, tool.z
        gap2 = out**2 + up**2
        bend = np.arccos((0.25**2 + gap2 - (0.55**2 - across**2)) / (2 * 0.25 * np.sqrt(gap2)))
        same(r[f"shoulder{k + 1}"].angle, np.arctan2(up, out) + bend)


@CHECKS.of("hexapod_leg")
def _(r):
    foot = r.point("foot")
    same(r["hip"].angle, np.arctan2(foot.y, foot.x))
    gap2 = (np.hypot(foot.x, foot.y) - 0.06) ** 2 + foot.z**2
    same(np.sin(r["knee"].angle), (0.1**2 + 0.13**2 - gap2) / (2 * 0.1 * 0.13))
    power = sum(r.effort(f"{j}_motor") * r[j].angle_rate for j in ("hip", "lift", "knee"))
    # over a whole step the motors' work is zero: trapezoids of a periodic function converge at once
    assert abs(np.mean(power[:-1])) < 1e-9 * np.abs(power).max()


@CHECKS.of("macpherson")
def _(r):
    low, top, drawn = r.point("low").position, np.array([-0.03, 0.55, 0.8]), np.array([-0.03, -0.13, 0.6])
    same(low[:, 0], 0.0)
    same(np.hypot(low[:, 1] - 0.33, low[:, 2] - 0.22), math.hypot(0.35, 0.02))
    span = np.linalg.norm(top - low, axis=1)
    same(r["upright"].matrix @ (drawn / np.linalg.norm(drawn)), (top - low) / span[:, None])
    same(r["strut"].distance - r["strut"].distance[0], span - span[0])


@CHECKS.of("bicycle")
def _(r):
    same(r.energy.total, r.energy.total[0], 1e-7 * r.energy.kinetic[0])
    # linear equations M q'' + v C1 q' + (g K0 + v² K2) q = 0 of lean and steer to the right (Meijaard et al. 2007, section 5)
    mass = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
    damping = 5.0 * np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
    stiffness = 9.81 * np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
    stiffness += 25.0 * np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])
    change = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(mass, np.hstack([stiffness, damping]))]])
    rates, modes = np.linalg.eig(change)
    assert rates.real.max() < 0
    weights = np.linalg.solve(modes, [0.0, 0.0, bicycle.LEAN_RATE, 0.0])
    lean, steer = ((modes * weights) @ np.exp(np.outer(rates, r.times))).real[:2]
    # what is left out is of the order of the lean squared, 0.02² against 0.02
    same(r["frame"].matrix[:, 2, 1], lean, 0.02 * np.abs(lean).max())
    same(-r["steer"].angle, steer, 0.02 * np.abs(steer).max())


@pytest.mark.parametrize("name", CHECKS)
def test_the_mechanism_follows_its_closed_form(name):
    CHECKS[name](find(name).run())
