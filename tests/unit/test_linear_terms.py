"""Derivatives of the equations of motion against differences of the whole residual, for every registered joint and force."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.system.coupling import coupling
from pytrammel.system.lowering import lower
from pytrammel.testing.slopes import State, check_derivatives
from registry_samples import TYPES


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_every_type_is_linearised(kind):
    check_derivatives(kind)


def test_a_contact_of_a_micron_has_the_stiffness_of_its_law():
    m = tm.PlanarModel("ball on a line", gravity=(0, 0))
    ball = m.body("ball", mass=1.0, inertia=0.4, position=(0.0, 1.0 - 1e-6))
    m.contact_line("C", ball, m.ground, radius=1.0, at=(0, 0), axis=(1, 0), stiffness=1e10, law="hertz")
    state = State(m, v=np.zeros(3))
    K = state.terms().stiffness
    # d(k d^1.5) = 1.5 k d^0.5; the penetration itself is known to 1e-16 of a metre
    assert K[1, 1] == pytest.approx(1.5e10 * math.sqrt(1e-6), rel=1e-6)
    assert np.abs(np.delete(K.ravel(), 4)).max() < 1.0


def test_a_spring_of_no_length_resists_in_every_direction():
    for m, corner in ((tm.PlanarModel("p", gravity=(0, 0)), 2), (tm.SpatialModel("s", gravity=(0, 0, 0)), 3)):
        body = m.body("b", mass=1.0, inertia=0.1 if corner == 2 else (0.1, 0.1, 0.1))
        m.spring("S", m.ground, body, stiffness=7.0, free_length=0.0)
        K = State(m, v=np.zeros(m.space.dimension * (m.space.dimension + 1) // 2)).terms().stiffness
        assert np.allclose(K[:corner, :corner], 7.0 * np.eye(corner), atol=1e-10)


def test_a_python_law_is_differenced_by_its_inputs():
    def law(x, xd):
        return -3.0 * x**3 - math.tanh(xd) * 2.0

    m = tm.PlanarModel("p", gravity=(0, 0))
    m.body("b", mass=1.0, inertia=0.1, position=(0.4, 0.0))
    m.user_force("U", "b.x", law, inputs=("b.x", "b.vx"))
    state = State(m, v=np.array([0.3, 0.0, 0.0]))
    terms = state.terms()
    assert terms.stiffness[0, 0] == pytest.approx(9.0 * 0.4**2, rel=1e-9)
    assert terms.damping[0, 0] == pytest.approx(2.0 / math.cosh(0.3) ** 2, rel=1e-9)


def test_the_pattern_of_a_chain_grows_with_its_length():
    sizes = []
    for n in (10, 20):
        m = tm.PlanarModel("chain")
        before = m.ground
        for k in range(n):
            link = m.body(f"l{k}", mass=1.0, inertia=0.1, position=(k + 0.5, 0.0))
            m.revolute(f"J{k}", before, link, at=(k, 0.0))
            before = link
        sizes.append(coupling(lower(m, dynamics=True)).rows.size)
    # a block of 9 per link and two of 9 per pair of neighbours
    assert sizes == [10 * 9 + 9 * 18, 20 * 9 + 19 * 18]


def test_complex_steps_through_the_plain_kernels_agree_to_rounding():
    """A referee without differences, of every registered type."""
    script = Path(__file__).parents[1] / "complex_step.py"
    folders = (Path(tm.__file__).parents[1], script.parent, Path(__file__).parent)
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(map(str, folders))}
    done = subprocess.run(
        [sys.executable, str(script)], env=env, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["others"] == {} and len(told["found"]) == len(TYPES)
    # spatial contacts and bushings have local derivatives by differences; all else is exact
    assert max(max(pair) for pair in told["found"].values()) < 1e-11
