"""How much a driven motion asks for: runs that would take minutes to show nothing are refused before they begin."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression
from pytrammel.model.base import Model
from pytrammel.model.quantities.quantity import ANGLE

STEPS_PER_TURN = 40.0  # that kinematics takes between times to stay on its branch
SECONDS_PER_STEP = 4e-6  # and per moving body
PATIENCE = 60.0  # seconds that nobody is surprised by
LOOKS = 2001  # times at which the speed of a driver is looked at


def refuse_endless(model: Model, instants: NDArray[np.float64], prescribed: Mapping[str, Expression]) -> None:
    """Refuse drivers that turn far more often than the times can show, if following them would take minutes."""
    if instants.size < 2:
        return
    motions = {name: (motion, "angle") for name, motion in prescribed.items() if name.endswith((".phi", ".angle"))}
    for driver in model.constraints.values():
        if (
            driver.is_driver
            and len(driver.blocks) == 1
            and driver.blocks[0].quantity.units == (ANGLE,)
            and not prescribed
        ):
            target = driver.blocks[0].targets[0]
            if isinstance(target, Expression):
                motions[driver.name] = (target, driver.blocks[0].quantity.label)
    for name, (motion, _) in motions.items():
        turns = turns_of(motion, float(instants[0]), float(instants[-1]))
        seconds = SECONDS_PER_STEP * STEPS_PER_TURN * turns * max(1, len(model.bodies) - 1)
        if turns > 0.5 * instants.size and seconds > PATIENCE:
            raise ModelError(
                f"driver {name!r} ({motion}) makes about {turns:.3g} turns in this run, which {instants.size} instants cannot show and "
                f"which would take about {_spoken(seconds)} to follow; ask for a shorter duration or for two instants per turn "
                f"(samples={math.ceil(2.0 * turns) + 1}), or check the units of the speed."
            )


def turns_of(motion: Expression, start: float, end: float) -> float:
    """Turns of an angle to and fro [1]: its speed, looked at in many places, times the duration."""
    # places that no period of the motion can hide between
    looks = start + (end - start) * np.sort(np.random.default_rng(1).random(LOOKS))
    with np.errstate(all="ignore"):
        speed = np.abs(np.asarray(motion.derivative("t").evaluate({"t": looks}), dtype=float))
    speed = np.broadcast_to(speed, looks.shape)
    known = speed[np.isfinite(speed)]
    return float(known.mean()) * (end - start) / (2.0 * math.pi) if known.size else 0.0


def _spoken(seconds: float) -> str:
    if seconds < 7200.0:
        return f"{seconds / 60.0:.0f} minutes"
    return f"{seconds / 3600.0:.3g} hours" if seconds < 172800.0 else f"{seconds / 86400.0:.3g} days"
