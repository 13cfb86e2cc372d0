"""Change points of mechanisms with redundant rows: reported where all rows are dependent, not only those in use.

A table on three parallel cranks moves along a circle without turning. Rows of two cranks are dependent where both lie along the line of
their pins, those of all three never, unless the pins lie on one line.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm

NEAR = [0.0, 1e-7, 1e-6, -1e-5, 1e-3]  # distances of the start from a flat pair of cranks [rad]
METHODS = [{"method": "dop853"}, {"method": "radau5"}, {"formulation": "joint"}, {"method": tm.methods.rk4(step=2e-3)}]


def table(pins, crank, start, speed):
    m = tm.PlanarModel("table")
    tips = [np.asarray(pin) + crank * np.array([math.cos(start), math.sin(start)]) for pin in pins]
    m.body("table", position=tuple(tips[0]), mass=1.0, inertia=0.1)
    for k, (pin, tip) in enumerate(zip(pins, tips, strict=True)):
        m.body(f"crank{k}", position=tuple(pin), angle=start, mass=0.1, inertia=0.01)
        m.revolute(f"G{k}", m.ground, f"crank{k}", at=tuple(pin))
        m.revolute(f"T{k}", f"crank{k}", "table", at=tuple(tip))
    m.driver("motor", "crank0.phi", f"{start!r} + {speed!r}*t")
    return m


def triangle(rng):
    """Three pins, none of them near the line of the others."""
    while True:
        pins = rng.uniform(-1.0, 1.0, (3, 2))
        one, other = pins[1] - pins[0], pins[2] - pins[0]
        longest = max(np.linalg.norm(each) for each in (one, other, one - other))
        if abs(one[0] * other[1] - one[1] * other[0]) > 0.2 * longest**2:
            return pins


def follows(result, pins, crank, start, speed):
    """Return True if the table stays on its circle, without turning."""
    turn = start + speed * result.times
    place = np.asarray(pins[0])[:, None] + crank * np.array([np.cos(turn), np.sin(turn)])
    found = np.array([result["table"].x, result["table"].y])
    # 1e-9 of the size: closure of assembled positions
    return np.abs(found - place).max() < 1e-9 and np.abs(result["table"].phi).max() < 1e-9


@pytest.mark.parametrize("seed", range(12))
def test_a_motion_past_flat_pairs_of_cranks_has_no_change_point(seed):
    rng = np.random.default_rng(seed)
    pins, crank, start, speed = triangle(rng), rng.uniform(0.1, 1.0), rng.uniform(0.0, 6.0), rng.uniform(-6.0, 6.0)
    m = table(pins, crank, start, speed)
    for result in (m.kinematics(1.0, samples=5), m.inverse_dynamics(1.0, samples=5)):
        assert result.singularities == () and not result.warnings
        assert follows(result, pins, crank, start, speed)
    for options in METHODS:
        result = m.simulate(1.0, samples=5, progress=False, **options)
        assert result.singularities == () and not result.warnings, options
        assert follows(result, pins, crank, start, speed), options


@pytest.mark.parametrize("off", NEAR)
@pytest.mark.parametrize("pair", [(0, 1), (0, 2), (1, 2)])
def test_a_start_near_a_flat_pair_of_cranks_is_not_singular(pair, off):
    pins, crank = [(0.0, 0.0), (0.4, 0.02), (0.2, 0.15)], 0.2137
    (x0, y0), (x1, y1) = (pins[k] for k in pair)
    start = math.atan2(y1 - y0, x1 - x0) + off
    m = table(pins, crank, start, 0.5)
    for verb, options in (("kinematics", {}), ("inverse_dynamics", {}), ("simulate", {"progress": False})):
        result = getattr(m, verb)(1.0, samples=5, **options)
        assert result.singularities == () and not result.warnings
        assert follows(result, pins, crank, start, 0.5)


@pytest.mark.filterwarnings("ignore:.*with fixed steps:pytrammel.errors.RunWarning")
@pytest.mark.parametrize("options", METHODS)
@pytest.mark.parametrize("speed", [2.0, 5.0, -3.0])
def test_change_points_of_three_cranks_on_one_line_are_still_found(speed, options):
    pins, start = [(0.0, 0.0), (0.5, 0.25), (1.2, 0.6)], 1.1
    line = math.atan2(0.25, 0.5)
    times = sorted(t for k in range(-4, 5) if 0.0 < (t := (line + k * math.pi - start) / speed) < 2.0)
    m = table(pins, 0.3, start, speed)
    runs = [m.kinematics(2.0, samples=21), m.simulate(2.0, samples=21, progress=False, **options)]
    for result in runs:
        assert [p.kind for p in result.singularities] == ["change point"] * len(times)
        # the root of a measure that is known to 1e-8
        assert [p.time for p in result.singularities] == pytest.approx(times, abs=1e-6)
