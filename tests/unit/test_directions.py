"""Derivatives along a direction by differences of several steps, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from pytrammel.analysis.gradients.directions import Direction, Variant
from pytrammel.errors import ModelError


def direction(value, least=-np.inf):
    """A direction of a number; below `least` there is no model."""

    def make(offset):
        if value + offset < least:
            raise ModelError(f"{value + offset} is below {least}")
        return Variant(value + offset, None)

    return Direction("x", value, 1.0, make)


@pytest.mark.parametrize("least", [-np.inf, 0.7])
@pytest.mark.parametrize("rates", [(1.0, 1.0), (1.0, 300.0), (300.0, 1.0), (300.0, 1000.0, 3.0), (1.0, 0.0, 300.0)])
def test_every_row_of_a_table_has_its_derivative_however_fast_it_bends(rates, least):
    """sin(w x) + 2 and cos(w x) in each row: rows that bend faster need shorter steps."""
    w = np.array(rates)[:, None]
    slope = direction(0.7, least).slope(lambda v: np.hstack([np.sin(w * v.offset) + 2.0, np.cos(w * v.offset)]))
    exact = np.hstack([w * np.cos(0.7 * w), -w * np.sin(0.7 * w)])
    assert slope == pytest.approx(exact, rel=1e-6, abs=1e-6 * max(rates))
    assert slope[w[:, 0] == 1.0] == pytest.approx(exact[w[:, 0] == 1.0], abs=1e-8)
