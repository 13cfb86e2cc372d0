"""Motion profiles, formulas of time for drivers and cams.

    p = tm.profiles
    lift = p.motion(0.0, [p.rise(0.02, 0.4), p.dwell(0.1), p.fall(0.0, 0.4), p.dwell(0.1)], repeat=True)

* `motion`: a sequence of `rise`, `fall` and `dwell`, once or repeated.
* `polynomial`, `constant_acceleration`, `harmonic_motion`: by coefficients, by initial values, by amplitude and frequency.

Rise laws such as "cycloidal" are also functions of `pytrammel.functions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util.messages import absent_from_module
from pytrammel.expressions.profiles import constant_acceleration, dwell, fall, harmonic_motion, motion, polynomial, rise

__all__ = [
    "constant_acceleration",
    "dwell",
    "fall",
    "harmonic_motion",
    "motion",
    "polynomial",
    "rise",
]

if not TYPE_CHECKING:

    def __getattr__(name):
        raise AttributeError(absent_from_module(__name__, name, __all__), name=name)
