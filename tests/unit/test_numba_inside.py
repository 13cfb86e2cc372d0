"""Private names of Numba: one file uses them, and without any of them kernels compile in the ordinary way to the same numbers."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import pytrammel
from pytrammel.cli import main
from pytrammel.kernels import jit

if not jit.HAVE_JIT:
    pytest.skip("kernels are not compiled here", allow_module_level=True)

from pytrammel.kernels import compiler, numba_inside

ROOT = Path(__file__).parents[2]
SOURCE = Path(pytrammel.__file__).parent
INSIDE = SOURCE / "kernels" / "numba_inside.py"
PUBLIC = ("numba", "numba.extending", "numba.types", "numba.typed", "llvmlite", "llvmlite.ir", "llvmlite.binding")


def imports(file):
    """Imported modules of Numba and llvmlite with the names that are taken from them."""
    text = file.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)) if "numba" in text or "llvmlite" in text else ():
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            found = [(node.module, each.name) for each in node.names]
        elif isinstance(node, ast.Import):
            found = [(each.name, "") for each in node.names]
        else:
            continue
        yield from ((module, name) for module, name in found if module.partition(".")[0] in ("numba", "llvmlite"))


def is_private(module, name):
    return module not in PUBLIC or name.startswith("_") or name == "core" or f"{module}.{name}" == "numba.np"


PRIVATE = sorted({(module, name) for module, name in imports(INSIDE) if is_private(module, name)})


def test_only_one_file_imports_private_modules_of_numba():
    elsewhere = [
        f"{file.relative_to(ROOT)}: {module} {name}"
        for folder in ("src", "tests", "bench", "tools", "examples")
        for file in (ROOT / folder).rglob("*.py")
        for module, name in imports(file)
        if file != INSIDE and is_private(module, name)
    ]
    assert not elsewhere
    assert len(PRIVATE) > 10


def executed_again():
    """The file as another module: its checks run with the names that are there now."""
    spec = importlib.util.spec_from_file_location("numba_inside_again", INSIDE)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


@pytest.mark.parametrize(("module", "name"), PRIVATE, ids=".".join)
def test_a_missing_import_is_found_while_the_file_is_imported(module, name, monkeypatch):
    if f"{module}.{name}" in sys.modules:
        monkeypatch.setitem(sys.modules, f"{module}.{name}", None)
    monkeypatch.delattr(importlib.import_module(module), name)
    with pytest.raises((ImportError, AttributeError), match=name):
        executed_again()


USED = [(owner, name) for owner, names in numba_inside.USED for name in names.split()]


@pytest.mark.parametrize(("owner", "name"), USED, ids=lambda part: part if isinstance(part, str) else "")
def test_a_missing_attribute_is_found_while_the_file_is_imported(owner, name, monkeypatch):
    if (owner, name) == (numba_inside.CompileResult, "_fields"):
        return  # a named tuple cannot do without
    for each in (owner, *(owner if isinstance(owner, type) else type(owner)).__mro__):
        if name in vars(each):
            monkeypatch.delattr(each, name)
    with pytest.raises((ImportError, AttributeError), match=name):
        executed_again()


def test_methods_that_replace_those_of_numba_are_listed():
    """A method with another name would be ignored by Numba, not missed."""
    listed = {name for _, name in USED}
    own = {"machine_code", "restore", "restore_bitcode"}
    for node in ast.parse(INSIDE.read_text(encoding="utf-8")).body:
        bases = {each.id for each in node.bases if isinstance(each, ast.Name)} if isinstance(node, ast.ClassDef) else ()
        if {"JITCodeLibrary", "Whole", "NativeLowering", "CompilerBase"} & set(bases):
            replaced = {each.name for each in node.body if isinstance(each, ast.FunctionDef)} - own
            assert replaced <= listed, node.name


@pytest.fixture
def ordinary_afterwards(monkeypatch):
    """The quick way again after the test."""
    monkeypatch.setattr(compiler, "way", compiler.way)
    monkeypatch.setattr(compiler, "_reported", False)
    monkeypatch.setattr(compiler, "_reason", "")
    known = set(jit._kernels)
    yield
    for name in set(jit._kernels) - known:
        del jit._kernels[name]


def made_here():
    """A part, an entry point that calls it, and an element."""

    def part_of_this_test(x):
        return x * x / 3.0 + 0.1

    inner = jit.kernel()(part_of_this_test)

    def entry_of_this_test(numbers):
        total = 0.0
        for k in range(numbers.size):
            total += inner(numbers[k]) / 7.0
        return total

    def element_of_this_test(pointer):
        return pointer[0] / 3.0 + pointer[1]

    entry = jit.kernel(jit.FLOAT_ARRAY)(entry_of_this_test)
    element = jit.apart(jit.FLOATS)(element_of_this_test)
    return entry, element


@pytest.mark.parametrize(
    "broken",
    [
        (numba_inside.Whole, "add_llvm_module"),
        (numba_inside, "_entry"),
        (numba_inside._Compiler, "define_pipelines"),
        (numba_inside.KernelCache, "save_overload"),
        (numba_inside.WholeCache, "pickled"),
        (numba_inside.cache, "toolchain"),
    ],
    ids=lambda broken: broken[1],
)
def test_what_fails_while_compiling_leads_to_the_ordinary_way(broken, monkeypatch, ordinary_afterwards):
    def fails(*_, **__):
        raise AttributeError("no such name in this Numba")

    monkeypatch.setattr(*broken, fails)
    entry, element = made_here()
    numbers = np.linspace(-1.0, 2.0, 7)
    with pytest.warns(RuntimeWarning) as told:
        jit.kernel_named("entry_of_this_test").compile()
        assert element.kernel.compile().address > 0
    assert len(told) == 1
    text = str(told[0].message)
    assert "no such name in this Numba" in text and compiler.SUITABLE in text
    assert compiler.way is compiler.Ordinary and not compiler.calls_by_address()
    expected = 0.0
    for x in numbers:
        expected += (x * x / 3.0 + 0.1) / 7.0
    assert entry(numbers) == expected  # the same operations in the same order


def test_a_kernel_that_cannot_be_compiled_at_all_raises_its_own_error(ordinary_afterwards):
    def wrong_of_this_test(numbers):
        return numbers.no_such_attribute

    jit.kernel(jit.FLOAT_ARRAY)(wrong_of_this_test)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(Exception, match="no_such_attribute"):
            jit.kernel_named("wrong_of_this_test").compile()
    assert compiler.way is numba_inside


def test_the_command_warm_needs_the_quick_way(ordinary_afterwards, monkeypatch, capsys):
    monkeypatch.setattr(compiler, "way", compiler.Ordinary)
    assert main.main(["compile"]) == 2
    assert compiler.SUITABLE in capsys.readouterr().err


# Numba itself needs some of these names: they are missing for the one file only
DELETED = f"""
import importlib, sys, types
real = {{}}
for module, name in {PRIVATE!r}:
    real.setdefault(module, importlib.import_module(module))
    if sys.modules[module] is real[module]:
        sys.modules[module] = types.ModuleType(module)
        vars(sys.modules[module]).update(vars(real[module]))
    vars(sys.modules[module]).pop(name, None)
    if module + "." + name in sys.modules:
        real[module + "." + name], sys.modules[module + "." + name] = sys.modules[module + "." + name], None
from pytrammel.kernels import compiler
sys.modules.update(real)
"""
RUN = """
import pytrammel as tm
m = tm.PlanarModel("crank")
m.parameter("speed", 6.0)
m.revolute("A", m.ground, m.body("bar", position=(0.5, 0)), at=(0, 0))
m.driver("motor", "A.angle", "0.3 + speed*t")
r = m.kinematics(0.5, samples=5, progress=False)
b = m.batch(tm.grid(speed=[1.0, 1.5])).kinematics(0.5, samples=5, reduce={"last": "bar.x[end]"}, progress=False)
print([x.hex() for x in r["bar"].x], [float(x).hex() for x in b["last"]])
"""


def test_without_all_private_names_a_run_gives_the_same_bits_after_one_warning():
    env = {**os.environ, "PYTHONPATH": str(SOURCE.parent)}
    out = []
    for code in (RUN, DELETED + RUN):
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        out.append((done.stdout, done.stderr.count("RuntimeWarning")))
    assert out[0][0] == out[1][0]
    assert [count for _, count in out] == [0, 1]
