"""Reactions are complete: with the reported reactions of every constraint type, Newton–Euler holds body by body, and the ground gets
what is left of loads and momentum."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm
from moving_samples import ALL, G, check_newton_euler, moment, rate_of_momentum, sample_model

# samples roll as they happen to be drawn: reactions must be right also where a real wheel would lift off
pytestmark = pytest.mark.filterwarnings("ignore:.* would have to pull")


def run_of(where, kind, seed):
    """A short motion under gravity of a sample: one body hangs on a ball or pin of the ground, so that the ground is loaded."""
    m, it = sample_model(where, kind, seed)
    held = m.bodies[it.bodies[-1] if it.bodies[-1] != "ground" else it.bodies[0]]
    if where == "plane" and kind != "fix":
        m.point_on_line("rail", m.ground, held.at(0.3, 0.2), axis=(1.0, 0.4), at=held.at(0.3, 0.2).drawn)
    elif kind != "fix":
        m.point_on_plane(
            "rail", m.ground, held.at(0.3, 0.2, 0.1), at=held.at(0.3, 0.2, 0.1).drawn, axis=(0.48, 0.36, 0.8)
        )
    return m, m.simulate(0.02, samples=3, rtol=1e-8, progress=False)


@pytest.mark.parametrize(("where", "kind"), ALL)
def test_newton_and_euler_hold_for_every_body_with_the_reported_reactions(where, kind):
    check_newton_euler(run_of(where, kind, 17)[1])


@pytest.mark.parametrize(("where", "kind"), ALL)
def test_the_ground_gets_weight_less_rate_of_momentum_from_all_constraints_together(where, kind):
    m, result = run_of(where, kind, 19)
    n = m.space.dimension
    up = np.eye(n)[-1]
    total = np.zeros((len(result), 3 if n == 2 else 6))
    size = 1.0
    for body in list(m.bodies.values())[1:]:
        centre, force, couple = rate_of_momentum(result, body)
        lacking = -body.mass * G * up - force
        turning = moment(centre, lacking) - couple
        total += np.column_stack([lacking, turning])
        size += np.abs(lacking).max() + np.abs(turning).max()
    np.testing.assert_allclose(result.ground_reaction, total, atol=1e-9 * size, rtol=0)


def test_a_clamped_beam_a_driven_slider_and_a_formula_load_the_ground():
    m = tm.PlanarModel("three ways to hold")
    for name, x in (("clamped", 0.0), ("driven", 1.0), ("balanced", 2.0)):
        m.body(name, position=(x, 0.5), mass=2.0, inertia=0.1)
    m.fix("F", "clamped")
    for name in ("driven", "balanced"):
        m.constrain(f"{name}_x", f"{name}.x")
        m.constrain(f"{name}_phi", f"{name}.phi")
    m.driver("lift", "driven.y", "0.5 + 0.5*t^2")
    m.equation("level", "balanced.y + 0.3*balanced.x - 1.1")
    result = m.simulate(0.1, samples=2, progress=False)
    fx, fy, mz = result.ground_reaction[0]
    weight = 2.0 * G
    assert fy == pytest.approx(-(weight + 2.0 * (G + 1.0) + weight), rel=1e-9)  # the driven one accelerates at 1 m/s²
    assert fx == pytest.approx(0.0, abs=1e-9)
    assert mz == pytest.approx(-(1.0 * 2.0 * (G + 1.0) + 2.0 * weight), rel=1e-9)
    assert result.reaction("F").force[0] == pytest.approx([0.0, weight], abs=1e-9)
    assert result.reaction("lift", "ground").force[0] == pytest.approx([0.0, -2.0 * (G + 1.0)], abs=1e-9)
