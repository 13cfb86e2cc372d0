"""The command line on model files: from an empty folder to a report, in text for people and in JSON for programs."""

import json
import re
import shlex
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from pytrammel.cli import main
from pytrammel.examples import find, names
from pytrammel.io.models.analyses import VERBS, options, run_analysis
from pytrammel.io.models.model_file import loads
from pytrammel.io.models.schema import schema
from pytrammel.io.models.templates import described, example_files, template_text, templates
from pytrammel.io.models.words import KINDS, types
from pytrammel.report.model_check import check

pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def trammel(*words):
    return main.main([str(word) for word in words])


def printed(capsys, *words):
    """What a command prints as JSON."""
    capsys.readouterr()
    code = trammel(*words, "--json")
    return code, json.loads(capsys.readouterr().out)


# --- a new user ------------------------------------------------------------------------------------------------------


def test_a_new_user_walks_from_an_empty_folder_to_a_report(capsys):
    assert trammel("new") == 0
    assert "slider_crank" in capsys.readouterr().out
    assert trammel("new", "slider_crank", "--out", "engine.toml") == 0
    assert trammel("check", "engine.toml") == 0
    assert "1 degree of freedom" in capsys.readouterr().out
    assert trammel("run", "engine.toml") == 0
    said = capsys.readouterr()
    assert "piston" not in said.err
    assert "report.html" in said.out
    written = {path.name for path in Path("engine_results").iterdir()}
    assert written == {f"inverse_dynamics.{kind}" for kind in ("csv", "json", "png", "html", "trammel")} | {
        "summary.txt",
        "report.html",
        "job.json",
    }
    assert trammel("plot", "engine.toml", "piston.x", "--out", "piston.svg") == 0
    assert trammel("report", "engine.toml", "--out", "all.html") == 0
    assert trammel("view", "engine.toml", "--out", "engine.png") == 0
    assert all(Path(name).stat().st_size > 5000 for name in ("piston.svg", "all.html", "engine.png"))


@pytest.mark.parametrize("name", templates())
def test_every_template_is_described_sound_and_runs(name):
    text = template_text(name)
    assert described(text)
    model = loads(text)
    found = check(model)
    assert found.sound and not [f for f in found.findings if f.level == "warning"], found
    assert not model.unused_parameters
    for job in model.analyses.values():
        result = run_analysis(model, job, progress=False)
        for column in job["plots"]:
            assert np.isfinite(result[column]).all()


def test_parameters_can_be_asked_for(monkeypatch, capsys):
    answers = iter(["nothing", "pendulum", "30 kg", "80 cm", "", "mine.toml"])
    monkeypatch.setattr("sys.stdin.readline", lambda: next(answers) + "\n", raising=False)
    assert trammel("new", "--interactive") == 0
    assert "it must be a length [m]" in capsys.readouterr().out
    model = tm.load("mine.toml")
    assert model.parameters["length"].given == "80 cm"
    assert Path("mine.toml").read_text(encoding="utf-8").startswith("# A pendulum")


def test_files_are_not_replaced_by_accident(capsys):
    Path("pendulum.toml").write_text("mine", encoding="utf-8")
    assert trammel("new", "pendulum") == 2
    assert "there already" in capsys.readouterr().err
    assert Path("pendulum.toml").read_text(encoding="utf-8") == "mine"
    assert trammel("new", "pendulum", "--force", "--quiet") == 0
    assert trammel("convert", "pendulum.toml", "pendulum.toml") == 2


# --- json and exit codes ---------------------------------------------------------------------------------------------


def test_every_command_speaks_json(capsys):
    code, said = printed(capsys, "new", "four_bar")
    assert (code, said) == (0, {"files": ["four_bar.toml"]})
    code, said = printed(capsys, "info", "four_bar.toml")
    assert said["constraints"]["motor"] == "driver"
    code, said = printed(capsys, "check", "four_bar.toml")
    assert (code, said["sound"], said["mobility"]["dof"]) == (0, True, 1)
    code, said = printed(capsys, "run", "four_bar.toml", "--no-pictures", "--out", "out")
    assert (code, said["analyses"][0]["error"]) == (0, None)
    code, said = printed(capsys, "plot", "four_bar.toml", "--columns")
    assert "rocker.omega" in said["columns"]
    code, said = printed(capsys, "convert", "four_bar.toml", "four_bar.json")
    assert said == {"files": ["four_bar.json"]}
    code, said = printed(capsys, "report", "four_bar.toml", "--no-open")
    assert said["files"] == ["four_bar_report.html"]


def test_what_was_computed_before_an_error_is_written_and_the_exit_code_says_so(capsys):
    trammel("new", "four_bar", "--quiet")
    # a crank that is too long: the linkage locks on the way
    code, said = printed(capsys, "run", "four_bar.toml", "--set", "crank=65 mm", "--no-pictures")
    assert code == 1
    assert "dead point" in said["analyses"][0]["error"]
    rows = Path("four_bar_results/kinematics.csv").read_text(encoding="utf-8").splitlines()
    assert 2 < len(rows) < 182


def test_wrong_files_and_options_are_told_in_one_go(capsys):
    Path("m.toml").write_text("format = 1\n[bodies.a]\nmas = 1\n[joints.A]\n", encoding="utf-8")
    assert trammel("check", "m.toml") == 2
    said = capsys.readouterr().err
    assert "line 3, bodies.a.mas: mas: did you mean mass?" in said
    assert "line 4, joints" in said
    trammel("new", "pendulum", "--quiet")
    for words, sentence in (
        (["run", "pendulum.toml", "--set", "lenght=2"], "no parameter 'lenght' to change; did you mean length?"),
        (["run", "pendulum.toml", "--set", "length"], "NAME=VALUE"),
        (["run", "pendulum.toml", "--do", "simulat"], "did you mean simulate?"),
        (["run", "pendulum.toml", "--do", "simulate", "sampels=3"], "did you mean samples?"),
        (["run", "pendulum.toml", "--do", "simulate", "plots=3"], "plots must be a list of names"),
        (["run", "pendulum.toml", "--do", "simulate", "events=3"], "events must be a list of tables"),
        (["run", "pendulum.toml", "--analysis", "x"], "no analysis 'x'"),
        (["run", "pendulum.toml", "--do", "simulate", "duration=-1"], "duration is -1.0 s"),
        (["new", "pendulem"], "did you mean pendulum?"),
        (["info", "pendulum.tomml"], "no kind of model"),
    ):
        assert trammel(*words) == 2
        assert sentence in capsys.readouterr().err


def test_errors_of_analyses_are_told_even_when_quiet(capsys):
    trammel("new", "pendulum", "--quiet")
    for words, sentence in (
        (["duration=0.1", 'plots=["A.angel"]'], "did you mean 'A.angle'"),
        (["duration=0.1", 'traces=["tp"]'], "there is no point 'tp'; points are: tip"),
    ):
        assert trammel("run", "pendulum.toml", "--quiet", "--no-pictures", "--do", "simulate", "samples=3", *words) == 1
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.startswith("pytrammel: error: simulate: ")
        assert sentence in said.err


def test_a_mechanism_that_cannot_close_is_an_error_of_the_check(capsys):
    trammel("new", "four_bar", "--quiet")
    code, said = printed(capsys, "check", "four_bar.toml", "--set", "coupler=10 mm")
    assert (code, said["sound"]) == (1, False)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('duration = "2*pi/speed"', 'duration = "1 kg"', "it must be a time [s]"),
        ("samples = 181", 'samples = "many"', "samples"),
        ("samples = 181", "samples = 1", "at least 2"),
    ],
)
def test_the_check_looks_at_options_of_analyses(old, new, sentence, capsys):
    trammel("new", "slider_crank", "--quiet")
    path = Path("slider_crank.toml")
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert trammel("check", "slider_crank.toml") == 1
    assert sentence in capsys.readouterr().out


def test_the_check_gives_advice():
    m = tm.PlanarModel()
    a, b = m.body("a", mass=1.0, inertia=500.0), m.body("b", mass=2e7, inertia=1.0, position=(0.1, 0))
    m.body("c")
    m.revolute("A", m.ground, a, at=(0, 0.1))
    m.revolute("B", a, b, at=(0.1, 0))
    m.driver("d", "A.angle", "t")
    m.parameter("unused", 3)
    said = str(check(m))
    for word in ("unused", "flies freely", "tonnes", "radius of gyration", "needs 4 more", "without mass"):
        assert word in said


def test_analyses_take_units_formulas_events_and_parameters():
    m = loads(template_text("pendulum"))
    short = {"type": "simulate", "duration": "300 ms", "samples": 4}
    assert run_analysis(m, short, progress=False).times[-1] == pytest.approx(0.3)
    falls = {"type": "simulate", "duration": 2.0, "events": [{"name": "down", "when": "A.angle + pi/2", "stop": True}]}
    assert run_analysis(m, falls, progress=False).times[-1] < 2.0
    with pytest.raises(tm.ModelError, match=r"duration of simulate is '3 m', which is a length"):
        run_analysis(m, {"type": "simulate", "duration": "3 m"})
    with pytest.raises(tm.ModelError, match="has no entry 'wen'"):
        run_analysis(m, {"type": "simulate", "duration": 1.0, "events": [{"name": "x", "wen": "t"}]})


def test_other_verbs_are_written_too(capsys):
    trammel("new", "pendulum", "--quiet")
    text = Path("pendulum.toml").read_text(encoding="utf-8")
    more = "".join(
        f'\n[[analysis]]\ntype = "{verb}"\n' for verb in ("mobility", "equilibrium", "linearize", "assemble")
    )
    Path("pendulum.toml").write_text(text + more, encoding="utf-8")
    code, said = printed(capsys, "run", "pendulum.toml", "--no-pictures")
    assert [o["type"] for o in said["analyses"]] == ["simulate", "mobility", "equilibrium", "linearize", "assemble"]
    found = json.loads(Path("pendulum_results/mobility.json").read_text(encoding="utf-8"))["found"]
    assert found["rank"] == 2
    assert code == 0, said


# --- decks, reports, schema, completion -------------------------------------------------------------------------------


def test_decks_convert_to_model_files_with_the_same_numbers():
    for name in ("kap_four_bar", "dap_four_bar", "dap_dump_truck_static"):
        example = find(name)
        deck = Path(f"{name}.{name[:3]}")
        deck.write_text(example.source(), encoding="utf-8")
        assert trammel("convert", deck, f"{name}.toml", "--quiet") == 0
        model = tm.load(f"{name}.toml")
        (job,) = model.analyses.values()
        result = run_analysis(model, job, progress=False)
        assert np.array_equal(result.q, example.run().q)


class Tags(HTMLParser):
    """Checks that tags close in order and that nothing is fetched."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key in ("src", "href"):
                assert value.startswith("data:")
        if tag not in ("meta", "img", "br", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_reports_and_fronts_have_the_endings_of_what_they_are(capsys):
    trammel("new", "slider_crank", "--quiet")
    assert trammel("report", "slider_crank.toml", "--out", "r.pdf") == 2
    assert "ends in .html" in capsys.readouterr().err
    assert trammel("optimize", "slider_crank.toml", "--minimize", "rod", "--minimize", "crank", "--out", "f.toml") == 2
    assert "ends in .csv" in capsys.readouterr().err


def test_a_report_is_one_page_that_needs_nothing_else():
    trammel("new", "four_bar", "--quiet")
    Path("odd.toml").write_text(
        Path("four_bar.toml").read_text(encoding="utf-8").replace('"four-bar"', '"<b>four & bar</b>"'), encoding="utf-8"
    )
    assert trammel("report", "odd.toml", "--quiet") == 0
    page = Path("odd_report.html").read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(page)
    assert not tags.open
    assert "&lt;b&gt;four &amp; bar&lt;/b&gt;" in page
    assert page.count("data:image/png") == 2
    assert page.count("<iframe") == 1
    for word in ("parameter", "60 rpm", "driver", "Grübler", "rocker.omega"):
        assert word in page


def test_the_schema_knows_every_type_argument_and_option():
    made = schema()
    for kind, part in zip(KINDS, made["oneOf"], strict=True):
        for section in ("constraints", "forces"):
            entries = {
                e["properties"]["type"]["const"]: e
                for e in part["properties"][section]["additionalProperties"]["oneOf"]
            }
            assert entries.keys() == types(kind, section).keys()
    analyses = {
        e["properties"]["type"]["const"]: e for e in made["oneOf"][0]["properties"]["analysis"]["items"]["oneOf"]
    }
    assert set(analyses) == set(VERBS)
    assert options("inverse_dynamics").keys() <= analyses["inverse_dynamics"]["properties"].keys()
    revolute = next(
        e
        for e in made["oneOf"][1]["properties"]["constraints"]["additionalProperties"]["oneOf"]
        if e["properties"]["type"]["const"] == "revolute"
    )
    assert revolute["required"] == ["first", "second", "type"]
    assert "description" in revolute["properties"]["axis"]
    json.dumps(made)


def test_shells_are_taught_every_command(capsys):
    for shell in ("bash", "zsh", "fish"):
        assert trammel("completion", shell) == 0
        text = capsys.readouterr().out
        for word in ("convert", "--no-pictures", "slider_crank"):
            assert re.search(rf"(?<![\w-]){word}(?!\w)", text)


# --- examples as files -----------------------------------------------------------------------------------------------


def test_every_example_is_a_model_file_too():
    assert list(example_files()) == sorted(names())


URDF = """
<robot name="leg">
  <link name="base"/>
  <link name="thigh"><inertial><origin xyz="0 0 -0.2"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hip" type="continuous"><parent link="base"/><child link="thigh"/><axis xyz="0 1 0"/></joint>
</robot>
"""


def test_robots_convert_to_model_files_and_back():
    Path("leg.urdf").write_text(URDF, encoding="utf-8")
    assert trammel("convert", "leg.urdf", "leg.toml", "--quiet") == 0
    assert tm.load("leg.toml")["hip"].kind == "revolute"
    assert trammel("convert", "leg.toml", "again.urdf", "--quiet") == 0
    assert tm.load_robot("again.urdf")["thigh"].mass == 2.0
    assert trammel("new", "four_bar", "--quiet") == 0
    assert trammel("convert", "four_bar.toml", "four_bar.urdf") == 2


def test_ctrl_c_keeps_what_was_computed(monkeypatch, capsys):
    trammel("new", "pendulum", "--quiet")
    whole = tm.load("pendulum.toml").simulate(3.0, samples=301, progress=False)
    cut = replace(whole, times=whole.times[:90], q=whole.q[:90], v=whole.v[:90], a=whole.a[:90], interrupted=True)
    cut = replace(cut, _notes=whole._notes[:90], dynamics=None, _segments=())
    monkeypatch.setattr("pytrammel.io.models.job.run_analysis", lambda *_, **__: cut)
    code, said = printed(capsys, "run", "pendulum.toml", "--no-pictures")
    assert (code, said["analyses"][0]["interrupted"]) == (130, True)
    assert len(Path("pendulum_results/simulate.csv").read_text(encoding="utf-8").splitlines()) == 91


# --- questions -------------------------------------------------------------------------------------------------------


def test_a_deck_is_given_or_asked_for(capsys):
    assert trammel("kap") == 2
    assert "which deck?" in capsys.readouterr().err
    assert trammel("kap", "x.kap", "--interactive") == 2
    assert "choose one" in capsys.readouterr().err
    assert trammel("dap", "engine.toml") == 2
    assert "pytrammel run engine.toml" in capsys.readouterr().err


# --- stored results and runs that were cut off -----------------------------------------------------------------------


def pendulum_file():
    from pytrammel.io.models.model_file import dumps

    m = tm.PlanarModel("pendulum")
    b = m.body("b", position=(1, 0), mass=1.0, inertia=0.1)
    m.revolute("A", m.ground.at(0, 0), b.at(-1, 0))
    m.analyses["swing"] = {"type": "simulate", "duration": 100.0, "samples": 1001}
    m.analyses["mobility"] = {"type": "mobility"}
    Path("p.toml").write_text(dumps(m, ".toml"), encoding="utf-8")


def cut_off(monkeypatch, *words):
    """A run of the command that is killed after its third checkpoint."""
    from pytrammel.io.results import run_store

    keep, count = run_store.RunStore._keep, [0]

    class Killed(BaseException):
        pass

    def keeping(self, *given, **more):
        keep(self, *given, **more)
        count[0] += 1
        if count[0] == 3:
            raise Killed

    monkeypatch.setattr(run_store, "EVERY", 0.0)
    monkeypatch.setattr(run_store, "SHARE", 1e9)
    monkeypatch.setattr(run_store.RunStore, "_keep", keeping)
    with pytest.raises(Killed):
        trammel("run", *words)
    monkeypatch.setattr(run_store.RunStore, "_keep", keep)


def test_a_run_that_was_cut_off_is_resumed_with_the_same_numbers(monkeypatch, capsys):
    pendulum_file()
    assert trammel("run", "p.toml", "--no-pictures", "--out", "whole") == 0
    cut_off(monkeypatch, "p.toml", "--no-pictures")
    store = Path("p_results/swing.trammel")
    capsys.readouterr()
    assert trammel("info", store) == 0
    said = capsys.readouterr()
    assert "was cut off; its store holds what was computed until t = " in said.err and "pendulum" in said.out
    assert trammel("run", "p.toml", "--no-pictures") == 2  # nothing that was computed is lost by mistake
    assert "say --resume to continue it, or remove it" in capsys.readouterr().err
    assert trammel("run", "p.toml", "--no-pictures", "--resume") == 0
    assert "cut off" not in capsys.readouterr().err
    for name in ("swing.csv", "swing.json", "mobility.json"):
        assert Path("p_results", name).read_bytes() == Path("whole", name).read_bytes()
    assert tm.load_result(store).compare(tm.load_result("whole/swing.trammel")).identical
    # once more: what is complete is read
    assert trammel("run", "p.toml", "--no-pictures", "--resume") == 0
    assert Path("p_results/swing.csv").read_bytes() == Path("whole/swing.csv").read_bytes()


def test_what_cannot_be_resumed_by_the_command_gets_a_true_sentence(monkeypatch, capsys):
    pendulum_file()
    assert trammel("run", "p.toml", "--resume") == 2
    assert "there is nothing to resume in 'p_results'" in capsys.readouterr().err
    assert not Path("p_results").exists()
    cut_off(monkeypatch, "p.toml", "--no-pictures")
    kept = Path("p_results/swing.trammel").read_bytes()
    text = Path("p.toml").read_text(encoding="utf-8")
    Path("p.toml").write_text(text.replace("mass = 1.0", "mass = 2.0"), encoding="utf-8")
    assert trammel("run", "p.toml", "--resume") == 2
    assert "the model changed since the results in 'p_results' were begun" in capsys.readouterr().err
    Path("p.toml").write_text(text.replace("samples = 1001", "samples = 101"), encoding="utf-8")
    assert trammel("run", "p.toml", "--resume") == 2
    assert "the analysis 'swing' changed since" in capsys.readouterr().err
    Path("p.toml").write_text(text, encoding="utf-8")
    Path("p_results/job.json").write_text("{", encoding="utf-8")
    assert trammel("run", "p.toml", "--resume") == 2
    assert "is damaged; leave out --resume" in capsys.readouterr().err
    assert Path("p_results/swing.trammel").read_bytes() == kept


def test_commands_take_stored_results(capsys):
    pendulum_file()
    result = tm.load("p.toml").simulate(2.0, samples=21)
    result.save("r.trammel")
    code, data = printed(capsys, "info", "r.trammel")
    assert code == 0 and data["result"]["instants"] == 21 and data["result"]["to"] == 2.0 and data["name"] == "pendulum"
    code, data = printed(capsys, "plot", "r.trammel", "--columns")
    assert code == 0 and data["columns"] == result._table_names()
    assert trammel("plot", "r.trammel", "A.angle", "--out", "a.svg") == 0 and Path("a.svg").stat().st_size > 1000
    assert trammel("report", "r.trammel", "--no-open", "--out", "r.html") == 0 and "A.angle" in Path(
        "r.html"
    ).read_text(encoding="utf-8")
    assert trammel("view", "r.trammel", "--no-open") == 0 and Path("r.html").stat().st_size > 10_000
    assert trammel("convert", "r.trammel", "again.toml") == 0
    assert tm.load("again.toml").simulate(2.0, samples=21).compare(result).identical
    assert trammel("convert", "r.trammel", "r.csv") == 0
    assert Path("r.csv").read_text(encoding="utf-8") == result.to_csv(Path("other.csv")).read_text(encoding="utf-8")
    assert trammel("plot", "r.trammel", "A.angel") == 2
    assert "did you mean 'A.angle'" in capsys.readouterr().err.replace("Did", "did")
    Path("bad.trammel").write_text("nothing", encoding="utf-8")
    for command in ("info", "plot", "report", "view"):
        assert trammel(command, "bad.trammel") == 2
        assert "is no stored result" in capsys.readouterr().err


def test_a_drawing_of_a_stored_result_shows_its_first_position(capsys):
    m = tm.PlanarModel("late")
    m.body("arm", position=(0.6, 0.8), mass=1.0, inertia=0.0)
    m.revolute("A", m.ground, "arm", at=(0, 0))
    m.driver("motor", "A.angle", "t")
    late = m.kinematics(times=[1.5, 1.75, 2.0])
    late.save("late.trammel")
    late.draw(path="true.png")
    assert trammel("view", "late.trammel", "--out", "late.png", "--no-open") == 0
    assert Path("late.png").read_bytes() == Path("true.png").read_bytes()
    capsys.readouterr()
    for name in ("late.bmp", "late.trammel", "late"):
        assert trammel("view", "late.trammel", "--out", name) == 2
        error = capsys.readouterr().err
        assert name in error and ".png" in error and ".html" in error


@pytest.mark.parametrize("name", ["two words.toml", "a$b.toml", "it's.toml"])
def test_the_next_commands_can_be_typed(capsys, name):
    assert trammel("new", "pendulum", "--out", name) == 0
    following = capsys.readouterr().out.split("next: ")[1].split(";")
    assert [shlex.split(line)[-1] for line in following] == [name, name]


def test_a_name_that_is_no_model_is_told_what_it_is(capsys):
    trammel("new", "four_bar")
    Path("results").mkdir()
    Path("results/run.trammel").write_bytes(b"")
    Path("notes").write_text("", encoding="utf-8")
    for name, said in {
        "four_bar": "did you mean 'four_bar.toml'?",
        "nothing": "there is no file 'nothing'.",
        "results": "is a folder; name a file in it: run.trammel.",
        "notes": "has no ending that says what it is",
    }.items():
        capsys.readouterr()
        assert trammel("check", name) == 2
        assert said in capsys.readouterr().err


def test_nothing_of_an_older_run_stands_beside_a_newer_one(capsys):
    trammel("new", "four_bar")
    assert trammel("run", "four_bar.toml", "--no-pictures") == 0
    assert Path("four_bar_results/kinematics.csv").exists()
    assert trammel("run", "four_bar.toml", "--no-pictures", "--set", "crank=3") == 1  # it cannot close
    assert {path.name for path in Path("four_bar_results").iterdir()} == {"job.json", "summary.txt"}
    capsys.readouterr()
    assert trammel("run", "four_bar.toml", "--out", "four_bar.toml") == 2
    assert "'four_bar.toml' is a file" in capsys.readouterr().err


def test_options_of_analyses_are_honoured_or_refused(capsys):
    trammel("new", "slider_crank", "--out", "engine.toml")
    # names may stand behind --do as well as before it
    assert trammel("plot", "--do", "kinematics", "duration=0.01", "engine.toml", "piston.x", "--out", "x.png") == 0
    with pytest.raises(SystemExit):  # only one of both can be done
        trammel("run", "engine.toml", "--analysis", "inverse_dynamics", "--do", "kinematics", "duration=1")
    table = ("batch", "engine.toml", "--do", "kinematics", "duration=0.01", "--reduce", "top=max(piston.x)")
    assert trammel(*table, "--sample", "3", "--seed", "2") == 0
    assert trammel(*table, "--table", "engine_batch.csv", "--seed", "2") == 2
    capsys.readouterr()
    assert trammel("optimize", "engine.toml", "--maximize", "range(piston.x)", "--out", "best.txt") == 2
    assert "ends in .toml" in capsys.readouterr().err


@pytest.mark.parametrize("ending", [".toml", ".json"])
def test_a_new_model_is_written_in_the_format_of_its_ending(ending):
    assert trammel("new", "pendulum", "--out", f"p{ending}") == 0
    assert trammel("info", f"p{ending}") == 0
    assert trammel("new", "pendulum", "--out", "p.txt") == 2


@pytest.mark.parametrize("name", ["job", "summary", "report"])
def test_analyses_have_no_names_of_other_files(name):
    text = template_text("four_bar").replace("[[analysis]]", f'[[analysis]]\nname = "{name}"')
    with pytest.raises(tm.FileFormatError, match=f"{name}_2"):
        loads(text)


@pytest.mark.parametrize(
    "names", [("Run", "run"), ("report", "x"), ("Report", "x"), ("NUL", "x"), ("a" * 101, "x")], ids=str
)
def test_names_of_analyses_name_files_on_every_system(names, tmp_path, capsys):
    jobs = "".join(f'[[analysis]]\nname = "{name}"\ntype = "mobility"\n' for name in names)
    path = tmp_path / "m.toml"
    path.write_text('format = 1\nmodel = "planar"\n[bodies.a]\n' + jobs, encoding="utf-8")
    assert main.main(["run", str(path), "--out", str(tmp_path / "out")]) == 2
    assert "analys" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("name", "heading"), [("first run", "first run simulate"), ("simulate", "simulate")])
def test_headings_of_a_report_name_the_analysis_and_its_verb_once(name: str, heading: str) -> None:
    """The verb follows the name in small letters unless it is the name."""
    from pytrammel.io.models.job import Outcome
    from pytrammel.report.page import _section

    text = re.sub(r"<[^>]*>", "", _section(Outcome(name, "simulate"))[0])
    assert text == heading
