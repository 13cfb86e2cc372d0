"""Write the types of what is attached at run time: names of the package, joints, forces, analyses and measures.

    python tools/make_stub.py           # write the files
    python tools/make_stub.py --check   # report which of them are stale; exit status 1 if any

`src/pytrammel/__init__.pyi` lists the lazy names of the package. `src/pytrammel/model/typed_methods.pyi` gives models their analyses,
joints and forces, and elements their measures. Both refer to the functions themselves, so that signatures stand in one place.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

import pytrammel as tm  # noqa: E402
from pytrammel.forces.force import force_sample, force_types  # noqa: E402
from pytrammel.joints.constraint import constraint_types, sample_arguments  # noqa: E402
from pytrammel.model.spatial_registries import (  # noqa: E402
    spatial_constraint_types,
    spatial_force_sample,
    spatial_force_types,
    spatial_sample_arguments,
)
from pytrammel.model.verbs import Verb, Verbs  # noqa: E402

Builders = Mapping[str, Callable[..., Any]]
NOTE = "# Written by tools/make_stub.py. Do not edit."
POSES = {
    "PlanarModel": ({"position": (0.2, -0.1)}, {"position": (2.0, 1.0), "angle": 0.4}, {"position": (0.1, 3.0)}),
    "SpatialModel": ({"position": (0.2, -0.1, 0.3)}, {"position": (2.0, 1.0, -0.5)}, {"position": (0.1, 3.0, 0.6)}),
}
REGISTRIES: Mapping[str, tuple[tuple[Callable[[], Builders], Callable[..., Mapping[str, Any]]], ...]] = {
    "PlanarModel": ((constraint_types, sample_arguments), (force_types, force_sample)),
    "SpatialModel": ((spatial_constraint_types, spatial_sample_arguments), (spatial_force_types, spatial_force_sample)),
}
# types of what a name stands for, which is known at run time only: they have the attributes of all that it may be
VIEWS = {
    "PlanarPart": (("Constraint", "Force", "Body", "Point"), "Body, point, joint or force of a planar model."),
    "SpatialPart": (
        ("Constraint", "Force", "SpatialBody", "Marker"),
        "Body, point, joint or force of a spatial model.",
    ),
    "AnyBodySeries": (("BodySeries", "SpaceBodySeries"), "Motion of a body in the plane or in space."),
    "AnyReaction": (("Reaction", "SpaceReaction"), "Force and moment of a joint in the plane or in space."),
    "AnyOptimum": (("Optimum", "ParetoFront"), "Best design, or front of best designs for several objectives."),
    "Reading": (
        (
            "np.ndarray[tuple[int], np.dtype[np.float64]]",
            "BodySeries",
            "SpaceBodySeries",
            "PointSeries",
            "MeasureSeries",
        ),
        "Values of a quantity, or motion of a body, point, joint or force.",
    ),
}
# attributes of views whose kinds have different ones of that name
OWN = {"AnyOptimum": ("model: _AnyModel  # type: ignore[assignment, misc, override, unused-ignore]",)}


def package_stub() -> str:
    """Stub of the package: its lazy names, imported from their homes."""
    lines = [NOTE, ""]
    for name, home in sorted({**tm._HOME, **tm._MODULES}.items(), key=lambda pair: (pair[1], pair[0])):
        if name in tm._MODULES:
            package, _, module = home.rpartition(".")
            lines.append(f"from {package} import {module} as {name}")
        else:
            lines.append(f"from {home} import {name} as {name}")
    listed = "".join(f'    "{name}",\n' for name in tm.__all__)
    return "\n".join([*lines, "", "__version__: str", f"__all__ = [\n{listed}]"]) + "\n"


def elements(model: str) -> dict[str, Callable[..., Any]]:
    """Joints and forces of a kind of model by the names of its methods."""
    found = {kind: builder for types, _ in REGISTRIES[model] for kind, builder in types().items()}
    methods = vars(getattr(tm, model))
    for name, method in methods.items():  # a second name of a registered type
        same = next((kind for kind in found if methods.get(kind) is method), None)
        if same is not None:
            found.setdefault(name, found[same])
    return dict(sorted(found.items()))


def verbs() -> dict[str, str]:
    """Modules of the analyses of models, by name."""
    return {name: each.home for name, each in sorted(vars(Verbs).items()) if isinstance(each, Verb)}


def measures() -> list[str]:
    """Names of the quantities that registered joints and forces measure on their samples."""
    found: set[str] = set()
    for model, registries in REGISTRIES.items():
        for types, sample in registries:
            for kind in types():
                found |= set(made(model, kind, sample).measures)
    return sorted(found)


def made(model: str, kind: str, sample: Callable[..., Mapping[str, Any]]) -> Any:
    """A registered joint or force on its sample; joints that it needs are made first."""
    m = getattr(tm, model)("sample")
    bodies = [m.body(name, **pose) for name, pose in zip("abc", POSES[model], strict=True)]
    given = dict(sample(kind, *bodies))
    for key, value in given.items():
        if isinstance(value, tuple) and value and isinstance(value[-1], dict):
            name, what, arguments = value if len(value) == 3 else ("J", *value)
            if name not in m:
                getattr(m, what)(name, **arguments)
            given[key] = name
    return getattr(m, kind)("sample", **given)


def methods_stub() -> str:
    """Stub of the methods and measures that registries attach to models and their elements."""
    imports: dict[tuple[str, str], str] = {}

    def alias(module: str, name: str, prefix: str) -> str:
        return imports.setdefault((module, name), f"{prefix}_{name}")

    bodies = [class_of("Verbs", (f"{name} = {alias(home, name, '_model')}" for name, home in verbs().items()))]
    plane, space = elements("PlanarModel"), elements("SpatialModel")
    shared = {kind: builder for kind, builder in plane.items() if space.get(kind) is builder}
    for name, prefix, kinds in (("", "", shared), ("Planar", "_planar", plane), ("Spatial", "_spatial", space)):
        rows = []
        for kind, builder in kinds.items():
            if not name or kind not in shared:
                function = inspect.unwrap(builder)
                rows.append(f"{kind} = _method({alias(function.__module__, function.__name__, prefix)})")
        bodies.append(class_of(f"{name}Elements", rows))
    names = measures()
    taken = {*(each.name for each in fields(tm.Constraint)), *(each.name for each in fields(tm.Force))}
    bodies.append(class_of("Measures", properties([name for name in names if name not in taken], "Quantity")))
    series = [f"{name}{order}" for name in names for order in ("", "_rate", "_acceleration")]
    bodies.append(class_of("MeasuredArrays", properties(series, "Array")))
    for name, (bases, text) in VIEWS.items():
        own = "".join(f"    {line}\n" for line in OWN.get(name, ()))
        head = f"class {name}({', '.join(bases)}):  # type: ignore[misc, override, unused-ignore]"
        bodies.append(f'{head}\n    """{text}"""\n{own}')
    lines = [f"from {module} import {name} as {found}" for (module, name), found in sorted(imports.items())]
    return HEAD.format(note=NOTE, imports="\n".join(lines)) + "\n\n" + "\n".join(bodies)


HEAD = '''{note}
"""Methods of models that registries and lazy tables attach, and the measures of their elements."""

from abc import ABCMeta
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from pytrammel.design.optimization.front import ParetoFront
from pytrammel.design.optimization.optimum import Optimum
from pytrammel.model.base import Model
from pytrammel.model.bodies import Body, Point
from pytrammel.joints.constraint import Constraint
from pytrammel.forces.force import Force
from pytrammel.model.quantities.quantity import Quantity
from pytrammel.model.spatial_bodies import Marker, SpatialBody
from pytrammel.results.forces.dynamics import Reaction
from pytrammel.results.series import BodySeries, MeasureSeries, PointSeries
from pytrammel.results.spatial_series import SpaceBodySeries, SpaceReaction
{imports}

P = ParamSpec("P")
R = TypeVar("R")
Array = NDArray[np.float64]

def _method(builder: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]: ...
def giving(kind: type[R], method: Callable[Concatenate[Any, P], Any]) -> Callable[Concatenate[Any, P], R]: ...

class _AnyModel(Model, metaclass=ABCMeta):  # of the best design, or by number of a front
    def __call__(self, k: int) -> Model: ...
'''


def properties(names: Iterable[str], kind: str) -> list[str]:
    """Read-only attributes of one type."""
    return [line for name in names for line in ("@property", f"def {name}(self) -> {kind}: ...")]


def class_of(name: str, rows: Iterable[str]) -> str:
    """Source of a class."""
    return "\n".join([f"class {name}:", *(f"    {row}" for row in rows), ""])


def stubs() -> dict[Path, str]:
    """All generated files and their texts."""
    package = ROOT / "src" / "pytrammel"
    return {package / "__init__.pyi": package_stub(), package / "model" / "typed_methods.pyi": methods_stub()}


def main(arguments: list[str] | None = None) -> int:
    """Write or check the files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="report stale files without writing them")
    check = parser.parse_args(arguments).check
    stale = [path for path, text in stubs().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        if check:
            print(f"{path.relative_to(ROOT)} is stale. Run python tools/make_stub.py.")
        else:
            path.write_text(stubs()[path], encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return int(check and bool(stale))


if __name__ == "__main__":
    raise SystemExit(main())
