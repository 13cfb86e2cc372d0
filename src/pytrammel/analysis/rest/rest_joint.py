"""Rest as the minimum of the potential energy over joint coordinates (section 14.4): joints of a tree hold by themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations
from pytrammel.analysis.formulations import formulation
from pytrammel.analysis.formulations.joint import tree_table
from pytrammel.analysis.freedom.rank import jacobian
from pytrammel.analysis.rest.at_rest import TOLERANCE, Balance, Standstill
from pytrammel.analysis.rest.potential import PotentialEnergy
from pytrammel.analysis.rest.rest_methods import (
    ITERATIONS,
    ROUNDING,
    CutJoints,
    Found,
    NoRest,
    Wish,
    newton,
    rest_method,
    updated,
)
from pytrammel.analysis.study.joints import transformation
from pytrammel.errors import AssemblyError, ModelError
from pytrammel.kernels.equations.tree import tree_to_bodies_run
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.trees import layout as T
from pytrammel.system.lowering import System
from pytrammel.system.topology import spanning_tree
from pytrammel.system.tree import Tree, build_tree, positions, scales

Array = NDArray[np.float64]
CLOSED = 1e-7  # of a row's scale: what Newton's method may close at the end
NEAR = 1e-7  # share of the forces that it may balance
LONGEST = 0.3  # step, in scales


@rest_method("joint")
def joint_energy(balance: Balance, q: Array, wish: Wish) -> Found:
    """min V(s) over joint coordinates (14.22-14.24); cut joints pull back with a weight (14.25) and loads that close them."""
    prepare([*formulation("joint").needs(balance.system.model.space.dimension), "tree_bias_run"])
    search = _Search(balance, wish)
    total = 0
    before = math.inf
    for _ in range(ITERATIONS):
        q, iterations, residual = search.minimum(q)
        total += iterations
        opened = search.correct(q)
        if opened < CLOSED and residual < NEAR:
            return Found(newton(balance, balance.close(q), wish).q, total, search.loads())
        if residual >= NEAR and opened >= 0.9 * before:
            break
        if opened > 0.5 * before:
            search.stiffen()
        before = opened
    there = balance.close(q)
    if opened < CLOSED and balance.off(there) < NEAR:
        return Found(newton(balance, there, wish).q, total, search.loads())
    raise NoRest(balance.residual(there), "the energy has no minimum nearby")


class _Search:
    """V(s) with what pulls cut joints together."""

    def __init__(self, balance: Balance, wish: Wish) -> None:
        system = balance.system
        self.balance, self.system = balance, system
        self.energy = PotentialEnergy(system, balance.time)
        if self.energy.without:
            raise ModelError(
                f"there is no energy to minimise: {', '.join(map(repr, self.energy.without))} acts without a potential. Use "
                "method='newton'."
            )
        rows = list(balance.rows)
        rolling = [system.rows[k].owner for k in rows if system.rows[k].velocity_only]
        if rolling:
            raise ModelError(
                f"{rolling[0]!r} holds velocities, not positions, so that no energy of positions tells where it rests. Use method='newton'."
            )
        self.tree = build_tree(system, spanning_tree(system, rows, cut=list(wish.cut) or None))
        left = tuple(dict.fromkeys(system.rows[k].owner for k in self.tree.topology.rows))
        self.cut = CutJoints(balance, replace(wish, cut=left), closes=True) if left else None
        self.kept = self.cut.kept if self.cut is not None else balance
        self.load = np.zeros(len(self.cut.order)) if self.cut is not None else np.zeros(0)
        extra = np.array([e.scale for e in system.extras])
        self.units = np.concatenate([scales(self.tree)[1], extra])

    def value(self, q: Array) -> float:
        """V + w/2 |gap|^2 - load . gap."""
        found = self.energy.trial(q)
        if self.cut is not None:
            gap = np.where(self.cut.is_cut, self.cut.gap(q), 0.0)
            found += float(0.5 * self.cut.weights @ gap**2 - self.load @ gap)
        return found

    def slope(self, q: Array) -> Array:
        """Derivatives by joint coordinates, each in units of what counts as one."""
        found = self.energy.gradient(q)
        if self.cut is not None:
            gap = np.where(self.cut.is_cut, self.cut.gap(q), 0.0)
            rows = self.system.row_scales()[self.cut.order]
            J = jacobian(self.system, q, self.balance.time, self.cut.order) * rows[:, None] / self.balance.scales
            found = found + J.T @ np.where(self.cut.is_cut, self.cut.weights * gap - self.load, 0.0)
        B, _, _ = transformation(self.tree, self.balance.state(q))
        return np.asarray(B.T @ found * self.units)

    def minimum(self, q: Array) -> tuple[Array, int, float]:
        """The lowest place near q (BFGS), iterations, and the slope that is left against the forces at work."""
        inverse: Array | None = None
        slope = self.slope(q)
        residual = math.inf
        iterations, still = 0, Standstill(1.0)
        for _ in range(20 * ITERATIONS):
            iterations += 1
            size = self.balance.forces(q)[1]
            residual = float(np.abs(slope).max(initial=0.0)) / size
            if residual < TOLERANCE:
                break
            fresh = inverse is None
            if inverse is None:
                inverse = np.eye(slope.size) * (0.1 / float(np.abs(slope).max()))
            step, there = self._downhill(q, -inverse @ slope, slope)
            if there is None:
                if fresh:
                    break  # rounding of V hides what is left
                inverse = None
                continue
            if still.reached(step):
                break
            q, change = there, -slope
            slope = self.slope(q)
            inverse = updated(inverse, step, slope + change)
        return q, iterations, residual

    def _downhill(self, q: Array, step: Array, slope: Array) -> tuple[Array, Array | None]:
        """A step halved until the energy falls; None if it does not."""
        start = self.value(q)
        share = min(1.0, LONGEST / float(np.abs(step).max()))
        for _ in range(40):
            try:
                there = self.kept.close(moved_along(self.tree, self.balance, q, share * step * self.units))
            except AssemblyError:  # a place on a curve beyond its end
                share *= 0.5
                continue
            if self.value(there) <= start + 1e-4 * share * float(step @ slope) + ROUNDING * abs(start):
                return share * step, there
            share *= 0.5
        return step, None

    def correct(self, q: Array) -> float:
        """Loads of cut joints from what they are open by; how far that is, in row scales."""
        if self.cut is None:
            return 0.0
        gap = np.where(self.cut.is_cut, self.cut.gap(q), 0.0)
        self.load = self.load - self.cut.weights * gap
        return float(np.abs(gap / self.cut.scales).max(initial=0.0))

    def stiffen(self) -> None:
        """A greater weight, where loads alone are slow to close the joints."""
        if self.cut is not None:
            self.cut.weights = self.cut.weights * 4.0

    def loads(self) -> dict[str, Array]:
        return {} if self.cut is None else self.cut.loads(self.load)


def moved_along(tree: Tree, balance: Balance, q: Array, step: Sequence[float] | Array) -> Array:
    """Bodies after a motion of the joints of a tree; speeds times a time, and places on curves behind them."""
    system: System = tree.system
    carried = len(system.extras) + len(system.model.turns)
    table = tree_table(tree, system.floats, [], q)
    y = np.zeros(int(table.entries[0]))
    y[: tree.n_positions] = positions(tree, q)
    y[tree.n_positions : tree.n_positions + carried] = q[q.size - carried :]
    y[tree.n_positions : tree.n_positions + len(system.extras)] += step[tree.n_speeds :]
    turned = 3 if system.per_body == 6 else 0
    for node in tree.nodes:
        s, u = node.at_s, node.at_u
        if node.kind in (T.TURN, T.SLIDE):
            y[s] += step[u]
        elif node.kind == T.BALL:
            y[s : s + 4] = rotations.product(y[s : s + 4], rotations.exp(step[u : u + 3]))
        elif node.kind == T.FREE:
            y[s : s + 3] += step[u : u + 3]
            if turned:
                y[s + 3 : s + 7] = rotations.product(y[s + 3 : s + 7], rotations.exp(step[u + 3 : u + 6]))
    out = np.zeros(q.size + system.n_columns + y.size)
    tree_to_bodies_run(table.entries, float(balance.time), y, out)
    return out[: q.size].copy()
