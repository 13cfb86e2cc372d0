"""The command line: what it prints, what it writes, how it fails."""

import csv
import io
import json
import os
import subprocess
import sys

import pytest

from pytrammel import __version__
from pytrammel.cli.commands import kap
from pytrammel.cli.main import main
from pytrammel.examples import find, names

FOUR_BAR = find("kap_four_bar").source()
# a crank of 6 cannot turn round: the run stops at a dead point
DEAD_POINT = FOUR_BAR.replace("1, 2,  0.0, 0.0, -1.0, 0.0", "1, 2,  0.0, 0.0, -5.0, 0.0")


@pytest.fixture
def deck(tmp_path):
    path = tmp_path / "four_bar.kap"
    path.write_text(FOUR_BAR, encoding="utf-8")
    return path


def test_help_teaches(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    assert "Trammel analyses mechanisms" in text
    for command in ("pytrammel example", "pytrammel example four_bar", "pytrammel kap deck.kap"):
        assert command in text
    assert "Where to go next" in text


@pytest.mark.parametrize("command", ["kap", "compile", "example"])
def test_every_subcommand_help_has_an_example(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    text = capsys.readouterr().out
    assert "example" in text.partition("options:")[2]
    assert f"pytrammel {command}" in text.partition("options:")[2]


def test_without_a_command_the_help_is_shown(capsys):
    assert main([]) == 0
    assert "Commands to begin with" in capsys.readouterr().out


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"pytrammel {__version__}\n"


def test_help_imports_nothing_heavy():
    code = (
        "import sys, pytrammel.cli.main as c\n"
        "try: c.main(['kap', '--help'])\n"
        "except SystemExit: pass\n"
        "bad = {'numpy', 'numba', 'scipy', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(repr(bad) if bad else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# --- kap -------------------------------------------------------------------------------------------------------------


def test_kap_prints_the_report_and_the_notes(deck, capsys):
    assert main(["kap", str(deck)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("***** KINEMATIC ANALYSIS *****")
    assert out.count("TIME =") == 41
    assert "Compared with KAP:" in err


def test_kap_writes_every_kind_of_file(deck, tmp_path, capsys):
    files = {option: tmp_path / f"out{suffix}" for option, suffix in
             [("--json", ".json"), ("--csv", ".csv"), ("--plot", ".png"), ("--animate", ".html"), ("--save-deck", ".kap")]}  # fmt: skip
    arguments = [str(a) for pair in files.items() for a in pair]
    assert main(["kap", str(deck), "--quiet", *arguments]) == 0
    assert capsys.readouterr().out == ""
    assert len(json.loads(files["--json"].read_text(encoding="utf-8"))["times"]) == 41
    table = list(csv.reader(files["--csv"].read_text(encoding="utf-8").splitlines()))
    assert table[0][:2] == ["t [s]", "body1.x [m]"]
    assert len(table) == 42
    assert files["--plot"].read_bytes().startswith(b"\x89PNG")
    assert files["--animate"].read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    # the saved deck runs and gives the same report
    main(["kap", str(deck)])
    first = capsys.readouterr().out
    assert main(["kap", str(files["--save-deck"])]) == 0
    assert capsys.readouterr().out == first


def test_kap_json_on_standard_output(deck, capsys):
    assert main(["kap", str(deck), "--quiet", "--json", "-"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert set(data["bodies"]) == {"body1", "body2", "body3", "body4"}


def test_kap_reads_standard_input(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(FOUR_BAR))
    assert main(["kap", "-", "--level", "1"]) == 0
    out = capsys.readouterr().out
    assert "PHI" in out
    assert "XD" not in out


def test_kap_echo_says_what_was_read(deck, capsys):
    assert main(["kap", str(deck), "--echo", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "revolute joint 4: (-2, 0) of body 4 on (2.5, 0) of body 1" in out


def test_kap_in_degrees(tmp_path, capsys):
    path = tmp_path / "degrees.kap"
    path.write_text(
        FOUR_BAR.replace("1.0472, 6.2832", "60, 360").replace("2.6, 0.5 ", "2.6, 30 ").replace("1.8, 1.0 ", "1.8, 57"),
        encoding="utf-8",
    )
    assert main(["kap", str(path), "--degrees"]) == 0
    out = capsys.readouterr().out
    assert "ANGLES IN DEGREES" in out
    assert "  2   0.500   0.866  60.000  -5.441   3.142 360.000" in out


def test_kap_of_a_single_instant_can_be_drawn(tmp_path):
    path = tmp_path / "truck.kap"
    path.write_text(find("kap_dump_truck").source(), encoding="utf-8")
    picture, film = tmp_path / "truck.png", tmp_path / "truck.html"
    assert main(["kap", str(path), "--quiet", "--plot", str(picture), "--animate", str(film)]) == 0
    assert picture.exists()
    assert film.exists()


def test_a_bad_deck_is_one_sentence_on_standard_error(tmp_path, capsys):
    path = tmp_path / "bad.kap"
    path.write_text(FOUR_BAR.replace("2.6, 2.6, 0.5", "2.6, x, 0.5"), encoding="utf-8")
    assert main(["kap", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "pytrammel: error: bad.kap, line 5, field 2 (y) of initial estimate of body 3: 'x' is not a number.\n"


def test_a_missing_deck(capsys):
    assert main(["kap", "nowhere.kap"]) == 2
    assert "pytrammel: error: the deck 'nowhere.kap' cannot be read" in capsys.readouterr().err


def test_a_run_that_stops_early_still_writes_what_it_has(tmp_path, capsys):
    path, data, table = tmp_path / "dead.kap", tmp_path / "dead.json", tmp_path / "dead.csv"
    path.write_text(DEAD_POINT, encoding="utf-8")
    assert main(["kap", str(path), "--json", str(data), "--csv", str(table)]) == 1
    out, err = capsys.readouterr()
    assert "pytrammel: error: " in err
    assert "Traceback" not in err
    written = json.loads(data.read_text(encoding="utf-8"))
    assert 1 <= len(written["times"]) < 41
    assert written["error"] in err
    assert len(table.read_text(encoding="utf-8").splitlines()) == len(written["times"]) + 1
    assert out.count("TIME =") == len(written["times"])


def test_a_file_that_cannot_be_written(deck, tmp_path, capsys):
    assert main(["kap", str(deck), "--quiet", "--csv", str(tmp_path / "no" / "such.csv")]) == 2
    assert "such.csv' cannot be written: there is no folder" in capsys.readouterr().err
    assert main(["kap", str(deck), "--quiet", "--plot", str(tmp_path / "plot.xyz")]) == 2
    assert "plot.xyz' cannot be written: its suffix must be one of" in capsys.readouterr().err


def test_interrupted(monkeypatch, deck, capsys):
    def stop(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(kap, "run", stop)
    assert main(["kap", str(deck)]) == 130
    assert capsys.readouterr().err == "pytrammel: interrupted.\n"


def test_a_reader_that_has_seen_enough_is_no_error(deck):
    command = f"{sys.executable} -m pytrammel.cli.main kap {deck} | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout == "***** KINEMATIC ANALYSIS *****\n"
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


# --- compile ------------------------------------------------------------------------------------------------------------


def test_warm_compiles_once_and_then_says_that_all_is_ready(capsys):
    assert main(["compile"]) == 0
    assert "They are kept in " in capsys.readouterr().out
    assert main(["compile"]) == 0
    assert "kernels were ready; nothing to compile" in capsys.readouterr().out


# --- example ---------------------------------------------------------------------------------------------------------


def test_the_list_of_examples_describes_each(capsys):
    assert main(["example"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for name in names():
        assert any(line.split()[:1] == [name] and len(line.split()) > 3 for line in lines)


def test_an_example_writes_its_pictures(tmp_path, capsys):
    assert main(["example", "slider_crank", "--out", str(tmp_path / "new" / "folder")]) == 0
    out = capsys.readouterr().out
    assert "slider-crank: 401 instants" in out
    for name in ("slider_crank_drawing.png", "slider_crank.png", "slider_crank.html"):
        assert str(tmp_path / "new" / "folder" / name) in out
        assert (tmp_path / "new" / "folder" / name).exists()


def test_an_example_is_shown_in_the_browser_when_asked_for(tmp_path, capsys, monkeypatch):
    shown = []
    monkeypatch.setattr("webbrowser.open", shown.append)
    assert main(["example", "scotch_yoke", "--out", str(tmp_path)]) == 0
    assert not shown
    assert main(["example", "scotch_yoke", "--out", str(tmp_path), "--open"]) == 0
    assert shown == [(tmp_path / "scotch_yoke.html").as_uri()]
    assert "no browser was found" in capsys.readouterr().err  # append gives None


def test_the_first_picture_needs_no_compiler(tmp_path):
    """A drawing of what is described is there before any kernel is compiled."""
    code = "from pytrammel import examples; examples.find('four_bar').build().draw(path='first.png')"
    environment = {**os.environ, "TRAMMEL_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0
    assert "compiling" not in done.stderr
    assert (tmp_path / "first.png").read_bytes().startswith(b"\x89PNG")
    assert not [file for file in tmp_path.rglob("*") if file.suffix in (".kernel", ".part")]


def test_the_source_of_an_example_is_a_start_for_ones_own(capsys):
    assert main(["example", "--source", "kap_four_bar"]) == 0
    assert capsys.readouterr().out == FOUR_BAR


@pytest.mark.parametrize("words", [["four_bar", "--source", "--out", "x"], ["--open"], ["--source"]])
def test_options_of_examples_that_would_do_nothing_are_refused(words, capsys):
    assert main(["example", *words]) == 2
    assert capsys.readouterr().out == ""


def test_an_unknown_example(capsys):
    assert main(["example", "four_bra"]) == 2
    assert "there is no example 'four_bra'. Did you mean 'four_bar'?" in capsys.readouterr().err


def test_the_command_runs_as_a_module():
    told = subprocess.run([sys.executable, "-m", "pytrammel", "--version"], capture_output=True, text=True, check=True)
    assert told.stdout.startswith("pytrammel ")
