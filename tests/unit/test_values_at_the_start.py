"""Values that descriptions take from the design configuration, at time 0, and reasons why a quantity has none at a single state."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm


def bodies(space: bool) -> tm.PlanarModel | tm.SpatialModel:
    if space:
        m: tm.PlanarModel | tm.SpatialModel = tm.SpatialModel("space")
        m.body("a", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.3, 0.4, 0.5))
        m.body("b", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(-0.2, 1.1, 0.7))
        return m
    m = tm.PlanarModel("plane")
    m.body("a", mass=1.0, inertia=1.0, position=(0.3, 0.4))
    m.body("b", mass=1.0, inertia=1.0, position=(-0.2, 1.1))
    return m


@pytest.mark.parametrize("space", [False, True])
def test_a_constraint_takes_the_value_of_its_formula_at_time_zero(space: bool) -> None:
    m = bodies(space)
    m.define("first", "a.x + 2*a.y*cos(t) + 5*t - b.y")
    m.define("late", "3*first + exp(-t)*b.x")
    found = m.constrain("c", "late").parameters["value"]
    assert found == pytest.approx(3 * (0.3 + 2 * 0.4 - 1.1) - 0.2, abs=1e-15)


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("unit", ["", " [mJ]"])
def test_a_comparison_with_the_start_is_not_linearised(space: bool, unit: str) -> None:
    m = bodies(space)
    with pytest.raises(tm.ModelError, match="those at the start of a run"):
        m.linearize(outputs=[f"energy.balance{unit}"])
    m.define("share", "1 + energy.balance/2")
    with pytest.raises(tm.ModelError, match=r"'energy\.balance', which compares"):
        m.linearize(outputs=["share"])


def test_points_are_apart_as_they_are_drawn() -> None:
    """Distances, offsets and turned axes in space between bodies that are both turned and away from the origin."""
    m = tm.SpatialModel("space")
    turns = [tm.rotations.exp(v) for v in ((0.4, -0.7, 0.2), (-0.3, 1.1, 0.5))]
    one, two = (np.asarray(tm.rotations.matrix(p)) for p in turns)
    m.body("a", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.3, 0.4, 0.5), rotation=turns[0])
    m.body("b", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(-0.2, 1.1, 0.7), rotation=turns[1])
    p, q = m["a"].at(0.1, -0.2, 0.3), m["b"].at(0.5, 0.6, -0.7)
    apart = np.array([-0.2, 1.1, 0.7]) + two @ [0.5, 0.6, -0.7] - np.array([0.3, 0.4, 0.5]) - one @ [0.1, -0.2, 0.3]
    spring = m.spring("s", p, q, stiffness=1.0)
    assert spring.parameters["free_length"] == pytest.approx(np.linalg.norm(apart), rel=1e-14)
    assert m.drawn_value(m.distance(p, q)) == pytest.approx(np.linalg.norm(apart), rel=1e-14)


def test_a_function_that_gives_numbers_another_constant_is_refused() -> None:
    """The formula that is read has the slopes of the function, but not its values."""
    m = bodies(False)
    with pytest.raises(tm.ModelError, match="it must not branch by its values"):
        m.equation("E", lambda x: x + (0.5 if isinstance(x, float | complex) else 0.0), inputs=["a.x"])
