"""Types of models, joints, analyses and results in type checkers and editors: the generated stubs follow the registries."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pytrammel as tm
from pytrammel.model.argument_types import ALIASES
from pytrammel.model.arguments.signatures import annotation, explained, unit
from pytrammel.model.verbs import Verb, Verbs
from registry_samples import TYPES

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_types  # noqa: E402
import make_stub  # noqa: E402

METHODS = (ROOT / "src/pytrammel/model/typed_methods.pyi").read_text(encoding="utf-8")
PACKAGE = (ROOT / "src/pytrammel/__init__.pyi").read_text(encoding="utf-8")
MISTAKES = (ROOT / "tests/user_scripts/mistakes.py").read_text(encoding="utf-8")
CORRECT = (ROOT / "tests/user_scripts/correct.py").read_text(encoding="utf-8")
PYRIGHT = os.environ.get("TRAMMEL_PYRIGHT") or shutil.which("pyright")


@pytest.mark.parametrize("path", sorted(make_stub.stubs()), ids=lambda path: path.name)
def test_generated_stubs_are_current(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == make_stub.stubs()[path], "run python tools/make_stub.py"


def test_a_stale_stub_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stale = tmp_path / "stale.pyi"
    stale.write_text("x: int\n", encoding="utf-8")
    monkeypatch.setattr(make_stub, "ROOT", tmp_path)
    monkeypatch.setattr(make_stub, "stubs", lambda: {stale: "x: str\n"})
    assert make_stub.main(["--check"]) == 1
    assert "stale.pyi is stale. Run python tools/make_stub.py." in capsys.readouterr().out
    assert make_stub.main([]) == 0 and stale.read_text(encoding="utf-8") == "x: str\n"
    assert make_stub.main(["--check"]) == 0


def test_the_stub_of_the_package_lists_all_public_names() -> None:
    listed = {found[1] for found in re.finditer(r" as (\w+)$", PACKAGE, re.MULTILINE)}
    assert listed | {"__version__"} == set(tm.__all__)


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_the_stub_refers_to_the_function_of_every_registered_type(kind) -> None:
    function = kind.builder
    source = rf"^from {function.__module__} import {function.__name__} as (\w+)$"
    alias = re.search(source, METHODS, re.MULTILINE)
    assert alias is not None and re.search(rf"^    {kind.kind} = _method\({alias[1]}\)$", METHODS, re.MULTILINE)


@pytest.mark.parametrize("name", sorted(name for name, each in vars(Verbs).items() if isinstance(each, Verb)))
def test_the_stub_refers_to_the_function_of_every_analysis(name: str) -> None:
    home = vars(Verbs)[name].home
    assert f"from {home} import {name} as _model_{name}\n" in METHODS and f"    {name} = _model_{name}\n" in METHODS


@pytest.mark.parametrize("model", [tm.PlanarModel, tm.SpatialModel])
def test_type_checkers_know_every_public_method_of_models(model: type[tm.PlanarModel | tm.SpatialModel]) -> None:
    known = set(re.findall(r"^    (\w+) = ", METHODS, re.MULTILINE))
    for base in model.__mro__:
        if base.__module__.startswith("pytrammel"):
            known |= set(re.findall(r"^    def (\w+)\(", inspect.getsource(base), re.MULTILINE))
            known |= set(re.findall(r"^    (\w+)(?:: [^\n]+)? = ", inspect.getsource(base), re.MULTILINE))
    assert {name for name in dir(model) if not name.startswith("_")} <= known


@pytest.mark.parametrize(
    ("kind", "key"), [(kind, key) for kind in TYPES for key in kind.arguments], ids=lambda each: str(each)
)
def test_units_of_argument_types_are_those_of_the_documentation(kind, key: str) -> None:
    words = re.findall(r"\w+", str(kind.arguments[key].annotation))
    stated = [ALIASES[word].unit for word in words if word in ALIASES and ALIASES[word].unit]
    if stated:
        assert f"[{stated[0]}]" in explained(kind.builder, key) and unit(kind.builder, key) == stated[0]
    assert not set(re.findall(r"\w+", annotation(kind.builder, key))) & set(ALIASES)


def test_ipython_completes_methods_and_arguments() -> None:
    completer = pytest.importorskip("IPython.core.completer")
    found = completer.IPCompleter(namespace={"m": tm.PlanarModel("m")}, use_jedi=True)
    with completer.provisionalcompleter():
        for text, expected in (("m.simul", "simulate"), ("m.revol", "revolute"), ("m.simulate(sam", "samples=")):
            assert expected in {each.text for each in found.completions(text, len(text))}


def test_the_scripts_cover_every_kind_of_mistake_without_running() -> None:
    wrong = [line for line in MISTAKES.splitlines() if check_types.WRONG.search(line)]
    assert len(wrong) >= 30
    compile(MISTAKES, "mistakes.py", "exec")
    compile(CORRECT, "correct.py", "exec")


def test_a_mistake_that_no_error_names_is_overlooked() -> None:
    source = "import a\na.b()  # wrong\na.c()  # wrong\na.d()\n"
    errors = (
        'x.py:2: error: no attribute "b"  [attr-defined]\nx.py:4:5: error: no attribute "d"\nx.py:3: note: see "c"\n'
    )
    assert [text.split(":")[0] for text in check_types.overlooked(source, errors)] == [
        "line 3 is not reported", "line 4 is correct, but reported"
    ]  # fmt: skip


def test_code_of_a_page_keeps_its_line_numbers() -> None:
    page = "# Title\n\n```python\na = 1\n```\n\ntext\n\n```python\nb = a\n```\n"
    assert check_types.code_of(page).splitlines() == ["", "", "", "a = 1", "", "", "", "", "", "b = a", "", ""]


@pytest.mark.types
def test_mypy_reports_every_mistake_and_nothing_else() -> None:
    assert not list(check_types.overlooked(MISTAKES, check_types.scripts({"mistakes.py": MISTAKES})))


@pytest.mark.types
def test_mypy_reports_nothing_in_a_script_of_correct_use() -> None:
    assert check_types.scripts({"correct.py": CORRECT}) == ""


@pytest.mark.types
@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("src/pytrammel/__init__.py", '__version__ = "', '__version__: int = "'),
        ("src/pytrammel/model/planar.py", "return drawn_value(self._bodies, quantity)", "return str(quantity)"),
    ],
)
def test_a_type_error_in_an_implementation_is_reported(path: str, before: str, after: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert text.count(before) == 1
    assert f"{path}:" in check_types.package({path: text.replace(before, after)})


@pytest.mark.types
@pytest.mark.skipif(PYRIGHT is None, reason="pyright is not installed")
def test_pyright_reports_every_mistake_and_nothing_else(tmp_path: Path) -> None:
    config = {"extraPaths": [str(ROOT / "src")], "pythonVersion": "3.11", "reportMissingModuleSource": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    for name, text in (("mistakes.py", MISTAKES), ("correct.py", CORRECT)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = [str(PYRIGHT), "--outputjson", "--pythonpath", sys.executable, "--project", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    found = [each for each in json.loads(done.stdout)["generalDiagnostics"] if each["severity"] != "information"]
    errors = dict.fromkeys(("mistakes.py", "correct.py"), "")
    for each in found:
        place = each["range"]["start"]["line"] + 1
        errors[Path(each["file"]).name] += f"x.py:{place}: error: {each['message'].splitlines()[0]}\n"
    assert not list(check_types.overlooked(MISTAKES, errors["mistakes.py"]))
    assert errors["correct.py"] == ""
