"""Drivers that follow from each other, distinguished from positions in which drivers lose their effect."""

from __future__ import annotations

import re

import numpy as np
import pytest

import pytrammel as tm


def hang(m: tm.Model, name: str, x: float, angle: float = 0.7) -> None:
    """Add a pendulum with its axis along the third axis."""
    if isinstance(m, tm.PlanarModel):
        m.body(name, position=(x, 0), angle=angle, mass=1.0, inertia=0.1)
        m.revolute(f"{name}_axle", "ground", name, at=(x, 0))
    else:
        m.body(name, position=(x, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1))
        m.revolute(f"{name}_axle", "ground", name, at=(x, 0, 0), axis="z")


def four_bar(m: tm.PlanarModel) -> None:
    """Add a four-bar linkage with cranks of 0.1 m and 0.25 m."""
    a, b, c, d = (0.0, 0.0), (0.06, 0.08), (0.42, 0.24), (0.35, 0.0)
    for name, p, q in (("crank", a, b), ("coupler", b, c), ("rocker", d, c)):
        m.body(name, position=p, angle=float(np.arctan2(q[1] - p[1], q[0] - p[0])), mass=1.0, inertia=0.01)
    m.revolute("A", "ground", "crank", at=a)
    m.revolute("B", "crank", "coupler", at=b)
    m.revolute("C", "coupler", "rocker", at=c)
    m.revolute("D", "ground", "rocker", at=d)


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize(("geared", "more"), [(2, 1), (2, 3), (4, 2)])
def test_drivers_of_geared_joints_depend_on_each_other(space: bool, geared: int, more: int) -> None:
    """Geared pendulums have one degree of freedom; further pendulums, of which the last is driven, one each."""
    m = (tm.SpatialModel if space else tm.PlanarModel)("gears")
    for k in range(geared + more):
        hang(m, f"p{k}", 0.3 * k, 0.0)
        if 0 < k < geared:
            m.equation(f"gear{k}", f"p{k}_axle.angle - {k + 1}*p0_axle.angle", unit="rad")
        if k < geared or k == geared + more - 1:
            m.driver(f"drive{k}", f"p{k}_axle.angle", f"{k + 1}*0.1*t")
    if more == 1:  # as many drivers as needed, and more
        with pytest.raises(tm.MobilityError, match=r"'drive1' is one too many"):
            m.kinematics(1.0, samples=2, progress=False)
        return
    with pytest.raises(tm.MobilityError) as caught:
        m.kinematics(1.0, samples=2, progress=False)
    text = str(caught.value)
    assert f"{1 + more} degrees of freedom but 2 independent drivers" in text
    assert f"leaves {more - 1} motion" in text
    assert set(re.findall(r"'(drive\d)'", text)) == {f"drive{k}" for k in range(1, geared)}


@pytest.mark.parametrize("order", [("A", "D"), ("D", "A"), ("B", "C")])
def test_drivers_of_one_loop_depend_on_each_other(order: tuple[str, str]) -> None:
    m = tm.PlanarModel("bars")
    four_bar(m)
    hang(m, "bob", 1.0)
    for name in order:
        m.driver(f"{name}_drive", f"{name}.angle", m.drawn_value(m.measure(f"{name}.angle")))
    with pytest.raises(
        tm.MobilityError, match=rf"2 degrees.* 1 independent driver, .*1 motion .*bob.*'{order[1]}_drive'"
    ):
        m.kinematics(1.0, samples=2, progress=False)


@pytest.mark.parametrize("more", [0, 2])
def test_a_dead_point_is_a_matter_of_the_position(more: int) -> None:
    m = tm.PlanarModel("slider-crank")
    m.body("crank", position=(0, 0), mass=1.0, inertia=0.01)
    m.body("rod", position=(0.1, 0), mass=1.0, inertia=0.01)
    m.body("slider", position=(0.4, 0), mass=1.0, inertia=0.01)
    m.revolute("A", "ground", "crank", at=(0, 0))
    m.revolute("B", "crank", "rod", at=(0.1, 0))
    m.revolute("C", "rod", "slider", at=(0.4, 0))
    m.prismatic("D", "ground", "slider", at=(0.4, 0), axis=(1, 0))
    m.driver("push", "slider.x", 0.4)
    for k in range(more):
        hang(m, f"p{k}", 1.0 + k)
        m.driver(f"drive{k}", f"p{k}.phi", 0.7)
    with pytest.raises(tm.SingularError, match="1 direction undetermined"):
        m.kinematics(1.0, samples=2, progress=False)
