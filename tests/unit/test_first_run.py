"""What a first run compiles, counted: kernels, the functions that they are made of, and the instructions of those."""

from __future__ import annotations

import dis
import importlib
import pkgutil

import pytest

import dynamic_models
import mechanisms
import spatial_models
from pytrammel import kernels
from pytrammel.analysis import ready
from pytrammel.kernels import jit


def functions_by_name():
    """Every kernel of the registry as the Python function it is made from."""
    found = {}
    for each in pkgutil.walk_packages(kernels.__path__, f"{kernels.__name__}."):
        for value in vars(importlib.import_module(each.name)).values():
            function = getattr(value, "py_func", None) or getattr(value, "python", None)
            if hasattr(function, "__code__"):
                found[function.__name__] = function
    return found


def reached_from(function, seen):
    """Functions that are translated with this one: those it calls by name, not by address."""
    if function in seen:
        return
    seen.add(function)
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, jit.Element):
            continue
        callee = getattr(value, "py_func", None) or value
        if hasattr(callee, "__code__") and callee.__module__.startswith("pytrammel.kernels"):
            reached_from(callee, seen)


# ceilings a tenth above what there is: who needs more says so here
@pytest.mark.parametrize(
    ("run", "kernels_at_most", "functions_at_most", "instructions_at_most"),
    [
        (lambda: dynamic_models.four_bar_release().simulate(0.01, samples=2, progress=False), 22, 114, 14800),
        (lambda: spatial_models.bricard().simulate(0.01, samples=2, progress=False), 37, 150, 19700),
        (
            lambda: mechanisms.four_bar(1, 3, 3, 3).kinematics(0.01, samples=2, progress=False),
            9,
            98,
            11500,
        ),  # laws of time
    ],
    ids=["simulation in the plane", "simulation in space", "kinematics in the plane"],
)
def test_a_first_run_compiles_no_more_than(monkeypatch, run, kernels_at_most, functions_at_most, instructions_at_most):
    if not jit.HAVE_JIT:
        return
    asked = []
    monkeypatch.setattr(ready, "prepare", lambda names: (asked.extend(names), jit.prepare(names)))
    run()
    known = functions_by_name()
    seen = set()
    for name in dict.fromkeys(asked):
        reached_from(known[name], seen)
    instructions = sum(len(list(dis.get_instructions(function))) for function in seen)
    counted = len(dict.fromkeys(asked)), len(seen), instructions
    assert counted[0] <= kernels_at_most and counted[1] <= functions_at_most and counted[2] <= instructions_at_most, (
        counted
    )
