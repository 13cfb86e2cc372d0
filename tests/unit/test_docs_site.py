"""The documentation site: it is built without a warning, and can be read without a network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the site is built with Sphinx (extra docs)")
for part in ("myst_parser", "furo", "latex2mathml", "matplotlib"):
    pytest.importorskip(part)

DOCS = Path(__file__).parents[2] / "docs"
# what a browser fetches by itself: scripts, styles, fonts, pictures, frames; links that a reader may follow are something else
FETCHED = re.compile(
    r"<(?:script|img|iframe|source|video)\b[^>]*\bsrc=\"(?:https?:)?//|<link\b[^>]*\bhref=\"https?://|url\([\"']?https?://|@import"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built pages."""
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going"]
    done = subprocess.run(
        [*command, "-d", out / "doctrees", DOCS, out / "html"], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return out / "html"


def test_the_site_is_built_without_warnings_and_asks_for_nothing_from_the_network(site: Path) -> None:
    files = [file for kind in ("html", "css", "js") for file in site.rglob(f"*.{kind}")]
    asking = {
        str(file.relative_to(site)): found[0]
        for file in files
        if (found := FETCHED.search(file.read_text(encoding="utf-8")))
    }
    assert (site / "index.html").exists()
    assert not asking


def test_formulas_are_shown_by_the_browser_itself(site: Path) -> None:
    page = (site / "theory" / "dynamics.html").read_text(encoding="utf-8")
    assert page.count("<math") > 100
    assert "$" not in re.sub(r"<(script|style|pre|code)\b.*?</\1>", "", page, flags=re.DOTALL)
