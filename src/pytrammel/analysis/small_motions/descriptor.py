"""State space where directions have no mass: those that are damped are states of the first order, those that are held by stiffness follow
at once, and those in which nothing happens stay.

With y = T a + N b, M N = 0, the equations M y'' + C y' + K y = B u hold no b''. Along the part of b that is damped they give b', along the
rest they must give b itself from the other states and the inputs. Of a driver, u, u' and u'' push: they count as three inputs first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.lazy_imports import linalg
from pytrammel.analysis.small_motions.linear_signals import Inputs, rates_of_a_driver
from pytrammel.analysis.small_motions.reduced import Reduced
from pytrammel.errors import ModelError

Array = NDArray[np.float64]
MASSLESS = 1e-12  # smallest share of the largest mass that counts as mass
NOTHING = 1e-11  # likewise for damping and stiffness


@dataclass(frozen=True)
class StateSpace:
    """x' = A x + B u, and what coordinates and speeds are in terms of x and u.

    Attributes:
        A, B: Matrices of the states.
        states: Names of the states.
        places, places_now: y = places x + places_now u.
        speeds, speeds_now, speeds_of_rates: y' = speeds x + speeds_now u + speeds_of_rates u'.
    """

    A: Array
    B: Array
    states: tuple[str, ...]
    places: Array
    places_now: Array
    speeds: Array
    speeds_now: Array
    speeds_of_rates: Array

    def outputs(self, rows: Array, names: Sequence[str]) -> tuple[Array, Array]:
        """C and D of outputs given as rows of (y, y')."""
        p = len(self.places)
        place, speed = rows[:, :p], rows[:, p:]
        sees = np.abs(speed @ self.speeds_of_rates).max(axis=1, initial=0.0)
        if sees.size and sees.max() > NOTHING * max(1e-300, float(np.abs(self.speeds_of_rates).max(initial=0.0))):
            raise ModelError(
                f"the output {names[int(np.argmax(sees))]!r} is a rate of something without mass that follows an input at once: it "
                "responds to the input's rate. Ask for its place, or give it some mass."
            )
        return place @ self.places + speed @ self.speeds, place @ self.places_now + speed @ self.speeds_now

    def driven(self, inputs: Inputs, rows: Array) -> StateSpace:
        """With the motions of drivers as inputs, whose rates and accelerations stand behind all inputs so far (`pushes`).

        x' = A x + B0 u + B1 u' + B2 u'' becomes w' = A w + (B0 + A B1 + A A B2) u with w = x - B2 u' - (B1 + A B2) u. What the outputs,
        rows of (y, y'), see of u' and u'' must be nil.
        """
        n, A, p = len(inputs.names), self.A, len(self.places)
        B, now = self.B[:, :n].copy(), self.places_now[:, :n].copy()
        for place, k in enumerate(inputs.motions):
            first, second = n + 2 * place, n + 2 * place + 1
            B1, B2 = self.B[:, first], self.B[:, second]
            seen = rows[:, :p] @ np.column_stack(
                [self.places @ B2 + self.places_now[:, first], self.places_now[:, second]]
            )
            if rows[:, p:].any() or np.abs(seen).max(initial=0.0) > 1e-9 * (
                1.0 + np.abs(rows[:, :p] @ now[:, k]).max(initial=0.0)
            ):
                raise rates_of_a_driver(inputs.names[k])
            B[:, k] += A @ B1 + A @ A @ B2
            now[:, k] += self.places @ (B1 + A @ B2)
        return StateSpace(
            **{
                **vars(self),
                "B": B,
                "places_now": now,
                "speeds_now": self.speeds_now[:, :n],
                "speeds_of_rates": self.speeds_of_rates[:, :n],
            }
        )


def is_massless(found: Reduced) -> bool:
    """Return True if some free direction has no mass."""
    masses = np.linalg.svd(found.mass, compute_uv=False)
    return bool(masses.size) and bool(masses[-1] <= MASSLESS * masses[0])


def pushes(base: Reduced, inputs: Inputs) -> Array:
    """Generalised forces along free motions of unit inputs, then of the rate and acceleration of every driver among them."""
    out = base.left.T @ base.axes.T @ inputs.forces
    more = []
    for k, motion in inputs.motions.items():
        out[:, k] = -base.left.T @ base.full_stiffness @ motion
        more += [-base.left.T @ matrix @ motion for matrix in (base.full_damping, base.full_mass)]
    return np.column_stack([out, *more])


def descriptor(base: Reduced, labelled: Reduced, names: Sequence[str], B: Array) -> StateSpace:
    """State space of small motions, some of which have no mass.

    Args:
        base: The motions in coordinates of like size, in which zeros can be told.
        labelled: The same in coordinates with names.
        names: Those names.
        B: Generalised forces of unit inputs along the motions of `base`, shape (motions, inputs).
    """
    model = base.state.system.model.name
    if not base.holonomic or base.terms.state_z.size:
        raise ModelError(
            f"a direction in which {model!r} can move has no mass, while it rolls or has forces with states of their own: there is no "
            "state space of it here. Give its parts some mass."
        )
    M, C, K = base.mass, base.damping, base.stiffness
    sizes_of_inputs = np.abs(B).max(axis=0, initial=0.0)
    to_names = np.asarray(np.linalg.lstsq(labelled.basis, base.basis, rcond=None)[0], dtype=np.float64)
    left, sizes, right = (np.asarray(part, dtype=np.float64) for part in np.linalg.svd(M))
    r = int((sizes > MASSLESS * sizes[0]).sum())
    T, N, Tl, Nl = right[:r].T, right[r:].T, left[:, :r], left[:, r:]
    damped, at_rest, rows, held = _split(Nl.T @ C @ N)
    N1, N2, L1, R = N @ damped, N @ at_rest, Nl @ rows, Nl @ held
    limit = NOTHING * float(np.abs(C).max(initial=0.0))
    if np.abs(R.T @ C).max(initial=0.0) > limit or np.abs(C @ N2).max(initial=0.0) > limit:
        raise _refusal(base, N2, model, "its damper couples it to others in a way that leaves its place undetermined")
    stiff, idle, stiff_rows, idle_rows = _split(R.T @ K @ N2, float(np.abs(K).max(initial=0.0)))
    loose, loose_rows = N2 @ idle, R @ idle_rows
    limit = NOTHING * float(np.abs(K).max(initial=0.0))
    if np.abs(loose_rows.T @ K).max(initial=0.0) > limit or np.abs(K @ loose).max(initial=0.0) > limit:
        raise _refusal(base, loose, model, "its stiffness holds others, but not itself")
    if (np.abs(loose_rows.T @ B) > NOTHING * sizes_of_inputs).any():
        raise _refusal(base, loose, model, "an input acts along it, and nothing resists")
    N2, R = N2 @ stiff, R @ stiff_rows
    # b2 = follow (a, b1) + now u
    own = np.hstack([T, N1])
    k1 = N1.shape[1]
    held_by = R.T @ K @ N2
    follow, now = -np.linalg.solve(held_by, R.T @ K @ own), np.linalg.solve(held_by, R.T @ B)
    places, places_now = np.hstack([own + N2 @ follow, np.zeros((len(M), r))]), N2 @ now
    # b1' and a''
    speeds_own = np.vstack([np.hstack([np.zeros((r, r + k1)), np.eye(r)]), np.zeros((k1, 2 * r + k1))])
    inputs_own = np.zeros((r + k1, B.shape[1]))
    pull = -(L1.T @ K @ places) - L1.T @ C @ T @ speeds_own[:r]
    dampers = L1.T @ C @ N1
    speeds_own[r:] = np.linalg.solve(dampers, pull)
    inputs_own[r:] = np.linalg.solve(dampers, L1.T @ B - L1.T @ K @ places_now)
    mass = Tl.T @ M @ T
    push = -(Tl.T @ K @ places) - Tl.T @ C @ own @ speeds_own
    push_now = Tl.T @ B - Tl.T @ K @ places_now - Tl.T @ C @ own @ inputs_own
    A = np.vstack([speeds_own, np.linalg.solve(mass, push)])
    inputs = np.vstack([inputs_own, np.linalg.solve(mass, push_now)])
    moving = (own + N2 @ follow) @ speeds_own
    moving_now = (own + N2 @ follow) @ inputs_own
    softest = np.linalg.svd(held_by, compute_uv=False).min(initial=np.inf)
    rounding = 1e-9 * sizes_of_inputs / float(softest)
    at_once = to_names @ places_now
    of_rates = np.where(np.abs(at_once) > rounding, at_once, 0.0)
    found = StateSpace(A, inputs, (), to_names @ places, at_once, to_names @ moving, to_names @ moving_now, of_rates)
    return _labelled(found, names, r, k1, rounding)


def _split(matrix: Array, size: float | None = None) -> tuple[Array, Array, Array, Array]:
    """Columns along which a matrix does something and along which it does nothing, and the rows likewise."""
    if not matrix.size:
        n = matrix.shape[1]
        return np.zeros((n, 0)), np.eye(n), np.zeros((len(matrix), 0)), np.eye(len(matrix))
    left, values, right = np.linalg.svd(matrix)
    k = int((values > NOTHING * max(size or 0.0, float(values[0]), 1e-300)).sum())
    return right[:k].T, right[k:].T, left[:, :k], left[:, k:]


def _labelled(found: StateSpace, names: Sequence[str], r: int, k1: int, rounding: Array) -> StateSpace:
    """States by the names of coordinates, where as many of them do not follow inputs at once."""
    n = r + k1
    free = [k for k in range(len(names)) if not (np.abs(found.places_now[k]) > rounding).any()]
    own = found.places[free][:, :n]
    order = linalg.qr(own.T, mode="economic", pivoting=True)[2] if len(free) >= n and n else []
    chosen = sorted(free[k] for k in order[:n])
    positions = found.places[chosen][:, :n]
    fast = [k for k, row in enumerate(positions) if not np.abs(row[r:]).max(initial=0.0) > 1e-9]
    if len(chosen) < n or len(fast) < r or (n and np.linalg.cond(positions) > 1e9):
        places = [f"free motion {k + 1}" for k in range(r)] + [f"damped motion {k + 1}" for k in range(k1)]
        labels = (*places, *(f"free motion {k + 1}.rate" for k in range(r)))
        return StateSpace(**{**vars(found), "states": labels})
    fast = fast[:r]
    change = np.zeros((n + r, n + r))
    change[:n, :n], change[n:, n:] = positions, positions[fast][:, :r]
    back = np.linalg.inv(change)
    labels = (*(names[k] for k in chosen), *(f"{names[chosen[k]]}.rate" for k in fast))
    return StateSpace(
        change @ found.A @ back, change @ found.B, labels, found.places @ back, found.places_now, found.speeds @ back,
        found.speeds_now, found.speeds_of_rates,
    )  # fmt: skip


def _refusal(base: Reduced, directions: Array, model: str, why: str) -> ModelError:
    motion = np.abs(base.axes @ base.basis @ directions) / base.state.system.column_scales()[:, None]
    column = base.state.system.columns[int(np.argmax(motion.max(axis=1, initial=0.0)))]
    return ModelError(
        f"{model!r} can move without mass, most of all along {column}, and {why}: there is no state space. Give it some mass, damping or "
        "stiffness, or hold it. equilibrium() knows its modes."
    )
