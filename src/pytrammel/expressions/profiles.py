"""Motions as formulas of time: rises and dwells of cams, polynomials, harmonic motion.

lift = motion(0.0, [rise(0.02, 0.4, law="modified_sine"), dwell(0.1), fall(0.0, 0.4), dwell(0.1)], repeat=True)
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pytrammel._util.checks import checked
from pytrammel._util.messages import in_sentences, short
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression, call, call_piecewise, number, time
from pytrammel.expressions.rise_laws import LAWS


@dataclass(frozen=True)
class Segment:
    """One part of a motion.

    Attributes:
        to: Value at its end, in the unit of the motion; None for a dwell.
        duration: How long it takes [s].
        law: Name of the rise law.
    """

    to: float | None
    duration: float
    law: str = "cycloidal"

    def __post_init__(self) -> None:
        kind = "dwell" if self.to is None else "rise"
        for value in (self.duration, self.to):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int | float | np.number)):
                raise ModelError(f"{kind}: {short(value)} is not a number.")
        if not (math.isfinite(self.duration) and self.duration > 0.0):
            raise ModelError(f"{kind}: the duration must be greater than 0, not {self.duration:g}.")
        if self.to is not None and not math.isfinite(self.to):
            raise ModelError(f"{kind}: the value to reach must be a number, not {self.to}.")
        if not isinstance(self.law, str) or self.law not in LAWS:
            near = difflib.get_close_matches(str(self.law), LAWS, n=1, cutoff=0.5)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise ModelError(f"{kind}: there is no law '{self.law}'; the laws are {', '.join(LAWS)}.{hint}")


@checked
@in_sentences
def rise(to: float, duration: float, law: str = "cycloidal") -> Segment:
    """Go to a value, up or down.

    Args:
        to: Value at the end, in the unit of the motion.
        duration: How long it takes [s].
        law: One of the rise laws; "cycloidal" by default because its acceleration starts and ends at zero.
    """
    return Segment(to, duration, law)


fall = rise
"""The same as `rise`, for readers: go down to a value."""


@checked
@in_sentences
def dwell(duration: float) -> Segment:
    """Stay for a while [s]."""
    return Segment(None, duration)


@checked
@in_sentences
def motion(
    start: float, segments: Sequence[Segment], repeat: bool = False, *, variable: Expression = time
) -> Expression:
    """A sequence of rises and dwells that begins at time 0.

    Args:
        start: Value before and at time 0, in any unit.
        segments: Made by `rise`, `fall` and `dwell`.
        repeat: Whether to begin again after the last segment. Where the motion ends at another value than it starts, each
            repetition starts where the one before ended, as in an index drive.
        variable: What to use instead of time, for instance the angle of a cam.
    """
    if not segments:
        raise ModelError("motion: no segments given; add at least one rise or dwell.")
    period = math.fsum(segment.duration for segment in segments)
    argument = call("mod", variable, period) if repeat else variable
    result = number(start)
    level, begin = float(start), 0.0
    for segment in segments:
        if segment.to is not None and segment.to != level:
            fraction = (argument - begin) / segment.duration
            result = result + (segment.to - level) * call_piecewise(LAWS[segment.law], fraction)
            level = float(segment.to)
        begin += segment.duration
    # differences of levels are rounded, so a return to the start is recognised up to that rounding
    scale = max(abs(float(segment.to or 0.0)) for segment in segments) + abs(start)
    if repeat and abs(level - start) > 1e-12 * scale:
        # variable - argument is a whole number of periods, consistent with mod() to the last bit of the period
        result = result + (level - start) / period * (variable - argument)
    return result


@checked
@in_sentences
def polynomial(*coefficients: float, variable: Expression = time) -> Expression:
    """c0 + c1 t + c2 t^2 + ..., in the form that needs the fewest operations."""
    if not coefficients:
        raise ModelError("polynomial: no coefficients given; polynomial(c0, c1, c2) is c0 + c1 t + c2 t^2.")
    result = number(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = coefficient + variable * result
    return result


@checked
@in_sentences
def constant_acceleration(
    position: float, velocity: float, acceleration: float, *, variable: Expression = time
) -> Expression:
    """position + velocity t + acceleration t^2 / 2."""
    return polynomial(position, velocity, acceleration / 2, variable=variable)


@checked
@in_sentences
def harmonic_motion(
    amplitude: float, frequency: float, *, phase: float = 0.0, mean: float = 0.0, variable: Expression = time
) -> Expression:
    """mean + amplitude sin(2 pi frequency t + phase).

    Args:
        amplitude: Half of the distance between the extremes, in the unit of the motion.
        frequency: Full oscillations per second [Hz].
        phase: Angle of the sine at time 0 [rad].
        mean: Value about which it oscillates.
        variable: What to use instead of time.
    """
    return mean + amplitude * call("sin", math.tau * frequency * variable + phase)
