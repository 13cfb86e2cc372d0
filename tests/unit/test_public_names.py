"""Public names of the package and its namespaces: laziness, types, documentation, former names, versions."""

from __future__ import annotations

import ast
import importlib
import operator
import os
import platform
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

import public_names
import pytrammel as tm
from pytrammel._util import extras
from pytrammel._util.former_names import former
from pytrammel.model.base import Model

ROOT = Path(__file__).parents[2]
SOURCE = Path(tm.__file__).parent
NAMESPACES = ("curves", "functions", "profiles", "results", "textbook")
LAZY = ("results", "textbook")
PUBLIC = dict(public_names.public())


def test_the_package_has_few_names_beside_its_namespaces() -> None:
    assert len(tm.__all__) <= 72
    assert set(NAMESPACES) <= set(tm.__all__)
    for name, thing in PUBLIC.items():
        arguments = list(getattr(thing, "__annotations__", {}).values())[:1] if "." not in name else []
        assert not any(kind in arguments for kind in ("Model", "PlanarModel", Model)), f"{name} is a method of models"


@pytest.mark.parametrize("name", NAMESPACES)
def test_a_namespace_is_a_module_whose_docstring_lists_its_names(name: str) -> None:
    module = importlib.import_module(f"pytrammel.{name}")
    assert getattr(tm, name) is module
    assert module.__all__ == sorted(module.__all__) and len(set(module.__all__)) == len(module.__all__)
    assert set(module.__all__) <= set(dir(module))
    assert not [each for each in module.__all__ if f"`{each}`" not in (module.__doc__ or "")]


@pytest.mark.parametrize("name", LAZY)
def test_type_checkers_find_the_names_of_a_lazy_namespace_where_python_does(name: str) -> None:
    module: ModuleType = getattr(tm, name)
    block = next(
        node
        for node in ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")).body
        if isinstance(node, ast.If)
    )
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    typed = {alias.asname: f"{node.module}.{alias.name}" for node in imports for alias in node.names}
    homes = {each: f"{home}.{each}" for each, home in module._HOME.items()} | getattr(module, "_MODULES", {})
    assert typed == homes and sorted(typed) == module.__all__
    for each, home in module._HOME.items():
        assert getattr(module, each) is getattr(importlib.import_module(home), each)


FRESH = """
import sys
import pytrammel
assert not {"numpy", "pytrammel.model", "pytrammel.results"} & set(sys.modules), "import pytrammel"
import pytrammel.textbook, pytrammel.results
from pytrammel.functions import sin
assert not {"pytrammel.analysis", "pytrammel.textbook.linear", "pytrammel.design", "numba"} & set(sys.modules), "namespaces"
assert pytrammel.results.Result.__name__ == "Result"
"""


def test_an_import_of_the_package_or_a_namespace_imports_no_analysis() -> None:
    env = {**os.environ, "PYTHONPATH": str(SOURCE.parent)}
    done = subprocess.run([sys.executable, "-c", FRESH], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# --- documentation ---------------------------------------------------------------------------------------------------


def pages() -> str:
    """Text of all pages and examples, without the pages that list all names."""
    written = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(SOURCE / "examples").glob("*.py")]
    shown = [path for path in written if not {"_build", "made", "verification"} & set(path.parts)]
    return "\n".join(path.read_text(encoding="utf-8") for path in shown)


def test_every_public_name_is_used_on_a_page_or_in_an_example() -> None:
    text = pages()
    used = set(re.findall(r"\b(?:tm|pytrammel)\.((?:[a-z_]\w*\.)*\w+)", text))
    used |= {name.partition(".")[0] for name in used}  # tm.themes.light uses tm.themes
    used |= {
        f"{home}.{name}"
        for home, names in re.findall(r"from pytrammel\.(\w+) import (.+)", text)
        for name in re.findall(r"\w+", names)
    }
    toolbox = re.compile(r"(rotations|inertia|synthesis|textbook\.linear)\.")  # pages of the API list their functions
    missing = [name for name in PUBLIC if name not in used and not toolbox.match(name)]
    assert not missing


def test_every_public_name_is_on_the_pages_of_the_api() -> None:
    pytest.importorskip("sphinx", reason="the pages are written for Sphinx (extra docs)")
    sys.path.insert(0, str(ROOT / "docs"))
    from site_parts import api

    text = "\n".join(api.made().values())
    found = {
        (module, name)
        for _, name, module in re.findall(r":\{py:(function|class|data)\} (\w+).*\n:module: ([\w.]+)", text)
    }
    missing = [
        name
        for name in PUBLIC
        if (".".join(["pytrammel", *name.split(".")[:-1]]), name.rpartition(".")[2]) not in found
    ]
    assert not missing


# --- former names ----------------------------------------------------------------------------------------------------

TABLE = tomllib.loads((SOURCE / "renames.toml").read_text(encoding="utf-8"))["rename"]
FORMER = {
    old: row
    for row in TABLE
    if row["kind"] in ("name", "function")
    for old in ([row["old"]] if isinstance(row["old"], str) else row["old"])
    if find_spec(f"pytrammel.{old}") is None  # else an import finds the module
}


def test_the_table_of_former_names_is_complete() -> None:
    assert len(FORMER) > 80 and {"simulate", "sin", "Front", "continue_equilibrium"} <= set(FORMER)


@pytest.mark.parametrize("old", FORMER)
def test_a_former_name_raises_an_error_with_its_replacement(old: str) -> None:
    with pytest.raises(AttributeError) as raised:
        getattr(tm, old)
    text, row = str(raised.value), FORMER[old]
    assert text.startswith(f"module 'pytrammel' has no attribute {old!r}. ")
    new = row.get("new", f"{row['namespace']}.{old}" if "namespace" in row else old)
    if "hand" in row:
        assert row["hand"][1:] in text
    elif row["kind"] == "name":
        assert f"Use tm.{new}." in text and operator.attrgetter(new)(tm) is not None
    else:
        assert f"Use the method {new!r} of " in text and callable(getattr(tm.PlanarModel, new))


def test_former_names_are_found_by_kind_and_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    from pytrammel._util import former_names

    rows = {
        "size": (former_names.Former("attribute", frozenset({"Reaction"}), "magnitude", ""),),
        "over": (former_names.Former("argument", frozenset({"PlanarModel.optimize"}), "variables", ""),),
    }
    monkeypatch.setattr(former_names, "_rows", lambda: rows)
    assert former("size", "attribute", owners=["Reaction", "object"]).remedy == "Use 'magnitude'."  # type: ignore[union-attr]
    assert former("size", "attribute", owners=["Box"]) is None
    assert former("size", "name") is None
    with pytest.raises(tm.ModelError, match=r"optimize has no option 'over'. Use 'variables'\."):
        raise tm_unknown("optimize", "over")
    with pytest.raises(tm.ModelError, match=r"batch has no option 'over'; it has: a, b\."):
        raise tm_unknown("batch", "over")


def tm_unknown(name: str, key: str) -> tm.ModelError:
    from pytrammel._util.messages import unknown_option

    return unknown_option(name, key, ["a", "b"])


def test_the_wheel_contains_the_table() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    assert wheel == {"packages": ["src/pytrammel"]} and (SOURCE / "renames.toml").is_relative_to(
        ROOT / "src" / "pytrammel"
    )


# --- versions --------------------------------------------------------------------------------------------------------


def test_show_versions_prints_all_versions(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TRAMMEL_CACHE_DIR", str(tmp_path))
    assert tm.show_versions() is None
    lines = dict(re.split(r"  +", line, maxsplit=1) for line in capsys.readouterr().out.splitlines() if line)
    assert lines["pytrammel"] == tm.__version__ and lines["location"] == str(SOURCE)
    assert lines["Python"].startswith(platform.python_version()) and lines["executable"] == sys.executable
    assert lines["platform"] == platform.platform()
    for name in extras.DEPENDENCIES:
        assert lines[name] == version(name)
    for extra, names in extras.EXTRAS.items():
        for name in names:
            assert lines[name].endswith(f" [{extra}]")
    assert lines["matplotlib"] == f"{version('matplotlib')} [view]"
    assert lines["kernel cache"].startswith(str(tmp_path)) and lines["TRAMMEL_CACHE_DIR"] == str(tmp_path)


def test_show_versions_reports_what_is_not_installed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytrammel import versions
    from pytrammel.kernels import cache

    def nowhere() -> Path:
        raise FileNotFoundError("there is no home folder")

    monkeypatch.setattr(versions, "EXTRAS", {"view": ("no-such-distribution",)})
    monkeypatch.setattr(cache, "cache_root", nowhere)
    tm.show_versions()
    out = capsys.readouterr().out
    assert re.search(r"^no-such-distribution +not installed \[view\]$", out, re.M)
    assert re.search(r"^kernel cache +none: there is no home folder$", out, re.M)


def test_extras_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    def names(requirements: list[str]) -> tuple[str, ...]:
        return tuple(re.match(r"[\w.-]+", each)[0] for each in requirements)  # type: ignore[index]

    optional = project["optional-dependencies"]
    assert {extra: names(optional[extra]) for extra in extras.EXTRAS} == extras.EXTRAS
    assert optional.keys() - extras.EXTRAS.keys() <= {"all", "test", "docs", "lint", "peers"}
    assert names(project["dependencies"]) == tuple(name for name in extras.DEPENDENCIES if name != "llvmlite")
