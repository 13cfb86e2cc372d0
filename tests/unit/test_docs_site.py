"""The documentation site: it is built without a warning, and can be read without a network."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import public_names
import pytrammel as tm
from pytrammel import opcodes
from pytrammel.expressions.function_help import WORDS
from pytrammel.model.verbs import Verb, Verbs

pytest.importorskip("sphinx", reason="the site is built with Sphinx (extra docs)")
for part in ("myst_parser", "furo", "latex2mathml", "matplotlib"):
    pytest.importorskip(part)

pytestmark = pytest.mark.site

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))  # site_parts: what writes pages from the code
SHOWN = ("four_bar", "rssr", "kap_four_bar")  # every other example is drawn and animated by its own test
# what a browser fetches by itself: scripts, styles, fonts, pictures, frames; links that a reader may follow are something else
FETCHED = re.compile(
    r"<(?:script|img|iframe|source|video)\b[^>]*\bsrc=\"(?:https?:)?//|<link\b[^>]*\bhref=\"https?://|url\([\"']?https?://|@import"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built pages."""
    out = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "--quiet",
        "--fail-on-warning",
        "--keep-going",
        "-D",
        f"gallery={','.join(SHOWN)}",
    ]
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
    assert "𝐌" in page  # bold letters are characters of their own: browsers ignore mathvariant
    assert "$" not in re.sub(r"<(script|style|pre|code)\b.*?</\1>", "", page, flags=re.DOTALL)


def test_every_public_name_has_its_place_on_a_page(site: Path) -> None:
    from sphinx.util.inventory import InventoryFile

    inventory = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="")
    known = {name for kind in inventory.data.values() for name in kind}
    assert not {f"pytrammel.{name}" for name, _ in public_names.public()} - known
    for given_back in ("Equilibrium", "Mobility", "LinearModel", "BodySeries", "SpaceReaction", "Energy", "Assembly"):
        assert (site / "made" / "api" / f"{given_back}.html").exists()


def test_pages_of_the_api_name_every_option(site: Path) -> None:
    page = (site / "made" / "api" / "PlanarModel.html").read_text(encoding="utf-8")
    for name, verb in inspect.getmembers(tm.PlanarModel, inspect.isfunction):
        if not isinstance(vars(Verbs).get(name), Verb):
            continue
        missing = [option for option in [*inspect.signature(verb).parameters][1:] if f">{option}<" not in page]
        assert not missing, verb


def test_everything_public_is_described() -> None:
    from site_parts import api

    public = [thing for _, thing in public_names.public() if callable(thing)]
    everything = {*api.classes().values(), *(thing for thing in public if inspect.isclass(thing))}
    assert not [thing for thing in public if not inspect.getdoc(thing)]
    assert not {thing.__name__: missing for thing in everything if (missing := api.undescribed(thing))}


def test_sentences_of_all_errors_are_found() -> None:
    from site_parts.sentences import page, sentences

    words = page()
    for known in (
        "say where on body ‹body.name›",
        "has no error control. Give the length of its steps",
        "This bracket closes nothing; remove it or open one before.",
        "the energy balance does not close",
        "the mechanism reaches a dead point there",
    ):
        assert known in words.replace("\\", "")
    found = {(one.kind, one.file) for one in sentences()}
    # these repeat the sentences of others, or are caught again
    found |= {("AssemblyError", "analysis/rest/rest_curve.py"), ("FileFormatError", "io/models/problems.py")}
    found |= {("ExpressionError", "model/parameters.py"), ("ExpressionError", "model/arguments/dimensions.py")}
    found |= {("TrammelError", "design/optimization/local.py")}
    found |= {
        ("TrammelError", "design/optimization/problem.py"),
        ("ConvergenceError", "design/uncertainty/experiments.py"),
    }
    for path in sorted((Path(tm.__file__).parent).rglob("*.py")):
        file = path.relative_to(Path(tm.__file__).parent).as_posix()
        for kind in set(re.findall(r"\braise (\w+)\(", path.read_text(encoding="utf-8"))):
            if kind.endswith("Error") and hasattr(tm, kind):
                assert (kind, file) in found, f"{file} raises {kind}, but none of its sentences is on the page"


def test_functions_of_formulas_are_all_in_words() -> None:
    assert set(WORDS) == {*opcodes.FUNCTIONS, *opcodes.LAW_NAMES}


def test_the_gallery_shows_and_plays_its_examples(site: Path) -> None:
    page = (site / "made" / "gallery.html").read_text(encoding="utf-8")
    for name in SHOWN:
        assert f'href="../animations/{name}.html"' in page
        assert (site / "pictures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (site / "animations" / f"{name}.html").stat().st_size > 10_000
