"""Straight-line linkages found by `optimize` over whole ranges; variants that cannot be described or do not close are on the way."""

from __future__ import annotations

import math

import pytest

import pytrammel as tm

pytestmark = pytest.mark.search


def symmetric(ground: float, half: str, above: str, **bounds: tuple[float, float]) -> tm.PlanarModel:
    """A four-bar with equal arms, drawn in its middle position; P is led along x by hand, from there over half of the stroke.

    Args:
        ground: Distance of the fixed pivots.
        half: How far B lies to the right of the middle, C to the left.
        above: How far P lies above the coupler.
        bounds: Of the parameters.
    """
    m = tm.PlanarModel("straight line")
    for name, (low, high) in bounds.items():
        m.parameter(name, 0.5 * (low + high), bounds=(low, high))
    m.parameter("half", half)
    m.parameter("up", f"sqrt(arm^2 - ({ground}/2 + half)^2)")  # no number where arms are too short
    m.body("crank", position=(0, 0))
    m.body("coupler", position=(ground / 2, "up"))
    m.body("rocker", position=(ground, 0))
    m.revolute("A", "ground", "crank", at=(0, 0))
    m.revolute("B", "crank", "coupler", at=(f"{ground}/2 + half", "up"))
    m.revolute("C", "coupler", "rocker", at=(f"{ground}/2 - half", "up"))
    m.revolute("D", "ground", "rocker", at=(ground, 0))
    m.point("P", "coupler", at=(ground / 2, f"up + ({above})"))
    m.driver("hand", "P.x", f"{ground}/2 * (1 + t)")
    return m


def test_chebyshevs_linkage_is_rediscovered_from_a_cloud_of_designs() -> None:
    """Ground 4, line at the height 4: arms 5 and coupler 2 within half a percent, and straighter in the mean than Chebyshev's."""
    m = symmetric(4.0, "coupler/2", "0", arm=(2.2, 9.0), coupler=(0.4, 3.8))
    run = {"duration": 1.0, "samples": 11, "progress": False}
    best = m.optimize(minimize="rms(P.y - 4)", method="cma", max_iterations=20, **run)
    assert best.converged
    assert best.failed["cannot be described"] > 0  # arms that are too short lose themselves, not the search
    assert best.values == pytest.approx({"arm": 5.0, "coupler": 2.0}, rel=5e-3)
    chebyshev = m.with_parameters(arm=5.0, coupler=2.0).kinematics(**run)
    assert best.objective < math.sqrt(((chebyshev["P.y"] - 4.0) ** 2).mean())
    # his line is met at its ends and in its middle
    assert chebyshev["P.y"][[0, -1]] == pytest.approx([4.0, 4.0], abs=1e-12)


def test_roberts_linkage_is_rediscovered_by_differential_evolution() -> None:
    """Along the line of the fixed pivots: coupler half the ground, and a triangle with sides as long as the arms, within 2 %."""
    m = symmetric(2.0, "-coupler/2", "-apex", arm=(0.4, 1.5), coupler=(0.1, 1.9), apex=(0.2, 2.0))
    best = m.optimize(
        minimize="rms(P.y)",
        method="differential_evolution",
        max_iterations=25,
        duration=1.0,
        samples=7,
        progress=False,
    )
    arm, coupler, apex = (best.values[name] for name in ("arm", "coupler", "apex"))
    assert coupler / 2.0 == pytest.approx(0.5, rel=2e-2)
    assert math.hypot(coupler / 2, apex) == pytest.approx(arm, rel=2e-2)
    assert best.objective < 0.0025  # of a stroke of 2
