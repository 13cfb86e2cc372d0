"""The runs of DAP printed in Nikravesh, Computer-Aided Analysis of Mechanical Systems (Prentice Hall, 1988), section 10.3.

A four-bar falling from rest (10.3.1), B platform on a spring-damper (10.3.2), C dump truck, statics and dynamics (10.3.3). Two
kinds of numbers: those printed by the book, to 3 decimals, and those recomputed independently of Trammel from the printed input,
to the digits given (they also restore minus signs lost in print). The tolerance is half a unit of the last digit given, unless a
comment says why not. DAP never corrects its input, so runs that are compared with print take the start as typed.
"""

import math
from functools import cache
from importlib import resources

import numpy as np
import pytest

from trammel.examples import find
from trammel.files.dap_deck import read_dap
from trammel.files.dap_quirks import residuals, storage
from trammel.files.dap_report import element_table, reaction_tables
from trammel.files.kap_deck import read_kap
from trammel.files.kap_quirks import constraint_rows

# DAP let its joints drift, which these runs repeat; a run of ours says so
# decks type three digits: their velocities contradict the joints in the fourth
pytestmark = [
    pytest.mark.filterwarnings("ignore:the joints come apart"),
    pytest.mark.filterwarnings("ignore:the given starting velocities contradict"),
]

PRINTED = 0.5e-3 * 1.0001
SIXTH = 0.5e-6 * 1.0001


def source(name):
    return (resources.files("trammel.examples") / "decks" / f"{name}.dap").read_text(encoding="utf-8")


def deck(name, *changes):
    text = source(name)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return read_dap(text)


@cache
def as_dap_did(name):
    """Typed start, fixed steps of DT, nothing that holds the constraints."""
    return deck(name).run(method="rk4", correct=False)


def accelerations(result, k):
    return {n: result.a[k, 3 * n - 3 : 3 * n].tolist() for n in range(1, result.a.shape[1] // 3 + 1)}


def reactions(name, result, k):
    """{joint: [(body, FX, FY, N), …]}."""
    tables = reaction_tables(deck(name), result)
    return {joint: [(body, *table[k]) for body, table in sides] for joint, sides in tables.items()}


def assert_reactions(got, expected, tolerance):
    for joint, sides in expected.items():
        for (body, *numbers), side in zip(got[joint], sides, strict=True):
            assert body == side[0]
            assert numbers == pytest.approx(side[1:], abs=tolerance), f"{joint} on body {body}"


# --- run A: four-bar falling from rest ---------------------------------------------------------------------------------

# the book prints 3 decimals; -1.6795 and -5.3345 lie halfway and were printed either way
FOUR_BAR_ACCELERATIONS = {
    1: [0, 0, 0],
    2: [2.544, -1.470, -2.938],
    3: [5.183, -3.149, -0.115],
    4: [2.639, -1.6795, -1.564],
}
FOUR_BAR_REACTIONS = {
    "revolute1": [(1, -7.242, -15.387, 0.0), (2, 7.242, 15.387, -1.425)],
    "revolute2": [(2, -4.698, -7.046, 0.543), (3, 4.698, 7.046, -8.994)],
    "revolute3": [(3, 6.964, 7.941, 8.764), (4, -6.964, -7.941, 3.223)],
    "revolute4": [(4, 12.242, 24.202, -5.3345), (1, -12.242, -24.202, -60.504)],
}
# multipliers of the ground rows, recomputed to 5 decimals (DAP does not print them)
FOUR_BAR_GROUND = [19.48375, 39.58849, 60.50408]
# x2 y2 phi2 x3 y3 phi3 x4 y4 phi4 and the three angular velocities; recomputed with RK4 and the same steps, to 6 decimals
FOUR_BAR_PATH = {
    0.05: ([0.503181, 0.864155, 1.043322, 2.830478, 2.549052, 0.422859, 3.577297, 1.684897, 1.002045],
           [-0.147301, -0.005553, -0.078235]),
    0.10: ([0.512734, 0.858519, 1.032230, 2.849907, 2.537062, 0.422465, 3.587173, 1.678543, 0.996173],
           [-0.296977, -0.009863, -0.156675]),
    0.15: ([0.528687, 0.848784, 1.013542, 2.882262, 2.516592, 0.421917, 3.603575, 1.667808, 0.986372],
           [-0.451644, -0.011468, -0.235428]),
    0.20: ([0.551082, 0.834411, 0.986930, 2.927479, 2.486896, 0.421396, 3.626397, 1.652485, 0.972627],
           [-0.614484, -0.008391, -0.314359]),
    0.25: ([0.579976, 0.814585, 0.951887, 2.985423, 2.446895, 0.421205, 3.655447, 1.632310, 0.954943],
           [-0.789789, 0.002372, -0.392851]),
}  # fmt: skip


def test_run_a_first_step_as_printed():
    result = as_dap_did("four_bar")
    for body, expected in FOUR_BAR_ACCELERATIONS.items():
        assert accelerations(result, 0)[body] == pytest.approx(expected, abs=PRINTED)
    point = result.point("P1")
    assert [point.x[0], point.y[0], point.ax[0], point.ay[0]] == pytest.approx(
        [2.664, 4.126, 5.364, -3.131], abs=PRINTED
    )
    got = reactions("four_bar", result, 0)
    assert_reactions(got, FOUR_BAR_REACTIONS, PRINTED)
    assert got["fix1"][0][1:] == pytest.approx(FOUR_BAR_GROUND, abs=0.5e-5 * 1.0001)


def test_run_a_path_with_daps_own_steps():
    result = as_dap_did("four_bar")
    assert len(result) == 11
    for time, (position, spin) in FOUR_BAR_PATH.items():
        k = int(np.argmin(np.abs(result.times - time)))
        assert result.q[k, 3:] == pytest.approx(position, abs=SIXTH), f"t = {time}"
        assert result.v[k, 5::3] == pytest.approx(spin, abs=SIXTH), f"t = {time}"
    # recomputed to 4 decimals
    at_the_end = {
        "revolute1": (2, 6.6711, 12.0579, -1.5616), "revolute2": (3, 4.0449, 4.8842, -5.6071),
        "revolute3": (4, -7.1830, -6.6416, 4.0536), "revolute4": (1, -11.9109, -22.1595, -55.3988),
    }  # fmt: skip
    got = reactions("four_bar", result, -1)
    for joint, (body, *expected) in at_the_end.items():
        assert got[joint][1][0] == body
        assert got[joint][1][1:] == pytest.approx(expected, abs=0.5e-4 * 1.0001)


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

PLATFORM_START = {
    "revolute1": [(1, 45.067, -105.648, 26.412), (2, -45.067, 105.648, -1.556)],
    "revolute2": [(2, 53.245, -96.865, -4.228), (3, -53.245, 96.865, -24.216)],
    "revolute3": [(3, -23.310, 14.601, 3.650), (4, 23.310, -14.601, -4.228)],
    "revolute4": [(4, -15.132, 23.384, -1.556), (1, 15.132, -23.384, -5.846)],
}
PLATFORM_END = {
    "revolute1": [(1, -1.283, -6.933, 1.733), (2, 1.283, 6.933, -0.225)],
    "revolute2": [(2, -1.283, -1.047, 0.225), (3, 1.283, 1.047, -0.262)],
    "revolute3": [(3, 3.311, 7.358, 1.839), (4, -3.311, -7.358, 0.225)],
    "revolute4": [(4, 3.311, 13.244, -0.225), (1, -3.311, -13.244, -3.311)],
}


def test_run_b_first_step_as_printed():
    # the printed run belongs to y3 = 0.470; the listing's 0.46895 is a misprint
    result = as_dap_did("platform")
    got = accelerations(result, 0)
    assert got[2] == pytest.approx([13.630, 4.829, -57.838], abs=PRINTED)
    assert got[3] == pytest.approx([27.260, 9.658, 0], abs=PRINTED)
    assert got[4] == pytest.approx([13.630, 4.829, -57.838], abs=PRINTED)
    assert element_table(deck("platform"), result, 1)[0] == pytest.approx(
        [0.819, -0.201, 153.462, -10.072], abs=PRINTED
    )
    assert_reactions(reactions("platform", result, 0), PLATFORM_START, PRINTED)


def test_run_b_last_step_as_printed():
    result = as_dap_did("platform")
    assert result.times[-1] == pytest.approx(3.0, abs=1e-12)
    assert result.q[-1, 3:] == pytest.approx(
        [-0.173, 0.238, -0.311, 0.153, 0.476, 0, 0.327, 0.238, -0.311], abs=PRINTED
    )
    assert np.abs(result.v[-1]).max() < PRINTED
    assert np.abs(result.a[-1]).max() < PRINTED
    assert element_table(deck("platform"), result, 1)[-1] == pytest.approx([0.589, 0, -7.805, 0], abs=PRINTED)
    # DAP ran in single precision: its print is off by one unit of the last digit here and there after 300 steps
    assert_reactions(reactions("platform", result, -1), PLATFORM_END, 1.0e-3 * 1.0001)
    # the same in double precision, recomputed to 4 decimals
    assert element_table(deck("platform"), result, 1)[-1, 2] == pytest.approx(-7.8048, abs=0.5e-4)


def drift(result, time):
    k = int(np.argmin(np.abs(result.times - time)))
    return np.abs(constraint_rows(deck("platform"), result.q[k], time)[0]).max()


def test_run_b_drift_of_the_constraints():
    # recomputed with the same steps to 3 digits, or the 2 given
    free = as_dap_did("platform")
    assert [drift(free, t) for t in (0.0, 1.0, 3.0)] == pytest.approx([5.10e-4, 5.70e-4, 7.31e-4], abs=0.6e-6)
    for gain, expected in ((5.0, (1.44e-4, 2.0e-5, 2.5e-9)), (10.0, (2.0e-5, 2.5e-7, None))):
        held = deck("platform").run(method="rk4", correct=False, constraints="baumgarte", alpha=gain, beta=gain)
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

# double-precision recompute of the printed table; the print (single precision, signs lost) differs by up to 0.004
DUMP_TRUCK = {
    "revolute1": [(1, -835.818, 331.874, 0.000), (2, 835.818, -331.874, 0.364)],
    "revolute2": [(1, 4505.032, 8.583, -887.274), (4, -4505.032, -8.583, -912.248)],
    "revolute3": [(2, -835.818, 335.798, -0.364), (3, 835.818, -335.798, 455.377)],
    "revolute4": [(3, -5565.863, -307.830, 154.884), (4, 5565.863, 307.830, 425.473)],
    "revolute5": [(3, 1060.831, -705.297, -854.017), (6, -1060.831, 705.297, -45.452)],
    "revolute6": [(4, -1060.831, -279.627, 486.775), (5, 1060.831, 279.627, -0.380)],
    "revolute7": [(5, -1060.831, -275.703, 0.380), (6, 1060.831, 275.703, 45.452)],
    "revolute8": [(1, -3669.214, -1368.555, 0.000), (7, 3669.214, 1368.555, -0.002)],
    "revolute9": [(3, 3669.214, 1368.545, 243.756), (7, -3669.214, -1368.545, 0.002)],
}
# components as printed, where the print is legible
DUMP_TRUCK_PRINTED = {
    "revolute2": [(4505.031, 8.582, -887.275), (-4505.031, None, -912.248)],
    "revolute4": [(-5565.859, -307.829, 154.884), (5565.859, 307.829, 425.473)],
    "revolute8": [(-3669.213, -1368.553, 0.0), (3669.213, 1368.553, None)],
}


def test_run_c_static_table_as_typed():
    result = deck("dump_truck_static").run(correct=False)
    got = reactions("dump_truck_static", result, 0)
    assert_reactions(got, DUMP_TRUCK, PRINTED)
    for joint, sides in DUMP_TRUCK_PRINTED.items():
        for (_, *numbers), side in zip(got[joint], sides, strict=True):
            for number, printed in zip(numbers, side, strict=True):
                if printed is not None:
                    # 7 digits of single precision, printed to 0.001
                    assert number == pytest.approx(printed, abs=0.0045)
    # the ground carries all weights: 104.801 · 9.81
    assert got["fix1"][0][2] == pytest.approx(104.801 * 9.81, abs=1e-9)
    _, fx, fy, _ = got["revolute9"][0]
    assert math.hypot(fx, fy) == pytest.approx(3916, abs=0.5)


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
    assert reaction.size[0] == pytest.approx(3920.1811, abs=0.6e-4)  # half a digit, and the strut's weight of 1e-5


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
    assert deck(name).run().closure() < 1e-11
