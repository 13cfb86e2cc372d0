"""Settings of the documentation site: ``make docs`` builds it into docs/_build/html."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from pytrammel import __version__  # noqa: E402

project = "Trammel"
author = "the Trammel developers"
copyright = "the Trammel developers, BSD 3-Clause"
version = release = __version__

extensions = ["myst_parser", "site_parts.formulas"]
exclude_patterns = ["_build", "site_parts", "made/extra"]
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 4
html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"Trammel {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
EXTRA = HERE / "made" / "extra"  # animations and pictures of the gallery
EXTRA.mkdir(parents=True, exist_ok=True)
html_extra_path = [str(EXTRA)]
html_copy_source = False
html_show_sourcelink = False

# files that stand beside this folder are pages of the site under other names
BESIDE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "SECURITY.md": "security.md"}
LINK_OUTSIDE = re.compile(r"\]\((?:\.\./)+([A-Z]+\.md)")
LINK_INTO_DOCS = re.compile(r"\]\(docs/")


def link_inside(app: Any, docname: str, source: list[str]) -> None:
    """Links that work in the repository work on the site."""
    up = "../" * docname.count("/")
    source[0] = LINK_OUTSIDE.sub(lambda found: f"]({up}{BESIDE[found[1]]}", source[0])


def link_inside_included(app: Any, path: Any, parent: str, source: list[str]) -> None:
    """The same for the files beside this folder, whose links begin with docs/ or name each other."""
    text = LINK_INTO_DOCS.sub("](", source[0])
    for there, here in BESIDE.items():
        text = text.replace(f"]({there}", f"]({here}")
    source[0] = text


def write_pages(app: Any) -> None:
    """Pages from the code, into a folder that is not kept."""
    from site_parts import api, gallery, sentences

    api.write(HERE / "made" / "api")
    sentences.write(HERE / "made" / "sentences.md")
    gallery.write(HERE / "made" / "gallery.md", EXTRA, app.config.gallery.split(",") if app.config.gallery else None)


def setup(app: Any) -> None:
    # -D gallery=four_bar,rssr: these only, for a quick look at the rest
    app.add_config_value("gallery", "", "html", str)
    app.connect("builder-inited", write_pages)
    app.connect("source-read", link_inside)
    app.connect("include-read", link_inside_included)
