"""Forces of switching rows inside a step: friction above its limit, or a contact that would pull, between two admissible states.

Between its ends a step is the polynomial through velocities and accelerations there, for any method. The margin to each limit is located
on it like an event (`kernels.events`): a part of the step is halved until cubics show that no limit is exceeded, or until one is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pytrammel.kernels import events
from pytrammel.system.lowering import System
from pytrammel.system.positions import moved

Array = NDArray[np.float64]
Spare = Callable[[Array], Array]

FINEST = 2.0**-12  # fraction of a step below which a lapse is not looked for
MOST_LOOKS = 200  # evaluations of a step
# fractions of a step, unequal parts of it, at which most steps show that nothing bends enough to be exceeded
GLANCES = np.array([0.29, 0.67])
BULGE = 2.0  # largest deviation from a straight line over the one at these fractions; 1.2 for a parabola
stays = getattr(events.stays, "py_func", events.stays)


@dataclass(frozen=True)
class End:
    """One end of a step.

    Attributes:
        time: [s].
        q, v, a, z: Coordinates, velocities, accelerations, inner states.
    """

    time: float
    q: Array
    v: Array
    a: Array
    z: Array


def weights(theta: Array) -> tuple[Array, Array, Array]:
    """Weights of velocities and accelerations at both ends in the velocity, the motion since the first and up to the last end.

    Each has one row per fraction of a step, for (first.v, last.v, h first.a, h last.a); the motions are divided by h.
    """
    s = theta
    w = s * s * (3.0 - 2.0 * s)
    # integrals of the same four polynomials, from 0 and up to 1
    rising = s**3 - 0.5 * s**4
    of_first, of_last = s * s * (0.5 - 2.0 * s / 3.0 + 0.25 * s * s), s**3 * (0.25 * s - 1.0 / 3.0)
    now = np.column_stack([1.0 - w, w, s * (1.0 - s) ** 2, -(s**2) * (1.0 - s)])
    since = np.column_stack([s - rising, rising, of_first, of_last])
    return now, since, np.array([0.5, 0.5, 1.0 / 12.0, -1.0 / 12.0]) - since


AT_GLANCES = weights(GLANCES)


def inside(system: System, first: End, last: End, theta: Array) -> tuple[Array, Array, Array, Array]:
    """Times, coordinates, velocities and inner states at fractions of a step, one row each."""
    h, count = last.time - first.time, theta.size
    now, since, until = AT_GLANCES if theta is GLANCES else weights(theta)
    rates = np.array([first.v, last.v, h * first.a, h * last.a])
    w, s = now[:, 1:2], theta[:, None]
    ahead, back = h * (since @ rates), -h * (until @ rates)
    if system.model.space.dimension == 2:
        ahead, back = first.q + ahead, last.q + back
    else:
        ahead = moved(system, np.repeat(first.q[None], count, axis=0), ahead)
        back = moved(system, np.repeat(last.q[None], count, axis=0), back)
    z = (1.0 - s) * first.z + s * last.z if first.z.size else np.zeros((count, 0))
    return first.time + theta * h, ahead + w * (back - ahead), now @ rates, z


def first_lapse(spare: Spare, ends: Array, allowed: float) -> float | None:
    """Earliest evaluated fraction of a step at which a margin is below -allowed; None if every margin is above it.

    Args:
        spare: Function that returns the margins to every limit at fractions of the step, one row each.
        ends: Margins at both ends, shape (2, n).
        allowed: Excess permitted for rounding.
    """
    fractions = GLANCES.tolist()
    # plain numbers: most steps end here, and margins are few
    for g0, g1, *glances in zip(*ends.tolist(), *spare(GLANCES).tolist(), strict=True):
        bulge = max(abs(g - g0 - s * (g1 - g0)) for s, g in zip(fractions, glances, strict=True))
        if not min(g0, g1) - BULGE * bulge > -allowed:
            break
    else:
        return None

    def look(theta: Array) -> list[tuple[float, list[float], list[float]]]:
        """Fractions, margins and their slopes."""
        nudge = np.where(theta < 0.5, events.NUDGE, -events.NUDGE)
        values, beside = np.split(spare(np.concatenate([theta, theta + nudge])), 2)
        slopes = (beside - values) / nudge[:, None]
        return list(zip(theta.tolist(), values.tolist(), slopes.tolist(), strict=True))

    found: float | None = None
    left, middle, right = look(np.array([0.0, 0.5, 1.0]))
    looks, parts = 3, [(left, middle, right)]
    while parts:
        lapsed = [middle[0] for _, middle, _ in parts if min(middle[1]) < -allowed]
        if lapsed:
            found = lapsed[0]
        halves = []
        for left, middle, right in parts:
            width = right[0] - left[0]
            if found is not None and middle[0] >= found:
                # where the middle is the lapse, its part is the last that can hold an earlier one, and is searched no further
                break
            certain = all(
                stays(1.0, False, *at_left, *at_middle, *at_right, width, allowed)
                for at_left, at_middle, at_right in zip(*(zip(*end[1:], strict=True) for end in (left, middle, right)), strict=True)
            )  # fmt: skip
            if not certain and 0.5 * width > FINEST:
                halves += [(left, middle), (middle, right)]
        if not halves or looks + len(halves) > MOST_LOOKS:
            break
        looks += len(halves)
        between = look(np.array([0.5 * (first[0] + last[0]) for first, last in halves]))
        parts = [(first, new, last) for (first, last), new in zip(halves, between, strict=True)]
    return found
