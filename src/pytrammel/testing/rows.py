"""Value, Jacobian, rate and second rate (with gamma) of rows and measures against differences at random states."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel import rotations as rot
from pytrammel.kernels import layout as L
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.measures import jacobian_run, measures_run
from pytrammel.system.lowering import System, lower_measures
from pytrammel.system.positions import moved
from pytrammel.testing.failures import require, require_close
from pytrammel.testing.samples import Type, random_pose, random_sample

Array = NDArray[np.float64]
TIME = 0.7
TURN = 2 * math.pi


def random_state(system: System, seed: int) -> tuple[Array, Array, Array]:
    """Coordinates away from the design configuration, velocities and accelerations."""
    rng = np.random.default_rng(seed)
    q = system.start.copy()
    if system.model.space.dimension == 2:
        q = q + rng.normal(scale=0.3, size=q.size)
    else:
        for k in range(len(system.model.bodies) - 1):
            pose = random_pose(rng)
            q[7 * k : 7 * k + 7] = [*pose["position"], *pose["rotation"]]
    v, a = rng.normal(size=(2, system.n_columns))
    return (q if system.model.space.dimension == 2 else counted(system, q, rng)), v, a


def counted(system: System, q: Array, rng: np.random.Generator) -> Array:
    """Coordinates with every turn counter on its angle, some turns away: half a turn off would make the angle jump."""
    q = q.copy()
    names = list(system.model.bodies)[1:]
    place = {name: np.asarray(rot.matrix(q[7 * k + 3 : 7 * k + 7])) for k, name in enumerate(names)}
    place["ground"] = np.eye(3)
    first = system.n_coordinates - len(system.model.turns)
    for k, turn in enumerate(system.model.turns.values()):
        x, y, s = np.array(turn.data).reshape(3, 3)
        s = place[turn.first].T @ place[turn.second] @ s
        q[first + k] = math.atan2(y @ s, x @ s) + TURN * rng.integers(-2, 3)
    return q


def along(system: System, t: float, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
    """Value, rate and second rate of every row."""
    values, rates, seconds = (np.zeros((1, len(system.rows))) for _ in range(3))
    given = (np.array([t]), q.reshape(1, -1), v.reshape(1, -1), a.reshape(1, -1))
    measures_run(system.ints, system.floats, *given, values, rates, seconds)
    return values[0], rates[0], seconds[0]


def dense_jacobian(system: System, t: float, q: Array, v: Array) -> Array:
    """Jacobian of all rows, shape (rows, columns)."""
    entries = np.zeros(int(system.ints[L.N_JACOBIAN]) + 1)
    jacobian_run(system.ints, system.floats, np.array([t]), q.reshape(1, -1), v.reshape(1, -1), entries)
    dense = np.zeros((len(system.rows), system.n_columns))
    for row, columns in enumerate(system.row_columns):
        for k, column in enumerate(columns):
            if column >= 0:
                dense[row, column] += entries[system.row_entries[row] + k]
    return dense


def difference(function: Callable[[float], Any], h: float) -> Any:
    """Derivative by eighth-order central differences."""
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    return sum(w * (function((k + 1) * h) - function(-(k + 1) * h)) for k, w in enumerate(weights)) / h


class Path:
    """A smooth motion q(e): polynomials, of which those of the Euler parameters are normalized; with its true velocities."""

    def __init__(self, system: System, t: float, q: Array, v: Array, a: Array) -> None:
        self.system, self.t, self.q, self.v, self.a = system, t, q, v, a
        self.bodies = len(system.model.bodies) - 1

    def __call__(self, e: float) -> tuple[float, Array, Array, Array]:
        if self.system.model.space.dimension == 2:
            return self.t + e, self.q + e * self.v + 0.5 * e * e * self.a, self.v + e * self.a, self.a
        q, v, a = self.q.copy(), self.v + e * self.a, self.a.copy()
        for k in range(self.bodies):
            r, p = slice(7 * k, 7 * k + 3), slice(7 * k + 3, 7 * k + 7)
            c, x = slice(6 * k, 6 * k + 3), slice(6 * k + 3, 6 * k + 6)
            q[r] += e * self.v[c] + e * e / 2 * self.a[c]
            # p = u/|u| with u quadratic in e; w' = 2 L p', w'' = 2 L p''
            first, second = rot.L(self.q[p]).T @ self.v[x] / 2, rot.L(self.q[p]).T @ self.a[x] / 2
            u, du = self.q[p] + e * first + e * e / 2 * second, first + e * second
            n = np.linalg.norm(u)
            unit = u / n
            dn = unit @ du
            dp = (du - dn * unit) / n
            ddn = (du @ du + u @ second - dn * dn) / n
            ddp = (second - ddn * unit - 2 * dn * dp) / n
            q[p], v[x], a[x] = unit, 2 * rot.L(unit) @ dp, 2 * rot.L(unit) @ ddp
        extras = slice(7 * self.bodies, 7 * self.bodies + len(self.system.extras))
        q[extras] += e * self.v[6 * self.bodies :] + e * e / 2 * self.a[6 * self.bodies :]
        return self.t + e, q, v, a


def labels_of(constraint: Any) -> list[str]:
    """Names of the outputs of rows and measures, in the order of `measured_system`."""
    rows = [block.quantity for block in constraint.blocks]
    named = [(f"row {q}", q) for q in rows] + [(f"measure {key}", q) for key, q in constraint.measures.items()]
    return [f"{name!r}" + (f" ({k + 1})" if len(q.units) > 1 else "") for name, q in named for k in range(len(q.units))]


def measured_system(model: Any, constraint: Any) -> System:
    """Rows of a joint without their targets, then its measures, ready to be evaluated."""
    system = lower_measures(model, [*(b.quantity for b in constraint.blocks), *constraint.measures.values()])
    prepare(["measures_run", "jacobian_run", *system.primitives])
    return system


def check_rows(kind: Type, seed: int = 0) -> None:
    """Compare Jacobian, rate and second rate of rows and measures with differences at a random state."""
    model, constraint = random_sample(kind, seed)
    system = measured_system(model, constraint)
    labels = labels_of(constraint)
    q, v, a = random_state(system, 100 + seed)
    value, rate, second = along(system, TIME, q, v, a)
    if kind.space:
        # truncation h^8 times a ninth derivative and rounding eps/h are both near 1e-13 for numbers of size one; angles of axes that
        # are nearly along one another, as random states have them, are steeper by some hundreds
        h, limit = 0.01, 1e-9 * (1 + np.abs(second).max(initial=0.0))
    else:
        h, limit = 0.02, 2e-8 * (1.0 + np.abs(v).max() ** 2 * (1.0 + np.abs(q).max()))
    has_value = np.array([not row.velocity_only for row in system.rows], dtype=bool)
    kept = [label for label, has in zip(labels, has_value, strict=True) if has]
    for name, numbers in (("value", value), ("rate", rate), ("second rate", second)):
        require(bool(np.isfinite(numbers).all()), kind, f"{name} is not finite at a random state: {numbers}.")
    require_close(kind, "value", labels, np.where(has_value, 0.0, value), np.zeros(len(value)), 0.0, "that of a rate")

    dense = dense_jacobian(system, TIME, q, v)
    for column in range(system.n_columns):
        unit = np.eye(system.n_columns)[column]
        slope = difference(lambda e, unit=unit: along(system, TIME, moved(system, q, e * unit), v, a)[0], h)  # type: ignore[misc]
        what = f"Jacobian with respect to {system.columns[column]}"
        require_close(
            kind, what, kept, dense[has_value, column], slope[has_value], limit, "the difference of the value"
        )
    path = Path(system, TIME, q, v, a)
    slope = difference(lambda e: along(system, *path(e))[0], h)
    limits = limit + 1e-7 * np.abs(rate)
    require_close(
        kind, "rate", kept, rate[has_value], slope[has_value], limits[has_value], "the difference of the value"
    )
    slope = difference(lambda e: along(system, *path(e))[1], h)
    limits = limit + 1e-7 * np.abs(second)
    require_close(kind, "second rate (gamma)", labels, second, slope, limits, "the difference of the rate")
