"""One-dimensional sources of Modelica.Mechanics.Rotational and Translational as formulas of t."""

from __future__ import annotations

import numpy as np


def filtered(amplitude: float, frequency: float, critical: float = 50.0) -> str:
    """Return what Modelica's Position makes of amplitude sin(2 pi frequency t): the response of its second-order filter from rest.

    The filter is a = ((reference - phi) w - 1.3617 phi') w / 0.618 with w = 2 pi times the critical frequency [Hz].
    """
    w, omega = 2 * np.pi * critical, 2 * np.pi * frequency
    stiffness, damping = w * w / 0.6180, 1.3617 * w / 0.6180
    steady = (
        amplitude * stiffness / complex(stiffness - omega**2, damping * omega)
    )  # times exp(i omega t), imaginary part
    decay = damping / 2
    own = np.sqrt(stiffness - decay**2)
    cosine = -steady.imag
    sine = (decay * cosine - omega * steady.real) / own
    return (
        f"{steady.real!r}*sin({omega!r}*t) + {steady.imag!r}*cos({omega!r}*t)"
        f" + exp(-{decay!r}*t)*({float(cosine)!r}*cos({float(own)!r}*t) + {float(sine)!r}*sin({float(own)!r}*t))"
    )
