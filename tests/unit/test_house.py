"""House habits: what a release, a commit and a reader of the repository rely on."""

from __future__ import annotations

import ast
import importlib
import re
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest

import pytrammel as tm
from pytrammel._util import extras

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_files  # noqa: E402
import index_readme  # noqa: E402
import release_check  # noqa: E402


def test_the_citation_and_the_changelog_name_the_version() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {tm.__version__}\n" in cited
    assert f"## {tm.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_make_run_installs_only_what_pictures_need() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "\nrun: $(SHOW)\n" in text
    rule = re.search(r"^\$\(SHOW\):.*\n((?:\t.*\n)+)", text, re.M)
    assert rule and re.findall(r"-e '\.\[(.*)\]'", rule[1]) == ["view"]


README = (ROOT / "README.md").read_text(encoding="utf-8")
TARGETS = re.compile(r'src="([^"]*)"|\]\(([^)\s]+)\)')


def test_the_readme_of_the_index_names_no_file_of_the_repository() -> None:
    text = index_readme.index_text(README)
    assert not TARGETS.findall(text) and "<p>" not in text
    assert re.findall(r"^```python\n.*?^```$", text, re.M | re.S) == re.findall(
        r"^```python\n.*?^```$", README, re.M | re.S
    )


def test_with_an_address_the_index_shows_all_pictures() -> None:
    base = "https://host.example/raw/main"
    found = [a or b for a, b in TARGETS.findall(index_readme.index_text(README, base))]
    assert found == [f"{base}/{a or b}" for a, b in TARGETS.findall(README)]


def test_absolute_addresses_anchors_and_code_stay_as_they_are() -> None:
    text = "[a](https://b.example) [c](#d) ![e](https://f.example/g.png)\n\n```\n[h](i.md)\n```\n"
    assert index_readme.index_text(text) == index_readme.index_text(text, "https://j.example") == text


@pytest.mark.parametrize("name", ["numpy", "scipy", "numba"])
def test_licences_of_dependencies_are_found(name: str) -> None:
    assert "BSD" in release_check.licence(distribution(name))


def test_the_release_check_runs_all_code_of_the_readme() -> None:
    code = release_check.readme_code()
    compile(code, "README.md", "exec")
    assert code.count("import pytrammel as tm") == 1
    assert "SpatialModel" in code


def test_hooks_before_a_commit_fetch_nothing() -> None:
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert re.findall(r"^ *- repo: (.*)$", text, re.MULTILINE) == ["local"]
    assert set(re.findall(r"^ *language: (.*)$", text, re.MULTILINE)) == {"system"}
    for script in re.findall(r"python ((?:tools|docs)/\S+)", text):
        assert (ROOT / script).exists()


def test_messages_name_our_distribution_and_extras_that_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == extras.DISTRIBUTION
    assert extras.install_command("view") == f"pip install '{extras.DISTRIBUTION}[view]'"
    texts = {file.name: file.read_text(encoding="utf-8") for file in (ROOT / "src").rglob("*.py")}
    named = {name for text in texts.values() for name in re.findall(r"install_command\(['\"](\w+)", text)}
    assert "view" in named and named <= project["optional-dependencies"].keys()
    spelled = re.compile(rf"pip install '?{extras.DISTRIBUTION}")
    assert not [name for name, text in texts.items() if spelled.search(text)]


@pytest.mark.parametrize(
    ("content", "words"), [(b"x\n<" + b"<<<<<< ours\n", "leftovers"), (b"0" * 1_000_001, "bytes"), (b"fine\n", None)]
)
def test_files_that_do_not_belong_here_are_refused(tmp_path: Path, content: bytes, words: str | None) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    found = check_files.complaint(file)
    assert (found is None) == (words is None)
    assert words is None or words in (found or "")


def test_sentences_count_in_words() -> None:
    """ "1 driver", "2 drivers" (`number_of`), never "2 driver(s)"."""
    clumsy = re.compile(r"\} (?:\w+ )?[a-z]{3,}\(s\)")
    found = [file.name for file in (ROOT / "src").rglob("*.py") if clumsy.search(file.read_text(encoding="utf-8"))]
    assert not found


SCRIPTS = sorted(file for folder in ("bench", "docs", "tools") for file in (ROOT / folder).glob("*.py"))


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_what_scripts_import_of_the_package_is_there(file: Path) -> None:
    """Benchmarks and makers of pages are run by hand: a name that has moved is noticed here."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module is not None
            and node.module.partition(".")[0] == "pytrammel"
        ):
            module = importlib.import_module(node.module)
            for name in (each.name for each in node.names):
                assert hasattr(module, name) or importlib.import_module(f"{node.module}.{name}"), name
