"""Renames of public names in scripts, pages and model files: tools/rename.py."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import rename  # noqa: E402
import rename_table  # noqa: E402

TABLE = """
[groups]
Model = ["PlanarModel", "SpatialModel"]
[types]
"Model.simulate()" = "Result"
"Model.copy()" = "Model"
"Result.model" = "Model"
"Result[]" = "Series"
"load()" = "Model"
[foreign]
modules = ["numpy"]
[[rename]]
kind = "package"
old = "oldname"
new = "newname"
[[rename]]
kind = "command"
old = "oldname"
new = "newname"
subcommands = ["run", "warm", "new"]
[[rename]]
kind = "command"
old = "oldname warm"
new = "newname compile"
[[rename]]
kind = "option"
old = "--ask"
new = "--interactive"
owner = "new"
[[rename]]
kind = "name"
old = "Front"
new = "ParetoFront"
[[rename]]
kind = "name"
old = "circle"
new = "curves.circle"
[[rename]]
kind = "name"
old = ["sin", "cos"]
namespace = "functions"
[[rename]]
kind = "name"
old = "solve"
new = "solver.solve"
[[rename]]
kind = "quantity"
old = "size"
new = "magnitude"
owner = "reaction"
[[rename]]
kind = "quantity"
old = "second"
new = "acceleration"
[[rename]]
kind = "function"
old = "trim"
new = "trim"
[[rename]]
kind = "method"
old = "couple"
new = "torque"
owner = "PlanarModel"
specific = true
files = true
[[rename]]
kind = "attribute"
old = "size"
new = "magnitude"
owner = "Series"
[[rename]]
kind = "method"
old = "plot_energy"
new = "plot.energy"
[[rename]]
kind = "method"
old = "events"
hand = "it is a property: remove the parentheses"
owner = "Result"
[[rename]]
kind = "argument"
old = "units"
new = "display_unit"
owner = ["Model", "Model.copy"]
files = true
[[rename]]
kind = "argument"
old = "watch"
new = "callback"
owner = ["simulate", "Model.simulate", "solve"]
specific = true
[[rename]]
kind = "argument"
old = "moment"
new = "value"
owner = "Model.couple"
[[rename]]
kind = "argument"
old = "*"
hand = "the order changes"
owner = "Model.rolling"
[[rename]]
kind = "argument"
old = "*"
keywords = ["first", "second", "torque"]
owner = "PlanarModel.motor"
specific = true
[[rename]]
kind = "value"
argument = "device"
old = "straight"
new = "specialized"
owner = "Model.simulate"
[[rename]]
kind = "argument"
old = "damping"
new = "newton"
owner = "Model.kinematics"
values = {False = '"full"', True = '"damped"'}
[[rename]]
kind = "argument"
old = "start"
new = "start_time"
owner = ["Model.simulate", "Analysis"]
[[rename]]
kind = "merge"
old = "time_step"
new = "step"
argument = "method"
into = "methods"
default = "default"
owner = ["Model.simulate", "Analysis"]
specific = true
[[rename]]
kind = "merge"
old = ["alpha", "beta"]
argument = "constraints"
into = "enforcement"
owner = "Model.simulate"
[[rename]]
kind = "merge"
old = "partition"
new = "method"
lists = "coordinates"
argument = "constraints"
into = "enforcement"
owner = "Model.simulate"
[[rename]]
kind = "merge"
old = ["hold", "correct"]
argument = "initial"
into = "InitialConditions"
default = "none"
owner = "Model.simulate"
[[rename]]
kind = "merge"
old = "options"
argument = "analysis"
into = "Analysis"
default = "simulate"
along = ["duration", "samples"]
place = 1
unpack = true
owner = ["Model.gradient", "gradient"]
[[rename]]
kind = "list"
old = "methods"
[[rename]]
kind = "list"
old = "treatments"
new = "enforcement"
[[rename]]
kind = "entry"
old = "formulation"
new = "formulations"
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> rename_table.Table:
    path = tmp_path_factory.mktemp("table") / "renames.toml"
    path.write_text(TABLE, encoding="utf-8")
    return rename_table.load(path)


HEAD = "import oldname as tm\nm = tm.PlanarModel()\n"
RENAMED = {
    "import": ("import oldname\noldname.time", "import newname\nnewname.time"),
    "import of a module": ("import oldname.a.b as c, os", "import newname.a.b as c, os"),
    "import from": ("from oldname.a import b", "from newname.a import b"),
    "module read by name": ('import_module("oldname")', 'import_module("newname")'),
    "module that is run": ('[sys.executable, "-m", "oldname", "run"]', '[sys.executable, "-m", "newname", "run"]'),
    "path in a string": ('x = "ignore::oldname.errors.RunWarning"', 'x = "ignore::newname.errors.RunWarning"'),
    "path in a comment": ("x = 1  # see `oldname.errors`", "x = 1  # see `newname.errors`"),
    "code in a string": ("x = 'import oldname; oldname.go()'", "x = 'import newname; newname.go()'"),
    "extra": ("""x = "pip install 'oldname[view]'" """, """x = "pip install 'newname[view]'" """),
    "command in a string": ('"""Use ``oldname run FILE``."""', '"""Use ``newname run FILE``."""'),
    "command of two words": ('"""Use ``oldname warm`` and newname warm."""', '"""Use ``newname compile`` and newname compile."""'),
    "path in an f-string": (
        'import oldname\nf"{oldname.__version__} of oldname.errors"',
        'import newname\nf"{newname.__version__} of newname.errors"',
    ),
    "path after double braces": ('x = 1\nf"{{φ}} {x} {{}} oldname.errors"', 'x = 1\nf"{{φ}} {x} {{}} newname.errors"'),
    "name of the module": ("tm.Front", "tm.ParetoFront"),
    "imported name": ("from oldname import Front\nFront()", "from newname import ParetoFront\nParetoFront()"),
    "imported name with another": ("from oldname import Front as F\nF()", "from newname import ParetoFront as F\nF()"),
    "name into a namespace": ("tm.circle(1.0)", "tm.curves.circle(1.0)"),
    "import from a namespace": ("from oldname import circle", "from newname.curves import circle"),
    "one of several names": ("tm.sin(tm.cos(1))", "tm.functions.sin(tm.functions.cos(1))"),
    "quantity": ('r["A.reaction.size"]', 'r["A.reaction.magnitude"]'),
    "quantity with a unit": ("x = 'A.reaction.size [kN]'", "x = 'A.reaction.magnitude [kN]'"),
    "quantities of a formula": ('"2*A.angle.second^2 + b.x.second"', '"2*A.angle.acceleration^2 + b.x.acceleration"'),
    "function to method": ("tm.trim(m, ['k'], time=1)", "m.trim(['k'], time=1)"),
    "function of a model alone": ("tm.trim(m)", "m.trim()"),
    "nested functions": ("tm.trim(tm.trim(m, 1), 2)", "m.trim(1).trim(2)"),
    "method": ("m.couple('T', 'b', moment=1)", "m.torque('T', 'b', value=1)"),
    "argument of a renamed method": ("m.torque('T', 'b', moment=1)", "m.torque('T', 'b', value=1)"),
    "method of an annotated argument": (
        "def f(n: tm.PlanarModel | None):\n    n.couple()", "def f(n: tm.PlanarModel | None):\n    n.torque()",
    ),
    "method of an own class": (
        "class A(tm.PlanarModel):\n    def f(self):\n        self.couple()",
        "class A(tm.PlanarModel):\n    def f(self):\n        self.torque()",
    ),
    "specific method of one of two classes": (
        "for kind in (tm.PlanarModel, tm.SpatialModel):\n    kind().couple()",
        "for kind in (tm.PlanarModel, tm.SpatialModel):\n    kind().torque()",
    ),
    "specific method of anything": ("def f(n):\n    n.couple()", "def f(n):\n    n.torque()"),
    "values become keywords": ("m.motor('M', a, f(b, c), 5)", "m.motor('M', first=a, second=f(b, c), torque=5)"),
    "some values become keywords": ("m.motor('M', 'a', torque=5, second='b')", "m.motor('M', first='a', torque=5, second='b')"),
    "values of a method of anything": ("def f(n):\n    n.motor('M', a, b, 5)", "def f(n):\n    n.motor('M', first=a, second=b, torque=5)"),
    "method to namespace": ("m.simulate(1.0).plot_energy()", "m.simulate(1.0).plot.energy()"),
    "attribute of an item": ("r = m.simulate(1.0)\nr['A'].size", "r = m.simulate(1.0)\nr['A'].magnitude"),
    "attribute in an f-string": (
        "r = m.simulate(1.0)\nf'μ {r[\"A\"].size:g} and size'",
        "r = m.simulate(1.0)\nf'μ {r[\"A\"].magnitude:g} and size'",
    ),
    "attribute of a result of a function": (
        "def run():\n    return tm.load('x').simulate(1)\nrun()['A'].size",
        "def run():\n    return tm.load('x').simulate(1)\nrun()['A'].magnitude",
    ),
    "attribute of a fixture": (
        "@pytest.fixture\ndef run(): return m.simulate(1)\ndef test(run): run['A'].size",
        "@pytest.fixture\ndef run(): return m.simulate(1)\ndef test(run): run['A'].magnitude",
    ),
    "argument of a class": ("tm.PlanarModel(units='mm')", "tm.PlanarModel(display_unit='mm')"),
    "argument of a method": ("m.copy(units='mm').copy(units='m')", "m.copy(display_unit='mm').copy(display_unit='m')"),
    "value of an argument": ("m.simulate(1, device='straight', watch=f)", "m.simulate(1, device='specialized', callback=f)"),
    "names into namespaces, imported together": (
        "from oldname import circle, sin as s, cos, load, Front\nFront(circle, s, cos, load)",
        "from newname import load, ParetoFront\nfrom newname.curves import circle\nfrom newname.functions import sin as s, cos\n"
        "ParetoFront(circle, s, cos, load)",
    ),
    "names into one namespace": ("from oldname import sin, cos", "from newname.functions import sin, cos"),
    "import inside a function": (
        "def f():\n    from oldname import (\n        circle,\n        load,\n    )\n    return circle, load",
        "def f():\n    from newname import load\n    from newname.curves import circle\n    return circle, load",
    ),
    "import from an inner module": ("from oldname.model import circle, line", "from newname.model import circle, line"),
    "import of a function that becomes a method": (
        "from oldname import load, trim\ntrim(load('a'), ['k'])", "from newname import load\nload('a').trim(['k'])",
    ),
    "only statement of a block": ("try:\n    from oldname import trim\nexcept ImportError: ...", "try:\n    pass\nexcept ImportError: ..."),
    "argument of a function in a namespace": ("tm.solver.solve(x, watch=f)", "tm.solver.solve(x, callback=f)"),
    "argument of a function that moves": ("tm.solve(x, watch=f)", "tm.solver.solve(x, callback=f)"),
    "only import of a function that becomes a method": ("if m:\n    from oldname import trim\n    trim(m)", "if m:\n    m.trim()"),
    "argument with other values": ("m.kinematics(1, damping=False)", 'm.kinematics(1, newton="full")'),
    "argument of an object": ("m.simulate(1, method='rk4', time_step=h)", "m.simulate(1, method=tm.methods.rk4(step=h))"),
    "argument of an object that is named by a variable": (
        "m.simulate(1, time_step=h, method=name)", "m.simulate(1, method=tm.methods[name](step=h))",
    ),
    "argument of an object that is the default": ("m.simulate(1, time_step=h)", "m.simulate(1, method=tm.methods.default(step=h))"),
    "argument of an object that is made there": (
        "m.simulate(1, method=tm.methods.rk2(0.5), time_step=h)", "m.simulate(1, method=tm.methods.rk2(0.5, step=h))",
    ),
    "arguments of one object": (
        "m.simulate(\n    1,\n    alpha=f(2, 3),\n    constraints='baumgarte',\n    beta=3,\n    start=2,\n)",
        "m.simulate(\n    1,\n    constraints=tm.enforcement.baumgarte(alpha=f(2, 3), beta=3),\n    start_time=2,\n)",
    ),
    "list in an object": (
        "m.simulate(1, constraints='partitioning', partition=['x'])",
        "m.simulate(1, constraints=tm.enforcement.partitioning(coordinates=['x']))",
    ),
    "word in an object": (
        "m.simulate(1, constraints='partitioning', partition='qr')",
        "m.simulate(1, constraints=tm.enforcement.partitioning(method='qr'))",
    ),
    "value as first argument of a class": (
        "m.simulate(1, initial={'x': 1}, hold=['y'])", "m.simulate(1, initial=tm.InitialConditions({'x': 1}, hold=['y']))",
    ),
    "class without its value": ("m.simulate(hold='y', correct=c)", "m.simulate(initial=tm.InitialConditions(hold='y', correct=c))"),
    "options that become an object": (
        "m.gradient('x', 1.0, options={'rtol': 1e-9, **more}, samples=3)",
        'm.gradient(\'x\', analysis=tm.Analysis("simulate", 1.0, samples=3, rtol=1e-9, **more))',
    ),
    "options whose arguments are renamed too": (
        "m.gradient('x', 1.0, analysis='simulate', options={'start': 1, 'method': 'rk4', 'time_step': h})",
        "m.gradient('x', analysis=tm.Analysis('simulate', 1.0, start_time=1, method=tm.methods.rk4(step=h)))",
    ),
    "duration of a function": (
        "tm.gradient(m, 'x', 2.0, options={'a': 1})",
        "tm.gradient(m, 'x', analysis=tm.Analysis(\"simulate\", 2.0, a=1))",
    ),
    "list that becomes an object": ("tm.methods()['rk4'], list(tm.treatments())", "tm.methods['rk4'], list(tm.enforcement)"),
    "entry of an object": ("tm.formulation('joint', base='b')", "tm.formulations.joint(base='b')"),
    "entry by a variable": ("tm.formulation(name)", "tm.formulations[name]"),
    "non-ASCII before": ("x = 'φψ'; m.couple('τ', moment='μ')", "x = 'φψ'; m.torque('τ', value='μ')"),
}  # fmt: skip


@pytest.mark.parametrize(("before", "after"), RENAMED.values(), ids=RENAMED)
def test_names_of_the_package_are_renamed(table: rename_table.Table, before: str, after: str) -> None:
    new, undecided = rename.rewrite(HEAD + before + "\n", ".py", table)
    assert new == HEAD.replace("oldname", "newname") + after + "\n"
    assert undecided == []
    assert rename.rewrite(new, ".py", table) == (new, undecided)


KEPT = {
    "another module": "import oldname2, my.oldname",
    "a variable": "oldname = 1\noldname.x",
    "an argument of that name": "def f(oldname):\n    return oldname.x",
    "words of a string": 's = "oldname rests; the couple has a size, units, watch"',
    "words of a comment": "x = 1  # oldname: couple, size, units",
    "file names": 's = ["oldname.toml", "run.oldname", "a/oldname.py"]',
    "part of another name": 's = ["S.second.x", "A.size", "size", "box.size.x", "A.second(1)"]',
    "examples of text": 's = "The second. A size"',
    "function of an inner module": "from newname.a import trim\ntrim(m)",
    "bytes": 's = b"oldname run 1"',
    "size of an array": "import numpy as np\nx = np.zeros(3)\nx.size\nnp.ones(2).size",
    "attribute of another class of the package": "m.size\nm.simulate(1).size",
    "attribute of a text or number": "'a'.size\nfor i in range(3): i.size",
    "attribute of an own class": "class A:\n    size = 1\nA().size",
    "argument of another function": "print(units=1)\nimport numpy as np\nnp.f(units=1, watch=2)",
    "argument of another method": "m.simulate(1.0, units='mm')",
    "new order of values": "m.motor('M', 'A', 5)\nm.motor('M', 'A', torque=5)\nm.motor('M', first='a', second='b', torque=5)",
    "own function": "def couple(watch): ...\ncouple(watch=1)",
    "value of another argument": "m.simulate(1, method='straight')",
    "function of another module": "import numpy as np\nnp.trim(m, 1)\nnp.circle",
    "shadowed package": "def f(tm):\n    tm.Front\n    tm.circle(1)",
}


@pytest.mark.parametrize("code", KEPT.values(), ids=KEPT)
def test_other_names_stay(table: rename_table.Table, code: str) -> None:
    text = HEAD.replace("oldname", "newname") + code + "\n"
    assert rename.rewrite(text, ".py", table) == (text, [])


OPEN = {
    "attribute of an unknown object": ("def f(x):\n    return x.size", 4, "size"),
    "one name with two types": ("x = m if m else load()\nx.size", 4, "size"),
    "argument of an unknown object": ("def f(x):\n    x.copy(units='mm')", 4, "copy(units=)"),
    "arguments in a dictionary": ("options = {'watch': print}\nm.simulate(1.0, **options)", 3, "watch"),
    "unpacked values": ("m.motor('M', *bodies, 5)", 3, "motor"),
    "changed order": ("m.rolling('R', a, b)", 3, "rolling"),
    "property instead of a call": ("m.simulate(1).events()", 3, "events"),
    "string that is the name alone": ("x = folder / 'oldname'", 3, "oldname"),
    "function as a value": ("f = partial(tm.trim, m)", 3, "trim"),
    "function with unpacked arguments": ("tm.trim(*args)", 3, "trim"),
    "quantity in a message": ("s = f'see A.angle.second: {x}'", 3, "A.angle.second"),
    "name into a namespace, imported beside another statement": (
        "x = 1; from newname import circle, load",
        3,
        "circle",
    ),
    "other value of an argument": ("m.kinematics(1, damping=d)", 3, "damping"),
    "object without its argument": ("m.simulate(1, alpha=2)", 3, "alpha"),
    "object with a list by a variable": ("m.simulate(1, constraints='partitioning', partition=p)", 3, "partition"),
    "object next to unpacked arguments": ("m.simulate(1, time_step=2, **more)", 3, "time_step"),
    "object in an f-string": ("f'{m.simulate(1, time_step=2)}'", 3, "time_step"),
    "object with a comment": ("m.simulate(1,  # s\n    time_step=2, method='rk4')", 4, "time_step"),
    "object in a dictionary": ("o = {'time_step': 2}\nm.simulate(1, **o)", 3, "time_step"),
}


@pytest.mark.parametrize(("code", "line", "name"), OPEN.values(), ids=OPEN)
def test_open_places_are_reported_and_stay(table: rename_table.Table, code: str, line: int, name: str) -> None:
    text = HEAD.replace("oldname", "newname") + code + "\n"
    new, undecided = rename.rewrite(text, ".py", table)
    assert new == text
    assert (line, name) in [(each.line, each.name) for each in undecided]


def test_pages_have_their_code_and_expressions_renamed(table: rename_table.Table) -> None:
    page = """# The oldname

Use `tm.Front` or `oldname run`, `m.couple` too; a couple has a size. Install `oldname[view]`.

  ```python
  import oldname as tm
  m = tm.PlanarModel(units="mm")
  ```

```python
m.couple("T", "b", moment=1)
```

```sh
oldname new --ask
python -m oldname warm
```

```python
>>> m.simulate(1)["A"].size
size
```
"""
    new, undecided = rename.rewrite(page, ".md", table)
    pairs = [
        ("tm.Front", "tm.ParetoFront"), ("oldname run", "newname run"), ("oldname[", "newname["), ("import oldname", "import newname"),
        ("units=", "display_unit="), ('m.couple("T"', 'm.torque("T"'), ("`m.couple`", "`m.torque`"), ("moment=", "value="),
        ("oldname new --ask", "newname new --interactive"), ("-m oldname warm", "-m newname compile"), ('"].size', '"].magnitude'),
    ]  # fmt: skip
    for before, after in pairs:
        assert before in page
        page = page.replace(before, after)
    assert new == page
    assert undecided == [] and rename.rewrite(new, ".md", table)[0] == new


def test_open_places_of_pages_have_the_line_of_the_page(table: rename_table.Table) -> None:
    page = "Text\n\n```python\nx = f()\nx.size\n```\n\n```python\nnewname is no Python\n```\n"
    new, undecided = rename.rewrite(page, ".md", table)
    assert new == page
    assert [(each.line, each.name) for each in undecided] == [(9, "code block"), (5, "size")]


def test_bodies_and_shapes_of_model_files_have_their_keys_renamed() -> None:
    text = """format = 1
model = "planar"
[bodies.b]
spin = 1
shape = [{type = "box", centre = [1, 2, 3]}, {type = "mesh", centre = 3}]
[constraints.c]
spin = 1
"""
    new, undecided = rename.rewrite(text, ".toml", rename_table.load(rename.TABLE))
    assert undecided == []
    assert new == text.replace("b]\nspin", "b]\nomega").replace('"box", centre', '"box", center')


def test_model_files_have_keys_and_types_renamed_where_they_are_meant(table: rename_table.Table) -> None:
    text = """# a couple of units, see oldname run
format = 1
model = "planar"
units = "mm"  # units = "m"
[forces.couple]
type = "couple"  # a couple
units = 1
moment = 2
[other]
note = "units = couple"
plots = ["A.angle.second", "x"]
"""
    new, undecided = rename.rewrite(text, ".toml", table)
    text = text.replace(".second", ".acceleration")
    assert new == text.replace('units = "mm"', 'display_unit = "mm"').replace('"couple"', '"torque"').replace(
        "oldname run", "newname run"
    )
    assert undecided == [] and rename.rewrite(new, ".toml", table)[0] == new
    settings = '[tool.x]\nunits = "mm"\ntype = "couple"\n'
    assert rename.rewrite(settings, ".toml", table)[0] == settings


def test_notebooks_and_examples_in_docstrings_are_renamed(table: rename_table.Table) -> None:
    head = '{\n "cells": [\n  {\n   "cell_type": "code",\n   "source": [\n'
    book = f'{head}    "import oldname as tm\\n",\n    "tm.Front"\n   ]\n  }}\n ]\n}}\n'
    assert rename.rewrite(book, ".ipynb", table) == (
        book.replace("oldname", "newname").replace("Front", "ParetoFront"),
        [],
    )
    code = 'def f():\n    """Do.\n\n    >>> import oldname as tm\n    >>> tm.Front\n    Front\n    """\n'
    assert rename.rewrite(code, ".py", table)[0] == code.replace("oldname", "newname").replace(
        "tm.Front", "tm.ParetoFront"
    )


def test_the_command_rewrites_files_and_reports_places(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "renames.toml"
    table.write_text(TABLE, encoding="utf-8")
    folder = tmp_path / "mine"
    folder.mkdir()
    script, broken, shell = folder / "a.py", folder / "b.py", folder / "c.sh"
    script.write_bytes(b"import oldname as tm\r\ntm.Front\r\nx.size\r\n")
    broken.write_text("import oldname as\n", encoding="utf-8")
    shell.write_text("oldname run m.toml\n", encoding="utf-8")
    words = ["--table", str(table), str(folder)]
    assert rename.main(["--check", *words]) == 1 and b"oldname" in script.read_bytes()
    assert rename.main(words) == 1
    assert script.read_bytes() == b"import newname as tm\r\ntm.ParetoFront\r\nx.size\r\n"
    assert shell.read_text(encoding="utf-8") == "newname run m.toml\n"
    told = capsys.readouterr().out
    assert f"{script}:3: size: " in told and f"{broken}:1: file: " in told
    assert rename.main(["--kinds", "package", "--table", str(table), str(shell)]) == 0


@pytest.mark.parametrize(
    ("row", "word"),
    [
        ('kind = "verb"\nold = "a"\nnew = "b"', "verb"),
        ('kind = "name"\nold = "a"', "needs new="),
        ('kind = "name"\nold = "a"\nnew = "b"\nextra = 1', "extra"),
        ('kind = "merge"\nold = "a"\nargument = "b"', "needs argument= and into="),
        ('kind = "name"\nold = "a"\nnew = "b"\n[[rename]]\nkind = "name"\nold = "b"\nnew = "c"', "one row"),
    ],
)
def test_wrong_tables_are_reported(tmp_path: Path, row: str, word: str) -> None:
    path = tmp_path / "t.toml"
    path.write_text(f"[[rename]]\n{row}\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=word):
        rename_table.load(path)


def test_the_table_of_this_package_is_read() -> None:
    table = rename_table.load(rename.TABLE)
    name = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]
    assert name in table.packages
    listed = {row.subcommands for row in table.of_kind("command") if row.subcommands}
    folder = next((ROOT / "src").iterdir()) / "cli" / "commands"
    commands = {file.stem for file in folder.glob("*.py") if "\nEPILOG = " in file.read_text(encoding="utf-8")}
    assert commands and commands <= {word for words in listed for word in words}
