"""Which toothed wheels of a planar model mesh, and how each is turned as drawn."""

from __future__ import annotations

from pytrammel.joints.constraint import Symbol
from pytrammel.model.planar import PlanarModel
from pytrammel.view.scene.teeth import Point, Wheel, fitted

GearKey = tuple[str, Point, float]


def gear_key(symbol: Symbol) -> GearKey:
    return symbol.body, (symbol.position[0], symbol.position[1]), symbol.radius


def wheel_of(model: PlanarModel, symbol: Symbol) -> Wheel:
    body = model.bodies[symbol.body]
    return Wheel(
        body.at(symbol.position[0], symbol.position[1]).drawn, body.angle, symbol.radius, symbol.kind == "ring"
    )


def train_of(model: PlanarModel) -> dict[GearKey, tuple[float, float]]:
    """Module and angle of a tooth for every toothed wheel of a model, as drawn."""
    wheels: dict[GearKey, Symbol] = {}
    beside: dict[GearKey, list[GearKey]] = {}
    for joint in model.constraints.values():
        toothed = [s for s in joint.symbols if s.kind in ("gear", "ring")]
        for s in toothed:
            wheels.setdefault(gear_key(s), s)
            beside.setdefault(gear_key(s), [])
        if len(toothed) == 2:
            a, b = map(gear_key, toothed)
            beside[a].append(b)
            beside[b].append(a)
    out: dict[GearKey, tuple[float, float]] = {}
    for start in wheels:
        if start in out:
            continue
        group, waiting = [start], [start]
        while waiting:
            for other in beside[waiting.pop()]:
                if other not in group:
                    group.append(other)
                    waiting.append(other)
        module, phases = fitted({k: wheel_of(model, wheels[k]) for k in group}, beside)
        out |= {k: (module, phase) for k, phase in phases.items()}
    return out
