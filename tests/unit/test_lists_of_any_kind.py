"""Lists of names and numbers may be of any kind: arrays, columns of tables, tuples."""

import numpy as np
import pytest

import pytrammel as tm

pd = pytest.importorskip("pandas")
KINDS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "index": pd.Index,
    # labels in another order than places
    "column": lambda items: pd.Series(list(items), index=range(len(items))[::-1]),
}


@pytest.fixture(scope="module")
def run():
    m = tm.PlanarModel("arm")
    m.body("b", position=(0.3, 0), mass=1.0, inertia=0.1)
    m.revolute("A", "ground", "b", at=(0, 0))
    m.driver("motor", "A.angle", "t")
    return m.kinematics(0.1, samples=3)


@pytest.mark.parametrize("kind", KINDS)
def test_tables_of_results_take_names_in_any_kind_of_list(run, kind, tmp_path):
    names = KINDS[kind](["b.y", "b.x"])
    assert list(run.to_dict(names)) == ["t", "b.y", "b.x"]
    run.to_csv(tmp_path / "run.csv", names)
    assert (tmp_path / "run.csv").read_text(encoding="utf-8").splitlines()[0] == "t [s],b.y [m],b.x [m]"


@pytest.mark.parametrize("kind", KINDS)
def test_places_and_gravity_take_numbers_in_any_kind_of_list(kind, tmp_path):
    m = tm.PlanarModel("arm", gravity=KINDS[kind]([1.0, -2.0]))
    body = m.body("b", position=KINDS[kind]([3.0, 4.0]))
    assert tuple(m.gravity) == (1.0, -2.0) and body.position == (3.0, 4.0)
    assert tm.load(m.save(tmp_path / "arm.toml"))["b"].position == (3.0, 4.0)


@pytest.mark.parametrize("name", [0, 2.5, None, slice(1, 3), ["b"]])
def test_names_of_other_kinds_raise_an_error_that_shows_them(run, name):
    for holder in (run, run.model):
        with pytest.raises(tm.ModelError, match="text"):
            holder[name]


@pytest.mark.parametrize("number", [int, float, np.int64, np.float32])
def test_events_take_their_direction_from_any_whole_number(number):
    m = tm.PlanarModel("arm")
    m.body("b", position=(0, -1), mass=1.0, inertia=0.0)
    m.revolute("A", "ground", "b", at=(0, 0))
    r = m.simulate(1.2, initial={"A.angle": 0.5}, events=[tm.Event("hit", "A.angle", direction=number(-1))], samples=3)
    assert any("hit" in each for each in r.log())


@pytest.mark.parametrize("direction", [True, 0.5, "1", np.nan, None, np.array([1])])
def test_events_refuse_directions_that_are_none(direction):
    with pytest.raises(tm.ModelError, match="direction"):
        m = tm.PlanarModel("arm")
        m.body("b", position=(0, -1), mass=1.0, inertia=0.0)
        m.revolute("A", "ground", "b", at=(0, 0))
        m.simulate(0.1, initial={"A.angle": 0.5}, events=[tm.Event("hit", "A.angle", direction=direction)], samples=3)


@pytest.mark.parametrize("kind", [np.int64, np.float32, float])
def test_designs_take_numbers_of_numpy(kind):
    m = tm.PlanarModel("arm")
    m.parameter("length", 0.4, bounds=(0.3, 0.5), tolerance=0.001)
    m.body("b", position=(0, 0))
    m.point("P", "b", local=("length", 0))
    m.revolute("A", "ground", "b", at=(0, 0))
    m.driver("motor", "A.angle", 0.5)
    scatter = m.tolerances("P.y[end]", times=[0.0], monte_carlo=kind(16), sigmas=kind(3))
    again = m.tolerances("P.y[end]", times=[0.0], monte_carlo=16, sigmas=3)
    assert scatter.std == again.std and scatter.monte_carlo.std == again.monte_carlo.std
    assert m.optimize(minimize="P.y[end]", times=[0.0], analysis="kinematics", n_starts=kind(2)).values["length"] == 0.3
    found = m.identify({"P.y": (np.zeros(2), np.full(2, 0.2))}, analysis="kinematics", sigma=kind(1))
    assert found.values["length"] == pytest.approx(0.2 / np.sin(0.5), rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_batches_keep_names_in_any_kind_of_list(kind):
    m = tm.PlanarModel("arm")
    m.parameter("length", 0.4)
    m.body("b", position=(0, 0))
    m.point("P", "b", local=("length", 0))
    m.revolute("A", "ground", "b", at=(0, 0))
    m.driver("motor", "A.angle", 0.0)
    b = m.batch({"length": KINDS[kind]([0.4, 0.5])}).kinematics(times=[0.0], keep=KINDS[kind](["P.x"]))
    assert b.values("P.x").ravel() == pytest.approx([0.4, 0.5])
