"""Small motions of a constrained system about a state, in as many coordinates as it has degrees of freedom.

Let x be small motions along the columns (at a moving state: in axes that turn with the angular velocity W, rotations included). With
x = N y, where no holonomic row forbids N, and y' = Z s + Y y, where no row at all forbids Z s (without rolling Z = 1, Y = 0, s = y'),

    L' M N (Z s' + Y y') + L' C N y' + L' K N y = L' (B u + F z),

L being the motions along which no reaction acts: N Z, unless friction sees reactions. About rest and about motions that are steady in the
turning axes all matrices are constant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel._util.messages import brief
from pytrammel.analysis.at_state import evaluate_state
from pytrammel.analysis.freedom.rank import exact_rows, jacobian, rank_of
from pytrammel.analysis.small_motions.linear_terms import LinearTerms, left_over, linear_terms
from pytrammel.analysis.stacks import least_squares
from pytrammel.errors import RunWarning
from pytrammel.kernels import layout as L
from pytrammel.system.lowering import System
from pytrammel.system.pattern import pattern

Array = NDArray[np.float64]
PASSES = 50  # at most, for forces that depend on reactions


@brief
@dataclass(frozen=True)
class State:
    """A state of a system with the active equations, in numbers.

    Attributes:
        system: The system, lowered for dynamics.
        floats: Its float buffer as used.
        rows: Active equations.
        time, q, v, z: Time, coordinates, velocities, inner states.
    """

    system: System
    floats: Array
    rows: tuple[int, ...]
    time: float
    q: Array
    v: Array
    z: Array

    @property
    def at_rest(self) -> bool:
        return not self.v.any()


@dataclass(frozen=True)
class Reduced:
    """Small motions about a state; see above. Columns in their own units.

    Attributes:
        state: The state.
        a, lam: Accelerations there, and multipliers of the independent equations in elimination order.
        terms: Derivatives at the state.
        axes: Small motions of the columns per unit of x, shape (n, n).
        turning: Rates of the axes of x, as a matrix: x' in space is x' in the axes plus `turning` x.
        basis, left: N and L, shape (n, p) and (n, s).
        freedom: Z, shape (p, s).
        drift: Y, shape (p, p).
        full_mass, full_damping, full_stiffness: M, C, K of all columns in the axes of x.
        spin: Angular velocities that body components of rotations carry along, as a matrix.
        changing: D, P, Q of x' = N s + D y and x'' = N s' + P s + Q y where N changes with time; None where it does not.
    """

    state: State
    a: Array
    lam: Array
    terms: LinearTerms
    axes: Array
    turning: Array
    basis: Array
    left: Array
    freedom: Array
    drift: Array
    full_mass: Array
    full_damping: Array
    full_stiffness: Array
    spin: Array
    changing: tuple[Array, Array, Array] | None = None

    @property
    def drifting(self) -> Array:
        """Small speeds of all columns by y, in the axes of x."""
        turned = self.turning @ self.basis
        return turned if self.changing is None else turned + self.changing[0]

    @property
    def holonomic(self) -> bool:
        return self.freedom.shape[0] == self.freedom.shape[1] and not self.drift.any()

    @property
    def mass(self) -> Array:
        return np.asarray(self.left.T @ self.full_mass @ self.basis @ self.freedom)

    @property
    def damping(self) -> Array:
        """By s: gyroscopic terms included."""
        inner = self.full_mass @ self.basis @ self.drift + self.full_damping @ self.basis
        if self.changing is not None:
            inner = inner + self.full_mass @ self.changing[1]
        return np.asarray(self.left.T @ inner @ self.freedom)

    @property
    def stiffness(self) -> Array:
        """By y."""
        moving = (self.full_mass @ self.basis @ self.drift + self.full_damping @ self.basis) @ self.drift
        if self.changing is not None:
            moving = moving + self.full_mass @ self.changing[2] + self.full_damping @ self.changing[0]
        return np.asarray(self.left.T @ (moving + self.full_stiffness @ self.basis))

    @property
    def rounding(self) -> float:
        """Error of entries of the stiffness by rounding: large parts cancel, and directions are exact to rounding of their largest part."""
        K, left, right = np.abs(self.full_stiffness), np.abs(self.left), np.abs(self.basis)
        parts = left.T @ K @ (right + self._blur(right)) + self._blur(left).T @ K @ right
        return float(np.finfo(float).eps * parts.max(initial=0.0))

    def _blur(self, directions: Array) -> Array:
        """Largest part of each direction, in column scales, along all columns."""
        scales = self.state.system.column_scales()[:, None]
        return np.asarray(scales * (directions / scales).max(axis=0, initial=0.0))

    def in_terms_of(self, positions: Array, speeds: Array) -> Reduced:
        """The same in other coordinates: `positions` times y and `speeds` times s (the same matrix without rolling)."""
        back, slow = np.linalg.inv(positions), np.linalg.inv(speeds)
        freedom = np.eye(len(slow)) if self.holonomic else positions @ self.freedom @ slow
        return replace(
            self, basis=self.basis @ back, left=self.left @ slow, freedom=freedom, drift=positions @ self.drift @ back
        )


def reduced(
    state: State, *, turn: Sequence[float] | float | None = None, kinks: bool = False, held: bool = False
) -> Reduced:
    """Linearise at a state and leave out what the constraints forbid.

    Args:
        turn: Angular velocity of the axes of x [rad/s]: a number in the plane, three global components in space.
        kinks: Look for kinks of force laws.
        held: Take the state as one of rest: no accelerations, reactions that balance the forces as well as they can.
    """
    system, scales = state.system, state.system.column_scales()
    rows = exact_rows(system, state.q, state.time, state.rows)
    found = rank_of(jacobian(system, state.q, state.time, rows))
    P = pattern(system, [rows[k] for k in found.independent])
    if held:
        a, lam = np.zeros(system.n_columns), balancing(state, P)
    else:
        solved = evaluate_state(system, state.floats, P, state.time, state.q, state.v, state.z)
        a, lam = solved.accelerations, solved.multipliers
    terms = linear_terms(
        system, P, state.time, state.q, state.v, a, lam, z=state.z, floats=state.floats, kinks=kinks
    )  # fmt: skip
    axes, turning, spin = _axes(state, turn)
    M, C, K = terms.mass, terms.damping, terms.stiffness
    if held and system.per_body == 6:
        K = K - _unbalanced_moments(state, P, lam)
    # columns of q, v and a in terms of x: x; x' + T x; x'' + 2 T x' + T T x - w x (x' + T x)
    mass = axes.T @ M @ axes
    damping = axes.T @ (M @ axes @ (2.0 * turning - spin) + C @ axes)
    stiffness = axes.T @ (M @ axes @ (turning - spin) @ turning + C @ axes @ turning + K @ axes)
    order = P[int(P[L.P_AT_ROWS]) :][: int(P[L.P_ROWS])]
    rolling = np.array([system.rows[int(k)].velocity_only for k in order], dtype=bool)
    J = terms.jacobian @ axes
    if rolling.any() and not held:
        basis = _null(J[~rolling], scales)
        slip = J[rolling] @ basis
        change = (J[rolling] @ turning + terms.rate_rows[rolling] @ axes) @ basis
        freedom = _null(slip, np.ones(basis.shape[1]))
        drift = -np.linalg.pinv(slip, rcond=1e-10) @ change
    else:
        basis = scales[:, None] * found.freedom if state.at_rest else _null(J, scales)
        freedom, drift = np.eye(basis.shape[1]), np.zeros((basis.shape[1],) * 2)
    left = basis @ freedom
    if terms.loads is not None and np.abs(terms.loads).max(initial=0.0) > 1e-12:
        left = _null((axes.T @ terms.reaction_columns).T, scales)
        left = left @ np.linalg.solve(left.T @ left, left.T @ basis @ freedom)
    return Reduced(state, a, lam, terms, axes, turning, basis, left, freedom, drift, mass, damping, stiffness, spin)


def balancing(state: State, P: NDArray[np.int64]) -> Array:
    """Multipliers of a pattern's rows that balance the forces at rest best, in elimination order and column scales."""
    system, still = state.system, np.zeros(state.system.n_columns)
    order = [int(k) for k in P[int(P[L.P_AT_ROWS]) :][: int(P[L.P_ROWS])]]
    scales, row_scales = system.column_scales(), system.row_scales()[order]
    columns = jacobian(system, state.q, state.time, order).T
    lam = np.zeros(len(order))
    for _ in range(PASSES):
        left, _ = left_over(system, P, state.time, state.q, still, still, lam, z=state.z, floats=state.floats)
        more = least_squares(columns[None], (left * scales)[None])[0] / row_scales
        lam = lam + more
        # only forces that see reactions need a second pass
        if not int(system.ints[L.N_REACTIONS]) or np.abs(more).max(initial=0.0) <= 1e-13 * np.abs(lam).max(initial=0.0):
            break
    return lam


def _unbalanced_moments(state: State, P: NDArray[np.int64], lam: Array) -> Array:
    """The part of K that is there only because rotations do not commute: without it K is the second derivative of the energy, if any."""
    system, still = state.system, np.zeros(state.system.n_columns)
    left, _ = left_over(system, P, state.time, state.q, still, still, lam, z=state.z, floats=state.floats)
    out = np.zeros((still.size, still.size))
    for b in range(len(system.model.bodies) - 1):
        angle = slice(6 * b + 3, 6 * b + 6)
        out[angle, angle] = 0.5 * rotations.skew(left[angle])
    return out


def _null(rows: Array, scales: Array) -> Array:
    """Motions that no row forbids: orthonormal in scaled coordinates, handed back in the columns' own units."""
    return np.asarray(scales[:, None] * rank_of(rows * scales).freedom)


def _axes(state: State, turn: Sequence[float] | float | None) -> tuple[Array, Array, Array]:
    """Columns per unit of x, rates of the axes, and the angular velocities that body components of rotations carry along."""
    system, n = state.system, state.system.n_columns
    axes, turning, spin = np.eye(n), np.zeros((n, n)), np.zeros((n, n))
    if state.at_rest and turn is None:
        return axes, turning, spin
    size, bodies = system.per_body, len(system.model.bodies) - 1
    rate = np.zeros(3)
    if turn is not None:
        rate[3 - np.size(turn) :] = np.asarray(turn, dtype=float)
    whirl = rotations.skew(rate)
    for b in range(bodies):
        at = size * b
        if size == 3:
            turning[at : at + 2, at : at + 2] = whirl[:2, :2]
            continue
        A = rotations.matrix(state.q[7 * b + 3 : 7 * b + 7])
        place, angle = slice(at, at + 3), slice(at + 3, at + 6)
        axes[angle, angle] = A.T
        turning[place, place] = turning[angle, angle] = whirl
        spin[angle, angle] = rotations.skew(A @ state.v[at + 3 : at + 6])
    return axes, turning, spin


def doubts(found: Reduced) -> Iterator[RunWarning]:
    """Where force laws have a kink at the state: nothing is linear there."""
    system, notes = found.state.system, found.terms.notes
    for kind, what in enumerate(("position", "velocity")):
        bent = np.flatnonzero(notes[:, kind])
        if bent.size:
            k = int(bent[0])
            name = system.columns[found.terms.coupling.local_columns[k][int(notes[k, kind]) - 1]]
            cause = "a contact that just touches, a stop, a slack rope" if what == "position" else "dry friction"
            yield RunWarning(
                "kink",
                f"the forces have a kink in the {what} along {name} here ({cause}): small motions are not linear, and stability and "
                "frequencies are those of the mean of both sides. Look at a simulation.",
                time=found.state.time,
            )
