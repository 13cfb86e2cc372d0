"""Older versions of the format: each step turns the data of one version into those of the next, so that old files stay readable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytrammel.io.models.words import FORMAT

# version -> what makes its data into those of the version after it; lines are looked up by the old paths
UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


def upgraded(data: dict[str, Any]) -> dict[str, Any]:
    """Data in the present version.

    Raises:
        ValueError: The version is missing, no number, or newer than this Trammel.
    """
    if "format" not in data:
        raise ValueError(f"the version of the format is missing; write format = {FORMAT} at the top.")
    version = data["format"]
    if not isinstance(version, int) or isinstance(version, bool) or version < min([FORMAT, *UPGRADES]):
        raise ValueError(
            f"the format is {version!r}; it must be a whole number from {min([FORMAT, *UPGRADES])} to {FORMAT}."
        )
    if version > FORMAT:
        raise ValueError(f"the file has the format {version}, but this Trammel reads up to {FORMAT}; update Trammel.")
    while version < FORMAT:
        data = {**UPGRADES[version](data), "format": version + 1}
        version += 1
    return data
