"""The standard cam rise laws: from 0 at u = 0 to 1 at u = 1, at rest outside.

Their derivatives are continuous from the right: at u = 0 they are those of the rise, at u = 1 those of the dwell.
Formulas: Norton, *Cam Design and Manufacturing Handbook*, ch. 3; Chen, *Mechanics and Design of Cam Mechanisms*, ch. 2.
"""

from __future__ import annotations

from math import cos, pi, sin

from pytrammel import opcodes
from pytrammel.expressions.piecewise import Pieces, PiecewiseFunction, Sine


class Law(PiecewiseFunction):
    """A normalised rise law."""


# one piece of acceleration: (length, constant part, amplitude, frequency, phase)
_AccelerationPiece = tuple[float, float, float, float, float]


def _from_acceleration(start_slope: float, pieces: list[_AccelerationPiece]) -> Pieces:
    """Integrate a''(h) = constant + amplitude sin(frequency h + phase) twice, joining value and slope."""
    breaks, rows, sines = [0.0], [], []
    value, slope = 0.0, start_slope
    for length, constant, amplitude, frequency, phase in pieces:
        sine = Sine(-amplitude / frequency**2 if amplitude else 0.0, frequency, phase)
        c0 = value - sine.amplitude * sin(phase)
        c1 = slope - sine.amplitude * frequency * cos(phase)
        rows.append((c0, c1, constant / 2))
        sines.append(sine)
        angle = frequency * length + phase
        value = c0 + c1 * length + constant / 2 * length**2 + sine.amplitude * sin(angle)
        slope = c1 + constant * length + sine.amplitude * frequency * cos(angle)
        breaks.append(breaks[-1] + length)
    # the rise ends at 1 up to rounding; one more piece makes the dwell after it exact
    breaks.append(2.0)
    rows.append((1.0, 0.0, 0.0))
    sines.append(Sine(0.0, 0.0, 0.0))
    return Pieces(tuple(breaks), tuple(rows), tuple(sines), opcodes.OUTSIDE_HOLD)


def _polynomial(*coefficients: float) -> Pieces:
    return Pieces((0.0, 1.0), (coefficients,), (), opcodes.OUTSIDE_HOLD)


_MODIFIED_SINE_PEAK = 4 * pi**2 / (4 + pi)
_MODIFIED_TRAPEZOID_PEAK = 8 * pi / (2 + pi)

_PIECES: dict[str, Pieces] = {
    "uniform": _polynomial(0.0, 1.0),
    "poly23": _polynomial(0.0, 0.0, 3.0, -2.0),
    "harmonic": _from_acceleration(0.0, [(1.0, 0.0, pi**2 / 2, pi, pi / 2)]),
    "cycloidal": _from_acceleration(0.0, [(1.0, 0.0, 2 * pi, 2 * pi, 0.0)]),
    "poly345": _polynomial(0.0, 0.0, 0.0, 10.0, -15.0, 6.0),
    "poly4567": _polynomial(0.0, 0.0, 0.0, 0.0, 35.0, -84.0, 70.0, -20.0),
    # a quarter of a fast sine, half of a slow one, a quarter of the fast one again
    "modified_sine": _from_acceleration(
        0.0,
        [
            (1 / 8, 0.0, _MODIFIED_SINE_PEAK, 4 * pi, 0.0),
            (3 / 4, 0.0, _MODIFIED_SINE_PEAK, 4 * pi / 3, pi / 2),
            (1 / 8, 0.0, _MODIFIED_SINE_PEAK, 4 * pi, 3 * pi / 2),
        ],
    ),
    # a trapezoid whose corners are rounded by sines
    "modified_trapezoid": _from_acceleration(
        0.0,
        [
            (1 / 8, 0.0, _MODIFIED_TRAPEZOID_PEAK, 4 * pi, 0.0),
            (1 / 4, _MODIFIED_TRAPEZOID_PEAK, 0.0, 0.0, 0.0),
            (1 / 4, 0.0, _MODIFIED_TRAPEZOID_PEAK, 4 * pi, pi / 2),
            (1 / 4, -_MODIFIED_TRAPEZOID_PEAK, 0.0, 0.0, 0.0),
            (1 / 8, 0.0, _MODIFIED_TRAPEZOID_PEAK, 4 * pi, 3 * pi / 2),
        ],
    ),
}

LAWS: dict[str, Law] = {name: Law(name, _PIECES[name]) for name in opcodes.LAW_NAMES}
