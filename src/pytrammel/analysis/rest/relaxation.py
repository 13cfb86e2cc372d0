"""Motions that come to rest: with fictitious dampers, or by what the model itself dissipates."""

from __future__ import annotations

import math
import warnings

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.rest.at_rest import Balance
from pytrammel.analysis.runs.dynamics import simulate
from pytrammel.errors import ModelError, RunWarning
from pytrammel.joints.constraint import Constraint
from pytrammel.model.base import Model
from pytrammel.system.positions import drawn_at

Array = NDArray[np.float64]
ROUNDS = 200  # of a few periods each
QUIET = 1e-5  # unbalanced share of the forces, and motion per period in scales, that count as rest


def settled(balance: Balance, q: Array, duration: float, *, damped: bool) -> tuple[Array, int, float]:
    """Position in which a motion has come to rest, its steps, and how fast it still is: nan if it does not come to rest."""
    model = balance.system.model
    moving = [c.name for c in model.constraints.values() if c.is_driver and _depends_on_time(c)]
    if moving:
        raise ModelError(
            f"the drivers {', '.join(map(repr, moving))} move while the model settles; use another method, which reads them at one time."
        )
    pace = _pace(balance, q)
    twin = _with_dampers(model, pace) if damped else model
    v, steps, left = np.zeros(balance.system.n_columns), 0, duration
    for _ in range(ROUNDS):
        start = twin.copy(changes=_drawn_with(balance, q, v))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunWarning)  # about a motion that nobody sees
            run = simulate(start, 4.0 * 2.0 * math.pi / pace, samples=2, rtol=1e-7, progress=False)
        assert run.v is not None and run.dynamics is not None
        steps += run.dynamics.statistics.steps
        left -= float(run.times[-1])
        q, v = run.q[-1].copy(), run.v[-1].copy()
        slow = float(np.abs(v / balance.scales).max(initial=0.0)) < QUIET * pace
        if slow and balance.residual(q, resisting=True) < 10.0 * QUIET:
            return q, steps, 0.0
        if left < 0.0 and not damped:
            break
    return q, steps, math.nan


def _depends_on_time(constraint: Constraint) -> bool:
    goals = [goal for block in constraint.blocks for goal in block.targets]
    return any(not isinstance(goal, int | float) and goal.names for goal in goals)


def _pace(balance: Balance, q: Array) -> float:
    """A typical angular frequency [rad/s]."""
    here = balance.at(q)
    if not here.mass.size:
        return 1.0
    squares = np.abs(np.linalg.eigvals(np.linalg.lstsq(here.mass, here.stiffness, rcond=1e-12)[0]))
    typical = float(np.sqrt(np.median(squares)))
    gravity = float(np.linalg.norm(balance.system.model.gravity))
    return typical if typical > 0.0 else math.sqrt(max(gravity, 1.0) / balance.system.length)


def _with_dampers(model: Model, pace: float) -> Model:
    """The model with a damper to the ground along every column of every body: D grows with its mass and inertia."""
    twin = model.copy()
    for body in list(model.bodies.values())[1:]:
        mass = max(body.mass or 0.0, 1e-12)
        inertia = float(np.abs(np.array(0.0 if body.inertia is None else body.inertia, dtype=float)).max())
        inertia = max(inertia + mass * float(np.square(body.centroid).sum()), 1e-12)
        for rate, column in model.space.rates.items():
            c = 1.4 * pace * (mass if column in model.space.axes else inertia)
            name = f"{body.name}.{column}"
            twin.user_force(f"fictitious_{body.name}_{column}", name, f"-{c!r}*{body.name}.{rate}")
    return twin


def _drawn_with(balance: Balance, q: Array, v: Array) -> dict[str, dict[str, object]]:
    """Changes that draw the model at a state, velocities included."""
    changes = drawn_at(balance.system, q)
    size = balance.system.per_body
    for b, name in enumerate(list(balance.system.model.bodies)[1:]):
        own = v[size * b : size * (b + 1)]
        speed: dict[str, object] = {"velocity": tuple(map(float, own[: 2 if size == 3 else 3]))}
        speed["omega"] = float(own[2]) if size == 3 else tuple(map(float, own[3:]))
        changes[name] = {**changes.get(name, {}), **speed}
    return changes
