"""One-dimensional drive trains in Trammel's plane: rotors turn about pins, masses slide along x, laws act between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import pytrammel as tm

from .reference import Values, compare

FLAT = {"gravity": (0.0, 0.0)}
POINTS = 201  # number of output times of the curves


class Train:
    """Model of a drive train; names of rotors and masses are Modelica's."""

    def __init__(self, name: str) -> None:
        self.m = tm.PlanarModel(name, **FLAT)
        self.initial: dict[str, float] = {}

    def rotor(
        self,
        name: str,
        inertia: float,
        phi: float = 0.0,
        w: float = 0.0,
        torque: str | None = None,
        at: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Add a rotor on a pin, with a torque on it."""
        self.m.body(name, position=at, angle=phi, mass=1.0, inertia=inertia, omega=w)
        self.m.revolute(f"{name}_pin", self.m.ground, name, at=at)
        if torque is not None:
            self.m.user_force(f"{name}_torque", f"{name}.phi", torque)

    def mass(self, name: str, mass: float, s: float = 0.0, v: float = 0.0, force: str | None = None) -> None:
        """Add a mass on a slide, with a force on it; s is its middle."""
        self.m.body(name, position=(s, 0), mass=mass, inertia=1.0, velocity=(v, 0))
        self.m.prismatic(f"{name}_slide", self.m.ground, name, at=(0, 0), axis=(1, 0))
        if force is not None:
            self.m.user_force(f"{name}_force", f"{name}.x", force)

    def between(self, name: str, first: str, second: str, law: str) -> None:
        """Add an element that pulls its ends together with a force of the formulas `s` (distance) and `v` (its rate).

        Ends are "J.phi" or "m.x", or the place of a fixed end as a number; `+ 0.5` after a mass is a flange off its middle.
        """
        distance, rate = f"({second} - ({first}))", f"({rate_of(second)} - ({rate_of(first)}))"
        force = f"({law.replace('{s}', distance).replace('{v}', rate)})"
        for end, sign in ((first, ""), (second, "-")):
            quantity = end.split(" ")[0]
            if quantity[0].isalpha():
                self.m.user_force(f"{name}_{'a' if end is first else 'b'}", quantity, f"{sign}{force}")

    def clutch(
        self, name: str, first: str, second: str, normal: str, coefficients: float | tuple[float, float]
    ) -> None:
        """Name the distance of two ends, and add friction along it that sticks."""
        self.relative(name, first, second)
        self.m.stick_slip(f"{name}_friction", name, normal=normal, friction=coefficients)

    def relative(self, name: str, first: str, second: str) -> None:
        """Name the distance of two ends."""
        self.m.define(name, f"{second} - ({first})")


def rate_of(end: str) -> str:
    """Formula of the rate of an end."""
    if not end[0].isalpha():
        return "0"
    owner, _, what = end.split(" ")[0].rpartition(".")
    return f"{owner}.omega" if what == "phi" else f"{owner}.v{what}"


def spring(stiffness: float, free: float = 0.0, damping: float = 0.0) -> str:
    """Law of a spring with a damper."""
    return f"{stiffness!r}*({{s}} - {free!r}) + {damping!r}*{{v}}"


def train(
    group: str,
    name: str,
    build: Callable[[Train], None],
    columns: Mapping[str, str | Callable[[tm.results.Result], np.ndarray]],
    *,
    run: Mapping[str, Any] | None = None,
    simulate: Callable[..., tm.results.Result] | None = None,
    reason: str = "",
    uses: str = "",
) -> None:
    """Register a drive train; `columns` gives a formula per column of the published result, or a function of the result.

    `simulate` replaces the plain simulation: a function of train, times and options.
    """

    def value(times: np.ndarray) -> Callable[[str], np.ndarray]:
        made = Train(name)
        build(made)
        settings = {"rtol": 1e-9, "progress": False, **(run or {})}
        dense = np.union1d(times, np.linspace(0.0, times[-1], POINTS))
        if simulate is not None:
            result = simulate(made, dense, **settings)
        else:
            result = made.m.simulate(times=dense, initial=made.initial or None, **settings)

        def column(c: str) -> np.ndarray:
            how = columns[c]
            return np.asarray(result.formula(how) if isinstance(how, str) else how(result))

        return Values(column, result.times, times)

    compare(
        group,
        name,
        value,
        reason=reason,
        uses=uses or "revolute and prismatic joints, user_force; default method",
    )
