"""Explicit Runge–Kutta methods: tableaus for one kernel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from trammel.analysis.methods import Array, Method, method
from trammel.kernels.methods import runge_kutta as kernels


def explicit(
    about: str, order: int, a: Array, b: Array, c: Array, dense: Array, *, error: Array | None = None,
    second_error: Array | None = None, a_extra: Array | None = None, c_extra: Array | None = None, stable: float = 0.0,
    centre: float | None = None,
) -> Method:  # fmt: skip
    """A method from its tableau.

    Args:
        about: One line about it.
        order: Order of the solution that is carried on.
        a, b, c: Tableau, shapes (s, s), (s,), (s,).
        dense: Weights b_i(theta) of the interpolant as polynomials, shape (s + 1 + extra, degree): theta, theta², ...
        error, second_error: Error weights for the s stages and the derivative at the end; none means fixed steps.
        a_extra, c_extra: Stages that only the interpolant needs.
        stable: Product of step and fastest rate beyond which it is unstable, if its last stage stands at the end of the step.
        centre: Fraction of the step that the interpolant is written about: then `dense` begins with the constant, 1, x, x², …
    """
    stages = b.size
    a_extra = np.zeros((0, stages + 1)) if a_extra is None else a_extra
    c_extra = np.zeros(0) if c_extra is None else c_extra
    weights = np.zeros((kernels.N_WEIGHTS, stages + 1))
    weights[kernels.B_ROW, :-1], weights[kernels.C_ROW, :-1] = b, c
    if error is not None:
        weights[kernels.E5_ROW] = error
    if second_error is not None:
        weights[kernels.E3_ROW] = second_error
    rows = stages + 1 + c_extra.size
    if (
        a.shape != (stages, stages)
        or dense.shape[0] != rows
        or (c_extra.size and a_extra.shape != (c_extra.size, rows))
    ):
        raise ValueError(f"tables of {about!r} do not fit {stages} stages")
    if centre is None:
        dense = np.pad(dense, ((0, 0), (1, 0)))  # nothing at the beginning of the step
    tables = [np.ravel(table) for table in (a, weights, a_extra, c_extra, dense)]
    places = np.cumsum([kernels.FIRST_FREE, *(table.size for table in tables)])

    def numbers(size: int) -> tuple[Array, list[int]]:
        derivatives = (stages + 1 + c_extra.size) * size
        out = np.zeros(int(places[-1]) + derivatives + 2 * size)  # and a stage, and a second estimate of its error
        out[kernels.FIRST_FREE : int(places[-1])] = np.concatenate(tables)
        out[kernels.CENTRE] = centre or 0.0
        own = [stages, c_extra.size, dense.shape[1], *(int(p) for p in places), int(places[-1]) + derivatives]
        return out, own

    return Method(
        about=about,
        order=order,
        family="runge_kutta",
        fixed=error is None,
        numbers=numbers,
        places=int(c_extra.size),
        stable=stable,
    )


def hermite(b: Array) -> Array:
    """Cubic interpolant of any method: y0 + h [(3θ² - 2θ³) Σ b_i k_i + (θ - 2θ² + θ³) k_0 + (θ³ - θ²) k_end]."""
    dense = np.zeros((b.size + 1, 3))
    dense[:-1, 1], dense[:-1, 2] = 3.0 * b, -2.0 * b
    dense[0] += [1.0, -2.0, 1.0]
    dense[-1] += [0.0, -1.0, 1.0]
    return dense


@method
def dop853() -> Method:
    from scipy.integrate import DOP853

    s = DOP853.n_stages
    total = s + 1 + DOP853.A_EXTRA.shape[0]
    b = np.concatenate([DOP853.B, np.zeros(total - s)])
    first, last = np.eye(total)[0], np.eye(total)[s]
    # the interpolant is nested in theta and (1 - theta); its seven vectors are combinations of the stages
    vectors = [b, first - b, 2.0 * b - (first + last), *DOP853.D]
    return explicit(
        "Dormand and Prince's method of order 8(5,3) with Hairer's seventh-order interpolant.",
        8, DOP853.A, DOP853.B, DOP853.C, _nested(vectors, total), error=DOP853.E5, second_error=DOP853.E3,
        a_extra=DOP853.A_EXTRA, c_extra=DOP853.C_EXTRA, stable=6.1,
    )  # fmt: skip


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


@method
def auto() -> Method:
    about = (
        "Begins as `dop853` and changes to `radau5` where the motion is stiff, and back; the result says when and why."
    )
    return replace(dop853(), about=about, stiff="radau5")


@method
def dopri5() -> Method:
    from scipy.integrate import RK45

    a = np.pad(RK45.A, ((0, 0), (0, 1)))  # SciPy leaves out the last column, which is zero
    return explicit(
        "Dormand and Prince's method of order 5(4) with Shampine's fourth-order interpolant; better for many contacts.",
        5, a, RK45.B, RK45.C, RK45.P.copy(), error=RK45.E, stable=3.25,
    )  # fmt: skip


@method
def bs32() -> Method:
    from scipy.integrate import RK23

    return explicit(
        "Bogacki and Shampine's method of order 3(2); for rough answers.",
        3, RK23.A, RK23.B, RK23.C, RK23.P.copy(), error=RK23.E,
    )  # fmt: skip


@method
def rk4() -> Method:
    a = np.zeros((4, 4))
    a[1, 0] = a[2, 1] = 0.5
    a[3, 2] = 1.0
    b = np.array([1.0, 2.0, 2.0, 1.0]) / 6.0
    about = "The classic method of order 4 with fixed steps, as in the program DAP."
    return explicit(about, 4, a, b, np.array([0.0, 0.5, 0.5, 1.0]), hermite(b))


@method
def euler() -> Method:
    b = np.ones(1)
    return explicit("Euler's method, fixed steps, order 1.", 1, np.zeros((1, 1)), b, np.zeros(1), hermite(b))


def _rk2(about: str, share: float) -> Method:
    """Second-order family: y + h [(1 - a) f(y, t) + a f(y + h/(2a) f, t + h/(2a))], book eq. 12.14."""
    a, b = np.zeros((2, 2)), np.array([1.0 - share, share])
    a[1, 0] = 0.5 / share
    return explicit(about, 2, a, b, np.array([0.0, 0.5 / share]), hermite(b))


@method
def midpoint() -> Method:
    return _rk2("Modified Euler-Cauchy (midpoint) method of order 2, fixed steps.", 1.0)


@method
def heun() -> Method:
    return _rk2("Modified trapezoid (Heun's) method of order 2, fixed steps.", 0.5)


@method
def ralston() -> Method:
    return _rk2("Second-order method with the smallest error bound, fixed steps.", 0.75)
