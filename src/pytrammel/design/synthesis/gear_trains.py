"""Gear trains for a ratio: numbers of teeth of simple, compound and planetary trains, searched exhaustively."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np

from pytrammel._util.checks import checked, checked_number
from pytrammel._util.messages import in_sentences, number_of, short
from pytrammel.design.synthesis.argument_checks import Floats, bounds, positive
from pytrammel.errors import ModelError

if TYPE_CHECKING:
    from pytrammel.model.planar import PlanarModel

Fixed = Literal["sun", "ring", "carrier"]
MEMBERS = ("sun", "ring", "carrier")


class _Ratio(ABC):
    """What trains have in common; `wanted` is a field of theirs."""

    wanted: float

    @property
    @abstractmethod
    def fraction(self) -> Fraction:
        """The exact ratio, with its sign."""

    @property
    def ratio(self) -> float:
        """Speed of the driving shaft or member over that of the driven one."""
        return float(self.fraction)

    @property
    def error(self) -> float:
        """Relative error of the ratio."""
        return abs(self.ratio / self.wanted - 1.0)


@dataclass(frozen=True)
class GearTrain(_Ratio):
    """Gears on fixed shafts, one mesh after the other.

    Attributes:
        stages: (driving, driven) numbers of teeth of every mesh.
        idler: Whether a gear between driver and driven of the first mesh turns the sense of rotation; its teeth do not matter.
        wanted: Ratio asked for, speed of the first shaft over that of the last; negative if they turn against each other.
    """

    stages: tuple[tuple[int, int], ...]
    idler: bool
    wanted: float

    @property
    def fraction(self) -> Fraction:
        """The exact ratio, with its sign."""
        out = Fraction((-1) ** (len(self.stages) + self.idler))
        for driving, driven in self.stages:
            out *= Fraction(driven, driving)
        return out

    @property
    def gears(self) -> int:
        """Sum of all numbers of teeth, a measure of size."""
        return sum(map(sum, self.stages))

    @checked
    def model(self, *, module: float = 0.002, speed: float = math.tau, name: str = "gear train") -> PlanarModel:
        """A model: bodies "shaft0", "shaft1", ... (and "idler"), joints "S0", ...; driver "motor" turns the first.

        Args:
            module: Pitch diameter over number of teeth [m].
            speed: Angular velocity of the first shaft [rad/s].
            name: Name of the model.
        """
        from pytrammel.expressions.expression import time
        from pytrammel.model.planar import PlanarModel

        size = positive(module, "the module") / 2
        m = PlanarModel(name)
        m.body("shaft0")
        m.revolute("S0", m.ground, "shaft0", at=(0.0, 0.0))
        x = 0.0
        for k, (driving, driven) in enumerate(self.stages):
            radii = [("idler", driving)] if self.idler and k == 0 else []
            before, before_teeth = f"shaft{k}", driving
            for number, (body, teeth) in enumerate([*radii, (f"shaft{k + 1}", driven)]):
                x += size * (before_teeth + teeth)
                m.body(body, position=(x, 0.0))
                m.revolute("SI" if body == "idler" else f"S{k + 1}", m.ground, body, at=(x, 0.0))
                m.gear(f"mesh{k}" + "i" * number, before, body, radii=(size * before_teeth, size * teeth))
                before, before_teeth = body, teeth
        m.driver("motor", m["S0"].angle, speed * time)
        return m

    def __str__(self) -> str:
        meshes = ", ".join(f"{a} on {b}" for a, b in self.stages)
        idler = ", with an idler in the first mesh" if self.idler else ""
        return f"gear train {meshes}{idler}: ratio {self.fraction} = {self.ratio:.9g}, error {self.error:.3g}"


@checked
@in_sentences
def gear_trains(
    ratio: float, *, stages: int = 1, teeth: tuple[int, int] = (17, 120), count: int = 5
) -> tuple[GearTrain, ...]:
    """Trains of spur gears on fixed shafts that come nearest to a ratio; among equals those with fewer teeth first.

    One stage is a simple train. Where the number of meshes gives the wrong sense, an idler is added.

    Args:
        ratio: Speed of the first shaft over that of the last; negative if they shall turn against each other.
        stages: Meshes, 1 to 3.
        teeth: Fewest and most teeth of a gear.
        count: How many trains to give.
    """
    wanted = checked_number(ratio, "the ratio of a gear train")
    if wanted == 0.0:
        raise ModelError("the ratio of a gear train is 0; the first shaft would stand still.")
    low, high = _teeth(teeth)
    if stages not in (1, 2, 3) or isinstance(stages, bool):
        raise ModelError(f"stages must be 1, 2 or 3, but it is {short(stages)}.")
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise ModelError(f"count must be a whole number of at least 1, but it is {short(count)}.")
    aim = abs(wanted)
    if not (low / high) ** stages * (1 - 1e-12) <= aim <= (high / low) ** stages * (1 + 1e-12):
        raise ModelError(
            f"the ratio {wanted:g} is out of reach of {number_of(stages, 'stage')} with {low} to {high} teeth, which give "
            f"{(low / high) ** stages:.4g} to {(high / low) ** stages:.4g}; add a stage or widen the range of teeth."
        )
    pairs, values = _all_pairs(low, high)
    idler = ((-1) ** stages > 0) != (wanted > 0)
    found = {tuple(sorted(pairs[k] for k in chosen)) for chosen in _nearest(values, aim, stages, int(count))}
    made = [GearTrain(each, idler, wanted) for each in found]
    return tuple(sorted(made, key=lambda train: (round(train.error, 15), train.gears, train.stages))[:count])


def _teeth(teeth: object) -> tuple[int, int]:
    low, high = bounds(teeth, "the range of teeth")
    if low < 3 or low != int(low) or high != int(high):
        raise ModelError(f"numbers of teeth are whole numbers of at least 3, but the range is {low:g} to {high:g}.")
    if high > 400:
        raise ModelError(f"the range of teeth ends at {high:g}; the search goes up to 400.")
    return int(low), int(high)


def _all_pairs(low: int, high: int) -> tuple[list[tuple[int, int]], Floats]:
    """(driving, driven) of every ratio once, with the fewest teeth, ordered by ratio."""
    least: dict[Fraction, tuple[int, int]] = {}
    for a in range(low, high + 1):
        for b in range(low, high + 1):
            least.setdefault(Fraction(b, a), (a, b))
    ordered = sorted(least.items())
    return [pair for _, pair in ordered], np.array([float(value) for value, _ in ordered])


def _nearest(values: Floats, aim: float, stages: int, count: int) -> Iterator[tuple[int, ...]]:
    """Index tuples that hold the `count` nearest products: for every first ratio the neighbours of what is missing."""
    if stages == 1:
        order = np.argsort(np.abs(values / aim - 1.0), kind="stable")
        yield from ((int(k),) for k in order[:count])
        return
    best: list[tuple[float, tuple[int, ...]]] = []
    firsts = [()] if stages == 2 else [(k,) for k in range(len(values))]
    reach = max(1, -(-count // 2)) if stages == 2 else 1
    for first in firsts:
        rest = aim / math.prod(float(values[k]) for k in first)
        needed = rest / values
        at = np.searchsorted(values, needed)
        for shift in range(-reach, reach):
            second = np.clip(at + shift, 0, len(values) - 1)
            error = np.abs(values * values[second] / rest - 1.0)
            for k in np.argpartition(error, min(2 * count, len(error) - 1))[: 2 * count]:
                best.append((float(error[k]), (*first, int(k), int(second[k]))))
        if len(best) > 200 * count:
            best = sorted(best)[: 20 * count]
    yield from (chosen for _, chosen in sorted(best)[: 20 * count])


@dataclass(frozen=True)
class PlanetaryTrain(_Ratio):
    """A planetary train: sun, planets, ring.

    Attributes:
        sun: Teeth of the sun.
        planet: Teeth of each planet.
        planets: How many planets.
        driving: Member that is driven: "sun", "ring" or "carrier".
        driven: Member that is the output.
        wanted: Ratio asked for, speed of `driving` over that of `driven`.
    """

    sun: int
    planet: int
    planets: int
    driving: Fixed
    driven: Fixed
    wanted: float

    @property
    def ring(self) -> int:
        """Teeth of the ring."""
        return self.sun + 2 * self.planet

    @property
    def fixed(self) -> str:
        """The member that stands still."""
        return next(member for member in MEMBERS if member not in (self.driving, self.driven))

    @property
    def fraction(self) -> Fraction:
        """The exact ratio, by Willis: (sun - carrier) z_sun = -(ring - carrier) z_ring."""
        s, r = self.sun, self.ring
        speeds = {
            "ring": {"sun": Fraction(s + r, s), "carrier": Fraction(1)},
            "sun": {"ring": Fraction(s + r, r), "carrier": Fraction(1)},
            "carrier": {"sun": Fraction(r, s), "ring": Fraction(-1)},
        }[self.fixed]
        return speeds[self.driving] / speeds[self.driven]

    @checked
    def model(self, *, module: float = 0.002, speed: float = math.tau, name: str = "planetary train") -> PlanarModel:
        """A model with one planet: bodies "sun", "ring", "carrier", "planet"; the fixed one is held; driver "motor".

        Args:
            module: Pitch diameter over number of teeth [m].
            speed: Angular velocity of the driving member [rad/s].
            name: Name of the model.
        """
        from pytrammel.expressions.expression import time
        from pytrammel.model.planar import PlanarModel

        half = positive(module, "the module") / 2
        m = PlanarModel(name)
        for member in MEMBERS:
            m.body(member)
            m.revolute(f"{member}_shaft", m.ground, member, at=(0.0, 0.0))
        centre = (half * (self.sun + self.planet), 0.0)
        m.body("planet", position=centre)
        m.revolute("pin", "carrier", "planet", at=centre)
        m.gear("inner", "sun", "planet", radii=(half * self.sun, half * self.planet), carrier="carrier")
        m.gear(
            "outer", "planet", "ring", radii=(half * self.planet, half * self.ring), carrier="carrier", internal=True
        )
        m.driver("brake", m[f"{self.fixed}_shaft"].angle, 0.0)
        m.driver("motor", m[f"{self.driving}_shaft"].angle, speed * time)
        return m

    def __str__(self) -> str:
        return (
            f"planetary train, sun {self.sun}, {self.planets} planets of {self.planet}, ring {self.ring}, {self.driving} to {self.driven}, "
            f"{self.fixed} fixed: ratio {self.fraction} = {self.ratio:.9g}, error {self.error:.3g}"
        )


@checked
@in_sentences
def planetary_trains(
    ratio: float, *, teeth: tuple[int, int] = (17, 120), planets: int = 3, count: int = 5
) -> tuple[PlanetaryTrain, ...]:
    """Planetary trains nearest to a ratio, with any member driving, driven or fixed; fewest teeth of the ring first among equals.

    Only trains that can be put together with evenly spaced planets are given ((sun + ring) / planets is whole), whose planets do
    not touch each other.

    Args:
        ratio: Speed of the driving member over that of the driven one; negative if they turn against each other.
        teeth: Fewest and most teeth of a gear, the ring included.
        planets: How many planets.
        count: How many trains to give.
    """
    wanted = checked_number(ratio, "the ratio of a planetary train")
    low, high = _teeth(teeth)
    if isinstance(planets, bool) or not isinstance(planets, int | np.integer) or planets < 1:
        raise ModelError(f"planets must be a whole number of at least 1, but it is {short(planets)}.")
    if wanted == 0.0:
        raise ModelError("the ratio of a planetary train is 0; the driving member would stand still.")
    made = [
        PlanetaryTrain(sun, planet, int(planets), driving, driven, wanted)  # type: ignore[arg-type]
        for sun in range(low, high + 1)
        for planet in range(low, (high - sun) // 2 + 1)
        if (2 * sun + 2 * planet) % planets == 0
        and (planets == 1 or (sun + planet) * math.sin(math.pi / planets) > planet + 2)
        for driving in MEMBERS
        for driven in MEMBERS
        if driving != driven
    ]
    same = [train for train in made if (train.ratio > 0) == (wanted > 0)]
    if not same:
        raise ModelError(
            f"no planetary train with {low} to {high} teeth and {planets} planets can be built; widen the range of teeth."
        )
    best = sorted(same, key=lambda train: (round(train.error, 15), train.ring, train.sun))[:count]
    if best[0].error > 0.2:
        raise ModelError(
            f"the ratio {wanted:g} is out of reach of a planetary train with {low} to {high} teeth: the nearest is {best[0].ratio:.4g}; "
            "put two trains behind each other, or use gear_trains."
        )
    return tuple(best)
