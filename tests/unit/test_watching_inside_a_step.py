"""What is said of a formula between two looks at it: "it keeps its sign" must be true, and must be said where it is plain."""

from __future__ import annotations

import types

import numpy as np
import pytest

from plain_source import plain
from pytrammel.kernels import engine, events

stays = plain(events.stays)
ROUNDING = 1e-14  # of polynomials of size 1: near a root their sign changes to and fro


def looks(p, width):
    """Values and slopes of a polynomial at the ends and in the middle of a stretch that begins at 0."""
    dp = p.deriv()
    return p(0.0), dp(0.0), p(0.5 * width), dp(0.5 * width), p(width), dp(width), width


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
@pytest.mark.parametrize("width", [1.0, 0.03])
def test_a_formula_that_is_said_to_keep_its_sign_does(degree, width):
    """Polynomials with roots anywhere near the stretch; up to degree 3 the bound is exact, at 5 the looks still determine all."""
    rng = np.random.default_rng(degree)
    x = np.linspace(0.0, width, 401)
    said = 0
    for _ in range(800):
        p = np.polynomial.Polynomial.fromroots(width * rng.uniform(-1.0, 2.0, size=degree)) * rng.choice([-1.0, 1.0])
        if rng.random() < 0.5:
            p = p + rng.normal() * np.abs(p(x)).max()
        if stays(p(0.0), False, *looks(p, width), 0.0):
            said += 1
            assert (np.sign(p(x)) == np.sign(p(0.0))).all()
    assert said > 80  # it is not silent about all of them


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_cubic_within_its_bernstein_coefficients_is_not_looked_at_again(sign):
    """Coefficients of both halves (de Casteljau) on one side of zero are proof enough: the data of a cubic fit each other."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        width = rng.uniform(0.01, 2.0)
        c = rng.uniform(0.01, 1.0, size=4)  # Bernstein coefficients of the whole, and so of both halves
        u = np.polynomial.Polynomial([0.0, 1.0 / width])
        p = sign * (c[0] * (1 - u) ** 3 + 3 * c[1] * u * (1 - u) ** 2 + 3 * c[2] * u**2 * (1 - u) + c[3] * u**3)
        assert stays(sign, False, *looks(p, width), 0.0)


def test_what_comes_from_zero_counts_by_where_it_goes():
    up = np.polynomial.Polynomial([0.0, 1.0, 0.2])
    assert stays(0.0, True, *looks(up, 1.0), 0.0) and not stays(0.0, False, *looks(up, 1.0), 0.0)
    back = np.polynomial.Polynomial([0.0, 1.0, -1.5])
    assert not stays(0.0, True, *looks(back, 1.0), 0.0)


def test_rounding_below_the_noise_is_no_crossing():
    flat = np.polynomial.Polynomial([1e-14, -3e-14])
    assert stays(0.0, False, *looks(flat, 1.0), 1e-12) and not stays(1.0, False, *looks(flat, 1.0), 0.0)
    assert stays(1.0, False, *looks(flat, 1.0), 1e-12)


# --- the first event inside a step -----------------------------------------------------------------------------------------


def with_stubs(function, **stubs):
    """A kernel as plain Python in which some of what it calls is replaced."""
    source = getattr(function, "py_func", function)
    scope = {name: plain(value) if hasattr(value, "py_func") else value for name, value in source.__globals__.items()}
    return types.FunctionType(source.__code__, {**scope, **stubs})


def first(formulas, signs=None, directions=None):
    """What the kernel finds on formulas of the fraction of a step: number and fraction."""

    def values_between(E, t, h, theta, y, stage, values):
        values[:] = [f(theta) for f in formulas]

    def look(E, t, h, theta, y, stage, values, slopes):
        values_between(E, t, h, theta, y, stage, values)
        slopes[:] = [
            f.deriv()(theta) if hasattr(f, "deriv") else (f(theta + 1e-7) - f(theta - 1e-7)) / 2e-7 for f in formulas
        ]

    bisect = with_stubs(events.bisect, values_between=values_between)
    goes_back = with_stubs(events.goes_back, values_between=values_between)
    find = with_stubs(events.first_event, values_between=values_between, look=look, bisect=bisect, goes_back=goes_back)
    n = len(formulas)
    signs = np.array([f(0.0) for f in formulas] if signs is None else signs, dtype=float)
    directions = np.zeros(n, dtype=np.int64) if directions is None else np.array(directions)
    size = 200
    return find(
        {engine.N_EVENTS: n}, 0.0, 1.0, None, signs, directions, np.full(n, ROUNDING), None,
        np.zeros(size), np.zeros((size, n)), np.zeros((size, n)), np.zeros(n),
    )  # fmt: skip


def test_the_first_of_all_crossings_is_found_also_where_two_lie_close_together():
    """Cubics with pairs of roots as close as a thousandth of the step: the first root that goes the watched way, of all formulas."""
    rng = np.random.default_rng(5)
    for _ in range(80):
        formulas, directions, due = [], [], []
        for _ in range(int(rng.integers(1, 4))):
            root = rng.uniform(0.02, 0.97)
            roots = np.array([root, root + 10.0 ** rng.uniform(-3, -1), rng.uniform(1.2, 3.0)])
            p = np.polynomial.Polynomial.fromroots(roots) * float(rng.choice([-1.0, 1.0]))
            direction = int(rng.integers(-1, 2))
            ways = np.sign(p.deriv()(roots))
            formulas.append(p)
            directions.append(direction)
            due.append(
                min((r for r, w in zip(roots, ways, strict=True) if direction in (0, w) and r < 1.0), default=np.inf)
            )
        k, at = first(formulas, directions=directions)
        if min(due) == np.inf:
            assert k == -1
        else:
            assert k == int(np.argmin(due)) and at == pytest.approx(min(due), abs=1e-9) and at >= min(due) - 1e-12


def test_a_formula_that_swings_faster_than_anyone_looks_still_ends_at_a_change_of_sign():
    """Out of patience the change of sign over a stretch is all that counts: it is located to the same fineness."""
    swing = lambda theta: np.sin(3001.5 * np.pi * theta + 0.3)  # noqa: E731
    k, at = first([swing])
    assert k == 0 and swing(at - 1e-9) * swing(at + 1e-9) < 0.0


def test_an_event_that_starts_at_zero_is_due_again_only_after_it_has_left():
    rise = np.polynomial.Polynomial([0.0, 1.0, -1.25])  # zero at the start and at 0.8
    assert first([rise], signs=[0.0]) == (0, pytest.approx(0.8, abs=1e-9))
    assert first([np.polynomial.Polynomial([0.0, 1.0, 0.3])], signs=[0.0])[0] == -1
