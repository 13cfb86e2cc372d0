"""Names that only results have: what stands behind them, for messages about places where they cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel.model.quantities.groups import SYSTEM, members

if TYPE_CHECKING:
    from pytrammel.model.builder import Lookup

_LOADS = ("fx", "fy", "fz", "mx", "my", "mz", "moment", "magnitude")
_ENERGIES = ("kinetic", "gravity", "stored", "dissipated", "input", "total", "balance")
_MOMENTA = ("momentum", "angular_momentum", "angular_momentum_com")


def kind_in_results(model: Lookup, name: str) -> str:
    """Kind of a quantity that results of the model have and models do not, such as "an acceleration"; empty if there is none."""
    owner, what = _owner_of(model, name)
    if not owner:
        return "the time" if name in ("t", "time") else ""
    last = what[-1] if what else ""
    accelerations = {*model.space.accelerations, *(f"a{axis}" for axis in model.space.axes), "acceleration"}
    joint, force = owner in model._constraints, owner in model._forces
    if last in accelerations:
        return "an acceleration"
    if owner == "energy":
        return "an energy" if last in _ENERGIES else ""
    if last in ("kinetic", "work", "power"):
        return "an energy" if last == "kinetic" else f"a {last}"
    if any(part in _MOMENTA for part in what):
        return "a momentum"
    if joint and (last in (*_LOADS, "effort") or what[0] == "reaction"):
        return "a load of a joint"
    if force and any(use.label == name for use in model._forces[owner].uses):
        return "a force"
    if last in _LOADS or (force and (last == "force" or what[0] in ("point", "slip", "friction"))):
        return "a force" if what[0] not in ("point", "slip") else "a quantity of a contact"
    moving = owner in model._bodies or owner in model._points
    if model.space.dimension == 3 and last in ("e0", "e1", "e2", "e3") and owner in model._bodies:
        return "an Euler parameter"
    if last == "speed" and moving:
        return "the magnitude of a velocity"
    if last == "rate" and owner in model._states:
        return "the rate of a state"
    rates = {*model.space.rates, *(f"v{axis}" for axis in model.space.axes), "rate"}
    return "a rate" if last in rates and (moving or joint or force or what[0] == "com") else ""


def _owner_of(model: Lookup, name: str) -> tuple[str, list[str]]:
    """Longest beginning of a name that the model knows, and the remaining parts."""
    parts = name.split(".")
    groups = (model._bodies, model._points, model._constraints, model._forces, model._states)
    for k in range(len(parts) - 1, 0, -1):
        owner = ".".join(parts[:k])
        if owner in ("energy", SYSTEM) or any(owner in group for group in groups) or members(model, owner):
            return owner, parts[k:]
    return "", []
