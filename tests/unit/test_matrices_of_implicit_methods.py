"""Matrices that implicit methods iterate with, against differences of the rates themselves along the solution."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.methods import method_named
from pytrammel.analysis.runs.engine import EXACT
from pytrammel.analysis.runs.options import Options
from pytrammel.analysis.runs.simulation import Simulation
from pytrammel.kernels import engine, jit

sys.path.insert(0, str(Path(__file__).parents[1]))
import dynamic_models
import spatial_models

ROUTINE = ctypes.CFUNCTYPE(
    ctypes.c_double, ctypes.c_void_p, ctypes.c_double, ctypes.c_double, *(ctypes.c_void_p for _ in range(3))
)


def call(table, which, t, h, *vectors):
    """Call a routine of an engine's table."""
    E = table.entries
    given = [*vectors, *(vectors[-1:] or [np.zeros(1)]) * 3][:3]
    if not jit.HAVE_JIT:
        return jit.call_routine(E[which], E, t, h, *given)
    return ROUTINE(int(E[which]))(E.ctypes.data, t, h, *(x.ctypes.data for x in given))


def sprung_spatial() -> tm.SpatialModel:
    """A turning arm with a slider on springs and dampers, and a body on a bushing."""
    m = tm.SpatialModel("sprung", gravity=(0.0, 0.0, -9.81))
    arm = m.body("arm", position=(0.0, 0.0, 0.5), mass=1.0, inertia=(0.1, 0.2, 0.3), omega=(0.0, 0.0, 5.0))
    slider = m.body("slider", position=(0.3, 0.0, 0.5), mass=2.0, inertia=(0.02, 0.03, 0.04), omega=(0.0, 0.0, 5.0))
    m.revolute("R", m.ground, arm, at=(0.0, 0.0, 0.0), axis="z")
    m.prismatic("P", arm, slider, at=(0.3, 0.0, 0.5), axis="x")
    m.spring("s", arm.at(0.0, 0.1, 0.0), slider.at(0.0, 0.05, 0.02), stiffness=4e3, damping=30.0, free_length=0.2)
    m.spring("g", m.ground.at(1.0, 1.0, 1.0), slider.at(0.1, 0.0, 0.0), stiffness=2e2, damping=3.0, free_length=0.5)
    return m


def slotted() -> tm.PlanarModel:
    """A bead on a curve, whose place is a coordinate without a body, tied by a spring."""
    m = tm.PlanarModel("bead", gravity=(0.0, -9.81))
    bead = m.body("bead", position=(1.0, 0.0), mass=0.3, inertia=0.01, velocity=(0.0, 2.0))
    m.slot("slot", m.ground, bead.at(0.0, 0.0), curve=tm.curves.circle(1.0))
    m.spring("s", m.ground.at(0.2, 0.1), bead.at(0.0, 0.0), stiffness=1e3, damping=2.0, free_length=0.4)
    return m


MODELS = {
    "four-bar": lambda: dynamic_models.n_four_bar(1),
    "Andrews": dynamic_models.andrews,
    "Bricard": spatial_models.bricard,
    "sprung in space": sprung_spatial,
    "bead": slotted,
}


def moving(model, after, gain):
    """A simulation that stands at a state in motion, with its equations in a table, stabilised or not."""
    treatment = "baumgarte" if gain else "projection"
    options = Options(method_named("radau5"), 1e-8, 1e-10, 0.0, 1.0, treatment, gain, gain, 10**6)
    model.simulate(after, samples=2, method="radau5", progress=False)  # compiles what is needed
    r = model.simulate(after, samples=2, rtol=1e-10, progress=False)
    run = Simulation(model, np.array([0.0, 1.0]), options, (), (), None, True)
    nq, n = run.system.n_coordinates, run.system.n_columns
    run.y[:nq], run.y[nq : nq + n] = r.q[-1], r.v[-1]
    watch = run._look_out()
    table = run.equations.table(run, watch.system)
    table.put_method(options.method)
    return run, table, nq, n


@pytest.mark.parametrize(
    ("exact", "gain"), [(True, 0.0), (True, 5.0), (False, 0.0)], ids=["exact", "exact, stabilised", "by differences"]
)
@pytest.mark.parametrize("h", [1e-3, 2e-2, 2e-3 + 1e-3j])
@pytest.mark.parametrize("name", MODELS)
def test_a_solution_satisfies_the_linearised_rates(name, h, exact, gain):
    run, table, nq, n = moving(MODELS[name](), 0.01, gain)
    if exact:
        assert run.equations.matrices(run.system, run.system.ints) == EXACT
        run.equations.put_matrices(table, run.system, run.system.ints, run.pattern)
    y, dy = run.y.copy(), np.zeros_like(run.y)
    call(table, engine.RATES, 0.01, 0.0, y, dy)
    assert call(table, engine.LINEARISE, 0.01, 2.0, y, dy) == 0.0
    random = np.random.default_rng(3)
    r, s = random.normal(size=(2, y.size))
    # turn counters follow the others after each step, and works have no say: no residual there
    counted = nq - len(run.model.turns)
    for x in (r, s):
        x[counted:nq], x[nq + n :] = 0.0, 0.0
    right = r + 1j * s if np.iscomplexobj(h) else r.copy()
    assert call(table, engine.FACTOR, np.real(h), np.imag(h)) == 0.0
    call(table, engine.SOLVE, 0.01, float(np.iscomplexobj(h)), r, s)
    parts = [r, s] if np.iscomplexobj(h) else [r]

    def along(x):
        """Derivative of the rates along x, by central differences with a step that is small for the fastest mechanism."""
        step = 1e-6 / max(1.0, float(np.abs(x).max()))
        out = []
        for sign in (1.0, -1.0):
            rates = np.zeros_like(y)
            call(table, engine.RATES, 0.01, 0.0, y + sign * step * x, rates)
            out.append(rates)
        return (out[0] - out[1]) / (2.0 * step)

    slopes = [along(x) for x in parts]
    solved, slope = (parts[0], slopes[0]) if len(parts) == 1 else (parts[0] + 1j * parts[1], slopes[0] + 1j * slopes[1])
    keep = np.r_[0:counted, nq : nq + n]
    left = (solved - h * slope - right)[keep]
    # central differences of rates are good to 1e-8 or so of the largest slope, one-sided ones to 1e-6
    size = np.abs(h) * np.abs(slope[keep]).max() + np.abs(right).max()
    assert np.abs(left).max() < (1e-5 if exact else 1e-3) * size
