"""A short repr for every public class: found from the public names by what their functions and attributes return."""

import ast
import dataclasses
import functools
import importlib
import inspect
import re
import sys

import pytest

import pytrammel as tm
from pytrammel.examples import four_bar

LONGEST = 250  # letters of a repr
INSIDE = ("pytrammel.kernels", "pytrammel.system")  # rooms without public classes
ARRAYS = re.compile(r"Array|Floats|Numbers|ndarray|Complexes|Mapping|dict|Model|Result\b|Callable")


@functools.cache
def names_of(module):
    """Names that annotations of a module may use, those imported for type checkers included."""
    found = dict(vars(sys.modules[module]))
    for node in ast.walk(ast.parse(inspect.getsource(sys.modules[module]))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("pytrammel"):
            try:
                home = importlib.import_module(node.module)
            except ModuleNotFoundError:  # a stub for type checkers
                continue
            found |= {n.asname or n.name: getattr(home, n.name) for n in node.names if hasattr(home, n.name)}
    return found


def classes_in(annotation, module):
    """Classes of the package that an annotation names."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    text = re.sub(r"Callable\[.*\]", "", text)  # what a function of a field returns is not handed to users
    named = (names_of(module).get(word) for word in re.findall(r"[A-Za-z_]\w*", text))
    return [each for each in named if inspect.isclass(each) and each.__module__.startswith("pytrammel")]


def returned_by(thing):
    """Classes that a function or the members of a class return."""
    if not inspect.isclass(thing):
        made = inspect.unwrap(thing)
        if not callable(made) or not getattr(made, "__module__", "").startswith("pytrammel"):
            return []
        return classes_in(inspect.signature(made).return_annotation, made.__module__)
    found = []
    for name, member in inspect.getmembers(thing):
        if not name.startswith("_") or name in ("__getitem__", "__call__"):
            made = getattr(member, "fget", None) or getattr(member, "func", None) or member
            found += returned_by(made) if inspect.isroutine(made) else []
    if dataclasses.is_dataclass(thing):
        shown = [each for each in dataclasses.fields(thing) if not each.name.startswith("_")]
        found += [cls for each in shown for cls in classes_in(each.type, thing.__module__)]
    return found


def public_classes():
    """Classes of the public names, and classes that users get from them."""
    spaces = [tm, tm.results, tm.synthesis, tm.inertia, tm.rotations]
    todo = [getattr(space, name) for space in spaces for name in getattr(space, "__all__", ())]
    from pytrammel.results import (
        series,
        spatial_series,  # what result["…"] returns
    )
    from pytrammel.results.forces import contacts, groups

    todo += [
        series.BodySeries,
        series.MeasureSeries,
        spatial_series.SpaceBodySeries,
        contacts.ContactSeries,
        groups.GroupSeries,
    ]
    found = {}
    while todo:
        each = todo.pop()
        if not callable(each) or each in found or (inspect.isclass(each) and each.__module__.startswith(INSIDE)):
            continue
        found[each] = None
        todo += returned_by(each)
    public = {own for each in found if inspect.isclass(each) for own in (each, *each.__subclasses__())}
    bases = {
        each for each in public if each.__subclasses__() or getattr(each, "_is_protocol", False)
    }  # without own objects
    public -= {each for each in bases if each.__repr__ is object.__repr__}
    return sorted(public, key=lambda each: (each.__module__, each.__name__))


CLASSES = public_classes()


def shows_every_field(cls):
    """Return True if the repr is the one that dataclasses write, which prints arrays in full."""
    return dataclasses.is_dataclass(cls) and hasattr(cls.__repr__, "__wrapped__")


def test_the_search_finds_the_classes_of_results():
    names = {each.__name__ for each in CLASSES}
    assert len(CLASSES) > 80
    assert names >= {
        "Result", "Series", "BatchResult", "Optimum", "Gradient", "Body", "Marker", "Point", "Event", "Robot", "Curve", "Expression",
        "Identification", "LinearModel", "Plots", "Diagrams", "EventReport", "GroupSeries", "Equilibrium", "Branch", "InstantCenters",
    }  # fmt: skip


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: f"{cls.__module__.removeprefix('pytrammel.')}.{cls.__name__}")
def test_every_public_class_has_a_repr(cls):
    assert cls.__repr__ is not object.__repr__, "it prints its address only"
    if shows_every_field(cls):
        shown = [f"{each.name}: {each.type}" for each in dataclasses.fields(cls) if each.repr]
        assert not [each for each in shown if ARRAYS.search(str(each))], "its repr prints arrays or models in full"


@functools.cache
def moved():
    return four_bar.build().kinematics(1.0, samples=301)


@functools.cache
def swung():
    stop = tm.Event("low", "J.angle", stop=True)
    return swinging().simulate(1.0, samples=301, events=[stop], progress=False)


def swinging():
    m = tm.PlanarModel("pendulum")
    m.body("bob", position=(1.0, 0.0), mass=1.0, inertia=0.1)
    m.revolute("J", m.ground, "bob", at=(0.0, 0.0))
    m.torsion_spring("s", first=m.ground, second="bob", stiffness=1.0)
    return m


def in_space():
    m = tm.SpatialModel("spinning")
    m.body("top", mass=1.0, inertia=(1.0, 1.0, 1.0), omega=(0.0, 0.0, 1.0))
    return m


SAMPLES = {
    "a result": moved,
    "a body": lambda: moved()["crank"],
    "a point": lambda: moved()["P"],
    "a joint": lambda: moved()["A"],
    "a series": lambda: moved().series("A.angle"),
    "plots": lambda: moved().plot,
    "diagrams": lambda: moved().diagram,
    "instant centers": lambda: moved().diagram.instant_centers(),
    "a polygon": lambda: moved().diagram.velocity_polygon(0.1),
    "centrodes": lambda: moved().diagram.centrodes("coupler"),
    "runs": lambda: tm.overlay({"a": moved(), "b": moved()}),
    "plots of runs": lambda: tm.overlay({"a": moved(), "b": moved()}).plot,
    "extremes": lambda: moved().extremes("A.angle"),
    "a spectrum": lambda: moved().spectrum("P.x"),
    "a dynamic result": swung,
    "an event": lambda: swung().events[0],
    "energies": lambda: swung().energy,
    "a reaction": lambda: swung().reaction("J"),
    "a resultant": lambda: swung().resultant("bob"),
    "a group": lambda: swung().group("system"),
    "data of a simulation": lambda: swung().dynamics,
    "an equilibrium": lambda: swinging().equilibrium(),
    "a linear model": lambda: swinging().equilibrium().linearize(),
    "a body in space": lambda: in_space().simulate(0.1, samples=3, progress=False)["top"],
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_repr_is_one_short_line_without_arrays(name):
    text = repr(SAMPLES[name]())
    assert 5 < len(text) <= LONGEST
    assert "array([" not in text and " object at 0x" not in text and "\n" not in text


def test_the_repr_of_a_series_names_the_object_and_its_quantities():
    assert repr(moved()["crank"]) == "<BodySeries 'crank': x, y, phi, vx, vy, omega, ax, ay, alpha; 301 output times>"
    assert repr(moved()["A"]) == "<MeasureSeries of revolute 'A': angle; 301 output times>"
    assert repr(moved()["P"]) == "<PointSeries 'P': position, velocity, acceleration; 301 output times>"
    assert "J.angle" not in repr(swung()["bob"]) and "'low'" in repr(swung().events[0])
