"""What a run imports: nothing that it does not need."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import pytrammel
from pytrammel.analysis.methods import dop853_numbers, methods
from pytrammel.kernels.methods import runge_kutta as kernels

RUN = """
import sys
import pytrammel as tm
m = tm.PlanarModel("pendulum", gravity=(0.0, -9.81))
bob = m.body("bob", position=(1.0, 0.0), mass=1.0, inertia=0.1)
m.revolute("O", m.ground, bob, at=(0.0, 0.0))
m.simulate(0.1, samples=3, progress=False)
heavy = ("scipy.integrate", "scipy.linalg", "scipy.optimize", "scipy.sparse", "matplotlib", "pandas")
print([name for name in heavy if name in sys.modules])
"""


def test_a_run_with_the_default_method_imports_nothing_heavy_of_scipy():
    env = {**os.environ, "PYTHONPATH": str(Path(pytrammel.__file__).parents[1])}
    for _ in range(2):  # compiling, at the first time, needs more
        done = subprocess.run([sys.executable, "-c", RUN], env=env, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr


def test_our_tables_of_dormand_and_prince_and_bogacki_and_shampine_are_those_of_scipy_to_the_last_bit():
    from scipy import integrate

    for ours, theirs in (("dop853", integrate.DOP853), ("dopri5", integrate.RK45), ("bs32", integrate.RK23)):
        numbers, (stages, extras, degree, *places) = methods[ours].numbers(1)
        a, weights, a_extra, c_extra, dense = (
            numbers[begin:end] for begin, end in itertools.pairwise(places) if begin < places[5]
        )
        width = theirs.A.shape[1]  # SciPy leaves out a last column that is zero
        assert np.array_equal(a.reshape(stages, stages)[:, :width], theirs.A)
        rows = weights.reshape(kernels.N_WEIGHTS, stages + 1)
        assert np.array_equal(rows[kernels.B_ROW, :-1], theirs.B)
        assert np.array_equal(rows[kernels.C_ROW, :-1], theirs.C)
        assert np.array_equal(rows[kernels.E5_ROW], theirs.E5 if ours == "dop853" else theirs.E)
        if ours == "dop853":
            assert np.array_equal(rows[kernels.E3_ROW], theirs.E3)
            assert np.array_equal(a_extra.reshape(extras, -1), theirs.A_EXTRA)
            assert np.array_equal(c_extra, theirs.C_EXTRA)
            assert np.array_equal(dop853_numbers.D, theirs.D)
        else:
            assert np.array_equal(dense.reshape(-1, degree)[:, -theirs.P.shape[1] :], theirs.P)
