"""Batches by straight kernels: the answers of single runs to what the tolerance leaves, or single runs themselves."""

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.batches import fast_kinematics
from pytrammel.analysis.batches.fast_kinematics import FastKinematics
from pytrammel.analysis.batches.on_the_fly import split
from pytrammel.analysis.runs import straight as straight_rates
from pytrammel.kernels.structure import gpu
from pytrammel.kernels.structure.many import Many
from pytrammel.results.formulas.reductions import Reduction

VALUES = {"r": [0.08, 0.1, 0.12, 0.11], "rod": [0.3, 0.32, 0.35, 0.29], "mass": [0.5, 1.0, 2.0, 1.5]}


def slider_crank(*, driven):
    m = tm.PlanarModel("slider-crank", gravity=(0, -9.81))
    r, rod, mass = m.parameter("r", 0.1), m.parameter("rod", 0.3), m.parameter("mass", 1.0)
    m.body("crank", angle=0.5, mass=mass, inertia=1e-2)
    m.body("link", position=(0.1, 0.05), angle=-0.1, mass=0.5, inertia=1e-2)
    m.body("slider", position=(0.4, 0.0), mass=1, inertia=1e-2)
    m.revolute("A", m.ground, "crank", at=(0, 0))
    m.point("P", "crank", local=(r, 0))
    m.point("Q", "link", local=(0, 0))
    m.point("R", "link", local=(rod, 0))
    m.revolute("B", m["P"], m["Q"])
    m.revolute("C", m["R"], m["slider"].at(0, 0))
    m.prismatic("G", m.ground, "slider", at=(0, 0), axis=(1, 0))
    if driven:
        m.driver("motor", m["A"].angle, "0.5 + 2*pi*t")
    return m


def swinging_bar():
    """A bar on a ball joint at a crank in space."""
    m = tm.SpatialModel("swinging bar", gravity=(0, 0, -9.81))
    length = m.parameter("length", 0.5)
    m.body("arm", position=(0, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.body("bar", position=(length, 0, -0.2), mass=1.0, inertia=(0.1, 0.2, 0.1))
    m.revolute("A", m.ground, "arm", at=(0, 0, 0), axis="z")
    m.revolute("B", "arm", "bar", at=(length, 0, 0), axis="x")
    m.point("tip", "bar", at=(length, 0.1, -0.4))
    return m


RUNS = {
    "kinematics": (
        slider_crank(driven=True),
        VALUES,
        {"duration": 1.0, "samples": 31},
        ["slider.x", "R.ay", "A.angle", "link.omega"],
    ),
    "simulate": (
        slider_crank(driven=False),
        VALUES,
        {"duration": 0.5, "samples": 6},
        ["slider.x", "R.ay", "link.omega"],
    ),
    "space": (
        swinging_bar(),
        {"length": [0.4, 0.5, 0.6]},
        {"duration": 0.5, "samples": 6},
        ["tip.x", "tip.vz", "bar.wx"],
    ),
}


@pytest.mark.parametrize("which", RUNS)
def test_series_are_those_of_single_runs(which):
    model, values, options, keep = RUNS[which]
    verb = "kinematics" if which == "kinematics" else "simulate"
    found = getattr(model.batch(values), verb)(**options, keep=keep, device="specialized")
    assert not found.n_fallback, found.fallback_reason
    for k in range(len(found)):
        single = getattr(model.with_parameters(**{name: each[k] for name, each in values.items()}), verb)(**options)
        for name in keep:
            its = single[name]
            # explicit steps with rtol 1e-8 leave more in accelerations than in places
            assert np.abs(found.values(name)[k] - its).max() < 2e-6 * (1.0 + np.abs(its).max())


FORMULAS = {
    "peak": "max(abs(R.ay))",
    "off": "rms(R.x - 0.3) + 2*min(R.x)",
    "stroke": "range(slider.x)/mean(slider.x)",
    "ends": "slider.x[end] - slider.x[start]",
    "timed": "max(t*R.y)",
}


def test_reductions_while_kernels_run_are_those_of_whole_series():
    model = slider_crank(driven=True)
    assert all(split(Reduction.parse(text, model)) for text in FORMULAS.values())
    quick = model.batch(VALUES).kinematics(1.0, samples=31, reduce=FORMULAS, device="specialized")
    exact = model.batch(VALUES).kinematics(1.0, samples=31, reduce=FORMULAS, device="cpu")
    for name in FORMULAS:
        assert np.allclose(quick.reductions[name], exact.reductions[name], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "text", ["max(R.x)*r", "at(R.x, 0.5)", "max(R.x [mm])", "deviation(R.x)", "max(R.x - mean(R.x))"]
)
def test_what_kernels_cannot_reduce_is_reduced_from_series(text):
    model = slider_crank(driven=True)
    assert split(Reduction.parse(text.replace(" [mm]", "[mm]"), model)) is None
    quick = model.batch(VALUES).kinematics(
        1.0, samples=31, reduce={"it": text.replace(" [mm]", "[mm]")}, device="specialized"
    )
    exact = model.batch(VALUES).kinematics(1.0, samples=31, reduce={"it": text.replace(" [mm]", "[mm]")})
    assert np.allclose(quick.reductions["it"], exact.reductions["it"], rtol=1e-9, atol=1e-12)


def test_variants_that_cannot_move_keep_their_reason():
    model = slider_crank(driven=True)
    with pytest.warns(tm.RunWarning, match="1 of 3 variants have no full result"):
        found = model.batch({"r": [0.1, 0.4, 0.12]}).kinematics(
            1.0, samples=31, keep=["slider.x"], device="specialized"
        )
    assert list(found.failures) == [1]
    single = model.with_parameters(r=0.12).kinematics(1.0, samples=31)
    assert np.allclose(found.values("slider.x")[2], single["slider"].x, rtol=0, atol=1e-10)


def test_kernels_are_written_out_where_that_pays_and_change_no_bit(monkeypatch):
    model = slider_crank(driven=True)
    few = model.batch(VALUES).kinematics(1.0, samples=31, keep=["R.ay"])
    assert few.kernels == "generic"
    monkeypatch.setattr(fast_kinematics, "PAYS", len(few) * 31)
    many = model.batch(VALUES).kinematics(1.0, samples=31, keep=["R.ay"])
    assert many.kernels == "specialized"
    assert "written out for the model" in str(many)
    assert np.array_equal(few.values("R.ay"), many.values("R.ay"))


@pytest.mark.parametrize("which", ["simulate", "space"])
def test_simulations_by_rates_written_out_change_no_bit(which, monkeypatch):
    model, values, options, keep = RUNS[which]
    monkeypatch.setattr(straight_rates, "PAYS", 0)
    quick = model.batch(values).simulate(**options, keep=keep)
    usual = model.batch(values).simulate(**options, keep=keep, device="cpu")
    assert (quick.kernels, usual.kernels, quick.n_fallback) == ("specialized", "generic", 0)
    assert all(np.array_equal(quick.values(name), usual.values(name)) for name in keep)


def test_kernels_that_gave_other_numbers_are_left_for_the_general_ones(monkeypatch):
    model = slider_crank(driven=True)
    monkeypatch.setattr(fast_kinematics, "PAYS", 0)
    real = FastKinematics.run

    def off(self, values, states):
        which, motion = real(self, values, states)
        if self.straight:
            motion.tables[0][:] += 1e-12
        return which, motion

    monkeypatch.setattr(FastKinematics, "run", off)
    found = model.batch(VALUES).kinematics(1.0, samples=11, keep=["slider.x"])
    assert found.kernels == "generic"
    assert not found.fallback_reason


def test_another_device_is_not_served_by_the_worker_of_the_last_batch(monkeypatch):
    model, used, follow = slider_crank(driven=True), [], Many.follow
    monkeypatch.setattr(Many, "follow", lambda self, *given, **more: used.append(1) or follow(self, *given, **more))
    for device, expected in (("cpu", False), ("specialized", True), ("cpu", False)):
        used.clear()
        model.batch(VALUES).kinematics(1.0, samples=11, keep=["slider.x"], device=device)
        assert bool(used) == expected


def test_constants_that_only_some_variants_change_are_seen():
    """A parameter that is zero in the model leaves no trace in small changes of others."""
    model = slider_crank(driven=True)
    model.parameter("lift", 0.0)
    model.point("S", "link", local=(0.1, "lift^3"))
    values = {"lift": [0.0, 0.2, 0.0, 0.5]}
    quick = model.batch(values).kinematics(1.0, samples=11, keep=["S.y"], device="specialized").values("S.y")
    exact = model.batch(values).kinematics(1.0, samples=11, keep=["S.y"]).values("S.y")
    assert np.allclose(quick, exact, rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("keep", "options", "why"),
    [
        (["A.reaction"], {}, "more than the motion"),
        (["slider.x"], {"method": "dopri5"}, "rates at its end"),
        (["slider.x"], {"max_step": 0.01}, "max_step"),
    ],
)
def test_what_straight_kernels_do_not_do_is_left_to_the_others_and_said(keep, options, why):
    b = slider_crank(driven=False).batch({"r": [0.1, 0.11]})
    found = b.simulate(0.1, samples=3, keep=keep, device="specialized", **options)
    assert found.n_fallback == 0 and found.kernels == "generic"
    assert why in found.fallback_reason and why in str(found)
    assert np.array_equal(found.values(keep[0]), b.simulate(0.1, samples=3, keep=keep, **options).values(keep[0]))


def test_a_device_that_is_not_there_is_refused(monkeypatch):
    model = slider_crank(driven=True)
    with pytest.raises(tm.ModelError, match="device 'tpu' is not known; use 'auto'"):
        model.batch({"r": [0.1]}).kinematics(1.0, device="tpu")

    def missing():
        raise ImportError

    monkeypatch.setattr(gpu, "_cupy", missing)
    with pytest.raises(tm.ModelError, match=r"CuPy is not installed.*device='specialized' needs no card"):
        model.batch({"r": [0.1]}).kinematics(1.0, device="gpu")
