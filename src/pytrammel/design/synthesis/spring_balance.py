"""Static balance of a link by a spring: its weight is carried in every position, or nearly so with a free length."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytrammel._util.checks import checked, checked_number
from pytrammel._util.messages import in_sentences, unlike
from pytrammel.design.synthesis.argument_checks import Floats, bounds, positive
from pytrammel.errors import ModelError

if TYPE_CHECKING:
    from pytrammel.model.planar import PlanarModel

GRAVITY = 9.81
FARTHEST = 1e100  # [m] largest length whose square is a number


@dataclass(frozen=True)
class SpringBalance:
    """A spring from a point above the pivot to a point of the link.

    Attributes:
        mass: Mass of the link [kg].
        arm: Distance of its centroid from the pivot [m].
        anchor: Height of the fixed end above the pivot [m].
        attachment: Distance of the other end from the pivot, on the line to the centroid [m].
        stiffness: Of the spring [N/m].
        free_length: Of the spring [m].
        span: Angles of the centroid above the horizontal for which it is meant [rad].
    """

    mass: float
    arm: float
    anchor: float
    attachment: float
    stiffness: float
    free_length: float
    span: tuple[float, float]

    @checked
    def torque(self, angles: Floats | float) -> Floats:
        """What is left of the weight's torque [N m], positive in the sense of growing angles, for angles of the centroid [rad]."""
        theta = np.asarray(angles, dtype=float)
        length = np.sqrt(self.anchor**2 + self.attachment**2 - 2 * self.anchor * self.attachment * np.sin(theta))
        pull = self.stiffness * (1.0 - self.free_length / length) if self.free_length else self.stiffness
        left = (pull * self.anchor * self.attachment - self.mass * GRAVITY * self.arm) * np.cos(theta)
        return np.asarray(left, dtype=float)

    @property
    def residual(self) -> float:
        """Largest torque left over the span, as a part of the largest torque of the weight."""
        angles = np.linspace(*self.span, 721)
        return float(np.max(np.abs(self.torque(angles)))) / (self.mass * GRAVITY * self.arm)

    @checked
    def model(self, *, start: float | None = None, inertia: float = 0.0) -> PlanarModel:
        """A model: body "link" on pin "O", spring "balance"; the link stands at an angle.

        Args:
            start: Angle of the centroid above the horizontal [rad]; the lower end of the span by default.
            inertia: Moment of inertia of the link about its centroid [kg m²].
        """
        from pytrammel.model.planar import PlanarModel

        angle = self.span[0] if start is None else checked_number(start, "the start of the link")
        m = PlanarModel("spring balance", gravity=(0.0, -GRAVITY))
        m.body(
            "link",
            angle=angle,
            mass=self.mass,
            inertia=inertia or self.mass * self.arm**2 * 0.1,
            centroid=(self.arm, 0.0),
        )
        m.revolute("O", m.ground, "link", at=(0.0, 0.0))
        m.spring(
            "balance", m.ground.at(0.0, self.anchor), m.bodies["link"].at(self.attachment, 0.0),
            stiffness=self.stiffness, free_length=self.free_length,
        )  # fmt: skip
        return m

    def __str__(self) -> str:
        return (
            f"spring of {self.stiffness:.6g} N/m, free length {self.free_length:.6g} m, from {self.anchor:.6g} m above the pivot to "
            f"{self.attachment:.6g} m along the link: "
            + (
                "balanced in every position"
                if self.residual < 1e-12
                else f"at most {100 * self.residual:.3g} % of the weight's torque is left"
            )
        )


@checked
@in_sentences
def spring_balance(
    mass: float, arm: float, *, stiffness: float | None = None, anchor: float | None = None, attachment: float | None = None,
    free_length: float = 0.0, span: tuple[float, float] = (-math.pi / 3, math.pi / 3),
) -> SpringBalance:  # fmt: skip
    """A spring that carries the weight of a link on a horizontal axis.

    Its fixed end stands above the pivot, the other end on the line from the pivot to the centroid. Without a free length (a spring
    behind a pulley, or wound with pretension) stiffness × anchor × attachment = mass × g × arm balances it in every position. With
    one the balance is the best over the span: anchor and attachment are given, the stiffness is found by least squares.

    Args:
        mass: Mass of the link [kg].
        arm: Distance of its centroid from the pivot [m].
        stiffness: Of the spring [N/m]. Give two of stiffness, anchor and attachment; the third is found.
        anchor: Height of the fixed end above the pivot [m].
        attachment: Distance of the other end from the pivot [m].
        free_length: Of the spring [m]; only the stiffness can then be found.
        span: Angles of the centroid above the horizontal, from and to [rad].
    """
    m, r = positive(mass, "the mass of the link"), positive(arm, "the arm of the link")
    low, high = bounds(span, "the span of the link")
    free = checked_number(free_length, "the free length")
    if free < 0.0:
        raise ModelError(f"the free length is {free:g} m; it cannot be negative.")
    given = {"stiffness": stiffness, "anchor": anchor, "attachment": attachment}
    known = {key: positive(value, f"the {key} of the spring") for key, value in given.items() if value is not None}
    for key, value in (("anchor", anchor), ("attachment", attachment)):
        if value is not None and value > FARTHEST:
            texts = unlike(value, FARTHEST)
            raise ModelError(f"the {key} of the spring is {texts[0]} m; it must be at most {texts[1]} m.")
    if len(known) != 2:
        raise ModelError(
            f"give two of stiffness=, anchor= and attachment=; {len(known)} are given ({', '.join(known) or 'none'})."
        )
    (missing,) = given.keys() - known.keys()
    if free and missing != "stiffness":
        raise ModelError(
            f"with a free length the stiffness is found; give anchor= and attachment= instead of {', '.join(known)}."
        )
    if not free:
        known[missing] = m * GRAVITY * r / math.prod(known.values())
        return SpringBalance(m, r, known["anchor"], known["attachment"], known["stiffness"], 0.0, (low, high))
    theta = np.linspace(low, high, 181)
    unit = SpringBalance(m, r, known["anchor"], known["attachment"], 1.0, free, (low, high))
    load = -m * GRAVITY * r * np.cos(theta)
    per_stiffness = unit.torque(theta) - load
    found = -float(per_stiffness @ load) / float(per_stiffness @ per_stiffness)
    if not found > 0.0:
        raise ModelError(
            f"a spring of free length {free:g} m is slack or pushes between these ends (at most "
            f"{known['anchor'] + known['attachment']:g} m apart); make it shorter or move the ends apart."
        )
    return SpringBalance(m, r, known["anchor"], known["attachment"], found, free, (low, high))
