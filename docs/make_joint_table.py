"""Write the pages of docs/reference that list constraint and force types, integration methods and examples, from their registries.

    python docs/make_joint_table.py            # write the pages
    python docs/make_joint_table.py --check    # exit with 1 if a page is stale

Signatures and texts come from the builders; rows, primitives, outputs and measures from each type's registered sample.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from site_parts import docstrings

import pytrammel as tm
from pytrammel import examples, opcodes
from pytrammel._util.atomic_write import write_whole
from pytrammel.analysis.runs.rotations import HOLDINGS, STATES
from pytrammel.expressions.expression import CONSTANTS
from pytrammel.expressions.function_help import WORDS
from pytrammel.forces.force import Force, force_sample
from pytrammel.joints.constraint import Constraint, sample_arguments
from pytrammel.model.spatial_registries import spatial_force_sample, spatial_sample_arguments

FOLDER = Path(__file__).parent / "reference"
BOOKS = {"spring": "stored", "damping": "dissipated", "contact": "dissipated", "input": "input"}


@dataclass(frozen=True)
class Kind:
    """One kind of models: its registries, and three bodies for samples."""

    model: type[Any]
    title: str
    constraints: Mapping[str, Callable[..., Constraint]]
    forces: Mapping[str, Callable[..., Force]]
    constraint_sample: Callable[..., Mapping[str, Any]]
    force_sample: Callable[..., Mapping[str, Any]]
    place: str
    poses: tuple[dict[str, object], ...]

    def model_with_bodies(self) -> tuple[Any, list[Any]]:
        model = self.model()
        return model, [model.body(name, **pose) for name, pose in zip("abc", self.poses, strict=True)]


PLANE = Kind(
    tm.PlanarModel, "", tm.constraint_types(), tm.force_types(), sample_arguments, force_sample, "`body.at(xi, eta)`",
    ({}, {"position": (0.7, 0.2), "angle": 0.3}, {"position": (0.2, 0.9)}),
)  # fmt: skip
SPACE = Kind(
    tm.SpatialModel, "Spatial ", tm.spatial_constraint_types(), tm.spatial_force_types(), spatial_sample_arguments, spatial_force_sample,
    "`body.at(x, y, z)`",
    (
        {},
        {"position": (0.7, 0.2, 0.4), "rotation": tm.rotations.from_angles((0.3, -0.2, 0.5), "xyz")},
        {"position": (0.2, 0.9, -0.3), "rotation": tm.rotations.from_angles((-0.4, 0.1, 0.2), "xyz")},
    ),
)  # fmt: skip
MARKER = "An *oriented marker* is a point with axes, `body.marker(at, axis=..., x=...)`, in body components; then `axis=` is not needed."


def method_page() -> str:
    """All integration methods."""
    lines = [
        "# Integration methods",
        "",
        "Made from the registry, `tm.methods`; choose one with `method=` of `simulate`, with options in a call: "
        "`tm.methods.rk4(step=1e-3)`. How they work together with events, constraints and output times is described in "
        "[Dynamics](../theory/dynamics.md#integration).",
        "",
        "| `method=` | order | options | `constraints=` | about |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, each in tm.methods.items():
        options = ", ".join(f"`{key}`" for key in each.takes)
        held = ", ".join(each.treatments) if each.own_constraints else "any"
        lines.append(f"| `{name}` | {each.order} | {options} | {held} | {each.about} |")
    return "\n".join(lines) + "\n"


def treatment_page() -> str:
    """All treatments of constraints."""
    lines = [
        "# Enforcement of constraints",
        "",
        "Made from the registry, `tm.enforcement`; choose one with `constraints=` of `simulate`, with options in a call: "
        "`tm.enforcement.baumgarte(alpha=10)`. What they do is told in [How constraints are held](../theory/treatments.md).",
        "",
        "| `constraints=` | options | about |",
        "| --- | --- | --- |",
    ]
    for name, each in tm.enforcement.items():
        lines.append(f"| `{name}` | {', '.join(f'`{key}`' for key in each.takes) or '–'} | {each.about} |")
    lines += [
        "",
        "## Euler parameters",
        "",
        "How they keep length one in space; choose with `tm.formulations.cartesian(normalize=...)`.",
        "",
        "| `normalize=` | options | about |",
        "| --- | --- | --- |",
    ]
    for word, holding in HOLDINGS.items():
        lines.append(f"| `{word}` | {', '.join(f'`{key}`' for key in holding.takes) or '–'} | {holding.about} |")
    lines += [
        "",
        "What is integrated of rotations; choose with `tm.formulations.cartesian(rotations=...)`.",
        "",
        "| `rotations=` | about |",
        "| --- | --- |",
    ]
    lines += [f"| `{word}` | {about} |" for word, about in STATES.items()]
    return "\n".join(lines) + "\n"


def formulation_page() -> str:
    """All formulations."""
    lines = [
        "# Formulations",
        "",
        "Made from the registry, `tm.formulations`; choose one with `formulation=` of `simulate`, with options in a call. How "
        "they work is told in [In which coordinates](../theory/formulations.md).",
        "",
        "| `formulation=` | options, with their defaults | about |",
        "| --- | --- | --- |",
    ]
    for name, each in tm.formulations.items():
        takes = ", ".join(f"`{key}={value!r}`" for key, value in each.takes.items())
        lines.append(f"| `{name}` | {takes or '–'} | {each.about} |")
    return "\n".join(lines) + "\n"


def function_page() -> str:
    """All functions of formulas."""
    lines = [
        "# Functions of formulas",
        "",
        "Made from the list of functions that formulas know. What formulas are and where they are used is told in "
        "[Expressions](../theory/expressions.md). In Python the same functions stand in the namespace `tm.functions`; `if` is "
        "`tm.functions.where` there. Slopes are those that Trammel computes with.",
        "",
        "Beside functions there are the operators `+ - * / ^`, the comparisons "
        f"{' '.join(f'`{word}`' for word in opcodes.COMPARISONS)}, the words {' '.join(f'`{word}`' for word in opcodes.LOGIC)}, and the "
        f"constants {', '.join(f'`{name}`' for name in CONSTANTS)}. Rise laws and tables have derivatives: `cycloidal'(t)`, "
        "`cycloidal''(t)`.",
    ]
    for name in (*opcodes.FUNCTIONS, *opcodes.LAW_NAMES):
        call, words = WORDS[name]
        python = f"`tm.functions.{'where' if name == 'if' else name}`"
        calls = " or ".join(f"`{one}`" for one in re.findall(r"\w+\([^)]*\)", call))
        lines += ["", f"## {name}", "", f"{calls}; in Python {python}", "", words]
        if name in opcodes.LAW_NAMES:
            values = ", ".join(f"{tm.parse(f'{name}({u})').constant:.4g}" for u in (0.25, 0.5, 0.75))
            fastest = max(abs(tm.parse(f"{name}'({k / 2000})").constant) for k in range(1, 2000))
            lines += ["", f"At u = 0.25, 0.5, 0.75 it is {values}; its largest slope is {fastest:.4g}."]
        elif opcodes.FUNCTIONS[name].arity == 1:
            lines += ["", f"Slope: `{tm.parse(f'{name}(x)').derivative('x')}`."]
    return "\n".join(lines) + "\n"


def example_page() -> str:
    """All examples."""
    lines = [
        "# Examples",
        "",
        "Made from the folder `pytrammel.examples`. `pytrammel example NAME` runs one; `pytrammel new NAME` gives it as a model "
        "file, with the same result to the last bit. Each is one short Python file: `pytrammel.examples.find(NAME).source()`.",
    ]
    for title, kind in (("In the plane", tm.PlanarModel), ("In space", tm.SpatialModel)):
        lines += ["", f"## {title}", "", "| name | what it shows |", "| --- | --- |"]
        lines += [
            f"| `{n}` | {text} |"
            for n, text in examples.catalogue().items()
            if isinstance(examples.find(n).build(), kind)
        ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    pages = {
        "constraint_types.md": constraint_page(PLANE),
        "force_types.md": force_page(PLANE),
        "spatial_constraint_types.md": constraint_page(SPACE),
        "spatial_force_types.md": force_page(SPACE),
        "methods.md": method_page(),
        "treatments.md": treatment_page(),
        "formulations.md": formulation_page(),
        "functions.md": function_page(),
        "examples.md": example_page(),
    }
    if "--check" in arguments:
        stale = [
            name
            for name, text in pages.items()
            if not (FOLDER / name).exists() or (FOLDER / name).read_text(encoding="utf-8") != text
        ]
        for name in stale:
            print(f"{name} is stale; run: python docs/make_joint_table.py", file=sys.stderr)
        return 1 if stale else 0
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages.items():
        write_whole(FOLDER / name, text)
    return 0


def constraint_page(kind: Kind) -> str:
    types = dict(sorted(kind.constraints.items()))
    lines = [
        *_head(kind, "constraint"),
        ""
        if kind is PLANE
        else f"{MARKER}\nWhat the rows say is in [Spatial mechanisms](../theory/spatial.md#joints).\n",
        "| type | rows | extra coordinates | primitives | measures |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [_row(kind, name, builder) for name, builder in types.items()]
    return _with_sections(lines, types)


def force_page(kind: Kind) -> str:
    types = dict(sorted(kind.forces.items()))
    page = "../theory/forces.md" if kind is PLANE else "../theory/forces.md#in-space"
    lines = [
        *_head(kind, "force"),
        "*Outputs* are the columns it adds to results; *booked* is the entry of `result.energy` that its work goes to. The laws are in",
        f"[Forces]({page}).",
        "",
        "| type | outputs | booked | kernel element | measures |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [_force_row(kind, name, builder) for name, builder in types.items()]
    return _with_sections(lines, types)


def _head(kind: Kind, what: str) -> list[str]:
    return [
        f"# {f'{kind.title}{what} types'.capitalize()}",
        "",
        f"Generated by `docs/make_joint_table.py`; do not edit. Each type is a method of `{kind.model.__name__}`: the first argument is",
        f"the name of the new {what}. A *place* is a body, a point of a body ({kind.place}), or the name of either.",
    ]


def _with_sections(lines: list[str], types: Mapping[str, Callable[..., Any]]) -> str:
    for name, builder in types.items():
        lines += ["", f"## {name}", "", f"`m.{name}{_signature(builder)}`", "", *_body(builder)]
    return "\n".join(lines) + "\n"


def _force_row(kind: Kind, name: str, builder: Callable[..., Force]) -> str:
    made = _force_sample(kind, name)
    outputs = ", ".join(f"`.{use.label.rpartition('.')[2]}`" for use in made.uses)
    books = ", ".join(dict.fromkeys(BOOKS[use.role] for use in made.uses))
    elements = ", ".join(dict.fromkeys(use.element for use in made.uses))
    return f"| [`{name}`](#{name}) | {outputs} | {books} | {elements} | {_measures(made, builder)} |"


def _row(kind: Kind, name: str, builder: Callable[..., Constraint]) -> str:
    made = _sample(kind, name)
    primitives = ", ".join(dict.fromkeys(block.quantity.primitive for block in made.blocks))
    if "quantity" in inspect.signature(builder).parameters:  # any quantity will do, so the sample's own says nothing
        primitives = "of the quantity"
    extras = len(made.extras) or ""
    return f"| [`{name}`](#{name}) | {made.n_rows} | {extras} | {primitives} | {_measures(made, builder)} |"


def _measures(made: Any, builder: Callable[..., Any]) -> str:
    if "quantity" in inspect.signature(builder).parameters:
        return ", ".join(f"`{key}`" for key in made.measures)
    return ", ".join(f"`{key}` [{quantity.unit}]" for key, quantity in made.measures.items())


def _force_sample(kind: Kind, name: str) -> Force:
    model, bodies = kind.model_with_bodies()
    arguments = dict(kind.force_sample(name, *bodies))
    if isinstance(arguments.get("joint"), tuple):  # the joint it acts in: its kind and arguments
        joint, given = arguments["joint"]
        arguments["joint"] = getattr(model, joint)("J", **given)
    made: Force = getattr(model, name)("sample", **arguments)
    return made


def _sample(kind: Kind, name: str) -> Constraint:
    model, bodies = kind.model_with_bodies()
    arguments = dict(kind.constraint_sample(name, *bodies))
    for key, value in arguments.items():
        if isinstance(value, tuple) and len(value) == 3 and isinstance(value[2], Mapping):  # a joint to be made first
            joint, of_kind, given = value
            arguments[key] = getattr(model, of_kind)(joint, **given)
    made: Constraint = getattr(model, name)("sample", **arguments)
    return made


def _signature(builder: Callable[..., Any]) -> str:
    return docstrings.signature(builder, skip=1, types=False)


def _body(builder: Callable[..., Any]) -> list[str]:
    """The docstring as Markdown: arguments become a list."""
    return docstrings.as_markdown(inspect.getdoc(builder) or "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
