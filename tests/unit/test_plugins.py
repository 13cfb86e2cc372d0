"""Packages outside Trammel: found, checked, drawn and read like its own types; broken ones and clashes are named."""

from __future__ import annotations

import re

import pytest

from plugin_packages import HEAD, files_of_page, force, install, install_page, joint, run, wrong_kernel
from pytrammel._util.plugins import NameClashError
from pytrammel.errors import FileFormatError, ModelError
from pytrammel.io.registry import FileFormat, file_format
from pytrammel.joints.constraint import constraint_type
from pytrammel.kernels import jit
from pytrammel.testing import check_file_format, check_joint

MODEL = """
import json, sys
import pytrammel as tm
m = tm.PlanarModel("swing")
ball = m.body("ball", position=(0.0, -1.0), mass=2.0, inertia=0.1)
before = "tethers" in sys.modules
m.tether("T", m.ground.at(0), ball.at(0), length=1.0)
m.band("B", m.ground.at(1), ball.at(0), stiffness=10.0, length=0.5)
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return install_page(tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def used(package, tmp_path_factory):
    """What a process finds out that uses the package of the page everywhere."""
    folder = tmp_path_factory.mktemp("work")
    code = f"""{MODEL}
import contextlib, io, pathlib, warnings
from pytrammel.cli.main import main
from pytrammel.io.models.schema import schema
folder = pathlib.Path({str(folder)!r})
file = m.save(folder / "swing.toml")
file.write_text(file.read_text() + '\\n[[analysis]]\\ntype = "simulate"\\nduration = 0.01\\nsamples = 3\\n')
run = m.simulate(0.5, samples=6, progress=False)
codes = {{}}
for arguments in (["check"], ["run", "--quiet", "--out", str(folder / "out")], ["view", "--no-open", "--out", str(folder / "v.html")]):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        codes[arguments[0]] = main([arguments[0], str(file), *arguments[1:]])
m.draw(path=folder / "swing.png")
free = tm.PlanarModel("free")
free.body("a", position=(1 / 3, 2.0), mass=1.0, inertia=0.5)
again = tm.load(free.save(folder / "free.masses"))
print(json.dumps({{
    "before": before, "listed": ["tether" in tm.constraint_types(), "band" in tm.force_types(), "band" in tm.spatial_force_types()],
    "dir": "tether" in dir(tm.PlanarModel()), "codes": codes, "schema": "Taut tether" in json.dumps(schema()),
    "again": str(tm.load(file)) == str(m), "picture": (folder / "swing.png").stat().st_size, "x": again["a"].position[0],
    "length": float(abs((run["ball"].x**2 + run["ball"].y**2) ** 0.5 - 1.0).max()),
}}))
"""
    return run(code, package)[0]


def test_a_plugin_is_imported_at_the_first_unknown_name(used):
    assert used["before"] is False
    assert used["listed"] == [True, True, True] and used["dir"]


def test_a_joint_and_a_force_of_a_package_appear_in_files_pictures_commands_and_the_schema(used):
    assert used["codes"] == {"check": 0, "run": 0, "view": 0}
    assert used["again"] and used["schema"] and used["picture"] > 1000


def test_a_joint_of_a_package_holds_its_length(used):
    assert used["length"] < 1e-10  # projection closes rows to 1e-11 of the model's size


def test_a_file_format_of_a_package_is_loaded_and_saved(used):
    assert used["x"] == 1 / 3


def test_the_checks_of_the_page_pass_without_pytest(package):
    code = (
        files_of_page()["tests/test_tethers.py"]
        + """
import json, sys
test_joint(); test_force(); test_file_format()
print(json.dumps("pytest" in sys.modules))
"""
    )
    assert run(code, package)[0] is False


def test_plugins_can_be_turned_off(package):
    code = "import json, pytrammel as tm; print(json.dumps(hasattr(tm.PlanarModel(), 'tether')))"
    assert run(code, package, TRAMMEL_PLUGINS="0")[0] is False


def test_a_pickled_model_with_a_type_of_a_package_is_simulated_in_another_process(package, tmp_path):
    code = f"import json, pickle; open({str(tmp_path / 'm')!r}, 'wb').write(pickle.dumps(m)); print(json.dumps(0))"
    run(MODEL + code, package)
    code = f"import json, pickle; m = pickle.load(open({str(tmp_path / 'm')!r}, 'rb')); print(json.dumps(m.mobility().dof))"
    assert run(code, package)[0] == 2


def test_an_edited_kernel_of_a_package_gives_the_new_number(tmp_path):
    if not jit.HAVE_JIT:
        return  # without compilation there is no cache
    package = install_page(tmp_path / "installed")
    code = (
        MODEL
        + """
from pytrammel.analysis.positions.assembly import residuals
from pytrammel.system.lowering import lower
from pytrammel.kernels import jit
system = lower(m)
jit.prepare(["measures_run", *system.primitives])
found = residuals(system, system.start, 0.0)[0]
print(json.dumps([found, jit.kernel_named("tethers_square").was_loaded()]))
"""
    )
    kernels = package / "tethers" / "kernels.py"
    kernels.write_text(f"# {tmp_path}\n{kernels.read_text(encoding='utf-8')}", encoding="utf-8")  # in no cache yet
    assert run(code, package)[0] == [0.0, False]
    assert run(code, package)[0] == [0.0, True]
    for name, old, new, expected in (
        ("kernels.py", "0.5 * scale", "FACTOR * scale", 0.25),  # 0.75 - 0.5 for a tether of 1 m
        ("numbers.py", "0.75", "1.5", 1.0),  # a number in a module that the kernel's module imports
    ):
        file = package / "tethers" / name
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        if name == "kernels.py":
            text = text.replace(
                "from pytrammel.kernels.layout", "from .numbers import FACTOR\nfrom pytrammel.kernels.layout", 1
            )
            (package / "tethers" / "numbers.py").write_text("FACTOR = 0.75\n", encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")
        assert run(code, package)[0] == [expected, False]


# --- broken plugins and clashes ---------------------------------------------------------------------------------------

LIST = """
import json, warnings
import pytrammel as tm
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    try:
        found = [name for name in ("fine", "twice") if name in tm.constraint_types()]
    except tm.ModelError as error:
        found = str(error)
    tm.PlanarModel().body("b")
    again = tm.constraint_types() if isinstance(found, list) else None
print(json.dumps([found, [str(each.message) for each in told]]))
"""


def test_a_broken_plugin_is_named_by_a_warning_and_the_others_work(tmp_path):
    install(tmp_path, "broken", {"broken.py": "import no_such_library\n"}, {"pytrammel.joints": {"b": "broken"}})
    files = {"fine.py": HEAD + joint("fine", 'return rod("fine", model, name, first, second, length)')}
    install(tmp_path, "zfine", files, {"pytrammel.joints": {"fine": "fine"}})
    found, told = run(LIST, tmp_path)[0]
    assert found == ["fine"] and len(told) == 1
    assert (
        "plugin 'b' of package 'broken' (pytrammel.joints = broken) cannot be imported: ModuleNotFoundError" in told[0]
    )


def test_two_packages_with_one_name_raise_an_error_that_names_both(tmp_path):
    for name in ("one", "two"):
        files = {f"{name}.py": HEAD + joint("twice", 'return rod("twice", model, name, first, second, length)')}
        install(tmp_path, name, files, {"pytrammel.joints": {"twice": name}})
    found, told = run(LIST, tmp_path)[0]
    assert found.startswith("joint 'twice' is defined twice: by one.twice and by two.twice.") and told == []


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("gear", "pytrammel.joints.gears.gear"),
        ("spring", "pytrammel.forces.springs.spring"),
        ("save", "pytrammel.model.base.Model.save"),
        ("parameters", "pytrammel.model.contents.Parts.parameters"),
    ],
)
def test_a_joint_with_the_name_of_another_type_or_method_is_rejected(name, owner):
    def builder(model, name):
        """Not a joint."""

    builder.__name__ = builder.__qualname__ = name
    with pytest.raises(NameClashError, match=f"joint '{name}' is defined twice: by {owner} and by {__name__}.{name}"):
        constraint_type(sample=lambda a, b, c: {})(builder)


@pytest.mark.parametrize("ending", [".toml", ".kap"])
def test_an_ending_that_is_taken_is_rejected(ending):
    with pytest.raises(NameClashError, match=f"file format '{ending}' is defined twice: by pytrammel"):
        file_format(FileFormat(ending, read=print))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: FileFormat("bars", read=print), r"ending 'bars' of a file format is not valid"),
        (lambda: FileFormat(".bars"), r"file format '.bars' is neither read nor written"),
        (lambda: check_file_format(".bars"), r"file format '.bars' is not registered"),
        (lambda: check_file_format(".kap"), r"file format '.kap' has no write="),
        (lambda: check_joint("revolut"), r"joint 'revolut' is not registered"),
    ],
)
def test_what_cannot_be_registered_or_checked_is_named(given, message):
    with pytest.raises((ModelError, FileFormatError), match=message):
        given()


# --- wrong samples: each check fails ----------------------------------------------------------------------------------

ROD = "return rod({kind!r}, model, name, first, second, length, {change})"
PLACES = 'p, q = (model.place(each, None, "an end") for each in (first, second))\n'
WRONG_JOINTS = {
    "jacobian": (wrong_kernel("jacobian", "jac[jo + 1] = scale * dy", "jac[jo + 1] = 2.0 * scale * dy"),
                 r"plane-jacobian: Jacobian with respect to a\.y of 'row square' is .*difference .* exceeds the limit"),
    "gamma": (wrong_kernel("gamma", "ddx * ddx + ddy * ddy + ", ""), r"plane-gamma: second rate \(gamma\) of 'row square'.* exceeds the limit"),  # noqa: E501
    "unit": (joint("unit", PLACES + 'row = Quantity("distance", (p.body, q.body), (*p.local, *q.local), (ANGLE,), "l")\n'
                   + ROD.format(kind="unit", change="quantity=row")),
             r"plane-unit: value in a model of twice the size of 'row l' \[rad\] is .* exceeds the limit"),
    "label": (joint("label", PLACES + 'row = Quantity("distance", (p.body, q.body), (*p.local, *q.local), (LENGTH,), "")\n'
                    + ROD.format(kind="label", change="quantity=row")), r"plane-label: row \(distance\) has an empty label"),
    "annotation": (joint("annotation", ROD.format(kind="annotation", change="")).replace("length: float", "length"),
                   r"plane-annotation: argument 'length' has no annotation"),
    "count": (joint("count", ROD.format(kind="count", change=""), "Rod (2 rows)."), r"plane-count: the docstring states 2 rows, .* has 1"),
    "freedom": (joint("freedom", ROD.format(kind="freedom", change='freedom=(Freedom("translation", 0, (1.0, 0.0)),)')),
                r"plane-freedom: a motion along its freedom= violates its rows by .*; the limit is 1e-9"),
    "span": (joint("span", ROD.format(kind="span", change="span=2*length")), r"plane-span: span of it is 3, .* exceeds the limit"),
    "pickling": (joint("pickling", PLACES + ROD.format(kind="pickling", change=
                 'parameters={"first": p, "second": q, "length": length, "f": lambda: 0}')), r"plane-pickling: a pickled copy raises .*lambda"),  # noqa: E501
    "copying": (joint("copying", PLACES + ROD.format(kind="copying", change='parameters={"first": q, "second": p, "length": 2*length}')),
                r"plane-copying: .*copy"),
    "untraced": (joint("untraced", ROD.format(kind="untraced", change="blocks=(Block(model.distance(first, second, 'l'), (float(length),)),)")),  # noqa: E501
                   r"plane-untraced: numbers of the part do not follow parameters"),
    "picture": (joint("picture", PLACES + ROD.format(kind="picture", change='symbols=(Symbol("rodd", p.body, p.local),)')),
                r"plane-picture: symbol 'rodd' is unknown"),
}  # fmt: skip
PULL = "return pull({kind!r}, model, name, first, second, length, {change})"
WRONG_FORCES = {
    "energy": (force("energy", PULL.format(kind="energy", change='stored="0.4*k*(x - l)^2"')),
               r"plane-energy: force of it\.pull along .* but the slope of the stored energy is .* exceeds the limit"),
    "power": ('''
@force_element
def wrong_power(ip, io, fp, state, out, o, jac, jo, work):
    jac[jo] = fp[ip[io]]
    jac[jo + 1] = 0.0
    jac[jo + 2] = 0.0
    out[OUTPUT_SIZE * o + FORCE] = fp[ip[io]]
    out[OUTPUT_SIZE * o + STATE_RATE] = 0.0
    out[OUTPUT_SIZE * o + POWER] = 2.0 * fp[ip[io]] * state[ip[io + 1] + XD]
''' + force("power", PLACES + 'use = ForceUse("wrong_power", "input", bodies=(p.body,), data=(length,), label=f"{name}.push")\n'
            + PULL.format(kind="power", change="uses=(use,)")),
              r"plane-power: power of it\.push is .* but force times velocity is .* exceeds the limit"),
}  # fmt: skip
WRONG_FORMATS = {
    ".rounded": ('repr(round(b.position[0], 3))', "ValueError", r"file format '.rounded': a model is read back as .* every bit must be kept"),  # noqa: E501
    ".careless": ("repr(b.position[0])", "KeyError", r"file format '.careless': .* raises .* instead of FileFormatError"),
}  # fmt: skip


def wrong_format(ending, number, caught):
    name = ending[1:]
    return f"""
def read_{name}(path):
    model = tm.PlanarModel("read")
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            key, x = line.split()
            model.body(key, position=(float(x), 0.0))
        if len(model.bodies) == 1:
            raise tm.FileFormatError("no body")
    except ({caught}, tm.ModelError) as error:
        raise tm.FileFormatError(str(error)) from None
    return model

def write_{name}(model, path):
    path.write_text("".join(f"{{b.name}} {{{number}}}\\n" for b in list(model.bodies.values())[1:]))

def sample_{name}():
    model = tm.PlanarModel("written")
    model.body("a", position=(1 / 3, 0.0))
    return model

file_format(FileFormat({ending!r}, read=read_{name}, write=write_{name}, sample=sample_{name}))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Messages of the checks about types that are wrong on purpose."""
    folder = tmp_path_factory.mktemp("wrong")
    parts = [HEAD, *(text for text, _ in (*WRONG_JOINTS.values(), *WRONG_FORCES.values()))]
    parts += [wrong_format(ending, number, caught) for ending, (number, caught, _) in WRONG_FORMATS.items()]
    groups = {
        "pytrammel.joints": {"w": "wrong"},
        "pytrammel.forces": {"w": "wrong"},
        "pytrammel.file_formats": {"w": "wrong"},
    }
    install(folder, "wrong", {"wrong.py": "".join(parts)}, groups)
    code = f"""
import json
from pytrammel.testing import CheckFailedError, check_file_format, check_force, check_joint
found = {{}}
for check, names in ((check_joint, {list(WRONG_JOINTS)}), (check_force, {list(WRONG_FORCES)}), (check_file_format, {list(WRONG_FORMATS)})):
    for name in names:
        try:
            check(name)
            found[name] = "passed"
        except CheckFailedError as error:
            found[name] = str(error)
print(json.dumps(found))
"""
    return run(code, folder)[0]


@pytest.mark.parametrize(
    ("name", "message"),
    [(name, each[-1]) for table in (WRONG_JOINTS, WRONG_FORCES, WRONG_FORMATS) for name, each in table.items()],
)
def test_a_type_that_is_wrong_on_purpose_fails_its_check(told, name, message):
    assert re.search(message, told[name], re.DOTALL), told[name]
