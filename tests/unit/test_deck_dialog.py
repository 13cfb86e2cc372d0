"""KAP and DAP on a terminal: prompts and records of Nikravesh (1988), sections 5.1.4, 5.2 and 10.2.7, 10.3."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from other_systems import needs
from pytrammel.cli.main import main
from pytrammel.examples import find

# decks type three digits: their velocities contradict the joints in the fourth
pytestmark = pytest.mark.filterwarnings("ignore:the given starting velocities contradict")

FOUR_BAR = """\
4,4,0,1,0,1,1
0.0,0.0,0.0
0.5,0.8,1.047
2.6,2.6,0.5
3.5,1.8,1
1,2,0.0,0.0,-1.0,0.0
2,3,1.0,0.0,-2.0,0.0
3,4,2.0,0.0,2.0,0.0
4,1,-2.0,0.0,2.5,0.0
1
2,3,1.0472,6.2832,0.0
3,0.5,1.5
0.0,1.0,0.025
""".splitlines()  # section 5.2.1
SHORT = [*FOUR_BAR[:-1], "0.0,0.1,0.025"]
PRINTED = [
    "  2   0.500   0.866   1.047  -5.441   3.142   6.283  -19.739  -34.190    0.000",
    "  3   2.531   2.708   0.434 -12.220   5.558   0.581  -38.613  -53.046   11.545",
]  # bodies 2 and 3 of the first two reports of section 5.2.1, with the signs of the recomputed run
DAP_FOUR_BAR = """\
4, 4, 0, 1, 0, 0, 1
0, 0, 0
0, 0, 0
0, 0
0, 0, 0
.5, .866, 1.047, 0, 0, 0, 1, .3, 0, 0, 0
2.824, 2.553, .423, 0, 0, 0, 2.25, 2, 0, 0, 0
3.574, 1.687, 1.004, 0, 0, 0, 2, 1.35, 0, 0, 0
1,2, 0, 0, -1, 0
2,3,1,0,-2,0
3, 4, 2, 0, 2, 0
4, 1, -2, 0, 2.5,0
1
3,0.5,1.5
0.0, 0.25, 0.025
""".splitlines()  # section 10.3.1, the first body on four lines as the prompt shows it
MANY = [f"kap_{name}" for name in ("four_bar", "slider_crank", "quick_return", "platform", "dump_truck")]
MANY += [f"dap_{name}" for name in ("four_bar", "platform", "dump_truck", "dump_truck_static")]


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def session(monkeypatch, capsys):
    """Type lines into a command; exit code, standard output and standard error."""

    def run(program, lines, *words):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        code = main([program, "--interactive", *words])
        return (code, *capsys.readouterr())

    return run


def reports(out):
    return out.count("TIME =")


def bare(source):
    return [row for line in source.splitlines() if (row := re.split("[!#]", line)[0].strip())]


# --- sessions as printed ---------------------------------------------------------------------------------------------


def test_the_session_of_section_5_2_1(session):
    code, out, err = session("kap", FOUR_BAR)
    assert code == 0
    assert reports(out) == 41  # the input ends at the first pause
    for line in PRINTED:
        assert line in out
    prompts = ["ENTER NB, NR, NT, NG, NS, ND, NP", *(f"FOR BODY {k} ENTER INITIAL EST. ON X, Y, PHI" for k in (1, 2, 3, 4)),
               *(f"FOR REV. JOINT NO. {k} ENTER BODY NOS. I AND J" for k in (1, 2, 3, 4)), "ENTER BODY NO. FOR NO. 1 GROUNDED BODY",
               "FOR DRIVER NO. 1 ENTER BODY NO.", "FOR POINT OF INTEREST NO. 1 ENTER BODY NO.",
               "ENTER STARTING TIME, FINAL TIME, AND TIME INCREMENT", "***** KINEMATIC ANALYSIS *****"]  # fmt: skip
    places = [out.index(prompt) for prompt in prompts]
    assert places == sorted(places)
    assert "Compared with KAP" in err


def test_the_session_of_section_10_3_1(session):
    code, out, _ = session("dap", DAP_FOUR_BAR, "--method", "rk4", "--uncorrected")
    assert code == 0
    assert reports(out) == 11
    assert "FOR BODY 1 ENTER INITIAL COND. ON X, Y, PHI" in out
    assert "3 of 11 values; next: xd, yd, phid" in out
    assert "  REV.  3   3     6.964     7.941     8.764   4    -6.964    -7.941     3.223" in out


@pytest.mark.parametrize("name", MANY)
def test_typed_decks_give_the_same_numbers_as_files(name, session, capsys):
    program = name[:3]
    source = find(name).source()
    words = ("--every", "20") if program == "dap" and "static" not in name else ()
    assert session(program, bare(source), "--json", "typed.json", "--save-deck", f"saved.{program}", *words)[0] == 0
    Path(f"given.{program}").write_text(source, encoding="utf-8")
    for which in ("given", "saved"):
        assert main([program, f"{which}.{program}", "--quiet", "--json", f"{which}.json", *words]) == 0
    typed, given, saved = (
        json.loads(Path(f"{which}.json").read_text(encoding="utf-8")) for which in ("typed", "given", "saved")
    )
    assert typed["bodies"] == given["bodies"] == saved["bodies"]


# --- records ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts, shown", [
    ("4,4,0,1,0,0,1", "***INPUT ERROR*** N= 12 M= 11"),
    ("4,4,0,1,0,2,1", "***INPUT ERROR*** N= 12 M= 13"),
    ("3,4,0,1,0,1,1", "***INPUT ERROR*** N= 9 M= 12"),
    ("0,0,0,0,0,0,0", "at least one body"),
    ("-4,4,0,1,0,1,1", "NB is -4"),
    ("99999,4,0,1,0,1,1", "NB is 99999"),
    ("4.0,4,0,1,0,1,1", "must be a whole number"),
    ("four,4,0,1,0,1,1", "neither numbers nor a command"),
])  # fmt: skip
def test_counts_are_checked_immediately(counts, shown, session):
    code, out, _ = session("kap", [counts, *SHORT], "--no-pause")
    assert (code, reports(out)) == (0, 5)
    assert shown in out.partition("FOR BODY")[0]
    assert out.count("ENTER NB, NR") == 2


def test_dap_accepts_structures_and_free_bodies_but_no_more_constraints(session):
    code, out, _ = session("dap", ["1,1,0,1,0,0,0", "1,0,0,0,0,0,0", "0,10,0,1,0,2,2,1,0,0,0", "0,1,0.5"])
    assert (code, reports(out)) == (0, 3)
    assert "***INPUT ERROR*** N= 3 M= 5" in out


WRONG = [
    (3, "1,x,2", "is not a number"), (3, "1,,2", "nothing between two commas"), (5, "1,2,0 /", "the / ends the record"),
    (5, "1,5,0,0,-1,0", "there is no body 5"), (5, "2,2,0,0,-1,0", "connects body 2 with itself"),
    (9, "7", "there is no body 7"), (10, "2,4,1,6,0", "4 is no direction"),
    (10, "1,3,1,6,0", "phi of body 1 is held already by grounded body 1"),
    (11, "0,1,1", "there is no body 0"), (12, "1,0,0.1", "lies before the start"), (12, "0,1,-1", "the step is -1"),
]  # fmt: skip


@pytest.mark.parametrize("place, line, shown", WRONG)
def test_a_wrong_record_is_requested_again(place, line, shown, session):
    code, out, _ = session("kap", [*SHORT[:place], line, *SHORT[place:]], "--no-pause")
    assert (code, reports(out)) == (0, 5)
    assert shown in out
    assert PRINTED[0] in out


@pytest.mark.parametrize("place, line", [
    (1, "3*0.0"), (2, ".5 .8,1.047D0"), (3, "2.6\n2.6\n\n.5"), (3, "2.6,\n2.6,.5,"), (5, "1,2,2*0,-1,0,77"), (9, "1 grounded"),
    (12, "0,.1,.025,5"),
])  # fmt: skip
def test_records_are_read_as_fortran_reads_them(place, line, session):
    code, out, _ = session("kap", [*SHORT[:place], line, *SHORT[place + 1 :]], "--no-pause")
    assert (code, reports(out)) == (0, 5)
    assert PRINTED[0] in out
    assert PRINTED[1] in out


def test_the_input_may_not_end_before_the_deck(session):
    for length in range(len(SHORT)):
        code, out, err = session("kap", SHORT[:length])
        assert (code, reports(out)) == (2, 0)
        assert "the input ends, but" in err


# --- commands --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [0, 1, 3, 7, 12])
@pytest.mark.parametrize("word", ["t", "T", "terminate"])
def test_t_terminates_at_any_prompt(length, word, session):
    code, out, err = session("kap", [*SHORT[:length], word], "--save-deck", "part.kap")
    assert (code, reports(out)) == (0, 0)
    assert "terminated" in err
    assert Path("part.kap").exists() == (length > 0)
    if length:
        kept = bare(Path("part.kap").read_text(encoding="utf-8"))
        assert [[float(x) for x in row.split(",")] for row in kept] == [
            [float(x) for x in row.split(",")] for row in SHORT[:length]
        ]


def test_records_are_listed_and_entered_again(session):
    code, out, _ = session("kap", [*SHORT[:2], "1,1,1", *SHORT[3:5], "L", "e 3", SHORT[2], *SHORT[5:]], "--no-pause")
    assert (code, reports(out)) == (0, 5)
    assert "     3  1.0, 1.0, 1.0" in out
    assert PRINTED[0] in out


def test_records_are_added_and_removed(session):
    """A point, a fifth body and its fixed joint are typed first and removed again; a second point is added."""
    lines = [*SHORT[:9], "a body", "9,9,0", "a ground", "1", "r 6", *SHORT[10:12], "a point", "4,0,0"]
    code, out, _ = session("kap", [*lines, "l", SHORT[12]], "--no-pause", "--save-deck", "out.kap")
    assert (code, reports(out)) == (0, 5)
    assert bare(Path("out.kap").read_text(encoding="utf-8"))[0] == "4, 4, 0, 1, 0, 1, 2"
    assert "\n  2   3.574   1.687  -5.644" in out  # the second point of interest is the centre of body 4


def test_a_body_in_use_is_not_removed_and_later_ones_are_renumbered(session):
    five = [
        "5,5,0,1,0,2,0",
        "0,0,0",
        "9,9,0",
        *SHORT[2:5],
        "1,3,0,0,-1,0",
        "3,4,1,0,-2,0",
        "4,5,2,0,2,0",
        "5,1,-2,0,2.5,0",
    ]
    lines = [
        *five,
        "1,2,9,9,0,0",
        "1",
        "2,3,0,1,0",
        "3,3,1.0472,6.2832,0",
        "r 3",
        "r 13",
        "r 11",
        "r 3",
        "l",
        SHORT[12],
    ]
    code, out, _ = session("kap", lines, "--no-pause", "--save-deck", "out.kap")
    assert "body 2 is used by records" in out
    assert (code, reports(out)) == (0, 5)
    assert PRINTED[0] in out
    rows = bare(Path("out.kap").read_text(encoding="utf-8"))
    assert [row.replace(" ", "").split(",")[:2] for row in rows[5:9]] == [
        ["1", "2"],
        ["2", "3"],
        ["3", "4"],
        ["4", "1"],
    ]


def test_new_counts_request_missing_records_and_drop_surplus_ones(session):
    lines = [*SHORT[:5], "e 1", "4,4,0,1,0,1,0", *SHORT[5:11], "e 1", "4,4,0,1,0,1,1", SHORT[11], SHORT[12]]
    code, out, _ = session("kap", lines, "--no-pause")
    assert (code, reports(out)) == (0, 5)
    assert "POINTS OF INTEREST" in out


def test_a_deck_out_of_balance_is_corrected_before_the_run(session):
    """The driver is removed before the times are typed: N is 12, M is 11."""
    code, out, _ = session("kap", [*SHORT[:11], "r 11", *SHORT[11:], "a driver", SHORT[10]], "--no-pause")
    assert (code, reports(out)) == (0, 5)
    assert "one driver missing?" in out


@pytest.mark.parametrize(
    "word", ["?", "help", "e 99", "r 1", "r x", "e", "a", "a nonsense", "hello", "x", "e 999999999999", "q"]
)
def test_other_words_change_nothing(word, session):
    code, out, _ = session("kap", [*SHORT[:4], word, *SHORT[4:]], "--no-pause")
    assert (code, reports(out)) == (0, 5)
    assert PRINTED[0] in out


# --- pauses ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed, count", [
    (["t"], 1), (["c", "t"], 2), (["C", "", "c", "T"], 4), (["what?", "c", "t"], 2), (["g"], 5), ([], 5), (["c", "c"], 5),
    (["c"] * 4, 5),
])  # fmt: skip
def test_a_pause_follows_each_report(typed, count, session):
    code, out, _ = session("kap", [*SHORT, *typed])
    assert (code, reports(out)) == (0, count)


def test_decks_from_files_pause_with_the_option(monkeypatch, capsys):
    Path("four_bar.kap").write_text("\n".join(SHORT) + "\n", encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO("c\nc\nt\n"))
    assert main(["kap", "four_bar.kap", "--pause", "--json", "all.json"]) == 0
    assert reports(capsys.readouterr().out) == 3
    assert len(json.loads(Path("all.json").read_text(encoding="utf-8"))["times"]) == 5


@pytest.mark.parametrize("words", [["-", "--pause"], ["x.kap", "--pause", "--quiet"]])
def test_pauses_that_cannot_be_are_rejected(words, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["kap", *words]) == 2
    assert "--pause" in capsys.readouterr().err


def test_results_on_standard_output_are_not_mixed_with_prompts(session):
    code, out, err = session("kap", SHORT, "--json", "-", "--quiet")
    assert code == 0
    assert len(json.loads(out)["times"]) == 5
    assert "ENTER NB" in err


@needs("os.openpty")
def test_a_terminal_shows_the_same_dialogue():
    master, slave = os.openpty()
    words = [sys.executable, "-m", "pytrammel", "kap", "--interactive"]
    environment = {**os.environ, "TERM": "dumb"}
    with subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, env=environment, close_fds=True) as process:
        os.close(slave)
        os.write(master, "".join(f"{line}\n" for line in [*SHORT, "c", "t"]).encode())
        shown = b""
        while True:
            try:
                more = os.read(master, 4096)
            except OSError:  # Linux, at the end
                break
            if not more:
                break
            shown += more
        os.close(master)
    text = shown.decode().replace("\r\n", "\n")
    assert process.returncode == 0
    assert reports(text) == 2
    assert PRINTED[1] in text
    assert "ENTER C TO CONTINUE, T TO TERMINATE" in text
