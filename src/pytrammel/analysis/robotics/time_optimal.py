"""Fastest motion along a path within limits of efforts and rates, by reachability analysis.

With the path q(s), efforts are linear in the acceleration and the squared rate of s: tau = a s'' + b s'^2 + d s' + c, and inverse dynamics
at a few states gives the coefficients. Controllable sets backwards, then the largest acceleration forwards: Pham and Pham, A new approach
to time-optimal path parameterization based on reachability analysis, IEEE Transactions on Robotics 34 (2018).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.checks import checked_number
from pytrammel._util.messages import number_of, short
from pytrammel.analysis.options import verb, whole_number
from pytrammel.analysis.robotics.mechanism import Mechanism, mechanism_of
from pytrammel.errors import AssemblyError, ModelError
from pytrammel.model.base import Model
from pytrammel.results.robotics.inverse import InverseKinematics
from pytrammel.results.robotics.time_optimal import TimeOptimal

Array = NDArray[np.float64]
SLACK = 1e-9  # of limits, relative: rounding of the linear programs
SAME_FORM = 1e-6  # difference of efforts from the quadratic form, relative to the largest effort
SLOWER = (1.0, 1e-2, 1e-5)  # squared rates with which these iterations start, relative to those without damping
ROUNDS = 100  # iterations for efforts that are linear in the rate
FASTEST = 1e12  # bound of squared rates of s [1/s²]
SETTLED = 1e-9  # relative change of the duration after which they end


@verb
def time_optimal(
    model: Model,
    path: Any,
    efforts: Mapping[str, Any],
    *,
    rates: Mapping[str, Any] | None = None,
    points: int = 400,
    actuators: Sequence[str] | None = None,
    elements: bool = True,
) -> TimeOptimal:
    """Find the fastest motion along a path, from rest to rest, within limits of efforts.

        way = m.inverse_kinematics("tool0", targets)
        fast = m.time_optimal(way, efforts={"A.angle": 20.0, "B.angle": (-10.0, 10.0)})
        print(fast.duration)
        fast.plot("fastest.png")

    At every time one effort or rate is at its limit. Cubic splines through the positions of the path give its shape: use many positions
    where the path has sharp turns.

    Args:
        model: The mechanism, an open chain or with closed loops; drivers are ignored.
        path: Positions in their order: a result of `m.inverse_kinematics`, an array of joint coordinates, shape (n, coordinates), or values
            of the actuators by name, shape (n,) each.
        efforts: Largest effort of actuators by name [N, N m]: a number, or a pair (lower, upper). Others are not limited.
        rates: Largest rate of actuators by name [m/s, rad/s]: a number, or a pair (lower, upper).
        points: Number of intervals of the path.
        actuators: Joint coordinates that are driven. Defaults to those of the path, else to the actuators of `m.functions`.
        elements: Whether springs, dampers and other force elements act; they must be linear in velocities and independent of time.

    Raises:
        ModelError: The efforts cannot hold or move the mechanism somewhere on the path.
    """
    if actuators is None and isinstance(path, InverseKinematics):
        actuators = path.actuators
    mechanism = mechanism_of(model, actuators, elements=elements)
    label = f"time-optimal motion of model {model.name!r}"
    if len(mechanism.acting) < mechanism.freedoms:
        mechanism.need_actuators("time-optimal motion")
    low, high = _limits(mechanism, efforts, "efforts", "effort", label)
    slow, quick = _limits(mechanism, {} if rates is None else rates, "rates", "rate", label)
    if not (np.isfinite(low).any() or np.isfinite(high).any()):
        raise ModelError(f"{label}: efforts are empty. Limit at least one of: {', '.join(mechanism.f.actuators)}.")
    way = _Way(mechanism, path, whole_number(points, "points", 2), label)
    forms = _forms(mechanism, way, label)
    profile = _fastest(way, forms, (low, high), (slow, quick), mechanism, label)
    ends, u = np.sqrt(profile.x), profile.u
    middles = np.sqrt(0.5 * (profile.x[1:] + profile.x[:-1]))
    half = 0.5 * np.diff(way.s[::2])
    begin = np.concatenate([[0.0], np.cumsum(4.0 * half / (ends[1:] + ends[:-1]))])
    times = np.concatenate([[0.0], begin[:-1] + 2.0 * half / (ends[:-1] + middles), begin[-1:]])
    shown = np.concatenate([[0], np.arange(1, len(way.s), 2), [len(way.s) - 1]])
    rate, acceleration = np.concatenate([[0.0], middles, [0.0]]), np.concatenate([u[:1], u, u[-1:]])
    q, first, second = way.q[shown], way.first[shown], way.second[shown]
    v, a = first * rate[:, None], second * (rate**2)[:, None] + first * acceleration[:, None]
    tau = forms.at(shown, rate**2, acceleration)
    return TimeOptimal(
        model, mechanism.f.coordinates, mechanism.units, mechanism.f.velocities, mechanism.f.actuators, times, way.s[shown], rate,
        acceleration, np.sqrt(profile.most[shown]), q, v, a, tau, low, high, mechanism.body_coordinates(q),
    )  # fmt: skip


def _limits(mechanism: Mechanism, given: Mapping[str, Any], key: str, what: str, label: str) -> tuple[Array, Array]:
    """Lower and upper limits of all actuators, infinite where none is given."""
    names = mechanism.f.actuators
    low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    for name, value in given.items():
        if name not in names:
            raise ModelError(
                f"{label}: {key}= names {short(name)}, which is not an actuator. Use some of: {', '.join(names)}."
            )
        k = names.index(name)
        if hasattr(value, "__len__") and not isinstance(value, str):
            if len(value) != 2:
                raise ModelError(
                    f"{label}: {key} of {name} must be a number or a pair (lower, upper), but it is {short(value)}."
                )
            low[k], high[k] = (checked_number(x, f"{key}: {name}") for x in value)
        else:
            high[k] = checked_number(value, f"{key}: {name}")
            low[k] = -high[k]
        if not low[k] < high[k]:
            raise ModelError(
                f"{label}: the {what} of {name} has the lower limit {low[k]:g} and the upper limit {high[k]:g}. Use lower < upper."
            )
        if key == "rates" and not low[k] < 0.0 < high[k]:
            raise ModelError(
                f"{label}: the limits of the rate of {name} are {low[k]:g} and {high[k]:g}, but must have 0 between them."
            )
    return low, high


class _Way:
    """Positions along the path and their derivatives with respect to the path parameter s from 0 to 1."""

    def __init__(self, mechanism: Mechanism, path: Any, count: int, label: str) -> None:
        from scipy.interpolate import CubicSpline

        f = mechanism.f
        nodes = _nodes(mechanism, path, label)
        columns = [k for k in range(mechanism.nq) if k in mechanism.at_velocity]
        angles = mechanism.wrappable[columns] if len(columns) else np.zeros(0, dtype=bool)
        used = nodes[:, columns]
        used[:, angles] = np.unwrap(used[:, angles], axis=0)
        scales = mechanism.of_speeds[[mechanism.at_velocity[k] for k in columns]]
        chords = np.linalg.norm(np.diff(used, axis=0) / scales, axis=-1)
        if not (chords > 0.0).all():
            k = int(np.argmin(chords))
            raise ModelError(f"{label}: positions {k} and {k + 1} of the path are equal. Remove one of them.")
        at = np.concatenate([[0.0], np.cumsum(chords)]) / chords.sum()
        spline = CubicSpline(at, used)
        # short intervals at both ends, where the mechanism is slow; their ends and middles alternate
        ends = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, count + 1))
        count *= 2
        self.s = np.empty(count + 1)
        self.s[::2], self.s[1::2] = ends, 0.5 * (ends[1:] + ends[:-1])
        shape = CubicSpline(at, nodes)(self.s)
        shape[:, columns] = spline(self.s)
        held = _independent(mechanism, nodes[0])
        names = [f.velocities[k] for k in held]
        self.first, self.second = np.zeros((count + 1, mechanism.nv)), np.zeros((count + 1, mechanism.nv))
        into = [mechanism.at_velocity[k] for k in columns]
        self.first[:, into], self.second[:, into] = spline(self.s, 1), spline(self.s, 2)
        self.q = mechanism.moved(shape, np.zeros((count + 1, mechanism.nv)))
        if f.constraints:
            self.q, good = mechanism.solve(self.q, held=held)
            if not good.all():
                k = int(np.flatnonzero(~good)[0])
                raise AssemblyError(
                    f"{label}: the loops do not close at {100.0 * self.s[k]:.4g} % of the path. Use more positions."
                )
            self.first, self.second = f.complete(self.q, self.first, self.second, hold=names)


def _nodes(mechanism: Mechanism, path: Any, label: str) -> Array:
    """Joint coordinates of the given positions, loops closed."""
    f = mechanism.f
    if isinstance(path, InverseKinematics):
        if path.coordinates != f.coordinates:
            raise ModelError(
                f"{label}: the path belongs to another model, whose coordinates are {', '.join(path.coordinates)}."
            )
        nodes = path.q.copy()
    elif isinstance(path, Mapping):
        lengths = {name: len(np.atleast_1d(np.asarray(x, dtype=object))) for name, x in path.items()}
        if len(set(lengths.values())) != 1:
            raise ModelError(
                f"{label}: path= must give values for the actuators ({', '.join(f.actuators)}), as many of each."
            )
        nodes = np.tile(f.start, (next(iter(lengths.values())), 1))
        for name, values in path.items():
            if name not in f.coordinates or name not in f.actuators:
                raise ModelError(
                    f"{label}: path= names {short(name)}, which is not an actuator. Use: {', '.join(f.actuators)}."
                )
            nodes[:, f.coordinates.index(name)] = [checked_number(x, f"path: {name}") for x in values]
        missing = [name for name in f.actuators if name not in path]
        if missing:
            raise ModelError(f"{label}: path= has no values of {missing[0]}. Give all of: {', '.join(f.actuators)}.")
        if f.constraints:
            held = _independent(mechanism, f.start)
            for k in range(len(nodes)):  # each from the one before, on the same branch
                if k:
                    rest = [j for j, name in enumerate(f.coordinates) if name not in path]
                    nodes[k, rest] = nodes[k - 1, rest]
                nodes[[k]], good = mechanism.solve(nodes[[k]], held=held)
                if not good[0]:
                    raise AssemblyError(
                        f"{label}: the loops do not close at position {k} of the path. Use positions within the workspace."
                    )
    else:
        nodes = f._array("path", path, mechanism.nq, "coordinates").copy()
    if nodes.ndim != 2 or len(nodes) < 2:
        raise ModelError(
            f"{label}: the path needs at least two positions, but has {number_of(1 if nodes.ndim < 2 else len(nodes), 'position')}."
        )
    return nodes


def _independent(mechanism: Mechanism, q: Array) -> list[int]:
    """Actuated velocities that determine all others, as many as there are degrees of freedom."""
    N = mechanism.basis(q[None])[0] / mechanism.of_speeds[:, None]
    chosen: list[int] = []
    for k in mechanism.acting:
        sizes = np.linalg.svd(N[[*chosen, k]], compute_uv=False)
        if len(chosen) < mechanism.freedoms and sizes[-1] > 1e-6 * np.abs(N).max():
            chosen.append(k)
    if len(chosen) < mechanism.freedoms:
        mechanism.need_actuators("time-optimal motion")
    return chosen


@dataclass
class _Forms:
    """Efforts a s'' + b s'^2 + d s' + c at all points, shape (points, actuators) each."""

    a: Array
    b: Array
    d: Array
    c: Array

    def at(self, points: Any, x: Array, u: Array) -> Array:
        """Efforts at some of the points for squared rates and accelerations there."""
        a, b, d, c = (one[points] for one in (self.a, self.b, self.d, self.c))
        return np.asarray(a * u[:, None] + b * x[:, None] + d * np.sqrt(x)[:, None] + c)


def _forms(mechanism: Mechanism, way: _Way, label: str) -> _Forms:
    """Coefficients by inverse dynamics at rest, with acceleration alone, and with rates 1 and -1 of s."""
    f, rest = mechanism.f, np.zeros_like(way.first)
    c = f.inverse_dynamics(way.q, rest, rest)
    a = f.inverse_dynamics(way.q, rest, way.first) - c
    ahead, back = (f.inverse_dynamics(way.q, sign * way.first, way.second) for sign in (1.0, -1.0))
    forms = _Forms(a, 0.5 * (ahead + back) - c, 0.5 * (ahead - back), c)
    fast = f.inverse_dynamics(way.q, 3.0 * way.first, 9.0 * way.second)
    expected = forms.at(slice(None), np.full(len(way.s), 9.0), np.zeros(len(way.s)))
    away = float(np.abs(fast - expected).max())
    if away > SAME_FORM * max(
        float(np.abs(fast).max()), float(np.abs(a).max())
    ):  # without weight, rates may need no effort
        raise ModelError(
            f"{label}: force elements are not linear in the velocities (efforts differ by {away:.3g} N or N m from the quadratic form). "
            "Use elements=False, or m.copy(without=[...]) for these elements."
        )
    return forms


@dataclass
class _Profile:
    """Squared rates at the ends of the intervals, accelerations in them, and the largest squared rates with any feasible acceleration."""

    x: Array
    u: Array
    most: Array


def _fastest(
    way: _Way, forms: _Forms, limits: tuple[Array, Array], rates: tuple[Array, Array], mechanism: Mechanism, label: str
) -> _Profile:
    acting = way.first[:, mechanism.acting]
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(acting > 0.0, rates[1] / acting, np.where(acting < 0.0, rates[0] / acting, np.inf))
    cap = np.where(np.isfinite(each), each, np.inf).min(axis=1) ** 2
    still = np.zeros(len(way.s) // 2 + 1)
    profile = _pass(way, forms, limits, cap, still, mechanism, label, damping=False)
    if np.abs(forms.d).max() <= SLACK * max(float(np.abs(forms.a).max()), float(np.abs(forms.b).max())):
        return profile
    for start in SLOWER:  # a slow profile is feasible with strong damping also, but takes more rounds
        x, before = start * profile.x, np.inf
        try:
            for _ in range(ROUNDS):
                found = _pass(way, forms, limits, cap, x, mechanism, label)
                rate = np.sqrt(found.x)
                duration = float((2.0 * np.diff(way.s[::2]) / (rate[1:] + rate[:-1])).sum())
                if abs(duration - before) <= SETTLED * duration:
                    return found
                before, x = duration, found.x
        except ModelError:
            if start == SLOWER[-1]:
                raise
    raise ModelError(
        f"{label}: the motion did not converge in {ROUNDS} rounds with efforts that depend on rates. Use elements=False, or less damping."
    )


def _pass(
    way: _Way,
    forms: _Forms,
    limits: tuple[Array, Array],
    cap: Array,
    x_before: Array,
    mechanism: Mechanism,
    label: str,
    damping: bool = True,
) -> _Profile:
    """Controllable sets backwards, then the largest accelerations forwards; limits hold in the middles and at both ends of the path."""
    n, steps = len(way.s) // 2, np.diff(way.s[::2])
    before = np.sqrt(np.interp(way.s, way.s[::2], x_before))
    slope = np.where(before > 0.0, 0.5 / np.maximum(before, 1e-300), 0.0)  # of the root, which its tangent replaces
    d = forms.d if damping else np.zeros_like(forms.d)
    rest = d * (0.5 * before)[:, None] + forms.c
    along = forms.b + d * slope[:, None]
    A = np.concatenate([forms.a, -forms.a], axis=1)
    B = np.concatenate([along, -along], axis=1)
    h = np.concatenate([limits[1] - rest, rest - limits[0]], axis=1)
    some = np.isfinite(h[0])
    A, B, h = A[:, some], B[:, some], h[:, some]
    cap = np.minimum(cap, FASTEST)
    most = np.array([_extreme_x(A[j], B[j], h[j], 0.0, cap[j])[1] for j in range(len(way.s))])

    def rows(i: int) -> tuple[Array, Array, Array]:
        """Limits on the acceleration and the squared rate at the beginning of interval i."""
        places = [(2 * i + 1, steps[i])]  # point, and twice the way to it: the squared rate there is x + way * u
        if i == 0:
            places.append((0, 0.0))
        if i == n - 1:
            places.append((2 * n, 2.0 * steps[i]))
        a = np.concatenate([A[j] + way_there * B[j] for j, way_there in places])
        return a, np.concatenate([B[j] for j, _ in places]), np.concatenate([h[j] for j, _ in places])

    low, high = np.zeros(n + 1), np.zeros(n + 1)
    for i in range(n - 1, -1, -1):
        a, b, right = rows(i)
        a, b = np.concatenate([a, [2.0 * steps[i], -2.0 * steps[i]]]), np.concatenate([b, [1.0, -1.0]])
        right = np.concatenate([right, [high[i + 1], -low[i + 1]]])
        low[i], high[i] = _extreme_x(a, b, right, 0.0, 0.0 if i == 0 else cap[2 * i])
        if not low[i] <= high[i]:
            raise ModelError(_blocked(forms, limits, way, 2 * i, mechanism, label))
    x, u = np.zeros(n + 1), np.zeros(n)
    for i in range(n):
        a, b, right = rows(i)
        a = np.concatenate([a, [2.0 * steps[i]]])
        room = np.concatenate([right - b * x[i], [high[i + 1] - x[i]]])
        up = a > 0.0
        u[i] = float((room[up] / a[up]).min())
        x[i + 1] = min(max(x[i] + 2.0 * steps[i] * u[i], low[i + 1]), high[i + 1])
        u[i] = (x[i + 1] - x[i]) / (2.0 * steps[i])
    if not (x[1:-1] > 0.0).all():
        raise ModelError(_blocked(forms, limits, way, 2 * int(np.argmin(x[1:-1])) + 2, mechanism, label))
    return _Profile(x, u, most)


def _extreme_x(a: Array, b: Array, h: Array, least: float, most: float) -> tuple[float, float]:
    """Smallest and largest x between bounds for which some u satisfies a u + b x <= h; (inf, -inf) if there is none.

    Eliminating u: rows with a > 0 bound it from above, rows with a < 0 from below; each pair gives a bound of x.
    """
    scale = np.maximum(np.abs(a), np.abs(b))
    scale[scale == 0.0] = 1.0
    a, b, h = a / scale, b / scale, h / scale
    up, down = a > 1e-14, a < -1e-14
    flat = ~up & ~down
    coefficient = [b[flat]]
    right = [h[flat]]
    if up.any() and down.any():
        coefficient.append((a[up][:, None] * b[down][None] - a[down][None] * b[up][:, None]).ravel())
        right.append((a[up][:, None] * h[down][None] - a[down][None] * h[up][:, None]).ravel())
    k, r = np.concatenate(coefficient), np.concatenate(right)
    tolerance = SLACK * np.maximum(np.abs(r), 1e-6 * np.abs(h).max(initial=0.0))
    r = r + 1e-3 * tolerance
    level = np.abs(k) < 1e-14
    if (r[level] < 0.0).any():
        return np.inf, -np.inf
    least = max(least, float((r[k <= -1e-14] / k[k <= -1e-14]).max(initial=-np.inf)))
    most = min(most, float((r[k >= 1e-14] / k[k >= 1e-14]).min(initial=np.inf)))
    return (least, most) if least <= most else (np.inf, -np.inf)


def _blocked(forms: _Forms, limits: tuple[Array, Array], way: _Way, i: int, mechanism: Mechanism, label: str) -> str:
    """Message about a point of the path that the efforts cannot pass."""
    over = np.maximum(forms.c[i] - limits[1], limits[0] - forms.c[i])
    k = int(np.argmax(over))
    name, needed = mechanism.f.actuators[k], float(forms.c[i, k])
    head = (
        f"{label}: the efforts cannot move the mechanism from rest to rest past {100.0 * way.s[i]:.3g} % of the path."
    )
    if over[k] > 0.0:
        bound = limits[1][k] if needed > 0.0 else limits[0][k]
        return f"{head} Holding it there takes {needed:.4g} of {name}, but the limit is {bound:.4g}. Raise the limit, or change the path."
    return f"{head} Raise the limits of the efforts, or use more points=."
