"""The documentation is true: its code runs, and its generated pages are up to date."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pytrammel as tm
from pytrammel import examples
from pytrammel.analysis.rest.rest_methods import METHODS as REST
from pytrammel.results import spatial_series as results_of_space

ROOT = Path(__file__).parents[2]
STALE = ["constraint_types.md", "spatial_constraint_types.md", "spatial_force_types.md", "methods.md"]  # in a test
FENCE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# right behind a fence: what its code prints, as indented lines or in a fence of its own
OUTPUT = re.compile(r"\n*(?:```text\n(.*?)^```$|((?:^(?: {4}[^\n]*)?\n)+))", re.MULTILINE | re.DOTALL)
TEXT = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(
    r"(?<![\w.])[-+]?\d+\.?\d*(?:e[-+]?\d+)?(?![\w.]*\w)|(?<![\w.])[-+]?\d+\.?\d*(?:e[-+]?\d+)?(?=[a-z°%])"
)
LINK = re.compile(r"\]\(([^)#\s]+)")
ANCHORED = re.compile(r"\]\(([^)#\s]*)#([^)\s]+)\)")
TEXTS = sorted(
    page
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))
    if not {"_build", "made"} & set(page.relative_to(ROOT).parts)
)
# code of these pages is files of packages, which other tests try
AS_FILES = ("CONTRIBUTING.md", "plugins.md")
PAGES = [
    page.relative_to(ROOT).as_posix()
    for page in TEXTS
    if page.name not in AS_FILES and FENCE.search(page.read_text(encoding="utf-8"))
]

SCRIPT = ROOT / "docs" / "make_joint_table.py"

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("page", PAGES)
def test_code_of_a_page_runs_from_top_to_bottom_and_prints_what_the_page_says(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)  # the samples write pictures
    namespace: dict[str, Any] = {"__name__": "__docs__"}
    compared: list[int] = []
    for block in FENCE.finditer(text):
        line = text[: block.start(1)].count("\n")
        # blank lines in front give errors the line numbers of the page
        exec(compile("\n" * line + block[1], page, "exec"), namespace)
        printed = capsys.readouterr().out
        shown = OUTPUT.match(text, block.end() + 1)
        words = "" if shown is None else shown[1] or shown[2]
        if words.strip():
            compared.append(shown.start(1))
            assert not differences(words, printed), f"{page}, line {line}: printed was\n{printed}"
    fences = [found.start(1) for found in TEXT.finditer(text)]
    assert set(fences) <= set(compared), f"{page} shows text that no code above it prints"


def differences(shown: str, printed: str) -> list[str]:
    """Lines of a page that its code does not print; a line "..." stands for any number of lines."""
    left = [entry.strip() for entry in printed.splitlines() if entry.strip()]
    out, skipping = [], False
    for entry in (line.strip() for line in shown.splitlines() if line.strip()):
        if entry == "...":
            skipping = True
            continue
        found = next((k for k, other in enumerate(left) if same_line(entry, other)), None)
        if found is None or (found > 0 and not skipping):
            out.append(entry)
        else:
            left, skipping = left[found + 1 :], False
    return out if out or skipping or not left else [f"not shown: {left[0]}"]


def same_line(shown: str, printed: str) -> bool:
    """Words are the same, and numbers agree to a unit of their last digit; "..." stands for anything."""
    pattern = []
    for words in re.split(r"(\.\.\.)", shown):
        texts = [r"\s*".join(map(re.escape, part.split())) for part in NUMBER.split(words)]
        pattern.append(".*" if words == "..." else rf"\s*({NUMBER.pattern})\s*".join(texts))
    found = re.fullmatch(r"\s*".join(pattern), printed)
    if found is None:
        return False
    if "evaluations" in shown:
        return True  # the number of steps depends on rounding
    numbers = zip(NUMBER.finditer(shown), found.groups(), strict=True)
    # so does the number of iterations
    return all(shown[a.end() :].lstrip().startswith("iteration") or same_number(a[0], b) for a, b in numbers)


def same_number(shown: str, printed: str) -> bool:
    a, b = float(shown), float(printed)
    mantissa, _, exponent = shown.partition("e")
    digits = mantissa.lstrip("+-").replace(".", "")
    last = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    if max(abs(a), abs(b)) < 1e-8:
        return True  # rounding and remainders of tolerances have no digits
    if "." not in mantissa and len(digits) < 3:
        return a == b  # counts
    return abs(a - b) <= 1.01 * last


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("f = 2.369 Hz", "f  =  2.3687 Hz", True),
        ("f = 2.36875 Hz", "f = 4.76534 Hz", False),
        ("2 rows of A2", "3 rows of A2", False),
        ("off by 1.9e-16", "off by 4.2e-17", True),
        ("turned 0.3677°", "turned 0.3699°", False),
        ("stable", "unstable", False),
        ("gap 40 mm ...", "gap 40 mm at pin B", True),
        ("gap 40 mm ...", "gap 45 mm at pin B", False),
        ("solved in 4 iterations; d = 2.5", "solved in 6 iterations; d = 2.5", True),
        ("solved in 4 iterations; d = 2.5", "solved in 4 iterations; d = 2.9", False),
        ("2 left (...). Add 2", "2 left (a, b). Add 2", True),
        ("2 left (...). Add 2", "2 left (a, b). Add 3", False),
    ],
)
def test_a_wrong_number_on_a_page_is_noticed(shown: str, printed: str, same: bool) -> None:
    assert same_line(shown, printed) == same


def test_generated_pages_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_stale_pages_are_noticed(tmp_path: Path) -> None:
    pages = sorted((ROOT / "docs" / "reference").glob("*.md"))
    (tmp_path / "reference").mkdir()
    for page in pages:
        text = page.read_text(encoding="utf-8")
        (tmp_path / "reference" / page.name).write_text(
            text + "stale\n" if page.name in STALE else text, encoding="utf-8"
        )
    shutil.copytree(SCRIPT.parent / "site_parts", tmp_path / "site_parts")
    copy = tmp_path / SCRIPT.name
    copy.write_text(SCRIPT.read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run([sys.executable, copy, "--check"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert [line.partition(" ")[0] for line in done.stderr.splitlines()] == STALE


@pytest.mark.parametrize("page", [p.relative_to(ROOT).as_posix() for p in TEXTS])
def test_links_of_a_page_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    missing = [
        link for link in LINK.findall(text) if "://" not in link and not (ROOT / page).parent.joinpath(link).exists()
    ]
    assert not missing


def test_every_page_is_listed_in_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    lists = (index, index.with_name("verification.md"))  # the manual lists its areas
    listed = {
        (page.parent / link).resolve() for page in lists for link in LINK.findall(page.read_text(encoding="utf-8"))
    }
    pages = [page for page in TEXTS if page.is_relative_to(index.parent) and page != index]
    missing = [page.name for page in pages if page.resolve() not in listed]
    assert not missing


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    folder = ROOT / "docs"
    trees = re.findall(r"^```\{toctree\}\n(.*?)^```$", (folder / "index.md").read_text(encoding="utf-8"), re.M | re.S)
    entries = [line for tree in trees for line in tree.splitlines() if line and not line.startswith(":")]
    listed = {page for entry in entries for page in folder.glob(f"{entry}.md")}
    pages = {page for page in TEXTS if page.is_relative_to(folder) and page != folder / "index.md"}
    assert not [page.name for page in sorted(pages - listed)]


@pytest.mark.parametrize("page", [p.relative_to(ROOT).as_posix() for p in TEXTS])
def test_links_lead_to_headings_that_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    missing = []
    for target, anchor in ANCHORED.findall(text):
        if "://" not in target:
            other = (ROOT / page).parent.joinpath(target) if target else ROOT / page
            if anchor not in anchors(other.read_text(encoding="utf-8")):
                missing.append(f"{target}#{anchor}")
    assert not missing


def anchors(text: str) -> set[str]:
    """Names under which the headings of a page can be reached."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


NAMING = sorted(
    page.relative_to(ROOT).as_posix()
    for folder in ("sources", "coming_from")
    for page in (ROOT / "docs" / folder).glob("*.md")
)


@pytest.mark.parametrize("page", NAMING)
def test_what_a_page_about_a_text_or_another_program_names_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    files = re.findall(r"`(tests/\S+?\.py)`", text)
    assert not [file for file in files if not (ROOT / file).exists()]
    for name in re.findall(r"`m\.(\w+)[`(]", text):
        assert hasattr(tm.PlanarModel, name) or hasattr(tm.SpatialModel, name), name
    for names in re.findall(r"`tm\.([\w.]+)[`(]", text):
        thing: Any = tm
        for name in names.split("."):
            thing = getattr(thing, name) if hasattr(thing, name) else getattr(results_of_space, name)
    for word, values, option in (
        ("formulation", set(tm.formulations), r'formulation="(\w+)"'),
        ("constraints", set(tm.enforcement), r'constraints="(\w+)"'),
        ("method", {*tm.methods, *REST}, r'method="(\w+)"'),
    ):
        assert set(re.findall(option, text)) <= values, word
    for listed in re.findall(r"examples? ((?:`\w+`(?:, )?)+)", text):
        assert set(re.findall(r"`(\w+)`", listed)) <= set(examples.names())
