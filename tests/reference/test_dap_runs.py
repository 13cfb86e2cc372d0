"""Runs of DAP printed in the book: energies, drift, rest, storage and closure.

Steps are compared with the printed and the recomputed numbers in the verification manual (tests/verification/cases/book/dap.py).
"""

import math

import numpy as np
import pytest

import pytrammel as tm
from dap_runs import PRINTED, SIXTH, accelerations, as_dap_did, deck
from pytrammel.examples import find
from pytrammel.io.decks.dap_quirks import residuals, storage
from pytrammel.io.decks.dap_report import element_table
from pytrammel.io.decks.kap_deck import read_kap
from pytrammel.io.decks.kap_quirks import constraint_rows

# DAP let its joints drift, which these runs repeat; decks type three digits: their velocities contradict the joints in the fourth
pytestmark = [
    pytest.mark.filterwarnings("ignore:the joints come apart"),
    pytest.mark.filterwarnings("ignore:the given starting velocities contradict"),
]

# --- run A: four-bar falling from rest ---------------------------------------------------------------------------------


def test_run_a_keeps_its_energy():
    # V = sum m g y = 97.94549 from rest; DAP's steps keep it to 1.2e-7 (recomputed), error control does far better
    dap, controlled = as_dap_did("four_bar").energy.total, deck("four_bar").run().energy.total
    assert dap[0] == pytest.approx(97.94549, abs=0.5e-5)
    assert np.abs(dap - dap[0]).max() < 2e-7
    # rtol 1e-8 per step, a few dozen steps
    assert np.abs(controlled - controlled[0]).max() < 1e-6 * controlled[0]


def test_run_a_closed_exactly():
    # phi2 = pi/3 with exactly assembled links (recomputed to 4 decimals)
    exact = deck(
        "four_bar",
        ("0.5, 0.866, 1.047", f"0.5, {math.sqrt(0.75)!r}, {math.pi / 3!r}"),
        ("2.824, 2.553, 0.423", "2.82352, 2.55349, 0.42325"),
        ("3.574, 1.687, 1.004", "3.57352, 1.68747, 1.00420"),
    )
    got = accelerations(exact.run(), 0)
    # typed to 5 decimals, corrected by some 1e-6: accelerations follow to about 1e-5 of theirs
    assert got[2] == pytest.approx([2.5438, -1.4686, -2.9373], abs=1.5e-4)
    assert got[3] == pytest.approx([5.1820, -3.1470, -0.1150], abs=1.5e-4)
    assert got[4] == pytest.approx([2.6382, -1.6784, -1.5634], abs=1.5e-4)


# --- run B: platform ---------------------------------------------------------------------------------------------------


def drift(result, time):
    k = int(np.argmin(np.abs(result.times - time)))
    return np.abs(constraint_rows(deck("platform"), result.q[k], time)[0]).max()


def test_run_b_drift_of_the_constraints():
    # recomputed with the same steps to 3 digits, or the 2 given
    free = as_dap_did("platform")
    assert [drift(free, t) for t in (0.0, 1.0, 3.0)] == pytest.approx([5.10e-4, 5.70e-4, 7.31e-4], abs=0.6e-6)
    for gain, expected in ((5.0, (1.44e-4, 2.0e-5, 2.5e-9)), (10.0, (2.0e-5, 2.5e-7, None))):
        held = deck("platform").run(
            method="rk4", correct=False, constraints=tm.enforcement.baumgarte(alpha=gain, beta=gain)
        )
        for time, value in zip((0.5, 1.0, 3.0), expected, strict=True):
            if value is not None:
                assert drift(held, time) == pytest.approx(value, rel=0.03), f"alpha = beta = {gain}, t = {time}"
        assert element_table(deck("platform"), held, 1)[-1, 2] == pytest.approx(-7.81318, abs=1e-5)


def test_run_b_energy_balance():
    # started exactly: legs at 110°, that is phi = 20°, and yd3 = 0.12; E0 and E(3) recomputed to 6 decimals, and with
    # V = 10.3005 cos phi + 350 (sqrt((1 + sin phi) / 2) - 0.6)², T = 0.65 phid² / 2; the difference goes into the damper
    phi = math.radians(20.0)
    w = -0.12 / (0.5 * math.sin(phi))
    s, c = math.sin(phi), math.cos(phi)
    leg, leg_speed = (-0.25 * s, 0.25 * c), (-0.25 * w * c, -0.25 * w * s)
    typed = [
        ("-0.335, 0.235, 0.349,  0.165, 0.06, -0.702", (leg[0] - 0.25, leg[1], phi, *leg_speed, w)),
        (
            "-0.171, 0.470, 0,      0.33, 0.12, 0",
            (2 * leg[0], 2 * leg[1], 0.0, 2 * leg_speed[0], 2 * leg_speed[1], 0.0),
        ),
        ("0.165, 0.235, 0.349,   0.165, 0.06, -0.702", (leg[0] + 0.25, leg[1], phi, *leg_speed, w)),
    ]
    exact = deck("platform", *((old, ", ".join(map(repr, new))) for old, new in typed))
    assert max(np.abs(r).max() for r in residuals(exact)) < 1e-15
    energy = exact.run().energy
    assert energy.total[0] == pytest.approx(26.649001, abs=SIXTH)
    assert energy.total[-1] == pytest.approx(9.848219, abs=SIXTH)
    assert energy.dissipated[-1] == pytest.approx(16.800782, abs=SIXTH)


def test_run_b_comes_to_rest_where_the_forces_balance():
    # stable root of dV/dphi with V = 10.3005 cos phi + 350 (sqrt((1 + sin phi) / 2) - 0.6)²
    corrected, at_rest = deck("platform").run(), deck("platform").run(equilibrium=True)
    # exp(-zeta omega t) = exp(-0.4927 · 12.75 · 3) = 7e-9 of the first swing of 0.7 rad is left after 3 s
    assert corrected["body2"].phi[-1] == pytest.approx(-0.31155471, abs=2e-8)
    assert at_rest["body2"].phi[0] == pytest.approx(-0.31155471, abs=0.6e-8)
    assert at_rest["body3"].x[0] == pytest.approx(0.15326944, abs=0.6e-8)
    assert at_rest["body3"].y[0] == pytest.approx(0.47592907, abs=0.6e-8)
    assert element_table(deck("platform"), at_rest, 1)[0, 2] == pytest.approx(-7.813177, abs=SIXTH)


# --- run C: dump truck -------------------------------------------------------------------------------------------------


def test_run_c_strut_force_of_the_exactly_assembled_truck():
    # 3920.1811: strut body, link multiplier and virtual work dV/dl agree; rounding the input to 4 digits costs 0.1 %
    assembled = read_kap(find("kap_dump_truck").source()).run()
    d = assembled.point("P1")
    half = math.hypot(d.x[0], d.y[0]) / 2
    assert 2 * half == pytest.approx(0.975614, abs=SIXTH)
    exact = deck("dump_truck_static", ("0.4878, 0", f"{half!r}, 0"), ("0.001, 0.001", "1e-6, 1e-6"))
    result = exact.run()
    for body in range(2, 7):
        # the same position again; KAP's phi2 = -0.38 has become the strut's length
        assert result[f"body{body}"].phi[0] == pytest.approx(assembled[f"body{body}"].phi[0], abs=1e-10)
    reaction = result.reaction("revolute9", on="body3")
    assert reaction.magnitude[0] == pytest.approx(3920.1811, abs=0.6e-4)  # half a digit, and the strut's weight of 1e-5


def test_run_c_equilibrium_with_the_rounded_force_sags():
    # the book says it "remains in equilibrium"; recomputed with its own input, y6 falls from .968 to .907 in 1.5 s
    sagging = deck("dump_truck", ("-3955", "-3916")).run(method="rk4", correct=False)
    assert sagging["body6"].y[0] == pytest.approx(0.9682, abs=1e-12)
    assert sagging["body6"].y[-1] == pytest.approx(0.907, abs=PRINTED)


def test_run_c_a_larger_force_unloads():
    result = deck("dump_truck").run()
    assert len(result) == 31
    assert result["body6"].y[-1] > 1.5
    assert (np.diff(result["body6"].phi) < 0.0).all()
    # the balance closes: what gravity and motion gained came from the cylinder, less its damping (order 8, rtol 1e-8)
    assert np.abs(result.energy.balance).max() < 1e-6 * np.abs(result.energy.input).max()


# --- all ---------------------------------------------------------------------------------------------------------------


def test_storage_and_residuals_of_the_books_decks():
    # section 10.2.1: 910 reals for the four-bar, 2650 for the truck with its strut
    assert storage(deck("four_bar"))[0] == 910
    assert storage(deck("dump_truck_static"))[0] == 2650
    # recomputed to 3 digits
    assert np.abs(residuals(deck("four_bar"))[0]).max() == pytest.approx(2.55e-4, abs=0.5e-6)
    assert np.abs(residuals(deck("platform"))[0]).max() == pytest.approx(5.10e-4, abs=0.5e-6)


@pytest.mark.parametrize("name", ["four_bar", "platform", "dump_truck"])
def test_every_corrected_run_stays_closed(name):
    # in units of the mechanism's size: projection goes on to rounding level
    assert deck(name).run().constraint_violation() < 1e-11
