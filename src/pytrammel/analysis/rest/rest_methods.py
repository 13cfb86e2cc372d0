"""Methods that find a position of rest; each is one function with `@rest_method`, and nothing else needs to be edited."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.lazy_imports import linalg
from pytrammel.analysis.freedom.rank import dependence, jacobian, rank_of, slack
from pytrammel.analysis.rest.at_rest import FLAT, LONGEST, TOLERANCE, Balance, Standstill, row_gaps, vanish
from pytrammel.analysis.rest.potential import PotentialEnergy
from pytrammel.analysis.rest.relaxation import settled
from pytrammel.analysis.small_motions.linear_terms import left_over, linear_terms
from pytrammel.errors import AssemblyError, ModelError
from pytrammel.kernels import layout as L
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import difference, moved

Array = NDArray[np.float64]
ITERATIONS = 100
SLOW = 20  # iterations after which a search may approach a position where force and stiffness vanish together
SOFT = 1e-5  # ratio of stiffnesses below which Newton's method takes shortened steps
NARROW, WIDE = 1e-9, 1e-6  # limits of steps of differences, in column scales
VANISHED = 1e-6  # unbalanced fraction of the forces in equilibrium: a larger one is a fraction of forces that vanish
FARTHER = 8.0  # factor on the longest step after that many iterations
CIRCULATORY = 1e-5  # asymmetry of the stiffness above which there is no potential energy
ROUNDING = 1e-15  # of the energy: a change that small is none


@dataclass(frozen=True)
class Wish:
    """Options of a search.

    Attributes:
        nearest: The nearest balance, stable or not, instead of going downhill.
        cut: Names of joints that are cut (penalty, augmented Lagrangian); none means all.
        weight: Weight of what cut joints are open [N/m]; by default one that suits the forces.
        duration: Longest motion that is waited for (damping, settling) [s].
    """

    nearest: bool = False
    cut: tuple[str, ...] = ()
    weight: float | None = None
    duration: float = 100.0


@dataclass(frozen=True)
class Found:
    """What a method found: the position, its iterations, and the loads of cut joints that stay open by what the method leaves."""

    q: Array
    iterations: int
    cut_loads: dict[str, Array] = field(default_factory=dict)


Method = Callable[[Balance, Array, Wish], Found]
METHODS: dict[str, Method] = {}


def rest_method(name: str) -> Callable[[Method], Method]:
    """Register a method under the name that users give."""

    def decorate(function: Method) -> Method:
        METHODS[name] = function
        return function

    return decorate


class NoRest(Exception):
    """No balance was found; the number is the share of forces that stays unbalanced."""

    def __init__(self, residual: float, why: str = "") -> None:
        super().__init__(why)
        self.residual, self.why = residual, why


@rest_method("newton")
def newton(balance: Balance, q: Array, wish: Wish) -> Found:
    """Newton's method on position and multipliers (14.3) with exact derivatives; downhill where nothing resists, unless `nearest`."""
    residual, still = math.inf, Standstill(balance.scales)
    for iteration in range(1, 2 * ITERATIONS + 1):
        here, (g, size) = balance.at(q), balance.forces(q)
        force = here.left.T @ g
        residual = float(np.abs(force).max(initial=0.0)) / size
        if residual < TOLERANCE or not force.size:
            return Found(q, iteration)
        step = here.basis @ newton_step(here.stiffness, force, nearest=wish.nearest)
        if still.reached(step, vanish(force, here.stiffness, size)):
            return Found(q, iteration)
        if iteration == 2 * ITERATIONS and balance.flat(q, force, here.stiffness):
            return Found(q, iteration)
        # what is anchored far away needs longer steps than the size of the model
        longer = min(FARTHER, 2.0 ** max(0, iteration - ITERATIONS))
        q, went = balance.move(q, step, limit=LONGEST * longer)
        if not went:
            break
    raise NoRest(residual, _softer(here.stiffness))


def _softer(stiffness: Array) -> str:
    """Name a method for rests at which one stiffness vanishes with its force while others do not; empty elsewhere."""
    sizes = np.linalg.svd(stiffness, compute_uv=False)
    if not 0.0 < sizes[-1] < SOFT * sizes[0]:
        return ""
    return (
        f"one stiffness is {sizes[-1] / sizes[0]:.1g} of the largest; method='partitioned' does not limit their ratio"
    )


def newton_step(stiffness: Array, force: Array, *, nearest: bool, noise: float = math.inf) -> Array:
    """Newton's step; downhill along directions without resistance where there is a potential energy to go down.

    Args:
        stiffness, force: Along the free directions.
        nearest: Whether steps lead to unstable balances as well.
        noise: Force above which a direction keeps its stiffness, however small next to the largest one.
    """
    if float(np.abs(stiffness - stiffness.T).max()) > CIRCULATORY * float(np.abs(stiffness).max()):
        return np.asarray(np.linalg.lstsq(stiffness, force, rcond=1e-6)[0])
    values, vectors = np.linalg.eigh(0.5 * (stiffness + stiffness.T))
    modal = vectors.T @ force
    least = np.where(np.abs(modal) > noise, FLAT, 1e-6)
    sizes = np.maximum(np.abs(values), least * max(1e-300, float(np.abs(values).max())))
    return np.asarray(vectors @ (modal / (np.copysign(sizes, values) if nearest else sizes)))


# --- coordinate partitioning ---------------------------------------------------------------------------------------------------


def _independent(balance: Balance, q: Array) -> list[int]:
    """Columns that tell all small motions best."""
    free = rank_of(jacobian(balance.system, q, balance.time, balance.exact(q))).freedom
    if not free.shape[1]:
        return []
    _, _, order = linalg.qr(free.T, mode="economic", pivoting=True)
    return [int(k) for k in order[: free.shape[1]]]


def _influence(balance: Balance, q: Array, chosen: Sequence[int]) -> Array:
    """Small motions of all columns per unit of the independent ones: the identity over the influence matrix H."""
    free = balance.scales[:, None] * rank_of(jacobian(balance.system, q, balance.time, balance.exact(q))).freedom
    return np.asarray(free @ np.linalg.inv(free[list(chosen)]))


@rest_method("partitioned")
def partitioned(balance: Balance, q: Array, wish: Wish) -> Found:
    """f(v) = g_v + H'g_u = 0 (14.4-14.6) by Newton's method, its derivatives by differences with u found anew (14.7)."""
    residual, still, width = math.inf, Standstill(balance.scales), WIDE
    for iteration in range(1, 2 * ITERATIONS + 1):
        chosen = _independent(balance, q)
        H, (g, size) = _influence(balance, q, chosen), balance.forces(q)
        f, units = H.T @ g, balance.scales[chosen]
        residual = float(np.abs(f * units).max(initial=0.0)) / size
        if residual < TOLERANCE or not f.size:
            return Found(q, iteration)
        slopes = np.zeros((f.size, f.size))
        for i in range(f.size):
            step = width * units[i]
            beside = balance.close(moved(balance.system, q, step * H[:, i]))
            went = difference(balance.system, beside, q)[chosen]
            slopes[:, i] = (_influence(balance, beside, chosen).T @ balance.forces(beside)[0] - f) / went[i]
        step = H @ np.linalg.lstsq(slopes, -f, rcond=1e-12)[0]
        stiffness = slopes * np.outer(units, units)
        if still.reached(step, vanish(f * units, stiffness, size)):
            return Found(q, iteration)
        if iteration % SLOW == 0 and balance.flat(q, f * units, stiffness):
            return Found(q, iteration)
        # where force and stiffness vanish together, differences over more than a step hide the stiffness
        width = min(WIDE, max(NARROW, float(np.abs(step / balance.scales).max(initial=0.0))))
        q, went_on = balance.move(q, step)
        if not went_on:
            break
    raise NoRest(residual)


@rest_method("energy")
def minimum_energy(balance: Balance, q: Array, wish: Wish) -> Found:
    """SE-1: the energy of independent coordinates is minimised (BFGS), steps halved where joints do not close or V does not fall."""
    energy = PotentialEnergy(balance.system, balance.time)
    if energy.without:
        raise ModelError(
            f"there is no energy to minimise: {', '.join(map(repr, energy.without))} acts without a potential. Use method='newton'."
        )
    chosen = _independent(balance, q)
    inverse, before, residual = None, None, math.inf
    for iteration in range(1, 20 * ITERATIONS + 1):
        H, (_, size) = _influence(balance, q, chosen), balance.forces(q)
        units = balance.scales[chosen]
        slope = H.T @ energy.gradient(q) * units
        residual = float(np.abs(slope).max(initial=0.0)) / size
        if residual < TOLERANCE or not slope.size:
            return Found(q, iteration)
        if iteration % SLOW == 0 and balance.flat(q, slope, balance.at(q).stiffness):
            return Found(q, iteration)
        if before is not None and inverse is not None:
            inverse = updated(inverse, before[0], slope - before[1])
        if inverse is None:
            inverse = np.eye(slope.size) * (0.1 / max(float(np.abs(slope).max()), 1e-300))
        y, q_new = _downhill(balance, energy, q, H, units, -inverse @ slope, slope)
        if q_new is None:
            # tiny steps: other independent coordinates, and steepest descent again
            if before is None and iteration > 1:
                break
            chosen, inverse, before = _independent(balance, q), None, None
            continue
        before, q = (y, slope), q_new
    if residual < 1e-7 or balance.off(q) < 1e-7:  # rounding of V hides smaller slopes
        return Found(newton(balance, q, wish).q, iteration)
    raise NoRest(residual)


def _downhill(
    balance: Balance, energy: PotentialEnergy, q: Array, H: Array, units: Array, step: Array, slope: Array
) -> tuple[Array, Array | None]:
    """A step halved until joints close and the energy falls; None if it does not."""
    start = energy.value(q)
    longest = float(np.abs(step).max())
    share = min(1.0, 0.5 / longest)
    for _ in range(40):
        try:
            there = balance.close(moved(balance.system, q, H @ (share * step * units)))
        except AssemblyError:
            share *= 0.5
            continue
        if energy.trial(there) <= start + 1e-4 * share * float(step @ slope) + ROUNDING * abs(start):
            return share * step, there
        share *= 0.5
    return step, None


def updated(inverse: Array, step: Array, change: Array) -> Array:
    """BFGS update of the inverse second derivative."""
    rise = float(step @ change)
    if rise <= 1e-12 * float(np.linalg.norm(step) * np.linalg.norm(change)):
        return inverse
    left = np.eye(step.size) - np.outer(step, change) / rise
    return np.asarray(left @ inverse @ left.T + np.outer(step, step) / rise)


# --- cut joints --------------------------------------------------------------------------------------------------------------


class CutJoints:
    """Balance with some rows cut: they pull back with a weight instead of being closed."""

    def __init__(self, whole: Balance, wish: Wish, *, closes: bool = False) -> None:
        """With `closes`, loads will close the cut rows."""
        system = whole.system
        names = set(wish.cut) or {system.rows[k].owner for k in whole.rows}
        for name in names:
            if name not in system.model.constraints:
                known = ", ".join(map(repr, system.model.constraints)) or "none"
                raise ModelError(f"cut names {name!r}, which is no joint; there are: {known}.")
        self.rows = [k for k in whole.rows if system.rows[k].owner in names and not system.rows[k].velocity_only]
        self.kept = Balance(system, [k for k in whole.rows if k not in self.rows], whole.time)
        if closes and slack(system):  # loads cannot close rows that contradict the others
            rows = [*self.kept.rows, *self.rows]
            J = jacobian(system, whole.close(whole.drawn()), whole.time, rows)
            exact = {rows[k] for k in rank_of(J, tolerance=dependence(system)).independent}
            self.rows = [k for k in self.rows if k in exact]
        self.pattern = pattern(system, [*self.kept.rows, *self.rows])
        self.order = [int(k) for k in self.pattern[int(self.pattern[L.P_AT_ROWS]) :][: int(self.pattern[L.P_ROWS])]]
        self.is_cut = np.array([k in self.rows for k in self.order], dtype=bool)
        scales = system.row_scales()[self.order]
        _, size = whole.forces(system.start)
        weight = 1e3 * size / system.length**2 if wish.weight is None else wish.weight
        # angles count by the length of the model
        self.weights = np.where([system.rows[k].unit == "m" for k in self.order], weight, weight * system.length**2)
        self.scales, self.size = scales, size

    def gap(self, q: Array) -> Array:
        """How far each row is open, in elimination order."""
        return row_gaps(self.kept.system, self.order, self.kept.time, q)

    def solve(self, q: Array, load: Array) -> tuple[Array, int]:
        """Balance under cut rows that carry load - weight times gap; the others are closed."""
        kept, system = self.kept, self.kept.system
        residual, still = math.inf, Standstill(kept.scales)
        for iteration in range(1, ITERATIONS + 1):
            lam = np.where(self.is_cut, load - self.weights * self.gap(q), 0.0)
            inner = system.inner_start
            left, _ = left_over(system, self.pattern, kept.time, q, kept.still, kept.still, lam, z=inner)
            here = rank_of(jacobian(system, q, kept.time, kept.exact(q)))
            free = kept.scales[:, None] * here.freedom
            force = -free.T @ left
            residual = float(np.abs(force).max(initial=0.0)) / self.size
            if residual < TOLERANCE:
                return q, iteration
            if kept.rows:
                P = pattern(system, [kept.rows[k] for k in here.independent])
                lam = self._with_kept(q, lam, P, left)
            terms = linear_terms(system, self.pattern, kept.time, q, kept.still, kept.still, lam, z=inner)
            J = terms.jacobian[self.is_cut]
            stiff = terms.stiffness + J.T @ (self.weights[self.is_cut, None] * J)
            own = free.T @ stiff @ free
            # the stiffness of the model does not depend on the weights of cut joints
            step = free @ newton_step(own, force, nearest=False, noise=TOLERANCE * self.size)
            if still.reached(step, vanish(force, own, self.size)):
                return q, iteration
            q, went = kept.move(q, step)
            if not went:
                break
        raise NoRest(residual, _softer(own))

    def _with_kept(self, q: Array, lam: Array, P: NDArray[np.int64], left: Array) -> Array:
        """Multipliers with those of the closed rows that balance the rest best."""
        own = [int(k) for k in P[int(P[L.P_AT_ROWS]) :][: int(P[L.P_ROWS])]]
        system = self.kept.system
        columns = jacobian(system, q, self.kept.time, own).T
        more = np.linalg.lstsq(columns, left * self.kept.scales, rcond=None)[0] / system.row_scales()[own]
        out = lam.copy()
        for k, value in zip(own, more, strict=True):
            out[self.order.index(k)] = value
        return out

    def loads(self, lam: Array) -> dict[str, Array]:
        """Loads of the cut rows by joint, rows in their own order."""
        by_row = dict(zip(self.order, lam, strict=True))
        rows = self.kept.system.rows
        owners = dict.fromkeys(rows[k].owner for k in self.rows)
        return {name: np.array([by_row[k] for k in self.rows if rows[k].owner == name]) for name in owners}


@rest_method("penalty")
def penalty(balance: Balance, q: Array, wish: Wish) -> Found:
    """Cut joints pull back with w times their gap (14.25): what is left open is their load over w."""
    cut = CutJoints(balance, wish)
    start = cut.kept.close(q) if cut.kept.rows else q
    found, iterations = cut.solve(start, np.zeros(len(cut.order)))
    return Found(found, iterations, cut.loads(-cut.weights * cut.gap(found)))


@rest_method("augmented")
def augmented(balance: Balance, q: Array, wish: Wish) -> Found:
    """Augmented Lagrangian: the load of cut joints is corrected by -w times their gap until they are closed."""
    cut = CutJoints(balance, wish, closes=True)
    load, total, widest = np.zeros(len(cut.order)), 0, math.inf
    for _ in range(ITERATIONS):
        q, iterations = cut.solve(q, load)
        total += iterations
        gap = np.where(cut.is_cut, cut.gap(q), 0.0)
        load = load - cut.weights * gap
        before, widest = widest, float(np.abs(gap / cut.scales).max(initial=0.0))
        if widest < 1e-12:
            return Found(_vanished(balance, balance.close(q)), total, cut.loads(load))
        if widest > 0.5 * before:
            cut.weights = cut.weights * 4.0
    raise NoRest(widest, "the cut joints do not close")


def _vanished(balance: Balance, q: Array) -> Array:
    """The position itself; where all forces vanish, the balance that Newton's method finds from there."""
    return q if balance.residual(q) < VANISHED else newton(balance, q, Wish(nearest=True)).q


# --- motions that come to rest ---------------------------------------------------------------------------------------------


@rest_method("damping")
def fictitious_damping(balance: Balance, q: Array, wish: Wish) -> Found:
    """The motion with a fictitious damper at every body (14.21) until it rests; the last digits by Newton's method."""
    return _rested(balance, *settled(balance, q, wish.duration, damped=True))


@rest_method("settling")
def settling(balance: Balance, q: Array, wish: Wish) -> Found:
    """The motion of the model as it is, until its own friction and dampers have brought it to rest; the last digits by Newton's method."""
    return _rested(balance, *settled(balance, q, wish.duration, damped=False))


def _rested(balance: Balance, q: Array, steps: int, speed: float) -> Found:
    if math.isnan(speed):
        raise NoRest(
            balance.residual(q, resisting=True),
            "it still moves: perhaps nothing takes its energy, or its forces fade on the way; method='newton' waits for no motion",
        )
    found = newton(balance, q, Wish(nearest=True))
    apart = float(np.abs(difference(balance.system, found.q, q) / balance.scales).max(initial=0.0))
    if apart > 0.05:
        raise NoRest(
            balance.residual(q),
            f"the motion came to rest {apart:.2g} scales away from a balance; method='newton' finds it",
        )
    return Found(found.q, steps)
