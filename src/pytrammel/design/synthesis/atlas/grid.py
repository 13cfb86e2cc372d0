"""The linkages of an atlas of coupler curves: proportions of four-bars and slider-cranks, points of their couplers, and their curves.

The shortest of ground and crank of a four-bar and the crank of a slider-crank are 1; A is the origin, D and the slide lie towards x, and C
lies to the left. Mirror images need no entries of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pytrammel.design.synthesis.argument_checks import Complexes, Floats, pair
from pytrammel.design.synthesis.four_bar import FourBar, meet
from pytrammel.design.synthesis.slider_crank import SliderCrank

RATIOS = (1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0)
OFFSETS = (0.0, 0.3, 0.6, 1.0, 1.5, 2.0, 3.0)
ALONG = (-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0)
ACROSS = (-1.5, -1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 1.0, 1.5)
LEAST_TRANSMISSION = math.radians(5.0)  # linkages that nearly jam are left out


@dataclass(frozen=True)
class Grid:
    """What an atlas holds.

    Attributes:
        ratios: Lengths of the other links, of the shortest one.
        offsets: Offsets of slider-cranks, of the crank; only their amounts count, as mirror images are found anyway.
        along: Places of coupler points along the coupler, of its length.
        across: The same to its left.
        four_bars: Whether four-bars are in it: crank-rockers and double cranks.
        slider_cranks: Whether slider-cranks are in it.
    """

    ratios: tuple[float, ...] = RATIOS
    offsets: tuple[float, ...] = OFFSETS
    along: tuple[float, ...] = ALONG
    across: tuple[float, ...] = ACROSS
    four_bars: bool = True
    slider_cranks: bool = True

    @cached_property
    def points(self) -> Complexes:
        """Coupler points as (P - B) / (C - B); not the pins, which draw circles and lines."""
        u, v = np.meshgrid(self.along, self.across, indexing="ij")
        z = (u + 1j * v).ravel()
        return np.asarray(z[np.minimum(np.abs(z), np.abs(z - 1.0)) > 1e-9])

    @cached_property
    def bars(self) -> Floats:
        """Ground, crank, coupler, rocker of the four-bars, one row each."""
        if not self.four_bars:
            return np.empty((0, 4))
        first, second, third = (each.ravel() for each in np.meshgrid(*[self.ratios] * 3, indexing="ij"))
        one = np.ones(len(first))
        rows = np.concatenate(
            [np.column_stack([first, one, second, third]), np.column_stack([one, first, second, third])]
        )
        return np.asarray(rows[_transmission(rows) > LEAST_TRANSMISSION])

    @cached_property
    def sliders(self) -> Floats:
        """Rod and offset of the slider-cranks, one row each."""
        if not self.slider_cranks:
            return np.empty((0, 2))
        rod, offset = (
            each.ravel() for each in np.meshgrid(self.ratios, sorted({*map(abs, self.offsets)}), indexing="ij")
        )
        with np.errstate(invalid="ignore"):
            fits = np.arccos((1.0 + offset) / rod) > LEAST_TRANSMISSION
        return np.asarray(np.column_stack([rod, offset])[fits])

    @property
    def linkages(self) -> int:
        """Number of linkages."""
        return len(self.bars) + len(self.sliders)

    @property
    def curves(self) -> int:
        """Number of coupler curves."""
        return self.linkages * len(self.points)

    def pins(self, linkage: int, cranks: Floats) -> tuple[Complexes, Complexes]:
        """Places of B and C of a linkage for directions of its crank [rad]."""
        if linkage < len(self.bars):
            ground, crank, coupler, rocker = self.bars[linkage]
            b = crank * np.exp(1j * cranks)
            return b, meet(b, ground + 0.0j, coupler, rocker, 1)
        rod, offset = self.sliders[linkage - len(self.bars)]
        b = np.exp(1j * cranks)
        rise = offset - b.imag
        return b, np.asarray(b + np.sqrt((rod - rise) * (rod + rise)) + 1j * rise)

    def curve(self, number: int, cranks: Floats) -> Complexes:
        """Places of the coupler point of an entry for directions of the crank."""
        linkage, point = divmod(number, len(self.points))
        b, c = self.pins(linkage, cranks)
        return np.asarray(b + self.points[point] * (c - b))

    def laid(
        self, number: int, turn: complex, corner: complex, mirrored: bool, cranks: Floats, goal: Complexes
    ) -> FourBar | SliderCrank:
        """The linkage of an entry, laid over wanted points; `cranks` are its directions at these, before it is laid."""
        linkage, point = divmod(number, len(self.points))
        b, c = self.pins(linkage, cranks)
        p = b + self.points[point] * (c - b)
        d = np.array([self.bars[linkage][0] + 0.0j if linkage < len(self.bars) else 0.0j])

        def put(z: Complexes) -> Complexes:
            return np.asarray(corner + turn * (z.conj() if mirrored else z))

        moved_b, moved_c, moved_p = put(b), put(c), put(p)
        pins = list(zip(moved_b.tolist(), moved_c.tolist(), strict=True))
        at = [pair(complex(z[0])) for z in (moved_b, moved_c, moved_p)]
        bar: FourBar | SliderCrank
        if linkage < len(self.bars):
            bar = FourBar(pair(corner), at[0], at[1], pair(complex(put(d)[0])), at[2])
        else:
            bar = SliderCrank(pair(corner), at[0], at[1], float(np.angle(turn)), at[2])
        return bar.visiting(pins, float(np.max(np.abs(moved_p - goal))), "coupler point [m]")


def _transmission(bars: Floats) -> Floats:
    """Worst transmission angle of four-bars whose crank goes round; -1 for others."""
    ground, crank, coupler, rocker = bars.T
    order = np.sort(bars, axis=1)
    round_ = order[:, 0] + order[:, 3] < order[:, 1] + order[:, 2] - 1e-9
    gaps = np.stack([np.abs(ground - crank), ground + crank])
    with np.errstate(invalid="ignore"):
        angles = np.arccos((coupler**2 + rocker**2 - gaps**2) / (2.0 * coupler * rocker))
    worst = np.minimum(angles, math.pi - angles).min(axis=0)
    return np.where(round_ & np.isfinite(worst), worst, -1.0)
