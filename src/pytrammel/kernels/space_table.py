"""Elements that know bodies in space, by the place of their address in the header."""

from __future__ import annotations

from pytrammel.kernels import layout as L
from pytrammel.kernels import spatial_bodies as bodies
from pytrammel.kernels import spatial_mass as mass
from pytrammel.kernels.jit import Element

MOTION: dict[int, Element] = {
    L.SPACE_LOAD: bodies.space_load,
    L.SPACE_MOVE: bodies.space_move,
    L.SPACE_DIFFERENCE: bodies.space_difference,
    L.SPACE_RATES: bodies.space_rates,
    L.SPACE_TO_RATES: bodies.space_to_rates,
    L.SPACE_FROM_RATES: bodies.space_from_rates,
    L.SPACE_SETTLE: bodies.space_settle,
}
INERTIA: dict[int, Element] = {
    L.SPACE_INVERSE_MASS: mass.space_inverse_mass,
    L.SPACE_MASS: mass.space_mass,
    L.SPACE_WEIGH: mass.space_weigh,
    L.SPACE_INERTIA: mass.space_inertia,
    L.SPACE_ENERGY: mass.space_energy,
}
