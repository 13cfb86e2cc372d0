"""Batches: every variant equals its single run to the last bit, whatever way it went."""

import concurrent.futures as futures
import math
import tracemalloc

import numpy as np
import pytest

import pytrammel as tm

TURN = {"duration": 1.0, "samples": 13}


def four_bar(*, redundant: bool = False, driven: bool = True) -> tm.PlanarModel:
    """A crank-rocker whose lengths, speed, masses and spring are parameters."""
    m = tm.PlanarModel("four-bar", gravity=(0, -9.81))
    m.parameter("crank", 0.1, bounds=(0.01, 1.0), tolerance=0.001)
    m.parameter("rod", 0.3, bounds=(0.02, 1.0))
    m.parameter("speed", 6.0)
    m.parameter("mass", "0.8 kg")
    m.parameter("stiffness", 50.0)
    m.parameter("twice", "2*crank")
    m.body("K", angle=1.0, mass=0.5, inertia=1e-3)
    m.body("R", position=(0.05, 0.09), angle=0.7, mass="mass", inertia="mass*rod^2/12")
    m.body("S", position=(0.3, 0), angle=1.7, mass=0.6, inertia=2e-3)
    m.revolute("A", m.ground, "K", at=(0, 0))
    m.revolute("B", {"body": "K", "local": ["twice/2", 0]}, {"body": "R", "local": [0, 0]})
    m.revolute("C", {"body": "R", "local": ["rod", 0]}, {"body": "S", "local": [0.25, 0]})
    m.revolute("D", {"body": "ground", "local": [0.3, 0]}, {"body": "S", "local": [0, 0]})
    m.point("P", "R", local=("rod/2", 0.1))
    m.spring("s", "P", m.ground.at(0.1, 0.4), stiffness="stiffness", free_length=0.2)
    if redundant:
        m.link("again", {"body": "K", "local": ["crank", 0]}, {"body": "S", "local": [0.25, 0]}, length="rod")
    if driven:
        m.driver("motor", "A.angle", "speed*t + 7.2")
    return m


@pytest.fixture(scope="module")
def model() -> tm.PlanarModel:
    return four_bar()


def assert_same(result) -> None:
    """Every variant that did not fail is its single run."""
    for k in np.flatnonzero(result.ok):
        single = result.single(int(k))
        for name in result.quantities:
            assert np.array_equal(result.values(name)[k], single[name]), (name, k)


# --- numbers -------------------------------------------------------------------------------------------------------------


def test_kinematics_of_a_table_equals_single_runs(model):
    values = {"crank": [0.08, 0.1, 0.11, 0.06], "rod": 0.31, "speed": [3.0, 6.0, -6.0, 40.0]}
    kept = [
        "R.phi",
        "S.omega",
        "P.x",
        "P.ay [mm/s^2]",
        "A.angle.rate",
        "C.angle",
        "t",
        "K.angle",
        "P.speed",
        "S.speed [mm/s]",
    ]
    found = model.batch(values).kinematics(**TURN, keep=kept)
    assert found.n_fallback == 0 and not found.fallback_reason
    assert_same(found)
    assert found.values("R.phi").shape == (4, 13)
    assert found.units["P.ay [mm/s^2]"] == "mm/s^2"


def test_a_compiled_way_that_gave_other_numbers_is_not_taken(monkeypatch):
    from pytrammel.analysis.batches.fast_kinematics import FastKinematics

    right = FastKinematics.run

    def wrong(self, values, states):  # type: ignore[no-untyped-def]
        done, motion = right(self, values, states)
        motion.tables[0][:] = np.nextafter(motion.tables[0], np.inf)  # the last bit
        return done, motion

    monkeypatch.setattr(FastKinematics, "run", wrong)
    found = four_bar().batch({"rod": [0.29, 0.3, 0.31]}).kinematics(**TURN, keep=["R.phi"])
    assert found.n_fallback == 3 and "single run" in found.fallback_reason
    assert_same(found)


def test_one_instant_is_enough(model):
    found = model.batch({"rod": [0.29, 0.31]}).kinematics(0.0, samples=1, keep=["R.phi", "P.vx"])
    assert found.values("R.phi").shape == (2, 1)
    assert_same(found)


def test_a_model_that_has_changed_since_is_looked_at_again():
    m = four_bar()
    first = m.batch({"rod": [0.3, 0.31]}).kinematics(**TURN, keep=["P.x"])
    m.point("Q", "S", local=(0.1, 0))
    m.gravity = (0, 0)
    second = m.batch({"rod": [0.3, 0.31]}).kinematics(**TURN, keep=["P.x"])
    assert np.array_equal(first.values("P.x"), second.values("P.x"))
    assert_same(m.batch({"rod": [0.3, 0.31]}).kinematics(**TURN, keep=["Q.x"]))


def test_by_default_coordinates_of_bodies_are_kept(model):
    found = model.batch([{"crank": 0.09}, {"rod": "320 mm"}]).kinematics(**TURN)
    assert found.quantities == ("K.x", "K.y", "K.phi", "R.x", "R.y", "R.phi", "S.x", "S.y", "S.phi")
    assert found.parameters["rod"].tolist() == [0.3, 0.32] and found.parameters["crank"].tolist() == [0.09, 0.1]
    assert_same(found)


def test_redundant_rows_are_run_one_by_one_and_equal_single_runs():
    found = four_bar(redundant=True).batch({"crank": [0.09, 0.1]}).kinematics(1.0, samples=5)
    assert found.n_fallback == 2 and "rows" in found.fallback_reason
    assert_same(found)


def test_space_equals_single_runs():
    m = tm.SpatialModel("RSSR")
    m.parameter("a", 1.0)
    m.parameter("length", 4.0)
    crank = m.body("crank", mass=1.0, inertia=(0.1, 0.1, 0.1))
    out = m.body("out", position=(3, 0, 2), rotation=(math.cos(1.0), 0, -math.sin(1.0), 0), mass=1.0, inertia=(1, 1, 1))
    m.revolute("A", m.ground.marker(x="x"), crank.marker(x="x"))
    m.revolute("D", m.ground.marker((3, 0, 2), axis="-y", x="x"), out.marker(axis="-y", x="x"))
    m.link("rod", {"body": "crank", "local": ["a", 0, 0]}, {"body": "out", "local": [2, 0, 0]}, length="length")
    m.driver("motor", "A.angle", "2*pi*t + 20")
    found = m.batch({"a": [1.0, 0.9, 1.1], "length": [4.0, 4.1, 0.5]})
    with pytest.warns(tm.RunWarning, match="1 of 3 variants"):
        result = found.kinematics(0.3, samples=7, keep=["out.x", "out.e2", "out.wy", "A.angle", "D.angle.rate"])
    assert list(result.failures) == [2] and result.n_fallback == 1
    assert_same(result)


def test_variants_that_do_not_close_or_stop_keep_their_reason_and_what_was_computed(model):
    with pytest.warns(tm.RunWarning, match="2 of 3 variants have no full result"):
        found = model.batch({"crank": [0.1, 0.9, 0.2], "rod": [0.3, 0.05, 0.2]}).kinematics(
            1.0, samples=21, keep=["S.phi"], reduce={"top": "max(S.phi)"}
        )
    assert found.ok.tolist() == [True, False, False]
    for k in (1, 2):
        with pytest.raises(tm.TrammelError) as error:
            found.single(k)
        assert found.failures[k] == str(error.value)
        assert np.isnan(found.values("S.phi")[k, -1]) and np.isnan(found.reductions["top"][k])
    count = len(error.value.partial)
    assert count > 1 and np.array_equal(found.values("S.phi")[2, :count], error.value.partial["S.phi"])


def test_reductions_equal_those_of_single_results(model):
    formulas = {"peak": "max(abs(P.ay))", "err": "rms(P.y - 0.3*crank)", "end": "S.phi[end]", "mid": "at(P.x, 0.31)"}
    found = model.batch(tm.sample(9, within="tolerance")).kinematics(**TURN, reduce=formulas)
    assert found.quantities == ()
    for k in range(9):
        single = found.single(k)
        assert found.reductions["peak"][k] == np.abs(single["P.ay"]).max()
        assert found.reductions["end"][k] == single["S.phi"][-1]
        parts = np.append(np.repeat(1.0 / 12, 12), 0.0)
        mean = (0.5 * (parts + np.roll(parts, 1)) * (single["P.y"] - 0.3 * found.parameters["crank"][k]) ** 2).sum()
        assert found.reductions["err"][k] == pytest.approx(math.sqrt(mean), rel=1e-12)


def test_the_number_of_threads_does_not_change_a_bit(model):
    b = model.batch(tm.sample(40, method="halton", within="tolerance"))
    one, two = (b.kinematics(**TURN, keep=["P.x"], workers=k) for k in (1, 3))
    assert np.array_equal(one.values("P.x"), two.values("P.x"))


def test_change_points_that_variants_pass_are_reported_as_in_single_runs(tmp_path):
    m = tm.PlanarModel("parallelogram")
    m.parameter("rocker", 0.1)
    m.parameter("ground", 0.3)
    for name, x in (("K", 0.0), ("S", "ground")):
        m.body(name, position=(x, 0), angle=1.0)
    m.body("R", position=(0.1 * math.cos(1.0), 0.1 * math.sin(1.0)))
    m.revolute("A", m.ground, "K", at=(0, 0))
    m.revolute("B", {"body": "K", "local": [0.1, 0]}, {"body": "R", "local": [0, 0]})
    m.revolute("C", {"body": "R", "local": [0.3, 0]}, {"body": "S", "local": ["rocker", 0]})
    m.revolute("D", {"body": "ground", "local": ["ground", 0]}, {"body": "S", "local": [0, 0]})
    m.driver("motor", "A.angle", "2*pi*t + 1")
    # (0.11, 0.31) is 0.1 + 0.31 = 0.3 + 0.11: folded once a turn; (0.15, 0.3) stays clear
    b = m.batch({"rocker": [0.1, 0.11, 0.15], "ground": [0.3, 0.31, 0.3]})
    for device in ("cpu", "specialized"):
        for _ in range(2):  # the second time from the store
            found = b.kinematics(1.0, samples=25, keep=["S.phi"], device=device, store=tmp_path / device)
            assert {k: len(seen) for k, seen in found.singularities.items()} == {0: 2, 1: 1}
            assert found.n_fallback == 2
            assert all(found.singularities[k] == found.single(k).singularities for k in found.singularities)
    assert found.singularities[0][0].time == pytest.approx((math.pi - 1) / (2 * math.pi), abs=1e-9)


# --- under forces ----------------------------------------------------------------------------------------------------------

LOADS = ["R.phi", "S.omega", "P.ay", "s.length", "A.reaction", "C.fx", "D.reaction.y", "s.spring", "energy.kinetic"]


def test_simulations_equal_single_runs():
    values = {"crank": [0.09, 0.1, 0.12], "mass": [0.5, 0.8, 1.1], "stiffness": [20.0, 50.0, 80.0]}
    found = (
        four_bar(driven=False).batch(values).simulate(0.3, samples=7, keep=LOADS, reduce={"peak": "max(A.reaction)"})
    )
    assert found.n_fallback == 0 and found.units["A.reaction"] == "N"
    assert_same(found)
    assert np.array_equal(found.reductions["peak"], found.values("A.reaction").max(axis=1))


def test_driven_simulations_with_given_velocities_equal_single_runs():
    m = tm.PlanarModel("pendulum on a driven cart", gravity=(0, -9.81))
    m.parameter("length", 0.5)
    m.parameter("rate", 2.0)
    cart = m.body("cart", mass=2.0, inertia=1.0)
    rod = m.body("rod", position=(0, "-length"), mass="1 + length", inertia=0.02, omega="rate")
    m.prismatic("guide", m.ground, cart, at=(0, 0), axis=(1, 0))
    m.revolute("A", cart, rod, at=(0, 0))
    m.parameter("speed", 0.3)
    m.driver("push", "guide.distance", "speed*t + 0.1*sin(3*t)")
    values = {"length": [0.4, 0.5, 0.7], "rate": [2.0, 0.0, -1.0], "speed": [0.3, 0.1, 0.0]}
    found = m.batch(values).simulate(0.5, samples=6, keep=["rod.phi", "cart.vx", "push.effort", "A.reaction"])
    assert found.n_fallback == 0
    assert_same(found)


def test_space_under_forces_equals_single_runs():
    m = tm.SpatialModel("spherical pendulum", gravity=(0, 0, -9.81))
    m.parameter("length", 0.5)
    m.body("arm", position=("length", 0, 0), mass=1.0, inertia=("0.2*length", 0.1, 0.15), velocity=(0, 0.5, 0))
    m.spherical("S", m.ground.at(0, 0, 0), {"body": "arm", "local": ["-length", 0, 0]})
    found = m.batch({"length": [0.4, 0.6]}).simulate(0.4, samples=5, keep=["arm.z", "arm.wy", "S.reaction", "S.fz"])
    assert found.n_fallback == 0
    assert_same(found)


def test_what_happens_on_the_way_is_run_one_by_one():
    m = tm.PlanarModel("ball", gravity=(0, -9.81))
    m.parameter("height", 0.3)
    ball = m.body("ball", position=(0, "height"), mass=1.0, inertia=0.01)
    m.contact_line("floor", ball, m.ground, radius=0.1, at=(0, 0), axis=(1, 0), stiffness=1e4)
    found = m.batch({"height": [0.25, 0.3]}).simulate(0.3, samples=4, keep=["ball.y"])
    assert found.n_fallback == 2 and "floor" in found.fallback_reason
    assert_same(found)


def test_events_can_be_counted_and_timed():
    m = tm.PlanarModel("falling", gravity=(0, -10))
    m.parameter("height", 0.2)
    m.body("ball", position=(0, "height"), mass=1.0, inertia=0.01)
    hit = tm.Event("hit", "ball.y", stop=True)
    found = m.batch({"height": [0.2, 0.45, 5.0]}).simulate(
        0.5,
        samples=6,
        events=[hit],
        keep=["ball.y"],
        reduce={"n": "events(hit)", "t": "first(hit)", "y": "ball.y[end]"},
    )
    assert found.reductions["n"].tolist() == [1, 1, 0]
    assert found.reductions["t"] == pytest.approx([0.2, 0.3, math.nan], rel=1e-9, nan_ok=True)  # sqrt(2 h / g)
    assert found.reductions["y"] == pytest.approx([0.0, 0.0, 3.75], abs=1e-9)
    assert np.isnan(found.values("ball.y")).sum(axis=1).tolist() == [3, 2, 0]  # nothing is invented after the end


def test_starting_values_may_vary():
    m = four_bar(driven=False)
    found = m.batch(states={"A.angle": [0.5, 1.0], "A.angle.rate": [1.0, 2.0]}).simulate(0.1, samples=3, keep=["K.phi"])
    assert np.allclose(found.values("K.phi")[:, 0], [0.5, 1.0], rtol=0, atol=1e-12)  # closed to rounding
    assert found.n_fallback == 0
    assert_same(found)
    with pytest.raises(tm.ModelError, match=r"Z\.angle|'Z'"):
        m.batch(states={"Z.angle": [0.5, 1.0]}).simulate(0.1)
    with pytest.raises(tm.ModelError, match="has 2 values, but there are 3"):
        m.batch({"crank": [0.1] * 3}, states={"A.angle": [0.5, 1.0]})


STARTS = {
    "a rate of a joint": {"C.angle.rate": [1.0, -2.0, 0.0]},
    "a velocity and a position": {"K.omega": [1.0, -2.0, 0.0], "P.x": [0.1, 0.12, 0.14]},
    "one for all": {"S.phi": 1.6, "P.vy": [1.0, -2.0, 0.5]},
    "a formula": {"K.phi + rod*S.phi": [1.4, 1.5, 1.6]},
}


@pytest.mark.parametrize("states", STARTS.values(), ids=STARTS)
def test_starting_values_of_every_kind_vary_with_parameters_in_compiled_chunks(states):
    b = four_bar(driven=False).batch({"rod": [0.3, 0.31, 0.32], "mass": [0.5, 0.8, 1.1]}, states=states)
    found = b.simulate(0.1, samples=3, keep=["K.phi", "S.omega", "A.reaction"], events=[], constraints="projection")
    assert found.n_fallback == 0 and not found.failures
    assert_same(found)


def test_fixed_starting_values_and_those_that_contradict():
    b = four_bar(driven=False).batch({"rod": [0.29, 0.31]}, states={"A.angle.rate": [1.0, 2.0]})
    found = b.simulate(0.1, samples=3, initial={"A.angle": 0.9}, keep=["K.phi"])
    assert found.n_fallback == 0
    assert_same(found)
    with pytest.warns(tm.RunWarning, match="1 of 2 variants have no full result"):
        found = b.simulate(0.1, samples=3, initial={"K.omega": 1.0}, keep=["K.phi"])
    assert found.n_fallback == 1 and "asked to start at" in found.failures[1]
    assert_same(found)


def test_starts_in_space_and_of_free_bodies_vary():
    m = tm.SpatialModel("spinning arm", gravity=(0, 0, -9.81))
    m.parameter("mass", 1.0)
    arm = m.body("arm", mass="mass", inertia=(0.1, 0.2, 0.3), centroid=(0.5, 0, 0.1))
    m.revolute("A", m.ground.marker(axis="y", x="x"), arm.marker(axis="y", x="x"))
    m.body("free", position=(2, 0, 0), mass=1.0, inertia=(1, 2, 3), omega=(0.1, 0.2, 0.3))
    states = {"A.angle": [0.1, 7.0, -2.0], "A.angle.rate": [-1.0, 1.0, 3.0], "free.y": [0.0, 1.0, 2.0], "free.vz": 2.0}
    found = m.batch({"mass": [1.0, 2.0, 3.0]}, states=states).simulate(0.1, samples=3)
    assert found.n_fallback == 0
    assert_same(found)


def assert_same_rests(found) -> None:
    """Every variant that did not fail is its single search, to the last bit."""
    for k in np.flatnonzero(found.ok):
        rest = found.single(int(k))
        known = {"stable": float(rest.stable), "neutral": float(rest.neutral), "frequency": rest.frequencies[0]}
        for name in found.quantities:
            expected = known[name] if name in known else rest.result[name][0]
            assert found.values(name)[k, 0] == expected, (name, k)


@pytest.mark.parametrize("nearest", [False, True], ids=["downhill", "nearest"])
def test_rests_of_a_linkage_equal_single_searches(nearest):
    values = {"crank": [0.09, 0.1, 0.9, 0.12], "mass": [0.5, 0.8, 1.0, 1.1], "stiffness": [20.0, 50.0, 50.0, 80.0]}
    kept = ["S.phi", "P.y", "A.reaction", "s.spring", "energy.gravity", "stable", "neutral", "frequency"]
    with pytest.warns(tm.RunWarning, match="1 of 4 variants have no full result"):
        found = (
            four_bar(driven=False)
            .batch(values)
            .equilibrium(keep=kept, allow_unstable=nearest, reduce={"y": "P.y[end]"})
        )
    assert list(found.failures) == [2] and found.n_fallback == 1
    assert_same_rests(found)
    assert np.array_equal(found.reductions["y"], found.values("P.y")[:, 0], equal_nan=True)


def test_rests_in_space_and_of_driven_models_equal_single_searches():
    m = tm.SpatialModel("plate on springs", gravity=(0, 0, -9.81))
    m.parameter("k", 200.0)
    m.parameter("tilt", 0.2)
    plate = m.body("plate", position=(0, 0, -0.5), mass=1.0, inertia=(0.1, 0.2, 0.3))
    for i, (x, y) in enumerate([(0.3, 0.2), (-0.3, 0.2), (0.0, -0.4)]):
        m.spring(f"s{i}", m.ground.at(1.3 * x, 1.2 * y, 0.1 * i), plate.at(x, y, 0), stiffness="k", free_length=0.3)
    arm = m.body("arm", position=(0, 0, -0.5), mass=0.3, inertia=(0.01, 0.02, 0.03), centroid=(0.2, 0, 0))
    m.revolute("H", plate.marker(axis="y"), arm.marker(axis="y"))
    m.driver("servo", "H.angle", "tilt*t")
    found = m.batch({"k": [150.0, 200.0, 300.0], "tilt": [0.2, -0.1, 3.0]}).equilibrium(
        time=1.5, keep=["plate.z", "plate.e2", "H.angle", "H.reaction", "servo.effort", "frequency"]
    )
    assert found.n_fallback == 0
    assert found.values("H.angle")[:, 0] == pytest.approx([0.3, -0.15, 4.5], rel=1e-9)
    assert_same_rests(found)


def test_rests_of_bodies_without_joints_equal_single_searches():
    m = tm.SpatialModel("hung up", gravity=(0, 0, -9.81))
    m.parameter("k", 200.0)
    block = m.body("block", position=(0, 0, -0.5), mass=1.0, inertia=(0.1, 0.2, 0.3))
    for i, (x, y) in enumerate([(0.3, 0.2), (-0.3, 0.1), (0.0, -0.4)]):
        m.spring(f"s{i}", m.ground.at(2 * x, y, 0.1 * i), block.at(x, y, 0.1 * i), stiffness="k", free_length=0.3)
    found = m.batch({"k": [150.0, 171.0, 200.0, 233.0, 300.0]}).equilibrium()
    assert found.n_fallback == 0
    assert_same_rests(found)


def test_positions_of_rest():
    m = tm.PlanarModel("hanging", gravity=(0, -9.81))
    m.parameter("k", 100.0)
    m.parameter("m", 1.0)
    m.body("load", position=(0, -0.5), mass="m", inertia=0.1)
    m.prismatic("guide", m.ground, "load", at=(0, 0), axis=(0, 1))
    m.spring("s", m.ground.at(0, 0), {"body": "load", "local": [0, 0]}, stiffness="k", free_length=0.4)
    found = m.batch(tm.grid(k=[50.0, 100.0], m=[1.0, 2.0])).equilibrium(
        keep=["load.y", "s.spring", "stable", "frequency"], reduce={"sag": "-0.4 - load.y[end]"}
    )
    k, mass = found.parameters["k"], found.parameters["m"]
    assert found.values("load.y")[:, 0] == pytest.approx(-0.4 - mass * 9.81 / k, rel=1e-9)
    assert found.reductions["sag"] == pytest.approx(mass * 9.81 / k, rel=1e-9)
    assert found.values("frequency")[:, 0] == pytest.approx(np.sqrt(k / mass), rel=1e-6)
    assert (found.values("stable") == 1).all()
    assert found.n_fallback == 0
    assert_same_rests(found)


# --- tables, grids, samples ------------------------------------------------------------------------------------------------


def test_only_a_chunk_of_motions_is_in_memory(model, monkeypatch):
    from pytrammel.analysis.batches import runner

    monkeypatch.setattr(runner, "MOST_PER_CHUNK", 8)
    b = model.batch(tm.sample(400, within="tolerance"))
    options = {"duration": 1.0, "samples": 101, "reduce": {"top": "max(P.y)"}, "workers": 1}
    model.batch({"crank": [0.1]}).kinematics(**options)  # what is imported and compiled meanwhile does not count
    tracemalloc.start()
    b.kinematics(**options)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    everything = 400 * 101 * 3 * 9 * 8  # bytes of all coordinates, velocities and accelerations
    assert peak < 0.3 * everything  # a chunk of 8 and copies of it, and the tape of the model


def test_a_grid_has_every_combination_and_axes(model):
    found = model.batch(tm.grid(crank=["80 mm", "0.1 m"], rod=[0.29, 0.3, 0.31])).kinematics(
        **TURN, reduce={"top": "max(P.y)"}
    )
    assert found.parameters["crank"].tolist() == [0.08] * 3 + [0.1] * 3
    assert found.parameters["rod"].tolist() == [0.29, 0.3, 0.31] * 2
    data = pytest.importorskip("xarray", reason="an extra: pip install 'pytrammel[xarray]'") and found.to_xarray()
    assert data["top"].dims == ("crank", "rod")
    assert data["top"].sel(crank=0.1, rod=0.31).item() == found.reductions["top"][5]


@pytest.mark.parametrize("method", ["sobol", "halton", "latin", "random"])
def test_samples_fill_the_bounds_and_repeat_with_their_seed(model, method):
    one, same, other = (model.batch(tm.sample(50, method=method, seed=s)).table for s in (1, 1, 2))
    assert one.names == ("crank", "rod") and one.values.shape == (50, 2)
    assert np.array_equal(one.values, same.values) and not np.array_equal(one.values, other.values)
    for k, (low, high) in enumerate([(0.01, 1.0), (0.02, 1.0)]):
        column = one.values[:, k]
        assert low <= column.min() < low + 0.2 and high - 0.2 < column.max() <= high


def test_samples_within_tolerances_stay_there(model):
    table = model.batch(tm.sample(20, within="tolerance")).table
    assert table.names == ("crank",)
    assert np.abs(table.values - 0.1).max() <= 0.001


def test_tables_of_other_programs_are_taken(model):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"crank": [0.08, 0.1], "rod": [0.3, 0.32]})
    array = np.array([(0.08, 0.3), (0.1, 0.32)], dtype=[("crank", float), ("rod", float)])
    tables = [model.batch(given).table.values for given in (frame, array, frame.to_dict("records"))]
    assert all(np.array_equal(tables[0], table) for table in tables)
    shown = model.batch(frame).kinematics(**TURN, reduce={"top": "max(P.y)"}).to_dataframe()
    assert list(shown.columns) == ["crank", "rod", "top", "failure"] and len(shown) == 2
    assert len(model.batch(frame).kinematics(**TURN, keep=["P.x"]).to_dataframe()) == 26


# --- elsewhere, and later --------------------------------------------------------------------------------------------------


def test_other_processes_give_the_same_numbers(model):
    b = model.batch(tm.sample(12, within="tolerance"))
    here = b.kinematics(**TURN, keep=["P.x"])
    with futures.ProcessPoolExecutor(1) as pool:
        there = b.kinematics(**TURN, keep=["P.x"], executor=pool)
    assert np.array_equal(here.values("P.x"), there.values("P.x"), equal_nan=True)


class Forgetful(futures.Executor):
    """Loses every other piece of work, as a cluster does whose workers die, and at last takes no more."""

    def __init__(self, most: int) -> None:
        self.count, self.most = 0, most

    def submit(self, function, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        self.count += 1
        if self.count > self.most:
            raise RuntimeError("cannot schedule new futures")
        done: futures.Future = futures.Future()
        if self.count % 2:
            done.set_exception(ConnectionError("worker lost"))
        else:
            done.set_result(function(*args, **kwargs))
        return done


def test_work_of_lost_workers_is_done_again(model):
    b = model.batch(tm.sample(12, within="tolerance"))
    here = b.kinematics(**TURN, keep=["P.x"])
    there = b.kinematics(**TURN, keep=["P.x"], executor=Forgetful(100))
    assert np.array_equal(here.values("P.x"), there.values("P.x"), equal_nan=True)
    with pytest.warns(tm.RunWarning, match="computed in this process"):
        there = b.kinematics(**TURN, keep=["P.x"], executor=Forgetful(2))
    assert np.array_equal(here.values("P.x"), there.values("P.x"), equal_nan=True)


def test_a_stored_batch_goes_on_where_it_was(model, tmp_path, monkeypatch):
    from pytrammel.analysis.batches import runner

    monkeypatch.setattr(runner, "MOST_PER_CHUNK", 4)
    b = model.batch(tm.sample(12, within="tolerance"))
    whole = b.kinematics(**TURN, keep=["P.x"], reduce={"top": "max(P.y)"})
    kept, calls = runner.Worker.piece, []

    def dies(self, values, states):  # type: ignore[no-untyped-def]
        calls.append(len(values))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return kept(self, values, states)

    monkeypatch.setattr(runner.Worker, "piece", dies)
    with pytest.warns(tm.RunWarning, match="4 of 12 variants were not computed"):
        part = b.kinematics(**TURN, keep=["P.x"], reduce={"top": "max(P.y)"}, store=tmp_path / "b", workers=1)
    assert part.interrupted and part.ok.sum() == 8
    again = b.kinematics(**TURN, keep=["P.x"], reduce={"top": "max(P.y)"}, store=tmp_path / "b", workers=1)
    assert calls == [4, 4, 4, 4]
    assert np.array_equal(whole.values("P.x"), again.values("P.x"), equal_nan=True)
    assert np.array_equal(whole.reductions["top"], again.reductions["top"], equal_nan=True)
    (tmp_path / "file").write_text("words", encoding="utf-8")
    with pytest.raises(tm.FileWriteError, match="cannot be made"):
        b.kinematics(**TURN, store=tmp_path / "file")
    with pytest.raises(tm.FileWriteError, match="holds other files"):
        b.kinematics(**TURN, store=tmp_path)
    with pytest.raises(tm.ModelError, match="holds another batch"):
        b.kinematics(**TURN, keep=["P.y"], store=tmp_path / "b")


# --- sentences -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"crnk": [0.1]}, "Did you mean 'crank'"),
        ({"twice": [0.1]}, "given by the formula '2\\*crank'"),
        ({"idle": [0.1]}, "nothing in the model uses"),
        ({"crank": [0.1, math.nan]}, "value number 1 is nan"),
        ({"crank": [0.1, 2.0]}, "is 2 in variant 1, beyond its bounds 0.01 … 1"),
        ({"crank": [0.1, 0.2], "rod": [0.3] * 3}, "'crank' has 2 values but 'rod' has 3"),
        ({"crank": ["wide"]}, "one of them is 'wide'"),
        ({"crank": []}, "have no rows"),
        ({"mass": ["2 m"]}, "is a mass .kg., but it is given values of a length"),
        ({}, "no columns"),
        ([], "no columns"),
        (None, "needs values"),
        (7, "must be arrays by name"),
        ([{"crank": 0.1}, {"crank": [0.1, 0.2]}], "one for each variant"),
        ({"crank": np.ma.array([0.1, 0.2], mask=[False, True])}, "a value is masked"),
        (
            tm.grid(crank=np.linspace(0.1, 0.2, 10**6), rod=np.linspace(0.3, 0.4, 10**6)),
            "1e\\+12 variants of 2 parameters need",
        ),
        (tm.sample(10**12), "need .* GB of memory for their values alone"),
    ],
)
def test_tables_that_cannot_be_are_refused(given, sentence):
    m = four_bar()
    m.parameter("idle", 1.0)
    with pytest.raises(tm.ModelError, match=sentence):
        m.batch(given)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "say how long"),
        ({"duration": 1.0, "sampels": 3}, "Did you mean 'samples'"),
        ({"duration": 1.0, "keep": "P.x"}, "must be a list of names"),
        ({"duration": 1.0, "keep": ["Q.x"]}, "no quantity"),
        ({"duration": 1.0, "keep": ["P.x", "P.x"]}, "twice"),
        ({"duration": 1.0, "keep": ["A.reaction"]}, "no forces"),
        ({"duration": 1.0, "reduce": {"a": "P.x"}}, "is a series"),
        ({"duration": 1.0, "reduce": {"a": "max(Q.x)"}}, "no quantity"),
        ({"duration": 1.0, "reduce": "max(P.x)"}, "formulas by name"),
        ({"duration": 1.0, "executor": 3}, "executor must be"),
        ({"duration": 1.0, "workers": 0}, "workers"),
        ({"duration": 1.0, "level": "jerk"}, "level must be one of the words"),
        ({"duration": 1.0, "store": 3}, "path of a folder"),
        ({"duration": -1.0}, "must be 0 or more"),
        ({"duration": 1.0, "reduce": {"a": "mox(P.x)"}}, "mox"),
        ({"duration": 1.0, "reduce": {"crank": "max(P.x)"}}, "is a parameter already"),
        ({"duration": 1.0, "samples": 10_000_000_000}, "GB of"),
        ({"duration": 1.0, "reduce": {"n": "events(hit)"}}, "asks for the event 'hit', which is not known"),
        ({"duration": 1.0, "keep": ["P.x"], "reduce": {"P.x": "max(P.x)"}}, "kept as a series already"),
    ],
)
def test_options_that_cannot_be_are_refused(model, options, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        model.batch({"crank": [0.1, 0.11]}).kinematics(**options)


def test_what_is_wrong_with_the_model_is_said_once():
    with pytest.raises(tm.MobilityError, match="1 degree"):
        four_bar(driven=False).batch({"crank": [0.1, 0.11]}).kinematics(1.0)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: tm.sample(0), "at least 1"),
        (lambda: tm.sample(5, method="sobl"), "not known"),
        (lambda: tm.sample(5, within="limits"), "within must be"),
        (lambda: tm.sample(5, variables="crank"), "variables must be a list, but it is 'crank'"),
        (lambda: tm.sample(5, variables=[]), "variables is empty"),
        (lambda: tm.grid(), "at least one parameter"),
        (lambda: tm.grid(crank=[]), "no values"),
        (lambda: tm.grid(crank=[1, 1]), "twice"),
        (lambda: four_bar().batch(tm.sample(3, variables=["speed"])), "no finite bounds"),
        (lambda: tm.PlanarModel("m").batch(tm.sample(3)), "no parameter of model"),
    ],
)
def test_samplers_that_cannot_be_are_refused(make, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        make()


def test_questions_about_what_was_not_kept_are_answered(model):
    found = model.batch({"crank": [0.1]}).kinematics(**TURN, keep=["P.x"])
    with pytest.raises(tm.ModelError, match=r"it has: P\.x"):
        found.values("P.y")
    with pytest.raises(tm.ModelError, match="numbered 0 to 0"):
        found.single(1)
    assert "1 variant in" in str(found) and "P.x" in str(found)


@pytest.mark.parametrize(
    ("verb", "options", "words"),
    [
        ("simulate", {"duration": 0.1, "rtol": "x"}, "rtol must be a number"),
        ("simulate", {"duration": 0.1, "initial": [1]}, "initial must be a mapping"),
        ("kinematics", {"duration": 0.1, "samples": 5, "output_step": 0.1}, "samples=5 would not be used"),
        ("equilibrium", {"time": "late"}, "time must be a number"),
    ],
)
def test_options_of_batches_are_checked_as_those_of_single_runs(model, verb, options, words):
    with pytest.raises(tm.ModelError, match=words):
        getattr(model.batch({"crank": [0.1]}), verb)(**options)


def test_reductions_use_parameters_that_follow_others(model):
    found = model.batch({"crank": [0.09, 0.1]}).kinematics(**TURN, reduce={"a": "twice*max(P.x)"})
    assert found.n_fallback == 0
    for k, crank in enumerate(found.parameters["crank"]):
        assert found.reductions["a"][k] == 2 * crank * found.single(k)["P.x"].max()


def test_states_mean_nothing_to_kinematics(model):
    with pytest.raises(tm.ModelError, match="drivers say"):
        model.batch({"crank": [0.1]}, states={"A.angle": [0.1]}).kinematics(1.0)
