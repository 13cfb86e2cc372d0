"""The documentation is true: its code runs, and its generated pages are up to date."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "docs/tutorial.md", "docs/tutorial_space.md", "docs/theory/inertia.md"]
GENERATED = ["constraint_types.md", "force_types.md", "spatial_constraint_types.md", "spatial_force_types.md"]
FENCE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)")
ANCHORED = re.compile(r"\]\(([^)#\s]*)#([^)\s]+)\)")
TEXTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

SCRIPT = ROOT / "docs" / "make_joint_table.py"

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("page", PAGES)
def test_code_of_a_page_runs_from_top_to_bottom(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)  # the samples write pictures
    namespace: dict[str, Any] = {"__name__": "__docs__"}
    blocks = list(FENCE.finditer(text))
    assert blocks, f"{page} has no code"
    for block in blocks:
        # blank lines in front give errors the line numbers of the page
        source = "\n" * (text[: block.start(1)].count("\n")) + block[1]
        exec(compile(source, page, "exec"), namespace)


def test_generated_pages_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", GENERATED)
def test_a_stale_page_is_noticed(page: str, tmp_path: Path) -> None:
    for name in GENERATED:
        text = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
        (tmp_path / "reference").mkdir(exist_ok=True)
        (tmp_path / "reference" / name).write_text(text + "stale\n" if name == page else text, encoding="utf-8")
    copy = tmp_path / SCRIPT.name
    copy.write_text(SCRIPT.read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run([sys.executable, copy, "--check"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith(page)


@pytest.mark.parametrize("page", [p.relative_to(ROOT).as_posix() for p in TEXTS])
def test_links_of_a_page_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    missing = [
        link for link in LINK.findall(text) if "://" not in link and not (ROOT / page).parent.joinpath(link).exists()
    ]
    assert not missing


def test_every_page_is_listed_in_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    listed = {(index.parent / link).resolve() for link in LINK.findall(index.read_text(encoding="utf-8"))}
    missing = [page.name for page in ROOT.glob("docs/**/*.md") if page.resolve() not in listed and page != index]
    assert not missing


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
