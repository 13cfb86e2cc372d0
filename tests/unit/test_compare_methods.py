"""Methods side by side, and errors against the step."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pytrammel as tm

EXAMPLE = ("y' = -y^2", {"y": 1.0}, 5.0)  # book, example 12.1
EXACT = {"y": "1/(1 + t)"}


def pendulum() -> tm.PlanarModel:
    m = tm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    bob = m.body("bob", position=(1.0, 0.0), mass=2.0, inertia=0.5)
    m.revolute("pivot", m.ground.at(0.0, 0.0), bob.at(-1.0, 0.0))
    return m


def test_problems_12_2_to_12_5_as_one_comparison():
    names = ["ab3", "ab4", "am3", "am4", "abm4"]
    c = tm.textbook.compare_methods(*EXAMPLE, methods=names, time_steps=[0.1, 0.05, 0.025], exact=EXACT, progress=False)
    assert c.methods == tuple(names)
    for name in names:
        coarse, _, fine = c.of(name)
        # interpolation at the instants of comparison and the start take their share of the order
        assert math.log2(coarse.error / fine.error) / 2.0 == pytest.approx(tm.methods[name].order, abs=0.4)
    at = {name: c.of(name)[1] for name in names}
    assert at["am4"].error < at["abm4"].error < at["ab4"].error < at["ab3"].error
    assert at["ab4"].evaluations < at["abm4"].evaluations < at["am4"].evaluations
    assert c.cheapest(1e-5).error <= 1e-5
    assert c.cheapest(1e-20) is None


def test_the_reference_that_is_computed_is_as_good_as_the_exact_one():
    given, found = (
        tm.textbook.compare_methods(*EXAMPLE, methods=["rk4", "dopri5"], exact=exact, progress=False)
        for exact in (EXACT, None)
    )
    assert [t.error for t in found.trials] == pytest.approx([t.error for t in given.trials], rel=1e-3, abs=1e-11)
    assert given.uncertainty == 0.0 < found.uncertainty < 1e-11


def test_models_are_compared_with_drift_and_energy(tmp_path):
    c = tm.textbook.compare_methods(
        pendulum(), 1.0, methods=["dop853", "rk4"], tolerances=[1e-5, 1e-8], time_steps=[0.02, 0.01], progress=False
    )
    loose, tight = c.of("dop853")
    assert tight.error < loose.error < 1e-3
    coarse, fine = c.of("rk4")
    assert math.log2(coarse.error / fine.error) == pytest.approx(4.0, abs=0.8)  # instants lie between steps
    assert fine.drift < coarse.drift
    assert fine.energy < coarse.energy
    assert "drift" in str(c)
    assert len(c.plot(tmp_path / "c.svg")) == 2


def test_a_method_that_fails_is_told_and_the_others_go_on():
    c = tm.textbook.compare_methods(
        "y' = -1000*y", {"y": 1.0}, 1.0, methods=["am2", "bdf2"], time_steps=[0.01], progress=False
    )
    failed, good = c.trials
    assert "does not converge" in failed.failure
    assert math.isnan(failed.error)
    assert "failed" in str(c)
    assert good.error < 1.0


@pytest.mark.parametrize("method", ["rk4", "ab3", "am4", "abm4", "bdf2"])
def test_truncation_errors_have_one_order_more_than_the_global_one(method):
    order = tm.methods[method].order
    lengths = [0.04, 0.02]
    s = tm.textbook.convergence_study(*EXAMPLE, method=method, time_steps=lengths, exact=EXACT, progress=False)
    assert math.log2(s.truncation[0] / s.truncation[1]) == pytest.approx(order + 1, abs=0.4)
    assert math.log2(s.total[0] / s.total[1]) == pytest.approx(order, abs=0.3)
    assert s.measured_order == pytest.approx(order, abs=0.3)


def test_rounding_grows_where_truncation_vanishes(tmp_path):
    s = tm.textbook.convergence_study(
        {"x''": "-x"}, {"x": 1.0, "x'": 0.0}, 10.0, method="rk4", time_steps=[0.1, 0.01, 1e-3, 1e-4], progress=False
    )
    assert s.rounding[-1] > 3.0 * s.rounding[0]
    assert s.rounding[-1] < 1e-11
    assert s.total[0] > 1e6 * s.rounding[0]
    assert s.total[-1] < 10.0 * s.rounding[-1] + s.uncertainty
    assert s.best < 0.01
    assert len(s.plot(tmp_path / "s.svg").lines) == 3
    assert str(s).count("\n") == 5


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: tm.textbook.compare_methods(*EXAMPLE, methods=["rk5"]), "method 'rk5' is not known"),
        (lambda: tm.textbook.compare_methods(*EXAMPLE, methods="rk4"), "methods must be a list"),
        (
            lambda: tm.textbook.compare_methods(*EXAMPLE, methods=[["rk4"]]),
            "list of names or objects of tm.methods, but it holds",
        ),
        (
            lambda: tm.textbook.compare_methods(pendulum(), analysis=np.zeros(2)),
            "analysis must be tm.Analysis",
        ),
        (lambda: tm.textbook.compare_methods(*EXAMPLE, tolerances=[-1.0]), "an entry of tolerances is -1"),
        (lambda: tm.textbook.compare_methods(*EXAMPLE, time_steps=[]), "time_steps is empty"),
        (lambda: tm.textbook.compare_methods(*EXAMPLE[:2]), "duration must be a number"),
        (lambda: tm.textbook.compare_methods(*EXAMPLE[:2], -1.0), "duration is -1"),
        (lambda: tm.textbook.compare_methods(*EXAMPLE, exact={"y": "x"}), "exact y = x may depend on t only"),
        (lambda: tm.textbook.compare_methods(*EXAMPLE, exact={"z": "1"}), "exact must give every state"),
        (
            lambda: tm.textbook.compare_methods(*EXAMPLE, analysis=tm.Analysis("simulate", 1.0)),
            "analysis= is for models",
        ),
        (
            lambda: tm.textbook.compare_methods(pendulum(), analysis=tm.Analysis("simulate", 1.0, rtol=1.0)),
            "must not give 'rtol'",
        ),
        (lambda: tm.textbook.compare_methods(pendulum(), 1.0, exact={}), "exact= belongs to equations"),
        (lambda: tm.textbook.convergence_study(*EXAMPLE, method="dop853"), "'dop853' chooses its steps itself"),
        (lambda: tm.textbook.convergence_study(*EXAMPLE, time_steps=[0.0]), "an entry of time_steps is 0"),
        (lambda: tm.textbook.convergence_study(*EXAMPLE[:2]), "convergence_study needs duration"),
    ],
)
def test_bad_input_gets_its_sentence(call, sentence):
    with pytest.raises(tm.ModelError, match=sentence):
        call()


def test_columns_come_out_as_data():
    c = tm.textbook.compare_methods(*EXAMPLE, methods=["rk4"], time_steps=[0.1], exact=EXACT, progress=False)
    assert c.to_dict()["method"] == ["rk4"]
    assert np.isfinite(c.to_dict()["error"][0])
