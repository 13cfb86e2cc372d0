"""Inputs and outputs of a linear model: rows of measured quantities and their rates at a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel.analysis.freedom.rank import jacobian
from pytrammel.analysis.small_motions.reduced import Reduced, State
from pytrammel.errors import ModelError
from pytrammel.kernels import layout as L
from pytrammel.kernels.measures import measures_run
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.system.lowering import lower_measures
from pytrammel.system.positions import moved

Array = NDArray[np.float64]
STEPS = (1e-3, 5e-4)  # of differences, in column scales


def measured_rows(state: State, wanted: Sequence[str | Quantity], what: str) -> tuple[Array, list[str]]:
    """How measured quantities change with the columns, shape (quantities, n_columns), and their names."""
    model = state.system.model
    quantities = [model.scalar(one, what) for one in wanted]
    return _rows(state, quantities), [str(q) for q in quantities]


def _rows(state: State, quantities: Sequence[Quantity]) -> Array:
    if not quantities:
        return np.zeros((0, state.system.n_columns))
    small = lower_measures(state.system.model, quantities)
    scaled = jacobian(small, state.q, state.time, range(len(quantities)))
    return np.asarray(scaled * small.row_scales()[:, None] / small.column_scales())


def _rates(state: State, quantity: Quantity, q: Array) -> float:
    small = lower_measures(state.system.model, [quantity])
    values, rates, seconds = (np.zeros((1, 1)) for _ in range(3))
    v = state.v.reshape(1, -1).copy()
    measures_run(
        small.ints, small.floats, np.array([state.time]), q.reshape(1, -1).copy(), v, np.zeros_like(v), values, rates, seconds
    )  # fmt: skip
    return float(rates[0, 0])


def change_of_rate(state: State, quantity: Quantity) -> Array:
    """How the rate of a quantity changes with position at the velocities of the state."""
    n, scales = state.system.n_columns, state.system.column_scales()
    out = np.zeros(n)
    if state.at_rest:
        return out
    for c in range(n):
        unit = scales[c] * np.eye(n)[c]
        ahead, behind = (
            [_rates(state, quantity, moved(state.system, state.q, side * h * unit)) for h in STEPS]
            for side in (1.0, -1.0)
        )
        long, short = ((a - b) / (2.0 * h) for a, b, h in zip(ahead, behind, STEPS, strict=True))
        out[c] = (4.0 * short - long) / 3.0 / scales[c]
    return out


@dataclass(frozen=True)
class Inputs:
    """Inputs of a linear model.

    Attributes:
        names: Their names.
        forces: Generalised forces of unit inputs, shape (n_columns, inputs); nothing for drivers.
        motions: By place of the input, small motions x that follow one unit of a driver while the coordinates stay.
    """

    names: tuple[str, ...]
    forces: Array
    motions: Mapping[int, Array]


def read_inputs(state: State, inputs: Sequence[str | Quantity], found: Reduced, measuring: Array) -> Inputs:
    """What unit inputs do; `measuring` are the rows of x that the coordinates measure."""
    model, names = state.system.model, []
    columns, motions = np.zeros((state.system.n_columns, len(inputs))), {}
    for k, one in enumerate(inputs):
        if isinstance(one, str) and one in model.constraints and model.constraints[one].is_driver:
            motions[k] = _following(state, one, found, measuring)
            names.append(one)
            continue
        quantity = _along(state, one) if isinstance(one, str) and one in model.forces else model.scalar(one, "inputs")
        columns[:, k] = _rows(state, [quantity])[0]
        names.append(one if isinstance(one, str) and one in model.forces else str(quantity))
    return Inputs(tuple(names), columns, motions)


def _along(state: State, name: str) -> Quantity:
    """The one quantity that a force acts along."""
    uses = [use for use in state.system.model.forces[name].uses if use.element != "gauge"]
    along = [use.along for use in uses if use.along is not None]
    if len(along) < len(uses) or any(one != along[0] for one in along):
        raise ModelError(
            f"the force {name!r} does not act along one quantity; name the quantity that the input acts along."
        )
    return along[0]


def _following(state: State, driver: str, found: Reduced, measuring: Array) -> Array:
    """Small motions per unit of a driver's quantity, the coordinates held."""
    P = found.terms.pattern
    order = P[int(P[L.P_AT_ROWS]) :][: int(P[L.P_ROWS])]
    own = [k for k, row in enumerate(order) if state.system.rows[int(row)].owner == driver]
    if len(own) != 1:
        raise ModelError(
            f"the driver {driver!r} cannot be an input here: it moves {len(own)} independent quantities, not one."
        )
    if not found.holonomic or found.terms.state_z.size:
        raise ModelError(
            f"the driver {driver!r} cannot be an input of a model that rolls or has forces with states of their own."
        )
    rows = np.vstack([found.terms.jacobian @ found.axes, measuring])
    wanted = np.zeros(len(rows))
    wanted[own[0]] = 1.0
    scales = state.system.column_scales()
    return np.asarray(scales * np.linalg.lstsq(rows * scales, wanted, rcond=None)[0])


def rates_of_a_driver(name: str, output: str = "") -> ModelError:
    """Error where an output would follow the speed or acceleration of a driver."""
    what = f"output {output!r} responds to its acceleration" if output else "rates respond to its speed"
    return ModelError(f"the input {name!r} is a driver, and {what}, not to its place; ask for positions as outputs.")


def driven(
    found: Reduced, inputs: Inputs, A: Array, B: Array, C: Array, D: Array, outputs: Array
) -> tuple[Array, Array]:
    """B and D with the motions of drivers as inputs.

    The equations then hold u, u' and u'': x' = A x + B0 u + B1 u' + B2 u''. With w = x - B2 u' - (B1 + A B2) u they become
    w' = A w + (B0 + A B1 + A A B2) u, and what outputs see of u' must be nil.
    """
    B, D, p = B.copy(), D.copy(), found.basis.shape[1]
    for k, G in inputs.motions.items():
        parts = [found.full_stiffness @ G, found.full_damping @ G, found.full_mass @ G]
        B0, B1, B2 = (np.append(np.zeros(p), -np.linalg.solve(found.mass, found.left.T @ part)) for part in parts)
        if np.abs(C @ B2).max(initial=0.0) > 1e-12 * np.abs(B2).max(initial=0.0) or outputs.shape[0] != len(C):
            raise rates_of_a_driver(inputs.names[k])
        B[:, k] = B0 + A @ B1 + A @ A @ B2
        D[:, k] = C @ (B1 + A @ B2) + outputs @ found.axes @ G
    return B, D


def is_measured(state: State, output: str | Quantity) -> bool:
    """Return True if an output is a measured quantity or its rate, whose rows are exact; others are named by results."""
    if not isinstance(output, str):
        return True
    try:
        return state.system.model.law_input(output, "outputs").quantity is not None
    except ModelError:
        return False


def output_rows(state: State, outputs: Sequence[str | Quantity], found: Reduced) -> tuple[Array, Array, list[str]]:
    """C of the outputs in terms of the states, how positions among them change with the columns, and their names."""
    p, s = found.basis.shape[1], found.freedom.shape[1]
    size = p + s + found.terms.state_z.shape[0]
    model, rows, names, places = state.system.model, [], [], []
    place = found.axes @ found.basis
    speed = found.axes @ found.drifting + place @ found.drift
    for one in outputs:
        given = model.law_input(one, "outputs") if isinstance(one, str) else None
        quantity = given.quantity if given is not None else model.scalar(one, "outputs", valued=True)
        assert quantity is not None
        own = _rows(state, [quantity])[0]
        row = np.zeros(size)
        if given is not None and given.kind == "rate":
            row[:p] = own @ speed + change_of_rate(state, quantity) @ place
            row[p : p + s] = own @ place @ found.freedom
        else:
            row[:p] = own @ place
            places.append(own)
        rows.append(row)
        names.append(one if isinstance(one, str) else str(one))
    return np.array(rows).reshape(len(rows), size), np.array(places).reshape(len(places), state.system.n_columns), names
