"""Pages of the API: every public name of the package and every class that they give back, written from the code.

python -m site_parts.api     # (in docs/) list what is documented, and where
"""

from __future__ import annotations

import functools
import importlib
import inspect
import itertools
import operator
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytrammel as tm
from pytrammel.analysis.choices import Registry
from pytrammel.expressions.function_help import WORDS
from pytrammel.model.verbs import Verb
from site_parts import docstrings

WRITTEN = {"where": "if"}  # a word of Python cannot name a function there
# modules that hold public names, as users write them after "tm."; large classes of the first ones have pages of their own
NAMESPACES = ("functions", "curves", "profiles", "textbook", "results")
TOOLBOXES = ("rotations", "inertia", "textbook.linear", "synthesis")
# what results give back for bodies, joints and points of either kind, which annotations call Any
ALSO = ("BodySeries", "SpaceBodySeries", "MeasureSeries", "Reaction", "SpaceReaction")
# fields of these lead to further reports; those of descriptions lead to inner data
REPORTS = (
    "pytrammel.results.",
    "pytrammel.analysis.positions.assembly",
    "pytrammel.analysis.rest.equilibrium",
    "pytrammel.io.robots.conversion_report",
)
INNER = ("pytrammel.kernels.", "pytrammel.system.", "pytrammel.expressions.tape")
PACKAGES = (
    "model", "joints", "forces", "expressions", "geometry", "analysis", "results", "io", "report", "view", "inertia", "rotations",
    "textbook", "design",
)  # fmt: skip
CHOICES = ("choices", "Choices of a run", "methods, enforcement of constraints and formulations with their options")
# functions by the module they live in: page, title and what it holds; the first prefix that fits wins
GROUPS = (
    ("pytrammel.analysis.methods", *CHOICES),
    ("pytrammel.analysis.treatments", *CHOICES),
    ("pytrammel.analysis.formulations", *CHOICES),
    ("pytrammel.analysis.compare", "comparisons", "Comparisons", "methods and formulations side by side"),
    ("pytrammel.analysis.study.compare", "comparisons", "Comparisons", "methods and formulations side by side"),
    ("pytrammel.analysis", "analyses", "Analyses", "verbs: also methods of models, `m.simulate(...)`, and lists of what they can be given"),
    ("pytrammel.geometry.curves", "curves", "Curves", "outlines of cams and slots, paths in space"),
    ("pytrammel.geometry.space_curves", "curves", "Curves", "outlines of cams and slots, paths in space"),
    ("pytrammel.expressions.profiles", "motions", "Motion laws and tables", "formulas of time for drivers and cams"),
    ("pytrammel.expressions.tables", "motions", "Motion laws and tables", "formulas of time for drivers and cams"),
    ("pytrammel.units", "units", "Units", "other units into SI"),
    ("pytrammel.model.linkages", "places", "Places", "places of joints by distances"),
    ("pytrammel.expressions.expression", "formulas", "Formulas", "formulas of time and measured quantities"),
    ("pytrammel.model", "registries", "Lists of types", "all joints and forces there are"),
    ("pytrammel.io", "files", "Files", "models, results, robots and curves, in and out"),
    ("pytrammel.versions", "versions", "Versions", "what is installed, for reports of problems"),
)  # fmt: skip


def write(folder: Path) -> None:
    """All pages."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = made()
    for old in folder.glob("*.md"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        target = folder / f"{name}.md"
        if not target.exists() or target.read_text(encoding="utf-8") != text:  # Sphinx reads again what is newer
            target.write_text(text, encoding="utf-8")


def made() -> dict[str, str]:
    """Pages by file name."""
    pages: dict[str, str] = {}
    rows: list[str] = []
    for page, (title, about, names) in functions().items():
        lines = [f"# {title}", "", f"{about[0].upper()}{about[1:]}.", ""]
        for name in names:
            lines += _function(name, getattr(tm, name))
        pages[page] = "\n".join(lines) + "\n"
        rows.append(f"| [{title}]({page}.md) | {', '.join(f'`{name}`' for name in names)} |")
    for page in (*NAMESPACES, *TOOLBOXES):
        toolbox = namespace(page)
        lines = [
            f"# pytrammel.{page}",
            "",
            *docstrings.of(toolbox),
            "",
            f":::{{py:module}} pytrammel.{page}",
            ":::",
            "",
        ]
        for name in toolbox.__all__:
            thing = getattr(toolbox, name)
            if inspect.ismodule(thing):
                lines += [f"[pytrammel.{page}.{name}]({page}.{name}.md)", ""]
            elif inspect.isclass(thing) and page in NAMESPACES:
                lines += [f"* [{name}]({name}.md): {_first_line(thing)}"]
            elif inspect.isclass(thing):
                lines += _class(name, thing, f"pytrammel.{page}")
            elif callable(thing):
                lines += _function(name, thing, f"pytrammel.{page}")
            else:
                lines += _datum(name, thing, f"pytrammel.{page}")
        pages[page] = "\n".join(lines) + "\n"
        rows.append(f"| [pytrammel.{page}]({page}.md) | {', '.join(f'`{name}`' for name in toolbox.__all__)} |")
    told: list[str] = []
    for name, thing in classes().items():
        lines = [f"# {name}", "", *_class(name, thing, public_module(name) or thing.__module__)]
        pages[name] = "\n".join(lines) + "\n"
        told.append(f"| [{name}]({name}.md) | {_first_line(thing)} |")
    head = [
        "# API",
        "",
        "Every public name, written from the code. `import pytrammel as tm`, then `tm.PlanarModel`, `tm.functions.sin` and so on.",
        "",
    ]
    head += ["| functions | names |", "| --- | --- |", *rows, "", "| class | what it is |", "| --- | --- |", *told, ""]
    # the pages stay out of the navigation, which every page repeats: the tables above and the search lead to them
    pages = {name: f"---\norphan: true\n---\n{text}" for name, text in pages.items()}
    pages["index"] = "\n".join(head)
    return pages


def functions() -> dict[str, tuple[str, str, list[str]]]:
    """Title, words and names of every page of functions and values."""
    out: dict[str, tuple[str, str, list[str]]] = {}
    for name in tm.__all__:
        thing = getattr(tm, name)
        if inspect.ismodule(thing) or inspect.isclass(thing):
            continue
        home = tm._HOME.get(name, "")
        page, title, about = next(
            ((page, title, about) for start, page, title, about in GROUPS if home.startswith(start)),
            ("others", "Other names", "the rest"),
        )
        out.setdefault(page, (title, about, []))[2].append(name)
    return dict(sorted(out.items()))


def namespace(name: str) -> ModuleType:
    """A public module by its name after "tm."."""
    found: ModuleType = operator.attrgetter(name)(tm)
    return found


def public_module(name: str) -> str:
    """The public module that has a class, or ""."""
    if name in tm.__all__:
        return "pytrammel"
    return next((f"pytrammel.{space}" for space in NAMESPACES if name in namespace(space).__all__), "")


@functools.cache
def _inside() -> dict[str, type[Any]]:
    """All classes of the package that are named once."""
    found: dict[str, list[type[Any]]] = {}
    for package in PACKAGES:
        top = importlib.import_module(f"pytrammel.{package}")
        for each in pkgutil.walk_packages(top.__path__, f"{top.__name__}."):
            module = importlib.import_module(each.name)
            for name, thing in vars(module).items():
                if inspect.isclass(thing) and thing.__module__ == each.name and not name.startswith("_"):
                    found.setdefault(name, []).append(thing)
    return {name: things[0] for name, things in found.items() if len(things) == 1}


@functools.cache
def classes() -> dict[str, type[Any]]:
    """Public classes, and those that public functions and methods give back, by name."""
    found: dict[str, type[Any]] = {}

    def visit(thing: Any) -> None:
        if not inspect.isclass(thing):
            for other in _named(_gives(thing), sys.modules.get(getattr(thing, "__module__", ""))):
                visit(other)
        elif thing.__module__.startswith("pytrammel.") and not thing.__module__.startswith(INNER):
            if thing in found.values() or thing.__name__ in found:
                return
            found[thing.__name__] = thing
            home = sys.modules[thing.__module__]
            for member in members(thing).values():
                for other in _named(_gives(member), home):
                    visit(other)
            if thing.__module__.startswith(REPORTS):
                for other in _named(" ".join(map(str, inspect.get_annotations(thing).values())), home):
                    visit(other)

    for name in tm.__all__:
        if not inspect.ismodule(getattr(tm, name)):
            visit(getattr(tm, name))
    for space in NAMESPACES:
        for name in namespace(space).__all__:
            if not inspect.ismodule(getattr(namespace(space), name)):
                visit(getattr(namespace(space), name))
    for name in ALSO:
        visit(_inside()[name])
    in_toolbox = {
        thing
        for box in TOOLBOXES
        for thing in map(functools.partial(getattr, namespace(box)), namespace(box).__all__)
        if inspect.isclass(thing)
    }
    return {name: found[name] for name in sorted(found) if found[name] not in in_toolbox}


def _named(annotation: str, home: ModuleType | None) -> Iterator[type[Any]]:
    for word in re.findall(r"\w+", annotation):
        thing = vars(home).get(word) if home is not None else None
        thing = thing if inspect.isclass(thing) else _inside().get(word)
        if inspect.isclass(thing) and thing.__module__.startswith("pytrammel."):
            yield thing


def _gives(thing: Any) -> str:
    """The annotation of what a function, method or property gives back."""
    if isinstance(thing, property):
        thing = thing.fget
    thing = getattr(thing, "func", thing)
    try:
        gives = inspect.signature(thing).return_annotation
    except (TypeError, ValueError):
        return ""
    return gives if isinstance(gives, str) else getattr(gives, "__name__", "")


def members(thing: type[Any]) -> dict[str, Any]:
    """Public methods and properties of a class, with what it inherits from others of the package."""
    out = {}
    for name in dir(thing):
        if name.startswith("_"):
            continue
        owner = next(base for base in thing.__mro__ if name in base.__dict__)
        member = owner.__dict__[name]
        kinds = (property, functools.cached_property, staticmethod, classmethod)
        if isinstance(member, Verb):
            out[name] = getattr(thing, name)
        elif owner.__module__.startswith("pytrammel") and (inspect.isfunction(member) or isinstance(member, kinds)):
            out[name] = member
    return out


def undescribed(thing: type[Any]) -> list[str]:
    """Public methods and properties that neither have a docstring nor are named among the attributes of the class."""
    listed = set(re.findall(r"`(\w+)`", " ".join(line.partition(":")[0] for line in docstrings.of(thing))))
    return [
        name
        for name, what in members(thing).items()
        if name not in listed
        and not inspect.getdoc(what.__func__ if isinstance(what, (staticmethod, classmethod)) else what)
    ]


def builders(thing: type[Any]) -> dict[str, str]:
    """Methods of a model that make joints and forces, with the reference page that describes each."""
    if thing is tm.PlanarModel:
        kinds = (tm.constraint_types(), "constraint_types"), (tm.force_types(), "force_types")
    elif thing is tm.SpatialModel:
        kinds = (
            (tm.spatial_constraint_types(), "spatial_constraint_types"),
            (tm.spatial_force_types(), "spatial_force_types"),
        )
    else:
        return {}
    return {name: page for types, page in kinds for name in sorted(types)}


def _function(name: str, thing: Any, module: str = "pytrammel") -> list[str]:
    if isinstance(thing, Registry):
        makers = thing.makers()
        made = [_function(f"{name}.{key}", inspect.unwrap(maker), module) for key, maker in makers.items()]
        return [*_datum(name, thing, module), *itertools.chain.from_iterable(made)]
    if not callable(thing):
        return _datum(name, thing, module)
    called = thing if inspect.isfunction(thing) else type(thing).__call__
    text = docstrings.of(thing if inspect.isfunction(thing) else type(thing))
    if module == "pytrammel" and tm._HOME.get(name) == "pytrammel.expressions.functions":
        text = [f"{WORDS[WRITTEN.get(name, name)][1]} [More](../../reference/functions.md#{WRITTEN.get(name, name)})."]
    arguments = docstrings.signature(called, skip=0 if inspect.isfunction(thing) else 1)
    return [f"::::{{py:function}} {name}{arguments}", f":module: {module}", "", *text, "", "::::", ""]


def _datum(name: str, thing: Any, module: str) -> list[str]:
    words = f"`{thing!r}`" if len(repr(thing)) < 200 else f"A `{type(thing).__name__}` of {len(thing)}: " + ", ".join(
        f"`{key}`" for key in thing
    )  # fmt: skip
    return [f"::::{{py:data}} {name}", f":module: {module}", "", words, "", "::::", ""]


def _class(name: str, thing: type[Any], module: str) -> list[str]:
    made_by = builders(thing)
    lines = [f":::::{{py:class}} {name}{_made_with(thing)}", f":module: {module}", "", *docstrings.of(thing), ""]
    for member, what in members(thing).items():
        if member in made_by:
            continue
        static = isinstance(what, (staticmethod, classmethod))
        plain = what.__func__ if static else what
        if isinstance(what, (property, functools.cached_property)):
            gives = _gives(what)
            lines += [
                f"::::{{py:property}} {name}.{member}",
                f":module: {module}",
                *([f":type: {gives}"] if gives else []),
            ]
        else:
            arguments = docstrings.signature(plain, skip=0 if isinstance(what, staticmethod) else 1)
            lines += [f"::::{{py:method}} {name}.{member}{arguments}", f":module: {module}"]
        lines += ["", *docstrings.of(plain), "", "::::", ""]
    lines += [":::::", ""]
    if made_by:
        lines += ["## Joints, drivers and forces", "", "A method each, described on the pages of the reference.", ""]
        lines += ["| method | what it is |", "| --- | --- |"]
        for member, page in made_by.items():
            lines.append(
                f"| [`{member}`](../../reference/{page}.md#{member}) | {_first_line(getattr(thing, member))} |"
            )
    return lines


def _made_with(thing: type[Any]) -> str:
    """Arguments of a class that users make themselves; reports are made by analyses."""
    made_by_users = public_module(thing.__name__) not in ("", "pytrammel.results") or thing.__module__.startswith(
        tuple(f"pytrammel.{box}" for box in TOOLBOXES)
    )
    if not made_by_users or issubclass(thing, (Exception, tuple)):
        return ""
    text = docstrings.signature(thing.__init__, skip=1)
    return text.partition(" -> ")[0]


def _first_line(thing: Any) -> str:
    return " ".join(docstrings.of(thing)[:1]).replace("|", "\\|")


if __name__ == "__main__":
    for page, (_, _, names) in functions().items():
        print(page, *names)
    print(*classes())
