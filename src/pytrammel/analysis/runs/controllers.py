"""Controllers in Python that are called at fixed intervals between steps; what they put out is held in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pytrammel._util.messages import short
from pytrammel.errors import ModelError
from pytrammel.forces.force import Force
from pytrammel.kernels.measures import measures_run
from pytrammel.model.base import Model
from pytrammel.system.lowering import System, lower_measures

if TYPE_CHECKING:
    from pytrammel.analysis.runs.simulation import Simulation

Array = NDArray[np.float64]
MOST = 200_000  # calls of one controller in a run
LATE = 1e-9  # of an interval: a call is due although its time is a rounding ahead


def controllers_of(model: Model) -> list[Force]:
    """Controllers in the order in which they are called."""
    return [force for force in model.forces.values() if force.kind == "controller"]


def sampling(model: Model, start: float, end: float) -> list[tuple[float, bool]]:
    """Times after the start at which some controller is called [s], as breaks at which a run must come back to Python."""
    found: list[tuple[float, bool]] = []
    for force in controllers_of(model):
        every = force.parameters["every"]
        if (end - start) / every > MOST:
            raise ModelError(
                f"controller {force.name!r} would be called {(end - start) / every:.3g} times, once in {every:g} s; {MOST} are the most. "
                "Choose a larger every=, or write the law as a formula with states (m.state)."
            )
        count = int(np.floor((end - start) / every + LATE))
        found += [(start + every * k, True) for k in range(1, count + 1)]
    return found


def refuse_states(model: Model, verb: str, *, controllers_only: bool = False) -> None:
    """Refuse forces that follow states of the user or sampled controllers, where nothing integrates or calls them."""
    sampled = {name for force in controllers_of(model) for name in force.parameters["outputs"]}
    for force in model.forces.values():
        for use in force.uses:
            named = {one.joint for one in use.inputs.values() if one.kind == "state"}
            found = sorted(named & sampled if controllers_only or use.state else named)
            if found and (not use.state or controllers_only):
                what = "is put out by a controller" if found[0] in sampled else "is integrated along with the motion"
                raise ModelError(
                    f"{verb} does not know what {found[0]!r} is, which {force.kind} {force.name!r} uses: it {what}. Use simulate, or leave "
                    f"them out: m.copy(without=[{force.name!r}, {model.states.get(found[0], found[0])!r}])."
                )


class Controllers:
    """Calls the controllers of a run and puts what they return into the integrated vector."""

    def __init__(self, run: Simulation) -> None:
        self.run = run
        self.due = {force.name: 0 for force in controllers_of(run.model)}
        self.start = float(run.instants[0])
        self._measured: dict[int, System] = {}
        for force in controllers_of(run.model):
            reset = getattr(force.parameters["function"], "reset", None)
            if callable(reset):
                self._guarded(force, self.start, reset, ())

    def sample(self, time: float) -> None:
        """Call every controller whose time has come."""
        for name in self.due:
            force = self.run.model.forces[name]
            every = force.parameters["every"]
            if time >= self.start + every * (self.due[name] - LATE):
                self._call(force, self.start + every * self.due[name])
                self.due[name] += 1

    def _call(self, force: Force, time: float) -> None:
        values = self._inputs(force, time)
        found = self._guarded(force, time, force.parameters["function"], values)
        names: Sequence[str] = force.parameters["outputs"]
        try:
            numbers = np.atleast_1d(np.asarray(found, dtype=float))
        except (TypeError, ValueError):
            numbers = np.zeros(0)
        if numbers.shape != (len(names),) or not np.isfinite(numbers).all():
            wanted = "a finite number" if len(names) == 1 else f"{len(names)} finite numbers ({', '.join(names)})"
            raise ModelError(
                f"controller {force.name!r} returned {short(found)} at t = {time:.6g} s; it must return {wanted}.",
                partial=self._partial(),
            )
        places = self.run.system.state_places
        for name, value in zip(names, numbers, strict=True):
            self.run.y[self.run.inner_at + places[name]] = value

    def _inputs(self, force: Force, time: float) -> list[float]:
        run, given = self.run, force.uses[0].inputs
        quantities = [one.quantity for one in given.values() if one.quantity is not None]
        values, rates = np.zeros((1, len(quantities))), np.zeros((1, len(quantities)))
        if quantities:
            small = lower_measures(run.model, quantities)
            measures_run(
                small.ints, small.floats, np.array([time]), run.q.reshape(1, -1).copy(), run.v.reshape(1, -1).copy(),
                np.zeros((1, run.v.size)), values, rates, np.zeros_like(rates),
            )  # fmt: skip
        out, k = [], 0
        for one in given.values():
            if one.kind == "time":
                out.append(time)
            elif one.kind == "state":
                out.append(float(run.y[run.inner_at + run.system.state_places[one.joint]]))
            else:
                out.append(float((rates if one.kind == "rate" else values)[0, k]))
                k += 1
        return out

    def _guarded(self, force: Force, time: float, function: Any, values: Sequence[float]) -> Any:
        try:
            return function(*values)
        except Exception as error:
            reason = str(error).rstrip(".") or "no reason given"
            raise ModelError(
                f"controller {force.name!r} failed at t = {time:.6g} s: {type(error).__name__}: {reason}.",
                partial=self._partial(),
            ) from error

    def _partial(self) -> Any:
        return self.run.result() if self.run.done else None
