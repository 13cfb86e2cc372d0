"""Energies that laws store, from one state, where the law has a pole next to an end of the way."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pytrammel.expressions.expression import parse
from pytrammel.results.forces.stored_energy import _integral


@pytest.mark.parametrize("near", [1e-2, 1e-6, 1e-10])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_an_integral_ends_next_to_a_pole(near: float, side: float) -> None:
    """The integral of 1/(c - x) from 0.3 to x is log((c - 0.3)/(c - x)), in both directions."""
    law, start = parse(f"1/({0.3 + side!r} - x)"), 0.3
    x = 0.3 + side * (1.0 - near)
    exact = math.log(1.0 / abs((0.3 + side) - x))
    assert float(_integral(law, ("x",), start, np.array([x]), 0.0)[0]) == pytest.approx(exact, rel=1e-6)
    assert float(_integral(law, ("x",), x, np.array([start]), 0.0)[0]) == pytest.approx(-exact, rel=1e-6)


def test_many_states_share_one_integral() -> None:
    """Corners of the law and a moving time: the integral of |x - t| from 0.2."""
    x = np.array([-1.0, 0.2, 0.7, 2.0])
    stored = lambda v: 0.5 * (v - 0.5) * abs(v - 0.5)  # noqa: E731
    found = _integral(parse("abs(x - t)"), ("x",), 0.2, x, 0.5)
    assert found == pytest.approx([stored(v) - stored(0.2) for v in x], abs=1e-14)
