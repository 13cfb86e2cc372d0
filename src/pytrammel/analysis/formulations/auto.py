"""The formulation chosen by the structure of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel.analysis.formulations import Formulation, formulation, formulation_type
from pytrammel.analysis.formulations.cartesian import OF_ROTATIONS
from pytrammel.analysis.positions.assembly import active_rows
from pytrammel.analysis.runs.engine import Cartesian
from pytrammel.kernels import layout as L
from pytrammel.system.lowering import lower
from pytrammel.system.topology import spanning_tree

if TYPE_CHECKING:
    from pytrammel.analysis.runs.options import Options
    from pytrammel.model.base import Model

# measured (bench/trees.py): with body coordinates, a row in space costs some three times what a body costs along a tree; in the plane the
# two are even for the shortest loops, and only chains of some length gain
FEW_ROWS = 0.3  # share of the rows in space that may be left beside a tree
LONG = 6  # bodies of a chain in the plane


@formulation_type("auto")
def auto() -> Formulation:
    """Joint coordinates where they are faster, body coordinates elsewhere."""
    return Formulation(
        "joint coordinates where the structure makes them faster, body coordinates elsewhere; the result says which, and why",
        Cartesian,
        choose=choose,
        **OF_ROTATIONS,
    )


def choose(model: Model, options: Options) -> tuple[Formulation, str]:
    """The formulation for a model and how it is to be run, and the reason."""
    joint, bodies = formulation("joint"), formulation("cartesian")
    system = lower(model, dynamics=True)
    reason = joint.cannot(system, options)
    if not reason and (options.rotations, options.euler_parameters) != ("velocities", "corrected"):
        reason = "Euler parameters are asked for"
    if not reason and system.ints[L.HAS_MASSLESS]:
        reason = "some coordinates have no mass"
    if not reason and system.ints[L.N_REACTIONS]:
        reason = "forces depend on reactions"
    if reason:
        return bodies, reason
    phase = next(iter(model.phases), None)
    rows = active_rows(system, phase=phase)
    tree = spanning_tree(system, rows)
    count, left = len(tree.branches), len(tree.rows)
    said = f"a tree of {count} bodies" + (f", {left} of {len(rows)} rows beside it" if left else " without loops")
    if model.space.dimension == 3:
        fast = left <= FEW_ROWS * len(rows)
    else:
        fast = not left and count >= LONG
    return (joint, said) if fast else (bodies, f"{said}: no faster along the tree")
