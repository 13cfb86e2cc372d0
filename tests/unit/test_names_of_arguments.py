"""Missing and unknown arguments of every public method of models and results raise errors of the package, never a bare TypeError."""

from __future__ import annotations

import inspect
import operator
import warnings

import pytest

import pytrammel as tm
from pytrammel.errors import TrammelError

FUNCTIONS = [
    "cm", "constraint_types", "deg", "force_types", "inch", "mm", "parse", "rpm",
    "spatial_constraint_types", "spatial_force_types", "functions.where", "show_versions",
]  # fmt: skip


def plane():
    m = tm.PlanarModel("plane")
    m.body("b", mass=1, inertia=0.1, position=(0.5, 0), points={"P": (0.1, 0.2)})
    m.revolute("A", m.ground, "b", at=(0, 0))
    m.spring("S", m.ground.at(1, 1), m["b"].at(0, 0), stiffness=10, free_length=1)
    return m


def space():
    m = tm.SpatialModel("space")
    m.body("b", mass=1, inertia=0.1, position=(0.5, 0, 0), points={"P": (0.1, 0.2, 0)})
    m.revolute("A", m.ground, "b", at=(0, 0, 0), axis=(0, 1, 0))
    m.spring("S", m.ground.at(1, 1, 0), m["b"].at(0, 0, 0), stiffness=10, free_length=1)
    return m


def owners(build):
    """Model, its parts, a result and the parts of the result."""
    m = build()
    r = m.simulate(0.02, samples=3)
    rest = m.equilibrium()
    parts = [m["b"], m["A"], m["S"], m["b.P"], r["b"], r["A"], r["S"], r["b.P"]]
    return [m, r, rest, rest.linearize(), m.assemble(), m.mobility(), *parts]


def failure(call, **given):
    """Error of a call; None if it succeeds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call(**given)
        except Exception as error:
            return error
    return None


def required(parameter):
    positional = (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    return parameter.default is parameter.empty and parameter.kind in positional


def complaints(entry):
    """Failures of an entry point that name no argument with an error of the package."""
    parameters = inspect.signature(entry).parameters.values()
    if any(map(required, parameters)):
        error = failure(entry)
        if not isinstance(error, TrammelError):
            yield f"{entry} without arguments: {error!r}"
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        error = failure(entry, no_such_option=1)
        if not isinstance(error, TrammelError):
            yield f"{entry} with an unknown option: {error!r}"


@pytest.mark.parametrize("build", [plane, space])
def test_methods_of_models_and_results_name_missing_and_unknown_arguments(build):
    seen, found = set(), []
    for owner in owners(build):
        for name in dir(owner):
            kind = inspect.getattr_static(type(owner), name, None)
            if name.startswith("_") or isinstance(kind, property) or (type(owner), name) in seen:
                continue
            if callable(kind) or hasattr(kind, "__get__"):
                entry = getattr(owner, name, None)
                if inspect.ismethod(entry) or inspect.isfunction(entry):
                    seen.add((type(owner), name))
                    found += complaints(entry)
    assert not found
    assert len(seen) > 150


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_name_missing_and_unknown_arguments(name):
    assert not list(complaints(operator.attrgetter(name)(tm)))


@pytest.mark.parametrize("build", [plane, space])
def test_a_missing_name_is_required(build):
    for method in ("revolute", "spring", "body", "driver"):
        with pytest.raises(tm.ModelError, match=f"{method} needs name"):
            getattr(build(), method)()
    m = build()
    assert m.body(name="c").name == "c"
