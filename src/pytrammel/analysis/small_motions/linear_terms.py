"""Mass, damping, stiffness and rows of a system at one state, asked from Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.lazy_imports import sparse
from pytrammel.kernels import layout as L
from pytrammel.kernels import linear_layout as N
from pytrammel.kernels.balance import balance_run
from pytrammel.kernels.linearise import linearise_run
from pytrammel.system.coupling import Coupling, coupling
from pytrammel.system.lowering import System
from pytrammel.system.positions import moved

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
KERNELS = ("linearise_run", "balance_run")
STEPS = (1e-3, 5e-4)  # of differences of the whole, in scales of what is varied


@dataclass(frozen=True)
class LinearTerms:
    """Derivatives of r = M a - g - J'lam at one state, in columns of v: M = dr/da, C = dr/dv, K = dr/dq.

    Rotations in space are small rotations about a body's own axes. Rows are those active in the pattern, in elimination order.

    Attributes:
        system: The system.
        coupling: Where the values below belong.
        pattern: The active equations.
        mass_values, damping_values, stiffness_values: Entries of M, C, K at ``coupling.rows``, ``coupling.columns``.
        entries: Stored Jacobian entries; likewise, beside them, derivatives by position of J v and of J a - gamma, and by velocity of the
            latter (only where asked for).
        by_state: Derivatives of forces by inner states, shape (n_columns, n_states).
        state_q, state_v, state_z: Derivatives of the rates of inner states by position, velocity and themselves.
        notes: Per force element: kink by position and by velocity (0, or 1 + local column), errors of its stiffness and damping.
        finite: Whether all are numbers.
        loads, load_stiffness: What friction and laws that see reactions add to J' in -dr/dlam, shape (n_columns, rows), and to K through
            the reactions' change with position; None where none does. These may couple what no element couples.
    """

    system: System
    coupling: Coupling
    pattern: Integers
    mass_values: Array
    damping_values: Array
    stiffness_values: Array
    entries: Array
    rate_entries: Array
    second_entries_q: Array
    second_entries_v: Array
    by_state: Array
    state_q: Array
    state_v: Array
    state_z: Array
    notes: Array
    finite: bool
    loads: Array | None = None
    load_stiffness: Array | None = None

    @property
    def mass(self) -> Array:
        return self.dense(self.mass_values)

    @property
    def damping(self) -> Array:
        return self.dense(self.damping_values)

    @property
    def stiffness(self) -> Array:
        held = self.dense(self.stiffness_values)
        return held if self.load_stiffness is None else held + self.load_stiffness

    @property
    def jacobian(self) -> Array:
        """J of the active equations, shape (rows, n_columns)."""
        return self._rows(self.entries)

    @property
    def reaction_columns(self) -> Array:
        """-dr/dlam, shape (n_columns, rows): J', and more where forces depend on what joints carry."""
        return self.jacobian.T if self.loads is None else self.jacobian.T + self.loads

    @property
    def rate_rows(self) -> Array:
        """d(J v)/dq of the active equations."""
        return self._rows(self.rate_entries)

    @property
    def second_rows(self) -> tuple[Array, Array]:
        """d(J a - gamma)/dq and by v of the active equations."""
        return self._rows(self.second_entries_q), self._rows(self.second_entries_v)

    def dense(self, values: Array) -> Array:
        """Entries of the pattern as a dense matrix."""
        n = self.system.n_columns
        out = np.zeros((n, n))
        out[self.coupling.rows, self.coupling.columns] = values[: self.coupling.rows.size]
        return out

    def sparse(self, values: Array) -> csr_array:
        """Entries of the pattern as a sparse matrix."""
        n, where = self.system.n_columns, (self.coupling.rows, self.coupling.columns)
        return sparse.csr_array((values[: self.coupling.rows.size], where), shape=(n, n))

    def _rows(self, entries: Array) -> Array:
        active = self.pattern[int(self.pattern[L.P_AT_ROWS]) :][: int(self.pattern[L.P_ROWS])]
        out = np.zeros((active.size, self.system.n_columns))
        for k, row in enumerate(active):
            first = self.system.row_entries[row]
            for e, column in enumerate(self.system.row_columns[row]):
                if column >= 0:
                    out[k, column] += entries[first + e]
        return out


def linear_terms(
    system: System, pattern: Integers, time: float, q: Array, v: Array, a: Array, lam: Array, *, z: Array | None = None,
    floats: Array | None = None, accelerations: bool = False, kinks: bool = False,
) -> LinearTerms:  # fmt: skip
    """Linearise at one state.

    Args:
        system: A system lowered for dynamics.
        pattern: Its active equations.
        time, q, v: The state.
        a, lam: Accelerations, and multipliers of the active equations in elimination order.
        z: Inner states; zero by default.
        floats: Float buffer, if not the system's own.
        accelerations: Fill derivatives of J a - gamma too.
        kinks: Look for kinks of force laws; there the mean of both sides is taken.
    """
    found = coupling(system)
    ints, states = system.ints, int(system.ints[L.N_STATES])
    jac, lin = np.zeros(int(ints[L.N_JACOBIAN])), np.zeros(int(found.ints[N.T_SIZE]))
    status = linearise_run(
        ints, system.floats if floats is None else floats, pattern, found.ints, float(time), q.copy(), v.copy(),
        np.zeros(states) if z is None else z, a, lam, accelerations * N.ACCELERATION_ROWS + kinks * N.KINKS, lin, jac,
    )  # fmt: skip
    M, C, K, rate_q, second_q, second_v, by_z, z_q, z_v, z_z, notes = (
        lin[int(found.ints[part]) : int(found.ints[part + 1])] for part in range(N.MASS, N.NOTES + 1)
    )
    by_state, state_q, state_v = (
        np.zeros((system.n_columns, states)),
        *(np.zeros((states, system.n_columns)) for _ in "qv"),
    )
    held = found.force_columns >= 0
    np.add.at(by_state, (found.force_columns[held], found.force_states[held]), by_z[held])
    state_q[found.rate_states, found.rate_columns] = z_q
    state_v[found.rate_states, found.rate_columns] = z_v
    terms = LinearTerms(
        system, found, pattern, M, C, K, jac, rate_q, second_q, second_v, by_state, state_q, state_v, np.diag(z_z),
        notes.reshape(-1, N.NOTE_SIZE), status == L.OK,
    )  # fmt: skip
    if any(force.use.state for force in system.forces):
        terms = _with_states(terms, system.floats if floats is None else floats, time, q, v, a, lam, z)
    if int(ints[L.N_REACTIONS]) == 0:
        return terms
    return _with_loads(terms, system.floats if floats is None else floats, time, q, v, a, lam, z)


def left_over(
    system: System, pattern: Integers, time: float, q: Array, v: Array, a: Array, lam: Array, *, z: Array | None = None,
    floats: Array | None = None,
) -> tuple[Array, Array]:  # fmt: skip
    """r = M a - g - J'lam for given accelerations and multipliers, and the rates of inner states."""
    states = int(system.ints[L.N_STATES])
    left, rates = np.zeros(system.n_columns), np.zeros(states)
    balance_run(
        system.ints, system.floats if floats is None else floats, pattern, float(time), q.copy(), v.copy(),
        np.zeros(states) if z is None else z, a, lam, left, rates,
    )  # fmt: skip
    return left, rates


def _with_states(
    terms: LinearTerms, floats: Array, time: float, q: Array, v: Array, a: Array, lam: Array, z: Array | None
) -> LinearTerms:
    """Any force and any rate may depend on a state of the user: differences of the whole by each of them."""
    system = terms.system
    at = system.inner_start if z is None else z
    forces, rates = terms.by_state.copy(), terms.state_z.copy()
    for k, force in enumerate(force for force in system.forces if force.use.has_state):
        if force.use.state:
            size = max(force.use.scale or 1.0, abs(float(at[k])))
            step = size * np.eye(at.size)[k]

            def whole(h: float, step: Array = step) -> Array:
                return np.concatenate(
                    left_over(system, terms.pattern, time, q, v, a, lam, z=at + h * step, floats=floats)
                )

            slope = _slope(whole) / size
            forces[:, k], rates[:, k] = -slope[: system.n_columns], slope[system.n_columns :]
    return replace(terms, by_state=forces, state_z=rates)


def _with_loads(
    terms: LinearTerms, floats: Array, time: float, q: Array, v: Array, a: Array, lam: Array, z: Array | None
) -> LinearTerms:
    """Forces that depend on what joints carry change with positions and multipliers through it: differences of the whole."""
    system, n = terms.system, terms.system.n_columns

    def left(at: Array, load: Array) -> Array:
        return left_over(system, terms.pattern, time, at, v, a, load, z=z, floats=floats)[0]

    def by_position(c: int) -> Array:
        step = scales[c] * np.eye(n)[c]
        return np.asarray(_slope(lambda h: left(moved(system, q, h * step), lam)) / scales[c])

    def by_multiplier(k: int) -> Array:
        step = size * np.eye(lam.size)[k]
        return _slope(lambda h: left(q, lam + h * step)) / size

    scales = system.column_scales()
    size = max(1e-9, float(np.abs(lam).max(initial=0.0)))
    whole, by_lam = [by_position(c) for c in range(n)], [by_multiplier(k) for k in range(lam.size)]
    stiffness = np.array(whole).reshape(n, n).T - terms.stiffness
    return replace(terms, loads=-np.array(by_lam).reshape(lam.size, n).T - terms.jacobian.T, load_stiffness=stiffness)


def _slope(f: Callable[[float], Array]) -> Array:
    long, short = ((f(h) - f(-h)) / (2.0 * h) for h in STEPS)
    return np.asarray((4.0 * short - long) / 3.0)
