"""Which kernels a verb needs for a model, made ready in one go so that the user is told once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytrammel.analysis.events.corners import law_corners
from pytrammel.errors import ModelError
from pytrammel.expressions.expression import Expression
from pytrammel.kernels import space_table
from pytrammel.kernels.force_elements import force_elements
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.primitives import primitives
from pytrammel.model.base import Model
from pytrammel.model.quantities.quantity import Quantity


def make_ready(
    model: Model,
    kernels: Iterable[str],
    *,
    forces: bool = False,
    formulas: Iterable[Expression] = (),
    quantities: Iterable[Quantity] = (),
) -> None:
    """Compile or load the named kernels and the primitives the model uses.

    Args:
        model: The model.
        kernels: Names of the entry points a verb calls.
        forces: The verb needs the force elements too.
        formulas: Formulas of measured quantities that will be watched.
        quantities: Other quantities that will be measured.
    """
    known = primitives()
    used = dict.fromkeys(
        q.primitive for c in model.constraints.values() for block in c.blocks for q in _with_inputs(block.quantity)
    )
    used.update(dict.fromkeys(q.primitive for quantity in quantities for q in _with_inputs(quantity)))
    targets = (target for c in model.constraints.values() for block in c.blocks for target in block.targets)
    tapes = ["tape_apart"] if any(isinstance(target, Expression) for target in targets) else []
    watched = [*formulas, *(switch.when for switch in model.switches.values())]
    if watched:
        used["expression"] = None
        for name in {name for formula in watched for name in formula.names - {"t"}}:
            try:
                watched_quantity = model.law_input(name, "a watched formula").quantity
            except ModelError:  # a quantity of results, for which runs prepare themselves
                continue
            if watched_quantity is not None:
                used[watched_quantity.primitive] = None
    elements: dict[str, None] = {}
    if forces:
        force_elements()
        for use in (use for force in model.forces.values() for use in force.uses):
            elements[use.element] = None
            for quantity in [use.along, *(given.quantity for given in use.inputs.values())]:
                if quantity is not None:
                    used.update(dict.fromkeys(q.primitive for q in _with_inputs(quantity)))
        for force in model.forces.values():
            if any(use.role == "contact" for use in force.uses) and force.measures:
                # the beginning and end of contact are watched
                used.update(dict.fromkeys(["expression", *(q.primitive for q in force.measures.values())]))
            if law_corners(force):
                used["expression"] = None
    if model.space.dimension == 3:
        tables = (space_table.MOTION, space_table.INERTIA) if forces else (space_table.MOTION,)
        elements.update(dict.fromkeys(element.name for table in tables for element in table.values()))
    prepare([*(name for name in used if name in known), *elements, *tapes, *kernels])


def _with_inputs(quantity: Quantity) -> Iterator[Quantity]:
    yield quantity
    for inner in quantity.inputs.values():
        yield from _with_inputs(inner)
