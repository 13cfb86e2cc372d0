"""Files of any shape are read with work that grows as their size, up to stated limits; names of any length end in an error.

Work is counted, not timed: lines of Python and calls of C functions of a reading, which no other work on the machine changes. What one
call of a C function does inside (a search in a list, a regular expression) is not counted, so the largest size is timed as well, with a
limit that only growth as a square reaches.
"""

from __future__ import annotations

import gc
import math
import sys
import time
import warnings

import pytest

import pytrammel as tm
from pytrammel._util.messages import nearest
from pytrammel.cli import main
from pytrammel.cli.commands.batch import read_table
from pytrammel.io.decks.dap_deck import read_dap
from pytrammel.io.decks.kap_deck import read_kap
from pytrammel.io.models import problems
from pytrammel.io.robots.checks import free_name
from pytrammel.io.robots.robot import Joint, span_tree
from pytrammel.model.parameters import Stated, resolved

MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
BAR = (
    'format = 1\nmodel = "planar"\n[bodies.bar]\nmass = 1\ninertia = 0.1\nposition = [0.5, 0]\n'
    '[constraints.A]\ntype = "revolute"\nfirst = "ground"\nsecond = "bar"\nat = [0, 0]\n'
)
DECK = "1,0,0,0,2,1,0\n0,0,0\n1,1\n1,2\n1,3,0,1,0\n0,0,0\n"


def many(count, text, join=""):
    return join.join(text.replace("#", str(k)).replace("$", str(k + 1)) for k in range(count))


def urdf(text):
    return "urdf", f'<robot name="r">{text}</robot>'


def sdf(text):
    return "sdf", f'<sdf version="1.9"><model name="r">{text}</model></sdf>'


def mjcf(text):
    return "xml", f"<mujoco>{text}</mujoco>"


def toml(text):
    return "toml", BAR + text


FRAMES = '<frame name="l$" attached_to="l#"><pose relative_to="l#">0 0 1 0 0 0</pose></frame>'
JOINT_OF_SDF = (
    '<joint name="j#" type="revolute"><parent>l#</parent><child>l$</child><axis><xyz>0 0 1</xyz></axis></joint>'
)
TWO = '<worldbody><body name="a"><joint/><geom size="1"/></body><body name="b"><joint/><geom size="1"/></body></worldbody>'
CONNECT = '<connect body1="a" body2="b" anchor="0 0 0"/>'
UNKNOWN = '[constraints.c#]\ntype = "revolute"\nfirst = "bb#"\nsecond = "ground"\nat = [0, 0]\n'
ATTRIBUTES = "a#='1'"
LINKS, JOINT = f'<link name="l#">{MASS}</link>', '<parent link="l#"/><child link="l$"/><axis xyz="0 0 1"/></joint>'
# name: file of a size, and the size at which it takes some hundredths of a second
FILES = {
    "URDF: unknown attributes": (lambda n: urdf(f'<link name="a" {many(n, ATTRIBUTES, " ")}>{MASS}</link>'), 8000),
    "URDF: unknown elements": (lambda n: urdf(f'<link name="a">{many(n, "<q#/>")}{MASS}</link>'), 4000),
    "URDF: links without joints": (lambda n: urdf(many(n, LINKS)), 4000),
    "URDF: chain": (lambda n: urdf(many(n + 1, LINKS) + many(n, f'<joint name="j#" type="continuous">{JOINT}')), 1500),
    "URDF: chain of fixed links": (lambda n: urdf(many(n + 1, LINKS) + many(n, f'<joint name="j#" type="fixed">{JOINT}')), 2000),
    "URDF: chain of fixed links, last one first": (
        lambda n: urdf(
            many(n + 1, LINKS) + "".join(reversed(many(n, f'<joint name="j#" type="fixed">{JOINT}', "\n").splitlines()))
        ),
        2000,
    ),
    "URDF: one name": (lambda n: urdf(f'<link name="l">{MASS}</link>' * n), 1000),
    "SDF: unknown elements": (lambda n: sdf(f'<link name="a">{many(n, "<q#>1</q#>")}</link>'), 4000),
    "SDF: chain of frames": (lambda n: sdf('<link name="l0"/>' + many(n, FRAMES)), 1000),
    "SDF: chain of joints": (lambda n: sdf(many(n + 1, '<link name="l#"/>') + many(n, JOINT_OF_SDF)), 1000),
    "MJCF: unknown attributes": (lambda n: mjcf(f'<worldbody><body {many(n, ATTRIBUTES, " ")}><geom size="1"/></body></worldbody>'), 8000),
    "MJCF: loops without names": (lambda n: mjcf(f"{TWO}<equality>{CONNECT * n}</equality>"), 800),
    "MJCF: bodies": (lambda n: mjcf("<worldbody>" + '<body><joint/><geom size="1"/></body>' * n + "</worldbody>"), 500),
    "model: bodies": (lambda n: toml(many(n, "[bodies.b#]\nmass = 1\n")), 1000),
    "model: wrong bodies": (lambda n: toml(many(n, "[bodies.b#]\nmas = 1\n")), 1000),
    "model: joints": (lambda n: toml(many(n, '[constraints.c#]\ntype = "revolute"\nfirst = "bar"\nsecond = "ground"\nat = [0, 0]\n')), 600),
    "model: joints of unknown bodies": (lambda n: toml(many(n, "[bodies.b#]\nmass = 1\n") + many(n, UNKNOWN)), 800),
    "model: chain of parameters": (lambda n: toml("[parameters]\np0 = 1.0\n" + many(n, 'p$ = "p#"\n')), 2000),
    "model: circle of parameters": (lambda n: toml("[parameters]\n" + many(n, 'p$ = "p#"\n') + f'p0 = "p{n}"\n'), 2000),
    "model: wrong parameters": (lambda n: toml("[parameters]\n" + many(n, 'p# = "zz#"\n')), 300),
    "model: parameters that follow a wrong one": (lambda n: toml('[parameters]\np0 = "zz"\n' + many(n, 'p$ = "p#"\n')), 2000),
    "model: analyses": (lambda n: toml(many(n, '[[analysis]]\ntype = "simulate"\nname = "n#"\nduration = 1.0\n')), 1000),
    "model: unknown keys": (lambda n: toml("[bodies.b2]\n" + many(n, "k# = 1\n")), 2000),
    "model: nested lists": (lambda n: toml(f"[bodies.b2]\nmass = {'[' * n}{']' * n}\n"), 100_000),
    "JSON: bodies": (lambda n: ("json", '{"format": 1, "model": "planar", "bodies": {' + many(n, '"b#": {"mass": 1}', ", ") + "}}"), 1000),
    "JSON: nested lists": (lambda n: ("json", '{"format": 1, "model": "planar", "bodies": ' + "[" * n + "]" * n + "}"), 100_000),
    "KAP: bodies": (lambda n: ("kap", f"{n},0,0,{n},0,0,0\n" + "0,0,0\n" * n + many(n, "$\n") + "0,1,0.1\n"), 4000),
    "KAP: fields": (lambda n: ("kap", DECK.replace("0,0,0\n", "0," * n + "\n", 1)), 40_000),
    "DAP: fields": (lambda n: ("dap", DECK.replace("0,0,0\n", "0," * n + "\n", 1)), 40_000),
    "table: lines": (lambda n: ("csv", "load\n" + "1.0\n" * n), 40_000),
    "table: columns": (lambda n: ("csv", many(n, "c#", ",") + "\n" + many(n, "1", ",")), 40_000),
}  # fmt: skip
READERS = {
    "urdf": tm.read_robot,
    "sdf": tm.read_robot,
    "xml": tm.read_robot,
    "kap": read_kap,
    "dap": read_dap,
    "csv": read_table,
}
FORMULAS = {
    "sum": lambda n: "+".join(["t"] * n), "sum of names": lambda n: many(n, "x#", "+"), "product": lambda n: "*".join(["t"] * n),
    "powers": lambda n: "^".join(["t"] * n), "round brackets": lambda n: "(" * n + "t" + ")" * n, "signs": lambda n: "-" * n + "t",
    "functions": lambda n: "sin(" * n + "t" + ")" * n, "units": lambda n: "1 " + "m " * n,
    "arguments": lambda n: f"min({', '.join(['t'] * n)})",
    "conditions": lambda n: " and ".join(["t > 0"] * n), "long name": lambda n: "x" * n, "long path": lambda n: "a" + ".a" * n,
    "long number": lambda n: "1" * n, "blanks": lambda n: "t" + " " * n + "+ t", "half exponents": lambda n: "1e" * n,
    "letters": lambda n: "ü" * n,
    "square brackets": lambda n: "a" + "[" * n, "primes": lambda n: "x" + "'" * n, "lines": lambda n: "t\n" * n,
}  # fmt: skip
RATIO = 16  # of the two sizes that are compared
COUNTS = 24  # largest factor of the counts: RATIO if linear, 19 with a logarithm, 26 where a tenth of the small size's work is quadratic
SHARE = 64  # factor of CPU time: between 16 (linear) and 256 (quadratic), in equal proportion
LEAST = (
    5.0  # [s] CPU time: ten times what the largest sizes take, a quarter of a comparison of all pairs of 200,000 signs
)
ENOUGH = 60.0  # [s] CPU time after which a reading is not timed again


def work(call):
    """Lines of Python and calls of C functions of a call, the same on every machine."""
    counted = 0

    def trace(frame, event, argument):
        nonlocal counted
        counted += 1
        return trace

    def profile(frame, event, argument):
        nonlocal counted
        counted += event == "c_call"

    before = sys.gettrace(), sys.getprofile()
    try:
        sys.setprofile(profile)
        sys.settrace(trace)
        call()
    finally:
        sys.settrace(before[0])
        sys.setprofile(before[1])
    return counted


def cpu_time(call):
    """Return the CPU time of a call [s] without garbage collections, whose cost depends on the tests before."""
    gc.collect()
    gc.disable()
    try:
        began = time.process_time()
        call()
        return time.process_time() - began
    finally:
        gc.enable()


def work_grows_as_the_size(make, size):
    """Compare the counts at 1/RATIO of the size and at the size."""
    make(size // RATIO - 1)()  # what only the first call loads; another size, whose text no cache holds
    return work(make(size)) <= COUNTS * work(make(size // RATIO))


def time_grows_as_the_size(make, size, clock=cpu_time):
    """Compare the least of up to three times at 1/RATIO of the size and at the size: other work on the machine only adds time."""
    small, large = math.inf, math.inf
    for _ in range(3):
        small, large = min(small, clock(make(size // RATIO))), min(large, clock(make(size)))
        if large <= SHARE * small + LEAST or large > ENOUGH:
            break
    return large <= SHARE * small + LEAST


def attempt(call, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call(*arguments)
        except tm.TrammelError as error:
            assert len(str(error)) <= 2000


def file_of(name, folder):
    """Return a function of a size that writes a file and returns the call that reads it."""

    def make(n):
        ending, text = FILES[name][0](n)
        path = folder / f"{n}.{ending}"
        path.write_text(text, encoding="utf-8")
        return lambda: attempt(READERS.get(ending, tm.load), path)

    return make


def formula_of(name):
    def make(n):
        text = FORMULAS[name](n)
        return lambda: attempt(tm.parse, text)

    return make


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", FILES)
def test_the_work_to_read_a_file_grows_as_its_size(name, tmp_path, monkeypatch):
    monkeypatch.setattr(
        problems, "MOST", 10
    )  # errors are searched in all names up to this count, which the small size exceeds
    assert work_grows_as_the_size(file_of(name, tmp_path), FILES[name][1])


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", FILES)
def test_the_time_to_read_a_file_grows_as_its_size(name, tmp_path):
    make, size = file_of(name, tmp_path), FILES[name][1]
    make(size // 2)()  # what only the first call loads
    assert time_grows_as_the_size(make, RATIO * size)


@pytest.mark.parametrize("name", FORMULAS)
def test_the_work_to_read_a_formula_grows_as_its_length(name):
    assert work_grows_as_the_size(formula_of(name), 4000)


@pytest.mark.parametrize("name", FORMULAS)
def test_the_time_to_read_a_formula_grows_as_its_length(name):
    """The longest formula that is read has 200,000 signs."""
    make = formula_of(name)
    make(1000)()  # what only the first call loads
    assert time_grows_as_the_size(make, 199_000 * 1000 // len(FORMULAS[name](1000)))


def scan(name, taken):
    """The first free name by trying every number from 2 on."""
    for k in range(1, sys.maxsize):
        if (found := name if k == 1 else f"{name}_{k}") not in taken:
            return found
    return ""


def test_a_reader_whose_work_grows_as_the_square_is_found(tmp_path, monkeypatch):
    """Names numbered from 2 on each time, as a reader of loops without names once did."""
    name = "MJCF: loops without names"
    make, size = file_of(name, tmp_path), FILES[name][1]
    assert work_grows_as_the_size(make, size)
    found = [each for path, each in sys.modules.items() if path.startswith("pytrammel.") and hasattr(each, "free_name")]
    assert found
    for module in found:
        monkeypatch.setattr(module, "free_name", scan)
    assert not work_grows_as_the_size(make, size)


@pytest.mark.parametrize(
    ("power", "slower", "within"), [(1, 1.0, True), (1, 3.0, True), (1.1, 1.0, True), (2, 1.0, False), (2, 0.5, False)]
)
def test_times_that_grow_as_the_square_are_found(power, slower, within):
    """Of 200,000 signs, with 1 ns per pair or 5 us per sign, and a machine that becomes slower at the large size."""
    size, per = 200_000, {1: 5e-6, 1.1: 5e-6, 2: 1e-9}[power]

    def clock(n):
        return per * n**power * (slower if n == size else 1.0)

    assert time_grows_as_the_size(lambda n: n, size, clock) is within


def test_a_formula_of_more_than_two_hundred_thousand_signs_is_rejected_with_the_limit():
    with pytest.raises(tm.ModelError, match="200000"):
        tm.parse("+".join(["t"] * 500_000))


@pytest.mark.parametrize("count", [50, 101, 3000])
def test_frames_may_stand_on_any_number_of_others(count, tmp_path):
    """Each frame lies 1 m above the one before: closed form."""
    text = '<link name="l0"/>' + many(count, FRAMES)
    text += f'<link name="top"><pose relative_to="l{count}"/></link>'
    text += f'<joint name="j" type="revolute"><parent>l{count}</parent><child>top</child><axis><xyz>0 0 1</xyz></axis></joint>'
    path = tmp_path / "r.sdf"
    path.write_text(sdf(text)[1], encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = tm.read_robot(path)
    assert robot.pose_of("top").position == pytest.approx([0.0, 0.0, count])
    assert robot.joints["j"].parent == "l0"


def test_frames_that_stand_on_each_other_are_reported(tmp_path):
    path = tmp_path / "r.sdf"
    frames = '<frame name="a"><pose relative_to="b"/></frame><frame name="b"><pose relative_to="a"/></frame>'
    path.write_text(sdf(f'{frames}<link name="l"><pose relative_to="a"/></link>')[1], encoding="utf-8")
    with pytest.raises(tm.FileFormatError, match=r"'l'.*or to itself"):
        tm.read_robot(path)


def is_ancestor(link, of, placed):
    while of is not None:
        if of == link:
            return True
        of = placed.get(of)
    return False


@pytest.mark.parametrize("seed", range(20))
def test_a_spanning_tree_is_the_one_of_a_plain_search(seed):
    """Random joints among few links: a joint closes a loop where its child has a place already or carries its parent."""
    import random

    draw = random.Random(seed)
    joints = [Joint(f"j{k}", "revolute", f"l{draw.randrange(12)}", f"l{draw.randrange(12)}") for k in range(30)]
    placed = {}
    for joint, found in zip(joints, span_tree(joints), strict=True):
        closing = joint.child in placed or is_ancestor(joint.child, joint.parent, placed)
        assert found.closing == closing
        if not closing:
            placed[joint.child] = joint.parent


def test_names_that_are_taken_lead_to_the_next_number():
    taken = set()
    for k in range(200):
        name = free_name("joint", taken)
        assert name == ("joint" if k == 0 else f"joint_{k + 1}")
        taken.add(name)
    assert free_name("joint", {"joint", "joint_7"}) == "joint_2"


def test_parameters_in_any_order_have_the_values_of_their_formulas():
    count = 300
    backwards = {f"p{k}": Stated(f"p{k - 1} + {k}" if k else "1") for k in reversed(range(count))}
    found = resolved(backwards)
    assert [*found] == [*backwards]
    assert found[f"p{count - 1}"].value == 1 + sum(range(count))  # 1 + 1 + 2 + ...


def test_the_nearest_word_is_found_among_many_and_for_words_of_any_length():
    words = [f"body{k}" for k in range(100_000)]
    assert nearest("bodi7", words) and nearest("crank", ["rocker", "krank"]) == "krank"
    assert nearest("x" * 100_000, ["x" * 99_999]) is None and nearest("q", words) is None


def test_after_five_hundred_errors_the_rest_of_a_file_is_not_checked(tmp_path):
    path = tmp_path / "m.toml"
    path.write_text(toml(many(2000, "[bodies.b#]\nmas = 1\n"))[1], encoding="utf-8")
    with pytest.raises(tm.FileFormatError, match=r"500 errors\. The rest") as caught:
        tm.load(path)
    assert len(caught.value.problems) == 500


# --- names that become paths -------------------------------------------------------------------------------------------

GEOM = '<worldbody><body><geom type="mesh" mesh="m"/></body></worldbody>'
LONG = {"long": "x" * 5000, "longer than a name": "z" * 300, "deep": "/".join(["y" * 200] * 30), "null": "a\0b"}
NESTED = {
    "shape of a body": ("m.toml", 'format = 1\nmodel = "spatial"\n[bodies.a]\nshape = "{}.stl"\n'),
    "included file": ("m.toml", 'format = 1\nmodel = "planar"\ninclude = ["{}.toml"]\n'),
    "assembly": ("m.toml", 'format = 1\nmodel = "planar"\n[subsystems.a]\nfile = "{}.toml"\n'),
    "name of an analysis": ("m.toml", BAR + '[[analysis]]\ntype = "simulate"\nname = "{}"\nduration = 0.1\n'),
    "mesh in URDF": ("r.urdf", urdf(f'<link name="a">{MASS}<visual><geometry><mesh filename="package://{{}}.stl"/></geometry></visual></link>')[1]),
    "mesh in SDF": ("r.sdf", sdf('<link name="a"><visual name="v"><geometry><mesh><uri>model://{}.stl</uri></mesh></geometry></visual></link>')[1]),
    "model in SDF": ("r.sdf", sdf('<include><uri>model://{}</uri></include><link name="a"/>')[1]),
    "mesh in MJCF": ("r.xml", mjcf('<asset><mesh name="m" file="{}.stl"/></asset>' + GEOM)[1]),
    "folder in MJCF": ("r.xml", mjcf('<compiler meshdir="{}"/><asset><mesh name="m" file="a.stl"/></asset>' + GEOM)[1]),
    "included MJCF": ("r.xml", mjcf('<include file="{}.xml"/><worldbody/>')[1]),
}  # fmt: skip


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("place", NESTED)
def test_a_file_that_names_an_impossible_file_is_read_without_it_or_rejected(place, kind, tmp_path):
    name, text = NESTED[place]
    written = LONG[kind].replace("\0", "\\u0000" if name == "m.toml" else "&#1;")
    (tmp_path / name).write_text(text.format(written), encoding="utf-8")
    attempt(tm.load if name == "m.toml" else tm.load_robot, tmp_path / name)


@pytest.mark.parametrize("kind", LONG)
def test_every_way_to_name_a_file_rejects_an_impossible_name(kind, tmp_path):
    m = tm.PlanarModel("pendulum", gravity=(0, -9.81))
    m.parameter("mass", 1.0)
    m.body("bar", position=(0.5, 0), mass="mass", inertia=0.1)
    m.revolute("A", m.ground, "bar", at=(0, 0))
    r = m.simulate(0.1, samples=3, progress=False)
    b = m.batch({"mass": [1.0, 2.0]})
    for ending, call in [
        *((ending, tm.load) for ending in (".toml", ".json", ".yaml")), (".trammel", tm.load_result), (".trammel", tm.resume),
        (".toml", m.save), (".trammel", r.save), (".csv", r.to_csv), (".urdf", tm.read_robot), (".stl", tm.inertia.read_mesh),
        (".kap", read_kap), (".dap", read_dap), (".csv", read_table), (".html", r.animate), (".png", lambda p: r.plot(path=p)),
        (".png", lambda p: m.draw(path=p)), (".trammel", lambda p: m.simulate(0.1, samples=3, store=p, progress=False)),
        ("", lambda p: b.simulate(0.1, samples=3, reduce={"end": "A.angle[end]"}, store=p, progress=False)),
    ]:  # fmt: skip
        path = tmp_path / f"{LONG[kind]}{ending}"
        with pytest.raises(tm.TrammelError):
            call(path)


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "@.toml"], ["run", "@.toml"], ["report", "@.toml"], ["view", "@.toml"], ["info", "@.trammel"], ["plot", "@.trammel"],
        ["convert", "@.urdf", "b.toml"], ["kap", "@"], ["dap", "@"], ["new", "@"], ["batch", "m.toml", "--table", "@.csv"],
        ["optimize", "@.toml"],
        ["compile", "--import", "@"], ["run", "m.toml", "--out", "@"], ["convert", "m.toml", "@.json"],
        ["example", "four_bar", "--out", "@"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_every_command_ends_with_an_error_for_an_impossible_name(arguments, kind, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.toml").write_text(BAR, encoding="utf-8")
    code = main.main([each.replace("@", LONG[kind]) for each in arguments])
    shown = capsys.readouterr()
    assert code == 2 and "error" in shown.err and "Traceback" not in shown.err
