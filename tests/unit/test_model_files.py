"""Model files: what is written is read back to the last bit, and what is wrong is told with line, path and remedy, all at once."""

import json
import math
import os
import random
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import pytrammel as tm
from fuzzing.mechanism import random_case
from fuzzing.planar import PLANE
from fuzzing.spatial import SPACE
from other_systems import needs
from pytrammel import examples
from pytrammel.io.models import upgrades
from pytrammel.io.models.formats import read_text
from pytrammel.io.models.model_file import dumps, loads
from pytrammel.testing.samples import plain_model, sample
from registry_samples import TYPES, build, by_places

ENDINGS = (".toml", ".json")
OLD = Path(__file__).parent.parent / "data" / "formats"
crossing_cams = pytest.mark.filterwarnings("ignore::pytrammel.errors.ModelWarning")  # samples need not be good machines


def assert_same(model, other):
    """Equal in every number and in the order of everything, points and counted turns included."""
    assert plain_model(model) == plain_model(other)
    assert (model.name, list(model.points), list(model.turns)) == (other.name, list(other.points), list(other.turns))


def problems(text, ending=".toml"):
    with pytest.raises(tm.FileFormatError) as caught:
        loads(text, ending)
    assert caught.value.problems
    return caught.value.problems


def told(text, ending=".toml"):
    """Line, path and sentence of the only problem."""
    (only,) = problems(text, ending)
    return only.line, only.path, only.sentence


# --- round trips -----------------------------------------------------------------------------------------------------


@crossing_cams
@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_every_registered_type_comes_back_to_the_last_bit(kind):
    made = 0
    for spelling in (sample, by_places):
        if spelling is by_places and by_places(kind, build(kind)[0]) is None:
            continue
        try:
            model, _ = build(kind, spelling=spelling)
        except tm.ModelError:
            continue
        made += 1
        if kind.kind == "controller":  # Python functions do not go into files
            with pytest.raises(tm.ModelError, match="which a model file cannot hold"):
                dumps(model)
            continue
        for ending in ENDINGS:
            text = dumps(model, ending)
            again = loads(text, ending)
            assert_same(model, again)
            assert dumps(again, ending) == text
    assert made


@pytest.mark.sampled(26)
@pytest.mark.parametrize("name", examples.names())
def test_every_example_comes_back_to_the_last_bit(name):
    model = examples.find(name).build()
    for ending in ENDINGS:
        text = dumps(model, ending)
        again = loads(text, ending)
        assert_same(model, again)
        assert dumps(again, ending) == text


@pytest.mark.parametrize("kit", [PLANE, SPACE], ids=["plane", "space"])
def test_random_mechanisms_come_back_to_the_last_bit(kit):
    for seed in range(8):
        model = random_case(kit, seed).model
        assert_same(model, loads(dumps(model)))


def test_a_saved_file_gives_the_same_motion(tmp_path):
    model = examples.find("four_bar").build()
    path = model.save(tmp_path / "four_bar.toml")
    ours, theirs = model.kinematics(duration=1.0, samples=41), tm.load(path).kinematics(duration=1.0, samples=41)
    for column in ("phi", "omega", "alpha", "x"):
        assert np.array_equal(getattr(ours["rocker"], column), getattr(theirs["rocker"], column))


def test_points_turns_and_joints_described_in_any_order_keep_it():
    m = tm.SpatialModel("order")
    a = m.body("a", points={"tip": (0, 0, 1)})
    m.point("P", a, local=(1, 0, 0))
    m.body("b", points={"tip": (0, 0, 1)})
    m.revolute("B", "ground", "b", at=(0, 0, 0), axis="z")
    m.spring("s", "a.tip", "b.tip", stiffness=3.0)
    m.driver("D", "s.length", 1.5)  # a joint that needs a force, which stands in a later section
    m.revolute("A", "ground", a, at=(0, 0, 0), axis="x")
    again = loads(dumps(m))
    assert_same(m, again)
    assert list(again.constraints) == ["B", "D", "A"]


def test_quantities_without_a_name_tables_of_one_name_and_free_velocities_come_back():
    m = tm.PlanarModel("odd things")
    a = m.body("a", velocity=(None, 2.0), mass=1.0, inertia=1.0)
    b = m.body("b", position=(1, 0))
    one, two = tm.functions.spline([0, 1, 2], [0, 1, 0]), tm.functions.spline([0, 1, 2], [0, -1, 0])
    m.driver("d1", m.distance(a.at(0, 0.3), b), 1.0 + one(tm.time) + two(2 * tm.time))
    m.driver("d2", a.at(0.1, 0.2).along((3, 4)), two(tm.time))
    m.driver("d3", m.angle_between(a, b), tm.profiles.motion(0.0, [tm.profiles.rise(0.3, 1.0), tm.profiles.dwell(1.0)]))
    m.force("f", b.at(0.1, 0.2), (one, "-0.5*b.vx"))
    assert_same(m, loads(dumps(m)))


def test_models_drawn_elsewhere_come_back():
    m = examples.find("rssr").build()
    moved = m.copy(changes={next(iter(list(m.bodies)[1:])): {"position": (0.3, 0.1, 0.2)}})
    again = loads(dumps(moved))
    assert_same(moved, again)
    assert_same(moved.copy(), again.copy())


def test_meshes_beside_the_file_are_named_and_others_written_into_it(tmp_path):
    tm.inertia.box_mesh(0.1, 0.2, 0.3).write_stl(tmp_path / "part.stl")
    m = tm.SpatialModel("mesh")
    m.body("a", shape=str(tmp_path / "part.stl"), density=1000.0)
    beside = m.save(tmp_path / "m.toml")
    assert 'shape = "part.stl"' in beside.read_text(encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    inside = m.save(tmp_path / "elsewhere" / "m.json")
    assert "vertices" in inside.read_text(encoding="utf-8")
    for path in (beside, inside):
        assert tm.load(path)["a"].mass == m["a"].mass


# --- parameters and units --------------------------------------------------------------------------------------------

CRANK = """
format = 1
name = "crank"

[parameters]
rod = "300 mm"
crank = {value = "0.4*rod", note = "as long as the frame allows"}
speed = "1800 rpm"

[bodies.crank]
position = ["crank/2", 0]
mass = "2 kg"
inertia = "300 kg cm^2"

[constraints.A]
type = "revolute"
first = "ground"
second = "crank"
at = [0, 0]

[constraints.motor]
type = "driver"
quantity = "A.angle"
motion = "speed*t"

[forces.s]
type = "spring"
first = "ground"
second = {body = "crank", local = ["crank/2", "0 mm"]}
stiffness = "2 kN/m"
free_length = "rod"
"""


def test_units_and_formulas_are_read_kept_and_written_again():
    m = loads(CRANK)
    assert m["crank"].position == (0.4 * 0.3 / 2, 0.0)
    assert m["crank"].inertia == pytest.approx(0.03, rel=1e-15)
    assert m.parameters["speed"].value == tm.rpm(1800)
    assert m["s"].parameters["stiffness"] == 2000.0
    text = dumps(m)
    for kept in ('"0.4*rod"', '"1800 rpm"', '"2 kN/m"', '"crank/2"', '"speed*t"', "as long as the frame allows"):
        assert kept in text
    assert_same(m, loads(text))


def test_other_parameters_give_the_model_that_would_have_been_described():
    longer = loads(CRANK).with_parameters(rod=0.5)
    assert_same(longer, loads(CRANK.replace("300 mm", "0.5 m")))
    assert longer["s"].parameters["second"].local == (0.1, 0.0)


def test_parameters_in_python_are_the_same_thing():
    m = tm.PlanarModel("crank")
    rod = m.parameter("rod", "300 mm")
    crank = m.parameter("crank", 0.4 * rod, note="as long as the frame allows")
    speed = m.parameter("speed", tm.rpm(1800))
    m.body("crank", position=(crank / 2, 0), mass="2 kg", inertia="300 kg cm^2")
    m.revolute("A", m.ground, "crank", at=(0, 0))
    m.driver("motor", "A.angle", speed * tm.time)
    m.spring("s", m.ground, {"body": "crank", "local": (crank / 2, 0)}, stiffness=2000.0, free_length=rod)
    assert_same(m, loads(CRANK))
    assert_same(m, loads(dumps(m)))


@pytest.mark.parametrize(
    "text, value",
    [("40 mm", 0.04), ("1 in", 0.0254), ("2e-2 m", 0.02), ("-3.5 cm", -0.035), ("1/4", 0.25), ("2*pi", 2 * np.pi)],
)
def test_lengths_may_be_texts(text, value):
    m = tm.PlanarModel()
    assert m.body("a", position=(text, 0)).position[0] == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    "given, sentence",
    [
        (
            {"position": ("40 kg", 0)},
            r"position of body 'a' is '40 kg', which is a mass \[kg\]; it must be a length \[m\]",
        ),
        ({"mass": "40 mm"}, r"which is a length \[m\]; it must be a mass"),
        ({"angle": "3 m"}, r"it must be an angle \[rad\]"),
        ({"omega": "3 Hz"}, r"a frequency \[1/s\]; it must be an angular velocity"),
        ({"inertia": "3 kg m"}, r"\[m kg\]; it must be a moment of inertia"),
        ({"mass": "40 kq"}, "there is no unit 'kq'; did you mean"),
        ({"mass": "rot"}, "'rot' is no parameter. Did you mean 'rod'"),
        ({"mass": "rod"}, r"is the parameter 'rod', which is a length \[m\]; it must be a mass"),
        ({"mass": "1/0"}, "Division by zero"),
        ({"mass": "2*rod +"}, "which is no number, unit or formula of parameters"),
    ],
)
def test_what_a_unit_or_formula_cannot_mean_is_refused(given, sentence):
    m = tm.PlanarModel()
    m.parameter("rod", "300 mm")
    with pytest.raises(tm.ModelError, match=sentence):
        m.body("a", **given)


@pytest.mark.parametrize("motion", ["30 rpm*t", "180 deg/s * t", "0.5 rev/s*t", "pi*t", "360 deg*(0.5 Hz*t)"])
def test_motions_with_units_are_read(motion):
    m = tm.PlanarModel("crank")
    m.body("bar")
    m.revolute("A", m.ground, "bar", at=(0, 0))
    m.driver("motor", "A.angle", motion)
    again = loads(dumps(m))
    for model in (m, again):
        assert model.kinematics(times=[0.0, 0.3])["A"].angle[1] == pytest.approx(0.3 * np.pi, rel=1e-14)


def test_a_divisor_that_is_a_unit_and_a_name_of_the_model_is_ambiguous():
    m = tm.PlanarModel("crank")
    m.parameter("h", 2.0)
    m.body("bar")
    m.revolute("A", m.ground, "bar", at=(0, 0))
    with pytest.raises(tm.ModelError, match=r"'motor'.*360 deg/h\*t.*h .* unit"):
        m.driver("motor", "A.angle", "360 deg/h*t")
    m.driver("motor", "A.angle", "(360 deg)/h*t")
    assert m.kinematics(times=[0.0, 0.5])["A"].angle[1] == pytest.approx(np.pi / 2)


def test_circles_and_unknown_or_unused_parameters_are_told():
    m = tm.PlanarModel()
    m.parameter("rod", 0.3)
    m.parameter("crank", "0.4*rod")
    assert m.unused_parameters == ("rod", "crank")
    with pytest.raises(tm.ModelError, match="rod → crank → rod depend on each other in a circle"):
        m.with_parameters(rod="crank")
    with pytest.raises(tm.ModelError, match=r"'rood' is no parameter. Did you mean 'rod'"):
        m.parameter("third", "2*rood")
    m.body("a", position=("crank", 0))
    assert m.unused_parameters == ()


def test_an_unused_parameter_of_a_file_is_a_warning(tmp_path):
    path = tmp_path / "m.toml"
    path.write_text("format = 1\n[parameters]\nrod = 0.3\n", encoding="utf-8")
    with pytest.warns(tm.ModelWarning, match="nothing uses the parameter rod"):
        tm.load(path)


# --- errors ----------------------------------------------------------------------------------------------------------


def test_all_errors_of_a_file_are_told_at_once_with_line_path_and_remedy():
    text = CRANK.replace("at = [0, 0]", "att = [0, 0]").replace('"A.angle"', '"A.angel"').replace("mass =", "mas =")
    found = problems(text.replace('"2 kN/m"', '"2 kg"'))
    assert [(p.line, p.path) for p in found] == [
        (12, "bodies.crank.mas"), (15, "constraints.A"), (19, "constraints.A.att"), (30, "forces.s.stiffness"),
    ]  # fmt: skip
    assert found[0].sentence == "mas: did you mean mass?"
    assert found[2].sentence == "att: did you mean at?"
    # the driver of the joint that could not be made is not to blame for that


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("1 m", "above its upper bound"),
        ("35 kg", "it must be a length [m], as '140 mm' is"),
        (math.nan, "finite number"),
    ],
)
def test_what_follows_from_a_wrong_parameter_is_not_blamed(value, sentence):
    path = Path(tm.__file__).parent / "io" / "models" / "template_files" / "slider_crank.toml"
    with pytest.raises(tm.FileFormatError) as caught:
        tm.load(path, parameters={"rod": value})
    assert [p.path for p in caught.value.problems] == ["parameters.rod"]
    assert sentence in caught.value.problems[0].sentence


@pytest.mark.parametrize(
    "text, line, path, sentence",
    [
        ("x = 1", 1, "format", "format = 1"),
        ("format = 7", 1, "format", "update Trammel"),
        ('format = 1\nmodel = "plane"', 2, "model", "did you mean planar?"),
        ('format = 1\n\ndisplay_unit = "yard"', 3, "display_unit", "must be one of: m, cm"),
        ("format = 1\n[bodies.a]\nposition = [1, 2, 3]", 3, "bodies.a.position", "two numbers"),
        ('format = 1\n[constraints.A]\ntype = "revolut"', 3, "constraints.A.type", "did you mean revolute?"),
        ('format = 1\n[constraints.A]\ntype = "revolute"', 2, "constraints.A", "needs first, second"),
        ("format = 1\n[joints.A]\n", 2, "joints", "there is no such section; did you mean constraints?"),
        ("format = 1\nbodies = 3", 2, "bodies", "must be a table"),
        ("format = 1\n[bodies]\na = 3", 3, "bodies.a", "must be a table"),
        ("format = 1\n[parameters]\nt = 3", 3, "parameters.t", "cannot be the name of a parameter"),
        ('format = 1\n[curves.c]\ntype = "circel"', 2, "curves.c", "the types of curves are"),
        ("format = 1\n[tables.c]\nx = [0, 1]\nz = [1]", 2, "tables.c", "has no entry 'z'"),
        ('format = 1\n[[analysis]]\ntype = "kinematics"\nsampels = 3', 4, "analysis[0].sampels", "did you mean samples?"),
        ("format = 1\nname = four-bar", 2, "", "texts stand in quotes"),
        ("format = 1\n[bodies.a]\n[bodies.a]\n", 3, "", "no TOML"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line(text, line, path, sentence):
    at, where, said = told(text)
    assert (at, where) == (line, path)
    assert sentence in said


def test_lines_are_found_in_every_corner_of_toml():
    text = 'a = """x\n[no]\ny"""\n[s.t] # [q]\n"k e" = [ # one\n 1, {b = 2},\n]\n[[l]]\nm.n = \'#\'\n[[l]]\nm = 4\n[l.o]\np = 1\n'
    lines = read_text(Path("x.toml"), text).lines
    assert lines[("a",)] == 1
    assert lines[("s", "t", "k e")] == 5
    assert lines[("s", "t", "k e", 1, "b")] == 6
    assert lines[("l", 0, "m", "n")] == 9
    assert lines[("l", 1, "m")] == 11
    assert lines[("l", 1, "o", "p")] == 13


def test_lines_are_found_in_json():
    text = '{\n "a": [1,\n {"b": 2}],\n "c": {"d": "x:,[",\n\n "e": 1}}'
    lines = read_text(Path("x.json"), text).lines
    assert lines == {("a",): 2, ("a", 0): 2, ("a", 1): 3, ("a", 1, "b"): 3, ("c",): 4, ("c", "d"): 4, ("c", "e"): 6}


def test_a_python_function_is_refused_with_what_to_do_instead(tmp_path):
    m = tm.PlanarModel()
    m.body("a")
    m.user_force("f", m["a"].x, lambda t: -t, inputs=["t"])
    with pytest.raises(
        tm.ModelError, match=r"Python function .* opening a file never runs code; write the law as a formula"
    ):
        m.save(tmp_path / "m.toml")
    assert not list(tmp_path.iterdir())


def test_yaml_is_read_as_version_1_2_or_says_what_it_needs():
    text = 'format: 1\nname: "on"\nbodies:\n  no: {mass: 2.0}\n  off: {mass: 1e3}\n'
    try:
        import ruamel.yaml  # noqa: F401
    except ImportError:
        with pytest.raises(tm.ModelError, match=r"pip install 'pytrammel\[yaml\]'"):
            loads(text, ".yaml")
        return
    m = loads(text, ".yaml")
    assert list(m.bodies) == ["ground", "no", "off"]
    assert m["off"].mass == 1000.0
    assert told("a: &x [1, 2]\nb: *x", ".yaml")[0] == 1
    assert told("format: 1\na: !!python/object:os.system x", ".yaml")[0] == 2
    model = examples.find("four_bar").build()
    assert_same(model, loads(dumps(model, ".yaml"), ".yaml"))


# --- versions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(OLD.glob("*_format_*")), ids=lambda p: p.name)
def test_files_of_every_version_are_read_for_ever(path):
    example = examples.find(path.stem.rpartition("_format_")[0])
    assert_same(example.build(), tm.load(path))


def test_an_older_version_is_brought_up_step_by_step(monkeypatch):
    monkeypatch.setitem(upgrades.UPGRADES, -1, lambda data: {**data, "bodies": data["links"]})
    monkeypatch.setitem(upgrades.UPGRADES, 0, lambda data: {k: v for k, v in data.items() if k != "links"})
    m = loads("format = -1\n[links.a]\nmass = 2.0\n")
    assert m["a"].mass == 2.0


# --- hostile files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, ending",
    [
        ("x = " + "[" * 100_000, ".toml"),
        ("x = " + "{a=" * 100_000, ".toml"),
        (".".join(["a"] * 200_000) + " = 1", ".toml"),
        ("[" + ".".join(['"a"'] * 200_000) + "]", ".toml"),
        ("x = " + "9" * 10_000, ".toml"),
        ("[" * 100_000, ".json"),
        ('{"a":' * 100_000, ".json"),
        ('{"format": ' + "9" * 10_000 + "}", ".json"),
        ('{"format": NaN}', ".json"),
        ("[1]", ".json"),
        ("format = 1\n[bodies.a]\nmass = inf", ".toml"),
        ("format = 1\n[bodies.a]\nmass = 1979-05-27", ".toml"),
        ('format = 1\n[bodies.a]\nmass = "__import__(\'os\').system(\'touch x\')"', ".toml"),
        ('format = 1\n[bodies.a]\nmass = "' + "(" * 10_000 + '"', ".toml"),
        ('format = 1\n[bodies.a]\nmass = "9^9^9^9^9"', ".toml"),
        ('format = 1\nmodel = "spatial"\n[bodies.a]\nshape = "/etc/passwd"', ".toml"),
    ],
)  # fmt: skip
def test_hostile_texts_end_in_an_error_with_a_line(text, ending):
    for problem in problems(text, ending):
        assert problem.line >= 1


@needs("os.mkfifo")  # links need rights on Windows
def test_files_outside_the_folder_are_refused(tmp_path):
    (tmp_path / "in").mkdir()
    tm.inertia.box_mesh(0.1, 0.2, 0.3).write_stl(tmp_path / "secret.stl")
    path = tmp_path / "in" / "m.toml"
    (tmp_path / "in" / "link.stl").symlink_to(tmp_path / "secret.stl")
    for name in ("../secret.stl", str(tmp_path / "secret.stl"), "link.stl", "a/../../secret.stl"):
        path.write_text(f'format = 1\nmodel = "spatial"\n[bodies.a]\nshape = "{name}"\n', encoding="utf-8")
        with pytest.raises(tm.FileFormatError, match="not in the folder of the model file"):
            tm.load(path)


def test_files_that_are_too_large_no_text_or_missing_are_refused(tmp_path):
    path = tmp_path / "m.toml"
    with path.open("wb") as file:
        file.truncate(40_000_000)
    with pytest.raises(tm.FileFormatError, match="more than 32000000 bytes"):
        tm.load(path)
    path.write_bytes(b"format = 1\nname = '\xff'")
    with pytest.raises(tm.FileFormatError, match="line 2: the file is no text in UTF-8"):
        tm.load(path)
    with pytest.raises(tm.FileFormatError, match="cannot be read: No such file"):
        tm.load(tmp_path / "none.toml")
    with pytest.raises(tm.FileFormatError, match=r"ends in '.tml'; .* Did you mean '.toml'"):
        tm.load(tmp_path / "none.tml")


def test_long_tables_formulas_and_curves_are_refused_before_they_take_long():
    rows = ", ".join(map(str, range(100_001)))
    line, path, said = told(f"format = 1\n[tables.t]\nx = [{rows}]\ny = [0]")
    assert (line, path) == (3, "tables.t.x")
    assert "100000 are the most" in said
    line, path, said = told(f'format = 1\n[curves.t]\ntype = "cartesian_table"\nx = [0]\ny = [{rows}]')
    assert (line, path) == (5, "curves.t.y")
    assert "letters together" in told('format = 1\nname = "' + "x" * 4_000_001 + '"')[2]


@needs("os.mkfifo")
def test_pipes_and_folders_are_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "m.toml")
    with pytest.raises(tm.FileFormatError, match="a folder, pipe or device"):
        tm.load(tmp_path / "m.toml")
    os.mkfifo(tmp_path / "part.stl")
    (tmp_path / "n.toml").write_text(
        'format = 1\nmodel = "spatial"\n[bodies.a]\nshape = "part.stl"\n', encoding="utf-8"
    )
    with pytest.raises(tm.FileFormatError, match="a folder, pipe or device"):
        tm.load(tmp_path / "n.toml")


def test_numbers_of_any_kind_and_collections_of_any_kind_come_back():
    m = tm.PlanarModel(gravity=np.array([0.0, -1.62]))
    m.body("a", mass=Decimal("1.5"), inertia=Fraction(1, 3), position=np.array([0.1, 0.2], dtype=np.float32))
    m.fix("f", "a")
    m.constrain("c", "a.x")
    m.phase("p", active={"c"}, hold=(name for name in ["f"]))
    assert_same(m, loads(dumps(m)))


def mutated(text, rng):
    """The text with a few letters, words or lines changed."""
    for _ in range(rng.randint(1, 4)):
        at, kind = rng.randrange(len(text)), rng.randrange(5)
        if kind == 0:
            text = text[:at] + rng.choice('[]{}="\'#,.\n\\-0aé"') + text[at + 1 :]
        elif kind == 1:
            text = text[:at] + text[at + rng.randint(1, 30) :]
        elif kind == 2:
            words = re.findall(r"[\w.]+", text)
            text = text.replace(
                rng.choice(words), rng.choice([*words, "nan", "1e999", "-1", "true", "[]", "{}", '""']), 1
            )
        elif kind == 3:
            lines = text.splitlines(keepends=True)
            lines.insert(rng.randrange(len(lines)), rng.choice(lines))
            text = "".join(lines)
        else:
            text = text[:at] + text[rng.randrange(len(text)) :][:40] + text[at:]
        text = text or "x"
    return text


@pytest.mark.filterwarnings("ignore")  # mutants may be bad machines
@pytest.mark.parametrize("name", ["four_bar", "geneva", "cam_roller", "stewart_platform", "suspension"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_mutated_files_are_read_or_refused_with_lines_and_nothing_else_happens(name, ending):
    text = dumps(examples.find(name).build(), ending)
    rng = random.Random(f"{name}{ending}")
    refused = 0
    for _ in range(6 if name == "cam_roller" else 25):  # an outline is searched for undercut
        try:
            loads(mutated(text, rng), ending)
        except tm.FileFormatError as error:
            refused += 1
            assert error.problems and all(problem.line >= 1 for problem in error.problems)
    assert refused >= 3


def test_json_and_toml_say_the_same():
    model = examples.find("geneva").build()
    assert json.loads(dumps(model, ".json")) == read_text(Path("x.toml"), dumps(model)).data
