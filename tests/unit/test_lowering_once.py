"""A model that has not changed is not packed again, whatever is asked of it; one that has changed always is."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import pytrammel as tm
import registry_samples
from pytrammel import examples
from pytrammel.analysis.ready import make_ready
from pytrammel.kernels import layout as L
from pytrammel.model.base import PACKED
from pytrammel.system import lowering
from pytrammel.system.pattern import pattern
from spatial_models import bricard


@pytest.fixture
def packed(monkeypatch):
    """One entry for every time that something is packed."""
    found, real = [], lowering._pack
    monkeypatch.setattr(lowering, "_pack", lambda *a, **k: found.append(a[0].name) or real(*a, **k))
    return found


def crank(drive="2*t"):
    m = tm.PlanarModel("crank")
    m.body("c", position=(0.3, 0.4), mass=1.0, inertia=0.1, points={"tip": (0.2, 0.0)})
    m.body("d", position=(1.3, 0.4), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground, "c", at=(0, 0))
    m.revolute("B", "c", "d", at=(0.6, 0.8))
    m.spring("s", "c", m.ground.at(1, 1), stiffness=300.0)
    if drive is not None:
        m.driver("motor", "A.angle", drive)
        m.driver("other", "B.angle", "t")
    return m


DRIVEN = {
    "assemble": lambda m: m.assemble(),
    "mobility": lambda m: m.mobility(),
    "simulate": lambda m: m.simulate(0.05, samples=3, progress=False),
    "kinematics": lambda m: m.kinematics(0.1, samples=5, progress=False),
    "statics": lambda m: m.statics(),
    "inverse_dynamics": lambda m: m.inverse_dynamics(0.1, samples=5, progress=False),
    "partition": lambda m: m.partition(),
}
FREE = {
    "assemble": lambda m: m.assemble(),
    "mobility": lambda m: m.mobility(),
    "simulate": lambda m: m.simulate(0.05, samples=3, progress=False),
    "equilibrium": lambda m: m.equilibrium(),
    "linearize": lambda m: m.linearize(),
    "potential_energy": lambda m: m.potential_energy(),
    "partition": lambda m: m.partition(),
}


@pytest.mark.parametrize(
    ("build", "verb"),
    [(crank, verb) for verb in DRIVEN.values()]
    + [(lambda: crank(None), verb) for verb in FREE.values()]
    + [(bricard, FREE[name]) for name in ("mobility", "simulate", "linearize")]
    + [(examples.find("suspension").build, FREE[name]) for name in ("simulate", "equilibrium", "potential_energy")],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:the forces do not balance here")
def test_no_verb_packs_a_model_twice(build, verb, packed):
    m = build()
    verb(m)
    assert packed
    packed.clear()
    verb(m)
    verb(m)
    assert packed == []


@pytest.mark.parametrize("run", [DRIVEN["kinematics"], DRIVEN["simulate"]])
def test_results_are_read_again_without_packing(run, packed):
    m = crank()
    for result in (run(m), run(m)):
        seen = (
            result.series("A.angle").value,
            result["d"].x,
            result.point(m["d"].at(0.1, 0)).position,
            result.to_dict(),
            str(result),
        )
    packed.clear()
    again = (
        result.series("A.angle").value,
        result["d"].x,
        result.point(m["d"].at(0.1, 0)).position,
        result.to_dict(),
        str(result),
    )
    assert packed == []
    assert (again[0] == seen[0]).all() and again[3].keys() == seen[3].keys()


CHANGES = {
    "a body": lambda m: m.body("more", mass=1.0, inertia=1.0),
    "a joint": lambda m: m.revolute("pin", m.ground, m.body("more", position=(5, 5), mass=1.0, inertia=1.0), at=(5, 6)),
    "a driver": lambda m: m.driver("third", m.body("more", mass=1.0, inertia=1.0).phi, "t"),
    "a force": lambda m: m.force("push", m["d"].at(0.2, 0.1), (0.0, 5.0)),
    "gravity": lambda m: setattr(m, "gravity", (0.0, -1.62)),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_model_that_has_changed_is_packed_anew_and_answers_as_if_it_were_new(change):
    old, new = crank(None), crank(None)
    old.simulate(0.05, samples=3, progress=False)
    for m in (old, new):
        change(m)
    one, two = (m.simulate(0.05, samples=3, progress=False) for m in (old, new))
    assert (one.q == two.q).all()


COPIES = {
    "drawn elsewhere": lambda m: m.copy(changes={"d": {"position": (1.3, 0.5)}}),
    "heavier": lambda m: m.copy(changes={"c": {"mass": 2.0}}),
    "stiffer": lambda m: m.copy(changes={"s": {"stiffness": 600.0}}),
    "without the spring": lambda m: m.copy(without=["s"]),
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_copies_with_changes_do_not_take_over_what_was_packed(copy):
    m = crank(None)
    before = m.simulate(0.1, samples=3, progress=False)
    changed = copy(m).simulate(0.1, samples=3, progress=False)
    assert np.abs(changed.q - before.q).max() > 1e-6
    assert (m.simulate(0.1, samples=3, progress=False).q == before.q).all()


def test_other_parameters_and_tables_are_other_models():
    m = tm.PlanarModel("parametric")
    m.parameter("k", 3.0)
    m.body("c", position=(0.5, 0), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground, "c", at=(0, 0))
    m.spring("s", m["c"].at(0.2, 0), m.ground.at(1, 1), stiffness="k")
    soft = m.simulate(0.1, samples=3, progress=False)
    stiff = m.with_parameters(k=300.0).simulate(0.1, samples=3, progress=False)
    assert np.abs(stiff.q - soft.q).max() > 1e-4
    assert (m.simulate(0.1, samples=3, progress=False).q == soft.q).all()


@pytest.mark.parametrize("kind", registry_samples.TYPES, ids=str)
def test_whatever_a_builder_adds_is_seen_by_the_next_call(kind):
    """The packed system after the change is that of a model described in one go, number by number."""
    one, two = registry_samples.fresh(kind.space), registry_samples.fresh(kind.space)
    lowering.lower(one, dynamics=False)
    for m in (one, two):
        getattr(m, kind.kind)("it", **registry_samples.sample(kind, m))
    changed, new = (lowering.lower(m) for m in (one, two))
    assert changed.columns == new.columns and changed.rows == new.rows
    assert changed.floats.size == new.floats.size
    assert (np.isclose(changed.floats, new.floats, equal_nan=True, rtol=0, atol=0)).all()


def test_numbers_that_a_caller_changes_stay_its_own():
    m = crank()
    first = lowering.lower(m, dynamics=True)
    first.floats[:] = 7.0
    assert not (lowering.lower(m, dynamics=True).floats == 7.0).all()


def test_what_was_packed_does_not_keep_a_model_alive():
    m = crank()
    m.kinematics(0.1, samples=5, progress=False).series("A.angle")
    gone = weakref.ref(m)
    del m
    gc.collect()
    assert gone() is None


def test_a_run_is_freed_without_the_garbage_collector():
    m = crank(None)
    result = m.simulate(0.05, samples=3, progress=False)
    assert result.constraint_violation() < 1e-9
    gone = weakref.ref(result), weakref.ref(m)
    gc.disable()
    try:
        del m, result
        assert [each() for each in gone] == [None, None]
    finally:
        gc.enable()


def test_only_so_many_measured_quantities_are_kept():
    m = crank()
    result = m.kinematics(0.1, samples=3, progress=False)
    for k in range(lowering.MOST_KEPT + 20):
        result.point(m["d"].at(0.01 * k, 0)).position
    assert len(vars(m)[PACKED].systems) == lowering.MOST_KEPT


@pytest.mark.parametrize("build", [crank, bricard, examples.find("suspension").build])
def test_kinematics_and_dynamics_share_elimination_patterns(build):
    m = build()
    still, moving = lowering.lower(m), lowering.lower(m, dynamics=True)
    assert still.patterns is moving.patterns
    assert still.row_entries == moving.row_entries[: len(still.rows)]
    assert lowering.lower(m, measured=(m.measure(f"{list(m.bodies)[1]}.x"),)).patterns is not still.patterns


def test_products_of_a_pattern_add_up_to_the_normal_matrix():
    m = bricard()
    system = lowering.lower(m)
    rows = list(range(len(system.rows)))
    make_ready(m, ["jacobian_run"])
    entries = np.random.default_rng(1).normal(size=int(system.ints[L.N_JACOBIAN]))
    dense = np.zeros((len(rows), system.n_columns))
    for row in rows:
        for e, column in enumerate(system.row_columns[row]):
            if column >= 0:
                dense[row, column] = entries[system.row_entries[row] + e]
    P = pattern(system, rows)
    order = P[P[L.P_AT_ROWS] :][: len(rows)]
    found = np.zeros((len(rows), len(rows)))
    for k in range(len(rows)):
        for e in range(P[P[L.P_AT_S] + k], P[P[L.P_AT_S] + k + 1]):
            for term in range(P[P[L.P_AT_TERM] + e], P[P[L.P_AT_TERM] + e + 1]):
                at = P[L.P_AT_TERMS] + 2 * term
                found[k, P[P[L.P_AT_S_COLUMN] + e]] += entries[P[at]] * entries[P[at + 1]]
    expected = (dense @ dense.T)[np.ix_(order, order)]
    assert np.abs(found - np.tril(expected)).max() < 1e-13
