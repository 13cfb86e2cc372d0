"""Any quantity of a result by its name: units, formulas, other instants, extremes, statistics, comparison."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm
from pytrammel import examples
from pytrammel.system.lowering import lower
from registry_samples import TYPES, build

SPEED = 5.0


@pytest.fixture(scope="module")
def crank():
    """A slider-crank at constant speed; its motion is known in closed form."""
    m = tm.PlanarModel("slider-crank")
    r, rod = 0.05, 0.2
    m.body("crank", mass=1.0, inertia=0.01)
    m.body("rod", position=(r, 0), mass=0.5, inertia=0.002)
    m.body("piston", position=(r + rod, 0), mass=0.3, inertia=0.001)
    m.revolute("A", m.ground, "crank", at=(0, 0))
    m.revolute("B", "crank", "rod", at=(r, 0))
    m.revolute("C", "rod", "piston", at=(r + rod, 0))
    m.prismatic("guide", m.ground, "piston", at=(0, 0), axis=(1, 0))
    m.driver("motor", "A.angle", f"{SPEED}*t")
    m.point("P", m["crank"], at=(r, 0))
    return m


@pytest.fixture(scope="module")
def motion(crank):
    return crank.kinematics(duration=3.0, samples=121)


@pytest.fixture(scope="module")
def loaded(crank):
    return crank.simulate(duration=1.0, samples=201, rtol=1e-10, atol=1e-12)


def piston(t):
    return 0.05 * np.cos(SPEED * t) + np.sqrt(0.2**2 - (0.05 * np.sin(SPEED * t)) ** 2)


def test_names_give_arrays_in_si(motion):
    t = motion.times
    assert motion["t"] is motion.times
    np.testing.assert_array_equal(motion["A.angle"], motion["A"].angle)
    np.testing.assert_array_equal(motion["crank.angle"], motion["crank"].phi)
    np.testing.assert_allclose(motion["P.vx"], -0.05 * SPEED * np.sin(SPEED * t), atol=1e-12)
    np.testing.assert_allclose(motion["P.speed"], 0.05 * SPEED, rtol=1e-12)


def test_units_of_display_leave_the_arrays_as_they_are(motion):
    np.testing.assert_allclose(motion["crank.omega [rpm]"], SPEED * 30 / math.pi, rtol=1e-12)
    np.testing.assert_allclose(motion["A.angle", "deg"], np.degrees(motion["A.angle"]), rtol=1e-14)
    np.testing.assert_allclose(motion["piston.x", "mm"], 1e3 * motion["piston"].x, rtol=1e-14)
    assert motion.series("piston.ax [mm/s^2]").unit == "mm/s^2"
    with pytest.raises(tm.ModelError, match=r"'piston\.x' is a length.*cannot be shown in 'kN', which is a force"):
        motion["piston.x", "kN"]


def test_tables_and_plots_take_units(motion, tmp_path):
    path = motion.to_csv(tmp_path / "t.csv", ["crank.omega [rpm]", "P.x"])
    assert path.read_text(encoding="utf-8").splitlines()[0] == "t [s],crank.omega [rpm],P.x [m]"
    assert "rpm" in motion.plot("crank.omega [rpm]").get_ylabel()


def test_reactions_and_powers_have_names(loaded):
    np.testing.assert_array_equal(loaded["C.reaction.x"], loaded.reaction("C").force[:, 0])
    np.testing.assert_array_equal(loaded["C.reaction.magnitude"], loaded["C.reaction"])
    np.testing.assert_array_equal(loaded["guide.reaction.moment"], loaded.reaction("guide").moment)
    np.testing.assert_allclose(loaded["motor.power"], SPEED * loaded.effort("motor"), rtol=1e-9, atol=1e-9)
    # power is the rate of the work put in, which the run integrated by itself
    work = np.concatenate(
        [[0.0], np.cumsum(0.5 * np.diff(loaded.times) * (loaded["motor.power"][1:] + loaded["motor.power"][:-1]))]
    )
    np.testing.assert_allclose(work, loaded["energy.input"], atol=1e-3 * np.abs(work).max())


def test_power_of_a_force_is_its_value_times_the_rate_along_it():
    m = tm.PlanarModel("mass")
    m.body("b", position=(1.0, 0), mass=1.0, inertia=1.0)
    m.prismatic("g", m.ground, "b", at=(0, 0), axis=(1, 0))
    m.user_force("push", "b.x", "-3*b.x")
    k = m.simulate(duration=1.0, samples=21)
    np.testing.assert_allclose(k["push.force"], -3 * k["b.x"], atol=1e-12)
    np.testing.assert_allclose(k["push.power"], k["push.force"] * k["b.vx"], atol=1e-12)


def test_formulas_over_results(motion):
    found = motion.formula("P.x*cos(A.angle) + P.y*sin(A.angle) + 0*t")
    np.testing.assert_allclose(found, 0.05, rtol=1e-12)
    with pytest.raises(tm.ModelError, match=r"no quantity 'P\.z'"):
        motion.formula("P.z + 1")
    with pytest.raises(tm.ModelError, match="no number at t = 0 s"):
        motion.formula("1/P.y")


def test_formulas_know_parameters():
    m = tm.PlanarModel("p")
    m.parameter("length", "250 mm")
    m.body("b")
    m.revolute("A", m.ground, "b", at=(0, 0))
    m.driver("d", "A.angle", "t")
    k = m.kinematics(duration=1.0, samples=5)
    np.testing.assert_allclose(k.formula("length*A.angle"), 0.25 * k.times, rtol=1e-14)


def test_names_that_mean_nothing_are_told(motion):
    with pytest.raises(tm.ModelError, match=r"no quantity 'A\.angel'.*did you mean 'A\.angle'"):
        motion["A.angel"]
    with pytest.raises(tm.ModelError, match="from kinematics and has no forces"):
        motion["motor.power"]
    with pytest.raises(tm.ModelError, match="from kinematics and has no forces"):
        motion["C.reaction.x"]
    with pytest.raises(tm.ModelError, match="Did you mean 'piston'"):
        motion["pistn"]


@pytest.mark.parametrize(
    "name", ["slider_crank", "falling_four_bar", "bouncing_ball", "rssr", "suspension", "cam_roller"]
)
def test_every_listed_quantity_of_examples_is_there(name):
    result = examples.find(name).run()
    result = result.resample(result.times[:3])
    listed = result.names()
    assert {"t", *result._table_names()} <= set(listed)
    for each, unit in listed.items():
        values, given = result[each], result.series(each).unit
        assert values.shape == (3,) and given == unit, each
        np.testing.assert_array_equal(result[each], values)


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_what_every_type_measures_has_a_name(kind):
    model, _ = build(kind)
    system = lower(model)
    rest = np.zeros((1, system.n_columns))
    pose = tm.results.Result(model, system, np.zeros(1), system.start[None], rest, rest, np.zeros((1, 4)))
    known = pose.names()
    assert {f"{owner.name}.{m}" for owner in (*model.constraints.values(), *model.forces.values())
            for m, quantity in owner.measures.items() if quantity.has_value and len(quantity.units) == 1} <= set(known)  # fmt: skip
    for name in known:
        assert pose[name].shape == (1,), name


def test_pose_at_any_time_is_that_of_the_closed_form(motion):
    for t in (0.0, 0.0123, 1.4142, 3.0):
        # h = 0.125 rad: h^6/46080 of the radius
        assert motion.at(t)["piston.x"][0] == pytest.approx(piston(t), abs=1e-9)
    at = motion.at(1.2345)
    assert at["A.angle"][0] == pytest.approx(SPEED * 1.2345, abs=1e-9)
    assert at["crank.omega"][0] == pytest.approx(SPEED, abs=1e-7)


def test_instants_of_the_run_come_back_to_the_last_bit(loaded):
    again = loaded.resample(loaded.times[::7])
    for name in loaded._table_names():
        np.testing.assert_array_equal(again[name], loaded[name][::7], err_msg=name)


def test_forces_between_instants(crank, loaded):
    times = np.array([0.1234, 0.5678, 0.991])
    exact = crank.simulate(times=[0.0, *times], rtol=1e-10, atol=1e-12)
    found = loaded.resample(times)
    for name in ("motor.effort", "C.reaction.x", "energy.kinetic", "piston.ax"):
        np.testing.assert_allclose(
            found[name], exact[name][1:], rtol=1e-5, atol=1e-5 * np.abs(loaded[name]).max(), err_msg=name
        )


def test_space_between_instants():
    m = tm.SpatialModel("spin", gravity=(0, 0, 0))
    m.body("b", mass=1.0, inertia=(1.0, 2.0, 3.0), omega=(0.3, 2.0, 0.1))
    coarse = m.simulate(duration=2.0, samples=81, rtol=1e-11, atol=1e-12)
    fine = m.simulate(times=[0.0, 0.333, 1.777], rtol=1e-11, atol=1e-12)
    found = coarse.resample([0.333, 1.777])
    np.testing.assert_allclose(found["b"].matrix, fine["b"].matrix[1:], atol=1e-8)
    np.testing.assert_allclose(found["b"].omega, fine["b"].omega[1:], atol=1e-7)


def test_a_jump_is_not_smeared():
    m = tm.PlanarModel("ball", gravity=(0, 0))
    m.body("b", mass=2.0, inertia=1.0, velocity=(1.0, 0))
    hit = tm.Event("hit", "t - 0.33", impulse=[("b", (6.0, 0.0))])
    k = m.simulate(duration=1.0, samples=11, events=[hit])
    found = k.resample([0.31, 0.32, 0.335, 0.39])
    np.testing.assert_allclose(found["b.vx"], [1.0, 1.0, 4.0, 4.0], rtol=1e-9)
    np.testing.assert_allclose(found["b.x"], [0.31, 0.32, 0.35, 0.57], rtol=1e-9)
    assert any(w.kind == "interpolation" and "up to a jump" in str(w) for w in found.warnings)


def test_outside_the_run_is_refused(motion):
    with pytest.raises(tm.ModelError, match="lies outside this run, which goes from 0 s to 3 s"):
        motion.at(3.1)
    with pytest.raises(tm.ModelError, match=r"must not go back: 1 s is followed by 0\.5 s"):
        motion.resample([1.0, 0.5])
    # behind instants that are near each other, and the same instant twice
    with pytest.raises(tm.ModelError, match=r"must not go back: 1\.5 s is followed by 0\.25 s"):
        motion.resample([0.2, 0.21, 0.21, 1.5, 0.25, 0.5, 0.4])


def test_coarse_runs_are_doubted_between_their_instants(crank):
    coarse = crank.kinematics(duration=2.4, samples=4)
    assert any(w.kind == "interpolation" and "joints are open" in str(w) for w in coarse.at(0.4).warnings)


def test_extremes_between_samples(motion):
    found = motion.extremes("piston.x")
    assert (found.maximum, found.minimum) == (pytest.approx(0.25, abs=1e-10), pytest.approx(0.15, abs=1e-9))
    assert found.minimum_time % (2 * math.pi / SPEED) == pytest.approx(math.pi / SPEED, abs=1e-7)
    fast = motion.extremes("P.vx [mm/s]")
    assert fast.maximum == pytest.approx(250.0, abs=1e-4)
    assert fast.unit == "mm/s"
    assert [t for t, _ in found.turning] == pytest.approx([k * math.pi / SPEED for k in range(5)], abs=1e-7)


def test_statistics_weigh_time():
    m = tm.PlanarModel("s")
    m.body("b")
    m.revolute("A", m.ground, "b", at=(0, 0))
    m.driver("d", "A.angle", "sin(t)")
    uneven = np.concatenate([np.linspace(0, 1, 2001), np.linspace(1, 2 * math.pi, 4000)[1:]])
    found = m.kinematics(times=uneven).statistics("A.angle")["A.angle"]
    assert found.mean == pytest.approx(0.0, abs=1e-6)  # h²/12
    assert found.rms == pytest.approx(math.sqrt(0.5), abs=1e-6)
    assert (found.minimum, found.maximum, found.unit) == (
        pytest.approx(-1.0, abs=1e-6),
        pytest.approx(1.0, abs=1e-6),
        "rad",
    )


def test_cycles_are_turns_or_passages(motion):
    period = 2 * math.pi / SPEED
    np.testing.assert_allclose(motion.cycles("A.angle"), [0.0, period, 2 * period], atol=1e-9)
    assert np.diff(motion.cycles("piston.x")) == pytest.approx(
        [period] * len(np.diff(motion.cycles("piston.x"))), abs=1e-6
    )


@pytest.mark.parametrize("samples", [50, 333])
def test_cycles_of_a_quantity_without_rates_are_its_passages_through_the_mean(samples):
    """The moment that holds a bar, m g r cos(w t + 0.4), passes zero upwards at w t + 0.4 = 3 pi/2 + 2 pi k."""
    m = tm.PlanarModel("bar")
    m.body("b", mass=2.0, inertia=0.1, centroid=(0.3, 0.0))
    m.revolute("A", m.ground, "b", at=(0, 0))
    m.driver("d", "A.angle", "3*t + 0.4")
    run = m.inverse_dynamics(3 * 2 * math.pi / 3, samples=samples, progress=False)
    step = 2 * math.pi / (samples - 1)
    expected = (1.5 * math.pi - 0.4 + 2 * math.pi * np.arange(3)) / 3
    assert run.effort("d") == pytest.approx(2.0 * 9.81 * 0.3 * np.cos(3 * run.times + 0.4), abs=1e-9)
    assert run.cycles("d.effort") == pytest.approx(
        expected, abs=(3 * step) ** 3 / 16 + 1e-9
    )  # a chord of a sine at its zero


def test_comparison_names_the_largest_difference(crank, motion):
    other = crank.kinematics(duration=2.0, samples=301)
    same = motion.compare(motion)
    assert same.identical and "no difference" in str(same)
    close = motion.compare(other)
    assert close.interpolated and close.span == (0.0, 2.0) and close.largest.relative < 1e-6
    heavier = crank.copy(changes={"piston": {"mass": 0.4}})
    a, b = crank.inverse_dynamics(times=[0, 0.1, 0.2]), heavier.inverse_dynamics(times=[0, 0.1, 0.2])
    found = a.compare(b)
    assert found["piston.x"].largest == 0.0
    assert found.largest.unit in ("N", "N m") and found.largest.name in str(found).splitlines()[1]


def test_a_name_without_an_owner_is_answered_with_what_there_is(motion):
    with pytest.raises(tm.ModelError, match=r"there is no quantity 'nothing'.*it has: .*names\(\) lists all"):
        motion.formula("2*nothing")
