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
from pytrammel.analysis.small_motions.linear_terms import left_over, linear_terms
from pytrammel.kernels import layout as L
from pytrammel.kernels.measures import measures_run
from pytrammel.system.coupling import coupling
from pytrammel.system.lowering import lower
from pytrammel.system.pattern import pattern
from pytrammel.system.positions import moved
from registry_samples import TYPES, sample
from spatial_directions import random_pose

# the referee's own rounding: 1e-16 over its shortest useful step, times the largest terms
CLOSE = 1e-9


class State:
    """A random state of a model, on its constraints or not: the derivatives hold everywhere."""

    def __init__(self, model, seed=0, q=None, v=None):
        rng = np.random.default_rng(seed)
        self.system = system = lower(model, dynamics=True)
        n, self.t = system.n_columns, 0.3
        self.pattern = pattern(system, range(len(system.rows)))
        self.order = self.pattern[int(self.pattern[L.P_AT_ROWS]) :][: len(system.rows)]
        self.q = system.start.copy() if q is None else q
        self.v = rng.normal(size=n) if v is None else v
        self.a, self.lam = rng.normal(size=n), rng.normal(size=len(system.rows))
        self.z = 0.1 * rng.normal(size=int(system.ints[L.N_STATES]))

    def terms(self, **options):
        return linear_terms(self.system, self.pattern, self.t, self.q, self.v, self.a, self.lam, z=self.z, **options)

    def left(self, q=None, v=None, z=None, lam=None):
        q, v, z, lam = (own if given is None else given for own, given in
                        zip((self.q, self.v, self.z, self.lam), (q, v, z, lam), strict=True))  # fmt: skip
        return np.concatenate(left_over(self.system, self.pattern, self.t, q, v, self.a, lam, z=z))

    def rows(self, q=None, v=None):
        """J v and J a + quadratic term of all rows, in elimination order."""
        q, v, n = self.q if q is None else q, self.v if v is None else v, len(self.system.rows)
        values, rates, seconds = (np.zeros((1, n)) for _ in range(3))
        measures_run(self.system.ints, self.system.floats, np.array([self.t]), q.reshape(1, -1).copy(), v.reshape(1, -1).copy(),
                     self.a.reshape(1, -1).copy(), values, rates, seconds)  # fmt: skip
        return np.concatenate([rates[0, self.order], seconds[0, self.order]])

    def by_position(self, f):
        scales = self.system.column_scales()
        steps = [s * e for s, e in zip(scales, np.eye(scales.size), strict=True)]
        return np.array([slope(lambda h, e=e: f(q=moved(self.system, self.q, h * e))) / e.max() for e in steps]).T

    def by_velocity(self, f):
        return np.array([slope(lambda h, e=e: f(v=self.v + h * e)) for e in np.eye(self.v.size)]).T


def slope(f, longest=1e-2, rows=5):
    """Central differences extrapolated; the column of the table that agrees best with its neighbours."""
    table, best, error = [], None, math.inf
    for k in range(rows):
        h = longest / 4.0**k
        row = [(f(h) - f(-h)) / (2.0 * h)]
        for j, older in enumerate(table[-1] if table else []):
            row.append(row[j] + (row[j] - older) / (16.0 ** (j + 1) - 1.0))
            off = max(np.abs(row[-1] - other).max(initial=0.0) for other in (row[j], older))
            if off <= error:
                best, error = row[-1], off
        table.append(row)
    return best


def off(found, true):
    return np.abs(found - true).max(initial=0.0) / max(1.0, np.abs(true).max(initial=0.0))


def sample_model(kind, seed=0):
    rng = np.random.default_rng(seed)
    m = tm.SpatialModel("sample") if kind.space else tm.PlanarModel("sample")
    for name in "abc":
        if kind.space:
            m.body(name, **random_pose(rng), mass=rng.uniform(1, 2), inertia=rng.uniform(0.4, 0.6, size=3),
                   centroid=rng.normal(scale=0.1, size=3))  # fmt: skip
        else:
            m.body(name, position=rng.normal(size=2), angle=rng.normal(), mass=rng.uniform(1, 2), inertia=rng.uniform(0.3, 0.6),
                   centroid=rng.normal(scale=0.1, size=2))  # fmt: skip
    getattr(m, kind.kind)("it", **sample(kind, m))
    return m


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_every_type_is_linearised(kind):
    state = State(sample_model(kind))
    terms, n, m = state.terms(accelerations=True), state.system.n_columns, len(state.system.rows)
    by_q, by_v = state.by_position(state.left), state.by_velocity(state.left)
    assert off(terms.stiffness, by_q[:n]) < CLOSE
    assert off(terms.damping, by_v[:n]) < CLOSE
    assert off(terms.state_q, by_q[n:]) < CLOSE
    assert off(terms.state_v, by_v[n:]) < CLOSE
    if state.z.size:
        by_z = np.array([slope(lambda h, e=e: state.left(z=state.z + h * e)) for e in np.eye(state.z.size)]).T
        assert off(-terms.by_state, by_z[:n]) < CLOSE
        assert off(terms.state_z, by_z[n:]) < CLOSE
    if m:
        rows_q, rows_v = state.by_position(state.rows), state.by_velocity(state.rows)
        by_lam = np.array([slope(lambda h, e=e: state.left(lam=state.lam + h * e))[:n] for e in np.eye(m)]).T
        assert off(terms.rate_rows, rows_q[:m]) < CLOSE
        assert off(terms.second_rows[0], rows_q[m:]) < CLOSE
        assert off(terms.second_rows[1], rows_v[m:]) < CLOSE
        assert off(-terms.reaction_columns, by_lam) < CLOSE


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
