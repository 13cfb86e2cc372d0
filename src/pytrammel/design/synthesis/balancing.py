"""Balancing of shaking forces and moments by counterweights and counter-rotating wheels (Berkof and Lowen)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytrammel._util.checks import checked, checked_bool, checked_number
from pytrammel._util.messages import brief, in_sentences, short
from pytrammel.design.synthesis.argument_checks import Pair, pair, place, positive
from pytrammel.design.synthesis.four_bar import FourBar
from pytrammel.design.synthesis.slider_crank import SliderCrank
from pytrammel.errors import ModelError

if TYPE_CHECKING:
    from pytrammel.model.planar import PlanarModel


@dataclass(frozen=True)
class LinkMass:
    """Mass of a link.

    Attributes:
        mass: [kg].
        centroid: Centre of mass, where it is in the drawn position [m].
        inertia: Moment of inertia about the centroid [kg m²].
    """

    mass: float
    centroid: Pair
    inertia: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", positive(self.mass, "the mass of a link"))
        object.__setattr__(self, "centroid", pair(place(self.centroid, "the centroid of a link")))
        if checked_number(self.inertia, "the inertia of a link") < 0.0:
            raise ModelError(f"the inertia of a link is {self.inertia:g} kg m²; it cannot be negative.")

    @property
    def at(self) -> complex:
        """The centroid as a complex number [m]."""
        return complex(*self.centroid)

    @checked
    def joined(self, other: LinkMass) -> LinkMass:
        """Both as one rigid body."""
        total = self.mass + other.mass
        middle = (self.mass * self.at + other.mass * other.at) / total
        inertia = sum(each.inertia + each.mass * abs(each.at - middle) ** 2 for each in (self, other))
        return LinkMass(total, pair(middle), inertia)


@brief
@dataclass(frozen=True)
class Balance:
    """Counterweights for a linkage, and wheels that turn against its links where moments are balanced too.

    Attributes:
        design: The linkage.
        links: Masses of its moving bodies as given, by name.
        counterweights: Point masses to be added, by body.
        wheels: Inertia of a wheel geared 1:1 against a body [kg m²], by body.
        added_inertia: Inertia to be added to the coupler [kg m²].
    """

    design: FourBar | SliderCrank
    links: Mapping[str, LinkMass]
    counterweights: Mapping[str, LinkMass]
    wheels: Mapping[str, float]
    added_inertia: float = 0.0

    @property
    def balanced(self) -> dict[str, LinkMass]:
        """Masses of the bodies with their counterweights."""
        out = {
            name: link.joined(self.counterweights[name]) if name in self.counterweights else link
            for name, link in self.links.items()
        }
        if self.added_inertia:
            coupler = out["coupler"]
            out["coupler"] = LinkMass(coupler.mass, coupler.centroid, coupler.inertia + self.added_inertia)
        return out

    @checked
    def model(self, *, balanced: bool = True, speed: float = math.tau) -> PlanarModel:
        """The driven linkage with its masses and without gravity.

        ``model().inverse_dynamics(1.0).ground_reaction`` is what shakes the frame.

        Args:
            balanced: With counterweights and wheels; False: as given.
            speed: Angular velocity of the crank [rad/s].
        """
        m = self.design.model(speed=speed, gravity=(0.0, 0.0))
        masses = self.balanced if checked_bool(balanced, "balanced") else dict(self.links)
        changes = {}
        for name, link in masses.items():
            x, y = m.bodies[name].position
            changes[name] = {
                "mass": link.mass,
                "inertia": link.inertia,
                "centroid": (link.centroid[0] - x, link.centroid[1] - y),
            }
        m = m.copy(changes=changes)
        for name, inertia in self.wheels.items() if balanced else ():
            x, y = m.bodies[name].position
            half = 0.5 * math.dist(self.design.A, self.design.B)
            m.body(f"{name}_wheel", position=(x, y - 2 * half), mass=1.0, inertia=inertia)
            m.revolute(f"{name}_axle", m.ground, f"{name}_wheel", at=(x, y - 2 * half))
            m.gear(f"{name}_mesh", name, f"{name}_wheel", radii=(half, half))
        return m

    def __str__(self) -> str:
        lines = ["balanced linkage:"]
        for name, weight in self.counterweights.items():
            lines.append(
                "  {}: counterweight of {:.6g} kg at ({:.6g}, {:.6g})".format(name, weight.mass, *weight.centroid)
            )
        lines += [
            f"  {name}: wheel of {inertia:.6g} kg m² that turns against it" for name, inertia in self.wheels.items()
        ]
        if self.added_inertia:
            lines.append(f"  coupler: {self.added_inertia:.6g} kg m² more inertia")
        return "\n".join(lines)


@checked
@in_sentences
def balance(
    design: FourBar | SliderCrank, links: Mapping[str, LinkMass], *, radius: float, moments: bool = False
) -> Balance:  # fmt: skip
    """Counterweights that make the shaking force of a linkage vanish: its centre of mass stays where it is.

    A four-bar takes weights on crank and rocker, a slider-crank on rod and crank. With `moments` the shaking moment of a four-bar
    vanishes as well: its coupler is made equal to two masses at its pins, and wheels turn against crank and rocker.

    Args:
        design: FourBar or SliderCrank.
        links: Masses by body: "crank", "coupler", "rocker", or "crank", "rod", "slider".
        radius: Distance of the counterweights from the pivots A and D, on a rod from B [m].
        moments: Balance moments, too.
    """
    reach = positive(radius, "the radius of the counterweights")
    names = {FourBar: ("crank", "coupler", "rocker"), SliderCrank: ("crank", "rod", "slider")}.get(type(design))
    if names is None:
        raise ModelError(f"a FourBar or a SliderCrank can be balanced, but {short(design)} was given.")
    if (
        not isinstance(links, Mapping)
        or set(links) != set(names)
        or not all(isinstance(v, LinkMass) for v in links.values())
    ):
        raise ModelError(f"links must give a LinkMass for each of {', '.join(names)}, but it is {short(links)}.")
    if isinstance(design, FourBar):
        return _four_bar(design, links, reach, checked_bool(moments, "moments"))
    if checked_bool(moments, "moments"):
        raise ModelError(
            "moments of a slider-crank cannot be balanced this way: its slider pushes sideways; leave moments out."
        )
    return _slider_crank(design, links, reach)


def _weight(pivot: complex, moment: complex, reach: float, scale: float) -> LinkMass | None:
    """Point mass at a distance from a pivot with a mass moment [kg m]; None where next to nothing is missing."""
    if abs(moment) <= 1e-13 * scale:
        return None
    return LinkMass(abs(moment) / reach, pair(pivot + moment / abs(moment) * reach))


def _named(weights: Mapping[str, LinkMass | None]) -> dict[str, LinkMass]:
    return {name: weight for name, weight in weights.items() if weight is not None}


def _four_bar(design: FourBar, links: Mapping[str, LinkMass], reach: float, moments: bool) -> Balance:
    """Berkof and Lowen 1969: written with crank and rocker alone, the coefficients of both must vanish."""
    a, b, c, d, _ = design.complex_points
    crank, coupler, rocker = (links[name] for name in ("crank", "coupler", "rocker"))
    share = (coupler.at - b) / (c - b)  # of the coupler's mass that moves with C; complex off the line
    needed_crank = -coupler.mass * (1 - share) * (b - a) - crank.mass * (crank.at - a)
    needed_rocker = -coupler.mass * share * (c - d) - rocker.mass * (rocker.at - d)
    scale = sum(link.mass for link in links.values()) * sum(design.lengths)
    weights = _named(
        {"crank": _weight(a, needed_crank, reach, scale), "rocker": _weight(d, needed_rocker, reach, scale)}
    )
    if not moments:
        return Balance(design, dict(links), weights, {})
    length = abs(c - b)
    if abs(share.imag) > 1e-9 or not 0.0 < share.real < 1.0:
        raise ModelError(
            "moments are balanced where the coupler's centroid lies between its pins on the line BC, but it lies "
            f"{share.imag * length:.4g} m off the line, {100 * share.real:.4g} % of the way; move it there with a counterweight first."
        )
    missing = coupler.mass * share.real * (1 - share.real) * length**2 - coupler.inertia
    if missing < -1e-12 * coupler.inertia:
        raise ModelError(
            f"the coupler's inertia {coupler.inertia:g} kg m² is {-missing:.4g} above that of two masses at its pins, "
            "so its moment cannot be balanced; make it more slender or shorter beyond its pins."
        )
    wheels = {}
    for name, pivot, pin, part in (("crank", a, b, 1 - share.real), ("rocker", d, c, share.real)):
        link = links[name].joined(weights[name]) if name in weights else links[name]
        wheels[name] = (
            link.inertia + link.mass * abs(link.at - pivot) ** 2 + coupler.mass * part * abs(pin - pivot) ** 2
        )
    return Balance(design, dict(links), weights, wheels, max(0.0, missing))


def _slider_crank(design: SliderCrank, links: Mapping[str, LinkMass], reach: float) -> Balance:
    """The rod's weight brings rod and slider to B, the crank's weight all of it to A."""
    a, b, c = complex(*design.A), complex(*design.B), complex(*design.C)
    crank, rod, slider = (links[name] for name in ("crank", "rod", "slider"))
    scale = sum(link.mass for link in links.values()) * (design.crank + design.rod)
    on_rod = _weight(b, -slider.mass * (c - b) - rod.mass * (rod.at - b), reach, scale)
    at_pin = slider.mass + rod.mass + (on_rod.mass if on_rod else 0.0)
    on_crank = _weight(a, -at_pin * (b - a) - crank.mass * (crank.at - a), reach, scale)
    return Balance(design, dict(links), _named({"rod": on_rod, "crank": on_crank}), {})
