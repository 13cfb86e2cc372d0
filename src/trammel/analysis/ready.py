"""Which kernels a verb needs for a model, made ready in one go so that the user is told once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trammel.kernels.force_elements import force_elements
from trammel.kernels.jit import prepare
from trammel.kernels.primitives import primitives
from trammel.model.model import PlanarModel
from trammel.model.quantity import Quantity


def make_ready(model: PlanarModel, kernels: Iterable[str], *, forces: bool = False) -> None:
    """Compile or load the named kernels and the primitives (and force elements) the model uses."""
    known = primitives()
    used = dict.fromkeys(
        q.primitive for c in model.constraints.values() for block in c.blocks for q in _with_inputs(block.quantity)
    )
    if model.switches:
        used["expression"] = None
    elements: dict[str, None] = {}
    if forces:
        force_elements()
        for use in (use for force in model.forces.values() for use in force.uses):
            elements[use.element] = None
            for quantity in [use.along, *(given.quantity for given in use.inputs.values())]:
                if quantity is not None:
                    used.update(dict.fromkeys(q.primitive for q in _with_inputs(quantity)))
    prepare([*(name for name in used if name in known), *elements, *kernels])


def _with_inputs(quantity: Quantity) -> Iterator[Quantity]:
    yield quantity
    for inner in quantity.inputs.values():
        yield from _with_inputs(inner)
