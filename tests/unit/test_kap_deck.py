"""Reading KAP decks: what Fortran would have accepted is accepted, and bad decks get line, field and reason."""

import json
import math

import numpy as np
import pytest

from pytrammel.errors import FileFormatError, ModelError
from pytrammel.examples import find
from pytrammel.io.decks.kap_deck import read_kap
from pytrammel.io.decks.kap_quirks import compatibility_notes, constraint_rows, emulate, factor, storage
from pytrammel.io.decks.kap_report import deck_text, fortran_f, in_words, report
from pytrammel.io.results.result_json import result_json

COUNTS = "4,4,0,1,0,1,1"
# the four-bar of Nikravesh (1988), section 5.2.1
LINES = [
    COUNTS,
    "0,0,0",
    ".5,.8,1.047",
    "2.6,2.6,.5",
    "3.5,1.8,1",
    "1,2,0,0,-1,0",
    "2,3,1,0,-2,0",
    "3,4,2,0,2,0",
    "4,1,-2,0,2.5,0",
    "1",
    "2,3,1.0472,6.2832,0",
    "3,0.5,1.5",
    "0,1,0.025",
]
SLIDER = find("kap_slider_crank").source()


def text(**changes: str) -> str:
    """The four-bar with some lines changed: ``text(line3="...")``."""
    lines = list(LINES)
    for key, value in changes.items():
        lines[int(key.removeprefix("line")) - 1] = value
    return "\n".join(lines) + "\n"


def four_bar():
    return read_kap(text())


def test_a_deck_is_understood_record_by_record():
    deck = four_bar()
    assert deck.counts == {"NB": 4, "NR": 4, "NT": 0, "NG": 1, "NS": 0, "ND": 1, "NP": 1}
    assert deck.estimates[2] == (2.6, 2.6, 0.5)
    assert (deck.revolutes[3].i, deck.revolutes[3].j, deck.revolutes[3].p_j) == (4, 1, (2.5, 0.0))
    assert deck.grounded == ((10, 1),)
    assert (deck.drivers[0].line, deck.drivers[0].velocity) == (11, 6.2832)
    assert (deck.first, deck.last, deck.step) == (0.0, 1.0, 0.025)


@pytest.mark.parametrize(
    "variant",
    [
        text().replace(",", " "),
        text().replace(",", " , "),
        text().replace("\n", "\n\n   \n"),
        text().replace("\n", " ! said of a line\n# a whole line\n"),
        text(line3=".5D0, 8.0d-1\n1.047E+00"),
        text(line6="1, 2,\n0, 0\n-1 0"),
        text(line2="3*0.0", line6="1,2,2*0,-1,0"),
        text(line13="0,1,0.025 /"),
    ],
    ids=["blanks", "both", "blank lines", "comments", "exponents", "continued", "repeated", "slash"],
)
def test_free_format_as_fortran_reads_it(variant):
    deck, plain = read_kap(variant), four_bar()
    assert deck.estimates == plain.estimates
    assert [(r.p_i, r.p_j) for r in deck.revolutes] == [(r.p_i, r.p_j) for r in plain.revolutes]
    assert deck.times().tolist() == plain.times().tolist()


@pytest.mark.parametrize(
    ("variant", "line", "ignored"),
    [
        (text(line2="0,0,0,7"), 2, "7 is ignored"),
        (text(line6="1,2,0,0,-1,0,7 8 , 9"), 6, "7, 8, 9 are ignored"),
        (text(line7="2,3,1\n0,-2,0,5"), 7, "of the rest of line 8, 5 is ignored"),
        (text(line10="1  grounded body"), 10, "grounded, body are ignored"),
        (text(line11="2,3,1.0472,6.2832,0,,"), 11, ""),
        (text(line12="3,0.5,1.5,2*0"), 12, "0, 0 are ignored"),
        (text(line13="0,1,0.025,1"), 13, "1 is ignored"),
    ],
    ids=["estimate", "revolute joint", "on the second line", "words", "empty", "repeated", "times"],
)
def test_surplus_numbers_are_ignored_as_in_fortran_and_noted(variant, line, ignored):
    deck, plain = read_kap(variant), four_bar()
    assert (deck.estimates, deck.times().tolist()) == (plain.estimates, plain.times().tolist())
    assert [(r.p_i, r.p_j) for r in deck.revolutes] == [(r.p_i, r.p_j) for r in plain.revolutes]
    assert [(d.body, d.direction) for d in deck.drivers] == [(2, 3)]
    if not ignored:
        assert deck.notes == ()
        return
    (note,) = deck.notes
    assert note.startswith(f"Line {line}: ")
    assert ignored in note


def test_the_printed_record_of_the_dump_truck_is_read():
    """Section 10.3.3 prints ``2,3,-.38`` for a simple constraint, of which INSMPL reads two numbers."""
    deck = read_kap(find("kap_dump_truck").source().replace("\n2, 3\n", "\n2,3, -.38\n"))
    assert [(s.body, s.direction) for s in deck.simples] == [(2, 3)]
    assert "-.38 is ignored" in deck.notes[0]
    assert deck.notes[0] in compatibility_notes(deck)


def test_the_model_has_named_bodies_joints_and_points():
    model = read_kap(SLIDER).model()
    assert list(model.bodies) == ["ground", "body1", "body2", "body3", "body4"]
    assert list(model.constraints) == ["revolute1", "revolute2", "revolute3", "slider1", "fix1", "driver1"]
    assert "P1" in four_bar().model().points


@pytest.mark.parametrize(
    ("times", "n", "last"),
    [
        ("0,1,0.025", 41, 1.0),  # the book's run has 41 reports
        ("0,5.3,0.1", 54, 5.3),
        ("0,2.1,0.025", 85, 2.1),
        ("0,1,0.3", 4, 0.9),
        ("0.5,9,0", 1, 0.5),
        ("0,0,0.1", 1, 0.0),
        ("1.1,1.4,0.1", 4, 1.4),
    ],
)
def test_reports_run_to_te_whatever_the_rounding(times, n, last):
    instants = read_kap(text(line13=times)).times()
    assert len(instants) == n
    assert instants[-1] == pytest.approx(last, abs=1e-12)


def test_driver_counts_time_from_zero():
    deck = read_kap(text(line3=".5,.8,9", line11="2,3,1.0,2.0,3.0", line13="0.5,0.5,0"))
    result = deck.run()
    # pos0 + vel0 T + acc T²/2 at T = 0.5
    assert result["body2"].phi[0] == pytest.approx(1.0 + 2.0 * 0.5 + 3.0 * 0.125, abs=1e-12)
    assert result["body2"].omega[0] == pytest.approx(2.0 + 3.0 * 0.5, abs=1e-12)


def test_estimates_of_held_coordinates_are_data():
    moved = read_kap(text(line2="0.3,-0.2,0.1", line13="0,0,0")).run()
    assert [moved["body1"].x[0], moved["body1"].y[0], moved["body1"].phi[0]] == pytest.approx([0.3, -0.2, 0.1])
    tilted = read_kap(SLIDER.replace("-663.1, 0, 0 ", "-663.1, 0, 0.02").replace("0, 5.3, 0.1", "0, 0, 0")).run()
    # the guide lies along the slider: with the slider's angle 0.02 it passes the origin at that slope
    assert tilted["body4"].phi[0] == pytest.approx(0.02, abs=1e-12)
    assert tilted["body4"].y[0] / tilted["body4"].x[0] == pytest.approx(math.tan(0.02), rel=1e-9)


def test_degrees_in_give_the_same_motion():
    degrees = read_kap(
        text(
            line3=f".5,.8,{math.degrees(1.047)}", line4=f"2.6,2.6,{math.degrees(0.5)}", line5=f"3.5,1.8,{math.degrees(1.0)}",
            line11=f"2,3,{math.degrees(1.0472)},{math.degrees(6.2832)},0",
        ),
        degrees=True,
    )  # fmt: skip
    np.testing.assert_allclose(degrees.run().q, four_bar().run().q, atol=1e-10)


BAD = {
    "non-number": (
        text(line3=".5,abc,1"),
        "line 3, field 2 (y) of initial estimate of body 2: 'abc' is not a number",
    ),
    "nan": (text(line3=".5,nan,1"), "'nan' is not a number"),
    "real count": (text(line1="4.0,4,0,1,0,1,1"), "line 1, field 1 (NB) of counts: 4.0 must be a whole number"),
    "negative count": (text(line1="4,4,0,1,0,-1,1"), "line 1, field 6 (ND) of counts: -1 must not be negative"),
    "no bodies": (text(line1="0,0,0,0,0,0,0"), "field 1 (NB) of counts: 0 bodies"),
    "driver missing": (
        text(line1="4,4,0,1,0,0,1"),
        "N = 3·NB = 12, but M = 2(NR+NT)+3NG+NS+ND = 2(4+0)+3·1+0+0 = 11: one driver",
    ),
    "ground missing": (text(line1="4,4,0,0,0,1,1"), "= 9: 3 constraints missing, the grounded body (NG)?"),
    "one too many": (text(line1="4,4,0,1,0,2,1"), "= 13: one constraint or driver too many"),
    "too few values": (
        text(line6="1,2,0,0,-1"),
        "line 6: revolute joint 1 takes 6 values (i, j, xi_P_i, eta_P_i, xi_P_j, eta_P_j), but the line has 5; of the rest of line 7, "
        "3, 1, 0, -2, 0 are ignored, as in FORTRAN. Is a value missing on line 6?",
    ),
    "record missing": (
        "\n".join(LINES[:9] + LINES[10:]),
        "line 10: grounded body 1 takes 1 value (body), but the line has 5; 3, 1.0472, 6.2832, 0 are ignored, as in FORTRAN. "
        "Is a record missing before it",
    ),
    "slash in a record": (text(line6="1,2,0 / 0,-1,0"), "line 6, revolute joint 1: the / ends the record after 3 values of 6"),
    "body out of range": (
        text(line7="2,5,1,0,-2,0"),
        "line 7, field 2 (j) of revolute joint 2: there is no body 5; bodies are numbered 1 to 4",
    ),
    "joint with itself": (
        text(line7="2,2,1,0,-2,0"),
        "line 7, field 2 (j) of revolute joint 2: the joint connects body 2 with itself",
    ),
    "direction": (
        text(line11="2,4,1.0472,6.2832,0"),
        "line 11, field 2 (dir) of driver 1: 4 is no direction; use 1 for x, 2 for y, 3 for phi",
    ),
    "driver on ground": (
        text(line11="1,3,1.0472,6.2832,0"),
        "line 11, field 2 (dir) of driver 1: phi of body 1 is held already by grounded body 1 on line 10",
    ),
    "empty field": (text(line3=".5,,1"), "line 3, field 2 (y) of initial estimate of body 2: there is nothing between two commas"),
    "huge number": (
        text(line3=".5,1e200,1"),
        "line 3, field 2 (y) of initial estimate of body 2: 1e200 is too large",
    ),
    "ends early": (
        "\n".join(LINES[:10]) + "\n",
        "line 10: the deck ends here, but driver 1 (body, dir, pos0, vel0, acc) is still expected, then 1 × "
        "point of interest, the time record",
    ),
    "ends in a record": (
        "\n".join(LINES[:12]) + "\n0,1",
        "time record (T0, TE, DT) is still expected (only 2 of its 3 values are there)",
    ),
    "extra values": (text() + "5,6\n", "line 14: nothing may follow the time record, but '5,6' does"),
    "negative step": (text(line13="0,1,-0.1"), "line 13, field 3 (DT) of time record: the step is -0.1 s"),
    "end before start": (
        text(line13="2,1,0.1"),
        "line 13, field 2 (TE) of time record: the end 1 s lies before the start 2 s",
    ),
    "endless": (
        text(line13="0,1,1e-9"),
        "line 13, field 3 (DT) of time record: a step of 1e-09 s asks for more than 1000000 reports",
    ),
    "empty": ("\n\n", "the deck is empty; it must begin with the counts (NB, NR"),
    "P is Q": (
        SLIDER.replace("4, 1, 0, 0, 100, 0, 0, 0", "4, 1, 3, 0, 3, 0, 0, 0"),
        "translational joint 1: P and Q coincide at (3, 0) on body 4",
    ),
    "driven twice": (
        text(line1="4,3,0,1,0,3,1", line9="1", line10="2,3,1,6,0", line11="2,3,1.0472,6.2832,0\n3,3,1,0,0"),
        "driver 2: phi of body 2 is driven already by driver 1 on line 10",
    ),
    "held and driven": (
        text(line1="4,3,0,1,1,2,1", line9="1", line10="2,3", line11="2,3,1.0472,6.2832,0\n3,3,1,0,0"),
        "driver 1: phi of body 2 is held already by simple constraint 1 on line 10",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_deck_is_told_with_line_field_and_reason(case):
    deck, sentence = BAD[case]
    with pytest.raises(FileFormatError) as caught:
        read_kap(deck)
    assert sentence in str(caught.value)


def test_a_missing_file_is_an_error_of_ours(tmp_path):
    with pytest.raises(FileFormatError, match="cannot be read: No such file"):
        read_kap(tmp_path / "nowhere.kap")
    (tmp_path / "picture.kap").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(FileFormatError, match="not a text file"):
        read_kap(str(tmp_path / "picture.kap"))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.0, "   1.000"), (-11.0849, " -11.085"), (9999.999, "9999.999"), (10000.0, "********"), (-999.999, "-999.999"),
        (-1000.0, "********"), (-0.0004, "   0.000"), (-0.0006, "  -0.001"), (math.nan, "     NaN"),
    ],
)  # fmt: skip
def test_fortran_f8_3(value, expected):
    assert fortran_f(value, 8, 3) == expected


def test_fortran_drops_the_leading_zero_when_it_must():
    assert fortran_f(-0.25, 4, 2) == "-.25"
    assert fortran_f(math.inf, 8, 3) == "    +Inf"


def test_the_report_has_kaps_columns():
    deck = four_bar()
    lines = report(deck, deck.run()).splitlines()
    assert lines[0] == "***** KINEMATIC ANALYSIS *****"
    assert lines[2] == "TIME =     0.0000"
    assert set(lines[3]) == {"-"}
    assert lines[4].split() == ["BODY", "X", "Y", "PHI", "XD", "YD", "PHID", "XDD", "YDD", "PHIDD"]
    # I3, 6F8.3, 3F9.3
    assert lines[7] == "  3   2.824   2.553   0.423 -11.085   6.732   0.246  -52.441  -39.898   15.646"
    assert lines[9] == "POINTS OF INTEREST"
    assert lines[10].split() == ["NO.", "X", "Y", "XD", "YD", "XDD", "YDD"]
    # I3, 4F8.3, 2F9.3
    assert lines[11] == "  1   2.663   4.126 -11.472   6.692  -77.042  -42.500"
    assert sum(line.startswith("TIME") for line in lines) == 41


def test_levels_and_degrees_of_the_report():
    deck = read_kap(text(line13="0,0,0"))
    positions = report(deck, deck.run(level=1), level=1, degrees=True)
    assert "XD" not in positions
    assert "  2   0.500   0.866  60.000" in positions
    velocities = report(deck, deck.run(level=2), level=2)
    assert "PHID" in velocities
    assert "XDD" not in velocities


@pytest.mark.parametrize(("level", "name", "needed"), [(1, "body4.vx", 2), (1, "body4.ax", 3), (2, "body3.alpha", 3)])
def test_a_quantity_above_the_level_of_a_run_names_the_level(level, name, needed):
    result = read_kap(text(line13="0,0,0")).run(level=level)
    with pytest.raises(ModelError, match=rf"not computed.*--level {needed}"):
        result[name]


def test_a_deck_written_out_reads_the_same():
    for name in ("four_bar", "slider_crank", "quick_return", "platform", "dump_truck"):
        deck = read_kap(find(f"kap_{name}").source())
        again = read_kap(deck_text(deck))
        assert again.estimates == deck.estimates
        assert again.times().tolist() == deck.times().tolist()
        assert again.counts == deck.counts
    turned = read_kap(text(), degrees=True)
    assert read_kap(deck_text(turned), degrees=True).estimates[1][2] == pytest.approx(turned.estimates[1][2], rel=1e-15)


def test_the_deck_in_words():
    words = in_words(read_kap(SLIDER))
    assert "body 1 fixed at (0, 0)" in words
    assert "translational joint 1: (0, 0) of body 1 on the line through (0, 0) and (100, 0) of body 4" in words
    assert "driver 1: phi of body 2 = 5.76 -1.2 t rad" in words
    assert "54 reports from t = 0 to 5.3 s" in words


def test_json_holds_everything():
    deck = four_bar()
    result = deck.run()
    data = json.loads(json.dumps(result_json(deck, result), allow_nan=False))
    assert len(data["times"]) == 41
    assert data["bodies"]["body3"]["alpha"][0] == result["body3"].alpha[0]
    assert set(data["points"]["P1"]) == {"x", "y", "vx", "vy", "ax", "ay"}
    assert "error" not in data
    short = result_json(deck.model(), deck.run(level=1), error="stopped")
    assert set(short["bodies"]["body3"]) == {"x", "y", "phi"}
    assert short["notes"] == []
    assert short["error"] == "stopped"


# --- what KAP itself would have done -------------------------------------------------------------------------------


def notes(deck_text_):
    deck = read_kap(deck_text_)
    return " ".join(compatibility_notes(deck, deck.run()))


@pytest.mark.parametrize(
    ("name", "at_start", "total"), [("four_bar", 3, 130), ("slider_crank", 2, 187), ("quick_return", 4, 260)]
)
def test_the_emulated_newton_iteration_counts(name, at_start, total):
    # counted independently for these decks with FEPS = 1e-3 (digest of Nikravesh, section 3.12, last line)
    run = emulate(read_kap(find(f"kap_{name}").source()))
    assert run.outcome == "finished"
    assert (run.iterations[0], sum(run.iterations)) == (at_start, total)


def undamped_newton(deck, time):
    """NUTON2 by NumPy: q := q - inverse(jac) phi from the typed estimates, until no correction exceeds 1e-3."""
    q = np.array(deck.estimates).ravel()
    for iteration in range(1, 21):
        phi, jac = constraint_rows(deck, q, time)
        correction = np.linalg.solve(jac, phi)
        q = q - correction
        if np.abs(correction).max() <= 1e-3:
            return q, iteration
    return None, 20


def test_the_newton_iteration_starts_at_the_typed_estimates():
    # INDRVR stores the driver and leaves the estimate alone, so a driven angle typed elsewhere is where Newton starts
    rng = np.random.default_rng(5)
    converged = other_branch = 0
    for _ in range(150):
        angles = rng.uniform(-0.7, 0.7, 3) + (1.0472, 0.5, 1.0)
        deck = read_kap(
            text(line3=f".5,.8,{angles[0]:.4f}", line4=f"2.6,2.6,{angles[1]:.4f}", line5=f"3.5,1.8,{angles[2]:.4f}",
                 line13="0,0,0")
        )  # fmt: skip
        q, iterations = undamped_newton(deck, 0.0)
        run = emulate(deck)
        if q is None or run.outcome != "finished":
            assert run.outcome != "finished"
            continue
        converged += 1
        assert run.iterations == (iterations,)
        np.testing.assert_allclose(run.q[0], q, atol=1e-9)  # rounding of two elimination orders
        result = deck.run()
        other = np.abs(np.sin((run.q[0] - result.q[0, :12])[2::3] / 2)).max() > 1e-3
        other_branch += other
        assert ("another position" in " ".join(compatibility_notes(deck, result))) == other
    assert converged > 100


def test_the_velocity_analysis_factors_once_more():
    # cranks of 1, rod of 2, ground 2 with its crank driven to 0: the parallelogram is flat at the report itself
    lines = ["4,4,0,1,0,1,0", "0,0,0", ".9,.05,.05", "2,.05,.05", "2.9,.05,.05", "1,2,0,0,-1,0", "2,3,1,0,-1,0"]
    lines += ["3,4,1,0,1,0", "4,1,-1,0,2,0", "1", "2,3,0,0,0", "0,0,0"]
    run = emulate(read_kap("\n".join(lines)))
    assert run.outcome != "finished" or run.last_pivot < 1e-3


def test_storage_of_the_quick_return():
    # Fig. 5.1 of the book: the six-body quick-return needs 466 of the 500 reals
    assert storage(read_kap(find("kap_quick_return").source()))[0] == 466


def test_the_factors_solve_and_never_test_the_last_pivot():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(7, 7)), rng.normal(size=7)
    np.testing.assert_allclose(factor(a).solve(b), np.linalg.solve(a, b), rtol=1e-9)
    redundant_last = np.vstack([a[:6], a[5:6]])
    assert factor(redundant_last).singular_row == -1
    redundant_before = np.vstack([a[:5], a[4:5], a[6:]])
    assert factor(redundant_before).singular_row == 5


def test_a_good_deck_has_only_the_note_on_data():
    deck = four_bar()
    assert compatibility_notes(deck, deck.run()) == [
        "These estimates are data, not guesses, as in KAP: x, y, phi of body 1 (grounded)."
    ]


def test_small_numbers_look_singular_to_kap():
    deck = [line.split("!")[0].split(",") for line in SLIDER.splitlines()[1:]]
    metres = []
    for k, values in enumerate(deck):
        lengths = {1: (0, 1), 2: (0, 1), 3: (0, 1), 4: (0, 1)}.get(
            k, tuple(range(2, len(values))) if 5 <= k <= 8 else ()
        )
        metres.append(",".join(str(float(v) / 1000) if i in lengths else v for i, v in enumerate(values)))
    metres[8] = "4,1,0,0,0.0005,0,0,0"
    told = notes("\n".join(metres))
    assert "***THE MATRIX IS SINGULAR*** at t = 0 s: the pivot of the row line of slider1 is smaller than 0.001" in told
    assert "The matrix is not singular" in told


def test_a_position_that_kap_cannot_reach():
    # ground of 9 between bars of 1, 4 and 4: never closed, so that the undamped iteration cannot converge
    deck = read_kap(text(line9="4,1,-2,0,9,0", line13="0,0,0"))
    told = " ".join(compatibility_notes(deck))
    assert "***CONVERGENCE FAILED*** at t = 0 s" in told
    assert "from the estimates" in told


def test_an_estimate_from_which_kap_divides_by_zero():
    told = notes(text(line4="2.6,2.6,0", line5="3.5,1.8,0", line13="0,0,0"))
    assert "KAP would have divided by zero at t = 0 s: its last pivot (driver1)" in told


def test_an_estimate_that_leads_kap_to_another_branch():
    told = notes(text(line4="2.6,2.6,-1", line5="3.5,1.8,0", line13="0,0,0"))
    assert "KAP would have reported another position from t = 0 s on" in told


def test_more_than_kap_could_store():
    # eight bodies in a chain of drivers: N = 24, so the Jacobian alone takes 576 of 500 reals
    lines = ["8,0,0,1,0,21,0", *["0,0,0"] * 8, "1"]
    lines += [f"{body},{d},0,0,0" for body in range(2, 9) for d in (1, 2, 3)] + ["0,0,0"]
    assert "KAP would have stopped at once: the deck needs" in notes("\n".join(lines))


def test_values_that_do_not_fit_are_counted():
    lines = ["1,0,0,0,2,1,0", "20000,0,0", "1,1", "1,2", "1,3,0,1,0", "0,0,0"]
    deck = read_kap("\n".join(lines))
    result = deck.run()
    assert "********" in report(deck, result)
    assert "1 value too wide" in " ".join(compatibility_notes(deck, result))


@pytest.mark.parametrize("digits", [19, 5000, 100_000])
def test_whole_numbers_of_any_length_are_answered_with_a_sentence(digits):
    """Python itself refuses to read an integer of more than 4300 digits, with a ValueError."""
    from pytrammel.io.decks.deck_fields import FieldReader

    with pytest.raises(
        FileFormatError, match=r"line 1, field 1 \(n\) of counts: 9+\.\.\. is too large a whole number|is too large"
    ):
        FieldReader("9" * digits, "deck").take("counts", ["n"], integers=["n"])
    reader = FieldReader("9" * digits + "*1", "deck")
    assert reader.take("counts", ["n"], integers=["n"]).values == (1,)
    assert 0 < len(reader.surplus[0].values) < 1000
    with pytest.raises(FileFormatError, match="is too large"):
        FieldReader("9" * max(digits, 200), "deck").take("numbers", ["x"])
