"""Whatever stands before a joint or force in a model, its equations and loads are the same: places in tables are its own."""

from __future__ import annotations

import numpy as np
import pytest

import registry_samples
from pytrammel.analysis.at_state import evaluate_state
from pytrammel.analysis.freedom.rank import jacobian
from pytrammel.analysis.positions.assembly import residuals
from pytrammel.analysis.ready import make_ready
from pytrammel.system.lowering import lower
from pytrammel.system.pattern import pattern


def before(model):
    """Other joints and forces of several rows and numbers."""
    if model.space.dimension == 2:
        model.revolute("pin", model["a"].at(0.3, 0.2), model["c"].at(-0.4, 0.1))
        model.torsion_spring("turner", first="b", second="c", stiffness=7.0, free_angle=0.2, damping=0.3)
    else:
        model.spherical("ball", model["a"].at(0.3, 0.2, 0.1), model["c"].at(-0.4, 0.1, 0.2))
        model.constrain("held", "b.x")
    model.spring("puller", model["a"].at(*[0.1] * model.space.dimension), model["c"].at(*[0.3] * model.space.dimension),
                 stiffness=30.0, damping=2.0, free_length=0.7)  # fmt: skip


def built(kind, first):
    model = registry_samples.fresh(kind.space)
    for k, name in enumerate("abc"):
        inertia = 0.1 + 0.2 * k
        model = model.copy(changes={name: {"mass": 1.0 + k, "inertia": (inertia,) * 3 if kind.space else inertia}})
    if first:
        before(model)
    arguments = registry_samples.sample(kind, model)
    getattr(model, kind.kind)("it", **arguments)
    if not first:
        before(model)
    return model


def at_a_state(model, space):
    """Residuals and Jacobian rows by owner, and loads of all forces along the columns of the bodies."""
    make_ready(model, ["rates_run", "jacobian_run", "state_run"], forces=True)
    system, random = lower(model, dynamics=True), np.random.default_rng(3)
    bodies = 6 * 3 if space else 3 * 3
    v = np.zeros(system.n_columns)
    v[:bodies] = random.normal(size=bodies)
    q = system.start.copy()
    rows = list(range(len(system.rows)))
    off, J = residuals(system, q, 0.3), jacobian(system, q, 0.3, rows)
    own = {}
    for k in rows:
        own.setdefault(system.rows[k].owner, []).append((off[k], J[k, :bodies] / system.column_scales()[:bodies]))
    state = evaluate_state(system, system.floats, pattern(system, ()), 0.3, q, v)
    return own, state.generalised[:bodies], system.length


@pytest.mark.parametrize("kind", registry_samples.TYPES, ids=str)
def test_a_part_is_the_same_before_and_after_others(kind):
    one, other = (at_a_state(built(kind, first), kind.space) for first in (False, True))
    assert one[0].keys() == other[0].keys() and one[2] == pytest.approx(other[2])
    for owner, rows in one[0].items():
        for (off, row), (off2, row2) in zip(rows, other[0][owner], strict=True):
            assert off == pytest.approx(off2, rel=1e-9, abs=1e-12, nan_ok=True)
            np.testing.assert_allclose(row, row2, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(one[1], other[1], rtol=1e-9, atol=1e-9 * np.abs(one[1]).max())
