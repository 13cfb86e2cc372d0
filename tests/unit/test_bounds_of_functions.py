"""Bounds of functions on intervals: values inside the intervals lie within them, and ends of monotone functions are met."""

from __future__ import annotations

import numpy as np
import pytest

from pytrammel.expressions.expression import parse
from pytrammel.expressions.intervals import bounds

UNARY = {
    "sin(x)": 9.0, "cos(x)": 9.0, "tan(x)": 9.0, "asin(x)": 1.0, "acos(x)": 1.0, "atan(x)": 9.0, "sinh(x)": 3.0, "cosh(x)": 3.0,
    "tanh(x)": 3.0, "exp(x)": 3.0, "abs(x)": 9.0, "x^2": 3.0, "x^3": 3.0, "x^(-1)": 3.0, "x^(-2)": 3.0, "x^(-3)": 3.0, "-x": 3.0,
    "x*x - x": 3.0,
}  # fmt: skip
POSITIVE = {
    "sqrt(x)": 9.0,
    "log(x)": 9.0,
    "x^0.5": 3.0,
    "x^(-1.5)": 3.0,
    "x^y": 2.0,
    "2^(x - y)": 3.0,
    "mod(x, 2 + 0.1*y)": 0.5,
}
BINARY = {
    "x + y": 3.0, "x - y": 3.0, "x*y": 3.0, "x/y": 3.0, "x/(4 + y)": 3.0, "min(x, y)": 3.0, "max(x, y)": 3.0,
    "(x - 2)*(y + 1)/(x*y + 20)": 3.0,
}  # fmt: skip
SHARES = np.linspace(0.0, 1.0, 41)


def intervals(random: np.random.Generator, low: float, high: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ends = np.sort(random.uniform(low, high, (2, 30)), axis=0)
    ends[1, ::3] = ends[0, ::3] + 0.1 * (ends[1, ::3] - ends[0, ::3])
    return ends[0], ends.mean(axis=0), ends[1]


@pytest.mark.parametrize(("text", "size", "low"), [
    *((text, size, -1.0) for text, size in (UNARY | BINARY).items()), *((text, size, 0.01) for text, size in POSITIVE.items())
])  # fmt: skip
def test_values_lie_within_their_bounds(text: str, size: float, low: float) -> None:
    """Thirty pairs of intervals together, 41 x 41 values in each."""
    random = np.random.default_rng(3)
    x, y = (intervals(random, low * size, size) for _ in "xy")
    formula = parse(text)
    least, middle, most = bounds(formula, {"x": x, "y": y})
    a = x[0] + SHARES[:, None, None] * (x[2] - x[0])
    b = y[0] + SHARES[None, :, None] * (y[2] - y[0])
    with np.errstate(all="ignore"):
        values = np.asarray(formula.evaluate({"x": a, "y": b})) + 0 * (a + b)
        assert middle == pytest.approx(formula.evaluate({"x": x[1], "y": y[1]}), rel=1e-14, nan_ok=True)
    room = 1e-12 * (1 + np.nanmax(np.abs(np.where(np.isfinite(values), values, 0.0)), axis=(0, 1)))
    assert np.all(np.nanmin(values, axis=(0, 1)) >= least - room)
    assert np.all(np.nanmax(values, axis=(0, 1)) <= most + room)
    if text.count("x") == 1 and text.count("y") <= 1 and text.split("(")[0] not in ("min", "max", "mod", "tan"):
        finite = np.isfinite(least) & np.isfinite(most)  # without a name twice the bounds are sharp
        close = 3e-2 * (np.nanmax(values, axis=(0, 1)) - np.nanmin(values, axis=(0, 1))) + room
        assert np.all(np.nanmin(values, axis=(0, 1))[finite] <= (least + close)[finite])
        assert np.all(np.nanmax(values, axis=(0, 1))[finite] >= (most - close)[finite])
        assert finite.any()


def test_each_interval_has_its_own_exponent() -> None:
    """Exponents that are the same in none, some or all of the intervals."""
    x = np.array([0.2, 0.5, 1.5]), np.array([0.3, 0.8, 1.8]), np.array([0.4, 1.1, 2.1])
    for exponents in ([2.0, 3.0, 2.0], [0.5, 0.5, 1.5], [2.0, 2.0, 2.0]):
        y = np.array(exponents)
        least, _, most = bounds(parse("x^y"), {"x": x, "y": (y, y, y)})
        assert least == pytest.approx(x[0] ** y, rel=1e-14)
        assert most == pytest.approx(x[2] ** y, rel=1e-14)
