"""Body coordinates, and the three formulations of chapter 11 in them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from pytrammel._util.checks import number_in
from pytrammel.analysis.formulations import ROTATIONS, Formulation, SmallMotions, formulation_type
from pytrammel.analysis.runs.engine import Cartesian, Table
from pytrammel.analysis.runs.rotations import HOLDINGS, STATES, conflict
from pytrammel.analysis.study.bodies import write_out
from pytrammel.system.lowering import System

if TYPE_CHECKING:
    from pytrammel.analysis.runs.options import Options
    from pytrammel.analysis.small_motions.reduced import State


OF_ROTATIONS: dict[str, Any] = {
    "takes": ROTATIONS,
    "values": {
        "rotations": Literal[tuple(STATES)], "normalize": Literal[tuple(HOLDINGS)],
        "alpha": number_in(0.0, optional=True), "beta": number_in(0.0, optional=True),
    },
    "conflict": conflict,
}  # fmt: skip


def _only_in_space(system: System, options: Options) -> str:
    if system.model.space.dimension == 3:
        return ""
    return f"model {system.model.name!r} is planar and has no Euler parameters; use 'cartesian'"


def _instants(*given: Any) -> Table:
    return Table()  # without a routine: bodies are what kinematics works with


def _small_motions(state: State, formulation: Formulation) -> SmallMotions:
    from pytrammel.analysis.study.small import of_bodies

    return of_bodies(state, formulation)


@formulation_type("cartesian")
def cartesian() -> Formulation:
    """Coordinates of all bodies, angular velocities in space: sparse, for any mechanism."""
    return Formulation(
        "coordinates of all bodies, sparse: for any mechanism, fast with loops",
        Cartesian,
        matrices=write_out,
        instants=_instants,
        small_motions=_small_motions,
        **OF_ROTATIONS,
    )


@formulation_type("III")
def third() -> Formulation:
    """The same by the name of chapter 11."""
    return replace(cartesian(), about="the same: angular velocities (11.49)")


@formulation_type("I")
def first() -> Formulation:
    """Euler parameters with a multiplier for each norm, solved densely."""
    about = "Euler parameters with a multiplier for each norm (11.42), dense: for study"
    return Formulation(
        about, Cartesian, variant="I", cannot=_only_in_space, matrices=write_out, small_motions=_small_motions,
        **OF_ROTATIONS,
    )  # fmt: skip


@formulation_type("II")
def second() -> Formulation:
    """Euler parameters without these multipliers, solved densely."""
    about = "Euler parameters, mixed (11.45), dense: for study"
    return Formulation(
        about, Cartesian, variant="II", cannot=_only_in_space, matrices=write_out, small_motions=_small_motions,
        **OF_ROTATIONS,
    )  # fmt: skip
