"""The documentation is true: its code runs, and its generated page is up to date."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "docs/tutorial.md"]
FENCE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]+)")

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


def test_page_of_constraint_types_is_up_to_date() -> None:
    script = ROOT / "docs" / "make_joint_table.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "page", sorted(p.relative_to(ROOT).as_posix() for p in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
)
def test_links_of_a_page_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    missing = [
        link for link in LINK.findall(text) if "://" not in link and not (ROOT / page).parent.joinpath(link).exists()
    ]
    assert not missing
