"""Decks with redundant constraint equations, without masses, and KAP's own algorithm with its constants."""

import re

import numpy as np
import pytest

from dap_decks import bundled, text
from pytrammel.cli.main import main
from pytrammel.errors import ConvergenceError, FileFormatError, MobilityError, ModelError, SingularError, TrammelError
from pytrammel.examples import find
from pytrammel.io.decks.dap_deck import read_dap
from pytrammel.io.decks.dap_quirks import dap_matrix
from pytrammel.io.decks.dap_report import reaction_tables
from pytrammel.io.decks.deck_redundancy import redundancy_notes
from pytrammel.io.decks.kap_deck import read_kap
from pytrammel.io.decks.kap_quirks import Constants, compatibility_notes, constraint_gamma, constraint_rows

# decks type three digits: their velocities contradict the joints in the fourth
pytestmark = pytest.mark.filterwarnings("ignore:the given starting velocities contradict")

KAP_DECKS = ("four_bar", "slider_crank", "quick_return", "platform", "dump_truck")


def cranks(count):
    """Parallelogram with equal cranks of length 1 on one coupler: each crank after the second has one redundant equation."""
    bodies = 2 + count
    joints = [f"1,{k + 2},{k},0,-.5,0\n{k + 2},{bodies},.5,0,{k - 1},0" for k in range(count)]
    estimates = ["0,0,0", *(f"{k},.5,1.5708" for k in range(count)), "1,1,0"]
    counts = f"{bodies},{2 * count},0,1,0,1,0"
    return "\n".join([counts, *estimates, *joints, "1", "2,3,1.5708,1,0", "0,1,0.5"]) + "\n"


# --- redundant rows --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [3, 4, 5])
def test_redundant_rows_are_left_out_and_named(count):
    deck = read_kap(cranks(count))
    n, m = 3 * (2 + count), 4 * count + 3 + 1
    assert deck.excess == m - n == count - 2
    result = deck.run()
    for k in range(count):
        np.testing.assert_allclose(result[f"body{k + 2}"].phi, 1.5708 + result.times, atol=1e-9)
    notes = " ".join(compatibility_notes(deck, result))
    assert f"***INPUT ERROR*** N= {n} M= {m}" in notes
    # a parallelogram of two cranks has no redundancy; each further crank has one, in its second joint
    named = re.findall(r"([xy]) of (revolute\d+) \(line (\d+)", notes)
    assert [joint for _, joint, _ in named] == [f"revolute{2 * k}" for k in range(3, count + 1)]
    for _, joint, line in named:
        assert int(line) == 1 + (2 + count) + int(joint.removeprefix("revolute"))


def test_the_command_and_the_checkup_name_redundant_rows(tmp_path, capsys):
    path = tmp_path / "cranks.kap"
    path.write_text(cranks(3), encoding="utf-8")
    assert main(["kap", str(path)]) == 0
    assert "Redundant row: y of revolute6 (line 12, implied by revolute1" in capsys.readouterr().err
    assert main(["check", str(path)]) == 0
    out = capsys.readouterr().out
    assert "revolute6" in out
    assert "M = 16" in out


def test_a_joint_typed_twice_is_named():
    source = find("kap_four_bar").source()
    lines = [line for line in source.splitlines() if not line.startswith("!")]
    lines[0] = "4,5,0,1,0,1,1"
    lines.insert(9, "3,2,-2,0,1,0")
    deck = read_kap("\n".join(lines) + "\n")
    assert deck.excess == 2
    notes = " ".join(redundancy_notes(deck))
    assert re.search(r"x of revolute5 \(line 10, implied by revolute2\)", notes)
    assert re.search(r"y of revolute5 \(line 10, implied by revolute2\)", notes)
    np.testing.assert_allclose(deck.run().q, read_kap(source).run().q, atol=1e-9)


def test_a_redundant_row_in_the_place_of_a_driver_is_named(tmp_path, capsys):
    """M = N all the same: KAP finds a singular matrix."""
    path = tmp_path / "free.kap"
    text = cranks(3).replace("5,6,0,1,0,1,0", "5,6,0,1,0,0,0").replace("2,3,1.5708,1,0\n", "")
    path.write_text(text, encoding="utf-8")
    assert main(["kap", str(path)]) == 1
    err = capsys.readouterr().err
    assert "Add 1 driver" in err
    assert "y of revolute6 (line 12" in err


def test_two_drivers_for_one_freedom_are_named(tmp_path, capsys):
    source = find("kap_four_bar").source()
    path = tmp_path / "twice.kap"
    lines = [line for line in source.splitlines() if not line.startswith("!")]
    lines[0] = "4,4,0,1,0,2,1"
    lines.insert(11, "4,3,1.0,1,0")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(MobilityError, match=r"driver1.*driver2"):
        read_kap(path).run()
    assert main(["kap", str(path)]) == 1
    assert "2 drivers for 1 degree of freedom" in capsys.readouterr().err


def test_a_dap_deck_with_too_many_constraints_names_them():
    truck = bundled("dump_truck_static").splitlines()
    at = next(k for k, line in enumerate(truck) if line.startswith("7,"))
    truck[at] = "7, 10, 0, 1, 0, 0, 0"
    again = next(k for k, line in enumerate(truck) if line.startswith("1, 2,"))
    truck.insert(again + 9, truck[again])
    with pytest.raises(
        FileFormatError, match=r"2 constraints too many.*x of revolute10 .*implied by revolute1\).*y of revolute10"
    ):
        read_dap("\n".join(truck) + "\n")


def test_a_dap_structure_that_moves_names_its_redundant_rows(tmp_path, capsys):
    """N = M = 15 for three cranks: DAP takes it for a structure."""
    path = tmp_path / "cranks.dap"
    rows = cranks(3).splitlines()
    bodies = [f"{row},0,0,0,1,.1,0,0,0" for row in rows[1:6]]
    path.write_text("\n".join(["5,6,0,1,0,0,0", *bodies, *rows[6:13], "0,1,0.5"]) + "\n", encoding="utf-8")
    assert main(["dap", str(path)]) == 1
    err = capsys.readouterr().err
    assert "it can move" in err
    assert "y of revolute6 (line 12, implied by" in err


@pytest.mark.parametrize(
    "name, program, hint", [("kap_four_bar", "dap", "pytrammel kap"), ("dap_four_bar", "kap", "pytrammel dap")]
)
def test_a_deck_of_the_other_program_is_recognised_by_its_name(name, program, hint, tmp_path, capsys):
    path = tmp_path / f"deck.{name[:3]}"
    path.write_text(find(name).source(), encoding="utf-8")
    assert main([program, str(path)]) == 2
    assert f"use '{hint} " in capsys.readouterr().err


# --- bodies without mass ---------------------------------------------------------------------------------------------


def listing_accelerations(deck):
    """Accelerations as DYNAM solves for them, dense, at the typed start (eq. 10.5)."""
    q, v = deck.typed()
    jac = constraint_rows(deck, q, 0.0)[1]
    g = np.array([x for b in deck.bodies for x in (b.fx, b.fy - 9.81 * b.mass, b.n)])
    right = np.concatenate([g, constraint_gamma(deck, q, v)])
    assert jac.shape[0] == deck.n_constraints
    return np.linalg.solve(dap_matrix(deck, q), right)[: q.size]


@pytest.mark.parametrize("mass, inertia", [(0, 0), (0, 2), (2.25, 0)])
@pytest.mark.parametrize("body", [2, 3, 4])
def test_a_massless_link_moves_as_in_the_listing(body, mass, inertia):
    source = bundled("four_bar").splitlines()
    at = next(k for k, line in enumerate(source) if re.match(r"4, 4", line)) + body
    numbers = source[at].split("!")[0].split(",")
    numbers[6:8] = [str(mass), str(inertia)]
    source[at] = ",".join(numbers)
    deck = read_dap("\n".join(source) + "\n")
    result = deck.run(method="rk4", correct=False)
    np.testing.assert_allclose(result.a[0], listing_accelerations(deck), atol=1e-6)
    assert np.ptp(deck.run().energy.total) < 1e-6


def test_a_weightless_truss_has_the_reactions_of_its_load():
    """Two bars from (-1, 0) and (1, 0) to (0, 1) without mass, 10 down in the middle of the first; the second carries its axis only."""
    lines = [
        "3,3,0,1,0,0,0", "0,0,0,0,0,0,0,0,0,0,0", "-.5,.5,.7853981633974483,0,0,0,0,0,0,-10,0", ".5,.5,2.356194490192345,0,0,0,0,0,0,0,0",
        "1,2,-1,0,-.7071067811865476,0", "1,3,1,0,-.7071067811865476,0", "2,3,.7071067811865476,0,.7071067811865476,0", "1", "0,0,0",
    ]  # fmt: skip
    deck = read_dap(text(lines))
    for typed in (True, False):
        tables = reaction_tables(deck, deck.run(correct=typed))
        np.testing.assert_allclose(tables["revolute1"][1][1][0, :2], [2.5, 7.5], atol=1e-9)
        np.testing.assert_allclose(tables["revolute2"][1][1][0, :2], [-2.5, 2.5], atol=1e-9)
        np.testing.assert_allclose(tables["revolute3"][0][1][0, :2], [-2.5, 2.5], atol=1e-9)


def test_a_free_body_without_mass_is_named():
    lines = ["2,0,0,0,0,0,0", "0,0,0,0,0,0,1,1,0,0,0", "1,0,0,0,0,0,0,0,0,-1,0", "0,1,.5"]
    with pytest.raises(TrammelError, match="body2"):
        read_dap(text(lines)).run()


# --- KAP's own algorithm ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KAP_DECKS)
def test_kaps_own_algorithm_finds_the_same_motion(name):
    deck = read_kap(find(f"kap_{name}").source())
    ours, kap = deck.run(), deck.run(constants=Constants(feps=1e-11))
    size = np.abs(ours.q).max()
    for mine, other in ((ours.q, kap.q), (ours.v, kap.v), (ours.a, kap.a)):
        np.testing.assert_allclose(other, mine, atol=1e-7 * max(size, np.abs(mine).max()))


def test_a_coarse_feps_leaves_the_error_of_the_last_correction():
    deck = read_kap(find("kap_four_bar").source())
    errors = [np.abs(deck.run(constants=Constants(feps=e)).q - deck.run().q).max() for e in (0.1, 1e-3, 1e-6)]
    assert 1e-4 < errors[0] < 0.1
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-9  # Newton's iteration converges quadratically: the last correction was below 1e-6


def test_nrmax_and_epslu_stop_the_run():
    deck = read_kap(find("kap_four_bar").source())
    with pytest.raises(ConvergenceError, match=r"^\*\*\*CONVERGENCE FAILED\*\*\* at t = 0 s.* in 2 steps"):
        deck.run(constants=Constants(nrmax=2))
    with pytest.raises(SingularError, match=r"^\*\*\*THE MATRIX IS SINGULAR\*\*\* at t = 0 s: .* smaller than 2"):
        deck.run(constants=Constants(epslu=2.0))
    # the crank needs four iterations at the start and three from report to report
    assert len(deck.run(constants=Constants(nrmax=4))) == 41


def test_kap_needs_as_many_constraints_as_coordinates():
    with pytest.raises(ModelError, match=r"\*\*\*INPUT ERROR\*\*\* N= 15 M= 16"):
        read_kap(cranks(3)).run(constants=Constants())


@pytest.mark.parametrize("words, code, message", [
    (["--as-kap"], 0, ""),
    (["--feps", "1d-9"], 0, ""),
    (["--nrmax", "2"], 1, "***CONVERGENCE FAILED*** at t = 0 s"),
    (["--epslu", "2"], 1, "***THE MATRIX IS SINGULAR*** at t = 0 s"),
])  # fmt: skip
def test_constants_on_the_command_line(words, code, message, tmp_path, capsys):
    path = tmp_path / "four_bar.kap"
    path.write_text(find("kap_four_bar").source(), encoding="utf-8")
    assert main(["kap", str(path), *words]) == code
    out, err = capsys.readouterr()
    assert out.count("TIME =") == (41 if code == 0 else 0)
    assert message in err
    assert err.count("at t = 0 s") == (1 if code else 0)


@pytest.mark.parametrize("option", ["--nrmax=0", "--nrmax=2.5", "--feps=0", "--epslu=-1", "--feps=small"])
def test_constants_must_be_positive(option, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["kap", "deck.kap", option])
    assert stop.value.code == 2
    assert option.split("=")[1] in capsys.readouterr().err


# --- accuracy and start of DAP runs ----------------------------------------------------------------------------------


def test_held_coordinates_are_kept_as_typed(tmp_path, capsys):
    deck = read_dap(bundled("four_bar"))
    free, held = deck.run(every=100), deck.run(every=100, hold=[" 2 , 3"])
    assert abs(free["body2"].phi[0] - 1.047) > 1e-5
    assert held["body2"].phi[0] == pytest.approx(1.047, abs=1e-12)
    path = tmp_path / "four_bar.dap"
    path.write_text(bundled("four_bar"), encoding="utf-8")
    assert main(["dap", str(path), "--hold", "body4.phi", "--rtol", "1e-5", "--atol", "1e-7"]) == 0
    assert "body4.phi moved" not in capsys.readouterr().err


def test_rtol_sets_the_accuracy():
    deck = read_dap(bundled("platform"))
    exact = deck.run(every=50, rtol=1e-10, atol=1e-12).q[-1]
    errors = [np.abs(deck.run(every=50, rtol=e, atol=e).q[-1] - exact).max() for e in (1e-3, 1e-6)]
    steps = [deck.run(every=50, rtol=e, atol=e).dynamics.statistics.steps for e in (1e-3, 1e-6)]
    assert errors[1] <= max(errors[0], 1e-6)
    assert steps[0] < steps[1]


@pytest.mark.parametrize("deck, options, message", [
    ("four_bar", {"method": "rk4", "rtol": 1e-6}, "no error control"),
    ("four_bar", {"hold": ["2,3"], "equilibrium": True}, "hold"),
    ("four_bar", {"hold": ["2,3"], "correct": False}, "hold keeps typed coordinates"),
    ("four_bar", {"hold": ["2,4"]}, "direction 4 "),
    ("four_bar", {"hold": ["0,1"]}, "body 0 must be from 1 to 4"),
    ("four_bar", {"hold": ["5,1"]}, "body 5 must be from 1 to 4"),
    ("dump_truck_static", {"hold": ["2,3"]}, "no effect on a static analysis"),
    ("dump_truck_static", {"every": 2}, "every has no effect"),
    ("dump_truck_static", {"rtol": 1e-6, "atol": 1e-6}, "rtol, atol"),
    ("dump_truck_static", {"method": "rk4"}, "method"),
    ("dump_truck_static", {"equilibrium": True}, "equilibrium"),
])  # fmt: skip
def test_options_without_effect_are_rejected(deck, options, message):
    with pytest.raises(ModelError, match=message):
        read_dap(bundled(deck)).run(**options)
