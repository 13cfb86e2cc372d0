"""Each spatial mechanism does what its closed form says."""

import math

import numpy as np
import pytest

from trammel.examples import find, governor, gyroscope

CHECKS = {}
TURN = 2 * math.pi


def shows(name):
    """Register a check of the result of an example."""

    def keep(check):
        CHECKS[name] = check
        return check

    return keep


def same(value, truth, tolerance=1e-11):
    """Newton goes on to rounding level, so that lengths of about 1 agree to 1e-11."""
    assert value == pytest.approx(np.broadcast_to(truth, np.shape(value)), abs=tolerance)


@shows("sarrus")
def _(r):
    table = r["table"]
    same(table.position[:, :2], 0.0)
    same(table.matrix, np.eye(3))
    same(table.z, 2 * 0.2 * np.sin(math.radians(60) - r["foot_x"].angle))
    assert r.redundant


@shows("governor")
def _(r):
    # an equilibrium that the run's tolerance may leave a little
    same(r["top1"].angle, 0.0, 1e-4)
    same(r["top2"].angle, 0.0, 1e-4)
    same(r["sleeve"].z, -2 * 0.2 * math.cos(math.radians(40)), 1e-4)
    same(r["bearing"].angle_rate, governor.SPEED, 1e-4 * governor.SPEED)
    same(r.energy.total, r.energy.total[0], 1e-6 * r.energy.kinetic[0])


@shows("differential")
def _(r):
    left, right = r["left_axle"].angle_rate, r["right_axle"].angle_rate
    same(r["left"].wy + r["right"].wy, 2 * TURN, 1e-10)
    same(left, 0.8 * math.pi * np.cos(math.pi * r.times), 1e-10)
    same(right, -left, 1e-10)
    same(abs(r["pin"].angle_rate), abs(left) * 40 / 25, 1e-10)


@shows("double_cardan")
def _(r):
    same(r["output"].wx, TURN, 1e-10)
    b = math.radians(25)
    ratio = math.cos(b) / (1 - (math.sin(b) * np.cos(r["bearing"].angle)) ** 2)
    along = np.einsum("ni,ni->n", r["middle"].omega, r["middle"].matrix[:, :, 0])
    same(along, TURN * ratio, 1e-10)


@shows("swash_plate_pump")
def _(r):
    for k in range(5):
        turned = r["shaft"].angle + TURN * k / 5
        same(r.point(f"slipper{k + 1}").z, 0.03 * math.tan(math.radians(18)) * np.cos(turned))


@shows("gyroscope")
def _(r):
    # the run's tolerance: 1e-6 of a spin of 300 rad/s
    same(r["trunnion"].angle, 0.0, 1e-5)
    same(r["mast"].angle, gyroscope.RATE * r.times, 1e-5)
    same(r.energy.total, r.energy.total[0], 1e-6 * r.energy.kinetic[0])


@shows("screw_jack")
def _(r):
    screw, load = r["nut"], r["load"]
    same(load.z, 0.25 + 0.006 * screw.angle / TURN)
    same(screw.angle[-1], 5 * TURN)
    lifted = 503 * (load.az + 9.81) * load.vz
    spun = 0.01 * screw.angle_rate * (load.az * TURN / 0.006)
    same(r.effort("motor") * screw.angle_rate, lifted + spun, 1e-7)


@pytest.mark.parametrize("name", CHECKS)
def test_the_mechanism_follows_its_closed_form(name):
    CHECKS[name](find(name).run())
