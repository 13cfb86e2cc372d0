"""The words of model files: sections, and which builder makes what stands in them. The registries are the format."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pytrammel.forces.force import force_types
from pytrammel.joints.constraint import constraint_types
from pytrammel.model.arguments.recorded import argument_names
from pytrammel.model.base import Model
from pytrammel.model.planar import PlanarModel
from pytrammel.model.spatial import SpatialModel
from pytrammel.model.spatial_registries import spatial_constraint_types, spatial_force_types

FORMAT = 1
KINDS: dict[str, type[Model]] = {"planar": PlanarModel, "spatial": SpatialModel}
ELEMENTS = ("bodies", "points", "constraints", "forces", "phases", "switches")
SINGLE = {"bodies": "body", "points": "point", "phases": "phase", "switches": "switch"}  # sections of one type each
HEAD = ("format", "model", "name", "display_unit", "gravity", "closure_tolerance", "include", "order")
SECTIONS = ("parameters", "tables", "curves", "formulas", "subsystems", *ELEMENTS, "groups")
MAX_ELEMENTS = 100_000
MAX_ROWS = 100_000  # of a table
MAX_CURVE_ROWS = 20_000  # of a curve, which is searched for crossings
FREE = "free"  # a component of a starting velocity that is not given
MAY_BE_FREE = ("velocity", "omega")
_NAMES = re.compile(r"[^\W\d]\w*(?:\.\w+)*")


_listed: dict[tuple[str, str], tuple[Mapping[str, Any], Mapping[str, Callable[..., Any]]]] = {}


def types(kind: str, section: str) -> Mapping[str, Callable[..., Any]]:
    """Builders that a section of a planar or spatial model may name, by type; plugins may add some."""
    cls = KINDS[kind]
    if section in SINGLE:
        return {SINGLE[section]: getattr(cls, SINGLE[section])}
    planar, spatial = (constraint_types, spatial_constraint_types), (force_types, spatial_force_types)
    by_kind = planar if section == "constraints" else spatial
    found = by_kind[0]() if kind == "planar" else by_kind[1]()
    before = _listed.get((kind, section))
    if before is None or before[0] is not found:
        _listed[kind, section] = before = (found, {name: getattr(cls, name) for name in found})
    return before[1]


def kind_of(model: Model) -> str:
    """Word for the kind of a model."""
    return next(word for word, cls in KINDS.items() if isinstance(model, cls))


def section_of(model: Model, name: str) -> str:
    """Section in which something that was described stands."""
    groups = (model.bodies, model.points, model.constraints, model.forces, model.phases, model.switches)
    return next(section for section, group in zip(ELEMENTS, groups, strict=True) if name in group)


def needed(builder: Callable[..., Any]) -> tuple[str, ...]:
    """Arguments without a default."""
    parameters = inspect.signature(builder).parameters
    if builder is getattr(Model, "point", None):
        return ("body",)
    return tuple(key for key in argument_names(builder) if parameters[key].default is inspect.Parameter.empty)


def in_order(elements: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    """(section, name) of all elements, each after those that it names; within a section as written.

    Every section is a queue; its first element comes when nothing that it names still waits. Files of models always get
    through, because their elements were once described in such an order; where none is free, the first one goes on and is
    explained by its builder.
    """
    queues = {section: list(elements.get(section, {})) for section in ELEMENTS}
    waiting = {name for names in queues.values() for name in names}
    leans = {
        name: (set(mentioned(entry)) & waiting) - {name}
        for section in ELEMENTS for name, entry in elements.get(section, {}).items()
    }  # fmt: skip
    heads = dict.fromkeys(ELEMENTS, 0)
    out: list[tuple[str, str]] = []
    while waiting:
        before = len(out)
        for section in ELEMENTS:
            queue = queues[section]
            while heads[section] < len(queue) and not leans[queue[heads[section]]] & waiting:
                _take(queue[heads[section]], section, out, waiting, heads)
        if len(out) == before:
            section = next(s for s in ELEMENTS if heads[s] < len(queues[s]))
            _take(queues[section][heads[section]], section, out, waiting, heads)
    return out


def _take(name: str, section: str, out: list[tuple[str, str]], waiting: set[str], heads: dict[str, int]) -> None:
    out.append((section, name))
    waiting.discard(name)
    heads[section] += 1


def mentioned(value: Any) -> Iterator[str]:
    """All names in the texts of an element, and what they are parts of: A.angle.rate, A.angle, A."""
    if isinstance(value, str):
        for found in _NAMES.findall(value):
            parts = found.split(".")
            yield from (".".join(parts[:k]) for k in range(1, len(parts) + 1))
    elif isinstance(value, dict):
        for item in value.values():
            yield from mentioned(item)
    elif isinstance(value, list) and any(isinstance(item, str | dict | list) for item in value):
        for item in value:
            yield from mentioned(item)
