"""Six-bars of Watt and Stephenson as designs: a four-bar and a dyad E-F-G between two of its bodies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from pytrammel._util.checks import checked
from pytrammel.design.synthesis.argument_checks import Complexes, Floats, Pair, degrees, told_error
from pytrammel.design.synthesis.cranked import keep_points
from pytrammel.design.synthesis.four_bar import FourBar, left_of, meet, moved_pins

if TYPE_CHECKING:
    from pytrammel.model.planar import PlanarModel

Kind = Literal["Watt I", "Watt I at the crank", "Watt II", "Stephenson I", "Stephenson III"]
# bodies of the four-bar that carry E and G
CARRIERS = {
    "Watt I": ("coupler", "rocker"),
    "Watt I at the crank": ("coupler", "crank"),
    "Watt II": ("rocker", "ground"),
    "Stephenson I": ("crank", "rocker"),
    "Stephenson III": ("coupler", "ground"),
}
DEAD = math.radians(2.0)  # transmission angles below this are dead points of a real machine


@dataclass(frozen=True)
class SixBar:
    """A four-bar with two more links EF and GF, drawn in the first wanted position.

    Attributes:
        four_bar: The driven four-bar A-B-C-D; `cranks` are its wanted positions.
        kind: "Watt I", "Watt I at the crank", "Watt II", "Stephenson I" or "Stephenson III": which bodies carry E and G.
        E: Pin on the first of them [m].
        F: Pin between both added links [m].
        G: Pin on the second of them, of a function generator the fixed pivot of the output link GF [m].
        P: Point of the link EF that draws a path or is the origin of a guided body, or None [m].
        residual: Largest error in the wanted positions; of angles [rad], of points [m].
        goal: What the error is of, in words.
    """

    four_bar: FourBar
    kind: Kind
    E: Pair
    F: Pair
    G: Pair
    P: Pair | None = None
    residual: float = 0.0
    goal: str = ""

    def __post_init__(self) -> None:
        keep_points(self, "EFGP", "six-bar")

    @checked
    def complex_at(self, cranks: ArrayLike) -> dict[str, Complexes]:
        """Places of B, C, E, F, G and P for directions of the crank [m], as complex numbers; nan where it does not close."""
        drawn = [
            *self.four_bar.complex_points[:4],
            *(complex(*each) for each in (self.E, self.F, self.G, self.P or self.E)),
        ]
        return moved_six(self.kind, np.array(drawn), np.asarray(cranks, dtype=float) - self.four_bar.crank_angle)

    @property
    def defects(self) -> tuple[str, ...]:
        """Sentences about wanted positions that a crank cannot reach one after the other; () if there are none."""
        if self.four_bar.defects:
            return self.four_bar.defects
        worst = self.transmission_worst
        if math.isnan(worst):
            return ("branch defect: the links EF and GF do not meet on the way between the positions.",)
        if worst < DEAD:
            return (
                f"dead point: a transmission angle falls to {degrees(worst)} on the way; the crank cannot be trusted to drive it.",
            )
        return ()

    @property
    def transmission_worst(self) -> float:
        """Smallest angle between the links at C and at F between the wanted positions, of one alone in a turn [rad]; nan if open."""
        turns = self.four_bar.turns
        around = np.zeros(1) if turns is None else turns
        if len(self.four_bar.cranks) == 1 and self.four_bar.full_turn:
            around = np.array([-math.pi, math.pi])
        swept = self.complex_at(self.four_bar.crank_angle + np.linspace(around.min(), around.max(), 721))
        d = complex(*self.four_bar.D)
        with np.errstate(invalid="ignore", divide="ignore"):
            knees = [
                (swept["C"] - swept["B"]) / (swept["C"] - d),
                (swept["F"] - swept["E"]) / (swept["F"] - swept["G"]),
            ]
            folded = [np.abs(np.arcsin(np.clip(knee.imag / np.abs(knee), -1.0, 1.0))) for knee in knees]
        return float(np.min(folded))

    @checked
    def model(self, *, speed: float = math.tau) -> PlanarModel:
        """A model: that of the four-bar with bodies "link" (E to F) and "output" (G to F), pins "E", "F", "G", point "P" of the link.

        Args:
            speed: Angular velocity of the crank [rad/s].
        """
        m = FourBar(self.four_bar.A, self.four_bar.B, self.four_bar.C, self.four_bar.D).model(
            speed=speed, name=self.kind
        )
        first, second = (m.ground if name == "ground" else name for name in CARRIERS[self.kind])
        m.body("link", position=self.E)
        m.body("output", position=self.G)
        m.revolute("E", first, "link", at=self.E)
        m.revolute("F", "link", "output", at=self.F)
        m.revolute("G", second, "output", at=self.G)
        if self.P is not None:
            m.point("P", "link", at=self.P)
        return m

    def __str__(self) -> str:
        first, second = CARRIERS[self.kind]
        points = [name for name in "EFGP" if getattr(self, name) is not None]
        lines = [f"{self.kind} six-bar: E on the {first}, G on the {second}"]
        lines.append("  " + "  ".join("{} ({:.6g}, {:.6g})".format(name, *getattr(self, name)) for name in points))
        lines += [f"  {line}" for line in str(self.four_bar).splitlines()[:3]]
        lines.append(f"  transmission angles at C and F at least {degrees(self.transmission_worst)} on the way")
        if self.goal:
            lines.append(f"  {len(self.four_bar.cranks)} positions, {self.goal}: {told_error(self.residual)}")
        return "\n".join([*lines, *(f"  {each}" for each in self.defects or ("no defects",))])


def moved_six(kind: str, points: Complexes, turns: Floats) -> dict[str, Complexes]:
    """Places of B, C, E, F, G, P after turns of the crank (..., positions), on the branches as drawn at A to G, P (..., 8)."""
    a, b, c, d, e, f, g, p = (points[..., k, None] for k in range(8))
    four = moved_pins(points[..., :4], turns)
    crank = np.exp(1j * turns)
    spins = {
        "ground": (a, a, 1.0 + 0.0 * crank),
        "crank": (a, a, crank),
        "coupler": (b, four["B"], (four["C"] - four["B"]) / (c - b)),
        "rocker": (d, d, (four["C"] - d) / (c - d)),
    }
    (e0, e1, e_spin), (g0, g1, g_spin) = (spins[name] for name in CARRIERS[kind])
    moved_e, moved_g = e1 + (e - e0) * e_spin, g1 + (g - g0) * g_spin
    moved_f = meet(moved_e, moved_g, np.abs(f - e), np.abs(f - g), left_of(e, f, g))
    moved_p = moved_e + (p - e) * (moved_f - moved_e) / (f - e)
    return {"B": four["B"], "C": four["C"], "E": moved_e, "F": moved_f, "G": moved_g, "P": moved_p}
