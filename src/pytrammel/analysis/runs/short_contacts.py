"""Contacts, stops and ropes that act for a time shorter than fixed steps resolve.

Steps of a given length end where a contact begins and ends, but in between they follow its force only if they are short against its
duration. The energy balance does not show the error where little energy is in the contact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytrammel.analysis.at_state import evaluate_state, measured_value
from pytrammel.errors import RunWarning
from pytrammel.kernels import layout as L
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.system.positions import moved

if TYPE_CHECKING:
    from pytrammel.analysis.runs.simulation import Simulation

KIND = "short contact"
NUDGES = 1e-4, 1e-3, 1e-2, 1e-1  # fractions of a step, over which forces on both sides of a corner are compared
EXACT = 0.01  # relative error of a half swing that steps are to keep
FEWEST = 8.0  # steps in a half swing, at least
GENTLE = 0.1  # speed of touch, relative to the swing under the other forces, below which the bodies settle and do not rebound
LEAST, MOST = 0.5, 3.0  # exponents of the force over the depth
GROWTH = 1e-6  # relative to all accelerations: smaller changes are rounding
SAME = 1e-3  # relative difference of durations that are reported once
MOST_NAMES = 4
NEVER = math.inf, math.inf


@dataclass(frozen=True)
class ShortContact:
    """A contact that lasts a few steps only.

    Attributes:
        name: Name of the force.
        time: Beginning [s].
        duration: Estimated duration [s].
        longest: Longest step that resolves it [s].
    """

    name: str
    time: float
    duration: float
    longest: float


def steps_needed(order: int) -> float:
    """Number of steps in a half swing that keep it to one per cent, by the first term of the error of a method."""
    term = math.pi ** (order + 1) / math.factorial(order + 1)
    return float(max(FEWEST, math.ceil((term / EXACT) ** (1.0 / order))))


class ShortContacts:
    """The shortest contact of each force, against the steps of a run."""

    def __init__(self) -> None:
        self.worst: dict[str, ShortContact] = {}

    def note(self, run: Simulation, name: str, quantity: Quantity) -> None:
        """Compare the step with a contact whose watched quantity passes zero now."""
        options = run.options
        duration, swing = half_period(run, quantity)
        longest = swing / steps_needed(options.method.order)
        if not longest < options.time_step * (1.0 - 1e-9):
            return
        if name in self.worst and self.worst[name].longest <= longest * (1.0 + SAME):
            return
        already = [w for w in run.warnings if w.kind == KIND]
        if already and not self.worst:  # a run that was resumed
            return
        self.worst[name] = ShortContact(name, float(run.clock[0]), duration, longest)
        run.warnings[:] = [w for w in run.warnings if w.kind != KIND] + [self._warning(run)]

    def _warning(self, run: Simulation) -> RunWarning:
        found = sorted(self.worst.values(), key=lambda each: each.longest)
        worst, step = found[0], run.options.time_step
        force = run.model.forces[worst.name]
        others = [repr(each.name) for each in found[1:]]
        more = f" and {len(others) - MOST_NAMES} more" if len(others) > MOST_NAMES else ""
        text = (
            f"{force.kind} {worst.name!r}: it acts for about {worst.duration:.3g} s from t = {worst.time:.6g} s, which is "
            f"{worst.duration / step:.2g} steps of {step:g} s. Method {run.options.method.name!r} needs "
            f"{steps_needed(run.options.method.order):g} steps there. "
        )
        text += f"Further contacts: {', '.join(others[:MOST_NAMES])}{more}. " if others else ""
        text += f"Use step={_down(worst.longest):g} or less, or a method with error control."
        return RunWarning(KIND, text, time=min(each.time for each in found))


def half_period(run: Simulation, quantity: Quantity) -> tuple[float, float]:
    """Duration of a contact that begins or ends now, and half a period of the masses on its stiffness [s].

    Both are infinite if its force does not send the quantity back.

    Args:
        run: A run that stands where the watched quantity passes zero.
        quantity: Watched quantity.
    """
    time, q, v = float(run.clock[0]), run.q.copy(), run.v.copy()
    at = q.size + v.size
    z = run.y[at : at + int(run.system.ints[L.N_STATES])].copy()
    formulation = run.options.formulation.variant

    def acceleration(ahead: float) -> float:
        there = moved(run.system, q, ahead * v)
        state = evaluate_state(
            run.system, run.floats, run.pattern, time + ahead, there, v, z, formulation=formulation
        )  # fmt: skip
        return measured_value(run.model, quantity, time + ahead, there, state.accelerations)[1]

    rate = measured_value(run.model, quantity, time, q, v)[1]
    speed = abs(rate)
    for nudge in NUDGES:
        dt = nudge * run.options.time_step
        now, ahead, behind = acceleration(0.0), acceleration(4.0 * dt), acceleration(-4.0 * dt)
        into = 1.0 if abs(ahead - now) > abs(behind - now) else -1.0  # a parting is a touch in reversed time
        side = math.copysign(1.0, into * rate)
        now, once, twice, fourth = (side * acceleration(into * k * dt) for k in (0.0, 1.0, 2.0, 4.0))
        first, second = once - twice, twice - fourth
        if first > GROWTH * max(abs(now), abs(fourth)) and second > 0.0:
            break
    else:
        return NEVER
    exponent = min(max(math.log2(second / first), LEAST), MOST)
    factor = first / (2.0**exponent - 1.0) / (speed * dt) ** exponent
    depth = float((0.5 * (exponent + 1.0) * speed * speed / factor) ** (1.0 / (exponent + 1.0)))
    if speed * speed < GENTLE * abs(now) * depth:
        return NEVER
    swing = math.pi * depth / speed
    # other forces that send the quantity back end the contact sooner
    return min(swing, 2.0 * speed / -now if now < 0.0 else math.inf), swing


def _down(value: float) -> float:
    """A number of two digits that is not greater."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.floor(value / unit) * unit
