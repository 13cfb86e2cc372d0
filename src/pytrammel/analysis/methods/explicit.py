"""Explicit Runge–Kutta methods: tableaus for one kernel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pytrammel.analysis.methods import Array, Method, method
from pytrammel.analysis.methods import dop853_numbers as DOP853
from pytrammel.kernels.methods import runge_kutta as kernels

# lowest order of methods that pass singular positions: the shorter steps of others there reach rounding, which such a position magnifies
PASSING = 5


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
        out = np.zeros(int(places[-1]) + derivatives + 3 * size)  # and a stage, and two estimates of the error
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
        passes=error is not None and order >= PASSING,
    )


def lower_triangle(*rows: list[float]) -> Array:
    """Square table of rows whose last zeros are left out."""
    out = np.zeros((len(rows), len(rows)))
    for into, row in zip(out, rows, strict=True):
        into[: len(row)] = row
    return out


def hermite(b: Array) -> Array:
    """Cubic interpolant of any method: y0 + h [(3θ² - 2θ³) Σ b_i k_i + (θ - 2θ² + θ³) k_0 + (θ³ - θ²) k_end]."""
    dense = np.zeros((b.size + 1, 3))
    dense[:-1, 1], dense[:-1, 2] = 3.0 * b, -2.0 * b
    dense[0] += [1.0, -2.0, 1.0]
    dense[-1] += [0.0, -1.0, 1.0]
    return dense


@method
def dop853() -> Method:
    s = DOP853.B.size
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
def default() -> Method:
    about = "`dop853`; where a motion turns out to be stiff and about a second of computing or more is left, it goes on as `auto`."
    return replace(dop853(), about=about, stiff="radau5", worth_changing=2e7)  # numbers and evaluations of some 40 ns


@method
def auto() -> Method:
    about = (
        "Begins as `dop853` and changes to `radau5` where the motion is stiff, and back; the result says when and why."
    )
    return replace(dop853(), about=about, stiff="radau5")


@method
def dopri5() -> Method:
    a = lower_triangle(
        [], [1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
    )  # fmt: skip
    b = np.array([35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84])
    c = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0])
    error = np.array([-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40])
    dense = np.array([
        [1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
        [0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
        [0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
        [0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
        [0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
    ])  # fmt: skip
    return explicit(
        "Dormand and Prince's method of order 5(4) with Shampine's fourth-order interpolant; better for many contacts.",
        5, a, b, c, dense, error=error, stable=3.25,
    )  # fmt: skip


@method
def bs32() -> Method:
    b = np.array([2 / 9, 1 / 3, 4 / 9])
    dense = np.array([[1.0, -4 / 3, 5 / 9], [0.0, 1.0, -2 / 3], [0.0, 4 / 3, -8 / 9], [0.0, -1.0, 1.0]])
    return explicit(
        "Bogacki and Shampine's method of order 3(2); for rough answers.",
        3, lower_triangle([], [1 / 2], [0.0, 3 / 4]), b, np.array([0.0, 1 / 2, 3 / 4]), dense,
        error=np.array([5 / 72, -1 / 12, -1 / 9, 1 / 8]),
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
