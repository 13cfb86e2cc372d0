"""Every flag of every command with wrong values: exit code 2 and one message that names the flag or the object."""

import argparse
import re
import traceback
from pathlib import Path

import pytest

from pytrammel.cli import main
from pytrammel.examples import find
from pytrammel.io.models.model_file import loads
from pytrammel.report.model_check import check

pytest.importorskip("matplotlib")

MODEL = """
format = 1
model = "planar"
name = "crank"
[parameters]
arm = {value = 0.1, bounds = [0.05, 0.2]}
[bodies.b]
position = ["arm", 0.0]
mass = 1.0
inertia = 0.01
[constraints.A]
type = "revolute"
first = "ground"
second = "b"
at = [0.0, 0.0]
[constraints.D]
type = "driver"
quantity = "A.angle"
motion = "2*t"
[[analysis]]
type = "kinematics"
duration = 0.01
samples = 3
"""
EMPTY = ("", " ")
NUMBERS = ("x", "nan", "inf", "-inf", "-1", "1e999", "3 kg", *EMPTY)
WHOLE = ("2.5", "1e3", *NUMBERS)
NAMES = ("nonsense", "nan", "-", *EMPTY)
FORMULAS = ("nonsense", "max(", "nan", "1", "max(abs(b.nothing))", "b.x >", *EMPTY)
UNREADABLE = ("folder", "none.toml", "text.txt/model.toml", "text.txt", *EMPTY)
TARGETS = ("folder", "none/such.html", "text.txt/x.html", *EMPTY)
PAIRS = (
    "arm",
    "arm=",
    "=0.1",
    "arm=nan",
    "arm=inf",
    "arm=-1",
    "arm=3 kg",
    "arm=abc",
    "arm=true",
    "arm=[0.1]",
    "none=0.1",
    *EMPTY,
)
ANALYSES = (
    "nonsense", "", "kinematics", "kinematics duration=", "kinematics duration=nan", "kinematics duration=inf", "kinematics duration=-1",
    "kinematics duration=x", "kinematics duration=1_kg", "kinematics duration=0.01 samples=x", "kinematics duration=0.01 samples=1.5",
    "kinematics none=1", "kinematics duration=0.01 =1", "kinematics duration=0.01 duration=0.02", "simulate duration=0.01 method=nonsense",
)  # fmt: skip
WRONG = {
    "model": UNREADABLE,
    "deck": ("folder", "none.kap", "text.txt/deck", "text.txt", "model.toml", *EMPTY),
    "target": ("folder", "none/such.toml", "text.txt/x.toml", "x.nonsense", *EMPTY),
    "names": NAMES,
    "name": NAMES,
    "shell": NAMES,
    "--set": PAIRS,
    "--analysis": NAMES,
    "--do": ANALYSES,
    "--out": TARGETS,
    "--table": ("folder", "none.csv", "text.txt/x.csv", "text.txt", "wrong.csv", *EMPTY),
    "--sample": WHOLE,
    "--seed": WHOLE,
    "--n-starts": WHOLE,
    "--reduce": ("p", "p=", "p=nonsense", "p=max(", "=1", "q=max(b.x)", "p=max(abs(b.nothing))", *EMPTY),
    "--keep": FORMULAS,
    "--device": NAMES,
    "--store": ("folder", "text.txt", "text.txt/x", *EMPTY),
    "--minimize": FORMULAS,
    "--maximize": ("max(b.x)", *FORMULAS),
    "--subject-to": FORMULAS,
    "--over": NAMES,
    "--variables": NAMES,
    "--method": NAMES,
    "--level": ("0", "4", *WHOLE),
    "--json": TARGETS,
    "--csv": TARGETS,
    "--plot": ("x.nonsense", *TARGETS),
    "--animate": ("x.nonsense", *TARGETS),
    "--digits": ("0", "18", *WHOLE),
    "--loops": TARGETS,
    "--save-deck": TARGETS,
    "--constraints": NAMES,
    "--formulation": NAMES,
    "--alpha": NUMBERS,
    "--beta": NUMBERS,
    "--every": ("0", *WHOLE),
    "--nrmax": ("0", *WHOLE),
    "--feps": ("0", *NUMBERS),
    "--epslu": ("0", *NUMBERS),
    "--rtol": ("0", *NUMBERS),
    "--theme": NAMES,
    "--atol": NUMBERS,
    "--hold": NAMES,
    "--eps": ("0", *NUMBERS),
    "--equation": ("nonsense", "u1 +", "u1 = v1 = 2", "cos(", "w1 - 2", "b.x", "u0", *EMPTY),
    "--of": NAMES,
    "--draw": ("x.nonsense", *TARGETS),
    "--stages": ("0", *WHOLE),
    "--gravity": ("nonsense", "1", "1,2,3", "nan,0", "0,inf", ",", *EMPTY),
}  # fmt: skip
# the other words of a command line that would run
SOUND = {
    "new": ["four_bar", "--force"],
    "check": ["model.toml"],
    "run": ["model.toml", "--no-pictures"],
    "batch": ["model.toml", "--sample", "2", "--reduce", "q=max(b.x)"],
    "optimize": ["model.toml", "--minimize", "max(b.x)"],
    "view": ["model.toml", "--no-open"],
    "plot": ["model.toml"],
    "report": ["model.toml", "--no-open"],
    "info": ["model.toml"],
    "convert": ["model.toml", "other.json", "--force"],
    "schema": [],
    "example": ["four_bar"],
    "kap": ["deck.kap", "--quiet"],
    "dap": ["deck.dap", "--quiet"],
    "linear": [],
    "newton": [],
    "completion": ["bash"],
}
POSITIONS = {"model": 0, "deck": 0, "name": 0, "shell": 0, "target": 1}
INSTEAD = {
    ("batch", "--table"): "--sample",
    ("batch", "--sample"): "--sample",
    ("optimize", "--minimize"): "--minimize",
}
BESIDE = {
    "--of": ["--plot", "x.png"],
    "--stages": ["--draw", "x.png"],
    "--digits": ["--csv", "x.csv"],
    "--alpha": ["--constraints", "baumgarte"],
    "--beta": ["--constraints", "baumgarte"],
}
# folders are what is asked for there, and made where there are none; "-" is standard input, or output
RIGHT = {(command, "--out", value) for command in ("run", "example") for value in ("folder", "none/such.html")}


def parsers():
    parser = main._parser()
    return next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction)).choices


def flags(*, switches):
    """Command and name of every flag and argument: those without a value, or those with one."""
    for command, parser in parsers().items():
        if command == "compile":  # compiles everything
            continue
        for action in parser._actions:
            if not isinstance(action, argparse._HelpAction) and (action.nargs == 0) is switches:
                yield command, action.option_strings[-1] if action.option_strings else action.dest


def words_with(command, flag, value):
    sound = list(SOUND[command])
    if flag in POSITIONS:
        sound[POSITIONS[flag]] = value
        return [command, *sound]
    if flag == "names":
        return [command, *sound, value]
    if (command, flag) in INSTEAD:
        at = sound.index(INSTEAD[command, flag])
        del sound[at : at + 2]
    if flag == "--do":
        return [command, *sound, flag, *(value.split(" ") if value else [""])]
    beside = (
        ["--plot", "x.png"]
        if flag == "--over" and command in ("kap", "dap")
        else []
        if command in ("view", "run")
        else BESIDE.get(flag, [])
    )
    return [command, *sound, *beside, f"{flag}={value}"]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("model.toml").write_text(MODEL, encoding="utf-8")
    Path("text.txt").write_text("no model", encoding="utf-8")
    Path("wrong.csv").write_text("none\n0.1\n", encoding="utf-8")
    Path("folder").mkdir()
    Path("folder/other").write_text("", encoding="utf-8")
    for kind in ("kap", "dap"):
        Path(f"deck.{kind}").write_text(find(f"{kind}_four_bar").source(), encoding="utf-8")


def called(words, capsys):
    """Exit code and the text on standard error."""
    try:
        code = main.main(words)
    except SystemExit as stop:
        code = stop.code
    except BaseException:
        return None, traceback.format_exc(limit=-2)
    return code, capsys.readouterr().err


def fault(words, named, capsys):
    """Fault of the message for a wrong command line; empty for exit code 2 and one message with one of the names."""
    code, said = called(words, capsys)
    if code != 2:
        return f"{words}: exit code {code}: {said}"
    if "Traceback" in said or said.count("error: ") != 1:
        return f"{words}: not one message: {said!r}"
    message = said.partition("error: ")[2]
    if not any(re.search(rf"(?<!\w){name}(?!\w)", message) for name in named):
        return f"{words}: names none of {named}: {message}"
    return ""


def names_of(flag, value):
    """Patterns of what a message may name: the flag, the option in Python, the value, or a part of the value."""
    metavar = {"deck": "DECK", "model": "MODEL", "target": "TARGET", "name": "(TEMPLATE|NAME)", "names": "NAME"}.get(
        flag
    )
    words = [flag, flag.lstrip("-").replace("-", "_"), value.strip(), Path(value.strip()).name]
    words += [part.strip() for word in value.split(" ") for part in word.split("=")]
    words += {"--table": ["none"], "--do": ["duration"]}.get(
        flag, []
    )  # the parameter in the table, the option that is missing
    words += ["b.nothing"] if "b.nothing" in value else []
    return [*([metavar] if metavar else []), *(re.escape(word) for word in words if word)]


@pytest.mark.parametrize("command", sorted(SOUND))
def test_every_flag_with_every_wrong_value_is_answered_by_its_name(command, capsys):
    known = [flag for owner, flag in flags(switches=False) if owner == command]
    assert set(known) <= set(WRONG), "a new flag: say which values are wrong for it"
    faults = [
        fault(words_with(command, flag, value), names_of(flag, value), capsys)
        for flag in known for value in WRONG[flag] if (command, flag, value) not in RIGHT
    ]  # fmt: skip
    assert not [said for said in faults if said], "\n".join(said for said in faults if said)


@pytest.mark.parametrize("command", sorted(SOUND))
def test_every_switch_rejects_a_value_and_every_command_an_unknown_flag(command, capsys):
    switches = [flag for owner, flag in flags(switches=True) if owner == command]
    faults = [fault([command, *SOUND[command], f"{flag}=1"], [flag], capsys) for flag in switches]
    faults.append(fault([command, *SOUND[command], "--nonsense"], ["--nonsense"], capsys))
    faults.append(fault([command, *SOUND[command], "--nonsense=1"], ["--nonsense"], capsys))
    assert not [said for said in faults if said], "\n".join(said for said in faults if said)


def test_every_command_has_a_sound_line():
    assert set(SOUND) | {"compile"} == set(parsers())


@pytest.mark.parametrize(
    "words, named",
    [
        (["plot", "model.toml", "--columns", "--out", "x.svg"], "--columns"),
        (["plot", "model.toml", "b.x", "--columns"], "--columns"),
        (["example", "four_bar", "--source", "--out", "x"], "--source"),
        (["example", "--open"], "--open"),
        (["batch", "model.toml", "--sample", "2", "--table", "t.csv", "--keep", "b.x"], "--table"),
        (["batch", "model.toml", "--table", "t.csv", "--seed", "1", "--keep", "b.x"], "--seed"),
        (["batch", "model.toml", "--sample", "2", "--reduce", "p=max(b.x)", "--reduce", "p=max(b.y)"], "p"),
        (["check", "model.toml", "--set", "arm=0.1", "--set", "arm=0.12"], "arm"),
        (["run", "model.toml", "--analysis", "kinematics", "--do", "mobility"], "--do"),
        (["optimize", "model.toml", "--minimize", "max(b.x)", "--maximize", "max(b.y)"], "maximize"),
        (["plot", "model.toml", "--columns", "--over", "b.x"], "--over"),
        (["view", "model.toml", "--stages", "3", "--out", "x.html"], "--stages"),
        (["kap", "deck.kap", "--of", "body2.x"], "--of"),
        (["kap", "deck.kap", "--over", "body2.x"], "--over"),
        (["dap", "deck.dap", "--stages", "3"], "--stages"),
        (["kap", "deck.kap", "--digits", "6"], "--digits"),
        (["kap", "deck.kap", "--pause", "--quiet"], "--pause"),
        (["kap", "deck.kap", "--interactive"], "--interactive"),
        (["dap", "deck.dap", "--uncorrected", "--equilibrium"], "--equilibrium"),
        (["dap", "deck.dap", "--alpha", "1"], "alpha"),
        (["new", "--out", "x.toml"], "--out"),
        (["new", "--force"], "--force"),
    ],
    ids=" ".join,
)
def test_flags_that_would_not_be_used_together_are_rejected(words, named, capsys):
    assert not fault(words, [named], capsys)


@pytest.mark.parametrize("flag", ["--export", "--import"])
@pytest.mark.parametrize("value", EMPTY)
def test_files_of_kernels_have_a_name(flag, value, capsys):
    assert not fault(["compile", flag, value], [flag], capsys)


# --- words of analyses in files ------------------------------------------------------------------------------------------


WORDS = {
    "simulate": ("method", "constraints", "formulation"),
    "equilibrium": ("method",),
    "inverse_dynamics": ("formulation",),
    "kinematics": ("formulation",),
    "linearize": ("formulation",),
}
BEGIN = {"simulate": "duration = 0.01", "inverse_dynamics": "duration = 0.01", "kinematics": "duration = 0.01"}


@pytest.mark.parametrize("verb, word", [(verb, word) for verb, words in WORDS.items() for word in words])
@pytest.mark.parametrize("wrong", ["nonsense", "", "nan"])
def test_a_check_rejects_the_words_that_the_run_rejects(verb, word, wrong, capsys):
    """The check and the run print the same message."""
    head = MODEL.partition("[[analysis]]")[0]
    if verb not in ("kinematics", "inverse_dynamics"):
        head = head.partition("[constraints.D]")[0]
    text = f'{head}\n[[analysis]]\ntype = "{verb}"\n{BEGIN.get(verb, "")}\n{word} = "{wrong}"\n'
    Path("model.toml").write_text(text, encoding="utf-8")
    found = [f.sentence for f in check(loads(text)).findings if f.level == "error"]
    assert len(found) == 1 and wrong in found[0] and f"analysis {verb!r}" in found[0]
    assert main.main(["check", "model.toml", "--quiet"]) == 1
    capsys.readouterr()
    assert main.main(["run", "model.toml", "--quiet", "--no-pictures"]) == 2
    assert found[0].partition(": ")[2] in capsys.readouterr().err


COMMANDS = next(action.choices for action in main._parser()._actions if isinstance(action, argparse._SubParsersAction))


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_flag_is_named_with_the_usage_of_its_command_and_the_nearest_flag(command, capsys):
    parser = COMMANDS[command]
    positional = [
        (action.choices or ["x"])[0]
        for action in parser._actions
        if not action.option_strings and action.nargs not in ("?", "*")
    ]
    options = [word for action in parser._actions for word in action.option_strings if len(word) > 5]
    for flag, remedy in [("--qwertzuiop=3", f"Use 'pytrammel {command} --help'")] + [
        (f"{word[:3]}x{word[3:]}", f"Did you mean {word}?") for word in options
    ]:
        with pytest.raises(SystemExit) as ended:
            main.main([command, *positional, flag])
        told = capsys.readouterr().err
        assert ended.value.code == 2 and f"usage: pytrammel {command}" in told
        assert f"unrecognized arguments: {flag}. {remedy}" in told
