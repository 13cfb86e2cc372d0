"""The kernel cache: never stale, hit by the next process, and not needed for right answers."""

from __future__ import annotations

import ast
import importlib
import json
import os
import pkgutil
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pytrammel
from other_systems import needs
from pytrammel.kernels import cache as kernel_cache
from pytrammel.kernels import jit
from pytrammel.kernels.sources import Sources, _imported

SOURCE = Path(pytrammel.__file__).parent

# measured value of a body's x: runs measures_run, which calls load_state in another file
MEASURE = """
import json, sys
import pytrammel as tm
from pytrammel.kernels import jit
m = tm.PlanarModel("probe")
b = m.body("b", position=(2.0, 0.0))
m.fix("hold", b)
from pytrammel.analysis.positions.assembly import residuals
from pytrammel.system.lowering import lower
from pytrammel.kernels.jit import prepare
from pytrammel.kernels.primitives import primitives
primitives()
prepare(["measures_run", "linear"])
system = lower(m)
print(json.dumps({
    "x": residuals(system, system.start, 0.0)[0] + 2.0,
    "loaded": {k.name: k.was_loaded() for k in jit.all_kernels() if k.name in ("measures_run", "linear")},
}))
"""

FOUR_BAR_AND_CAM = """
import json
import pytrammel as tm
m = tm.PlanarModel("four-bar with cam")
a, b = m.body("a", position=(.5, .8), angle=1.0), m.body("b", position=(2.6, 2.6), angle=.5)
c = m.body("c", position=(3.5, 1.8), angle=1.0)
m.revolute("A", m.ground.at(0, 0), a.at(-1, 0)); m.revolute("B", a.at(1, 0), b.at(-2, 0))
m.revolute("C", b.at(2, 0), c.at(2, 0)); m.revolute("D", c.at(-2, 0), m.ground.at(2.5, 0))
f = m.body("f", position=(-3.0, 3.0))
m.prismatic("guide", m.ground, f, at=(-3.0, 3.0), axis=(0, 1))
cam = m.body("cam", position=(-3.0, 0.0))
m.revolute("O", m.ground, cam, at=(-3.0, 0.0)); m.equation("gear", "cam.phi - 2*a.phi", unit="rad")
m.cam_roller("roll", cam, f.at(0, 0), curve=tm.curves.circle(1.0, (0.5, 0.0)), radius=0.3)
m.driver("motor", a.phi, "1.0 + 6.0*t")
k = m.kinematics(0.05, samples=3, progress=False)
n = tm.PlanarModel("falling on a spring, with a contact")
p = n.body("p", position=(0.0, 0.055), mass=0.1, inertia=1e-4, massless=False)
n.contact_line("floor", p, n.ground, radius=0.05, at=(0, 0), axis=(1, 0), stiffness=5000.0, friction=0.2)
n.user_force("pull", p.x, lambda t, x: 0.1 * t - x, inputs=["t", "p.x"])
n.spring("s", n.ground.at(0.3, 0.3), p.at(0, 0), stiffness=1.0, damping=0.1)
d = n.simulate(0.04, samples=5, rtol=1e-6, progress=False)
print(json.dumps([k.q.tolist(), k.v.tolist(), k.a.tolist(), d.q.tolist(), d.v.tolist()]))
"""


def run(code, *, path, cache, prologue="", **environment):
    """Run code in a fresh process with its own cache and the package found under `path`."""
    env = {**os.environ, "PYTHONPATH": str(path), "TRAMMEL_CACHE_DIR": str(cache), **environment}
    done = subprocess.run([sys.executable, "-c", prologue + code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


@pytest.fixture(scope="module")
def copy_of_package(tmp_path_factory):
    root = tmp_path_factory.mktemp("package")
    shutil.copytree(SOURCE, root / "pytrammel", ignore=shutil.ignore_patterns("__pycache__"))
    return root


def test_an_edited_callee_in_another_file_changes_the_answer(copy_of_package, tmp_path):
    if not jit.HAVE_JIT:
        return  # without compilation there is no cache to go stale
    cache = tmp_path / "cache"
    first, told = run(MEASURE, path=copy_of_package, cache=cache)
    assert first["x"] == 2.0
    assert first["loaded"] == {"measures_run": False, "linear": False}
    assert told.count("pytrammel: compiling") == 1 and "about" in told  # the user is told once, with a rough time

    second, told = run(MEASURE, path=copy_of_package, cache=cache)
    assert second["loaded"] == {"measures_run": True, "linear": True}  # hit by the next process, nothing compiled
    assert second["x"] == 2.0
    assert "compiling" not in told

    callee = copy_of_package / "pytrammel" / "kernels" / "planar_bodies.py"
    text = callee.read_text(encoding="utf-8")
    stat = callee.stat()
    assert "state[at + L.X] = q[k]" in text
    callee.write_text(text.replace("state[at + L.X] = q[k]", "state[at + L.X] = q[k] + 5.0"), encoding="utf-8")
    os.utime(callee, (stat.st_atime, stat.st_mtime))  # even an edit that keeps its time must be seen
    third, _ = run(MEASURE, path=copy_of_package, cache=cache)
    assert third["x"] == 7.0
    # what cannot call the edited function need not be compiled again
    assert third["loaded"] == {"measures_run": False, "linear": True}


def called_modules(function, seen):
    """Modules of all compiled functions that a function can reach through the names in its code."""
    if function in seen:
        return set()
    seen.add(function)
    found = {function.__module__}
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        callee = getattr(value, "py_func", None) or getattr(value, "python", None) or value
        if hasattr(callee, "__code__") and callee.__module__.startswith("pytrammel."):
            found |= called_modules(callee, seen)
        elif (
            hasattr(value, "__name__") and type(value).__name__ == "module" and value.__name__.startswith("pytrammel.")
        ):
            found.add(value.__name__)
    return found


def test_the_key_of_every_kernel_covers_all_modules_that_it_calls():
    if not jit.HAVE_JIT:
        return
    from pytrammel import kernels

    modules = [importlib.import_module(m.name) for m in pkgutil.walk_packages(kernels.__path__, "pytrammel.kernels.")]
    functions = [
        f
        for m in modules
        for value in vars(m).values()
        for f in [getattr(value, "py_func", None) or getattr(value, "python", None)]
        if hasattr(f, "__code__")
    ]
    assert len(functions) > 150
    sources = Sources()
    for function in functions:
        reached = {
            m for m in called_modules(function, set()) if m.startswith(("pytrammel.kernels", "pytrammel.opcodes"))
        }
        assert reached <= set(sources.closure(function.__module__)), function


def test_only_what_the_model_needs_is_compiled(tmp_path):
    if not jit.HAVE_JIT:
        return
    _, told = run(MEASURE, path=SOURCE.parent, cache=tmp_path / "cache")
    for unneeded in ("kinematics_run", "assemble_run", "pin_on_curve", "distance"):
        assert unneeded not in told


def test_answers_are_the_same_without_compilation_and_without_numba(tmp_path):
    cache = kernel_cache.cache_root().parent
    compiled, _ = run(FOUR_BAR_AND_CAM, path=SOURCE.parent, cache=cache)
    disabled, told = run(FOUR_BAR_AND_CAM, path=SOURCE.parent, cache=tmp_path, NUMBA_DISABLE_JIT="1")
    assert told.count("Numba is missing or disabled") == 1
    missing, _ = run(
        FOUR_BAR_AND_CAM, path=SOURCE.parent, cache=tmp_path, prologue="import sys; sys.modules['numba'] = None\n"
    )
    # kinematics: same formulas, same order of operations; only fused multiply-adds may differ in the last digits
    assert apart(compiled[:3], disabled[:3]) < 1e-11
    assert apart(compiled[:3], missing[:3]) < 1e-11
    # dynamics: last digits decide about step lengths, so the runs agree as well as their tolerance of 1e-6 says
    assert apart(compiled[3:], disabled[3:]) < 1e-6
    assert apart(compiled[3:], missing[3:]) < 1e-6


def apart(one, other):
    """Largest difference of two lists of tables, against the largest number."""
    a, b = ([x for table in tables for row in table for x in row] for tables in (one, other))
    return max(abs(x - y) for x, y in zip(a, b, strict=True)) / max(abs(x) for x in a)


def test_the_hash_sees_every_file_of_the_kernels(tmp_path):
    shutil.copytree(SOURCE / "kernels", tmp_path / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(SOURCE / "opcodes.py", tmp_path / "opcodes.py")
    before = Sources(tmp_path / "kernels").hash
    assert before == Sources().hash
    seen = {before}
    for file in [tmp_path / "opcodes.py", *sorted((tmp_path / "kernels").rglob("*.py"))]:
        text = file.read_text(encoding="utf-8")
        file.write_text(text + "\n# edited\n", encoding="utf-8")
        seen.add(Sources(tmp_path / "kernels").hash)
        file.write_text(text, encoding="utf-8")
    assert len(seen) == 2 + len(list((tmp_path / "kernels").rglob("*.py")))


def test_the_key_of_a_kernel_changes_with_the_modules_it_imports_and_with_no_other(tmp_path):
    names = [f"pytrammel.kernels.{name}" for name in ("tape", "evaluate", "assembly", "vectors")]
    sources = Sources()
    for edited in ("evaluate", "assembly", "layout"):
        place = tmp_path / edited
        shutil.copytree(SOURCE / "kernels", place / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(SOURCE / "opcodes.py", place / "opcodes.py")
        file = place / "kernels" / f"{edited}.py"
        file.write_text(file.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
        after = Sources(place / "kernels")
        for name in names:
            uses = f"pytrammel.kernels.{edited}" in sources.closure(name)
            assert (after.closure_hash(name) != sources.closure_hash(name)) == uses
    assert "pytrammel.kernels.assembly" not in sources.closure("pytrammel.kernels.evaluate")
    assert "pytrammel.kernels.evaluate" in sources.closure("pytrammel.kernels.assembly")


def test_imports_found_by_their_looks_are_all_that_the_grammar_finds():
    for file in (SOURCE / "kernels").rglob("*.py"):
        text = file.read_bytes()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom):
                assert {node.module, *(f"{node.module}.{each.name}" for each in node.names)} <= _imported(
                    text, file.name
                )
            elif isinstance(node, ast.Import):
                assert {each.name for each in node.names} <= _imported(text, file.name)


def test_a_relative_import_which_would_not_be_followed_is_an_error():
    with pytest.raises(ValueError, match="a relative import"):
        _imported(b"from . import layout\n", "some")


def make_folder(place, *, age, marked=True):
    """A folder with something in it, last used `age` days ago."""
    place.mkdir(parents=True)
    (place / "precious.txt").write_text("data", encoding="utf-8")
    if marked:
        (place / kernel_cache.MARKER).touch()
    os.utime(place, (time.time() - 86400 * age,) * 2)
    return place


@pytest.fixture
def store(tmp_path, monkeypatch):
    """What opens the cache in a new process."""
    monkeypatch.setenv("TRAMMEL_CACHE_DIR", str(tmp_path))
    return lambda: kernel_cache.KernelStore("0.0")


def test_old_caches_are_removed_when_something_was_compiled_and_the_newest_kept(tmp_path, store):
    old = [
        make_folder(tmp_path / "pytrammel-kernels" / f"{k:016x}-numba0.60.0-py311-x86_64", age=10 - k) for k in range(6)
    ]
    opened = store()
    assert all(p.exists() for p in old)  # a start that compiles nothing does not look through them
    opened.write("some.kernel", b"code")
    assert [p.exists() for p in old] == [False, False, False, True, True, True]


@needs("os.mkfifo")  # links need rights on Windows
def test_nothing_but_marked_and_idle_caches_is_ever_removed(tmp_path, store):
    own = tmp_path / "pytrammel-kernels"
    name = "{:016x}-numba0.60.0-py311-x86_64".format
    kept = [
        *(make_folder(tmp_path / f"work{k}", age=400 + k) for k in range(6)),  # the user's own, beside ours
        *(make_folder(own / f"src{k}", age=400 + k) for k in range(6)),  # marked, but another name
        *(make_folder(own / name(k), age=400 + k, marked=False) for k in range(6)),  # our name, but no marker
        *(make_folder(own / name(100 + k), age=0.5) for k in range(6)),  # in use by others today
    ]
    elsewhere = make_folder(tmp_path / "elsewhere" / "data", age=400)
    (own / name(200)).symlink_to(elsewhere)
    store().write("some.kernel", b"code")
    assert all((p / "precious.txt").exists() for p in [*kept, elsewhere])


@pytest.mark.parametrize("variable", ["TRAMMEL_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"])
@pytest.mark.parametrize("value", ["", "pytrammel", ".", "../cache"])
def test_an_empty_or_relative_cache_variable_counts_as_unset(monkeypatch, variable, value):
    for each in ("TRAMMEL_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(each, raising=False)
    unset = kernel_cache.cache_root()
    monkeypatch.setenv(variable, value)
    assert kernel_cache.cache_root() == unset
    assert unset.is_absolute() and unset.name == "pytrammel-kernels"


LATER = """
import json, sys
from pytrammel.examples.{example} import build
build().{verb}(0.01, samples=2, progress=False)
print(json.dumps([name for name in ("scipy.linalg", "scipy.optimize", "scipy.sparse", "numpy.ma") if name in sys.modules]))
"""


@pytest.mark.parametrize(("example", "verb"), [("falling_four_bar", "simulate"), ("four_bar", "kinematics")])
def test_a_later_run_imports_nothing_large_that_it_does_not_use(example, verb):
    cache = kernel_cache.cache_root().parent
    code = LATER.format(example=example, verb=verb)
    run(code, path=SOURCE.parent, cache=cache)  # compiles what was not compiled before
    if jit.HAVE_JIT:
        assert run(code, path=SOURCE.parent, cache=cache) == ([], "")
