"""Runs of KAP printed in the book: repetition, agreement of models, extremes and closure.

States are compared with the printed and the recomputed numbers in the verification manual (tests/verification/cases/book/kap.py).
"""

import math

import numpy as np
import pytest

from kap_runs import DUMP_TRUCK, HALF_OF_FIFTH, TO_MODEL_2, point, rows, run, tool_and_arm

# --- run A: four-bar -------------------------------------------------------------------------------------------------


def test_run_a_has_41_reports_and_repeats_after_one_turn():
    result = run("four_bar")
    assert len(result) == 41
    # the driver's 6.2832 rad/s is not exactly 2 pi: the book's run repeats to these figures only
    first, last = (np.array([rows(result, t)[k] for k in (2, 3, 4)]) for t in (0.0, 1.0))
    last[:, 2] -= np.round((last - first)[:, 2] / (2 * math.pi)) * 2 * math.pi
    assert np.abs(last - first)[:, :3].max() < 3e-5
    assert np.abs(last - first)[:, 3:6].max() < 2e-4
    assert np.abs(last - first)[:, 6:].max() < 2e-3


# --- run B: slider-crank ---------------------------------------------------------------------------------------------


def test_run_b_models_1_and_2_agree():
    one, two = run("slider_crank"), run("slider_crank", **TO_MODEL_2)
    for table in ("q", "v", "a"):
        np.testing.assert_allclose(getattr(one, table), getattr(two, table), atol=1e-9)


def test_run_b_is_indifferent_to_the_misprinted_estimate():
    # section 4.4.1 prints x3 = -380.5 for -467.1; x and y enter linearly, so nothing changes
    misprinted = run("slider_crank", estimate=("-467, 40, 0.2", "-380.5, 40, 0.2"))
    np.testing.assert_allclose(misprinted.q, run("slider_crank").q, atol=1e-9)


# --- run C: quick-return ---------------------------------------------------------------------------------------------


def test_run_c_the_deck_runs_all_85_reports():
    result = run("quick_return")
    assert len(result) == 85
    state = rows(result, 0.0)
    assert state[2][:2] == pytest.approx([60.21580, -57.36023], abs=HALF_OF_FIFTH)
    assert state[3][:2] == pytest.approx([43.39096, 24.84401], abs=HALF_OF_FIFTH)
    assert state[4][:3] == pytest.approx([86.78192, 49.68801, 1.32754], abs=HALF_OF_FIFTH)
    assert state[5][:3] == pytest.approx([60.88476, 192.63977, 6.16021], abs=HALF_OF_FIFTH)
    assert state[5][5] == pytest.approx(0.58206, abs=HALF_OF_FIFTH)
    assert state[6][:3] == pytest.approx([1.33791, 200.0, 0.0], abs=HALF_OF_FIFTH)
    # the sampled stroke of Fig. 5.5, to the 2 decimals given
    assert result["body6"].x.max() == pytest.approx(50.07, abs=0.5e-2)
    assert result["body6"].x.min() == pytest.approx(-283.11, abs=0.5e-2)


def test_run_c_all_three_models_agree():
    times = np.linspace(0.0, 2.1, 85)
    one, two, three = (tool_and_arm(number, times) for number in (1, 2, 3))
    scale = np.abs(one).max(axis=0)
    np.testing.assert_allclose(two / scale, one / scale, atol=1e-10)
    np.testing.assert_allclose(three / scale, one / scale, atol=1e-10)


def test_run_c_analytic_checks():
    # arm vertical: crank up at phi3 = pi/2 (cutting), crank down at 3 pi/2 (return)
    times = [(math.pi / 2 - 0.52) / 3, (3 * math.pi / 2 - 0.52) / 3]
    table = tool_and_arm(1, times)
    assert table[:, 1] == pytest.approx([-375.0, 750.0], abs=1e-8)
    # the arm is tangent to the crank circle where sin = 100/300; there the slider stands still
    tilt = math.asin(1 / 3)
    extremes = tool_and_arm(1, [(math.pi + tilt - 0.52) / 3, (2 * math.pi - tilt - 0.52) / 3])
    assert extremes[:, 1] == pytest.approx([0.0, 0.0], abs=1e-8)
    assert extremes[:, 0] == pytest.approx([-283.210, 50.124], abs=0.5e-3)
    assert extremes[1, 0] - extremes[0, 0] == pytest.approx(1000 / 3, abs=1e-9)
    # cutting lasts from crank -tilt to 180° + tilt, return the rest: ratio 1.5521
    cutting = math.pi + 2 * tilt
    assert cutting / (2 * math.pi - cutting) == pytest.approx(1.5521, abs=0.5e-4)


# --- run D: horizontal platform --------------------------------------------------------------------------------------

# --- run E: dump truck -----------------------------------------------------------------------------------------------


def test_run_e_dump_truck_without_driver_stands_still():
    result = run("dump_truck")
    state = rows(result, 0.0)
    for body, expected in DUMP_TRUCK.items():
        assert state[body][:3] == pytest.approx(expected, abs=HALF_OF_FIFTH), f"body {body}"
        assert state[body][3:] == pytest.approx([0.0] * 6, abs=1e-12)
    assert point(result, 0.0) == pytest.approx([0.91425, 0.34054, 0, 0, 0, 0], abs=HALF_OF_FIFTH)
    # zero degrees of freedom: the simple constraint takes the place of a driver
    mobility = result.model.mobility()
    assert (mobility.dof, mobility.drivers) == (0, 0)


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "quick_return", "platform", "dump_truck"])
def test_every_run_closes(name):
    # in units of the mechanism's size; a few hundred roundings
    assert run(name).constraint_violation() < 1e-12
