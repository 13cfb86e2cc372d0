"""The phase that acts at a time, and the system as it is then."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pytrammel._util import traced_numbers
from pytrammel.errors import ModelError, RunWarning, TrammelError
from pytrammel.model.base import Model
from pytrammel.model.phases import Switch
from pytrammel.system.lowering import System, lower

Array = NDArray[np.float64]
LOOKS = 2000  # samples of a condition of time between 0 s and the time in question
BISECTIONS = 60


def leaves_first(model: Model) -> bool:
    """Return True if a run of the model can leave its first phase."""
    first = next(iter(model.phases), None)
    return any(switch.leave == first for switch in model.switches.values())


def system_at(model: Model, time: float, verb: str, *, dynamics: bool = False) -> System:
    """Lower a model with the phase that acts at a time, in the position that the drivers reach by then.

    Args:
        model: The model.
        time: Time [s]; phases change from 0 s on.
        verb: Name of the analysis, for messages.
        dynamics: Include masses and forces.

    Raises:
        ModelError: The phase depends on a motion that the drivers do not determine.
    """
    system = lower(model, dynamics=dynamics)
    if not time > 0.0 or not leaves_first(model):
        return system
    try:
        return _followed(model, system, time)
    except TrammelError as error:
        phase = phase_by_time(model, time)
        if phase is None or model.phases[phase].hold:
            raise ModelError(
                f"{verb} at t = {time:g} s: the phase of model {model.name!r} at this time depends on its motion, and kinematics cannot "
                f"follow that from 0 s ({str(error).rstrip('.')}). Simulate up to this time and use the result, or keep only the "
                "constraints that act then."
            ) from None
        return replace(system, phase=phase)


def _followed(model: Model, system: System, time: float) -> System:
    """The system in the phase and position that the drivers reach."""
    from pytrammel.analysis.driven.kinematics import kinematics  # which needs positions

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        run = kinematics(model, times=[0.0, time], level="position", progress=False)
    phase = run._switches[-1].enter if run._switches else None
    return in_phase(system, phase, held_targets(run._segments[-1].system, run._segments[-1].floats), run.q[-1])


def held_targets(system: System, floats: Array) -> dict[str, Array]:
    """Targets of constraints that hold the value they had when their phase began, by name."""
    own, now = system.targets(system.floats), system.targets(floats)
    names = dict.fromkeys(system.rows[k].owner for k in np.flatnonzero(own != now))
    return {name: now[system.rows_of((name,))] for name in names}


def in_phase(system: System, phase: str | None, held: Mapping[str, Array], start: Array | None = None) -> System:
    """A system whose active equations are those of a phase, with held targets."""
    if phase is None:
        return system
    floats = system.floats.copy()
    targets = system.targets(floats)
    for name, values in held.items():
        targets[system.rows_of((name,))] = values
    return replace(
        system,
        phase=phase,
        floats=floats,
        start=system.start if start is None else start,
        patterns={},
        places={},
        kept={},
    )


def alike(system: System, other: System) -> System:
    """A system in the phase of another one, with its held targets and its start; the bodies must be the same."""
    held = {} if other.phase is None else held_targets(lower(other.model, dynamics=bool(other.recipe[2])), other.floats)
    return in_phase(system, other.phase, held, other.start)


def phase_by_time(model: Model, time: float) -> str | None:
    """The phase that acts at a time if conditions of time alone lead there from 0 s; otherwise None."""
    now, phase = 0.0, next(iter(model.phases))
    for _ in range(LOOKS):
        due = []
        for switch in model.switches.values():
            if switch.leave == phase:
                if switch.when.names - {"t"}:
                    return None
                due.append((_first_zero(switch, now, time), switch.enter))
        now, entered = min(due, default=(np.inf, phase))
        if now >= time:
            return phase
        phase = entered
    return None


def late_start(model: Model, time: float) -> Iterator[RunWarning]:
    """Warn of a run that starts in its first phase after the time at which a switch leaves that phase."""
    if time > 0.0 and leaves_first(model):
        first, phase = next(iter(model.phases)), phase_by_time(model, time)
        if phase not in (None, first):
            yield RunWarning(
                "phase",
                f"the run starts in phase {first!r}, as every run does, although by its switches phase {phase!r} acts at t = {time:g} s. "
                f"Start at 0 s, or describe phase {phase!r} first.",
                time=time,
            )


def _first_zero(switch: Switch, low: float, high: float) -> float:
    """The first time after `low` at which the condition of a switch passes zero in its direction; infinite if there is none."""

    def value(time: float) -> float:
        return traced_numbers.real(switch.when.evaluate({"t": time}))

    times: Sequence[float] = np.linspace(low, high, LOOKS + 1).tolist()
    values = [value(t) for t in times]
    for a, b, x, y in zip(times, times[1:], values, values[1:], strict=False):
        rises, falls = x < 0.0 <= y, x > 0.0 >= y
        if not ((rises and switch.direction >= 0) or (falls and switch.direction <= 0)):
            continue
        for _ in range(BISECTIONS):
            middle = 0.5 * (a + b)
            if middle in (a, b):
                break
            if value(middle) * x > 0.0:
                a = middle
            else:
                b = middle
        return a
    return np.inf
