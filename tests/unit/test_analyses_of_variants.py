"""The analysis of variants: options that hide its progress, output times, results without their warnings."""

from __future__ import annotations

import inspect
import math
import warnings

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.analysis.analysis import ANALYSES, AT_REST
from pytrammel.design.analysis import VariantAnalysis as Analysis


def crank(motion: str | None = "2*t"):
    m = tm.PlanarModel("crank")
    m.body("b", position=(0.5, 0.0), mass=2.0, inertia=0.01, points={"P": (0.0, 0.1)})
    m.revolute("A", "ground", "b", at=(0.0, 0.0))
    if motion is not None:
        m.driver("D", "A.angle", motion)
    return m


@pytest.mark.parametrize("name", ANALYSES)
def test_runs_of_variants_show_no_progress(name):
    verb = getattr(tm.PlanarModel, "equilibrium" if name in AT_REST else name)
    shown = "progress" in inspect.signature(verb).parameters
    assert Analysis(name).quiet == ({"progress": False} if shown else {})
    assert Analysis(name).at_rest is (name in ("equilibrium", "modes"))


def test_variants_have_the_output_times_of_their_analysis():
    assert Analysis("equilibrium").times.size == Analysis("modes").times.size == Analysis("statics").times.size == 0
    np.testing.assert_allclose(Analysis("kinematics", 2.0).times, np.linspace(0.0, 2.0, 201), atol=1e-15)
    given = {"duration": 1.0, "samples": 3, "start_time": 0.5, "rtol": 1e-7}
    np.testing.assert_allclose(Analysis("simulate", **given).times, [0.5, 1.0, 1.5], atol=1e-15)
    moved = Analysis("simulate", **given).at_times(np.array([0.1, 0.4]))
    assert (
        dict(moved.options).keys() == {"rtol", "times"}
        and moved.times.tolist() == [0.1, 0.4]
        and moved.name == "simulate"
    )


def test_quantities_of_variants_are_those_of_their_results():
    found, columns = Analysis("kinematics", times=[0.0, 0.3]).looked(crank(), ["b.x", "A.angle.rate"])
    assert list(columns) == ["b.x", "A.angle.rate"]
    np.testing.assert_allclose(columns["b.x"], 0.5 * np.cos([0.0, 0.6]), atol=1e-12)
    np.testing.assert_allclose(columns["A.angle.rate"], 2.0, atol=1e-12)
    assert found.times.tolist() == [0.0, 0.3]
    found, columns = Analysis("modes").looked(crank(None), ["mode1.frequency", "b.y"])
    inertia, weight = 0.01 + 2.0 * 0.25, 2.0 * 9.81 * 0.5
    assert columns["mode1.frequency"] == pytest.approx([math.sqrt(weight / inertia)], rel=1e-6)
    assert columns["b.y"] == pytest.approx([-0.5], abs=1e-9) and found.times.size == 1
    assert Analysis("modes").is_of_mode("mode1.frequency") and not Analysis("modes").is_of_mode("b.y")
    assert not Analysis("kinematics").is_of_mode("mode1.frequency")


def test_unknown_analyses_and_options_are_refused():
    with pytest.raises(tm.ModelError, match="analysis is 'motion'; use one of: kinematics, simulate"):
        Analysis("motion")
    with pytest.raises(tm.ModelError, match="samples"):
        Analysis("kinematics", sampels=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Analysis("kinematics", times=[0.0]).run(crank())
