"""Names with which quantities of one analysis may begin in addition to the names of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MODES = 200  # largest number of a mode in a name
MODE_OWNERS = tuple(f"mode{k}" for k in range(1, MODES + 1))


def added_owners(analysis: str, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names before the dot that an analysis adds: its actuators ("lift.effort"), its modes ("mode1.frequency").

    Args:
        analysis: Name of the analysis.
        options: Its arguments by name; those that are not valid add no names, the analysis raises the error.
    """
    if analysis in ("equilibrium", "modes"):
        return MODE_OWNERS
    actuators = options.get("actuators")
    return tuple(name for name in actuators if isinstance(name, str)) if isinstance(actuators, Mapping) else ()
