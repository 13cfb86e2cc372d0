"""Integration methods as data: tableaus for the one Runge–Kutta kernel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from trammel.errors import ModelError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Method:
    """An explicit Runge–Kutta method with interpolant.

    Attributes:
        name: Name.
        order: Order used by the step-size control (error order + 1).
        a, b, c: Tableau, shapes (s, s), (s,), (s,).
        e5, e3: Error weights for the s stages and the derivative at the end; e3 may be all zero.
        a_extra, c_extra: Stages that only the interpolant needs.
        dense: Weights b_i(theta) of the interpolant as polynomials, shape (s + 1 + extra, degree): theta, theta², ...
        fixed: True if the method has no error estimate.
    """

    name: str
    order: int
    a: Array
    b: Array
    c: Array
    e5: Array
    e3: Array
    a_extra: Array
    c_extra: Array
    dense: Array
    fixed: bool = False


def method_named(name: str) -> Method:
    """Look a method up: "dop853", "dopri5" or "rk4"."""
    known = {"dop853": _dop853, "dopri5": _dopri5, "rk4": _rk4}
    if name not in known:
        raise ModelError(f"method {name!r} is not known; use one of: {', '.join(known)}.")
    return known[name]()


@cache
def _dop853() -> Method:
    """Dormand and Prince's method of order 8(5,3) with Hairer's seventh-order interpolant."""
    from scipy.integrate import DOP853

    s = DOP853.n_stages
    total = s + 1 + DOP853.A_EXTRA.shape[0]
    b = np.concatenate([DOP853.B, np.zeros(total - s)])
    first, last = np.eye(total)[0], np.eye(total)[s]
    # the interpolant is nested in theta and (1 - theta); its seven vectors are combinations of the stages
    vectors = [b, first - b, 2.0 * b - (first + last), *DOP853.D]
    return Method(
        "dop853",
        8,
        DOP853.A,
        DOP853.B,
        DOP853.C,
        DOP853.E5,
        DOP853.E3,
        DOP853.A_EXTRA,
        DOP853.C_EXTRA,
        _nested(vectors, total),
    )


def _nested(vectors: list[Array], total: int) -> Array:
    """Polynomials of theta (f0 + (1 - theta) (f1 + theta (f2 + (1 - theta) (...)))) as coefficients of theta, theta², ..."""
    degree = len(vectors)
    poly = np.zeros((total, degree + 1))
    for k, vector in enumerate(reversed(vectors)):
        poly[:, 0] += vector
        shifted = np.zeros_like(poly)
        shifted[:, 1:] = poly[:, :-1]
        poly = shifted if k % 2 == 0 else poly - shifted
    if degree % 2 == 0:
        raise ValueError("the nested form must start with theta")
    return poly[:, 1:].copy()


@cache
def _dopri5() -> Method:
    """Dormand and Prince's method of order 5(4) with Shampine's fourth-order interpolant."""
    from scipy.integrate import RK45

    s = RK45.n_stages
    a = np.pad(RK45.A, ((0, 0), (0, 1)))  # SciPy leaves out the last column, which is zero
    return Method(
        "dopri5", 5, a, RK45.B, RK45.C, RK45.E, np.zeros(s + 1), np.zeros((0, s + 1)), np.zeros(0), RK45.P.copy()
    )


@cache
def _rk4() -> Method:
    """The classic fixed-step method; the interpolant is the cubic Hermite polynomial."""
    a = np.zeros((4, 4))
    a[1, 0] = a[2, 1] = 0.5
    a[3, 2] = 1.0
    b = np.array([1.0, 2.0, 2.0, 1.0]) / 6.0
    # y0 + h [(3θ² - 2θ³) Σ b_i k_i + (θ - 2θ² + θ³) k_0 + (θ³ - θ²) k_end]
    dense = np.zeros((5, 3))
    dense[:4, 1], dense[:4, 2] = 3.0 * b, -2.0 * b
    dense[0] += [1.0, -2.0, 1.0]
    dense[4] += [0.0, -1.0, 1.0]
    zero = np.zeros(5)
    return Method(
        "rk4", 4, a, b, np.array([0.0, 0.5, 0.5, 1.0]), zero, zero, np.zeros((0, 5)), np.zeros(0), dense, fixed=True
    )
