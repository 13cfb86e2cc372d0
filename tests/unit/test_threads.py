"""Matrices of small models are worked on by one thread, and whoever wants more has them again afterwards."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm
from pytrammel._util import threads
from pytrammel.analysis import options


@pytest.fixture
def two():
    """How many threads every matrix library uses now, each set to two."""
    controls = list(threads._controls())
    if not controls:
        pytest.fail("NumPy's matrix library was not found; teach pytrammel._util.threads where it is")
    before = [get() for get, _ in controls]
    for _, set_ in controls:
        set_(2)
    yield lambda: [get() for get, _ in controls]
    for count, (_, set_) in zip(before, controls, strict=True):
        set_(count)


def test_one_thread_inside_and_as_many_as_before_outside(two):
    more = two()
    with threads.one_thread():
        assert set(two()) == {1}
        with threads.one_thread():
            assert set(two()) == {1}
        assert set(two()) == {1}
    assert two() == more


def test_nothing_changes_where_it_is_not_asked_for(two):
    with threads.one_thread(when=False):
        assert max(two()) == 2


def test_threads_come_back_after_an_error(two):
    with pytest.raises(ZeroDivisionError), threads.one_thread():
        1 / 0
    assert max(two()) == 2


@pytest.mark.parametrize(("columns", "expected"), [(1000, 1), (0, 2)])
def test_verbs_work_with_one_thread_on_small_models_only(two, columns, expected, monkeypatch):
    monkeypatch.setattr(options, "FEW_COLUMNS", columns)
    m = tm.PlanarModel("pendulum")
    m.body("bob", position=(1, 0), mass=1.0, inertia=1.0)
    m.revolute("A", m.ground, "bob", at=(0, 0))
    seen = []
    m.simulate(0.1, samples=3, progress=False, callback=lambda t, q: seen.append(max(two())))
    assert set(seen) == {expected}
    assert max(two()) == 2
    assert np.isfinite(seen).all()
