"""The command ``pytrammel dap``."""

import csv
import io
import json

import pytest

from dap_decks import FALLING, bundled, text
from pytrammel.cli.main import main
from pytrammel.errors import ModelError
from pytrammel.io.decks.dap_deck import read_dap

# decks type three digits: their velocities contradict the joints in the fourth
pytestmark = pytest.mark.filterwarnings("ignore:the given starting velocities contradict")


@pytest.fixture
def path(tmp_path):
    """The four-bar as a file, without the spring."""
    file = tmp_path / "four_bar.dap"
    file.write_text(bundled("four_bar"), encoding="utf-8")
    return file


def test_help_has_examples(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["dap", "--help"])
    assert stop.value.code == 0
    assert "pytrammel dap four_bar.dap" in capsys.readouterr().out.partition("options:")[2]


def test_dap_prints_the_report_and_the_notes(path, capsys):
    assert main(["dap", str(path)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("***** DYNAMIC ANALYSIS *****")
    assert out.count("TIME =") == 11
    assert "Compared with DAP:" in err


def test_dap_writes_every_kind_of_file(path, tmp_path, capsys):
    files = {option: tmp_path / f"out{suffix}" for option, suffix in
             [("--json", ".json"), ("--csv", ".csv"), ("--plot", ".png"), ("--animate", ".html"), ("--save-deck", ".dap")]}  # fmt: skip
    arguments = [str(a) for pair in files.items() for a in pair]
    assert main(["dap", str(path), "--quiet", *arguments]) == 0
    assert capsys.readouterr().out == ""
    data = json.loads(files["--json"].read_text(encoding="utf-8"))
    assert len(data["times"]) == 11
    assert any("DAP would not have noticed" in note for note in data["notes"])
    table = list(csv.reader(files["--csv"].read_text(encoding="utf-8").splitlines()))
    assert len(table) == 12
    assert files["--plot"].read_bytes().startswith(b"\x89PNG")
    assert files["--animate"].read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    main(["dap", str(path)])
    first = capsys.readouterr().out
    assert main(["dap", str(files["--save-deck"])]) == 0
    assert capsys.readouterr().out == first


def test_dap_of_a_structure_can_be_drawn(tmp_path):
    file = tmp_path / "truck.dap"
    file.write_text(bundled("dump_truck_static"), encoding="utf-8")
    picture, film = tmp_path / "truck.png", tmp_path / "truck.html"
    assert main(["dap", str(file), "--quiet", "--plot", str(picture), "--animate", str(film)]) == 0
    assert picture.exists()
    assert film.exists()


def test_dap_reads_standard_input(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(text(FALLING)))
    assert main(["dap", "-", "--echo", "--every", "2"]) == 0
    out = capsys.readouterr().out
    assert "Deck standard input: NB = 1" in out
    assert out.count("TIME =") == 2


def test_as_dap_did_gives_the_printed_line(path, capsys):
    assert main(["dap", str(path), "--uncorrected", "--method", "rk4"]) == 0
    out, err = capsys.readouterr()
    assert "  REV.  3   3     6.964     7.941     8.764   4    -6.964    -7.941     3.223" in out
    assert "taken as typed" in err


@pytest.mark.parametrize("held", ["projection", "baumgarte", "none"])
@pytest.mark.parametrize("method", ["dop853", "dopri5", "rk4"])
def test_every_method_agrees_on_the_printed_digits(held, method, path, capsys):
    main(["dap", str(path)])
    reference = capsys.readouterr().out
    weights = ["--alpha", "2", "--beta", "2"] if held == "baumgarte" else []
    assert main(["dap", str(path), "--method", method, "--constraints", held, *weights]) == 0
    got = capsys.readouterr().out
    for mine, other in zip(got.split(), reference.split(), strict=True):
        if mine != other:
            assert float(mine) == pytest.approx(float(other), abs=1.1e-3)  # one unit of the last digit


@pytest.mark.parametrize("name", ["four_bar", "platform", "dump_truck"])
@pytest.mark.parametrize("how", ["--formulation=joint", "--formulation=auto", "--constraints=partitioning"])
def test_problem_13_11_gives_the_printed_digits(name, how, tmp_path, capsys):
    """DAP's decks by coordinate partitioning or in joint coordinates: the report is the same."""
    file = tmp_path / f"{name}.dap"
    file.write_text(bundled(name), encoding="utf-8")
    assert main(["dap", str(file), "--every", "5"]) == 0
    reference = capsys.readouterr().out
    assert main(["dap", str(file), "--every", "5", how]) == 0
    got = capsys.readouterr().out
    for mine, other in zip(got.split(), reference.split(), strict=True):
        if mine != other:
            assert float(mine) == pytest.approx(float(other), rel=1e-6, abs=1.1e-3)  # one unit of the last digit


def test_a_structure_has_no_use_for_a_formulation():
    deck = read_dap(bundled("dump_truck_static"))
    with pytest.raises(ModelError, match="is a structure"):
        deck.run(formulation="joint")


@pytest.mark.parametrize(
    ("gravity", "expected"),
    [("on", "0.000   -9.810"), ("off", "0.000    0.000"), ("0,-1.62", "0.000   -1.620"), ("-1,0", "-1.000    0.000")],
)
def test_gravity_options(gravity, expected, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(text(FALLING)))
    assert main(["dap", "-", f"--gravity={gravity}"]) == 0
    assert f"{expected}    0.000\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("--gravity=down", "'down' must be on, off or two numbers such as 0,-1.62"),
        ("--gravity=0,inf", "'0,inf' must be on, off or two numbers"),
        ("--every=0", "'0' must be a whole number, 1 or more"),
        ("--alpha=-1", "'-1' must be a number, not negative"),
        ("--beta=much", "'much' must be a number, not negative"),
    ],
)
def test_bad_options_are_told(option, sentence, path, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["dap", str(path), option])
    assert stop.value.code == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("--method=rk5", "method 'rk5' is not known; use one of: "),
        ("--formulation=magic", "formulation 'magic' is not known; use one of: "),
        ("--constraints=magic", "constraints 'magic' is not known; use one of: projection, baumgarte"),
    ],
)
def test_names_that_no_registry_knows_are_answered_with_the_known_ones(option, sentence, path, capsys):
    assert main(["dap", str(path), option]) != 0
    assert sentence in capsys.readouterr().err


def test_start_options_exclude_each_other(path, capsys):
    with pytest.raises(SystemExit):
        main(["dap", str(path), "--uncorrected", "--equilibrium"])
    assert "not allowed with argument" in capsys.readouterr().err


def test_dap_begins_at_rest_if_asked(tmp_path, capsys):
    file = tmp_path / "platform.dap"
    file.write_text(bundled("platform"), encoding="utf-8")
    assert main(["dap", str(file), "--equilibrium", "--every", "1000"]) == 0
    # section 10.3.2: the position to which the printed run settles
    assert "  3   0.153   0.476   0.000" in capsys.readouterr().out


def test_a_bad_deck_is_one_sentence_on_standard_error(tmp_path, capsys):
    file = tmp_path / "bad.dap"
    file.write_text(text(line1="4,5,0,1,0,1,1"), encoding="utf-8")
    assert main(["dap", str(file)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("pytrammel: error: bad.dap, line 1, counts: N = 3·NB = 12, but M = ")
    assert err.count("\n") == 1


def test_a_run_that_fails_still_gives_the_notes(tmp_path, capsys):
    file = tmp_path / "moves.dap"
    lines = ["2,1,0,1,1,0,0", "0,0,0,0,0,0,0,0,0,0,0", ".5,0,0,0,0,0,2,.1,0,0,0", "1,2,0,0,-.5,0", "1", "2,1", "0,0,0"]
    file.write_text(text(lines), encoding="utf-8")
    assert main(["dap", str(file)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "it can move, and has no static solution" in err
    assert "Compared with DAP:" in err
    assert "Traceback" not in err
