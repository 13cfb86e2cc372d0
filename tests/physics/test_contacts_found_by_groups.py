"""Profiles are looked through by groups of samples: the same contacts, to the last bit, as by looking at every sample."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.at_state import evaluate_state, measured_value
from pytrammel.analysis.ready import make_ready
from pytrammel.forces import contact
from pytrammel.system.lowering import lower
from pytrammel.system.pattern import pattern


def random_curve(random):
    """Terrain with waves of all lengths, or a closed and lobed outline."""
    terms = [(0.6 / k, random.uniform(-1, 1), random.uniform(0, 6)) for k in (1, 2, 3, 5, 8)]
    waves = " + ".join(f"{a * s:.6f}*sin({k}*u + {p:.6f})" for k, (a, s, p) in zip((1, 2, 3, 5, 8), terms, strict=True))
    if random.random() < 0.5:
        return tm.curves.analytic("u", waves, -4.0, 4.0, name="terrain")
    return tm.curves.analytic(
        f"(2 + 0.3*({waves}))*cos(u)", f"(2 + 0.3*({waves}))*sin(u)", 0.0, 2 * math.pi, closed=True, name="cam"
    )


def disc_on(curve, radius, side):
    m = tm.PlanarModel("disc on a profile")
    m.body("ground2", mass=3.0, inertia=1.0)
    m.body("disc", mass=1.0, inertia=0.1)
    m.contact_curve(
        "c", "disc", "ground2", curve=curve, radius=radius, stiffness=1e4, damping=3.0, friction=0.3, side=side
    )
    return m


def answers(m, poses):
    make_ready(m, ["state_run", "measures_run"], forces=True)
    system = lower(m, dynamics=True)
    gap = m.measure("c.gap")
    out = []
    for q, v in poses:
        state = evaluate_state(system, system.floats, pattern(system, ()), 0.0, q, v)
        out.append([*state.generalised, *state.forces, *measured_value(m, gap, 0.0, q, v)])
    return np.array(out)


@pytest.mark.parametrize("seed", range(8))
def test_random_discs_meet_random_profiles_as_if_every_sample_were_looked_at(seed, monkeypatch):
    random = np.random.default_rng(seed)
    curve, radius = random_curve(random), random.uniform(0.1, 1.2)
    side = "left" if random.random() < 0.5 else "right"
    poses = []
    for _ in range(150):
        far = 30.0 if random.random() < 0.1 else 3.0
        poses.append(
            (
                np.array([*random.uniform(-0.5, 0.5, 3), *random.uniform(-far, far, 2), random.uniform(-3, 3)]),
                random.normal(size=6),
            )
        )
    found = {}
    for size in (contact.PER_GROUP, 1, 7, contact.SAMPLES):  # the last: all in one group
        monkeypatch.setattr(contact, "PER_GROUP", size)
        found[size] = answers(disc_on(curve, radius, side), poses)
    whole = found.pop(contact.SAMPLES)
    assert (np.abs(whole[:, 6]) > 0.0).sum() >= 10  # enough of them touch
    for one in found.values():
        assert (one == whole).all()


def test_two_contacts_at_once_are_both_found():
    """A disc in a V of two arcs: by symmetry no sideways force, and twice the upward force of one side."""
    valley = tm.curves.analytic("u", "2*abs(u)**1.5", -2.0, 2.0, name="valley")
    m = disc_on(valley, 1.0, "left")
    ((*push, _),) = [answers(m, [(np.array([0, 0, 0, 0, 0.9, 0.0]), np.zeros(6))])[0][3:7]]
    assert abs(push[0]) < 1e-9 * push[1]
    one_sided = disc_on(tm.curves.analytic("u", "2*u**1.5", 0.05, 2.0, name="half"), 1.0, "left")
    half = answers(one_sided, [(np.array([0, 0, 0, 0, 0.9, 0.0]), np.zeros(6))])[0][3:5]
    assert push[1] - 9.81 * -1.0 == pytest.approx(2 * (half[1] + 9.81), rel=1e-9)


@pytest.mark.parametrize("size", [1, 5, 24, 801])
def test_circles_hold_all_samples_of_their_group(size, monkeypatch):
    monkeypatch.setattr(contact, "PER_GROUP", size)
    u = np.linspace(0, 6, contact.SAMPLES)
    points = np.column_stack([np.cos(u) * u, np.sin(3 * u)])
    n, per, *rest = contact._outline(u, points)
    circles = np.array(rest[3 * int(n) :]).reshape(-1, 3)
    assert (n, per, len(circles)) == (801, size, math.ceil(801 / size))
    for k, (x, y, radius) in enumerate(circles):
        assert (np.hypot(*(points[k * size : (k + 1) * size] - (x, y)).T) <= radius).all()
