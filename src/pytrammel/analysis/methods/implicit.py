"""Implicit Runge–Kutta methods for stiff machines."""

from __future__ import annotations

import numpy as np

from pytrammel.analysis.methods import Array, Method, method
from pytrammel.kernels.methods import dirk, radau

Term = tuple[Array, int, float]
"""A term of the Taylor series: what it counts at the stages, the power of the time, and what it counts at the time one."""


def through_stages(a: Array, terms: list[Term], missed: Term) -> tuple[Array, Array]:
    """A polynomial through the states at stages: its weights of the rates at stages, and what it misses of one more term.

    Args:
        a: Tableau, shape (s, s).
        terms: Terms that it meets, as many as there are implicit stages.
        missed: A term that it does not meet.

    Returns coefficients of 1, theta, theta², …, shapes (s, degree + 1) and (degree + 1,).
    """
    degree = max(power for _, power, _ in (*terms, missed))
    wanted = np.zeros((len(terms), degree + 1))
    for k, (_, power, value) in enumerate(terms):
        wanted[k, power] = value
    of_states = np.linalg.solve(np.array([at_stages[1:] for at_stages, _, _ in terms]), wanted)
    left = missed[0][1:] @ of_states
    left[missed[1]] -= missed[2]
    return a[1:].T @ of_states, left


def diagonally_implicit(
    about: str, order: int, a: Array, embedded: Array, dense: Array, missed: Array, control_order: int | None = None
) -> Method:
    """A method with an explicit first stage and the last stage as solution.

    Args:
        about: One line about it.
        order: Order of the solution.
        a: Tableau, shape (s, s); its last row are the weights.
        embedded: Weights of a solution of another order, shape (s,).
        dense, missed: Its interpolant (`through_stages`).
        control_order: Power of h with which their difference goes, if not the order.
    """
    stages = embedded.size
    tables = [np.ravel(a), a.sum(axis=1), a[-1] - embedded, np.ravel(dense), missed]
    places = np.cumsum([dirk.FIRST_FREE, *(table.size for table in tables)])

    def numbers(size: int) -> tuple[Array, list[int]]:
        # derivatives, begin and end of the step, the step before, scratch
        ends = np.cumsum([places[-1], stages * size, size, size, 2 * size, 3 * size])
        out = np.zeros(int(ends[-1]))
        out[dirk.FIRST_FREE : int(places[-1])] = np.concatenate(tables)
        return out, [stages, missed.size, *(int(p) for p in places[:-1]), *(int(p) for p in ends[:-1])]

    return Method(
        about=about,
        order=order,
        family="dirk",
        fixed=False,
        numbers=numbers,
        implicit=True,
        control_order=control_order,
        correction=(dirk.AT_SCRATCH, 2),
    )


@method
def esdirk43() -> Method:
    a = np.zeros((6, 6))
    a[1, :2] = 1 / 4, 1 / 4
    a[2, :3] = 8611 / 62500, -1743 / 31250, 1 / 4
    a[3, :4] = 5012029 / 34652500, -654441 / 2922500, 174375 / 388108, 1 / 4
    a[4, :5] = 15267082809 / 155376265600, -71443401 / 120774400, 730878875 / 902184768, 2285395 / 8070912, 1 / 4
    a[5] = 82889 / 524892, 0, 15625 / 83664, 69875 / 102672, -2260 / 8211, 1 / 4
    embedded = np.array(
        [
            4586570599 / 29645900160,
            0,
            178811875 / 945068544,
            814220225 / 1159782912,
            -3700637 / 11593932,
            61727 / 225920,
        ]
    )
    about = "Kennedy and Carpenter's implicit method of order 4(3), L-stable: for stiff machines at moderate accuracy."
    # states where something stiff leads, and rates to the second order; the error of the third order is what looking back takes off
    c = a.sum(axis=1)
    terms = [(c**power, power, 1.0) for power in (1, 2, 3, 4)]
    dense, missed = through_stages(a, [*terms, (a @ c**2, 3, 1 / 3)], (a @ c**3, 4, 1 / 4))
    return diagonally_implicit(about, 4, a, embedded, dense, missed)


@method
def trbdf2() -> Method:
    root = np.sqrt(2.0)
    a = np.zeros((3, 3))
    a[1, :2] = 1.0 - root / 2.0
    a[2] = root / 4.0, root / 4.0, 1.0 - root / 2.0
    embedded = np.array([(4.0 - root) / 12.0, (4.0 + 3.0 * root) / 12.0, (2.0 - root) / 6.0])
    about = "Trapezoidal rule and second-order backward differences in one step, order 2(3), L-stable: for stiff machines at low accuracy."
    c = a.sum(axis=1)
    dense, missed = through_stages(a, [(c**power, power, 1.0) for power in (1, 2)], (c**3, 3, 1.0))
    return diagonally_implicit(about, 2, a, embedded, dense, missed, control_order=3)


@method
def radau5() -> Method:
    root = np.sqrt(6.0)
    tableau = np.array(
        [
            [(88 - 7 * root) / 360, (296 - 169 * root) / 1800, (-2 + 3 * root) / 225],
            [(296 + 169 * root) / 1800, (88 + 7 * root) / 360, (-2 - 3 * root) / 225],
            [(16 - root) / 36, (16 + root) / 36, 1 / 9],
        ]
    )
    # coordinates in which the inverse tableau is one real number and one turning pair
    values, vectors = np.linalg.eig(np.linalg.inv(tableau))
    real, pair = int(np.argmin(np.abs(values.imag))), int(np.argmax(values.imag))
    into = np.column_stack([vectors[:, real].real, vectors[:, pair].real, vectors[:, pair].imag])
    out_of = np.linalg.inv(into)
    eigenvalues = [values[real].real, values[pair].real, -values[pair].imag]
    # weights of the increments in the estimate of the error
    error = np.array([-13 - 7 * root, -13 + 7 * root, -1]) / 3
    tables = [np.ravel(into), np.ravel(out_of), tableau.sum(axis=1), error]
    places = np.cumsum([radau.FIRST_FREE, *(table.size for table in tables)])

    def numbers(size: int) -> tuple[Array, list[int]]:
        # rates at the beginning, increments of the step before and of this one, their other coordinates, rates and scratch
        ends = np.cumsum([places[-1], size, 3 * size, 3 * size, 3 * size, 4 * size])
        out = np.zeros(int(ends[-1]))
        out[radau.REAL : radau.REAL + 3] = eigenvalues
        out[radau.FIRST_FREE : int(places[-1])] = np.concatenate(tables)
        return out, [*(int(p) for p in places[:-1]), *(int(p) for p in ends[:-1])]

    about = "Radau IIA with three stages, order 5, L-stable: for stiff machines at high accuracy."
    return Method(
        about=about, order=5, family="radau", fixed=False, numbers=numbers, implicit=True, control_order=4, correction=(radau.AT_F, 3)
    )  # fmt: skip
