"""Reading DAP decks, DAP's report, and the notes on what DAP would have done."""

import json
import math

import numpy as np
import pytest

from dap_decks import FALLING, LINES, NAMES, SLIDER, bundled, text
from pytrammel.errors import ConvergenceError, FileFormatError, MobilityError, SingularError
from pytrammel.io.decks.dap_deck import read_dap
from pytrammel.io.decks.dap_quirks import compatibility_notes
from pytrammel.io.decks.dap_report import dap_json, deck_text, in_words, report

# decks type three digits: their velocities contradict the joints in the fourth
pytestmark = pytest.mark.filterwarnings("ignore:the given starting velocities contradict")


# --- reading ---------------------------------------------------------------------------------------------------------


def test_a_deck_is_understood_record_by_record():
    deck = read_dap(text())
    assert deck.counts == {"NB": 4, "NR": 4, "NT": 0, "NG": 1, "NS": 0, "NSP": 1, "NP": 1}
    assert (deck.bodies[2].x, deck.bodies[2].mass, deck.bodies[2].inertia) == (2.824, 2.25, 2.0)
    element = deck.elements[0]
    assert (element.i, element.j, element.p_i, element.p_j) == (1, 3, (0.0, 0.0), (0.0, 0.0))
    assert (element.stiffness, element.damping, element.force, element.free_length) == (10.0, 2.0, -3.0, 1.5)
    assert (deck.n_coordinates, deck.n_constraints, deck.is_static) == (12, 11, False)
    assert len(deck.times()) == 11


def test_the_model_has_named_bodies_joints_elements_and_loads():
    model = read_dap(text(line3=".5,.866,1.047,0,0,0,1,.3,1,0,2")).model()
    assert list(model.bodies) == ["ground", "body1", "body2", "body3", "body4"]
    assert list(model.constraints) == ["revolute1", "revolute2", "revolute3", "revolute4", "fix1"]
    assert list(model.forces) == ["element1", "load2", "moment2"]
    assert model.gravity == (0.0, -9.81)
    assert model.bodies["body1"].mass is None


BAD = {
    "too many constraints": (
        text(line1="4,5,0,1,0,1,1"),
        "line 1, counts: N = 3·NB = 12, but M = 2(NR+NT)+3NG+NS = 2(5+0)+3·1+0 = 13: 1 constraint too many",
    ),
    "non-number": (text(line3=".5,abc,1,0,0,0,1,.3,0,0,0"), "line 3, field 2 (y) of body 2: 'abc' is not a number"),
    "too few values": (
        text(line3=".5,.866,1.047,0,0,0,1,.3,0,0"),
        "line 3: body 2 takes 11 values (x, y, phi, xd, yd, phid, m, mu, fx, fy, n), but the line has 10",
    ),
    "negative mass": (text(line3=".5,.866,1.047,0,0,0,-1,.3,0,0,0"), "field 7 (m) of body 2: the mass is -1"),
    "negative inertia": (
        text(line3=".5,.866,1.047,0,0,0,1,-.3,0,0,0"),
        "field 8 (mu) of body 2: the moment of inertia is -0.3; it must not be negative",
    ),
    "element with itself": (
        text(line11="3,3,0,0,0,0,10,2,-3,1.5"),
        "line 11, field 2 (j) of spring-damper-actuator element 1: the element connects body 3 with itself",
    ),
    "element on no body": (text(line11="1,7,0,0,0,0,10,2,-3,1.5"), "there is no body 7; bodies are numbered 1 to 4"),
    "negative stiffness": (
        text(line11="1,3,0,0,0,0,-10,2,-3,1.5"),
        "line 11, field 7 (k) of spring-damper-actuator element 1: the stiffness is -10",
    ),
    "negative length": (text(line11="1,3,0,0,0,0,10,2,-3,-1.5"), "field 10 (l0) of spring-damper-actuator element 1"),
    "ends early": (
        "\n".join(LINES[:10]),
        "line 10: the deck ends here, but spring-damper-actuator element 1 (i, j, xi_P_i, eta_P_i, xi_P_j, eta_P_j, k, d, fa, l0) "
        "is still expected, then 1 × point of interest, the time record (T0, TE, DT)",
    ),
    "step of zero": (text(line13="0,1,0"), "line 13, field 3 (DT) of time record: the step is 0, so that the end 1 s"),
    "negative step": (text(line13="0,1,-0.1"), "line 13, field 3 (DT) of time record: the step is -0.1 s"),
    "end before start": (text(line13="2,1,0.1"), "line 13, field 2 (TE) of time record: the end 1 s lies before"),
    "extra values": (text() + "5,6\n", "line 14: nothing may follow the time record, but '5,6' does"),
    "held twice": (
        "2,0,0,1,1,0,0\n0,0,0,0,0,0,0,0,0,0,0\n0,0,0,0,0,0,1,1,0,0,0\n1\n1,2\n0,1,.1\n",
        "line 5, field 2 (dir) of simple constraint 1: y of body 1 is held already by grounded body 1 on line 4",
    ),
    "P is Q": (text(SLIDER, line4="2,1,3,0,3,0,0,0"), "translational joint 1: P and Q coincide at (3, 0) on body 2"),
    "empty": ("\n\n", "the deck is empty; it must begin with the counts (NB, NR, NT, NG, NS, NSP, NP)"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_deck_is_told_with_line_field_and_reason(case):
    deck, sentence = BAD[case]
    with pytest.raises(FileFormatError) as caught:
        read_dap(deck)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_a_deck_written_out_reads_the_same(name):
    deck = read_dap(bundled(name))
    again = read_dap(deck_text(deck))
    assert again.counts == deck.counts
    assert again.estimates == deck.estimates
    for mine, other in zip(deck.elements, again.elements, strict=True):
        assert (mine.p_j, mine.damping, mine.force) == (other.p_j, other.damping, other.force)
    assert again.times().tolist() == deck.times().tolist()


def test_degrees_in_give_the_same_motion():
    def degrees(line):
        values = line.split(",")
        values[2], values[5] = (repr(math.degrees(float(values[k]))) for k in (2, 5))
        return ",".join(values)

    turned = read_dap(text(**{f"line{k}": degrees(LINES[k - 1]) for k in range(2, 6)}), degrees=True)
    # one rounding of the angles, grown over a quarter of a second
    np.testing.assert_allclose(turned.run().q, read_dap(text()).run().q, atol=1e-10)
    assert read_dap(deck_text(turned), degrees=True).bodies[1].phi == pytest.approx(1.047, abs=1e-14)
    assert "ANGLES IN DEGREES" in report(turned, turned.run(every=100))
    assert "turned 59.98" in in_words(turned)


# --- running ---------------------------------------------------------------------------------------------------------


def test_a_body_without_constraints_falls_freely():
    # x = t, y = 10 - 9.81 t²/2, phi = 2 t; a polynomial that both methods integrate exactly
    for options in ({}, {"method": "rk4", "correct": False}):
        result = read_dap(text(FALLING)).run(**options)
        assert result.q[-1] == pytest.approx([1.0, 10 - 9.81 / 2, 2.0], abs=1e-12)


def test_two_free_bodies_with_a_spring():
    # example 9.2 of the book: accelerations recomputed to 4 decimals
    lines = [
        "2,0,0,0,0,1,0",
        "-.1,.2,.785,0,0,0,.2,.03,0,0,0",
        ".1,.1,.262,0,0,0,.15,.02,0,0,0",
        "1,2,.15,0,0,.1,50,0,0,.2",
        "0,0,0",
    ]
    result = read_dap(text(lines)).run()
    expected = [-9.3886, 5.3017, 17.3259, 12.5181, -29.9589, -5.1541]
    assert result.a[0] == pytest.approx(expected, abs=0.5e-4 * 1.0001)


def test_a_slider_with_loads_has_its_closed_form_reactions():
    # a = 3/2; the guide carries 2 · 9.81 and the moment 0.6; about the ground's origin 19.62 · 0.5 + 0.6 = 10.41
    deck = read_dap(text(SLIDER))
    result = deck.run()
    assert result.a[0, 3:] == pytest.approx([1.5, 0, 0], abs=1e-12)
    lines = report(deck, result).splitlines()
    assert "  TRA.  1   2     0.000    19.620     0.600   1     0.000   -19.620   -10.410" in lines
    assert "  GRD.  1   1     0.000    19.620    10.410" in lines


def test_gravity_can_be_turned_and_switched_off():
    deck = read_dap(text(FALLING))
    assert deck.run(gravity=(0.0, 0.0)).a[0] == pytest.approx([0, 0, 0], abs=1e-15)
    assert deck.run(gravity=(1.0, -2.0)).a[0] == pytest.approx([1, -2, 0], abs=1e-12)


def test_a_structure_ignores_velocities_and_times():
    plain = read_dap(bundled("dump_truck_static"))
    moving = read_dap(
        bundled("dump_truck_static")
        .replace("0, 0, 0,  100, 27", "9, 9, 9,  100, 27")
        .replace("0, 0, 0.1 ", "3, 1, -1 ")
    )
    assert moving.times().tolist() == [3.0]
    for correct in (True, False):
        first, second = plain.run(correct=correct), moving.run(correct=correct)
        np.testing.assert_allclose(second.reaction("revolute9").force, first.reaction("revolute9").force, rtol=1e-9)


@pytest.mark.parametrize("correct", [True, False])
def test_a_structure_that_can_move_is_told(correct):
    # a horizontal rod on a pin: holding x as well does not keep it from falling
    lines = ["2,1,0,1,1,0,0", "0,0,0,0,0,0,0,0,0,0,0", ".5,0,0,0,0,0,2,.1,0,0,0", "1,2,0,0,-.5,0", "1", "2,1", "0,0,0"]
    with pytest.raises(MobilityError, match=r"M = N = 6 constraints, but they do not hold it \(rank 5 as typed\)"):
        read_dap(text(lines)).run(correct=correct)


@pytest.mark.parametrize("options", [{}, {"method": "rk4", "correct": False}])
def test_a_stretched_start_is_never_reported_as_if_the_joints_held(options):
    # rods 1, 2, 1 between pins 4 apart lie on one line and cannot leave it
    rods = [f"{x},0,0,0,0,0,1,.1,0,0,0" for x in (0.5, 2.0, 3.5)]
    pins = ["1,2,0,0,-.5,0", "2,3,.5,0,-1,0", "3,4,1,0,-.5,0", "4,1,.5,0,4,0"]
    lines = ["4,4,0,1,0,0,0", "0,0,0,0,0,0,0,0,0,0,0", *rods, *pins, "1", "0,.5,.1"]
    try:
        closure = read_dap(text(lines)).run(**options).constraint_violation()
    except (SingularError, ConvergenceError):
        return
    assert closure < 1e-2


def test_redundant_joints_that_hold_are_no_trouble():
    # a swinging rod whose pin is given twice, and a free body: M = 7 of N = 9, but only 5 rows count
    lines = [
        "3,2,0,1,0,0,0",
        "0,0,0,0,0,0,0,0,0,0,0",
        ".5,0,0,0,0,0,1,.0833,0,0,0",
        "5,5,0,0,0,0,1,1,0,0,0",
        "1,2,0,0,-.5,0",
    ]
    once = read_dap(text(["3,1,0,1,0,0,0", *lines[1:], "1", "0,.2,.1"])).run()
    twice = read_dap(text([*lines, lines[-1], "1", "0,.2,.1"])).run()
    assert twice.redundant
    np.testing.assert_allclose(twice.q, once.q, atol=1e-9)


# --- report and notes ------------------------------------------------------------------------------------------------


def test_the_report_has_daps_columns():
    deck = read_dap(text())
    lines = report(deck, deck.run(correct=False, every=100)).splitlines()
    assert lines[0] == "***** DYNAMIC ANALYSIS *****"
    assert lines[2] == "TIME =     0.0000"
    assert lines[4].split() == ["BODY", "X", "Y", "PHI", "XD", "YD", "PHID", "XDD", "YDD", "PHIDD"]
    assert lines[9:11] == ["POINTS OF INTEREST", "NO.       X       Y      XD      YD      XDD      YDD"]
    assert lines[12:14] == ["TRANSLATIONAL SPRING-DAMPER-ACTUATOR", "NO.    LENGTH  d(EL)/dt      f(s)      f(d)"]
    # I3, 4F10.3: length sqrt(2.824² + 2.553²) = 3.80694 at rest, spring 10 (3.80694 - 1.5)
    assert lines[14] == "  1     3.807     0.000    23.069     0.000"
    assert lines[15] == "REACTION FORCES"
    assert lines[16].split() == ["JOINT", "NO.", "I", "FX-I", "FY-I", "N-I", "J", "FX-J", "FY-J", "N-J"]
    # 2X, A4, I3, I4, 3F10.3, I4, 3F10.3
    assert lines[17].startswith("  REV.  1   1 ")
    assert [len(line) for line in lines[16:21]] == [77] * 5
    assert lines[21] == "GROUND (not in DAP)"


def test_the_printed_lines_of_the_book():
    # section 10.3.1, first time step (the sign of FX-J in the last line is lost in print)
    deck = read_dap(bundled("four_bar"))
    lines = report(deck, deck.run(method="rk4", correct=False)).splitlines()
    assert "  2   0.500   0.866   1.047   0.000   0.000   0.000    2.544   -1.470   -2.938" in lines
    assert "  REV.  1   1    -7.242   -15.387     0.000   2     7.242    15.387    -1.425" in lines
    assert "  REV.  4   4    12.242    24.202    -5.334   1   -12.242   -24.202   -60.504" in lines
    assert sum(line.startswith("TIME") for line in lines) == 11


def test_the_static_report_has_coordinates_and_reactions_only():
    deck = read_dap(bundled("dump_truck_static"))
    lines = report(deck, deck.run(correct=False)).splitlines()
    assert lines[0] == "***** STATIC ANALYSIS *****"
    assert lines[2] == "BODY      X       Y     PHI"
    assert lines[9] == "  7   0.457   0.170   0.357"
    assert lines[10] == "REACTION FORCES"
    assert not any(line.startswith(("TIME", "POINTS", "TRANSLATIONAL")) for line in lines)


def test_a_simple_constraint_acts_on_one_body():
    deck = read_dap("1,0,0,0,2,0,0\n0,0,0,0,0,0,2,.1,3,0,-.6\n1,2\n1,3\n0,.2,.1\n")
    lines = report(deck, deck.run()).splitlines()
    assert "  SMP.  1   1     0.000    19.620     0.000" in lines
    assert "  SMP.  2   1     0.000     0.000     0.600" in lines
    assert "GROUND (not in DAP)" not in lines


def test_the_deck_in_words():
    words = in_words(read_dap(bundled("platform")))
    assert "12 coordinates, 11 constraints, 1 degree of freedom: dynamic analysis" in words
    assert (
        "body 3 begins at (-0.171, 0.47), turned 0 rad, velocity (0.33, 0.12), spin 0 rad/s; mass 1.5, inertia 0.2"
        in words
    )
    assert "element 1 from (0.25, 0) of body 1 to (-0.25, 0) of body 3: stiffness 700, damping 50" in words
    assert "a structure: static analysis" in in_words(read_dap(bundled("dump_truck_static")))
    assert "; load (3, 0), moment -0.6" in in_words(read_dap(text(SLIDER)))


def notes(deck_, **options):
    deck = read_dap(deck_)
    return " ".join(compatibility_notes(deck, deck.run(**options)))


@pytest.mark.filterwarnings(
    "ignore:the (energy balance|joints come apart)"
)  # true of a start taken as typed, with open joints
def test_notes_on_the_start():
    corrected, typed = notes(bundled("platform")), notes(bundled("platform"), correct=False)
    for told in (corrected, typed):
        assert (
            "joints are open by up to 5.10e-04 (x of revolute3); constraint velocities are off by up to 8.00e-05"
            in told
        )
        assert "DAP would not have noticed" in told
    assert "The start was changed before the analysis: body2.x moved from -0.335 to -0.3354" in corrected
    assert "velocity of body2.x changed from 0.165 to 0.16" in corrected
    assert "It was taken as typed, as DAP did." in typed
    assert "body6.phi moved from -0.163 to" in notes(bundled("dump_truck_static"))
    at_rest = notes(bundled("platform"), equilibrium=True)
    assert "body3.x moved from -0.171 to 0.153269" in at_rest


def test_a_consistent_start_needs_no_note():
    told = notes(text(SLIDER))
    assert "does not satisfy" not in told
    assert "changed" not in told


def test_notes_on_what_dap_prints():
    told = notes(bundled("four_bar"))
    assert "one more report, at t = 0.275 s" in told
    assert "about the centroid of that body" in told
    assert "constants of the constraints, as in DAP: x, y, phi of body 1 (grounded)" in told
    assert "DAP would never have ended" in notes(text(SLIDER))
    assert "one more report" not in notes(bundled("dump_truck_static"))


def test_notes_on_what_dap_cannot_do():
    assert "DAP cannot run a deck without constraints (M = 0)" in notes(text(FALLING))
    # eight rods in a chain: N = 27, M = 19, and 46² = 2116 of 3000 reals for the matrix alone
    rods = [f"{k + 0.5},0,0,0,0,0,1,.0833,0,0,0" for k in range(8)]
    pins = ["1,2,0,0,-.5,0", *(f"{k},{k + 1},.5,0,-.5,0" for k in range(2, 9))]
    lines = ["9,8,0,1,0,0,0", "0,0,0,0,0,0,0,0,0,0,0", *rods, *pins, "1", "0,0,0"]
    assert "DAP would have stopped at once: the deck needs" in notes(text(lines))


def test_notes_on_daps_factors():
    # the last pin repeats the first; DAP's side is told without a result, too
    rods = [f"{k + 0.5},0,0,0,0,0,1,.0833,0,0,0" for k in range(3)]
    pins = ["1,2,0,0,-.5,0", "2,3,.5,0,-.5,0", "3,4,.5,0,-.5,0", "1,2,0,0,-.5,0"]
    lines = ["4,4,0,1,0,0,0", "0,0,0,0,0,0,0,0,0,0,0", *rods, *pins, "1", "0,0,0"]
    assert "***THE MATRIX IS SINGULAR*** at t = 0 s" in " ".join(compatibility_notes(read_dap(text(lines))))
    # no inertia and nothing that holds the angle: the last pivot is zero
    assert "DAP never tests its last pivot, which is 0.0e+00 here" in notes(
        text(FALLING, line2="0,10,0,1,0,0,2,0,0,0,0")
    )


def test_values_that_do_not_fit_are_counted():
    # F10.3 holds -99999.999 to 999999.999: FY = 1 962 000 three times, and N = -981 000 on the ground
    deck = read_dap(text(SLIDER, line3=".5,0,0,0,0,0,200000,.1,0,0,0"))
    result = deck.run()
    assert report(deck, result).count("*" * 10) == 4
    assert "4 values too wide" in " ".join(compatibility_notes(deck, result))


def test_json_holds_motion_reactions_and_elements():
    deck = read_dap(text())
    result = deck.run()
    data = json.loads(json.dumps(dap_json(deck, result, ["a note"]), allow_nan=False))
    assert data["analysis"] == "dynamic"
    assert data["notes"] == ["a note"]
    assert data["bodies"]["body3"]["ay"] == result["body3"].ay.tolist()
    assert set(data["reactions"]) == {"revolute1", "revolute2", "revolute3", "revolute4", "fix1"}
    pin = data["reactions"]["revolute1"]
    assert pin["body1"]["fx"] == [-v for v in pin["body2"]["fx"]]
    assert set(data["elements"]["element1"]) == {"length", "rate", "spring", "damper", "actuator"}
    assert "error" not in data
    assert dap_json(deck, result, [], error="stopped")["error"] == "stopped"
