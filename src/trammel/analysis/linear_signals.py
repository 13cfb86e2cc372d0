"""Inputs and outputs of a linear model: rows of measured quantities and their rates at a state."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trammel.analysis.rank import jacobian
from trammel.analysis.reduced import Reduced, State
from trammel.errors import ModelError
from trammel.kernels.measures import measures_run
from trammel.model.quantity import Quantity
from trammel.system.lowering import lower_measures
from trammel.system.positions import moved

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


def _change_of_rate(state: State, quantity: Quantity) -> Array:
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


def input_columns(state: State, inputs: Sequence[str | Quantity], found: Reduced) -> tuple[Array, list[str]]:
    """Generalised forces of unit inputs, shape (n_columns, inputs), and their names."""
    model, quantities, names = state.system.model, [], []
    for one in inputs:
        if isinstance(one, str) and one in model.forces:
            along = [use.along for use in model.forces[one].uses if use.along is not None and use.element != "gauge"]
            if not along:
                raise ModelError(
                    f"the force {one!r} has a geometry of its own and no quantity that an input could act along; name a quantity."
                )
            quantities.append(along[0])
            names.append(one)
        elif isinstance(one, str) and one in model.constraints and model.constraints[one].is_driver:
            raise ModelError(
                f"{one!r} is a driver, which holds its quantity; to have an input there, leave the driver out and name the quantity."
            )
        else:
            quantity = model.scalar(one, "inputs")
            quantities.append(quantity)
            names.append(str(quantity))
    return _rows(state, quantities).T, names


def output_rows(
    state: State, outputs: Sequence[str | Quantity], found: Reduced, A: Array, B: Array, *, default: bool
) -> tuple[Array, Array, list[str]]:
    """C and D of the outputs in terms of the states, and their names."""
    p, s = found.basis.shape[1], found.freedom.shape[1]
    if default:
        return np.eye(p, len(A)), np.zeros((p, B.shape[1])), [str(name) for name in outputs]
    model, rows, names = state.system.model, [], []
    place = found.axes @ found.basis
    speed = found.axes @ found.turning @ found.basis + place @ found.drift
    for one in outputs:
        given = model.law_input(one, "outputs") if isinstance(one, str) else None
        if given is not None and given.quantity is None:
            raise ModelError(
                f"the output {one!r} is no measured quantity; name one, or its rate, e.g. 'A.angle' or 'A.angle.rate'."
            )
        quantity = given.quantity if given is not None else model.scalar(one, "outputs", valued=True)
        assert quantity is not None
        own = _rows(state, [quantity])[0]
        row = np.zeros(len(A))
        if given is not None and given.kind == "rate":
            row[:p] = own @ speed + _change_of_rate(state, quantity) @ place
            row[p : p + s] = own @ place @ found.freedom
        else:
            row[:p] = own @ place
        rows.append(row)
        names.append(one if isinstance(one, str) else str(one))
    C = np.array(rows).reshape(len(rows), len(A))
    return C, np.zeros((len(rows), B.shape[1])), names
