"""Positions of rest along a parameter: branches followed by arc length through limit points, bifurcations found and entered."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.options import verb, whole_number
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.positions.phase_at import system_at
from pytrammel.analysis.ready import make_ready
from pytrammel.analysis.rest.at_rest import Balance
from pytrammel.analysis.rest.equilibria import REST_KERNELS
from pytrammel.analysis.rest.rest_methods import METHODS, NoRest, Wish
from pytrammel.analysis.small_motions.reduced import Reduced
from pytrammel.errors import AssemblyError, ConvergenceError, ModelError
from pytrammel.model.base import Model
from pytrammel.model.parameters import checked_free
from pytrammel.results.branches import Branch, Special
from pytrammel.system.positions import moved
from pytrammel.units import unit_symbol

Array = NDArray[np.float64]
TOLERANCE = 1e-10
CORRECTIONS = 12
BISECTIONS = 30
LONGEST = 10.0  # arc of a branch, in spans of the parameter and scales of the motion


@dataclass
class _Point:
    """A point of a branch: parameter, position, small motions there, and the tangent (per unit of arc length)."""

    p: float
    q: Array
    here: Reduced = field(repr=False)
    balance: Balance = field(repr=False)
    tangent: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def stiffness(self) -> Array:
        K = self.here.stiffness
        return np.asarray(0.5 * (K + K.T))

    @property
    def softest(self) -> Array:
        """Eigenvalues of the stiffness, ascending."""
        return np.asarray(np.linalg.eigvalsh(self.stiffness), dtype=float)


class _Path:
    """Equilibria of a model whose parameter changes."""

    def __init__(self, model: Model, name: str, ends: tuple[float, float], time: float) -> None:
        self._model, self.name, self.time = model, name, time
        self.start, self.stop = ends
        self.unit = abs(self.stop - self.start)

    def model(self, p: float) -> Model:
        return self._model._with_parameters({self.name: p}, bounded=False)

    def balance(self, p: float) -> Balance:
        system = system_at(self.model(p), self.time, "continue_equilibrium", dynamics=True)
        return Balance(system, active_rows(system), self.time)

    def point(self, p: float, q: Array, balance: Balance | None = None) -> _Point:
        own = balance or self.balance(p)
        return _Point(p, q, own.at(q), own)

    def by_parameter(self, at: _Point) -> Array:
        """How the free force changes with the parameter, per unit of its span."""
        h = 1e-6 * self.unit
        ahead, behind = (self.balance(at.p + side * h).forces(at.q)[0] for side in (1.0, -1.0))
        return np.asarray(at.here.left.T @ (ahead - behind) / (2e-6))

    def tangent(self, at: _Point, like: Array | None) -> Array:
        """Direction along which forces stay in balance, in coordinates (y, parameter / span), of length one."""
        rows = np.column_stack([-at.here.stiffness, self.by_parameter(at)])
        _, _, right = np.linalg.svd(rows)
        t = right[-1]
        if like is None:
            sign = np.sign(t[-1]) * np.sign(self.stop - self.start) or 1.0
        else:
            sign = np.sign(t @ like) or 1.0
        return np.asarray(sign * t)

    def advanced(self, at: _Point, s: float) -> _Point:
        """The point of the branch an arc s further on: a step along the tangent, corrected across it."""
        p, balance = at.p + s * at.tangent[-1] * self.unit, at.balance
        q = moved(balance.system, at.q, at.here.basis @ (s * at.tangent[:-1]))
        before = at
        for _ in range(CORRECTIONS):
            balance = self.balance(p)
            q = balance.close(q)
            now = self.point(p, q, balance)
            g, size = balance.forces(q)
            force = now.here.left.T @ g
            if float(np.abs(force).max(initial=0.0)) <= TOLERANCE * size:
                # both bases are orthonormal in scaled coordinates: carry the tangent over
                scales = balance.scales[:, None] ** 2
                carried = np.append(now.here.basis.T @ (before.here.basis / scales) @ at.tangent[:-1], at.tangent[-1])
                now.tangent = self.tangent(now, carried)
                return now
            scales = balance.scales[:, None] ** 2
            along = np.append(now.here.basis.T @ (before.here.basis / scales) @ at.tangent[:-1], at.tangent[-1])
            matrix = np.vstack([np.column_stack([-now.here.stiffness, self.by_parameter(now)]), along])
            step = np.linalg.lstsq(matrix, np.append(-force, 0.0), rcond=1e-13)[0]
            q, p = moved(balance.system, q, now.here.basis @ step[:-1]), p + step[-1] * self.unit
        raise NoRest(float(np.abs(force).max(initial=0.0)) / size)


@verb
def continue_equilibrium(
    model: Model,
    parameter: str,
    start: float | str,
    stop: float | str,
    *,
    steps: int = 40,
    time: float = 0.0,
    branch_at: Special | None = None,
    direction: int = 1,
) -> Branch:
    """Follow an equilibrium while a parameter of the model changes, through limit points; bifurcations are reported.

        m.parameter("load", "0 N")
        m.force("P", "tip", (0.0, "-load"))
        branch = m.continue_equilibrium("load", 0.0, "6 N")

    Args:
        model: The model, described near the equilibrium to follow.
        parameter: Name of the parameter.
        start, stop: Values of the parameter to begin and end at, SI or with a unit; its bounds do not limit them. After a limit point the
            branch may lead as far back beyond `start`.
        steps: Number of steps of arc length along the way; they are shorter where the branch bends.
        time: Time at which drivers and loads are read [s].
        branch_at: Bifurcation of another branch: its side branch is followed instead.
        direction: Side of the bifurcation, 1 or -1.
    """
    (name,) = checked_free(model, [parameter], "continue_equilibrium")
    first, last = (_number(model, name, value) for value in (start, stop))
    if first == last:
        raise ModelError(f"start and stop are both {first:g}; the parameter must change.")
    count = whole_number(steps, "steps", 1)
    if direction not in (1, -1):
        raise ModelError(f"direction is {direction}; it must be 1 or -1.")
    if branch_at is None and direction != 1:
        raise ModelError(
            "direction=-1 would not be used: it is a side of branch_at=. Remove it, or exchange start and stop."
        )
    path = _Path(model, name, (first, last), time)
    make_ready(path.model(first), REST_KERNELS, forces=True)
    point = _first(path, branch_at, direction)
    points, special = [point], []
    arc, s = 0.0, 1.0 / count
    while len(points) <= 20 * count and arc < LONGEST:
        try:
            ahead = path.advanced(point, s)
        except (NoRest, AssemblyError, np.linalg.LinAlgError):
            s *= 0.5
            if s < 1e-4 / count:
                break
            continue
        special += _between(path, point, ahead, s)
        points.append(ahead)
        arc += s
        point, s = ahead, min(1.0 / count, 1.5 * s)
        if not -1.0 <= (point.p - first) / (last - first) <= 1.0:
            break
    return Branch(
        name=name,
        unit=unit_symbol(known) if (known := model.parameters[name].dimension) is not None else "",
        values=np.array([one.p for one in points]),
        q=np.array([one.q for one in points]),
        stable=np.array([bool((one.softest > 0.0).all()) for one in points]),
        min_stiffness=np.array([one.softest[0] if one.softest.size else np.inf for one in points]),
        critical_points=tuple(special),
        system=points[0].balance.system,
    )


def _number(model: Model, name: str, value: float | str) -> float:
    """Return a value of a parameter, SI."""
    changed: Model = model._with_parameters({name: value}, bounded=False)
    return changed.parameters[name].value


def _first(path: _Path, branch_at: Special | None, direction: int) -> _Point:
    if branch_at is None:
        balance = path.balance(path.start)
        try:
            q = METHODS["newton"](balance, balance.close(balance.drawn()), Wish(nearest=True)).q
        except NoRest as failed:
            raise ConvergenceError(
                f"no rest was found at {path.start:g}, where the branch should begin: {100 * failed.residual:.3g} % of the forces stay "
                "unbalanced. Draw the model near it."
            ) from None
        point = path.point(path.start, q, balance)
        point.tangent = path.tangent(point, None)
        return point
    point = path.point(branch_at.value, branch_at.q)
    _, vectors = np.linalg.eigh(point.stiffness)
    soft = int(np.argmin(np.abs(np.linalg.eigvalsh(point.stiffness))))
    aside = vectors[:, soft]
    leading = aside[int(np.argmax(np.abs(aside)))]
    point.tangent = np.append(direction * aside / np.sign(leading), 0.0)
    return point


def _between(path: _Path, a: _Point, b: _Point, s: float) -> list[Special]:
    """A limit point or bifurcation between two neighbours on a branch."""
    turned = a.tangent[-1] * b.tangent[-1] < 0.0
    crossed = int((a.softest < 0.0).sum()) != int((b.softest < 0.0).sum())
    if not turned and not crossed:
        return []
    low, high, left = 0.0, s, a
    best = b

    def passed(point: _Point) -> bool:
        if turned:
            return bool(point.tangent[-1] * a.tangent[-1] < 0.0)
        return int((point.softest < 0.0).sum()) != int((a.softest < 0.0).sum())

    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        try:
            point = path.advanced(left, middle)
        except (NoRest, AssemblyError):
            break
        if passed(point):
            high, best = middle, point
        else:
            low = middle
        if high - low < 1e-9 * s:
            break
    return [Special("limit point" if turned else "bifurcation", float(best.p), best.q.copy())]
